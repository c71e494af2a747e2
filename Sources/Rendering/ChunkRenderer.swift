internal import Glibc
internal import Media
internal import Messages
internal import MediaTime
internal import Timeline

/// Renders and encodes one chunk: the renderer on the calling thread, the encoder on one of its own, at most three frames
/// between them.
struct ChunkRenderer {
  /// Enough to keep both threads busy over a slow frame; at 1080p 4:2:0 three frames are 9 MB.
  private static let framesInFlight = 3

  let edit: ResolvedTimeline
  let frames: FrameRange
  let policy: SourcePolicy
  /// Nil: those that are installed, by their names.
  let fonts: [FontFace]?
  let compositing: CustomCompositing

  /// Writes the segment file at `path`.
  ///
  /// - Parameters:
  ///   - end: called on the calling thread before every frame with its number: where the chunk ends from then on, a frame after that
  ///     one. It may come nearer, and never moves away.
  ///   - progress: called there after every frame with the frames rendered so far.
  /// - Returns: what the file holds, the digest of the composited frames, which they are, and what was damaged in them.
  /// - Throws: the first error of either side; no file is left then.
  func render(
    to path: String, end: (Int) -> Int, progress: (Int) -> Void
  ) throws -> (SegmentFacts, ContentDigest, frames: FrameRange, concealed: [Concealment]) {
    guard let composition = edit.videoComposition else { preconditionFailure("the edit has no picture") }
    let renderer = PictureRenderer(edit: edit, policy: policy, fonts: fonts, compositing: compositing)
    // Before the thread: whatever throws between its start and its end leaves it waiting.
    let hasher = try ContentHasher()
    let handover = Handover<PixelBuffer>(capacity: Self.framesInFlight)
    let (settings, format, color, hdrMetadata) = (edit.timeline.export.video, edit.renderFormat, edit.color, edit.hdrMetadata)
    let encoding = JoinableThread<Result<SegmentFacts, any Error>> {
      Result {
        defer { handover.abandon() }
        let encoder = try VideoEncoder(
          settings: settings, size: composition.outputSize, format: format, frameDuration: composition.frameDuration,
          color: color, hdrMetadata: hdrMetadata)
        let writer = try SegmentWriter(path: path, parameters: encoder.parameters)
        while let frame = handover.take() { try encoder.encode(frame, to: writer) }
        try encoder.finish(to: writer)
        return try writer.finish()
      }
    }
    var next = frames.first
    var concealed: [Concealment] = []
    let rendering = Result {
      defer { handover.close() }
      while next < end(next) {
        let frame = try renderer.frame(next)
        hasher.update(try frame.contentDigest())
        concealed = .sum(concealed + renderer.standIns.map { Concealment(asset: $0.rawValue, inFrame: next) })
        guard handover.put(frame) else { return }
        next += 1
        progress(next - frames.first)
      }
    }
    let encoded = encoding.join()
    do {
      try rendering.get()
    } catch {
      _ = unsafe unlink(path)  // The encoder closed a segment of too few frames.
      throw error
    }
    return (
      try encoded.get(), hasher.digest, FrameRange(first: frames.first, count: next - frames.first),
      concealed
    )
  }
}
