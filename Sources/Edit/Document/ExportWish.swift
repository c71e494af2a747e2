package import Formats
internal import JSON
package import MediaTime
package import Timeline

/// The export settings that somebody asks for beside a document, on a command line for example.
package struct ExportWish: Hashable, Sendable, Codable {
  /// Replaces the document's `export.preset`; nil leaves it.
  package var preset: ExportPreset?
  /// Replaces `export.timeRange`; nil leaves it.
  package var timeRange: MediaTimeRange?
  /// Replaces `export.maximumSize`; nil leaves it.
  package var maximumSize: PixelSize?
  /// Replaces `export.renderScale`, which is within `DocumentLimits.renderScale`; nil leaves it.
  package var renderScale: Double?
  /// Replaces `export.video.quality`, and what else the document's video settings say of quality or size; nil leaves them.
  package var quality: QualityTarget?

  package init() {}

  /// The members of `export` that the wish replaces.
  var members: [JSONValue.Member] {
    let range = timeRange.map { range in
      JSONValue.object(["start": .string("\(range.start)"), "duration": .string("\(range.duration)")])
    }
    let size = maximumSize.map { JSONValue.array([.integer($0.width), .integer($0.height)]) }
    let values = [
      ("preset", preset.map { .string($0.rawValue) }), ("timeRange", range), ("maximumSize", size),
      ("renderScale", renderScale.map(JSONValue.double)),
    ]
    return values.compactMap { key, value in value.map { JSONValue.Member(key: key, value: $0) } }
  }
}
