package import Messages

/// A number of tasks of one job and kind that wait for the same reason.
package struct WaitingTasks: Hashable, Sendable, Codable {
  package var kind: TaskKind
  package var count: Int
  package var reason: String

  package init(kind: TaskKind, count: Int, reason: String) { (self.kind, self.count, self.reason) = (kind, count, reason) }
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
}
