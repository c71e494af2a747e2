/// A job that needs nothing in the store any more.
package struct OverJob: Hashable, Sendable, Codable {
  package var id: String
  /// The absolute path of its movie, or its place in S3. It is nil when the farm does not know the job, because its database was restored or another
  /// farm used the store.
  package var output: String?
  /// The further places of its movie; nil where there are none.
  package var copies: [String]?
  /// The attempts that have ended for good; nil means all of them, because the job never goes on.
  package var dead: DeadAttempts?

  /// The most jobs in a message, and in a request to the ledger. Other jobs follow at the next sweep.
  package static let mostAtOnce = 1000

  package init(id: String, output: String?, copies: [String] = [], dead: DeadAttempts? = nil) {
    (self.id, self.output, self.dead) = (id, output, dead)
    self.copies = copies.isEmpty ? nil : copies
  }

  /// All places of its movie; none when the farm does not know the job.
  package var places: [String] { (output.map { [$0] } ?? []) + (copies ?? []) }
}

/// The attempts that existed when their job had ended. A retry of the job uses higher numbers. So an order to clear these
/// attempts' files harms no later file, however late it comes.
package struct DeadAttempts: Hashable, Sendable, Codable {
  /// The job's last task at that time. Later tasks, which are rests of divided chunks, have no dead attempts.
  package var lastTask: Int64
  /// The highest number of an attempt at any of these tasks.
  package var lastNumber: Int

  package init(lastTask: Int64, lastNumber: Int) { (self.lastTask, self.lastNumber) = (lastTask, lastNumber) }

  package func contains(_ key: AttemptKey) -> Bool { key.task <= lastTask && key.attempt <= lastNumber }
}

/// The order of a process that sweeps the store, which it reads from its standard input as one line of JSON.
package struct SweepOrder: Hashable, Sendable, Codable {
  /// The jobs whose files are to be cleared away. If there are none, the process lists the jobs in the store.
  package var over: [OverJob]

  package init(over: [OverJob]) { self.over = over }
}
