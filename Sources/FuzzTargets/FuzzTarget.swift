/// What reads bytes that strangers send. Each target takes any bytes and ends the process when what must hold of the result
/// does not; that nothing traps on the way is most of the test.
///
/// `scripts/fuzz` lets libFuzzer choose the bytes, the tests a seeded mutation of `seeds`.
package enum FuzzTarget: String, CaseIterable, Sendable {
  /// A document: parsed, written, checked against facts, planned and looked at.
  case document
  /// Lines of the farm's protocol, handed to a coordinator's and a worker's decisions.
  case message
  /// Names that become paths in the store and beside the movie.
  case store
  /// A segment file whose facts are a genuine one's.
  case segment
  /// A media file, as probing meets it.
  case media

  package func take(_ bytes: [UInt8]) {
    switch self {
    case .document: takeDocument(bytes)
    case .message: takeMessages(bytes)
    case .store: takeNames(bytes)
    case .segment: SegmentFuzzing.shared.take(bytes)
    case .media: takeMedia(bytes)
    }
  }

  /// Bytes to start from, of the target's own making; documents and media come from files.
  package var seeds: [[UInt8]] {
    switch self {
    case .message: messageSeeds
    case .store: ["k3x9\n/srv/movies/a.mp4", "../k3\n/a/../b\n", "a\n/\u{0}"].map { Array($0.utf8) }
    case .segment: [SegmentFuzzing.shared.genuine]
    case .document, .media: []
    }
  }
}
