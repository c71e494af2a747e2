package import Media
package import Messages
package import Rendering
package import Timeline

/// A line that a process that reads media writes to its standard output, as JSON. Whoever reads it believes nothing of it but what was
/// asked for.
package enum ExaminationReport: Sendable, Codable {
  /// The asset is being read from now on.
  case begun(asset: String)
  case found(asset: String, AssetFacts)
  case refused(asset: String, Refusal)
  /// A frame and the MD5 of its samples, in hexadecimal.
  case frame(index: Int, md5: String)
  /// The picture is in the file: its planes G, B, R, row by row without gaps.
  case pictured(width: Int, height: Int, bitDepth: Int)
  /// A sign of life.
  case compared(MovieVerification.Progress)
  case verified(MovieVerification)
  /// A source, or the movie, cannot be read: the end.
  case unreadable(Refusal)
  /// The end.
  case failed(Failure)

  /// A `MediaError` on its way.
  package struct Refusal: Hashable, Sendable, Codable {
    package var kind: MediaError.Kind
    package var place: String
    package var reason: String

    init(_ error: MediaError) {
      (kind, place) = (error.kind, error.place)
      reason = error.words
    }

    /// As it may be shown.
    package var error: MediaError { MediaError(kind, at: place.shown(), reason.shown()) }
  }
}

extension String {
  /// Bytes of a text of another process that are shown.
  private static let longestShown = 4096

  /// On one line, without what would move a terminal's cursor, and of bounded length: its end.
  package func shown() -> String {
    let lines = split { $0.isNewline }.map { line in
      String(String.UnicodeScalarView(line.unicodeScalars.map { $0.properties.generalCategory == .control ? "\u{fffd}" : $0 }))
    }
    return String(decoding: lines.joined(separator: "; ").utf8.suffix(Self.longestShown), as: UTF8.self)
  }
}
