package import Messages

extension SimulatedFarm {
  /// A user cancels the job.
  package func cancel(_ job: String, after wait: Duration) { after(wait, .cancel(job)) }
  /// A user retries it.
  package func retry(_ job: String, after wait: Duration) { after(wait, .retry(job)) }

  /// What goes wrong until `end`, with which probability each time.
  package struct Faults: Sendable {
    package var loss = 0.03
    package var duplication = 0.05
    /// Of a message that comes late, up to `latest`; others take up to 2 ms.
    package var lateness = 0.1
    package var latest = Duration.seconds(5)
    /// An attempt's process crashes, or hangs.
    package var crash = 0.02
    package var hang = 0.02
    /// It takes up to `slowest`; others take up to 4 s.
    package var slowness = 0.05
    package var slowest = Duration.seconds(60)
    /// What an attempt takes where nothing slows it down; nil is chance.
    package var length: (@Sendable (Work) -> Duration)?
    /// A coordinator stands still just before it writes.
    package var stop = 0.002
    package var longestStop = Duration.seconds(15)
    /// The ledger commits and its answer is lost, or the coordinator dies of it.
    package var lostAnswer = 0.002
    package var deathAfterCommit = 0.002
    /// The ledger refuses a request, as where a statement takes too long: of any kind, and most often one that opens or finds attempts. What
    /// opens attempts may have been committed before the rest of the request was refused.
    package var refusal = 0.003
    package var lookUpRefusal = 0.05
    /// Planted: how many processes render frames that they promised to leave to others.
    package var brokenPromises = 0.0
    /// The mean time between crashes of workers and coordinators, stops of coordinators, partitions, and outages of the ledger; zero is never.
    package var interval = Duration.seconds(4)
    package var end = Duration.seconds(60)

    package init() {}

    package static var none: Faults {
      var faults = Faults()
      (faults.interval, faults.end) = (.zero, .zero)
      return faults
    }

    /// Nothing goes wrong, and each attempt takes as long as `length` says.
    package static func calm(length: @escaping @Sendable (Work) -> Duration) -> Faults {
      var faults = none
      faults.length = length
      return faults
    }
  }
}
