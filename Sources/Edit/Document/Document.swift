package import Captions
package import Formats
internal import JSON
package import Lottie
package import Scenes
package import Timeline

/// A document that was read without knowing its assets. It is a value. Ranges that it leaves open are closed once the assets were
/// probed.
package struct Document: Sendable {
  /// The assets that can be read, by their names. Relative paths count from the document's folder, until whoever knows that
  /// folder replaces them by absolute ones.
  package var assets: [AssetID: Asset]
  /// The assets that are fonts.
  package let fonts: Set<AssetID>
  /// The faults that the document has whatever its assets are; nil when it has none.
  package let faults: DocumentFaults?
  /// The export settings, with usual ones in place of faulty ones.
  package let export: ExportSettings
  /// Whether the edit has a picture, as far as the document says.
  package let hasPicture: Bool
  /// The caption files that it names. Relative paths count from the document's folder.
  package var captionFiles: [CaptionFileName]
  /// The cues of the caption files, by the places of their captions, once they were read.
  package var captionCues: [String: [CaptionCue]] = [:]
  /// The scripts of those caption files that libass draws, by the same places.
  package var captionScripts: [String: CaptionScript] = [:]
  /// The Lottie files that it names. Relative paths count from the document's folder.
  package var lottieFiles: [LottieFileName]
  /// The animations of the Lottie files, by the places of their layers, once they were read.
  package var animations: [String: LottieAnimation] = [:]
  private let json: JSONValue

  /// Reads a document of version 1 (docs/document.md).
  ///
  /// - Throws: the reason for which the text cannot be read at all; for a text that is no JSON, with line and column.
  package init(_ text: [UInt8]) throws(DocumentFaults) {
    json = try Self.json(text)
    let reading = Self.reading(json, facts: [:])
    // A faulty asset has an empty path, and no other asset has one.
    assets = reading.timeline.assets.filter { !$0.value.path.isEmpty }
    fonts = Set(reading.timeline.treatments.filter { $0.value.font != nil }.keys)
    (faults, export, hasPicture) = (reading.faults, reading.timeline.export, reading.hasPicture)
    (captionFiles, lottieFiles) = (reading.captionFiles, reading.lottieFiles)
  }

  /// The document with export settings that its reader asks for.
  ///
  /// - Parameters:
  ///   - wish: replaces settings of the document.
  ///   - fileType: is used where the document states no `export.fileType`, and the rest of its export goes into such a file.
  ///   - names: the pattern of the names of a sequence of pictures. It replaces the document's own.
  package func wishing(_ wish: ExportWish = ExportWish(), fileType: FileType?, names: String? = nil) -> Document {
    var wished = self
    for member in wish.members { wished = wished.with(member.key, member.value, replaces: true) }
    if let quality = wish.quality { wished = wished.reaching(quality) }
    if let fileType {
      let typed = wished.with("fileType", .string(fileType.rawValue), replaces: false)
      if typed.faults == nil || wished.faults != nil { wished = typed }
    }
    if let names, wished.export.fileType.isSequence { wished = wished.naming(names) }
    return wished
  }

  /// The document with a pattern of the names of its pictures. The number of the first stays.
  private func naming(_ pattern: String) -> Document {
    var members: [JSONValue.Member] = []
    if case .object(let document) = json, case .object(let export)? = document.first(where: { $0.key == "export" })?.value,
      case .object(let own)? = export.first(where: { $0.key == "sequence" })?.value
    {
      members = own.filter { $0.key != "names" }
    }
    return with("sequence", .object(members + [JSONValue.Member(key: "names", value: .string(pattern))]), replaces: true)
  }

  /// The document whose picture reaches a quality. What it states in place of one is left out.
  private func reaching(_ quality: QualityTarget) -> Document {
    var members: [JSONValue.Member] = []
    if case .object(let document) = json, case .object(let export)? = document.first(where: { $0.key == "export" })?.value,
      let video = export.first(where: { $0.key == "video" })?.value
    {
      // Settings that are no object are a fault, which is told without the wish.
      guard case .object(let own) = video else { return self }
      members = own.filter { !CodecKey.exclusive.contains($0.key) }
    }
    let value = JSONValue.object([quality.measure.rawValue: .double(quality.value)])
    return with("video", .object(members + [JSONValue.Member(key: QualityTarget.key, value: value)]), replaces: true)
  }

  /// The document with a member of `export`.
  ///
  /// - Parameter replaces: whether it replaces a member that is there.
  private func with(_ key: String, _ value: JSONValue, replaces: Bool) -> Document {
    guard case .object(var members) = json else { return self }
    let place = members.firstIndex { $0.key == "export" }
    // An export that is no object is a fault, which is told without the wish.
    guard case .object(var own) = place.map({ members[$0].value }) ?? .object([]) else { return self }
    if let index = own.firstIndex(where: { $0.key == key }) {
      guard replaces else { return self }
      own[index] = JSONValue.Member(key: key, value: value)
    } else {
      own.append(JSONValue.Member(key: key, value: value))
    }
    let export = JSONValue.Member(key: "export", value: .object(own))
    if let place { members[place] = export } else { members.append(export) }
    return Document(.object(members), like: self)
  }

  /// The text of the document: JSON in its canonical form.
  package var text: [UInt8] { json.canonicalBytes() }

  /// Makes the document of another text, with the files of a document that was read before.
  private init(_ json: JSONValue, like other: Document) {
    let reading = Self.reading(
      json, facts: [:], cues: other.captionCues, scripts: other.captionScripts, animations: other.animations)
    (self.json, assets, fonts) = (json, other.assets, other.fonts)
    (captionFiles, captionCues, captionScripts) = (other.captionFiles, other.captionCues, other.captionScripts)
    (lottieFiles, animations) = (other.lottieFiles, other.animations)
    (faults, export, hasPicture) = (reading.faults, reading.timeline.export, reading.hasPicture)
  }

  /// The edit of a document whose meaning does not depend on its assets.
  static func edit(_ text: [UInt8]) throws(DocumentFaults) -> Timeline { try reading(json(text), facts: [:]).edit() }

  private static func json(_ text: [UInt8]) throws(DocumentFaults) -> JSONValue {
    guard text.count <= DocumentLimits.byteCount else {
      throw DocumentFaults("the document is larger than \(DocumentLimits.byteCount >> 20) MiB", .syntax)
    }
    let json: JSONValue
    do {
      json = try JSONReader.read(text)
    } catch {
      throw DocumentFaults("line \(error.line), column \(error.column): \(error.message)", at: error.path, .syntax)
    }
    guard case .object = json else { throw DocumentFaults("expected an object, found \(json.kind)", .syntax) }
    return json
  }

  private static func reading(
    _ json: JSONValue, facts: [AssetID: AssetFacts], cues: [String: [CaptionCue]] = [:],
    scripts: [String: CaptionScript] = [:], animations: [String: LottieAnimation] = [:]
  ) -> DocumentReading {
    var reader = DocumentReader(knowing: facts, cues, scripts, animations)
    return reader.read(json)
  }

  /// Reads the document again, with what is known of its assets.
  ///
  /// - Parameter facts: the facts of those assets that could be probed.
  package func reading(with facts: [AssetID: AssetFacts]) -> DocumentReading {
    var reading = Self.reading(json, facts: facts, cues: captionCues, scripts: captionScripts, animations: animations)
    reading.timeline.assets = assets
    for image in reading.lottieImages { reading.timeline.assets[image.asset] = .embedded(image.data) }
    return reading
  }

  /// The edit, checked against its assets, with every default filled in.
  ///
  /// - Parameter facts: the facts of all its assets.
  /// - Throws: every fault, with its path in the document.
  package func resolved(with facts: [AssetID: AssetFacts]) throws(DocumentFaults) -> ResolvedTimeline {
    try reading(with: facts).edit().resolved(with: facts)
  }
}

