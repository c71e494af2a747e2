package import Messages

/// An open attempt, with what is needed to judge whether it is slow.
package struct RunningAttempt: Hashable, Sendable {
  package var key: AttemptKey
  package var worker: String
  package var job: String
  package var work: String
  /// The planned cost of the task.
  package var cost: Double
  package var needs: Capabilities
  package var submitter: String
  /// The seconds since the attempt began.
  package var elapsed: Double
  /// The units done and their total, as last reported. The total is 0 before the first report.
  package var done: Int64
  package var total: Int64
  /// The seconds since the attempt last made progress.
  package var silence: Double
  /// The chunk's frames; nil when the chunk may not be divided.
  package var divisibleFrames: FrameRange?
  /// The number of times that the chunk was divided.
  package var divisions: Int
  /// The number of earlier attempts at the task that ended for lack of progress.
  package var stalls: Int

  package init(
    key: AttemptKey, worker: String, job: String, work: String, cost: Double, needs: Capabilities, submitter: String,
    elapsed: Double, done: Int64, total: Int64, silence: Double = 0, divisibleFrames: FrameRange? = nil, divisions: Int = 0,
    stalls: Int = 0
  ) {
    (self.silence, self.divisibleFrames, self.divisions, self.stalls) = (silence, divisibleFrames, divisions, stalls)
    (self.key, self.worker, self.job, self.work) = (key, worker, job, work)
    (self.cost, self.needs, self.submitter) = (cost, needs, submitter)
    (self.elapsed, self.done, self.total) = (elapsed, done, total)
  }

  /// The seconds that the rest will take at the attempt's own pace.
  func secondsLeft(expected: Double) -> Double {
    if done > 0, total > 0 { return elapsed * Double(max(total - done, 0)) / Double(done) }
    // Before the first progress the expected time counts. An attempt that has exceeded it is taken to need as long again as it
    // has run.
    return max(expected - elapsed, elapsed > expected ? elapsed : 0)
  }
}

/// The choice of slow attempts that get a second attempt beside them, and of its worker. Pure; every ledger uses it.
///
/// A second attempt takes only slots for which nothing is ready, on another worker, and only if it will probably end much sooner.
/// An attempt gets one second attempt at most.
package struct SpeculationPolicy: Hashable, Sendable {
  /// The factor by which the rest of the first attempt must take longer than the second attempt.
  package var factor = 1.5
  /// The seconds that must be saved. They cover a process, its seeks and the error of the estimate.
  package var leastGain = 5.0
  /// The most attempts examined in a turn: those that have run longest.
  package var mostExamined = 1000

  package init() {}

  package struct Choice: Hashable, Sendable {
    package var attempt: RunningAttempt
    package var offer: Offer
  }

  /// - Parameters:
  ///   - running: attempts without a second attempt beside them.
  ///   - offers: slots for which nothing is ready.
  ///   - slotsLeft: the attempts that each submitter with a quota may still begin.
  ///   - most: the number of second attempts that may still be opened.
  package func choose(
    among running: [RunningAttempt], for offers: [Offer], paces: Paces, slotsLeft: [String: Int], most: Int
  ) -> [Choice] {
    // The fastest workers come first, since all offered slots are idle.
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

  /// Attempts with long to go, with their seconds left, the longest first.
  private func slow(_ running: [RunningAttempt], _ paces: Paces) -> [(attempt: RunningAttempt, left: Double)] {
    running.compactMap { attempt in
      guard let expected = paces.seconds(of: attempt, on: attempt.worker) else { return nil }
      let left = attempt.secondsLeft(expected: expected)
      return left > leastGain ? (attempt, left) : nil
    }.sorted { ($1.left, $0.attempt.key) < ($0.left, $1.attempt.key) }
  }
}

extension Paces {
  /// The seconds that a whole attempt at the same task takes on a worker; nil when nothing is known of such work.
  package func seconds(of attempt: RunningAttempt, on worker: String) -> Double? {
    seconds(cost: attempt.cost, work: attempt.work, job: attempt.job, on: worker)
  }
}
