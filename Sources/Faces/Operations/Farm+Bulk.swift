package import Ledger
internal import Messages

/// The outcome of something that was to be done to many jobs.
package struct BulkOutcome: Hashable, Sendable, Codable {
  package struct Refused: Hashable, Sendable, Codable {
    package var job: String
    package var fault: FaultRecord
  }

  /// Whether nothing was done, and it is only told what would be.
  package var isPreview: Bool
  /// The number of the jobs that were meant.
  package var count: Int
  /// The ids of those to which it was done, or would be.
  package var jobs: [String]
  package var refused: [Refused]

  package init(isPreview: Bool, count: Int, jobs: [String], refused: [Refused] = []) {
    (self.isPreview, self.count, self.jobs, self.refused) = (isPreview, count, jobs, refused)
  }
}

extension Farm {
  /// The most jobs that one filter chooses.
  package static let mostJobs = 10_000

  /// The ids of the jobs that a filter chooses, `mostJobs` at the most.
  package func chosen(by filter: JobFilter) throws(Complaint) -> [String] {
    var filter = filter
    filter.limit = Self.mostJobs
    return try complaining { try ledger.jobs(filter).map(\.id) }
  }

  /// The most jobs of one call of `steer(some:_:)`, so that others can act in between.
  package static let mostJobsTogether = PostgreSQLLedger.mostJobsTogether

  /// Does something to some jobs at once. A job that refuses does not keep the others from it.
  ///
  /// - Throws: a complaint of the class `usage` for a new output, which is for one job alone, and for more than `mostJobsTogether` jobs.
  package func steer(some jobs: [String], _ steering: JobSteering) throws(Complaint) -> BulkOutcome {
    guard jobs.count <= Self.mostJobsTogether else { throw Complaint("jobs", "are more than \(Self.mostJobsTogether)", .usage) }
    let deed = try steering.deed()
    return try complaining {
      var outcome = BulkOutcome(isPreview: false, count: jobs.count, jobs: [])
      for (job, verdict) in zip(jobs, try ledger.perform(deed, on: jobs)) {
        guard let fault = verdict.fault(job) else {
          outcome.jobs.append(job)
          continue
        }
        outcome.refused.append(BulkOutcome.Refused(job: job, fault: fault))
      }
      return outcome
    }
  }

  /// Does something to many jobs, some at a time.
  package func steer(many jobs: [String], _ steering: JobSteering) throws(Complaint) -> BulkOutcome {
    var outcome = BulkOutcome(isPreview: false, count: 0, jobs: [])
    for first in stride(from: 0, to: jobs.count, by: Self.mostJobsTogether) {
      outcome.add(try steer(some: Array(jobs[first...].prefix(Self.mostJobsTogether)), steering))
    }
    return outcome
  }
}

extension BulkOutcome {
  package mutating func add(_ other: BulkOutcome) {
    count += other.count
    jobs += other.jobs
    refused += other.refused
  }
}

extension JobSteering {
  fileprivate func deed() throws(Complaint) -> JobDeed {
    switch self {
    case .cancel: .cancel
    case .pause: .change(.pause)
    case .resume: .change(.resume)
    case .prioritise(let level): .change(.prioritise(try Self.requirePriority(level)))
    case .retry(output: nil, copies: _): .change(.retry)
    case .retry: throw Complaint("output", "is for one job alone", .usage)
    }
  }
}

extension JobVerdict {
  /// The reason why it was not done; nil when it was.
  fileprivate func fault(_ job: String) -> FaultRecord? {
    switch self {
    case .done: nil
    case .unknown: FaultRecord(path: job, kind: ExitClass.noInput.word, text: "no such job")
    case .refused(let state): FaultRecord(path: job, kind: ExitClass.differs.word, text: "is \(state.rawValue)")
    case .outputTaken(let output, let writer):
      FaultRecord(path: job, kind: ExitClass.cannotCreate.word, text: "\(LedgerError.outputTaken(output, job: writer))")
    }
  }
}
