package import Messages
internal import Scheduling

extension SimulatedFarm {
  /// Has a user cancel the job.
  package func cancel(_ job: String, after wait: Duration) { after(wait, .cancel(job)) }
  /// Has the machine of a worker, by its place, end after a notice.
  package func takeAway(worker: Int, after wait: Duration, notice: Duration) { after(wait, .interrupt(worker, notice: notice)) }
  /// Has a user retry the job.
  package func retry(_ job: String, after wait: Duration) { after(wait, .retry(job)) }

  /// Tells a worker that its machine ends. Where there is a notice, the machine ends when it is over.
  func interrupt(_ position: Int, notice: Duration?) {
    guard let route = workers[position].route else { return }
    act(position, .interrupted)
    if let notice { after(notice, .takeAway(position, route: route)) }
  }

  func takeAway(_ position: Int) {
    disconnect(position)
    workers[position].state = nil
    after(random.wait(upTo: .seconds(15)), .startWorker(position))
  }

  /// The probability of each fault, at each occasion until `end`.
  package struct Faults: Sendable {
    package var loss = 0.03
    package var duplication = 0.05
    /// The probability that a message comes late, by up to `latest`. Others take up to 2 ms.
    package var lateness = 0.1
    package var latest = Duration.seconds(5)
    /// The probabilities that an attempt's process crashes or hangs.
    package var crash = 0.02
    package var hang = 0.02
    /// The probability that an attempt is slow and takes up to `slowest`. Others take up to 4 s.
    package var slowness = 0.05
    package var slowest = Duration.seconds(60)
    /// The time that an attempt takes if nothing slows it down; nil leaves it to chance.
    package var length: (@Sendable (Work) -> Duration)?
    /// Whether the segment of an order was made before; nil where workers do not look. Then they take `ahead` attempts ahead of their slots.
    package var isFound: (@Sendable (AttemptOrder) -> Bool)?
    package var ahead = 16
    /// The probability that a coordinator stands still just before it writes.
    package var stop = 0.002
    package var longestStop = Duration.seconds(15)
    /// The probabilities that the ledger commits and its answer is lost, or that the coordinator dies before it has the answer.
    package var lostAnswer = 0.002
    package var deathAfterCommit = 0.002
    /// The probabilities that the ledger refuses a request, as when a statement takes too long. Requests that open or find
    /// attempts are refused more often. The attempts may have been committed before the rest of such a request was refused.
    package var refusal = 0.003
    package var lookUpRefusal = 0.05
    /// The notice with which the machines of workers that are told to stop end; nil: they do not end. The workers know it.
    package var notice: Duration?
    /// A planted bug: the probability that a process renders frames that it promised to leave to others.
    package var brokenPromises = 0.0
    /// The mean time between faults of the farm: crashes of workers and coordinators, stops, partitions, outages of the ledger.
    /// Zero means none.
    package var interval = Duration.seconds(4)
    package var end = Duration.seconds(60)

    package init() {}

    package static var none: Faults {
      var faults = Faults()
      (faults.interval, faults.end) = (.zero, .zero)
      return faults
    }

    /// No faults; each attempt takes as long as `length` says.
    package static func calm(length: @escaping @Sendable (Work) -> Duration) -> Faults {
      var faults = none
      faults.length = length
      return faults
    }
  }
}
