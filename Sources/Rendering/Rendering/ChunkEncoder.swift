internal import Compositing
internal import Formats
internal import Linux
internal import Media
internal import MediaTime
internal import Scenes
internal import Timeline

/// Encodes the frames of a chunk into one segment file: the main picture, and each rendition of it as a track of its own
/// (docs/decisions/0203-a-ladder-is-rendered-once.md); behind them, the still pictures of the chunk. One owner, one thread.
struct ChunkEncoder {
  /// The conditions under which a chunk is encoded.
  struct Conditions {
    /// The number of the first frame in the movie.
    let first: Int
    /// The number of frames that are expected. There may be fewer.
    let frameCount: Int
    /// The number of times that the main picture and each rendition were encoded in vain.
    let againCounts: [Int]
    /// The rate factor of the main picture in place of the settings'.
    var rateFactor: Double?
    /// The measure of the main picture's quality; nil measures nothing.
    var measure: QualityTarget.Measure?
  }

  /// A track as it was encoded.
  struct Encoded: Sendable {
    let facts: SegmentFacts
    /// The digest of its frames before encoding. That of the main picture is empty: who made the frames has it.
    let content: ContentDigest
    let byteCount: Int
    let keepsCap: Bool
    /// The distortion of its frames; nil where that is not measured.
    let distortion: Double?
  }

  /// One owner, one thread.
  private final class Rendition {
    let scaler: FrameScaler
    let encoder: VideoEncoder
    private let hasher: ContentHasher
    private var digests = FrameDigests()

    init(_ scaler: FrameScaler, _ encoder: VideoEncoder) throws {
      (self.scaler, self.encoder) = (scaler, encoder)
      hasher = try ContentHasher()
    }

    /// The digest of the frames so far.
    var content: ContentDigest { hasher.digest }

    func encode(_ frame: PixelBuffer, to writer: SegmentWriter) throws {
      let scaled = try scaler.scaled(frame)
      hasher.update(try digests.digest(of: scaled))
      try encoder.encode(scaled, to: writer)
      encoder.takePackets()
    }
  }

  /// The encoder of the main picture.
  let main: VideoEncoder
  private let renditions: [Rendition]
  private let stills: StillEncoder?
  private let writer: SegmentWriter

  /// - Parameter path: the path of the segment file.
  /// - Precondition: the edit has a picture.
  init(_ edit: ResolvedTimeline, to path: String, _ conditions: Conditions) throws {
    guard let composition = edit.videoComposition else { preconditionFailure("the edit has no picture") }
    let export = edit.timeline.export
    func encoder(_ settings: VideoCodecSettings, _ size: PixelSize, at place: Int) throws(MediaError) -> VideoEncoder {
      try VideoEncoder(
        settings: settings, size: size, format: edit.renderFormat, frameDuration: composition.frameDuration,
        frameCount: conditions.frameCount, againCount: conditions.againCounts[place],
        rateFactor: place == 0 ? conditions.rateFactor : nil,
        forcedKeyInterval: export.forcedKeyInterval(composition.frameDuration),
        first: conditions.first, parameterSetID: export.copies?.parameterSetID, color: edit.color, hdrMetadata: edit.hdrMetadata,
        stream: place, measuring: place == 0 ? conditions.measure : nil)
    }
    main = try encoder(export.video, composition.outputSize, at: 0)
    renditions = try edit.renditions.enumerated().map { index, sized in
      try Rendition(
        FrameScaler(edit.renderFormat, edit.color, from: composition.outputSize, to: sized.size),
        encoder(sized.video, sized.size, at: index + 1))
    }
    stills = try StillEncoder(edit, stream: renditions.count + 1, first: conditions.first)
    writer = try SegmentWriter(
      path: path,
      tracks: [main.parameters] + renditions.map(\.encoder.parameters) + (stills?.encoders.map(\.parameters) ?? []))
  }

  func encode(_ frame: PixelBuffer) throws {
    try main.encode(frame, to: writer)
    for rendition in renditions { try rendition.encode(frame, to: writer) }
    try stills?.encode(frame, to: writer)
  }

  /// Completes the file.
  ///
  /// - Returns: the main picture, then the renditions, then the stills.
  func finish() throws -> [Encoded] {
    let encoders = [main] + renditions.map(\.encoder) + (stills?.encoders ?? [])
    for encoder in encoders { try encoder.finish(to: writer) }
    let contents = try [ContentHasher().digest] + renditions.map(\.content) + (stills?.contents ?? [])
    return zip(zip(try writer.finishAll(), contents), encoders).map { made, encoder in
      Encoded(
        facts: made.0, content: made.1, byteCount: encoder.byteCount, keepsCap: encoder.keepsRate, distortion: encoder.distortion)
    }
  }
}
