package import Messages

/// A wish to the process of an open attempt at a chunk: to leave the frames from `before` on to somebody else.
package struct Split: Hashable, Sendable {
  package var key: AttemptKey
  package var worker: String
  /// An output frame within the chunk.
  package var before: Int

  package init(key: AttemptKey, worker: String, before: Int) { (self.key, self.worker, self.before) = (key, worker, before) }
}

/// When the rest of a chunk is divided while it runs, and where. Pure; every ledger asks it.
///
/// Only slots for which nothing is ready come into question, and only where both parts will probably be done much sooner than the
/// whole. A chunk that is dear is divided: a second attempt at it would be as slow again. Where the worker is known to be slow, or
/// shows no progress, a second attempt is the better help (`SpeculationPolicy`).
package struct SplitPolicy: Hashable, Sendable {
  /// Seconds that an attempt takes before its first frame: a process, opening its sources, an encoder's memory.
  package var startSeconds = 2.0
  /// What a border costs besides, in frames: an IDR as much as eight predicted ones, and the frames that are decoded on the way from
  /// the keyframe before it, at most a GOP at a tenth of what it costs to render and encode them.
  package var borderFrames = 33.0
  /// What is left must take so many times as long as the split costs.
  package var factor = 4.0
  /// Seconds that must be saved.
  package var leastGain = 5.0
  /// Seconds until the first part may end at the earliest: the wish travels meanwhile.
  package var leadSeconds = 3.0
  /// Seconds since an attempt began or advanced within which, or after which, its pace says nothing.
  package var settling = 2.0
  package var longestSilence = 5.0
  /// Of the part that is split off, as of any chunk of a plan.
  package var fewestFrames = ChunkPlan.shortestChunk
  /// A worker that takes so many times as long as the idle one is slow.
  package var slowness = 2.0
  /// How often a chunk and what was split off it is divided: at most 64 parts of a chunk of the plan.
  package var deepest = 6
  /// Chunks of a job: the order to join more would not fit a message.
  package var mostChunks = ChunkPlan.mostChunks
  /// Looked at in a turn: those that run longest.
  package var mostExamined = 1000

  package init() {}

  /// - Parameters:
  ///   - running: attempts that are alone at their tasks.
  ///   - offers: slots for which nothing is ready.
  ///   - asked: attempts that were asked lately, or often enough; each may soon need one of the slots.
  ///   - slotsLeft: by submitter that has a quota: what it may begin.
  package func choose(
    among running: [RunningAttempt], for offers: [Offer], paces: Paces, slotsLeft: [String: Int], asked: Set<AttemptKey>
  ) -> [Split] {
    var offers = offers.filter { $0.slots > 0 && !$0.isCanary }
      .map { (offer: $0, slowness: paces.slowness(of: $0.worker)) }
      .sorted { ($0.slowness, $0.offer.worker) < ($1.slowness, $1.offer.worker) }
    var (slotsLeft, splits) = (slotsLeft, [Split]())
    for (attempt, rest) in divisible(running.filter { !asked.contains($0.key) }) {
      guard slotsLeft[attempt.submitter] != 0 else { continue }
      let place = offers.firstIndex { $0.offer.slots > 0 && $0.offer.capabilities.cover(attempt.needs) }
      guard let place else { continue }
      let relative = offers[place].slowness / paces.slowness(of: attempt.worker)
      guard relative * slowness > 1, let border = border(rest, freshPace: rest.pace * relative) else { continue }
      splits.append(Split(key: attempt.key, worker: attempt.worker, before: border))
      offers[place].offer.slots -= 1
      if let slots = slotsLeft[attempt.submitter] { slotsLeft[attempt.submitter] = slots - 1 }
    }
    return splits
  }

  /// What an attempt has before it.
  private struct Rest {
    /// Frames that were not begun, about.
    var frames: Range<Int>
    /// Seconds that each takes.
    var pace: Double

    var seconds: Double { Double(frames.count) * pace }
  }

  /// Those that have long to go, the longest first.
  private func divisible(_ running: [RunningAttempt]) -> [(attempt: RunningAttempt, rest: Rest)] {
    running.compactMap { attempt -> (attempt: RunningAttempt, rest: Rest)? in
      guard let frames = attempt.divisibleFrames, attempt.divisions < deepest, attempt.elapsed >= settling,
        attempt.silence <= longestSilence, attempt.total > 0
      else { return nil }
      // Not by what is done: that includes the media which were fetched.
      let left = Int(clamping: attempt.total - attempt.done)
      guard left > 0, left < frames.count else { return nil }
      let pace = attempt.elapsed / Double(frames.count - left)
      return (attempt, Rest(frames: frames.indices.upperBound - left..<frames.indices.upperBound, pace: pace))
    }.sorted { ($1.rest.seconds, $0.attempt.key) < ($0.rest.seconds, $1.attempt.key) }
  }

  /// The frame at which both parts end together, where the second one takes `freshPace` seconds for each; nil where it does not pay.
  private func border(_ rest: Rest, freshPace: Double) -> Int? {
    let cost = startSeconds + borderFrames * freshPace
    guard rest.seconds >= cost * factor else { return nil }
    let even = (cost + Double(rest.frames.count) * freshPace) / (rest.pace + freshPace)
    let first = Int(max(even, leadSeconds / rest.pace).rounded(.up))
    let second = rest.frames.count - first
    guard second >= fewestFrames else { return nil }
    let end = max(Double(first) * rest.pace, cost + Double(second) * freshPace)
    return rest.seconds - end >= leastGain ? rest.frames.lowerBound + first : nil
  }
}
