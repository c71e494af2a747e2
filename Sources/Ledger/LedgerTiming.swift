package import Scheduling

/// The deadlines that a ledger sets, in milliseconds of its own clock, how long it remembers, and how much it does at once.
package struct LedgerTiming: Hashable, Sendable {
  /// How long after a heartbeat a worker counts as alive. Workers send one a second, so ten in a row must be lost.
  package var lease = 10_000
  /// How long the coordinator that leads may fail to renew its lease, once a second, before another one leads: so short that
  /// workers have a leader again long before their own leases end.
  package var leadership = 5_000
  /// How long an attempt may show no progress.
  package var patience = PatiencePolicy()
  /// How long a retry waits for another worker than the one that failed it.
  package var otherWorkerGrace = 10_000
  /// A submitter's jobs of a priority that are given nothing for so long go before those whose priority is higher by one; 0: never. An hour:
  /// that none waits for ever is all it is for, and a priority is to hold for a day's work.
  package var ageing = 3_600_000
  /// An attempt that took less says nothing of its work's pace, but of a process's start.
  package var shortestWork = 100
  /// How many tasks of a job are cancelled, or made ready again, in one transaction: a hundredth of a second or some, for which the
  /// results of all jobs wait.
  package var tasksAtOnce = 500
  /// Months for which history is kept, beyond the one that runs.
  package var historyMonths = 12
  /// Days after which a worker that was not heard is forgotten. Pods have a new name each.
  package var silentDays = 14
  /// How long the server gives a statement.
  package var statement = 30_000
  /// How long a migration waits for a table that others use: whoever comes after it waits with it.
  package var schemaLock = 5_000

  package init() {}
}
