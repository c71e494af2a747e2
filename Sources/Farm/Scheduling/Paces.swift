/// The seconds that a unit of planned cost takes, as a running mean that no single result moves far.
package struct PaceEstimate: Hashable, Sendable {
  /// The mean: seconds for each unit of cost; for a worker, the factor by which it takes longer than others. Positive once there
  /// are samples.
  package private(set) var pace: Double
  /// The number of results that the mean was learned from.
  package private(set) var samples: Int

  package init(pace: Double = 0, samples: Int = 0) { (self.pace, self.samples) = (pace, samples) }

  /// The mean gives each new result a weight of at least one in this number, so it follows a change within some dozens of
  /// results.
  private static let memory = 32
  /// The fewest results that say anything.
  package static let fewest = 3
  /// The largest factor by which a result may differ from the mean. A result that differs more counts as if it differed by this.
  private static let farthest = 4.0
  /// The highest count of samples, so that the counter never overflows.
  private static let mostSamples = 1_000_000

  /// Whether there are enough results to rely on.
  package var isKnown: Bool { samples >= Self.fewest }

  /// - Parameter result: positive.
  package mutating func learn(_ result: Double) {
    let near = samples == 0 ? result : min(max(result, pace / Self.farthest), pace * Self.farthest)
    samples = min(samples + 1, Self.mostSamples)
    pace += (near - pace) / Double(min(samples, Self.memory))
  }
}

/// An attempt that won, with what paces are learned from.
package struct FinishedAttempt: Hashable, Sendable {
  package var work: String
  package var job: String
  package var worker: String
  /// The planned cost of the attempt; positive.
  package var cost: Double
  /// The seconds that the attempt took; positive.
  package var seconds: Double

  package init(work: String, job: String, worker: String, cost: Double, seconds: Double) {
    (self.work, self.job, self.worker, self.cost, self.seconds) = (work, job, worker, cost, seconds)
  }
}

/// Learned paces of kinds of work, of jobs, and of workers.
///
/// A job's own results predict the rest of the job best. Until there are enough, the results of its kind of work are used. A
/// worker is compared with what others took for the same work.
package struct Paces: Hashable, Sendable {
  package enum Subject: Hashable, Sendable {
    case work(String)
    case job(String)
    case worker(String)
  }

  package private(set) var estimates: [Subject: PaceEstimate]

  package init(_ estimates: [Subject: PaceEstimate] = [:]) { self.estimates = estimates }

  /// The subjects whose estimates these attempts change.
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

  /// The seconds that a unit of cost takes on a usual worker; nil when nothing is known of such work.
  package func secondsPerCost(work: String, job: String) -> Double? {
    [.job(job), .work(work)].lazy.compactMap { estimates[$0] }.first(where: \.isKnown)?.pace
  }

  /// The seconds that a unit of the cost of a kind of pictures is expected to take, for forecasts: as it was learned; where nothing
  /// is known of that kind, the median of the kinds with the same codec, or of all kinds of pictures; 1 where there are none.
  ///
  /// - Parameter work: as `ResolvedTimeline.work` names it: the codec, a space, and more. Other kinds of work have no space; theirs
  ///   is 1 where nothing is known.
  package func expectedSecondsPerCost(work: String, job: String) -> Double {
    if let known = secondsPerCost(work: work, job: job) { return known }
    guard work.contains(" ") else { return 1 }
    let pictures = estimates.compactMap { subject, estimate -> (name: String, pace: Double)? in
      guard case .work(let name) = subject, estimate.isKnown, name.contains(" ") else { return nil }
      return (name, estimate.pace)
    }
    let alike = pictures.filter { Self.codec(of: $0.name) == Self.codec(of: work) }
    return Self.median((alike.isEmpty ? pictures : alike).map(\.pace)) ?? 1
  }

  private static func codec(of work: String) -> Substring { work.prefix { $0 != " " } }

  /// The median, between the two values in the middle of an even number of them, as PostgreSQL's `percentile_cont(0.5)` has it.
  private static func median(_ values: [Double]) -> Double? {
    guard !values.isEmpty else { return nil }
    let sorted = values.sorted()
    let (lower, upper) = (sorted[(sorted.count - 1) / 2], sorted[sorted.count / 2])
    return lower + (upper - lower) / 2
  }

  /// The seconds that a task of this cost takes on a worker; nil when nothing is known of such work, or the cost is not positive.
  package func seconds(cost: Double, work: String, job: String, on worker: String) -> Double? {
    guard cost > 0 else { return nil }
    return secondsPerCost(work: work, job: job).map { $0 * cost * slowness(of: worker) }
  }

  /// The factor by which a worker takes longer than others; 1 where nothing is known.
  package func slowness(of worker: String) -> Double {
    guard let estimate = estimates[.worker(worker)], estimate.isKnown else { return 1 }
    return estimate.pace
  }

  /// The factor by which such work takes longer than estimated, for the division into chunks and for shares; 1 where nothing
  /// is known. It is rounded to the nearest power of two, so that divisions stay the same while paces vary a little.
  package func plannedSlowness(work: String) -> Double {
    guard let estimate = estimates[.work(work)], estimate.isKnown else { return 1 }
    let pace = estimate.pace
    var power = 1.0
    while pace > power * Self.halfway, power < Self.mostSlowness { power *= 2 }
    while pace * Self.halfway < power, power > 1 / Self.mostSlowness { power /= 2 }
    return power
  }

  /// The square root of two, which is halfway between two powers of two.
  private static let halfway = 1.414_213_562_373_095_1
  /// The largest factor in either direction, a power of two. A larger deviation has other causes than the kind of work.
  package static let mostSlowness = 64.0
}
