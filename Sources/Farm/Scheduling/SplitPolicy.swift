package import Messages

/// A wish to the process of an open attempt: to leave the chunk's frames from `before` on to somebody else.
package struct Split: Hashable, Sendable {
  package var key: AttemptKey
  package var worker: String
  /// The output frame at which the rest begins; it lies within the chunk.
  package var before: Int

  package init(key: AttemptKey, worker: String, before: Int) { (self.key, self.worker, self.before) = (key, worker, before) }
}

/// The choice of running chunks whose rest is split off, and of the border. Pure; every ledger uses it.
///
/// A split takes only slots for which nothing is ready, and only if both parts will probably be done much sooner than the whole.
/// It is for chunks that are expensive themselves, where a second attempt would be as slow again. Where the worker is slow or
/// makes no progress, a second attempt helps more (`SpeculationPolicy`).
package struct SplitPolicy: Hashable, Sendable {
  /// The seconds before an attempt's first frame: starting a process, opening sources, the encoder's memory.
  package var startSeconds = 2.0
  /// The cost of a new border, in frames. An IDR frame costs as much as eight predicted frames. The frames from the keyframe
  /// before the border are decoded too: at most a GOP, at a tenth of the cost of rendering and encoding them.
  package var borderFrames = 33.0
  /// The factor by which the rest must take longer than a split costs.
  package var factor = 4.0
  /// The seconds that must be saved.
  package var leastGain = 5.0
  /// The least seconds until the first part ends, because the wish needs time to arrive.
  package var leadSeconds = 3.0
  /// The seconds after its begin in which an attempt's pace says nothing, and the seconds without progress after which it says
  /// nothing any more.
  package var settling = 2.0
  package var longestSilence = 5.0
  /// The fewest frames of the part that is split off, as for any chunk of a plan.
  package var fewestFrames = ChunkPlan.shortestChunk
  /// The factor that makes a worker slow: it takes so many times as long as the idle one.
  package var slowness = 2.0
  /// How often a chunk, and what was split off it, may be divided: a chunk of the plan ends up in at most 64 parts.
  package var deepest = 6
  /// The most chunks of a job, because the order to mux more would not fit a message.
  package var mostChunks = ChunkPlan.mostChunks
  /// The most attempts examined in a turn: those that have run longest.
  package var mostExamined = 1000

  package init() {}

  /// - Parameters:
  ///   - running: attempts that are alone at their tasks.
  ///   - offers: slots for which nothing is ready.
  ///   - asked: attempts that were asked lately, or often enough. Each may soon need one of the slots.
  ///   - slotsLeft: the attempts that each submitter with a quota may still begin.
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
      guard relative * slowness > 1, let border = border(rest, freshSecondsPerFrame: rest.secondsPerFrame * relative) else {
        continue
      }
      splits.append(Split(key: attempt.key, worker: attempt.worker, before: border))
      offers[place].offer.slots -= 1
      if let slots = slotsLeft[attempt.submitter] { slotsLeft[attempt.submitter] = slots - 1 }
    }
    return splits
  }

  /// The work that an attempt has left.
  private struct Rest {
    /// The frames that were not begun, approximately.
    var frames: Range<Int>
    /// The seconds that each frame takes.
    var secondsPerFrame: Double

    var seconds: Double { Double(frames.count) * secondsPerFrame }
  }

  /// Attempts that may be divided, with their rests, the longest first.
  private func divisible(_ running: [RunningAttempt]) -> [(attempt: RunningAttempt, rest: Rest)] {
    running.compactMap { attempt -> (attempt: RunningAttempt, rest: Rest)? in
      guard let frames = attempt.divisibleFrames, attempt.divisions < deepest, attempt.elapsed >= settling,
        attempt.silence <= longestSilence, attempt.total > 0
      else { return nil }
      // The frames done are computed from what is left, because `done` also counts fetched media.
      let left = Int(clamping: attempt.total - attempt.done)
      guard left > 0, left < frames.count else { return nil }
      let secondsPerFrame = attempt.elapsed / Double(frames.count - left)
      return (
        attempt, Rest(frames: frames.indices.upperBound - left..<frames.indices.upperBound, secondsPerFrame: secondsPerFrame)
      )
    }.sorted { ($1.rest.seconds, $0.attempt.key) < ($0.rest.seconds, $1.attempt.key) }
  }

  /// The frame at which a split lets both parts end together, when the second part takes `freshSecondsPerFrame` seconds for each
  /// frame; nil where a split does not pay.
  private func border(_ rest: Rest, freshSecondsPerFrame: Double) -> Int? {
    let cost = startSeconds + borderFrames * freshSecondsPerFrame
    guard rest.seconds >= cost * factor else { return nil }
    let even = (cost + Double(rest.frames.count) * freshSecondsPerFrame) / (rest.secondsPerFrame + freshSecondsPerFrame)
    let first = Int(max(even, leadSeconds / rest.secondsPerFrame).rounded(.up))
    let second = rest.frames.count - first
    guard second >= fewestFrames else { return nil }
    let end = max(Double(first) * rest.secondsPerFrame, cost + Double(second) * freshSecondsPerFrame)
    return rest.seconds - end >= leastGain ? rest.frames.lowerBound + first : nil
  }
}
