package import Messages
package import Scheduling

/// The farm's memory: jobs, tasks, attempts and workers. PostgreSQL holds the truth; a twin in memory serves simulation.
/// One conformance suite tests both.
///
/// Every call is one transaction. Every write is fenced: it names the attempt and applies only while that attempt is
/// open. Only the ledger's own clock (the database's) decides a lease. Calls block; a ledger belongs to one thread.
package protocol Ledger: AnyObject {
  /// The term in which a coordinator's calls, `register` to `expire`, are made: they throw `.deposed` once another one leads.
  /// Nil makes them without leave, as tests do.
  var term: Int? { get set }
  /// Gives the candidate the lead if nobody holds it, or renews its lease. A new term gives a whole lease to each worker that
  /// lived as long as somebody led.
  func lead(_ candidate: Candidate) throws(LedgerError) -> Leadership
  /// Gives up the lead, so that another coordinator has it at once. Nothing happens when the candidate does not lead.
  func resign(_ candidate: Candidate) throws(LedgerError)
  /// Enters the job; repeating a submission (same `id`) changes nothing.
  /// - Returns: the job's id.
  /// - Throws: `.outputTaken` when another job that has not ended is to have the same output.
  func submit(_ submission: JobSubmission) throws(LedgerError) -> String
  /// Makes room for the history to come, and drops what is older than is kept.
  func keepHistory() throws(LedgerError)
  /// Registers workers under new epochs; leases of their older epochs end at once. Idempotent for the same epoch. A crash of the
  /// database may lose it, and then the connection with it: who loses that asks everybody to register again.
  /// - Parameter hellos: at most one of each worker, as with all lists of workers here.
  func register(_ hellos: [WorkerHello]) throws(LedgerError)
  /// Notes that the workers live and how far their attempts are; extends progress deadlines of attempts that advanced. Divides the
  /// chunks whose attempts promised to end early, unless another attempt at the same is open: the rest is a new task, and ready. A
  /// crash of the database may lose it: the next heartbeat notes the same.
  /// - Returns: for each one those of its running attempts that are no longer open for that worker and epoch: to be killed; and those
  ///   whose chunks were divided.
  func heartbeat(_ heartbeats: [Heartbeat]) throws(LedgerError) -> [HeardWorker]
  /// The workers leave: their open attempts end as transient failures, at once.
  func retire(_ workers: [WorkerProcess]) throws(LedgerError)
  /// The workers cannot be reached: their open attempts end as expired, at once. They may come back with the same epochs.
  func lose(_ workers: [WorkerProcess]) throws(LedgerError)
  /// Opens attempts on ready tasks for workers with free slots, at most `slots` each, spread evenly; in the order of
  /// job priority, then age, then task. Light tasks come before all others: they take lanes, and slots where there are none.
  func claim(for workers: [FreeSlots]) throws(LedgerError) -> [ClaimedAttempt]
  /// Which chunks to divide for slots that a claim left free, as the split policy decides. Changes nothing: only the process of an
  /// attempt knows which frame comes next.
  /// - Parameter asked: attempts that are not to be asked.
  func split(for workers: [FreeSlots], asked: [AttemptKey]) throws(LedgerError) -> [Split]
  /// Opens attempts beside open ones that are slow, on other workers, for slots that a claim left free, as the speculation policy
  /// decides: at most one beside each, and once for each.
  /// - Parameters:
  ///   - most: how many attempts of the farm may be speculative.
  ///   - spared: attempts that are helped otherwise.
  func speculate(for workers: [FreeSlots], most: Int, sparing spared: [AttemptKey]) throws(LedgerError) -> [ClaimedAttempt]
  /// Learns paces from attempts that won.
  func learn(from winners: [AttemptKey]) throws(LedgerError)
  /// The attempts that workers hold open, with their orders, in the order of tasks: what to send again after a coordinator's restart.
  func openAttempts(of workers: [WorkerProcess]) throws(LedgerError) -> [ClaimedAttempt]
  /// Makes each attempt its task's winner, unless it is no longer open; ends others at the task; moves tasks that waited for it to
  /// ready. A result that proves the first frames of its chunk divides it, and wins the first part; one that proves other frames than
  /// its chunk's is a failure of the attempt, as a bug. Repeating it (after a lost reply) gives `won` again. A crash of the database may
  /// undo it until `claim` or `flush` has returned.
  func commit(_ completions: [Completion]) throws(LedgerError) -> Committed
  /// Ends the attempts with a failure, one after the other; the retry policy decides about tasks and jobs, unless another attempt at
  /// the task is open. Winners that a failure calls damaged lose their victory and their tasks are ready again.
  /// - Returns: the verdicts in the order of the failures.
  func fail(_ failures: [FailedAttempt]) throws(LedgerError) -> [FailVerdict]
  /// Ends attempts whose worker fell silent or which made no progress, by the ledger's clock; where there are more than
  /// `ExpiredAttempt.mostTogether`, so many of them.
  func expire() throws(LedgerError) -> [ExpiredAttempt]
  /// Those of the attempts that are open no longer: to be killed.
  func closed(among held: [ExpiredAttempt]) throws(LedgerError) -> [ExpiredAttempt]
  /// The tags of the fonts that unfinished jobs need, in their order; `FontTag.mostAtOnce` at most.
  func wantedFonts() throws(LedgerError) -> [String]
  /// Takes what happened since it was asked last: the oldest of it, `News.mostTogether` at most.
  func news() throws(LedgerError) -> [News]
  /// What was done so far in this term survives a crash of the database from now on.
  func flush() throws(LedgerError)
  /// - Returns: whether the change could be made, or was made before; nil when there is no such job.
  /// - Throws: `.outputTaken` when a job is retried whose output another one, which has not ended, is to have by now.
  func change(job: String, _ change: JobChange) throws(LedgerError) -> Bool?
  /// A drained worker is given nothing new, whatever process has its name; without a name the whole farm is meant.
  /// - Returns: false when there is no such worker.
  func drain(worker: String?, _ isDrained: Bool) throws(LedgerError) -> Bool
  /// - Returns: false when nobody of that name has submitted anything, or was entered.
  func change(submitter: String, _ change: ShareChange) throws(LedgerError) -> Bool
  /// By name.
  func submitters() throws(LedgerError) -> [SubmitterStatus]
  /// Cancels a job that has not ended, and what runs of it; where it has many tasks, `follow` cancels the others.
  /// - Returns: its open attempts, to be killed; nil when there is no such job.
  func cancel(job: String) throws(LedgerError) -> [ExpiredAttempt]?
  /// Goes on with a job whose end or retry has not come to all of its tasks yet: with some of them.
  /// - Returns: what became of them; nil when there is no such job.
  func follow() throws(LedgerError) -> FollowedTasks?
  /// Which of `jobs` need nothing in the store any more: those that ended at least so long ago and do not keep their segments, and
  /// those that there are not. Notes of those that may be retried that their files may be gone: a retry makes all of them anew.
  func over(among jobs: [String], endedFor age: Duration) throws(LedgerError) -> [OverJob]
  func status(job: String) throws(LedgerError) -> JobStatus?
  /// Newest first.
  func jobs(limit: Int) throws(LedgerError) -> [JobStatus]
  func workers() throws(LedgerError) -> [WorkerStatus]
  /// Pictures in the order of their frames, then sound, mux and publishing.
  func tasks(job: String) throws(LedgerError) -> [TaskStatus]

  /// Becomes readable when another session submitted or cancelled a job; nil when this ledger does not tell, or is not
  /// connected at the moment. It may change after each call, and is only a hint: poll the ledger as well.
  var notificationDescriptor: Int32? { get }
  /// Takes the notifications that have arrived; any call may have read some from the descriptor, so ask before sleeping on it.
  /// - Returns: what they tell; nil when there were none.
  func takeNotifications() throws(LedgerError) -> LedgerNews?
}

