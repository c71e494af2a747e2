import FarmTesting
import Ledger
import Messages
import Operations
import PostgreSQL
import Scheduling

/// A farm in a new database, with the steps of coordinators and workers that tests need.
struct FarmBench {
  let farm: Farm
  /// The ledger by which the tests play the coordinator's part.
  let ledger: PostgreSQLLedger
  let database: String

  init() throws {
    database = try TestCluster.shared.get().makeDatabase()
    ledger = PostgreSQLLedger(url: database)
    try ledger.migrate()
    farm = Farm { [database] in database }
  }

  /// Enters a job with two chunks of ten frames, and no sound.
  @discardableResult func submit(_ id: String = "job", submitter: String = "tester", output: String? = nil) throws -> String {
    let chunks = (0..<2).map { JobSubmission.Task(kind: .picture, frames: FrameRange(first: $0 * 10, count: 10), cost: 1) }
    let spec = JobSpec(
      document: #"{"spool":1}"#, facts: [:], output: output ?? "/out/\(id).mp4", overwrites: true, keepsSegments: false)
    return try ledger.submit(
      JobSubmission(
        id: id, spec: spec, submitter: submitter, frameCount: 20,
        tasks: chunks + [TaskKind.mux, .publish].map { JobSubmission.Task(kind: $0, cost: 1) }))
  }

  /// Has a coordinator lead, and a worker with two slots connected.
  ///
  /// - Parameter ahead: the attempts that it takes ahead of its slots; nil for a worker whose segments are not found again.
  func start(worker: String = "anna", tags: [String] = [], ahead: Int? = nil) throws {
    _ = try ledger.lead(Candidate(name: "coordinator", epoch: "1", isNew: false))
    var hello = WorkerHello(
      worker: worker, epoch: "1", host: "host", processID: 7, slots: 2, capabilities: Capabilities(tags: tags), running: [])
    hello.ahead = ahead
    try ledger.register(hello)
  }

  func claim(_ worker: String = "anna") throws -> [AttemptOrder] {
    try ledger.claim(for: [FreeSlots(worker: worker, epoch: "1", slots: 2)]).map(\.order)
  }

  /// Makes a job done, without its work.
  func finish(_ job: String) throws {
    try run(
      """
      update spool.job set state = 'done', started_at = now(), ended_at = now(), parts_left = 0, chunks_done = chunk_count
      where id = '\(job)'
      """)
  }

  /// Changes what the database holds, for states that take long to reach.
  func run(_ script: String) throws {
    try Connection(url: database, applicationName: "spool test").run(script)
  }
}

/// The complaint that `body` throws; nil when it throws none.
func complaint(_ body: () throws -> Void) throws -> Complaint? {
  do { try body() } catch let complaint as Complaint { return complaint }
  return nil
}
