package import Messages

/// A change of a state that the history holds: of a job, or of a task or an attempt of it.
package struct HistoryEntry: Hashable, Sendable, Codable {
  /// The time in UTC, to milliseconds.
  package var at: String
  /// The kind of thing that changed: "job", "task" or "attempt".
  package var entity: String
  package var task: Int64?
  /// The number of the attempt.
  package var number: Int?
  package var worker: String?
  /// The state that was left; nil when there was none.
  package var before: String?
  package var after: String
  /// The reason of a failure, or of a task that was split off.
  package var reason: String?

  package init(
    at: String, entity: String, task: Int64? = nil, number: Int? = nil, worker: String? = nil, before: String? = nil,
    after: String,
    reason: String? = nil
  ) {
    (self.at, self.entity, self.task, self.number) = (at, entity, task, number)
    (self.worker, self.before, self.after, self.reason) = (worker, before, after, reason)
  }
}

/// An attempt at a task of a job, as the farm's record has it.
package struct AttemptSpan: Hashable, Sendable {
  package var key: AttemptKey
  /// The task's place in the job.
  package var ordinal: Int
  package var kind: TaskKind
  package var frames: FrameRange?
  package var worker: String
  /// Whether it was begun beside a slow one.
  package var isSpeculative: Bool
  /// The outcome in the database's word; nil while it runs.
  package var outcome: String?
  package var failure: Failure?
  /// The microseconds from the job's submission until it began.
  package var began: Int
  /// The microseconds from the job's submission until it ended, or until now while it runs.
  package var ended: Int

  /// Whether it runs, or its result is used.
  package var counts: Bool { outcome == nil || outcome == "won" }
  /// Whether its worker gave it back before anything was made.
  package var isReturned: Bool { outcome == "returned" }
  /// Whether its work was lost.
  package var isLost: Bool { !counts && !isReturned }

  package init(
    key: AttemptKey, ordinal: Int, kind: TaskKind, frames: FrameRange?, worker: String, isSpeculative: Bool = false,
    outcome: String?,
    failure: Failure? = nil, began: Int, ended: Int
  ) {
    (self.key, self.ordinal, self.kind, self.frames, self.worker) = (key, ordinal, kind, frames, worker)
    (self.isSpeculative, self.outcome, self.failure, self.began, self.ended) = (isSpeculative, outcome, failure, began, ended)
  }
}