extension Ledger {
  package func commit(_ key: AttemptKey, worker: String, epoch: String, proof: Proof) throws(LedgerError) -> CommitVerdict {
    try commit([Completion(worker: worker, epoch: epoch, key: key, proof: proof)]).verdicts[0]
  }

  package func fail(
    _ key: AttemptKey, worker: String, epoch: String, _ failure: Failure
  ) throws(LedgerError) -> FailVerdict {
    try fail([FailedAttempt(worker: worker, epoch: epoch, key: key, failure: failure)])[0]
  }

  package func register(_ hello: WorkerHello) throws(LedgerError) { try register([hello]) }

  package func retire(worker: String, epoch: String) throws(LedgerError) {
    try retire([WorkerProcess(worker: worker, epoch: epoch)])
  }

  package func lose(worker: String, epoch: String) throws(LedgerError) {
    try lose([WorkerProcess(worker: worker, epoch: epoch)])
  }

  package func openAttempts(worker: String, epoch: String) throws(LedgerError) -> [ClaimedAttempt] {
    try openAttempts(of: [WorkerProcess(worker: worker, epoch: epoch)])
  }
}

package enum LedgerError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The database cannot be reached, or went away; the call may be repeated.
  case unavailable(String)
  /// The database refused the statement: our bug or a foreign schema.
  case refused(statement: String, String)
  /// The stored data does not mean anything to this version.
  case corrupt(String)
  /// Another coordinator leads: the call changed nothing.
  case deposed(String)
  /// The session's role may not do that.
  case forbidden(String)
  /// Another job, which has not ended, is to have that output.
  case outputTaken(String, job: String)

  package var description: String {
    switch self {
    case .unavailable(let reason): "database: \(reason)"
    case .refused(let statement, let reason): "database: \(statement): \(reason)"
    case .corrupt(let reason), .deposed(let reason), .forbidden(let reason): "database: \(reason)"
    case .outputTaken(let output, let job):
      "\(output): job \(job), which has not ended, is to write it: wait for it, or 'spool cancel \(job)'"
    }
  }
}

