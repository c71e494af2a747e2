internal import Compositing
internal import Formats
internal import Media
internal import Messages
internal import Scenes
internal import Timeline

/// Encodes the still pictures of a chunk's frames, without loss, as further tracks of its segment file
/// (docs/decisions/0255-stills-are-made-of-composited-frames.md). One owner, one thread.
final class StillEncoder {
  /// One owner, one thread.
  private final class Track {
    let plan: StillPlan.Track
    let scaler: StillScaler
    let encoder: VideoEncoder
    private let hasher: ContentHasher

    init(_ plan: StillPlan.Track, _ scaler: StillScaler, _ encoder: VideoEncoder) throws {
      (self.plan, self.scaler, self.encoder) = (plan, scaler, encoder)
      hasher = try ContentHasher()
    }

    /// The digest of its pictures so far.
    var content: ContentDigest { hasher.digest }

    func encode(_ frame: PixelBuffer, to writer: SegmentWriter) throws {
      let still = try scaler.still(frame)
      hasher.update(try still.contentDigest())
      try encoder.encode(still, to: writer)
    }
  }

  private let tracks: [Track]
  /// The number of the frame that comes next.
  private var next: Int

  /// - Parameters:
  ///   - stream: the place of its first track in the file.
  ///   - first: the number of the chunk's first frame.
  /// - Returns: nil for an edit without stills.
  init?(_ edit: ResolvedTimeline, stream: Int, first: Int) throws {
    guard let plan = try edit.stills, let frameDuration = edit.videoComposition?.frameDuration else { return nil }
    next = first
    tracks = try plan.tracks.enumerated().map { index, track in
      let color = StillScaler.color(of: edit.color)
      return try Track(
        track, edit.stillScaler(to: track.size),
        VideoEncoder(
          settings: StoredStills.video, size: track.size, format: StillScaler.format, frameDuration: frameDuration, color: color,
          stream: stream + index))
    }
  }

  var encoders: [VideoEncoder] { tracks.map(\.encoder) }
  /// The digest of each track's pictures so far.
  var contents: [ContentDigest] { tracks.map(\.content) }

  /// The tracks as a chunk's proof has them. Call it when they are complete.
  var proofs: [FurtherPicture] {
    tracks.map {
      FurtherPicture(
        parameterSetDigest: $0.encoder.parameters.parameterSetDigest, contentDigest: $0.content.description)
    }
  }

  /// The numbers of a chunk's frames of which there is a still, ascending.
  func numbers(in frames: Range<Int>) -> [Int] { Set(tracks.flatMap { $0.plan.frames[$0.plan.places(in: frames)] }).sorted() }

  /// Takes the next frame of the chunk.
  func encode(_ frame: PixelBuffer, to writer: SegmentWriter) throws {
    try encode(frame, number: next, to: writer)
    next += 1
  }

  /// Takes a frame, by its number in the movie. Frames come in order.
  func encode(_ frame: PixelBuffer, number: Int, to writer: SegmentWriter) throws {
    for track in tracks where !track.plan.places(in: number..<number + 1).isEmpty {
      try track.encode(frame, to: writer)
    }
  }

  func finish(to writer: SegmentWriter) throws { for track in tracks { try track.encoder.finish(to: writer) } }
}

extension ResolvedTimeline {
  /// Makes stills of the movie's frames.
  ///
  /// - Precondition: the edit has a picture.
  func stillScaler(to size: PixelSize) -> StillScaler {
    guard let composition = videoComposition else { preconditionFailure("the edit has a picture") }
    return StillScaler(renderFormat, color, from: composition.outputSize, to: size, toneMap: composition.toneMap)
  }
}
