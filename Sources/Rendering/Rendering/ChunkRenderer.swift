internal import Formats
internal import Glibc
internal import Linux
internal import Media
internal import MediaTime
internal import Messages
internal import Scenes
internal import Timeline

/// Renders and encodes one chunk. The renderer runs on the calling thread and the encoder on a thread of its own. At most three
/// frames wait between them.
struct ChunkRenderer {
  /// The most frames that wait for the encoder. They keep both threads busy while one frame takes long. Three frames of 1080p
  /// 4:2:0 in 8 bits are 9 MB.
  private static let framesInFlight = 3

  let edit: ResolvedTimeline
  let frames: FrameRange
  let policy: SourcePolicy
  /// The font faces for texts; nil means the installed fonts, by their names.
  let fonts: [FontFace]?
  let compositing: CustomCompositing
  /// The start of the attempt, on the monotonic clock, in nanoseconds.
  var began = MonotonicClock.nanoseconds

  /// Writes the segment file at `path`.
  ///
  /// - Parameters:
  ///   - end: called on the calling thread with the index of the next frame, before every frame and once after the last. It gives
  ///     the index at which the chunk ends from then on. The end may come nearer, but never before or at the frame that is next,
  ///     and it never moves away.
  ///   - progress: called after every frame with the number of frames rendered so far, on the same thread.
  /// - Returns: the facts of the file, the digest of the composited frames, the range of these frames, the damage that was
  ///   concealed in them, and where the time went.
  /// - Throws: the first error of either thread; no file is left then.
  func render(
    to path: String, end: (Int) -> Int, progress: (Int) -> Void
  ) throws -> (SegmentFacts, ContentDigest, frames: FrameRange, concealed: [Concealment], times: RenderingTimes) {
    guard let composition = edit.videoComposition else { preconditionFailure("the edit has no picture") }
    let renderer = PictureRenderer(edit: edit, policy: policy, fonts: fonts, compositing: compositing)
    // The hasher is made before the thread starts. An error between the thread's start and its end would leave the thread
    // waiting.
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
    let opened = MonotonicClock.nanoseconds
    var (framing, waiting): (Int64, Int64) = (0, 0)
    let rendering = Result {
      defer { handover.close() }
      while next < end(next) {
        let started = MonotonicClock.nanoseconds
        let frame = try renderer.frame(next)
        hasher.update(try frame.contentDigest())
        let made = MonotonicClock.nanoseconds
        framing += made - started
        concealed = .sum(concealed + renderer.standIns.map { Concealment(asset: $0.rawValue, inFrame: next) })
        guard handover.put(frame) else { return }
        waiting += MonotonicClock.nanoseconds - made
        next += 1
        progress(next - frames.first)
      }
    }
    let rendered = MonotonicClock.nanoseconds
    let encoded = encoding.join()
    do {
      try rendering.get()
    } catch {
      _ = unsafe unlink(path)  // The encoder finished a segment of too few frames.
      throw error
    }
    let reading = renderer.readingNanoseconds
    let times = RenderingTimes(
      opening: (opened - began) / 1_000_000, reading: reading / 1_000_000, compositing: (framing - reading) / 1_000_000,
      encoding: (waiting + MonotonicClock.nanoseconds - rendered) / 1_000_000)
    return (
      try encoded.get(), hasher.digest, FrameRange(first: frames.first, count: next - frames.first), concealed, times
    )
  }
}
