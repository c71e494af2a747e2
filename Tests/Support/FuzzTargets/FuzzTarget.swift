/// The parts of the program that read bytes from strangers. Each target takes any bytes. It ends the process when the result
/// breaks a rule that must hold. The most important test is that nothing traps.
///
/// `scripts/fuzz` lets libFuzzer choose the bytes. The tests use seeded mutations of `seeds`.
package enum FuzzTarget: String, CaseIterable, Sendable {
  /// A document is parsed, written, checked against facts, planned, and some of its frames are looked at.
  case document
  /// Lines of the farm's protocol are handed to the decisions of a coordinator and a worker.
  case message
  /// Names become paths in the store and beside the movie.
  case store
  /// Bytes are muxed as a segment file with the facts of a genuine one.
  case segment
  /// A media file is probed.
  case media
  /// A caption file is read, in each format.
  case captions
  /// A SubStation script is read, and libass draws some of its frames.
  case script
  /// A Lottie file is read, and a document shows it.
  case lottie
  /// A font file of a document is probed.
  case font

  package func take(_ bytes: [UInt8]) {
    switch self {
    case .document: takeDocument(bytes)
    case .message: takeMessages(bytes)
    case .store: takeNames(bytes)
    case .segment: SegmentFuzzing.shared.take(bytes)
    case .media: takeMedia(bytes)
    case .captions: takeCaptions(bytes)
    case .script: takeScript(bytes)
    case .lottie: takeLottie(bytes)
    case .font: takeFont(bytes)
    }
  }

  /// The inputs to start from, which the target makes itself. Documents and media come from files instead.
  package var seeds: [[UInt8]] {
    switch self {
    case .message: messageSeeds
    case .store: ["k3x9\n/srv/movies/a.mp4", "../k3\n/a/../b\n", "a\n/\u{0}"].map { Array($0.utf8) }
    case .segment: [SegmentFuzzing.shared.genuine]
    case .captions: captionSeeds
    case .script: scriptSeeds
    case .font: fontSeeds
    case .lottie: lottieSeeds
    case .document, .media: []
    }
  }
}
