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
  typealias Rendered = (
    SegmentFacts, ContentDigest, renditions: [FurtherPicture], frames: FrameRange, concealed: [Concealment],
    times: RenderingTimes, quality: ReachedQuality?
  )

  /// Writes the segment file at `path`. A chunk that does not keep within the bound of the movie's rate is made again, more
  /// coarsely, and one that misses the bits that it was given, or whose best setting for a quality is looked for, with another rate factor. The
  /// frames that count as rendered go on counting then.
  ///
  /// - Parameters:
  ///   - end: called on the calling thread with the index of the next frame, before every frame and once after the last. It gives
  ///     the index at which the chunk ends from then on. The end may come nearer, but never before or at the frame that is next,
  ///     and it never moves away.
  ///   - progress: called after every frame with the number of frames rendered so far, and how many of them were in vain, on the
  ///     same thread.
  /// - Returns: the facts of the file, the digest of the composited frames, the same of the renditions, the range of these frames, the damage that was
  ///   concealed in them, where the time went, and the quality that was asked for and reached.
  /// - Throws: the first error of either thread; no file is left then. A `Failure` where the rate is too low for the chunk.
  func render(to path: String, end: (Int) -> Int, progress: (_ done: Int, _ vain: Int) -> Void) throws -> Rendered {
    if let budget { return try render(to: path, within: budget, progress: progress) }
    if let target = edit.timeline.export.video.coding.coder.qualityTarget {
      return try render(to: path, reaching: target, progress: progress)
    }
    var (vain, count, againCounts) = (0, frames.count, Array(repeating: 0, count: 1 + edit.renditions.count))
    while true {
      let conditions = ChunkEncoder.Conditions(first: frames.first, frameCount: count, againCounts: againCounts)
      let (rendered, sizes) = try render(to: path, conditions, end: end) { progress(vain + $0, vain) }
      let missed = sizes.indices.filter { !sizes[$0].keepsCap }
      if missed.isEmpty { return rendered }
      count = rendered.frames.count
      if let lost = missed.first(where: { againCounts[$0] == RateCap.mostAgain }) {
        _ = unsafe unlink(path)
        throw Failure(.content, at: "frames \(frames.first)..<\(frames.first + count)", objection(toRateOf: lost))
      }
      for place in missed { againCounts[place] += 1 }
      vain += count
    }
  }

  /// The words for a track that does not keep within its bound: the main picture, or a rendition.
  func objection(toRateOf track: Int) -> String {
    guard track > 0 else {
      return "cannot be encoded within export.video.maxBitRate and bufferSize: raise them, or make the picture smaller"
    }
    let size = edit.renditions[track - 1].size
    return
      "cannot be encoded in \(size.width)x\(size.height) within the maxBitRate and bufferSize of this rendition: raise them, or "
      + "make it smaller"
  }

  /// Encodes the chunk until it takes the bits that it is given. Its end does not move: its share is of all its frames.
  private func render(
    to path: String, within budget: RateBudget, progress: (_ done: Int, _ vain: Int) -> Void
  ) throws -> Rendered {
    var (search, pilot, vain) = (budget.search, budget.pilot, 0)
    while true {
      let conditions = ChunkEncoder.Conditions(
        first: frames.first, frameCount: frames.count, againCounts: [0], rateFactor: search.factor)
      let (rendered, sizes) = try render(
        to: path, conditions, pilot: pilot, end: { _ in frames.indices.upperBound }, progress: { progress(vain + $0, vain) })
      let size = sizes[0]
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

  /// The size of what was encoded, the factor at which it would be as large where it was changed from frame to frame, and how much it differs
  /// from its frames where that is measured.
  typealias Size = (byteCount: Int, keepsCap: Bool, meanFactor: Double?, distortion: Double?)

  /// Encodes the chunk once.
  ///
  /// - Parameter pilot: changes the rate factor of the main picture from frame to frame.
  /// - Returns: also the sizes of the main picture and of each rendition.
  func render(
    to path: String, _ conditions: ChunkEncoder.Conditions, pilot: RatePilot? = nil, end: (Int) -> Int, progress: (Int) -> Void
  ) throws -> (Rendered, [Size]) {
    let renderer = PictureRenderer(edit: edit, policy: policy, fonts: fonts, compositing: compositing)
    // The hasher is made before the thread starts. An error between the thread's start and its end would leave the thread
    // waiting.
    let hasher = try ContentHasher()
    var digests = FrameDigests()
    let handover = Handover<PixelBuffer>(capacity: Self.framesInFlight)
    let encoding = encoding(handover, to: path, conditions, pilot: pilot)
    var next = frames.first
    var concealed: [Concealment] = []
    let opened = MonotonicClock.nanoseconds
    var (framing, waiting): (Int64, Int64) = (0, 0)
    let rendering = Result {
      defer { handover.close() }
      while next < end(next) {
        let started = MonotonicClock.nanoseconds
        let frame = try renderer.frame(next)
        hasher.update(try digests.digest(of: frame))
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
    let (tracks, meanFactor) = try encoded.get()
    let renditions = tracks.dropFirst().map {
      FurtherPicture(parameterSetDigest: $0.facts.parameterSetDigest, contentDigest: $0.content.description)
    }
    let made = FrameRange(first: frames.first, count: next - frames.first)
    return (
      (tracks[0].facts, hasher.digest, renditions, made, concealed, times, nil),
      tracks.map { ($0.byteCount, $0.keepsCap, meanFactor, $0.distortion) }
    )
  }

  /// Starts the thread that encodes the frames that are handed over.
  private func encoding(
    _ handover: Handover<PixelBuffer>, to path: String, _ conditions: ChunkEncoder.Conditions, pilot: RatePilot?
  ) -> JoinableThread<Result<([ChunkEncoder.Encoded], meanFactor: Double?), any Error>> {
    let edit = edit
    return JoinableThread {
      Result {
        defer { handover.abandon() }
        let encoder = try ChunkEncoder(edit, to: path, conditions)
        var pilot = pilot
        while let frame = handover.take() {
          try encoder.encode(frame)
          let packets = encoder.main.takePackets()
          try pilot?.steer(encoder.main, after: packets)
        }
        let encoded = try encoder.finish()
        pilot?.follow(encoder.main.takePackets())
        return (encoded, pilot?.meanFactor)
      }
    }
  }
}

extension RatePilot {
  /// Takes notice of the packets that have come, and changes the factor for the frames that follow.
  fileprivate mutating func steer(_ encoder: VideoEncoder, after packets: [(frame: Int, byteCount: Int)]) throws {
    let before = factor
    follow(packets)
    if factor != before { try encoder.steer(to: factor) }
  }

  fileprivate mutating func follow(_ packets: [(frame: Int, byteCount: Int)]) {
    for packet in packets { took(8 * Double(packet.byteCount), by: packet.frame) }
  }
}
