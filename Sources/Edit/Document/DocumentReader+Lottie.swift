package import Formats
internal import JSON
package import Lottie
internal import MediaTime
package import Timeline

/// A Lottie file that a document names.
package struct LottieFileName: Hashable, Sendable {
  /// The place of its layer in the document.
  package let place: String
  package var path: String
  package let options: LottieOptions
  /// Whether a file of which something is not drawn as it has it is refused.
  package let isStrict: Bool
}

/// The Lottie files that are named while a document is read.
final class LottieNames {
  var files: [LottieFileName] = []
  /// The images in those files that were read.
  var images: [LottieImage] = []
}

/// An image in a Lottie file. It becomes an asset of the edit.
package struct LottieImage: Hashable, Sendable {
  package let asset: AssetID
  package let data: DataURL
  /// The place of its layer in the document.
  package let place: String
  /// The file, and the place in it.
  package let file: String
  package let pathInFile: String
}

/// Reads layers that are Lottie files.
extension DocumentReader {
  /// The layers of a Lottie file, as they stand on a layer.
  ///
  /// - Parameters:
  ///   - geometry: the layer's own. One without a frame has the animation's size.
  ///   - level: that of the layer.
  func lottie(_ object: DocumentObject, _ geometry: inout LayerGeometry, level: Int) -> [Layer] {
    let gravity = object["gravity"].map { self.gravity($0) } ?? .resizeAspect
    let loops = object["loop"].map { $0.bool() } ?? true
    let isStrict = object["strict"].map { $0.bool() } ?? false
    let images = object["images"].map { names($0, stillPicture) } ?? [:]
    let fonts = object["fonts"].map { names($0, fontNames) } ?? [:]
    let wish = object["animation"].map { $0.string(atMost: DocumentLimits.nameLength) }
    if case .some(nil) = wish { return [] }
    guard let node = object["lottie"], let path = node.string(atMost: DocumentLimits.pathLength), let gravity, let loops,
      let isStrict, let images, let fonts
    else { return [] }
    let place = "\(object.node.path)"
    guard lottieNames.files.count < DocumentLimits.lottieFiles else {
      return node.refuse(because: "is one more than \(DocumentLimits.lottieFiles) layers of Lottie files") ?? []
    }
    // Names of the document's own assets are never taken.
    var prefix = "lottie-\(lottieNames.files.count + 1)-image-"
    while assets.keys.contains(where: { $0.rawValue.hasPrefix(prefix) }) { prefix = "_\(prefix)" }
    let options = LottieOptions(images: images, fonts: fonts, animation: wish ?? nil, prefix: prefix)
    lottieNames.files.append(LottieFileName(place: place, path: path, options: options, isStrict: isStrict))
    guard let animation = animations[place] else {
      log.leaveUnjudged(node.path)
      return []
    }
    guard assets.count + lottieNames.images.count + animation.images.count <= DocumentLimits.assets else {
      return node.refuse(because: "its images make more than \(DocumentLimits.assets) assets with the others") ?? []
    }
    lottieNames.images += animation.images.map {
      LottieImage(asset: $0.asset, data: $0.data, place: place, file: path, pathInFile: $0.path)
    }
    let frame = geometry.frame ?? Rect(0, 0, animation.size.x, animation.size.y)
    geometry.frame = frame
    let layer = animation.layer(in: Rect(0, 0, frame.width, frame.height), gravity: gravity, loops: loops)
    guard level + layer.height <= DocumentLimits.layerNesting else {
      return node.refuse(
        because: "its layers stand \(layer.height) levels high; with those below it \(DocumentLimits.layerNesting) are accepted")
        ?? []
    }
    return [layer]
  }

  /// The values that a document gives to things of a file, by their names in it.
  private func names<Value>(_ node: DocumentNode, _ read: (DocumentNode) -> Value?) -> [String: Value]? {
    guard case .object(let members) = node.value else { return node.refuse("an object") }
    var names: [String: Value] = [:]
    for member in members {
      guard let value = read(DocumentNode(value: member.value, path: node.path[member.key], log: log)) else { return nil }
      names[member.key] = value
    }
    return names
  }

  /// A font, or several in order of preference.
  private func fontNames(_ node: DocumentNode) -> [String]? {
    guard case .array = node.value else { return node.string(atMost: DocumentLimits.nameLength).map { [$0] } }
    let fonts = (node.elements(atMost: DocumentLimits.fonts) ?? []).compactMap { $0.string(atMost: DocumentLimits.nameLength) }
    return fonts.isEmpty ? node.refuse(because: "needs a font at least") : fonts
  }
}

extension Layer {
  /// The levels that this layer and those on it stand high, with their masks.
  fileprivate var height: Int { 1 + max(sublayers.map(\.height).max() ?? 0, mask?.height ?? 0) }
}