package enum JobChange: Hashable, Sendable {
  /// Nothing of it is begun until it is resumed; what runs goes on.
  case pause, resume
  case prioritise(Int)
  /// Of a failed or cancelled job: what is missing is done, all failures are forgiven. Where it has many tasks, `follow` readies them.
  case retry
  /// The same, and its movie goes to another path.
  case retryWriting(to: String)
}

extension JobChange {
  package var isRetry: Bool {
    switch self {
    case .retry, .retryWriting: true
    case .pause, .resume, .prioritise: false
    }
  }

  /// The path that its movie goes to from now on; nil: where it went before.
  package var output: String? { if case .retryWriting(let output) = self { output } else { nil } }
}

/// What is to become of a submitter's share.
package struct ShareChange: Hashable, Sendable {
  package enum Slots: Hashable, Sendable {
    case unlimited
    /// Attempts that may run at once.
    case atMost(Int)

    package var limit: Int? { if case .atMost(let limit) = self { limit } else { nil } }
  }

  /// Nil leaves it as it is.
  package var weight: Int?
  /// Nil leaves them as they are.
  package var slots: Slots?
  /// Whether a submitter that nobody knows is entered, with what everybody has at first.
  package var entersNew: Bool

  package init(weight: Int? = nil, slots: Slots? = nil, entersNew: Bool = false) {
    (self.weight, self.slots, self.entersNew) = (weight, slots, entersNew)
  }

  /// One share, and any number of slots: as everybody has at first.
  package static let reset = ShareChange(weight: 1, slots: .unlimited)
}

