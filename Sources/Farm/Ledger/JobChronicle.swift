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

/// The place and the times of one task, for a map of a job.
package struct TaskSpan: Hashable, Sendable {
  package var task: Int64
  package var kind: TaskKind
  package var state: TaskState
  package var frames: FrameRange?
  /// The worker who runs it, or who won.
  package var worker: String?
  package var attempts: Int
  /// The milliseconds from the job's submission until the attempt that runs or won began; nil when there is none.
  package var began: Int?
  /// The milliseconds from the job's submission until that attempt ended; nil while it runs.
  package var ended: Int?
  /// The parts of a chunk's time, as the attempt that won measured them; nil while there is none, and for other tasks.
  package var times: RenderingTimes?
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

  package init(
    key: AttemptKey, ordinal: Int, kind: TaskKind, frames: FrameRange?, worker: String, isSpeculative: Bool = false,
    outcome: String?,
    failure: Failure? = nil, began: Int, ended: Int
  ) {
    (self.key, self.ordinal, self.kind, self.frames, self.worker) = (key, ordinal, kind, frames, worker)
    (self.isSpeculative, self.outcome, self.failure, self.began, self.ended) = (isSpeculative, outcome, failure, began, ended)
  }
}
