internal import Formats
internal import JSON
internal import Timeline

/// The images in a Lottie file while it is read. Each that a layer shows becomes an asset, once.
final class LottieImages {
  private(set) var images: [LottieAnimation.EmbeddedImage] = []
  private let prefix: String
  /// The assets by the images' names in the file; nil for one that is none.
  private var known: [String: AssetID?] = [:]

  /// - Parameter prefix: the beginning of the assets' names.
  init(_ prefix: String) { self.prefix = prefix }

  /// The asset of an image; nil for one that is not in the file, or no image, which is told.
  ///
  /// - Parameters:
  ///   - name: its name in the file.
  ///   - place: the layer that shows it.
  func image(
    _ name: String, _ asset: LottieNode, shownBy place: JSONPath, _ log: LottieLog
  ) throws(LottieFault) -> AssetID? {
    if let image = known[name] { return image }
    guard let text = asset.text("p"), DataURL.isOne(text) else {
      log.lose(place, "\(Self.outside(asset)) is not drawn: say \"images\": {\"\(name)\": …} with an asset of the document")
      return nil
    }
    let data: DataURL
    do throws(DataURL.Fault) { data = try DataURL(text) } catch {
      log.lose(asset.path["p"], "the image '\(name)' is not drawn: its data URL \(error.reason)")
      known[name] = .some(nil)
      return nil
    }
    guard images.count < LottieLimits.images else {
      throw asset.fault("is one more than \(LottieLimits.images) images in the file")
    }
    let id = AssetID("\(prefix)\(images.count + 1)")
    images.append(LottieAnimation.EmbeddedImage(asset: id, data: data, path: asset.path["p"].description))
    known[name] = id
    return id
  }

  /// The words for an image that is not in the file: files and URLs that a file names are never opened.
  private static func outside(_ asset: LottieNode) -> String {
    let name = (asset.text("u") ?? "") + (asset.text("p") ?? "")
    guard !name.isEmpty else { return "an image without a name" }
    let shown = name.count > 80 ? "\(name.prefix(80))…" : name
    if name.hasPrefix("data:") { return "what is no image (\(name.prefix(24))…)" }
    return name.contains("://") ? "the image '\(shown)' behind a URL" : "the image '\(shown)' beside the file"
  }
}
