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
  /// The bits that the chunk is given; nil in a movie without a target.
  var budget: RateBudget?
  /// The start of the attempt, on the monotonic clock, in nanoseconds.
  var began = MonotonicClock.nanoseconds

  /// The result of rendering a chunk.
  typealias Rendered = (SegmentFacts, ContentDigest, frames: FrameRange, concealed: [Concealment], times: RenderingTimes)

  /// Writes the segment file at `path`. A chunk that does not keep within the bound of the movie's rate is made again, more
  /// coarsely, and one that misses the bits that it was given with another rate factor. The frames that count as rendered go on counting then.
  ///
  /// - Parameters:
  ///   - end: called on the calling thread with the index of the next frame, before every frame and once after the last. It gives
  ///     the index at which the chunk ends from then on. The end may come nearer, but never before or at the frame that is next,
  ///     and it never moves away.
  ///   - progress: called after every frame with the number of frames rendered so far, and how many of them were in vain, on the
  ///     same thread.
  /// - Returns: the facts of the file, the digest of the composited frames, the range of these frames, the damage that was
  ///   concealed in them, and where the time went.
  /// - Throws: the first error of either thread; no file is left then. A `Failure` where the rate is too low for the chunk.
  func render(to path: String, end: (Int) -> Int, progress: (_ done: Int, _ vain: Int) -> Void) throws -> Rendered {
    if let budget { return try render(to: path, within: budget, progress: progress) }
    var (vain, count) = (0, frames.count)
    for againCount in 0...RateCap.mostAgain {
      let (rendered, size) = try render(to: path, frameCount: count, againCount: againCount, end: end) {
        progress(vain + $0, vain)
      }
      if size.keepsCap { return rendered }
      count = rendered.frames.count
      vain += count
    }
    _ = unsafe unlink(path)
    throw Failure(
      .content, at: "frames \(frames.first)..<\(frames.first + count)",
      "cannot be encoded within export.video.maxBitRate and bufferSize: raise them, or make the picture smaller")
  }

  /// Encodes the chunk until it takes the bits that it is given. Its end does not move: its share is of all its frames.
  private func render(
    to path: String, within budget: RateBudget, progress: (_ done: Int, _ vain: Int) -> Void
  ) throws -> Rendered {
    var (search, pilot, vain) = (budget.search, budget.pilot, 0)
    while true {
      let (rendered, size) = try render(
        to: path, frameCount: frames.count, rateFactor: search.factor, pilot: pilot, end: { _ in frames.indices.upperBound },
        progress: { progress(vain + $0, vain) })
      let bits = 8 * Double(size.byteCount)
      let verdict =
        if let mean = size.meanFactor { search.judge(bits: bits, at: mean, keepsCap: size.keepsCap) } else {
          search.judge(bits: bits, keepsCap: size.keepsCap)
        }
      switch verdict {
      case .fits: return rendered
      case .again: (pilot, vain) = (nil, vain + frames.count)
      case .tooLarge:
        _ = unsafe unlink(path)
        throw Failure(.content, at: "frames \(frames.first)..<\(frames.indices.upperBound)", budget.refusal)
      }
    }
  }

  /// The size of what was encoded, and the factor at which it would be as large where it was changed from frame to frame.
  private typealias Size = (byteCount: Int, keepsCap: Bool, meanFactor: Double?)

  /// Encodes the chunk once.
  ///
  /// - Parameters:
  ///   - frameCount: the number of frames that are expected. There may be fewer.
  ///   - againCount: the number of times that it was encoded in vain.
  ///   - rateFactor: the rate factor in place of the settings'.
  ///   - pilot: changes it from frame to frame.
  private func render(
    to path: String, frameCount: Int, againCount: Int = 0, rateFactor: Double? = nil, pilot: RatePilot? = nil, end: (Int) -> Int,
    progress: (Int) -> Void
  ) throws -> (Rendered, Size) {
    let renderer = PictureRenderer(edit: edit, policy: policy, fonts: fonts, compositing: compositing)
    // The hasher is made before the thread starts. An error between the thread's start and its end would leave the thread
    // waiting.
    let hasher = try ContentHasher()
    let handover = Handover<PixelBuffer>(capacity: Self.framesInFlight)
    let encoding = encoding(
      handover, to: path, frameCount: frameCount, againCount: againCount, rateFactor: rateFactor, pilot: pilot)
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
        if let alpha = frame.alpha { hasher.update(try alpha.full.contentDigest()) }
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
    let (facts, size) = try encoded.get()
    return ((facts, hasher.digest, FrameRange(first: frames.first, count: next - frames.first), concealed, times), size)
  }

  /// Starts the thread that encodes the frames that are handed over.
  private func encoding(
    _ handover: Handover<PixelBuffer>, to path: String, frameCount: Int, againCount: Int, rateFactor: Double?, pilot: RatePilot?
  ) -> JoinableThread<Result<(SegmentFacts, Size), any Error>> {
    guard let composition = edit.videoComposition else { preconditionFailure("the edit has no picture") }
    let (settings, format, color, hdrMetadata) = (edit.timeline.export.video, edit.renderFormat, edit.color, edit.hdrMetadata)
    let parameterSetID = edit.timeline.export.copies?.parameterSetID
    let (keyInterval, first) = (edit.timeline.export.forcedKeyInterval(composition.frameDuration), frames.first)
    return JoinableThread {
      Result {
        defer { handover.abandon() }
        let encoder = try VideoEncoder(
          settings: settings, size: composition.outputSize, format: format, frameDuration: composition.frameDuration,
          frameCount: frameCount, againCount: againCount, rateFactor: rateFactor, forcedKeyInterval: keyInterval, first: first,
          parameterSetID: parameterSetID, color: color, hdrMetadata: hdrMetadata)
        let writer = try SegmentWriter(path: path, parameters: encoder.parameters)
        var pilot = pilot
        while let frame = handover.take() {
          try encoder.encode(frame, to: writer)
          try pilot?.steer(encoder)
        }
        try encoder.finish(to: writer)
        pilot?.follow(encoder)
        return (try writer.finish(), (encoder.packets.reduce(0) { $0 + $1.byteCount }, encoder.keepsRate, pilot?.meanFactor))
      }
    }
  }
}

extension RatePilot {
  /// Takes notice of the packets that have come, and changes the factor for the frames that follow.
  fileprivate mutating func steer(_ encoder: VideoEncoder) throws {
    let before = factor
    follow(encoder)
    if factor != before { try encoder.steer(to: factor) }
  }

  fileprivate mutating func follow(_ encoder: VideoEncoder) {
    for packet in encoder.packets[packetCount...] { took(8 * Double(packet.byteCount), by: packet.frame) }
  }
}
