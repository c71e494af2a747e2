package import Messages
package import Scheduling

/// The record of tasks, attempts and workers that coordinators write. `FarmDesk` is the other side of the same record: what those
/// who submit jobs and run the farm ask and change. PostgreSQL holds the real record; a twin in memory serves the simulation. One
/// suite of tests checks both.
///
/// Every call is one transaction, unless it says otherwise. A write about an attempt names it, and applies only while it is open.
/// Only the ledger's own clock (the database's) decides when a lease ends. Calls block. A ledger belongs to one thread.
package protocol Ledger: StoreRecord {
  /// The term in which a coordinator makes its calls. They throw `.deposed` once another coordinator leads. Nil makes calls
  /// without that check, as tests do.
  var term: Int? { get set }
  /// Gives the candidate the lead if nobody holds it, or renews its lease. A new term gives a full lease to each worker that was
  /// alive when the last leader was heard.
  func lead(_ candidate: Candidate) throws(LedgerError) -> Leadership
  /// Gives up the lead, so that another coordinator can have it at once. Does nothing when the candidate does not lead.
  func resign(_ candidate: Candidate) throws(LedgerError)
  /// Prepares space for future history, drops what is older than history is kept, and forgets workers that have long been silent.
  func keepHistory() throws(LedgerError)
  /// Registers workers under new epochs. The leases of their older epochs end at once. Registering the same epoch again only
  /// refreshes its lease. A crash of the database may lose the registration, and with it the connection; a coordinator that loses
  /// its connection asks all workers to register again.
  /// - Parameter hellos: at most one for each worker, as in all lists of workers here.
  func register(_ hellos: [WorkerHello]) throws(LedgerError)
  /// Notes that workers live and how far their attempts are. Attempts that advanced get a new progress deadline. Chunks whose
  /// attempts promised to end early are divided, unless the task has another open attempt; the rest becomes a new ready task. A
  /// crash of the database may undo this; the next heartbeat repeats it.
  /// - Returns: for each worker, its attempts that are not open any more, to be killed, and those whose chunks were divided.
  func heartbeat(_ heartbeats: [Heartbeat]) throws(LedgerError) -> [HeardWorker]
  /// Notes that workers leave. Their open attempts end at once, as transient failures.
  func retire(_ workers: [WorkerProcess]) throws(LedgerError)
  /// Notes that workers cannot be reached. Their open attempts end at once, as expired. Workers may return with the same epochs.
  func lose(_ workers: [WorkerProcess]) throws(LedgerError)
  /// Opens attempts on ready tasks for workers with free slots, at most `slots` for each worker. `FairShare` decides the order of
  /// tasks, and `Assignment` the worker. Light tasks come before all others: they take lanes, and slots where no lane is free.
  func claim(for workers: [FreeSlots]) throws(LedgerError) -> [ClaimedAttempt]
  /// Chooses chunks to divide for slots that a claim left free, as the split policy decides. It changes nothing: only an
  /// attempt's process knows its next frame.
  /// - Parameter asked: attempts that are not to be asked.
  func split(for workers: [FreeSlots], asked: [AttemptKey]) throws(LedgerError) -> [Split]
  /// Opens second attempts beside slow ones, on other workers, for slots that a claim left free, as the speculation policy
  /// decides. An attempt gets at most one.
  /// - Parameters:
  ///   - most: the number of the farm's attempts that may be second ones.
  ///   - spared: attempts that are left alone, because they are helped in another way.
  func speculate(for workers: [FreeSlots], most: Int, sparing spared: [AttemptKey]) throws(LedgerError) -> [ClaimedAttempt]
  /// Counts what each slot of the farm does, for the time since the last count.
  func countSlots() throws(LedgerError)
  /// Learns paces from attempts that won.
  func learn(from winners: [AttemptKey]) throws(LedgerError)
  /// The attempts that workers hold open, with their orders, sorted by task. A coordinator sends them again after a restart.
  func openAttempts(of workers: [WorkerProcess]) throws(LedgerError) -> [ClaimedAttempt]
  /// Makes each attempt the winner of its task, if it is still open. Other attempts at the task end, and tasks that waited for
  /// this one become ready. A result that proves the first frames of its chunk divides the chunk and wins the first part; any
  /// other frames fail their attempt, as a bug. Committing a winner again, after a lost reply, gives `won` again. A crash of the
  /// database may undo this until the next `claim` or `flush` has returned.
  func commit(_ completions: [Completion]) throws(LedgerError) -> Committed
  /// Ends attempts with failures, one after the other. The retry policy decides about their tasks and jobs, unless another
  /// attempt at the task is open. Winners that a failure calls damaged lose their victory, and their tasks are ready again.
  /// - Returns: the verdicts in the order of the failures.
  func fail(_ failures: [FailedAttempt]) throws(LedgerError) -> [FailVerdict]
  /// Keeps what attempts wrote, once for each attempt. A log from a process that was not given the attempt is dropped. A crash of the
  /// database may undo this until the next `claim` or `flush` has returned.
  func keep(_ logs: [LoggedAttempt]) throws(LedgerError)
  /// Ends attempts whose workers fell silent or that made no progress, by the ledger's clock. It ends about
  /// `ExpiredAttempt.mostTogether` at a time.
  func expire() throws(LedgerError) -> [ExpiredAttempt]
  /// The attempts among `held` that are not open any more. They are to be killed.
  func closed(among held: [ExpiredAttempt]) throws(LedgerError) -> [ExpiredAttempt]
  /// The tags of the fonts that unfinished jobs need, sorted; `FontTag.mostAtOnce` at most.
  func wantedFonts() throws(LedgerError) -> [String]
  /// Takes the oldest events that were not taken yet out of the ledger, `News.mostTogether` at most.
  func news() throws(LedgerError) -> [News]
  /// Makes everything done so far in this term survive a crash of the database.
  func flush() throws(LedgerError)
  /// Passes the end or the retry of a job on to more of its tasks.
  /// - Returns: what the tasks became; nil when no job has tasks left to follow it.
  func follow() throws(LedgerError) -> FollowedTasks?

  /// A descriptor that becomes readable when another session submits or changes something. It is nil when this ledger does not
  /// notify, or is not connected now. It may change after each call. It is a hint only: poll as well.
  var notificationDescriptor: Int32? { get }
  /// Takes the notifications that have arrived. Any call may have read some from the descriptor, so call this before waiting.
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
  /// The database cannot be reached, or the connection was lost. The call may be repeated.
  case unavailable(String)
  /// The database refused the statement. This is a bug, or the schema is not Spool's.
  case refused(statement: String, String)
  /// This version cannot read the stored data.
  case corrupt(String)
  /// Another coordinator leads. The call changed nothing.
  case deposed(String)
  /// The session's role may not do this.
  case forbidden(String)
  /// Another job that has not ended writes that output.
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
  /// Begins none of the job's tasks until it is resumed. What runs goes on.
  case pause, resume
  case prioritise(Int)
  /// Runs a failed or cancelled job again. Only missing work is done, and earlier failures do not count. In a job with many
  /// tasks, `follow` readies them. A done job is published again if its movie did not get to all its places.
  case retry
  /// Retries the job, with other places for its movie. It also applies to a job that has not ended.
  case retryWriting(to: String, copies: [String] = [])
}

