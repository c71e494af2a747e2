package import Ledger
internal import Linux
internal import Messages
internal import Scheduling

/// The request for a watch: some jobs are watched until all of them have ended, or the farm until somebody interrupts.
package struct WatchRequest: Hashable, Sendable {
  /// The ids of the jobs; empty for the farm.
  package var jobs: [String]
  /// The jobs that are seen of the farm.
  package var filter: JobFilter
  /// The pause between two looks.
  package var pause: Duration

  package init(jobs: [String] = [], filter: JobFilter = JobFilter(), pause: Duration = .seconds(1)) {
    (self.jobs, self.filter, self.pause) = (jobs, filter, pause)
  }
}

/// The answer to one look.
package enum Sight {
  case farm(FarmReport)
  /// The jobs in the order of the request.
  case jobs([JobStatus])
  /// The database does not answer. Nothing is known of the farm, and nothing is lost.
  case away(Complaint)
}

extension Farm {
  /// Looks at what was asked for again and again. A database that answered once may be away for any time.
  ///
  /// - Parameter show: is told of each look, the last one too, on this thread. What it throws ends the watch.
  /// - Returns: the jobs as they ended, in the order of the request; nil when somebody interrupted.
  /// - Throws: `Complaint`, or what `show` threw. The class is `noInput` when there is no such job, and `unavailable` when the
  ///   database did not answer at the first look.
  package func watch(
    _ request: WatchRequest, _ interruption: Interruption, show: (Sight) throws -> Void
  ) throws -> [JobStatus]? {
    let ledger = try ledger(interruptedBy: interruption.descriptor)
    var hasSeen = false
    while try !interruption.hasCome() {
      do {
        let sight = try Self.look(request, ledger)
        hasSeen = true
        try show(sight)
        if case .jobs(let jobs) = sight, jobs.allSatisfy(\.state.isFinal) { return jobs }
      } catch let error as LedgerError {
        guard case .unavailable = error, hasSeen || interruption.isWaiting else { throw Complaint(about: error) }
        if !interruption.isWaiting { try show(.away(Complaint(about: error))) }
      }
      Readiness.waitToRead([interruption.descriptor], within: request.pause)
    }
    return nil
  }

  private static func look(_ request: WatchRequest, _ ledger: PostgreSQLLedger) throws -> Sight {
    guard !request.jobs.isEmpty else { return .farm(try report(request.filter, of: ledger)) }
    let forecast = Forecast(try ledger.queue())
    return .jobs(
      try request.jobs.map { id in
        guard var job = try ledger.status(job: id) else { throw unknown(job: id) }
        if !job.state.isFinal { job.secondsLeft = forecast.secondsLeft[id] }
        return job
      })
  }
}

extension JobStatus {
  /// The complaint of those who waited for the movie of a job that has ended; nil when the job is done.
  package var complaint: Complaint? {
    switch state {
    case .done: nil
    case .cancelled: Complaint(id, "the job was cancelled", .interrupted)
    case .failed: Complaint(about: failure ?? Failure(.bug, at: id, "the job failed and does not say why"))
    case .queued, .running: Complaint(id, "the job has not ended", .software)
    }
  }
}