package struct JobSubmission: Hashable, Sendable {
  package struct Task: Hashable, Sendable {
    package var kind: TaskKind
    /// For pictures.
    package var frames: FrameRange?
    /// Estimated cost in the plan's unit.
    package var cost: Double

    package init(kind: TaskKind, frames: FrameRange? = nil, cost: Double) {
      (self.kind, self.frames, self.cost) = (kind, frames, cost)
    }
  }

  /// Lower-case letters and digits, at most 32: it is part of file names.
  package var id: String
  package var spec: JobSpec
  /// What kind of work its pictures are, for the paces that are learned.
  package var work: String
  package var submitter: String
  package var priority: Int
  /// What a worker must have to be given its tasks.
  package var needs: Capabilities
  /// Whether chunks may be divided further while they run.
  package var isDivisible: Bool
  package var frameCount: Int
  /// In the order in which they are given out: sound if any, pictures in frame order, then mux, then publish.
  package var tasks: [Task]

  package init(
    id: String = JobSubmission.newID(), spec: JobSpec, work: String = "", submitter: String, priority: Int = 0,
    needs: Capabilities = Capabilities(), isDivisible: Bool = true, frameCount: Int, tasks: [Task]
  ) {
    (self.work, self.isDivisible) = (work, isDivisible)
    (self.id, self.spec, self.submitter, self.priority) = (id, spec, submitter, priority)
    (self.needs, self.frameCount, self.tasks) = (needs, frameCount, tasks)
  }

  /// Estimated cost of all pictures.
  package var pictureCost: Double { tasks.reduce(0) { $1.kind == .picture ? $0 + $1.cost : $0 } }

  /// Checks what a plan guarantees: the mux waits for at least one part, and the job ends with its publishing.
  package func requireWhole() {
    let kinds = tasks.map(\.kind)
    precondition(kinds.contains(where: \.isPart) && kinds.suffix(2) == [.mux, .publish], "parts, mux, publish: \(kinds)")
    precondition(tasks.allSatisfy { ($0.kind == .picture) == ($0.frames != nil) }, "pictures, and only they, have frames")
  }

  /// Twelve random characters: 57 bits, so that a million jobs collide with a chance of 1 in 400,000 (and are then refused).
  /// No vowels, so that no words arise, and neither l nor 1, nor 0.
  package static func newID() -> String {
    let alphabet = Array("bcdfghjkmnpqrstvwxyz23456789")
    return String((0..<12).map { _ in alphabet[Int.random(in: alphabet.indices)] })
  }
}

package enum JobState: String, Hashable, Sendable, CaseIterable, Encodable { case queued, running, done, failed, cancelled }
package enum TaskState: String, Hashable, Sendable, CaseIterable, Encodable {
  case waiting, ready, running, done, failed, cancelled
}

package struct JobStatus: Hashable, Sendable, Encodable {
  package var id: String
  package var state: JobState
  package var priority: Int
  /// Whether none of its tasks is begun for now.
  package var isPaused: Bool
  /// Since when, as `submittedAt` is said; nil also where the ledger does not tell.
  package var pausedAt: String?
  package var output: String
  package var submitter: String
  package var frameCount: Int
  /// Frames in finished chunks and those that running attempts report.
  package var framesDone: Int
  package var chunkCount: Int
  package var chunksDone: Int
  /// Attempts beyond the first of each task.
  package var retries: Int
  package var failure: Failure?
  package var submittedAt: String
  /// Seconds from submission until it ran first, or to its end, or to now.
  package var waitedSeconds: Double
  /// Seconds since it ran first, to its end or to now; nil while it never ran.
  package var elapsedSeconds: Double?
  /// Its open attempts.
  package var running: Int
  /// What keeps its next task from being given out, in a word or two; nil where nothing does, and where that was not asked.
  package var waitsFor: String?
  /// Until its movie is there, as a forecast says; nil where none was made, or says nothing of it.
  package var secondsLeft: Double?
  /// Whether a result of it tells of damaged media that were replaced.
  package var isDamaged: Bool

  package init(
    id: String, state: JobState, priority: Int = 0, isPaused: Bool = false, output: String, submitter: String, frameCount: Int,
    framesDone: Int, chunkCount: Int, chunksDone: Int, retries: Int, failure: Failure?, submittedAt: String,
    waitedSeconds: Double = 0, elapsedSeconds: Double?, running: Int = 0, waitsFor: String? = nil, secondsLeft: Double? = nil,
    pausedAt: String? = nil, isDamaged: Bool = false
  ) {
    self.isDamaged = isDamaged
    (self.pausedAt, self.waitedSeconds, self.running, self.waitsFor) = (pausedAt, waitedSeconds, running, waitsFor)
    (self.id, self.state, self.priority, self.isPaused) = (id, state, priority, isPaused)
    (self.output, self.submitter) = (output, submitter)
    (self.frameCount, self.framesDone, self.chunkCount, self.chunksDone) = (frameCount, framesDone, chunkCount, chunksDone)
    (self.retries, self.failure, self.submittedAt, self.elapsedSeconds) = (retries, failure, submittedAt, elapsedSeconds)
    self.secondsLeft = secondsLeft
  }
}

