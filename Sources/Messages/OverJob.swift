/// A job that needs nothing in the store any more.
package struct OverJob: Hashable, Sendable, Codable {
  package var id: String
  /// The absolute path of its movie; nil where the farm does not know the job: its database was restored, or the store was
  /// another farm's.
  package var output: String?
  /// Which of its attempts are over for good; nil: all, since the job never goes on.
  package var dead: DeadAttempts?

  /// Jobs in a message, and in a question to the ledger. Whoever has more tells of others the next time.
  package static let mostAtOnce = 1000

  package init(id: String, output: String?, dead: DeadAttempts? = nil) { (self.id, self.output, self.dead) = (id, output, dead) }
}

/// The attempts that there were when their job had ended. Whoever retries the job begins after them, so that an order to clear away
/// what they left, however late it comes, harms nothing that was made since.
package struct DeadAttempts: Hashable, Sendable, Codable {
  /// Tasks that came later, as rests of divided chunks do, have no dead attempts.
  package var lastTask: Int64
  /// The highest number of an attempt at any of these tasks.
  package var lastNumber: Int

  package init(lastTask: Int64, lastNumber: Int) { (self.lastTask, self.lastNumber) = (lastTask, lastNumber) }

  package func contains(_ key: AttemptKey) -> Bool { key.task <= lastTask && key.attempt <= lastNumber }
}

/// What the process that sweeps a store is told, on its standard input, as one JSON line.
package struct SweepOrder: Hashable, Sendable, Codable {
  /// What to clear away; when there is none, the jobs in the store are listed.
  package var over: [OverJob]

  package init(over: [OverJob]) { self.over = over }
}
