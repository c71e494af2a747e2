internal import Ledger
internal import Messages
internal import Scheduling

/// What the ledger in memory holds: the rows of schema.sql.
extension MemoryLedger {
  struct Job {
    var submission: JobSubmission
    var number: Int
    /// By id: as planned, then what was split off.
    var tasks: [Int64]
    var submittedAt: Duration
    var state = JobState.queued
    var priority: Int
    var isPaused = false
    var servedAt: Duration
    /// When it ran first.
    var startedAt: Duration?
    var endedAt: Duration?
    /// The place of the first task that has not followed its end or its retry.
    var followedTo: Int?
    /// Which of its attempts are dead, since its files may have been cleared away.
    var dead: DeadAttempts?
    var failure: Failure?
    var retries = 0
    /// A result of it told of damaged media that were replaced.
    var isDamaged = false

    var isCutShort: Bool { state == .failed || state == .cancelled }
  }

  struct Task {
    var id: Int64
    var job: String
    var kind: TaskKind
    var frames: FrameRange?
    var cost: Double
    var divisions = 0
    var splitFrom: Int64?
    var state: TaskState
    var readyAt: Duration
    var attempts = 0
    var avoidedWorker: String?
    var forgiven = 0
    var failure: Failure?
  }

  /// As in schema.sql.
  enum Outcome { case won, failed, expired, released, superseded, cancelled, revoked }

  /// The jobs of a submitter that have one priority.
  struct Line: Hashable {
    var submitter: String
    var priority: Int
  }

  struct Attempt {
    var key: AttemptKey
    var worker: String
    var epoch: String
    var isCanary: Bool
    var isSpeculative = false
    var startedAt: Duration
    var endedAt: Duration?
    /// The ledger's moments of that: what comes later at the same time by the clock comes later, as in a database.
    var start: Int
    var end = 0
    var progressAt: Duration
    var progressDeadline: Duration
    var patience: Duration
    var done: Int64 = 0
    var total: Int64 = 0
    var outcome: Outcome?
    var failure: Failure?
    var proof: Proof?
  }

  struct Registration {
    var hello: WorkerHello
    var heartbeatAt: Duration
    var leaseUntil: Duration
    var isRetired: Bool
  }

  struct Leader {
    var term = 0
    var name = "nobody"
    var epoch = ""
    var renewedAt = Duration.zero
    var leaseUntil = Duration.zero
  }

  /// Whether a worker may take what it offers, whatever process has its name.
  struct Standing {
    var isDrained = false
    /// While it is set aside.
    var canaryAt: Duration?
    var setAsides = 0
    /// Failures up to then are not held against it.
    var trustedAt: Duration?
  }

  struct Quota {
    var weight = 1
    var slots: Int?
    var spent = 0.0
    var turn = 0.0
  }

  struct Settlement {
    var failedJobs: Set<String> = []
    var cancelled: [ExpiredAttempt] = []
  }
}
