import FarmTesting
import Ledger
import Messages
import Scheduling

/// A ledger with the classic fault: a result completes its task, whichever attempt it came from.
final class UnfencedLedger: Ledger {
  private let inner: MemoryLedger
  private var holders: [Int64: (key: AttemptKey, worker: String, epoch: String)] = [:]

  init(_ inner: MemoryLedger) { self.inner = inner }

  func commit(_ key: AttemptKey, worker: String, epoch: String, proof: Proof) throws(LedgerError) -> CommitVerdict {
    guard let holder = holders[key.task] else { return .stale }
    return try inner.commit(holder.key, worker: holder.worker, epoch: holder.epoch, proof: proof)
  }

  func claim(for workers: [FreeSlots]) throws(LedgerError) -> [ClaimedAttempt] {
    let claimed = try inner.claim(for: workers)
    for attempt in claimed {
      let epoch = workers.first { $0.worker == attempt.worker }?.epoch ?? ""
      holders[attempt.order.key.task] = (attempt.order.key, attempt.worker, epoch)
    }
    return claimed
  }

  func submit(_ submission: JobSubmission) throws(LedgerError) -> String { try inner.submit(submission) }
  func register(_ hello: WorkerHello) throws(LedgerError) { try inner.register(hello) }
  func heartbeat(worker: String, epoch: String, running: [AttemptProgress]) throws(LedgerError) -> [AttemptKey] {
    try inner.heartbeat(worker: worker, epoch: epoch, running: running)
  }
  func retire(worker: String, epoch: String) throws(LedgerError) { try inner.retire(worker: worker, epoch: epoch) }
  func openAttempts(worker: String, epoch: String) throws(LedgerError) -> [ClaimedAttempt] {
    try inner.openAttempts(worker: worker, epoch: epoch)
  }
  func fail(_ key: AttemptKey, worker: String, epoch: String, _ failure: Failure) throws(LedgerError) -> FailVerdict {
    try inner.fail(key, worker: worker, epoch: epoch, failure)
  }
  func expire() throws(LedgerError) -> [ExpiredAttempt] { try inner.expire() }
  func cancel(job: String) throws(LedgerError) -> [ExpiredAttempt]? { try inner.cancel(job: job) }
  func status(job: String) throws(LedgerError) -> JobStatus? { try inner.status(job: job) }
  func jobs(limit: Int) throws(LedgerError) -> [JobStatus] { try inner.jobs(limit: limit) }
  func workers() throws(LedgerError) -> [WorkerStatus] { try inner.workers() }
  func tasks(job: String) throws(LedgerError) -> [TaskStatus] { try inner.tasks(job: job) }
  var notificationDescriptor: Int32? { inner.notificationDescriptor }
  func takeNotifications() throws(LedgerError) -> Bool { try inner.takeNotifications() }
}
