internal import Ledger
internal import Messages
internal import Scheduling

/// The contents of the ledger in memory, which stand for the rows of schema.sql.
extension MemoryLedger {
  struct Job {
    var submission: JobSubmission
    var number: Int
    /// The ids of its tasks: the planned ones, then those that were split off.
    var tasks: [Int64]
    var submittedAt: Duration
    var state = JobState.queued
    var priority: Int
    var isPaused = false
    var servedAt: Duration
    /// The time at which it first ran; nil if it never did.
    var startedAt: Duration?
    var endedAt: Duration?
    /// The position of the first task that has not followed its job's end or retry; nil when all have.
    var followedTo: Int?
    /// The attempts that are dead, because their files may have been cleared away.
    var dead: DeadAttempts?
    var failure: Failure?
    var retries = 0
    /// Whether a result of it told of damaged media that were replaced.
    var isDamaged = false

    var isCutShort: Bool { state == .failed || state == .cancelled }
  }

  struct Task {
    var id: Int64
    var job: String
    var kind: TaskKind
    var frames: FrameRange?
    var samples: SampleRange?
    /// The task of a replaced job for whose attempts it waits.
    var awaited: Int64?
    var cost: Double
    /// The rank that goes before its place in the job: 0, or less since somebody waits for it.
    var precedence = 0
    var divisions = 0
    var splitFrom: Int64?
    var state: TaskState
    var readyAt: Duration
    var attempts = 0
    var avoidedWorker: String?
    var forgiven = 0
    var failure: Failure?
  }

  /// The outcome of an attempt, as in schema.sql.
  enum Outcome { case won, failed, expired, released, returned, superseded, cancelled, revoked }

  /// The jobs of one submitter that have one priority.
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
    /// The ledger's counters of its start and its end. They order events that have the same time on the clock.
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
    /// Whether its attempts keep their segments in the store.
    var findsSegments: Bool
  }

  struct Leader {
    var term = 0
    var name = "nobody"
    var epoch = ""
    var takenAt = Duration.zero
    var renewedAt = Duration.zero
    var leaseUntil = Duration.zero
  }

  /// The trust in a worker, which decides whether it may take work, whatever process has its name.
  struct Standing {
    var isDrained = false
    /// The time of its canary while it is set aside; nil while it is trusted.
    var canaryAt: Duration?
    var setAsides = 0
    /// The time up to which its failures do not count any more.
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
