package import Formats
internal import JSON
package import MediaTime
package import Timeline

/// The things that a document gives to a Lottie file.
package struct LottieOptions: Hashable, Sendable {
  /// The assets of the document that are drawn for images of the file, by their names in the file.
  package var images: [String: AssetID]
  /// The fonts that texts are set in, by the names of those of the file.
  package var fonts: [String: [String]]
  /// The name of an animation of an archive; nil for the one that its manifest shows first.
  package var animation: String?
  /// The beginning of the names that the images in the file get as assets. It differs from file to file.
  package var prefix: String

  package init(
    images: [String: AssetID] = [:], fonts: [String: [String]] = [:], animation: String? = nil, prefix: String = "image-"
  ) {
    (self.images, self.fonts, self.animation, self.prefix) = (images, fonts, animation, prefix)
  }
}

/// A Lottie file: an animation of shapes, pictures and texts, as After Effects' extension bodymovin writes it
/// (https://lottie.github.io/lottie-spec/), or such an animation of a dotLottie archive.
package struct LottieAnimation: Hashable, Sendable {
  /// The width and the height in its own pixels.
  package let size: Point
  package let duration: MediaTime
  /// The duration up to the beginning of its last frame; nil where it has one frame alone.
  package let lastFrame: MediaTime?
  /// The time on the layers' clock at which it begins.
  package let start: MediaTime
  /// The layers, bottommost first.
  package let layers: [Layer]
  /// The parts that are not drawn as the file has them.
  package let remarks: [LottieRemark]
  /// The number of further remarks.
  package let omittedRemarks: Int
  /// The images in the file that its layers show, each once.
  package let images: [EmbeddedImage]

  /// An image in a file.
  package struct EmbeddedImage: Hashable, Sendable {
    package let asset: AssetID
    package let data: DataURL
    /// The place in the file.
    package let path: String
  }

  /// Reads a file.
  ///
  /// - Throws: the reason why it is none, or not accepted.
  package init(_ bytes: [UInt8], _ options: LottieOptions = LottieOptions()) throws(LottieFault) {
    guard bytes.count <= LottieLimits.byteCount else {
      throw LottieFault(path: "", reason: "is larger than \(LottieLimits.byteCount >> 20) MiB, the most of a Lottie file")
    }
    guard ZipArchive.isOne(bytes) else {
      guard options.animation == nil else {
        throw LottieFault(path: "", reason: "is one animation: \"animation\" names one of a dotLottie archive")
      }
      try self.init(LottieFile(bytes, options, in: nil))
      return
    }
    let archive = try LottieArchive(bytes, showing: options.animation)
    do throws(LottieFault) { try self.init(LottieFile(archive.animation, options, in: archive)) } catch {
      throw archive.naming(error)
    }
  }

  private init(_ file: LottieFile) throws(LottieFault) {
    let root = file.root
    let (from, to) = (try root.number("ip", or: 0), try root.number("op", or: 0))
    guard to - from >= 0.01, to - from <= LottieLimits.frames, abs(from) <= LottieLimits.frames else {
      throw LottieFault(path: "op", reason: "the animation lasts from frame \(JSONValue.text(from)) to \(JSONValue.text(to))")
    }
    guard let list = root["layers"], list.isArray else { throw LottieFault(path: "layers", reason: "there are no layers") }
    let (width, height) = (try root.number("w", or: 0), try root.number("h", or: 0))
    guard LottieLimits.side.contains(width), LottieLimits.side.contains(height) else {
      throw LottieFault(
        path: "w",
        reason:
          "the size \(JSONValue.text(width))x\(JSONValue.text(height)) is not in 1...\(JSONValue.text(LottieLimits.side.upperBound))"
      )
    }
    let composition = try LottieComposition(file, list, size: Point(width, height), seen: from...to)
    layers = try composition.layers().compactMap(\.pruned)
    let clock = composition.clock
    (size, start) = (Point(width, height), clock.time(from))
    duration = clock.length(to - from)
    lastFrame = to - from > 1.01 ? clock.length(to - from - 1) : nil
    remarks = file.archive?.all(with: file.log.remarks) ?? file.log.remarks
    (omittedRemarks, images) = (file.log.omitted, file.embedded.images)
  }

  /// The background of an animation of which nothing is drawn.
  private static let clear = RGBAColor(0, 0, 0, alpha: 0)

  /// The layer that shows the animation in a rectangle of a layer.
  ///
  /// - Parameter loops: whether it begins anew after its end. Otherwise its last frame stays.
  package func layer(in rect: Rect, gravity: Gravity, loops: Bool) -> Layer {
    let place = gravity.placement(of: Rect(0, 0, size.x, size.y), in: rect)
    var layer = Layer(
      content: nil,
      geometry: LayerGeometry(
        frame: Rect(0, 0, size.x, size.y), anchorPoint: .zero, position: Envelope(constant: Point(place.tx, place.ty)),
        scale: Envelope(constant: Point(place.a, place.d))),
      style: LayerStyle(backgroundColor: layers.isEmpty ? Envelope(constant: Self.clear) : Envelope(), masksToBounds: true),
      sublayers: layers)
    if loops {
      layer.clock = LayerClock(offset: start, cycle: LayerClock.Cycle(duration: duration))
    } else if let lastFrame {
      layer.clock = LayerClock(offset: start, cycle: LayerClock.Cycle(duration: lastFrame, count: 1))
    } else {
      layer.clock = LayerClock(begin: DocumentLimits.latest, offset: start)
    }
    return layer
  }
}

