package import Messages

/// An open attempt that may be slow.
package struct RunningAttempt: Hashable, Sendable {
  package var key: AttemptKey
  package var worker: String
  package var job: String
  package var work: String
  /// In the plan's unit.
  package var cost: Double
  package var needs: Capabilities
  package var submitter: String
  /// Seconds since it was begun.
  package var elapsed: Double
  /// Units done of the total, as last reported; the total is 0 until it reported.
  package var done: Int64
  package var total: Int64
  /// Seconds since it advanced.
  package var silence: Double
  /// The chunk's frames, where its job lets it be divided.
  package var divisibleFrames: FrameRange?
  /// How often the chunk was divided.
  package var divisions: Int

  package init(
    key: AttemptKey, worker: String, job: String, work: String, cost: Double, needs: Capabilities, submitter: String,
    elapsed: Double, done: Int64, total: Int64, silence: Double = 0, divisibleFrames: FrameRange? = nil, divisions: Int = 0
  ) {
    (self.silence, self.divisibleFrames, self.divisions) = (silence, divisibleFrames, divisions)
    (self.key, self.worker, self.job, self.work) = (key, worker, job, work)
    (self.cost, self.needs, self.submitter) = (cost, needs, submitter)
    (self.elapsed, self.done, self.total) = (elapsed, done, total)
  }

  /// Seconds that the rest will take at its own pace so far.
  func secondsLeft(expected: Double) -> Double {
    if done > 0, total > 0 { return elapsed * Double(max(total - done, 0)) / Double(done) }
    // Without a sign it is as expected, and past that, as the saying goes, has as long before it as behind.
    return max(expected - elapsed, elapsed > expected ? elapsed : 0)
  }
}

/// When a second attempt is begun beside one that is slow, and where. Pure; every ledger asks it.
///
/// Only slots for which nothing is ready come into question, on another worker; and only where the second attempt will
/// probably end much sooner. An attempt is helped so once.
package struct SpeculationPolicy: Hashable, Sendable {
  /// What is left of the first attempt must take so many times as long as the second one.
  package var factor = 1.5
  /// Seconds that must be saved: a process, its seeks and the estimate's error.
  package var leastGain = 5.0
  /// Looked at in a turn: those that run longest.
  package var mostExamined = 1000

  package init() {}

  package struct Choice: Hashable, Sendable {
    package var attempt: RunningAttempt
    package var offer: Offer
  }

  /// - Parameters:
  ///   - running: of which none is helped otherwise.
  ///   - offers: slots for which nothing is ready.
  ///   - slotsLeft: by submitter that has a quota: what it may begin.
  ///   - most: how many more attempts may be speculative.
  package func choose(
    among running: [RunningAttempt], for offers: [Offer], paces: Paces, slotsLeft: [String: Int], most: Int
  ) -> [Choice] {
    // The fastest first, since all of them are idle.
    var offers = offers.filter { $0.slots > 0 && !$0.isCanary }
      .map { (offer: $0, slowness: paces.slowness(of: $0.worker)) }
      .sorted { ($0.slowness, $0.offer.worker) < ($1.slowness, $1.offer.worker) }
    var (slotsLeft, choices) = (slotsLeft, [Choice]())
    for (attempt, left) in slow(running, paces) {
      guard choices.count < most else { break }
      guard slotsLeft[attempt.submitter] != 0 else { continue }
      let place = offers.firstIndex {
        $0.offer.slots > 0 && $0.offer.worker != attempt.worker && $0.offer.capabilities.cover(attempt.needs)
      }
      guard let place, let fresh = paces.seconds(of: attempt, on: offers[place].offer.worker) else { continue }
      guard left > max(fresh * factor, fresh + leastGain) else { continue }
      choices.append(Choice(attempt: attempt, offer: offers[place].offer))
      offers[place].offer.slots -= 1
      if let slots = slotsLeft[attempt.submitter] { slotsLeft[attempt.submitter] = slots - 1 }
    }
    return choices
  }

  /// Those that have long to go, the longest first, with the seconds.
  private func slow(_ running: [RunningAttempt], _ paces: Paces) -> [(attempt: RunningAttempt, left: Double)] {
    running.compactMap { attempt in
      guard let expected = paces.seconds(of: attempt, on: attempt.worker) else { return nil }
      let left = attempt.secondsLeft(expected: expected)
      return left > leastGain ? (attempt, left) : nil
    }.sorted { ($1.left, $0.attempt.key) < ($0.left, $1.attempt.key) }
  }
}

extension Paces {
  /// Seconds that a whole attempt at the same task takes.
  package func seconds(of attempt: RunningAttempt, on worker: String) -> Double? {
    seconds(cost: attempt.cost, work: attempt.work, job: attempt.job, on: worker)
  }
}
