package import MediaTime
package import Messages
package import Timeline

/// How an edit's frames are divided into chunks.
///
/// A border away from a cut costs an IDR where the encoder would have predicted, and each chunk costs a start; long chunks
/// leave workers idle at the end and are dear to repeat. The plan therefore makes
/// - one chunk for each slot of the farm, unless they would get shorter than `shortestChunk`;
/// - more where they cost nothing: chunks of a whole GOP, in whole rounds of the farm, so that all slots end together;
/// - never a chunk that costs more than `dearestChunkSeconds`, as far as the shortest length allows;
/// and moves borders to cuts, as far as that does not spoil the balance.
package struct ChunkPlan: Hashable, Sendable {
  package struct Chunk: Hashable, Sendable {
    package var frames: FrameRange
    /// Estimated seconds of one core.
    package var cost: Double
  }

  package struct Options: Hashable, Sendable {
    /// Slots of the farm that may work on the job at once; at least 1.
    package var parallelism: Int
    /// Forces chunks of so many frames, the last one shorter; at least 1.
    package var chunkFrames: Int?
    /// How many times as long as estimated such work takes; positive.
    package var slowness: Double

    package init(parallelism: Int, chunkFrames: Int? = nil, slowness: Double = 1) {
      precondition(parallelism > 0 && chunkFrames ?? 1 > 0 && slowness > 0)
      (self.parallelism, self.chunkFrames, self.slowness) = (parallelism, chunkFrames, slowness)
    }
  }

  package enum Failure: Error, Hashable, Sendable, CustomStringConvertible {
    case time(TimeError)
    /// The order to join so many segment files would not fit a message.
    case tooManyChunks(Int, most: Int)

    package var description: String {
      switch self {
      case .time(let error): "\(error)"
      case .tooManyChunks(let count, let most): "\(count) chunks are more than \(most)"
      }
    }
  }

  /// In frame order, contiguous from frame zero, none empty; none at all without a picture.
  package let chunks: [Chunk]
  /// Estimated seconds of one core to mix and encode the sound; nil without sound.
  package let soundCost: Double?

  /// x264 starts a GOP after 250 frames at the latest: chunks of that length have no IDR more than one encode.
  static let gopFrames = 250
  /// An IDR costs about as much as eight predicted frames: in 96 frames that is what half a step of crf costs.
  static let shortestChunk = 96
  /// The start of an attempt's process, its seeks and the memory that its encoder touches for the first time cost a few
  /// tenths of a second: some two percent of this.
  static let cheapestChunkSeconds = 15.0
  /// What a crash may cost to repeat.
  static let dearestChunkSeconds = 60.0
  /// Each segment file takes some 350 bytes of the order to join them, which is at most 64 MiB with its document.
  package static let mostChunks = 100_000
  /// Sound is mixed and encoded some 200 times faster than it plays.
  private static let soundSecondsPerSecond = 0.005

  package static func make(timeline: ResolvedTimeline, _ options: Options) throws(Failure) -> ChunkPlan {
    let profile: CostProfile
    do { profile = try CostProfile(of: timeline) } catch { throw .time(error) }
    let sound = timeline.audio == nil ? nil : timeline.exportRange.duration.seconds * soundSecondsPerSecond
    return try ChunkPlan(profile, options, soundCost: sound)
  }

  package init(_ profile: CostProfile, _ options: Options, soundCost: Double? = nil) throws(Failure) {
    self.soundCost = soundCost
    let borders: [Int]
    if let length = options.chunkFrames {
      let count = (profile.frameCount + length - 1) / length
      guard count <= Self.mostChunks else { throw .tooManyChunks(count, most: Self.mostChunks) }
      borders = Array(stride(from: 0, to: profile.frameCount, by: length))
    } else {
      borders = Self.borders(profile, parallelism: options.parallelism, slowness: options.slowness)
    }
    let costs = CumulativeCost(profile)
    chunks = zip(borders, borders.dropFirst() + [profile.frameCount]).map { first, end in
      Chunk(
        frames: FrameRange(first: first, count: end - first),
        cost: costs.seconds(before: end) - costs.seconds(before: first) + costs.span(of: first).entrySeconds)
    }
  }

  static func chunkCount(_ profile: CostProfile, parallelism: Int, slowness: Double) -> Int {
    let (frames, seconds) = (profile.frameCount, profile.totalSeconds * slowness)
    let most = min(max(frames / shortestChunk, 1), mostChunks)
    let free = min(frames / gopFrames, Int(min(seconds / cheapestChunkSeconds, 1e6)))
    let bounded = Int(min((seconds / dearestChunkSeconds).rounded(.up), 1e6))
    let wanted = max(parallelism, free, bounded)
    let rounds = (wanted + parallelism - 1) / parallelism
    if rounds * parallelism <= most { return rounds * parallelism }
    return most > parallelism ? most / parallelism * parallelism : most
  }

  /// The first frame of each chunk: equal shares of the cost, moved to a cut nearby.
  private static func borders(_ profile: CostProfile, parallelism: Int, slowness: Double) -> [Int] {
    guard profile.frameCount > 0 else { return [] }
    let count = chunkCount(profile, parallelism: parallelism, slowness: slowness)
    let costs = CumulativeCost(profile)
    let share = costs.total / Double(count)
    // Where the farm goes round several times, slots that get less take the next chunk sooner. In a single round each move
    // is idle time.
    let rounds = (count + parallelism - 1) / parallelism
    let reach = share * min(0.05 + 0.1 * Double(rounds - 1), 0.35)
    var borders = [0]
    for position in 1..<max(count, 1) {
      let ideal = share * Double(position)
      let border = costs.cut(near: ideal, within: reach) ?? costs.frame(at: ideal)
      if border > borders[borders.count - 1] && border < profile.frameCount { borders.append(border) }
    }
    return borders
  }
}

/// The profile's cost summed up, to be asked by frame and by cost.
private struct CumulativeCost {
  let spans: [CostProfile.Span]
  /// The cost of all frames before each span.
  let before: [Double]
  let total: Double

  init(_ profile: CostProfile) {
    spans = profile.spans
    var (sum, before) = (0.0, [Double]())
    for span in spans {
      before.append(sum)
      sum += Double(span.frames.count) * span.secondsPerFrame
    }
    (self.before, total) = (before, sum)
  }

  func seconds(before frame: Int) -> Double {
    let position = first { spans[$0].frames.upperBound >= frame }
    return before[position] + Double(frame - spans[position].frames.lowerBound) * spans[position].secondsPerFrame
  }

  func span(of frame: Int) -> CostProfile.Span { spans[first { spans[$0].frames.upperBound > frame }] }

  /// The frame before which about `seconds` have been spent.
  func frame(at seconds: Double) -> Int {
    let position = first { before[$0] > seconds } - 1
    return spans[position].frames.lowerBound + Int(((seconds - before[position]) / spans[position].secondsPerFrame).rounded())
  }

  /// The first frame of the cut whose cumulative cost is nearest to `seconds`.
  func cut(near seconds: Double, within reach: Double) -> Int? {
    let candidates = first { before[$0] >= seconds - reach }..<first { before[$0] > seconds + reach }
    let nearest = candidates.filter { spans[$0].startsAtCut }.min { abs(before[$0] - seconds) < abs(before[$1] - seconds) }
    return nearest.map { spans[$0].frames.lowerBound }
  }

  /// The first position of a span for which `holds`, which then holds for all later ones; their count when there is none.
  private func first(where holds: (Int) -> Bool) -> Int {
    var (low, high) = (0, spans.count)
    while low < high {
      let middle = (low + high) / 2
      if holds(middle) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
