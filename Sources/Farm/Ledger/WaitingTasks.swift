package import Messages

/// A number of tasks of one job and kind that wait for the same reason.
package struct WaitingTasks: Hashable, Sendable, Codable {
  package var kind: TaskKind
  package var count: Int
  package var reason: String

  package init(kind: TaskKind, count: Int, reason: String) { (self.kind, self.count, self.reason) = (kind, count, reason) }
}

/// The place of a job among all that have not ended.
package struct JobStanding: Hashable, Sendable {
  /// The reason why the whole farm gives out no work; nil when there is none.
  package var farmReason: String?
  /// The number of tasks of other jobs with the same needs that go before its own.
  package var before: Int
}

/// The reason why a task waits, and its place in the queue.
package struct TaskWait: Hashable, Sendable {
  package var reason: String
  /// The number of tasks that go before it, as far as that is known: those of its job, and of jobs with the same needs that go first.
  package var before: Int?

  package init(reason: String, before: Int?) { (self.reason, self.before) = (reason, before) }
}

/// A task that failed and is tried again.
package struct JobTrouble: Hashable, Sendable, Codable, CustomStringConvertible {
  package var task: Int64
  package var tries: Int
  /// The failure of the last try.
  package var failure: Failure

  package var description: String {
    "task \(task) was tried in vain\(tries == 1 ? "" : " \(tries) times, the last time"): \(failure)"
  }
}

/// A task, the seconds since its open attempt last made progress, and the seconds that the attempt may go without progress.
package struct FoundTask: Hashable, Sendable {
  package var job: String
  package var status: TaskStatus
  package var silence: Double?
  package var patience: Double?
  /// The job that waits for its result, which replaced its own; nil where none does.
  package var awaitedBy: String?
}