extension Layer {
  /// The layer without the layers on it that show nothing; nil where nothing is left of it. A document may not have such layers, and nothing is seen
  /// through a mask that shows nothing.
  fileprivate var pruned: Layer? {
    var layer = self
    layer.sublayers = sublayers.compactMap(\.pruned)
    if let mask {
      guard let rest = mask.pruned else { return nil }
      layer.mask = rest
    }
    let isBare =
      content == nil && layer.sublayers.isEmpty && style.backgroundColor.keyframes.isEmpty && style.borderWidth.keyframes.isEmpty
      && style.backdropFilters.isEmpty
    return isBare ? nil : layer
  }
}

/// A Lottie file that is being read.
struct LottieFile {
  let root: LottieNode
  let rate: Rational
  let assets: [String: LottieNode]
  let images: [String: AssetID]
  let fonts: [String: [String]]
  let embedded: LottieImages
  /// The archive in which it stands.
  let archive: LottieArchive?
  let log = LottieLog()
  let clocks = LottieClocks()

  /// - Parameter bytes: the text of an animation, at most `LottieLimits.byteCount`.
  init(_ bytes: [UInt8], _ options: LottieOptions, in archive: LottieArchive?) throws(LottieFault) {
    let value: JSONValue
    do throws(JSONReader.SyntaxFault) { value = try JSONReader.read(bytes, depth: LottieLimits.depth) } catch {
      throw LottieFault(path: error.path.description, reason: "line \(error.line), column \(error.column): \(error.message)")
    }
    let told = self.log
    root = LottieNode(
      value: !LottieSlots.areUsed(in: bytes)
        ? value
        : LottieSlots(value).filled(value) { path, name in
          told.lose(path, "there is no slot '\(name.prefix(40))': the value is the one that the file has without it")
        }, path: .root)
    guard root.isObject, root["layers"] != nil else {
      throw LottieFault(path: "", reason: "is no Lottie file: it is no object with \"layers\"")
    }
    let number = try root.number("fr", or: 0)
    guard LottieLimits.frameRate.contains(number) else {
      throw LottieFault(
        path: "fr",
        reason:
          "\(JSONValue.text(number)) frames a second are not in \(LottieLimits.frameRate.lowerBound)...\(LottieLimits.frameRate.upperBound)"
      )
    }
    do throws(TimeError) { rate = try LottieClock.rate(number) } catch {
      throw LottieFault(path: "fr", reason: "\(error)")
    }
    var assets: [String: LottieNode] = [:]
    for asset in root["assets"]?.elements ?? [] { if let name = asset.text("id") { assets[name] = asset } }
    (self.assets, images, fonts) = (assets, options.images, options.fonts)
    self.archive = archive
    embedded = LottieImages(options.prefix, in: archive)
    for font in root["fonts"]?["list"]?.elements ?? [] {
      guard let name = font.text("fName"), fonts[name] == nil, archive?.holdsFont(font) == true else { continue }
      log.lose(font.path, "the font '\(name)' in the archive is not taken: unpack it and say \"fonts\"")
    }
  }
}
