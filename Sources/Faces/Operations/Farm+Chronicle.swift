package import Ledger
package import Messages
internal import Scheduling

/// A job in short, without its tasks.
package struct JobGlance: Hashable, Sendable, Codable {
  package var job: JobStatus
  /// The damaged media that were replaced.
  package var concealed: [Concealment]
  /// The loudness of its sound; nil where the edit asks for none, and while the sound is not done.
  package var loudness: SoundLoudness?
  /// The trouble of the task that was tried most often, in words; nil when nothing is being retried.
  package var trouble: String?
  /// The reasons why it waits, or how it gets on, each a predicate behind the job's id.
  package var reasons: [String]
  /// The parts of its time since its submission.
  package var time: [JobTimeShare]

  package init(
    job: JobStatus, concealed: [Concealment] = [], loudness: SoundLoudness? = nil, trouble: String? = nil, reasons: [String],
    time: [JobTimeShare]
  ) {
    (self.job, self.concealed, self.loudness) = (job, concealed, loudness)
    (self.trouble, self.reasons, self.time) = (trouble, reasons, time)
  }
}

/// The last changes of a job, its tasks and attempts, the newest first.
package struct JobHistory: Hashable, Sendable, Codable {
  package var entries: [HistoryEntry]
}

extension Farm {
  /// - Throws: a complaint of the class `noInput` when there is no such job.
  package func glance(job id: String) throws(Complaint) -> JobGlance {
    let reasons = try why(job: id)
    return try complaining {
      guard var job = try ledger.status(job: id) else { throw Self.unknown(job: id) }
      if !job.state.isFinal { job.secondsLeft = Forecast(try ledger.queue()).secondsLeft[id] }
      return JobGlance(
        job: job, concealed: try ledger.concealed(job: id), loudness: try ledger.loudness(job: id),
        trouble: try ledger.trouble(job: id)?.description, reasons: reasons, time: try ledger.time(job: id))
    }
  }

  /// The numbers of entries that may be asked for.
  package static let historyLimits = 1...1000

  /// - Throws: a complaint of the class `noInput` when there is no such job.
  package func history(job id: String, limit: Int) throws(Complaint) -> JobHistory {
    try complaining {
      guard try ledger.status(job: id) != nil else { throw Self.unknown(job: id) }
      return JobHistory(entries: try ledger.history(job: id, limit: limit))
    }
  }

  /// The places and times of all tasks of a job in the order of the movie, and its critical path, as JSON with an array for each property.
  ///
  /// - Throws: a complaint of the class `noInput` when there is no such job.
  package func chunkColumns(job id: String) throws(Complaint) -> [UInt8] {
    try complaining {
      guard let columns = try ledger.chunkColumns(job: id) else { throw Self.unknown(job: id) }
      return columns
    }
  }

  /// The critical path of a job; nil when there is no such job, or nothing of it ran.
  func criticalPath(job id: String) throws -> CriticalPath? {
    guard let job = try ledger.status(job: id) else { return nil }
    let attempts = try ledger.attempts(job: id)
    guard !attempts.isEmpty else { return nil }
    return CriticalPath(attempts, try ledger.moments(job: id), end: job.microseconds)
  }

  /// A job's attempts over time, as a file for Perfetto or chrome://tracing.
  ///
  /// - Throws: a complaint of the class `noInput` when there is no such job.
  package func trace(job id: String) throws(Complaint) -> [UInt8] {
    try complaining {
      guard let job = try ledger.status(job: id) else { throw Self.unknown(job: id) }
      return JobTrace(job, try ledger.attempts(job: id)).bytes
    }
  }
}
