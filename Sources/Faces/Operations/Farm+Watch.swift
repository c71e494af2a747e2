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
    return try request.watch(interruption, show) {
      do { return try Self.look(request, ledger) } catch let error as LedgerError {
        guard case .unavailable = error else { throw error }
        return .away(Complaint(about: error))
      }
    }
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

extension WatchRequest {
  /// Looks again and again, until all jobs have ended or somebody interrupts. What answered once may be away for any time.
  func watch(_ interruption: Interruption, _ show: (Sight) throws -> Void, look: () throws -> Sight) throws -> [JobStatus]? {
    var hasSeen = false
    while try !interruption.hasCome() {
      let sight: Sight
      do { sight = try look() } catch { throw Complaint(about: error) }
      if case .away(let complaint) = sight {
        // A look that an interruption cut short tells nothing.
        if interruption.isWaiting { continue }
        guard hasSeen else { throw complaint }
      } else {
        hasSeen = true
      }
      try show(sight)
      if case .jobs(let jobs) = sight, jobs.allSatisfy(\.state.isFinal) { return jobs }
      Readiness.waitToRead([interruption.descriptor], within: pause)
    }
    return nil
  }
}

extension JobStatus {
  /// The complaint of those who waited for the movie of a job that has ended; nil when the job is done, and its movie in all its places.
  package var complaint: Complaint? {
    switch state {
    case .done: copies?.complaint
    case .cancelled: Complaint(id, "the job was cancelled", .interrupted)
    case .failed: Complaint(about: failure ?? Failure(.bug, at: id, "the job failed and does not say why"))
    case .queued, .running: Complaint(id, "the job has not ended", .software)
    }
  }
}
