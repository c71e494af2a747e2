internal import Formats
internal import JSON
internal import Timeline

/// The images in a Lottie file while it is read. Each that a layer shows becomes an asset, once.
final class LottieImages {
  private(set) var images: [LottieAnimation.EmbeddedImage] = []
  private let prefix: String
  private let archive: LottieArchive?
  /// The bytes of the archive's images so far.
  private var unpacked = 0
  /// The assets by the images' names in the file; nil for one that is none.
  private var known: [String: AssetID?] = [:]

  /// - Parameters:
  ///   - prefix: the beginning of the assets' names.
  ///   - archive: the archive in which the file stands.
  init(_ prefix: String, in archive: LottieArchive?) { (self.prefix, self.archive) = (prefix, archive) }

  /// The asset of an image; nil for one that is not in the file, or no image, which is told.
  ///
  /// - Parameters:
  ///   - name: its name in the file.
  ///   - place: the layer that shows it.
  func image(
    _ name: String, _ asset: LottieNode, shownBy place: JSONPath, _ log: LottieLog
  ) throws(LottieFault) -> AssetID? {
    if let image = known[name] { return image }
    if let found = try archived(asset) { return try add(found.data, at: found.path, name, asset) }
    guard let text = asset.text("p"), DataURL.isOne(text) else {
      log.lose(place, "\(outside(asset)) is not drawn: say \"images\": {\"\(name)\": …} with an asset of the document")
      return nil
    }
    let data: DataURL
    do throws(DataURL.Fault) { data = try DataURL(text) } catch {
      log.lose(asset.path["p"], "the image '\(name)' is not drawn: its data URL \(error.reason)")
      known[name] = .some(nil)
      return nil
    }
    return try add(data, at: asset.path["p"].description, name, asset)
  }

  /// The picture of an image that stands in the archive, and its name there; nil where there is none.
  private func archived(_ asset: LottieNode) throws(LottieFault) -> (data: DataURL, path: String)? {
    guard let archive, let path = archive.place(of: asset), let more = archive.files.count(of: path) else { return nil }
    // The sum is bounded before anything is unpacked.
    guard unpacked + more <= LottieLimits.allImageBytes else {
      throw LottieFault(
        path: ZipArchive.shown(path), reason: "makes the images larger than \(LottieLimits.allImageBytes >> 20) MiB in all")
    }
    guard let bytes = try archive.files.contents(of: path, atMost: LottieLimits.imageBytes) else { return nil }
    guard !bytes.isEmpty else { throw LottieFault(path: ZipArchive.shown(path), reason: "is an empty image") }
    unpacked += bytes.count
    return (DataURL(type: Self.type(of: path), bytes: bytes), ZipArchive.shown(path))
  }

  /// The type of a picture for messages, by its file's name. Whoever decodes it looks at its content.
  private static func type(of path: String) -> String {
    let ending = path.split(separator: ".").last?.lowercased() ?? ""
    let isPlain = (1...8).contains(ending.utf8.count) && ending.utf8.allSatisfy { (0x61...0x7a).contains($0) }
    return ending == "jpg" ? "jpeg" : ending == "svg" ? "svg+xml" : isPlain ? ending : "unknown"
  }

  private func add(
    _ data: DataURL, at path: String, _ name: String, _ asset: LottieNode
  ) throws(LottieFault) -> AssetID {
    guard images.count < LottieLimits.images else {
      throw asset.fault("is one more than \(LottieLimits.images) images in the file")
    }
    let id = AssetID("\(prefix)\(images.count + 1)")
    images.append(LottieAnimation.EmbeddedImage(asset: id, data: data, path: path))
    known[name] = id
    return id
  }

  /// The words for an image that is not in the file: files and URLs that a file names are never opened.
  private func outside(_ asset: LottieNode) -> String {
    let name = (asset.text("u") ?? "") + (asset.text("p") ?? "")
    guard !name.isEmpty else { return "an image without a name" }
    let shown = name.count > 80 ? "\(name.prefix(80))…" : name
    if name.hasPrefix("data:") { return "what is no image (\(name.prefix(24))…)" }
    return name.contains("://")
      ? "the image '\(shown)' behind a URL"
      : archive == nil ? "the image '\(shown)' beside the file" : "the image '\(shown)', which is not in the archive,"
  }
}
