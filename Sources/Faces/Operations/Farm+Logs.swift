package import Ledger
internal import Messages

/// The logs that somebody wants to read.
package struct LogRequest: Hashable, Sendable, Codable {
  /// A job's id, a task's number, or an attempt as TASK/NUMBER.
  package var about: String
  /// Only logs with these words in them; nil means all.
  package var words: String?
  package var limit: Int

  package init(about: String, words: String? = nil, limit: Int = 100) {
    (self.about, self.words, self.limit) = (about, words, limit)
  }

  package static let limits = 1...1000
}

/// The record of what attempts wrote, the newest first.
package struct AttemptLogs: Hashable, Sendable, Codable {
  package var logs: [KeptLog]
}

extension Farm {
  /// The record of what attempts wrote to their standard error.
  ///
  /// - Throws: a complaint of the class `noInput` when there is no such job, task or attempt.
  package func logs(_ request: LogRequest) throws(Complaint) -> AttemptLogs {
    try complaining {
      let thing = try thing(request.about)
      return AttemptLogs(logs: try ledger.logs(of: thing, containing: request.words, limit: request.limit))
    }
  }

  private func thing(_ about: String) throws -> LoggedThing {
    if try ledger.status(job: about) != nil { return .job(about) }
    let parts = about.split(separator: "/", omittingEmptySubsequences: false)
    if let task = parts.first.flatMap({ Int64($0) }) {
      if parts.count == 1, try ledger.task(task) != nil { return .task(task) }
      if parts.count == 2, let number = Int32(parts[1]) {
        let key = AttemptKey(task: task, attempt: Int(number))
        if try ledger.has(key) { return .attempt(key) }
      }
    }
    throw Complaint(about, "no such job, task or attempt", .noInput)
  }
}