/// The result of reading a document with some knowledge of its assets.
package struct DocumentReading: Sendable {
  /// The edit. Parts that are faulty, or not known yet, are missing or have usual values.
  package fileprivate(set) var timeline: Timeline
  /// Every fault; nil when there is none.
  package let faults: DocumentFaults?
  /// Whether the edit has a picture, as far as the document says.
  package let hasPicture: Bool
  /// The first place whose meaning depends on an asset that is not known yet; nil when there is none.
  private let unjudged: JSONPath?

  /// The caption files that the document names.
  fileprivate let captionFiles: [CaptionFileName]
  /// The Lottie files that the document names.
  fileprivate let lottieFiles: [LottieFileName]
  /// The images in those Lottie files that were read.
  package let lottieImages: [LottieImage]

  init(
    _ log: FaultLog, _ timeline: Timeline, hasPicture: Bool = false, captionFiles: [CaptionFileName] = [],
    lottieFiles: [LottieFileName] = [], lottieImages: [LottieImage] = []
  ) {
    (self.timeline, self.hasPicture, self.captionFiles) = (timeline, hasPicture, captionFiles)
    (self.lottieFiles, self.lottieImages) = (lottieFiles, lottieImages)
    (faults, unjudged) = (log.noted, log.unjudged)
  }

  /// The whole edit.
  ///
  /// - Throws: every fault; without one, the place that depends on an asset that is not known.
  package func edit() throws(DocumentFaults) -> Timeline {
    if let faults { throw faults }
    if let unjudged { throw DocumentFaults("depends on an asset that was not probed", at: unjudged, .media) }
    return timeline
  }
}