extension JobChange {
  package var isRetry: Bool {
    switch self {
    case .retry, .retryWriting: true
    case .pause, .resume, .prioritise: false
    }
  }

  /// The new path of the movie; nil when it does not change.
  package var output: String? { if case .retryWriting(let output, _) = self { output } else { nil } }

  /// The further places beside a new path.
  package var copies: [String] { if case .retryWriting(_, let copies) = self { copies } else { [] } }
}

package struct JobSubmission: Hashable, Sendable {
  package struct Task: Hashable, Sendable {
    package var kind: TaskKind
    /// The chunk's frames; nil for all but pictures.
    package var frames: FrameRange?
    /// The samples of a part of the sound; nil for the whole sound, and for all other tasks.
    package var samples: SampleRange?
    /// The estimated cost, in the plan's unit.
    package var cost: Double
    /// The task of the replaced job that makes the same; nil where none does. If an attempt at it runs, and its segment will be found, the attempt
    /// goes on, and this task waits for it.
    package var twin: Int64?

    package init(kind: TaskKind, frames: FrameRange? = nil, samples: SampleRange? = nil, cost: Double) {
      (self.kind, self.frames, self.samples, self.cost) = (kind, frames, samples, cost)
    }
  }

  /// The job's id, which is part of file names: at most 32 lower-case letters and digits.
  package var id: String
  package var spec: JobSpec { didSet { (spec.submitter, spec.isDivisible) = (submitter, isDivisible ? true : nil) } }
  /// The kind of work of the job's pictures. Paces are learned for it.
  package var work: String
  package var submitter: String { didSet { spec.submitter = submitter } }
  package var priority: Int
  /// The capabilities that a worker needs for the job's tasks.
  package var needs: Capabilities
  /// Whether chunks may be divided further while they run.
  package var isDivisible: Bool { didSet { spec.isDivisible = isDivisible ? true : nil } }
  package var frameCount: Int
  /// The job that this one replaces; nil for none. It is cancelled in the same transaction in which this one is entered, unless it has ended.
  package var replaces: String?
  /// The tasks in the order in which they are given out: the sound or its parts if there is one, pictures in frame order, mux, publish.
  package var tasks: [Task]

  package init(
    id: String = JobSubmission.newID(), spec: JobSpec, work: String = "", submitter: String, priority: Int = 0,
    needs: Capabilities = Capabilities(), isDivisible: Bool = true, frameCount: Int, tasks: [Task]
  ) {
    (self.work, self.isDivisible) = (work, isDivisible)
    (self.id, self.spec, self.submitter, self.priority) = (id, spec, submitter, priority)
    (self.spec.submitter, self.spec.isDivisible) = (submitter, isDivisible ? true : nil)
    (self.needs, self.frameCount, self.tasks) = (needs, frameCount, tasks)
  }

  /// The estimated cost of all pictures.
  package var pictureCost: Double { tasks.reduce(0) { $1.kind == .picture ? $0 + $1.cost : $0 } }

  /// Traps unless the job is whole: it has at least one part, it ends with mux and publish, and only pictures have frames.
  package func requireWhole() {
    let kinds = tasks.map(\.kind)
    precondition(kinds.contains(where: \.isPart) && kinds.suffix(2) == [.mux, .publish], "parts, mux, publish: \(kinds)")
    precondition(tasks.allSatisfy { ($0.kind == .picture) == ($0.frames != nil) }, "pictures, and only they, have frames")
    precondition(tasks.allSatisfy { $0.kind == .sound || $0.samples == nil }, "only sound has samples")
    let sounds = tasks.filter { $0.kind == .sound }
    precondition(sounds.count < 2 || sounds.allSatisfy { $0.samples != nil }, "a whole sound is alone")
  }

  /// A new id of twelve random characters, which is 57 bits. Among a million jobs two are equal with a chance of about 1 in
  /// 400,000; the second would be refused. The alphabet has no vowels, so that no words arise, and none of l, 1 and 0.
  package static func newID() -> String {
    let alphabet = Array("bcdfghjkmnpqrstvwxyz23456789")
    return String((0..<12).map { _ in alphabet[Int.random(in: alphabet.indices)] })
  }
}

