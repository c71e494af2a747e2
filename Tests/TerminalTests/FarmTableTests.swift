import Ledger
import Messages
import Terminal
import Testing

@Suite struct `The tables of jobs and tasks` {
  private let reason = "/srv/media/interview.mov track 1 at 12.48 s: the packet is damaged"

  private var jobs: [JobStatus] {
    let failure = Failure(.content, at: "assets.a", reason)
    return [
      JobStatus(
        id: "b7kq2mzr9x4t", state: .failed, output: "/srv/output/a.mp4", submitter: "annabelle@edit-station-1.example",
        frameCount: 2000,
        framesDone: 1200, chunkCount: 20, chunksDone: 12, retries: 4, failure: failure, submittedAt: "2026-11-29T10:00:00Z",
        waitedSeconds: 60,
        elapsedSeconds: 540),
      JobStatus(
        id: "x9d4wq7rkz2p", state: .cancelled, output: "/srv/output/b.mp4", submitter: "ben@edit-2", frameCount: 500,
        framesDone: 0,
        chunkCount: 5, chunksDone: 0, retries: 0, failure: nil, submittedAt: "2026-11-29T10:00:00Z", waitedSeconds: 60,
        elapsedSeconds: nil),
    ]
  }

  /// Three hours after the jobs' submission.
  private let now = 1_795_957_200

  @Test(arguments: [60, 79, 80, 99, 109, 110, 160, 200])
  func `jobs fit the terminal, and their states and reasons are there`(columns: Int) {
    let text = JobTable.table(of: jobs, columns: columns, now: now).text(columns: columns)
    for line in text.split(separator: "\n") { #expect(line.count <= columns, "\(line)") }
    for words in ["b7kq2mzr9x4t  failed", "x9d4wq7rkz2p  cancelled", "60%", "assets.a: /"] {
      #expect(text.contains(words), "\(words)")
    }
  }

  /// A request with an `Idempotency-Key` makes ids of 24 signs.
  @Test(arguments: [60, 79, 80, 91, 92, 110, 122, 200])
  func `jobs with long ids fit the terminal, and their ids are whole`(columns: Int) {
    let id = "b7kq2mzr9x4tb7kq2mzr9x4t"
    let long = jobs.map { job in
      var job = job
      if job.state == .cancelled { job.id = id }
      return job
    }
    let text = JobTable.table(of: long, columns: columns, now: now).text(columns: columns)
    for line in text.split(separator: "\n") { #expect(line.count <= columns, "\(line)") }
    #expect(text.contains("\(id)  cancelled") && text.contains("SUBMITTER") == (columns >= 92))
  }

  @Test(arguments: [60, 79, 80, 99, 100, 200])
  func `tasks fit the terminal, and what failed says why`(columns: Int) {
    func failed(_ id: Int64, _ frames: FrameRange?, _ kind: TaskKind) -> TaskStatus {
      TaskStatus(
        id: id, kind: kind, state: .failed, frames: frames, attempts: 12, worker: "render-node-0000017.example", framesDone: 0,
        failure: Failure(.content, at: "assets.a", reason))
    }
    var sound = failed(1_234_567, nil, .sound)
    sound.samples = SampleRange(first: 172_800_000, count: 86_400_000)
    let waiting = (0..<12_345).map { number in
      TaskStatus(
        id: Int64(number), kind: .picture, state: .cancelled, frames: FrameRange(first: 200_000 + number, count: 1), attempts: 1,
        worker: "w\(number % 7)", framesDone: 0, failure: nil)
    }
    let all = waiting + [failed(1_234_568, FrameRange(first: 107_880, count: 12), .picture), sound]
    let text = TaskTable.table(of: all, isBrief: true, columns: columns).text(columns: columns)
    for line in text.split(separator: "\n") { #expect(line.count <= columns, "\(line)") }
    for words in ["12345 tasks  picture  cancelled", "107880..107892", "1234567", "assets"] {
      #expect(text.contains(words), "\(words)")
    }
  }

  @Test func `the reason of a failure has room before the submitter's name has`() {
    let text = JobTable.table(of: jobs, columns: 105, now: now).text(columns: 105)
    #expect(text.contains("assets.a: /srv/media/interview.mov trac"))
    #expect(text.contains("annabelle@"))
  }

  @Test func `the age of a job that has ended goes on`() {
    #expect(JobTable.table(of: jobs, columns: 80, now: now).text.contains("  3h   9m   -"))
    // A clock that is behind does not make it younger than it became.
    #expect(JobTable.table(of: jobs, columns: 80, now: 0).text.contains("  10m  9m   -"))
  }

  private func task(_ id: Int64, _ state: TaskState, attempts: Int = 0, worker: String? = nil, failure: Failure? = nil)
    -> TaskStatus
  {
    TaskStatus(
      id: id, kind: .picture, state: state, frames: FrameRange(first: Int(id) * 10, count: 10), attempts: attempts,
      worker: worker,
      framesDone: state == .done ? 10 : 0, failure: failure)
  }

  private var tasks: [TaskStatus] {
    [
      task(0, .done, attempts: 1, worker: "a"), task(1, .done, attempts: 2, worker: "b"),
      task(2, .done, attempts: 1, worker: "a"),
      task(3, .running, attempts: 1, worker: "a"), task(4, .running, attempts: 1, worker: "b"), task(5, .ready), task(6, .ready),
      TaskStatus(id: 7, kind: .mux, state: .waiting, frames: nil, attempts: 0, worker: nil, framesDone: 0, failure: nil),
      TaskStatus(id: 8, kind: .publish, state: .waiting, frames: nil, attempts: 0, worker: nil, framesDone: 0, failure: nil),
    ]
  }

  @Test func `neighbours that are done or have not begun share a row`() {
    #expect(
      TaskTable.table(of: tasks, isBrief: true).text == """
        TASK     KIND     STATE    FRAMES  DONE  ATTEMPTS  WORKER     FAILURE
        3 tasks  picture  done     0..30   30    4         2 workers
        3        picture  running  30..40  0     1         a
        4        picture  running  40..50  0     1         b
        2 tasks  picture  ready    50..70  0     0         -
        7        mux      waiting  -       -     0         -
        8        publish  waiting  -       -     0         -

        """)
  }

  @Test func `on request each task has a row`() {
    let rows = TaskTable.table(of: tasks, isBrief: false).text.split(separator: "\n")
    #expect(rows.count == 10)
    #expect(rows[2].hasPrefix("1     picture  done     10..20  10    2         b"))
  }

  @Test func `tasks that failed, and those with frames between them, have rows of their own`() {
    let failure = Failure(.content, at: "assets.a", reason)
    let failed = [task(0, .failed, attempts: 1, failure: failure), task(1, .failed, attempts: 1, failure: failure)]
    #expect(TaskTable.table(of: failed, isBrief: true).text.split(separator: "\n").count == 3)
    #expect(TaskTable.table(of: [task(0, .ready), task(2, .ready)], isBrief: true).text.split(separator: "\n").count == 3)
  }

  @Test func `numbers in names are in the order of numbers`() {
    let names = ["a", "a01", "a1", "a2", "a2b", "a2b3", "a2b10", "a10", "a10b", "b1"]
    #expect(names.reversed().sorted { NaturalOrder($0) < NaturalOrder($1) } == names)
  }
}
