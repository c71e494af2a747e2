internal import Formats
package import MediaTime
package import Messages
package import Scenes
internal import Timeline

/// The division of an edit's frames into chunks.
///
/// Each choice has a price. A border away from a cut costs an IDR frame where the encoder would have predicted one. Each chunk
/// costs the start of a process. Long chunks leave workers idle at the end of a job and are expensive to repeat. The plan
/// therefore makes
/// - one chunk for each slot of the farm, unless chunks would get shorter than `shortestChunk`;
/// - more chunks where they cost nothing: chunks of a whole GOP, in whole rounds of the farm, so that all slots end together;
/// - no chunk that costs more than `dearestChunkSeconds`, as far as the shortest length allows.
///
/// It moves borders to cuts as long as the chunks stay about equally expensive. In a long edit it lets the content decide where
/// they are, so that an edit that is changed keeps the others (`contentBorders`).
package struct ChunkPlan: Hashable, Sendable {
  package struct Chunk: Hashable, Sendable {
    package var frames: FrameRange
    /// The estimated cost, in seconds of one core.
    package var cost: Double
  }

  package struct Options: Hashable, Sendable {
    /// The number of the farm's slots that may work on the job at once; at least 1.
    package var parallelism: Int
    /// The length of every chunk but the last, which may be shorter, in frames; at least 1. Nil lets the plan decide.
    package var chunkFrames: Int?
    /// The factor by which such work takes longer than the cost model says; positive.
    package var slowness: Double
    /// The seconds of a part of the sound; nil for those of its codec, so that the sound is the same on every farm.
    package var soundPartSeconds: Int?

    package init(
      parallelism: Int, chunkFrames: Int? = nil, slowness: Double = 1, soundPartSeconds: Int? = nil
    ) {
      precondition(parallelism > 0 && chunkFrames ?? 1 > 0 && slowness > 0 && soundPartSeconds ?? 1 > 0)
      (self.parallelism, self.chunkFrames, self.slowness) = (parallelism, chunkFrames, slowness)
      self.soundPartSeconds = soundPartSeconds
    }
  }

  /// The sound, or a part of it.
  package struct SoundPart: Hashable, Sendable {
    /// The samples of a part; nil for the whole sound.
    package var samples: SampleRange?
    /// The estimated cost, in seconds of one core.
    package var cost: Double
  }

  package enum Failure: Error, Hashable, Sendable, CustomStringConvertible {
    case time(TimeError)
    /// There are more chunks than the order to mux them has room for.
    case tooManyChunks(Int, most: Int)

    package var description: String {
      switch self {
      case .time(let error): "\(error)"
      case .tooManyChunks(let count, let most): "\(count) chunks are more than \(most)"
      }
    }
  }

  /// The chunks in frame order. They touch each other, begin at frame 0 and are never empty. A timeline without a picture has
  /// none.
  package let chunks: [Chunk]
  /// The sound in one piece, or its parts in order; none without sound.
  package let sound: [SoundPart]

  /// x264 starts a GOP after 250 frames at the latest, so chunks of that length have no more IDR frames than one single encode.
  static let gopFrames = 250
  /// The fewest frames of a chunk. An IDR frame costs about as many bits as eight predicted frames. Once in 96 frames, that is as
  /// much as half a step of crf costs.
  static let shortestChunk = 96
  /// The cost of a chunk at which more chunks are free, in seconds. An attempt starts a process, seeks, and lets its encoder
  /// touch memory for the first time. That takes a few tenths of a second, about two percent of this.
  static let cheapestChunkSeconds = 15.0
  /// The highest cost of a chunk, in seconds: so much work may be lost in a crash.
  static let dearestChunkSeconds = 60.0
  /// The most chunks of a job. Each segment file takes about 350 bytes of the mux's order, which is at most 64 MiB with its
  /// document.
  package static let mostChunks = 100_000

  /// The most chunks of a job with so many renditions and tracks of stills. Each takes about 120 bytes more of the order for each segment
  /// file.
  static func mostChunks(with renditions: Int) -> Int { mostChunks * 350 / (350 + 120 * renditions) }

  /// The cost of sound: it is mixed and encoded about 200 times faster than it plays.
  private static let soundSecondsPerSecond = 0.005
  /// The cost of sound that is copied: the start of a process, and a hundredth of a percent of its length.
  private static let (copyingSeconds, copyingSecondsPerSecond) = (0.05, 0.0001)

  package static func make(timeline: ResolvedTimeline, _ options: Options) throws(Failure) -> ChunkPlan {
    let profile: CostProfile
    do { profile = try CostProfile(of: timeline) } catch { throw .time(error) }
    let sound: [SoundPart]
    do { sound = try Self.sound(of: timeline, every: options.soundPartSeconds) } catch { throw .time(error) }
    let coder = timeline.timeline.export.video.coding.coder
    let frameDuration = timeline.videoComposition?.frameDuration
    // A target is shared out by groups of pictures. A chunk that began inside of one would need bits for a keyframe that nobody counted.
    let group = coder.rateTarget == nil ? nil : frameDuration.map { Int(coder.keyInterval($0)) }
    let plan = try ChunkPlan(profile, options, groupFrames: group, sound: sound)
    let stills: Int
    do { stills = try timeline.stills?.tracks.count ?? 0 } catch { throw .time(error) }
    let most = mostChunks(with: timeline.renditions.count + stills)
    guard plan.chunks.count <= most else { throw .tooManyChunks(plan.chunks.count, most: most) }
    return plan
  }

  private static func sound(of timeline: ResolvedTimeline, every seconds: Int?) throws(TimeError) -> [SoundPart] {
    guard timeline.audio != nil else { return [] }
    let cost = timeline.exportRange.duration.seconds * soundSecondsPerSecond * Double(timeline.sounds.count)
    switch try SoundDivision(of: timeline, every: seconds) {
    case .whole(.copied):
      return [SoundPart(cost: copyingSeconds + timeline.exportRange.duration.seconds * copyingSecondsPerSecond)]
    case .whole: return [SoundPart(cost: cost)]
    case .parts(let parts):
      let count = Double(parts.last?.upperBound ?? 1)
      return parts.map { SoundPart(samples: SampleRange($0), cost: cost * Double($0.count) / count) }
    }
  }

  /// - Parameter groupFrames: the number of frames of which all borders are multiples; nil lets them stand anywhere.
  package init(_ profile: CostProfile, _ options: Options, groupFrames: Int? = nil, sound: [SoundPart] = []) throws(Failure) {
    self.sound = sound
    var borders: [Int]
    if let length = options.chunkFrames {
      let count = (profile.frameCount + length - 1) / length
      guard count <= Self.mostChunks else { throw .tooManyChunks(count, most: Self.mostChunks) }
      borders = Array(stride(from: 0, to: profile.frameCount, by: length))
    } else if let found = Self.contentBorders(profile, parallelism: options.parallelism, slowness: options.slowness) {
      borders = found
    } else {
      borders = Self.borders(profile, parallelism: options.parallelism, slowness: options.slowness)
    }
    if let groupFrames {
      // A shorter length than a group's becomes a group's.
      let near = Set(borders.map { ($0 + groupFrames / 2) / groupFrames * groupFrames })
      borders = near.filter { $0 < max(profile.frameCount, 1) }.sorted()
    }
    let copied = profile.spans.filter(\.isCopied).map(\.frames)
    if !copied.isEmpty { borders = Self.borders(borders, around: copied, frameCount: profile.frameCount) }
    guard borders.count <= Self.mostChunks else { throw .tooManyChunks(borders.count, most: Self.mostChunks) }
    let costs = CumulativeCost(profile)
    chunks = zip(borders, borders.dropFirst() + [profile.frameCount]).map { first, end in
      Chunk(
        frames: FrameRange(first: first, count: end - first),
        cost: costs.seconds(before: end) - costs.seconds(before: first) + costs.span(of: first).entrySeconds)
    }
  }

  /// The borders with those of copied frames, and without any inside of these.
  private static func borders(_ borders: [Int], around copied: [Range<Int>], frameCount: Int) -> [Int] {
    let free = borders.filter { border in
      let position = copied.partitioningIndex { $0.upperBound > border }
      return position == copied.count || copied[position].lowerBound >= border
    }
    return Set(free + copied.flatMap { [$0.lowerBound, $0.upperBound] }).filter { $0 < frameCount }.sorted()
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

  /// The first frame of each chunk. Chunks share the cost equally; a border moves to a cut nearby.
  private static func borders(_ profile: CostProfile, parallelism: Int, slowness: Double) -> [Int] {
    guard profile.frameCount > 0 else { return [] }
    let count = chunkCount(profile, parallelism: parallelism, slowness: slowness)
    let costs = CumulativeCost(profile)
    let share = costs.total / Double(count)
    // `reach` is how far a border may move. When the farm makes several rounds, a slot that got a cheaper chunk takes its next
    // one sooner. In a single round a moved border leaves slots idle.
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

/// The profile's cost as running sums, to look up by frame and by cost.
struct CumulativeCost {
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

  /// The frame before which the cost is about `seconds`.
  func frame(at seconds: Double) -> Int {
    let position = first { before[$0] > seconds } - 1
    return spans[position].frames.lowerBound + Int(((seconds - before[position]) / spans[position].secondsPerFrame).rounded())
  }

  /// The first frame of the cut whose running cost is nearest to `seconds` and at most `reach` away; nil when there is none.
  func cut(near seconds: Double, within reach: Double) -> Int? {
    let candidates = first { before[$0] >= seconds - reach }..<first { before[$0] > seconds + reach }
    let nearest = candidates.filter { spans[$0].startsAtCut }.min { abs(before[$0] - seconds) < abs(before[$1] - seconds) }
    return nearest.map { spans[$0].frames.lowerBound }
  }

  /// The first span's position for which `holds` is true, by binary search; the number of spans when there is none. `holds` must
  /// stay true for all later positions.
  private func first(where holds: (Int) -> Bool) -> Int { spans.indices.partitioningIndex(where: holds) }
}
