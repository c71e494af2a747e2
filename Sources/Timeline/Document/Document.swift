/// A document that was read without knowing what its assets are: a value, whose open ranges are closed once they were probed.
package struct Document: Sendable {
  /// Those that can be read, by their names. Relative paths count from the document's folder, until whoever knows it writes absolute ones.
  package var assets: [AssetID: Asset]
  /// What is wrong with it, whatever its assets are; nil when nothing is.
  package let faults: DocumentFaults?
  /// What file the edit becomes; the usual one in place of what is faulty.
  package let export: ExportSettings
  /// Whether the edit has a picture, as far as the document says.
  package let hasPicture: Bool
  private let json: JSONValue

  /// Reads a document of version 1 (docs/document.md).
  ///
  /// - Throws: why the text cannot be read at all; for one that is not JSON with line and column.
  package init(_ text: [UInt8]) throws(DocumentFaults) {
    json = try Self.json(text)
    let reading = Self.reading(json, [:])
    // One that is faulty has no path, which no other is without.
    assets = reading.timeline.assets.filter { !$0.value.path.isEmpty }
    (faults, export, hasPicture) = (reading.faults, reading.timeline.export, reading.hasPicture)
  }

  /// The edit of a document that says all by itself.
  static func edit(_ text: [UInt8]) throws(DocumentFaults) -> Timeline { try reading(json(text), [:]).edit() }

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

  private static func reading(_ json: JSONValue, _ facts: [AssetID: AssetFacts]) -> DocumentReading {
    var reader = DocumentReader(knowing: facts)
    return reader.read(json)
  }

  /// Reads it again with what is known of its assets.
  ///
  /// - Parameter facts: of those that could be probed.
  package func reading(with facts: [AssetID: AssetFacts]) -> DocumentReading {
    var reading = Self.reading(json, facts)
    reading.timeline.assets = assets
    return reading
  }

  /// The edit, checked against its assets, with every default filled in.
  ///
  /// - Parameter facts: of all of its assets.
  /// - Throws: every fault, with its path in the document.
  package func resolved(with facts: [AssetID: AssetFacts]) throws(DocumentFaults) -> ResolvedTimeline {
    try reading(with: facts).edit().resolved(with: facts)
  }
}

/// What came of reading a document with some knowledge of its assets.
package struct DocumentReading: Sendable {
  /// The edit; in place of what is faulty, or not known yet, there is nothing, or what is usual.
  package fileprivate(set) var timeline: Timeline
  /// Every fault; nil when there is none.
  package let faults: DocumentFaults?
  /// Whether the edit has a picture, as far as the document says.
  package let hasPicture: Bool
  /// A place whose meaning depends on an asset that is not known yet.
  private let unjudged: DocumentPath?

  init(_ log: FaultLog, _ timeline: Timeline, hasPicture: Bool = false) {
    (self.timeline, self.hasPicture) = (timeline, hasPicture)
    (faults, unjudged) = (log.noted, log.unjudged)
  }

  /// The whole edit.
  ///
  /// - Throws: every fault, else where the edit depends on an asset that is not known.
  package func edit() throws(DocumentFaults) -> Timeline {
    if let faults { throw faults }
    if let unjudged { throw DocumentFaults("depends on an asset that was not probed", at: unjudged, .media) }
    return timeline
  }
}
