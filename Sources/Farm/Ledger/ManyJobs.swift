internal import Messages
internal import PostgreSQL
internal import Scheduling

/// A deed that may be done to many jobs.
package enum JobDeed: Hashable, Sendable {
  case cancel
  case change(JobChange)

  /// The verb in the audit.
  var word: String {
    switch self {
    case .cancel: "cancel"
    case .change(let change): change.word
    }
  }
}

/// The record of what became of one of many jobs to which something was to be done.
package enum JobVerdict: Hashable, Sendable {
  /// It was done, now or before.
  case done
  case unknown
  /// The job is in no state for it.
  case refused(JobState)
  /// The job cannot be retried, because another one that has not ended writes its output.
  case outputTaken(String, job: String)
}

extension PostgreSQLLedger {
  /// The most jobs of one transaction. It locks them all until it ends, and a coordinator may wait for one of them.
  package static let mostJobsTogether = 100

  /// Does something to many jobs in one transaction. A job that refuses does not keep the others from it.
  ///
  /// - Parameter jobs: `mostJobsTogether` ids at the most.
  /// - Returns: a verdict for each job, in their order.
  package func perform(_ deed: JobDeed, on jobs: [String]) throws(LedgerError) -> [JobVerdict] {
    precondition(jobs.count <= Self.mostJobsTogether)
    guard !jobs.isEmpty else { return [] }
    return try perform(Deed(deed.word, job: jobs.count == 1 ? jobs[0] : nil, jobs: jobs.count == 1 ? nil : jobs.count)) {
      session throws(LedgerError) in
      let answers = try answers(deed, jobs, session)
      // The states are read after all jobs were locked.
      var states: [String: JobState] = [:]
      _ = try session.all(.readStates, [.texts(jobs)]) { row throws(PostgreSQLError) in
        states[try row.value("id")] = try row.case("state")
      }
      try session.change(.notify)
      return jobs.map { job in
        guard let state = states[job] else { return .unknown }
        switch deed {
        case .cancel: return state == .cancelled ? .done : .refused(state)
        case .change:
          if let answer = answers[job], let writer = answer.writer { return .outputTaken(answer.output ?? "", job: writer) }
          guard answers[job]?.isChanged == true else { return .refused(state) }
          specs[job] = nil
          return .done
        }
      }
    }
  }

  private typealias Answer = (isChanged: Bool?, output: String?, writer: String?)

  private func answers(_ deed: JobDeed, _ jobs: [String], _ session: Session) throws(LedgerError) -> [String: Answer] {
    var answers: [String: Answer] = [:]
    switch deed {
    case .cancel: try session.change(.cancelJobs, [.texts(jobs), .integer(timing.tasksAtOnce)])
    case .change(let change):
      let values: [Parameter] = [
        .texts(jobs), .text(change.word), .integer(change.priority), .text(change.output), .integer(timing.tasksAtOnce),
        .texts(change.copies),
      ]
      _ = try session.all(.changeJobs, values) { row throws(PostgreSQLError) in
        answers[try row.value("id")] = (
          try row.optional("is_changed"), try row.optional("output"), try row.optional("writer")
        )
      }
    }
    return answers
  }
}

extension Statement {
  /// The jobs $1, in the order in which all lock them.
  private static let inOrder = "(select distinct id from unnest($1::text[]) as u(id) order by id) n"

  /// Cancels jobs $1, with $2 tasks at once.
  static let cancelJobs = Statement(
    "cancel_jobs", "select n.id from \(inOrder) cross join lateral (select task from spool.cancel_job(n.id, $2) offset 0) c")

  /// Changes jobs $1 as `changeJob` does one.
  static let changeJobs = Statement(
    "change_jobs",
    """
    select n.id, c.is_changed, c.output, c.writer
    from \(inOrder) cross join lateral (select * from spool.change_job(n.id, $2, $3, $4, $5, $6::text[]) offset 0) c
    """)

  static let readStates = Statement("read_states", "select id, state from spool.job where id = any($1::text[])")
}
