/// How many seconds a unit of planned cost takes: a running mean that no single result moves far.
package struct PaceEstimate: Hashable, Sendable {
  /// Seconds; of a worker, how many times as long as others it takes. Positive once there are samples.
  package private(set) var pace: Double
  /// Results that it was learned from.
  package private(set) var samples: Int

  package init(pace: Double = 0, samples: Int = 0) { (self.pace, self.samples) = (pace, samples) }

  /// Results that weigh as much as all earlier ones together: what changes is followed within some dozens.
  private static let memory = 32
  /// Fewer say too little. The views of schema.sql say the same.
  package static let fewest = 3
  /// A result further off than so many times counts as one that is as far.
  private static let farthest = 4.0
  /// Counted no further, so that a counter never overflows.
  private static let mostSamples = 1_000_000

  /// Whether it says anything yet.
  package var isKnown: Bool { samples >= Self.fewest }

  /// - Parameter result: positive.
  package mutating func learn(_ result: Double) {
    let near = samples == 0 ? result : min(max(result, pace / Self.farthest), pace * Self.farthest)
    samples = min(samples + 1, Self.mostSamples)
    pace += (near - pace) / Double(min(samples, Self.memory))
  }
}

/// An attempt that won, as far as paces are learned from it.
package struct FinishedAttempt: Hashable, Sendable {
  package var work: String
  package var job: String
  package var worker: String
  /// In the plan's unit; positive.
  package var cost: Double
  /// Positive.
  package var seconds: Double

  package init(work: String, job: String, worker: String, cost: Double, seconds: Double) {
    (self.work, self.job, self.worker, self.cost, self.seconds) = (work, job, worker, cost, seconds)
  }
}

/// What was learned of the paces of kinds of work, of jobs, and of workers.
///
/// A job's own results say most of the rest of it; until there are some, those of its kind of work do. A worker is
/// measured by what others took for the same.
package struct Paces: Hashable, Sendable {
  package enum Subject: Hashable, Sendable {
    case work(String)
    case job(String)
    case worker(String)
  }

  package private(set) var estimates: [Subject: PaceEstimate]

  package init(_ estimates: [Subject: PaceEstimate] = [:]) { self.estimates = estimates }

  /// What is read and changed by learning from the attempts.
  package static func subjects(of attempts: [FinishedAttempt]) -> Set<Subject> {
    Set(attempts.flatMap { [.work($0.work), .job($0.job), .worker($0.worker)] })
  }

  package mutating func learn(from attempt: FinishedAttempt) {
    let pace = attempt.seconds / attempt.cost
    if let usual = secondsPerCost(work: attempt.work, job: attempt.job) {
      estimates[.worker(attempt.worker), default: PaceEstimate()].learn(pace / usual)
    }
    estimates[.work(attempt.work), default: PaceEstimate()].learn(pace)
    estimates[.job(attempt.job), default: PaceEstimate()].learn(pace)
  }

  /// Seconds that a unit of cost takes where it is usual; nil when nothing is known of such work.
  package func secondsPerCost(work: String, job: String) -> Double? {
    [.job(job), .work(work)].lazy.compactMap { estimates[$0] }.first(where: \.isKnown)?.pace
  }

  /// Seconds that a task of a cost takes on a worker; nil when nothing is known of such work.
  package func seconds(cost: Double, work: String, job: String, on worker: String) -> Double? {
    guard cost > 0 else { return nil }
    return secondsPerCost(work: work, job: job).map { $0 * cost * slowness(of: worker) }
  }

  /// How many times as long as others a worker takes.
  package func slowness(of worker: String) -> Double {
    guard let estimate = estimates[.worker(worker)], estimate.isKnown else { return 1 }
    return estimate.pace
  }

  /// How many times as long as estimated such work takes, for plans and shares: the nearest power of two, so that they stay the same
  /// while paces merely waver. 1 where nothing is known.
  package func plannedSlowness(work: String) -> Double {
    guard let estimate = estimates[.work(work)], estimate.isKnown else { return 1 }
    let pace = estimate.pace
    var power = 1.0
    while pace > power * Self.halfway, power < Self.mostSlowness { power *= 2 }
    while pace * Self.halfway < power, power > 1 / Self.mostSlowness { power /= 2 }
    return power
  }

  /// The square root of two.
  private static let halfway = 1.414_213_562_373_095_1
  /// What is further off than that is not the work's doing. A power of two.
  package static let mostSlowness = 64.0
}