package enum JobState: String, Hashable, Sendable, CaseIterable, Codable {
  case queued, running, done, failed, cancelled

  /// Whether the job has ended. It stays so unless it is retried.
  package var isFinal: Bool {
    switch self {
    case .queued, .running: false
    case .done, .failed, .cancelled: true
    }
  }
}

package enum TaskState: String, Hashable, Sendable, CaseIterable, Codable {
  case waiting, ready, running, done, failed, cancelled
}

package struct JobStatus: Hashable, Sendable, Codable {
  package var id: String
  package var state: JobState
  package var priority: Int
  /// Whether the job is paused, so that none of its tasks is begun.
  package var isPaused: Bool
  /// The time of the pause, in the format of `submittedAt`; nil when the job is not paused or the ledger does not know the time.
  package var pausedAt: String?
  package var output: String
  /// The further places of its movie, each with its state; nil where there are none.
  package var copies: [CopiedMovie]?
  package var submitter: String
  package var frameCount: Int
  /// The frames in finished chunks, and those that running attempts report.
  package var framesDone: Int
  package var chunkCount: Int
  package var chunksDone: Int
  /// The number of attempts beyond the first of each task.
  package var retries: Int
  package var failure: Failure?
  package var submittedAt: String
  /// The seconds from submission until it first ran; or until it ended, or until now.
  package var waitedSeconds: Double
  /// The seconds since it first ran, until its end or now; nil while it never ran.
  package var elapsedSeconds: Double?
  /// The number of its open attempts.
  package var running: Int
  /// The reason why its next task is not given out, in a word or two; nil when there is none, or when the query did not ask.
  package var waitsFor: String?
  /// The seconds until its movie is there, as a forecast says; nil when there is no forecast for it.
  package var secondsLeft: Double?
  /// Whether some result of it tells of damaged media that were replaced.
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

package struct TaskStatus: Hashable, Sendable, Codable {
  package var id: Int64
  package var kind: TaskKind
  package var state: TaskState
  package var frames: FrameRange?
  /// The samples of a part of the sound; nil for the whole sound, and for all other tasks.
  package var samples: SampleRange?
  package var attempts: Int
  package var worker: String?
  /// The worker of a second attempt at the task; nil when there is none.
  package var workerBeside: String?
  /// The chunk from which this one was split off while that one ran; nil for a chunk of the plan.
  package var splitFrom: Int64?
  package var framesDone: Int
  package var failure: Failure?

  package init(
    id: Int64, kind: TaskKind, state: TaskState, frames: FrameRange?, samples: SampleRange? = nil, attempts: Int, worker: String?,
    workerBeside: String? = nil, splitFrom: Int64? = nil, framesDone: Int, failure: Failure?
  ) {
    (self.samples, self.splitFrom) = (samples, splitFrom)
    (self.id, self.kind, self.state, self.frames) = (id, kind, state, frames)
    (self.attempts, self.worker, self.workerBeside) = (attempts, worker, workerBeside)
    (self.framesDone, self.failure) = (framesDone, failure)
  }
}

package struct WorkerStatus: Hashable, Sendable, Codable {
  package var name: String
  package var host: String
  package var slots: Int
  package var running: Int
  /// Whether a heartbeat came within the lease time.
  package var isAlive: Bool
  /// The state "alive" when it is given work, else the reason in a word or two, as in the view worker_status.
  package var state: String
  package var capabilities: Capabilities
  /// The folders below which it may write movies; nil when it may write anywhere, or does not say.
  package var outputRoots: [String]?
  package var secondsSinceHeartbeat: Double
  /// How many times as long as other workers it takes, as learned from results; nil while that is not known.
  package var pace: Double?
  /// The attempts of the last hour that failed on it and may be its fault; nil where a ledger does not count them.
  package var failuresLastHour: Int?
  /// The jobs whose attempts it runs; nil where it runs none.
  package var jobs: [String]?

  package init(
    name: String, host: String, slots: Int, running: Int, isAlive: Bool, state: String,
    capabilities: Capabilities = Capabilities(), outputRoots: [String]? = nil,
    secondsSinceHeartbeat: Double, pace: Double? = nil, failuresLastHour: Int? = nil, jobs: [String]? = nil
  ) {
    (self.pace, self.failuresLastHour, self.jobs) = (pace, failuresLastHour, jobs)
    (self.name, self.host, self.slots, self.running) = (name, host, slots, running)
    (self.isAlive, self.state, self.capabilities, self.outputRoots) = (isAlive, state, capabilities, outputRoots)
    self.secondsSinceHeartbeat = secondsSinceHeartbeat
  }
}

package struct SubmitterStatus: Hashable, Sendable, Codable {
  package var name: String
  package var weight: Int
  /// The number of attempts that may run at once; nil without a quota.
  package var slots: Int?
  package var running: Int
  /// The number of jobs that have not ended.
  package var jobs: Int

  package init(name: String, weight: Int, slots: Int?, running: Int, jobs: Int) {
    (self.name, self.weight, self.slots, self.running, self.jobs) = (name, weight, slots, running, jobs)
  }
}

extension Ledger {
  /// Notes one worker's heartbeat.
  /// - Returns: the attempts that it runs although they are not open any more.
  package func heartbeat(
    worker: String, epoch: String, running: [AttemptProgress]
  ) throws(LedgerError) -> [AttemptKey] {
    try heartbeat([Heartbeat(worker: worker, epoch: epoch, running: running)]).flatMap(\.closed)
  }
}

extension TaskKind {
  /// The name under which the pace of such tasks is learned. `pictures` is the job's kind of work.
  package func work(pictures: String) -> String { self == .picture ? pictures : rawValue }

  /// Whether the mux waits for tasks of this kind.
  package var isPart: Bool { self == .picture || self == .sound }
}
