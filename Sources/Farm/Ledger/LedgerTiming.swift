package import Scheduling

/// The time limits that a ledger sets, in milliseconds of its own clock unless a comment says otherwise, and how much it does.
package struct LedgerTiming: Hashable, Sendable {
  /// The time after a heartbeat in which a worker counts as alive. Workers send one each second, so ten in a row must be lost.
  package var lease = 10_000
  /// The lease of the coordinator that leads, which it renews each second. It is short, so that workers have a leader again long
  /// before their own leases end.
  package var leadership = 5_000
  /// The time that an attempt may go without progress.
  package var patience = PatiencePolicy()
  /// The time that a retry waits for another worker than the one that failed the task.
  package var otherWorkerGrace = 10_000
  /// The time after which waiting raises a priority by one level, when none of a submitter's jobs of that priority was given
  /// anything; 0 for never. It only has to make sure that no job waits for ever. An hour lets priorities hold for a day's work.
  package var ageing = 3_600_000
  /// The shortest time that a result counts for. A shorter attempt counts as this, because most of it was the start of a process.
  package var shortestWork = 100
  /// The number of a job's tasks that one transaction cancels or readies. It takes about a hundredth of a second, in which the
  /// results of all jobs wait.
  package var tasksAtOnce = 500
  /// The number of months for which history is kept, besides the current one.
  package var historyMonths = 12
  /// The number of days after which a silent worker is forgotten. Each new pod of a container cluster has a new name.
  package var silentDays = 14
  /// The time that the server gives a statement.
  package var statement = 30_000
  /// The time that a migration waits for a table that others use. Everybody who comes after it waits with it.
  package var schemaLock = 5_000

  package init() {}
}
