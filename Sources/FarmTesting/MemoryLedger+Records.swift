internal import Ledger
internal import Messages
internal import Scheduling

/// What the ledger in memory holds: the rows of schema.sql.
extension MemoryLedger {
  struct Job {
    var submission: JobSubmission
    var number: Int
    var tasks: Range<Int64>
    var submittedAt: Duration
    var state = JobState.queued
    var endedAt: Duration?
    var failure: Failure?
    var retries = 0
  }

  struct Task {
    var id: Int64
    var job: String
    var kind: TaskKind
    var frames: FrameRange?
    var priority: Int
    var state: TaskState
    var readyAt: Duration
    var attempts = 0
    var avoidedWorker: String?
    var failure: Failure?
  }

  /// As in schema.sql.
  enum Outcome { case won, failed, expired, released, superseded, cancelled, revoked }

  struct Attempt {
    var key: AttemptKey
    var worker: String
    var epoch: String
    var progressAt: Duration
    var progressDeadline: Duration
    var done: Int64 = 0
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

  struct Settlement {
    var failedJobs: Set<String> = []
    var cancelled: [ExpiredAttempt] = []
  }
}