package struct TaskStatus: Hashable, Sendable, Encodable {
  package var id: Int64
  package var kind: TaskKind
  package var state: TaskState
  package var frames: FrameRange?
  package var attempts: Int
  package var worker: String?
  /// Who makes a speculative attempt at it as well.
  package var workerBeside: String?
  /// The chunk that it was split off while that one ran.
  package var splitFrom: Int64?
  package var framesDone: Int
  package var failure: Failure?

  package init(
    id: Int64, kind: TaskKind, state: TaskState, frames: FrameRange?, attempts: Int, worker: String?, workerBeside: String? = nil,
    splitFrom: Int64? = nil, framesDone: Int, failure: Failure?
  ) {
    self.splitFrom = splitFrom
    (self.id, self.kind, self.state, self.frames) = (id, kind, state, frames)
    (self.attempts, self.worker, self.workerBeside) = (attempts, worker, workerBeside)
    (self.framesDone, self.failure) = (framesDone, failure)
  }
}

package struct WorkerStatus: Hashable, Sendable, Encodable {
  package var name: String
  package var host: String
  package var slots: Int
  package var running: Int
  /// Whether a heartbeat came within the lease time.
  package var isAlive: Bool
  /// "alive" when it is given work; else the reason in a word or two, as the view worker_status has it.
  package var state: String
  package var capabilities: Capabilities
  /// Folders that it may write movies below; nil: anywhere, or not said.
  package var outputRoots: [String]?
  package var secondsSinceHeartbeat: Double

  package init(
    name: String, host: String, slots: Int, running: Int, isAlive: Bool, state: String,
    capabilities: Capabilities = Capabilities(), outputRoots: [String]? = nil,
    secondsSinceHeartbeat: Double
  ) {
    (self.name, self.host, self.slots, self.running) = (name, host, slots, running)
    (self.isAlive, self.state, self.capabilities, self.outputRoots) = (isAlive, state, capabilities, outputRoots)
    self.secondsSinceHeartbeat = secondsSinceHeartbeat
  }
}

package struct SubmitterStatus: Hashable, Sendable, Encodable {
  package var name: String
  package var weight: Int
  /// Attempts that may run at once; nil without a quota.
  package var slots: Int?
  package var running: Int
  /// Jobs that have not ended.
  package var jobs: Int

  package init(name: String, weight: Int, slots: Int?, running: Int, jobs: Int) {
    (self.name, self.weight, self.slots, self.running, self.jobs) = (name, weight, slots, running, jobs)
  }
}

extension Ledger {
  /// One worker's heartbeat.
  /// - Returns: what it runs in vain.
  package func heartbeat(
    worker: String, epoch: String, running: [AttemptProgress]
  ) throws(LedgerError) -> [AttemptKey] {
    try heartbeat([Heartbeat(worker: worker, epoch: epoch, running: running)]).flatMap(\.closed)
  }
}

extension TaskKind {
  /// Under which name the pace of such tasks is learned, where the job's pictures are `pictures`.
  package func work(pictures: String) -> String { self == .picture ? pictures : rawValue }

  /// Whether the mux waits for it.
  package var isPart: Bool { self == .picture || self == .sound }
}
