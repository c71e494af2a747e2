package import Ledger
package import Messages
internal import Scheduling

/// A farm at a glance: what keeps it from working, its jobs, coordinators and workers.
package struct FarmReport: Hashable, Sendable, Codable {
  package var coordinators: [CoordinatorStatus]
  package var farm: FarmStatus
  package var jobs: [JobStatus]
  /// The forecast of the seconds until nothing is left to do, of all jobs and not only of these; nil while nobody can say, and 0 where nothing waits.
  package var secondsLeft: Double?
  package var workers: [WorkerStatus]
}

/// A job and its tasks, the damaged media that were replaced in it, the loudness of its sound, and how well it meets its target.
package struct JobReport: Hashable, Sendable, Codable {
  package var concealed: [Concealment]
  package var job: JobStatus
  /// Nil where the edit asks for none, and while the sound is not done.
  package var loudness: SoundLoudness?
  /// Nil where no chunk was found that an earlier job had rendered.
  package var reuse: JobReuse?
  /// How well the movie meets the target of its bits; nil where the edit has none, and while the movie is not muxed.
  package var target: TargetMeasure?
  package var tasks: [TaskStatus]
  /// The place at which the next page of tasks begins; nil where these are the last ones.
  package var next: String?
  /// The trouble of the task that was tried most often, in words; nil when nothing is being retried.
  package var trouble: String?
  /// The parts of the job's time since its submission.
  package var time: [JobTimeShare]
}

extension Farm {
  /// The farm, with the jobs that the filter lets through. Running jobs come first, then waiting ones in their order, then the
  /// newest that ended.
  package func report(_ filter: JobFilter) throws(Complaint) -> FarmReport {
    try complaining { try Self.report(filter, of: ledger) }
  }

  package func jobs(_ filter: JobFilter) throws(Complaint) -> [JobStatus] { try complaining { try ledger.jobs(filter) } }

  package func workers() throws(Complaint) -> [WorkerStatus] { try complaining { try ledger.workers() } }

  static func report(_ filter: JobFilter, of ledger: PostgreSQLLedger) throws(LedgerError) -> FarmReport {
    let (farm, coordinators, workers) = (try ledger.farm(), try ledger.coordinators(), try ledger.workers())
    let queue = try ledger.queue()
    let forecast = Forecast(queue)
    let jobs = try ledger.jobs(filter).map { found in
      var job = found
      job.secondsLeft = job.state.isFinal ? nil : forecast.secondsLeft[job.id]
      return job
    }
    return FarmReport(
      coordinators: coordinators, farm: farm, jobs: jobs, secondsLeft: Self.secondsLeft(queue, forecast), workers: workers)
  }

  /// The hours of the farm's time that may be asked for.
  package static let timeHours = 1...8784

  /// The place where the time of the farm's slots went in the last hours.
  package func time(hours: Int) throws(Complaint) -> FarmTime { try complaining { try ledger.slotTime(seconds: hours * 3600) } }

  /// The farm in numbers, for monitoring. The forecast of the time until all that waits is done is among them, as `seconds_left`,
  /// unless it is unknown.
  package func measures() throws(Complaint) -> [FarmMeasure] {
    try complaining {
      let queue = try ledger.queue()
      let left = Self.secondsLeft(queue, Forecast(queue))
      return try ledger.measures() + (left.map { [FarmMeasure(name: "seconds_left", labels: ["", ""], value: $0)] } ?? [])
    }
  }

  /// The forecast of the time until all that waits is done; nil while nobody can say.
  private static func secondsLeft(_ queue: FarmQueue, _ forecast: Forecast) -> Double? {
    queue.jobs.isEmpty ? 0 : forecast.secondsLeft.values.max()
  }

  /// - Throws: a complaint of the class `noInput` when there is no such job.
  package func report(job id: String) throws(Complaint) -> JobReport {
    try report(job: id) { ledger throws(LedgerError) in (try ledger.tasks(job: id), nil) }
  }

  /// A job with a page of its tasks.
  ///
  /// - Parameters:
  ///   - last: the task that the page before ended with; nil for the first page.
  ///   - limit: the most tasks; positive.
  /// - Throws: a complaint of the class `noInput` when there is no such job.
  package func report(job id: String, after last: Int64?, limit: Int) throws(Complaint) -> JobReport {
    try report(job: id) { ledger throws(LedgerError) in
      // One task more tells whether there is another page.
      let found = try ledger.tasks(job: id, after: last, limit: limit + 1)
      let page = Array(found.prefix(limit))
      return (page, found.count > limit ? page.last.map { String($0.id) } : nil)
    }
  }

  private func report(
    job id: String, _ read: (PostgreSQLLedger) throws(LedgerError) -> (tasks: [TaskStatus], next: String?)
  ) throws(Complaint) -> JobReport {
    try complaining {
      guard var job = try ledger.status(job: id) else { throw Self.unknown(job: id) }
      if !job.state.isFinal { job.secondsLeft = Forecast(try ledger.queue()).secondsLeft[id] }
      let (tasks, next) = try read(ledger)
      // A database that an earlier build of this version made does not tell what was found.
      let reuse = try? ledger.reuse(job: id)
      // Neither does it tell how well the target was met.
      let target = try? ledger.target(job: id)
      return JobReport(
        concealed: try ledger.concealed(job: id), job: job, loudness: try ledger.loudness(job: id), reuse: reuse,
        target: target, tasks: tasks, next: next,
        trouble: job.state.isFinal ? nil : try ledger.trouble(job: id)?.description, time: try ledger.time(job: id))
    }
  }

  /// The numbers of tasks that a page of a job may have.
  package static let taskPages = 1...10_000
  package static let usualTaskPage = 1000

  static func unknown(job: String) -> Complaint { Complaint(job, "no such job", .noInput) }
}
