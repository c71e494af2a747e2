internal import AVFoundation
internal import ImageIO

/// The making of a document from an edit.
struct EditTranslation {
  let composition: AVComposition
  var members: [String: DocumentValue] = ["spool": .number(1)]
  /// The tracks that play something, by their ids.
  var tracks: [CMPersistentTrackID: SourceTrack] = [:]
  /// The media by their names in the document, and their names.
  private var media: [(name: String, url: URL)] = []
  var pictures: [(name: String, image: CGImage)] = []

  /// The families that stand for fonts which the farm lacks, by these fonts' names.
  let fontSubstitutes: [String: String]

  init(_ composition: AVComposition, fontSubstitutes: [String: String]) {
    (self.composition, self.fontSubstitutes) = (composition, fontSubstitutes)
  }

  /// The name of a medium in the document.
  mutating func name(of url: URL) -> String {
    if let known = media.first(where: { $0.url == url }) { return known.name }
    let name = "media\(media.count + 1)"
    media.append((name, url))
    return name
  }

  /// The name of a layer's picture in the document.
  mutating func name(of image: CGImage) -> String {
    if let known = pictures.first(where: { $0.image === image }) { return known.name }
    let name = "picture\(pictures.count + 1)"
    pictures.append((name, image))
    return name
  }

  mutating func add(_ export: SpoolExport) throws {
    var members: [String: DocumentValue] = ["preset": .text(Self.preset(export.preset))]
    if let fileType = export.fileType { members["fileType"] = .text(fileType) }
    if let range = export.timeRange, range.start != .zero || range.duration != .positiveInfinity {
      let end = range.duration == .positiveInfinity ? composition.duration : range.end
      let seen = CMTimeRange(start: range.start, end: end)
      members["timeRange"] = try Self.range(seen, "export.timeRange")
    }
    self.members["export"] = .object(members)
  }

  /// The document's name of one of AVFoundation's presets.
  private static func preset(_ name: String) -> String {
    switch name {
    case AVAssetExportPresetLowQuality: "low"
    case AVAssetExportPresetMediumQuality: "medium"
    case AVAssetExportPresetHighestQuality: "highest"
    default: name.hasPrefix("AVAssetExportPreset") ? String(name.dropFirst("AVAssetExportPreset".count)) : name
    }
  }

  /// The finished document. Each medium is placed.
  func document(placing place: (SpoolMedium) async throws -> SpoolPlace) async throws -> Data {
    var assets: [String: DocumentValue] = [:]
    func put(_ medium: SpoolMedium, _ name: String) async throws {
      switch try await place(medium) {
      case .path(let path): assets[name] = .object(["path": .text(path)])
      case .url(let url): assets[name] = .object(["url": .text(url)])
      }
    }
    for (name, url) in media {
      if url.isFileURL {
        try await put(.file(url), name)
      } else {
        assets[name] = .object(["url": .text(url.absoluteString)])
      }
    }
    for (name, image) in pictures { try await put(.picture(name: name, png: try Self.png(image, name)), name) }
    var members = members
    members["assets"] = .object(assets)
    return Data(DocumentValue.object(members).json.utf8)
  }

  private static func png(_ image: CGImage, _ name: String) throws(SpoolClientError) -> Data {
    let data = NSMutableData()
    guard let target = CGImageDestinationCreateWithData(data as CFMutableData, "public.png" as CFString, 1, nil) else {
      throw SpoolClientError(property: name, reason: "a PNG cannot be made here")
    }
    CGImageDestinationAddImage(target, image, nil)
    guard CGImageDestinationFinalize(target) else {
      throw SpoolClientError(property: name, reason: "the picture cannot be written as PNG")
    }
    return data as Data
  }

  // MARK: - Times

  /// The time as documents have it: an exact fraction of a second.
  static func time(_ time: CMTime, _ property: String) throws(SpoolClientError) -> DocumentValue {
    guard time.isNumeric, time.timescale > 0 else {
      throw SpoolClientError(property: property, reason: "is no time")
    }
    return .text(time.timescale == 1 ? "\(time.value)" : "\(time.value)/\(time.timescale)")
  }

  /// The time of so many seconds: the simplest fraction that is no more than a microsecond away. So 5.0 / 30 is five frames of thirty.
  static func time(seconds: Double, _ property: String) throws(SpoolClientError) -> CMTime {
    guard abs(seconds) > 1e-6 else { return .zero }
    guard seconds.isFinite, abs(seconds) < 360_000 else {
      throw SpoolClientError(property: property, reason: "\(seconds) s is no time below 100 hours")
    }
    var rest = abs(seconds)
    var (top, bottom) = ((before: Int64(0), last: Int64(1)), (before: Int64(1), last: Int64(0)))
    // The convergents of the number's continued fraction: each term makes the next one from the two before it.
    for _ in 0..<32 {
      let term = Int64(rest.rounded(.down))
      top = (top.last, term * top.last + top.before)
      bottom = (bottom.last, term * bottom.last + bottom.before)
      if abs(Double(top.last) / Double(bottom.last) - abs(seconds)) <= 1e-6 || bottom.last > 10_000_000 { break }
      rest = 1 / (rest - rest.rounded(.down))
    }
    guard let timescale = Int32(exactly: bottom.last) else {
      throw SpoolClientError(property: property, reason: "\(seconds) s is no time")
    }
    return CMTime(value: seconds < 0 ? -top.last : top.last, timescale: timescale)
  }

  static func range(_ range: CMTimeRange, _ property: String) throws(SpoolClientError) -> DocumentValue {
    .object([
      "start": try time(range.start, "\(property).start"), "duration": try time(range.duration, "\(property).duration"),
    ])
  }

  // MARK: - Colours

  /// The colour in sRGB.
  static func color(_ color: CGColor, _ property: String) throws(SpoolClientError) -> DocumentValue {
    guard let space = CGColorSpace(name: CGColorSpace.sRGB),
      let seen = color.converted(to: space, intent: .defaultIntent, options: nil), let parts = seen.components, parts.count == 4
    else { throw SpoolClientError(property: property, reason: "is no colour that sRGB has") }
    return .numbers(parts.map { min(max($0, 0), 1) })
  }
}
