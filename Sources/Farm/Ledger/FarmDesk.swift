package import Messages
package import Scheduling

/// The farm's desk: where jobs are handed in and changed, and where operators ask how the farm gets on. It is the other side of
/// the record that coordinators write by `Ledger`. Its calls belong to no coordinator's term.
///
/// Every call is one transaction. Calls block. A desk belongs to one thread.
package protocol FarmDesk: StoreRecord {
  /// Enters a job. Submitting the same `id` again changes nothing. A job that it replaces is cancelled together with that, but for attempts that make
  /// what this job needs, too: these go on, and the job waits for them.
  /// - Returns: the job's id.
  /// - Throws: `.outputTaken` when another job that has not ended writes the same output.
  func submit(_ submission: JobSubmission) throws(LedgerError) -> String
  /// Changes a job.
  /// - Returns: whether the change was made, now or before; nil when there is no such job.
  /// - Throws: `.outputTaken` when a retried job's output now belongs to another job that has not ended.
  func change(job: String, _ change: JobChange) throws(LedgerError) -> Bool?
  /// Drains a worker or the farm, or ends that. A drained worker gets no new work, whatever process has its name. Without a name
  /// the whole farm is meant.
  /// - Returns: false when there is no such worker.
  func drain(worker: String?, _ isDrained: Bool) throws(LedgerError) -> Bool
  /// Changes a submitter's share.
  /// - Returns: false when nobody of that name has submitted anything or was entered.
  func change(submitter: String, _ change: ShareChange) throws(LedgerError) -> Bool
  /// All submitters, sorted by name.
  func submitters() throws(LedgerError) -> [SubmitterStatus]
  /// Cancels a job that has not ended, with its open attempts. In a job with many tasks, `follow` cancels the others.
  /// An attempt for whose result the job waited ends, too, if it belongs to a replaced job, and nobody else waits.
  /// - Returns: the attempts that were open, to be killed; nil when there is no such job.
  func cancel(job: String) throws(LedgerError) -> [ExpiredAttempt]?
  /// Has some chunks of a job, or some parts of its sound, given out before all else of that job, because somebody waits to see or hear them.
  /// Jobs and submitters keep their order and their shares.
  /// - Parameters:
  ///   - kind: that of the tasks: pictures or sound.
  ///   - first: the first frame of the first chunk, or the first sample of the first part; 0 for a whole sound.
  ///   - most: the number of chunks or parts, in the order of the movie; those that are not ready are passed over.
  /// - Returns: the number of tasks that were moved forward; nil when there is no such job.
  func want(job: String, _ kind: TaskKind, from first: Int64, most: Int) throws(LedgerError) -> Int?
  /// The work that is left, and the workers that may do it.
  func queue() throws(LedgerError) -> FarmQueue
  func status(job: String) throws(LedgerError) -> JobStatus?
  /// The newest jobs, the newest first.
  func jobs(limit: Int) throws(LedgerError) -> [JobStatus]
  func workers() throws(LedgerError) -> [WorkerStatus]
  /// A job's tasks: pictures in the order of their frames, then sound, mux and publication.
  func tasks(job: String) throws(LedgerError) -> [TaskStatus]
}

/// The part of the record that all who clear a segment store need, be they coordinators or a render that stops its private farm.
package protocol StoreRecord: AnyObject {
  /// The jobs among `jobs` that need nothing in the store any more. They ended at least `age` ago and do not keep their segments,
  /// or do not exist. For failed and cancelled jobs the ledger notes that files may be gone, and a retry then makes all of them.
  func over(among jobs: [String], endedFor age: Duration) throws(LedgerError) -> [OverJob]
}
