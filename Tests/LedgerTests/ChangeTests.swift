import FarmTesting
import Formats
import Ledger
import Messages
import Scheduling
import Testing

/// Changes by operators and submitters while a farm runs, in both ledgers.
struct ChangeTests {
  @Test(arguments: LedgerUnderTest.allCases)
  func `of a paused job nothing is begun, and what runs counts`(_ kind: LedgerUnderTest) throws {
    let bench = try kind.bench()
    try bench.register("a")
    try bench.submit(chunks: 2)
    let order = try #require(try bench.claim().first)
    #expect(try bench.ledger.change(job: "job", .pause) == true)
    #expect(try bench.ledger.status(job: "job")?.isPaused == true)
    #expect(try bench.claim(slots: 8).isEmpty)
    #expect(try bench.commit(order) == .won)
    #expect(try bench.ledger.change(job: "job", .resume) == true)
    #expect(try bench.claim(slots: 8).count == 1)
  }

  @Test(arguments: LedgerUnderTest.allCases)
  func `what cannot be changed is said`(_ kind: LedgerUnderTest) throws {
    let bench = try kind.bench()
    #expect(try bench.ledger.change(job: "job", .pause) == nil)
    try bench.submit()
    #expect(try bench.ledger.change(job: "job", .retry) == false)
    _ = try bench.ledger.cancel(job: "job")
    for change in [JobChange.pause, .resume, .prioritise(3)] {
      #expect(try bench.ledger.change(job: "job", change) == false)
    }
  }

  @Test(arguments: LedgerUnderTest.allCases)
  func `a priority holds from the next claim on`(_ kind: LedgerUnderTest) throws {
    let bench = try kind.bench()
    try bench.register("a")
    try bench.submit("first", chunks: 2)
    try bench.submit("second", chunks: 2)
    #expect(try bench.claim().first?.job == "first")
    #expect(try bench.ledger.change(job: "second", .prioritise(1)) == true)
    #expect(try bench.claim().first?.job == "second")
  }

  @Test(arguments: LedgerUnderTest.allCases)
  func `waiting raises a priority, by a level an hour`(_ kind: LedgerUnderTest) throws {
    let bench = try kind.bench()
    try bench.submit("old", chunks: 3)
    try bench.advance(by: .seconds(3500))
    try bench.register("a")
    try bench.submit("urgent", chunks: 3, priority: 1)
    #expect(try bench.claim().first?.job == "urgent")
    try bench.advanceAlive(by: .seconds(3800), ["a"])
    try bench.register("a", epoch: "2")
    #expect(try bench.claim(epoch: "2").first?.job == "old")
    #expect(try bench.claim(epoch: "2").first?.job == "urgent")
  }

  @Test(arguments: LedgerUnderTest.allCases)
  func `jobs of one submitter and priority go first in, first out, however long the later ones wait`(
    _ kind: LedgerUnderTest
  ) throws {
    let bench = try kind.bench()
    for job in ["first", "second", "third"] { try bench.submit(job, chunks: 3) }
    var jobs: [String] = []
    for epoch in 1...15 {
      try bench.register("a", epoch: "\(epoch)")
      let order = try #require(try bench.claim(epoch: "\(epoch)").first)
      jobs.append(order.job)
      _ = try bench.commit(order, epoch: "\(epoch)")
      try bench.advance(by: .seconds(7300))
    }
    // Each job has three chunks, the mux and the publication.
    #expect(jobs == ["first", "second", "third"].flatMap { Array(repeating: $0, count: 5) })
  }

  @Test(arguments: LedgerUnderTest.allCases)
  func `a failed job that is retried does what is missing, its failures forgiven`(_ kind: LedgerUnderTest) throws {
    let bench = try kind.bench()
    try bench.register("a")
    try bench.submit(chunks: 3, sound: true)
    let orders = try bench.claim(slots: 3)
    #expect(try bench.commit(orders[0]) == .won)
    guard case .jobFailed = try bench.fail(orders[1], .content) else {
      Issue.record("the job did not fail")
      return
    }
    #expect(try bench.ledger.change(job: "job", .retry) == true)
    #expect(try bench.states() == [.done, .ready, .ready, .ready, .waiting, .waiting])
    let again = try bench.claim(slots: 8)
    #expect(again.map(\.key.attempt) == [2, 2, 1])
    #expect(try bench.commit(orders[2]) == .stale)
    // The earlier failure is forgiven, so this failure is the first that counts.
    #expect(try bench.fail(again[0], .bug) == .retries)
    try bench.advance(by: .seconds(5))
    for order in try again.dropFirst() + bench.claim(slots: 8) { #expect(try bench.commit(order) == .won) }
    #expect(try bench.commit(try #require(try bench.claim().first)) == .won)
    #expect(try bench.commit(try #require(try bench.claim().first)) == .won)
    #expect(try bench.state() == .done)
    #expect(try bench.ledger.change(job: "job", .retry) == false)
  }

  @Test(arguments: LedgerUnderTest.allCases)
  func `a job cancelled at its publishing is published when it is retried`(_ kind: LedgerUnderTest) throws {
    let bench = try kind.bench()
    try bench.register("a")
    try bench.submit(chunks: 1)
    for _ in 0..<2 { #expect(try bench.commit(try #require(try bench.claim().first)) == .won) }
    _ = try bench.ledger.cancel(job: "job")
    #expect(try bench.ledger.change(job: "job", .retry) == true)
    #expect(try bench.states() == [.done, .done, .ready])
  }

  @Test(arguments: LedgerUnderTest.allCases)
  func `a cancelled job ends at once, and its tasks follow some at a time`(_ kind: LedgerUnderTest) throws {
    let bench = try kind.bench(tasksAtOnce: 3)
    try bench.register("a")
    try bench.submit(chunks: 6)
    let running = try bench.claim(slots: 2)
    #expect(try bench.ledger.follow() == nil)
    let ended = try #require(try bench.ledger.cancel(job: "job"))
    #expect(Set(ended) == Set(running.map { ExpiredAttempt(worker: "a", key: $0.key) }))
    #expect(try bench.state() == .cancelled)
    #expect(try bench.states() == [.cancelled, .cancelled, .cancelled, .ready, .ready, .ready, .waiting, .waiting])
    #expect(try bench.claim(slots: 8).isEmpty)
    #expect(try bench.commit(running[0]) == .stale)
    try follow(bench, .cancelled)
    #expect(try bench.states().allSatisfy { $0 == .cancelled })
  }

  @Test(arguments: LedgerUnderTest.allCases)
  func `a job that fails ends at once, and its tasks follow some at a time`(_ kind: LedgerUnderTest) throws {
    let bench = try kind.bench(tasksAtOnce: 3)
    try bench.register("a")
    try bench.submit(chunks: 6)
    let running = try bench.claim(slots: 5)
    guard case .jobFailed(let others) = try bench.fail(running[3], .content) else {
      Issue.record("the job did not fail")
      return
    }
    #expect(Set(others.map(\.key)) == Set(running.map(\.key)).subtracting([running[3].key]))
    #expect(try bench.claim(slots: 8).isEmpty)
    try follow(bench, .cancelled)
    #expect(try bench.states() == [.cancelled, .cancelled, .cancelled, .failed, .cancelled, .cancelled, .cancelled, .cancelled])
  }

  @Test(arguments: LedgerUnderTest.allCases, [0, 1, 2])
  func `a job that is retried while its tasks are still being cancelled does all that is missing`(
    _ kind: LedgerUnderTest, steps: Int
  ) throws {
    let bench = try kind.bench(tasksAtOnce: 3)
    try bench.register("a")
    try bench.submit(chunks: 6)
    let done = try bench.claim(slots: 2)
    #expect(try bench.commit(done[1]) == .won)
    _ = try bench.ledger.cancel(job: "job")
    for _ in 0..<steps { #expect(try bench.ledger.follow() == .cancelled) }
    #expect(try bench.ledger.change(job: "job", .retry) == true)
    #expect(try bench.state() == .queued)
    // Tasks that have followed already are given out before the others have.
    let first = try bench.claim(slots: 8)
    #expect(first.map(\.key.task).starts(with: [1, 3]))
    try follow(bench, .readied)
    let rest = try bench.claim(slots: 8)
    for order in first + rest { #expect(try bench.commit(order) == .won) }
    for _ in 0..<2 { #expect(try bench.commit(try #require(try bench.claim().first)) == .won) }
    #expect(try bench.state() == .done)
  }

  /// Follows until all tasks have followed their job.
  private func follow(_ bench: Bench, _ expected: FollowedTasks) throws {
    var steps = 0
    while let followed = try bench.ledger.follow() {
      #expect(followed == expected)
      steps += 1
    }
    #expect(steps == 2)
  }

  @Test(arguments: LedgerUnderTest.allCases)
  func `a drained worker is given nothing, whatever process has its name, nor is a drained farm`(_ kind: LedgerUnderTest) throws {
    let bench = try kind.bench()
    try bench.register("a")
    try bench.submit(chunks: 4)
    #expect(try bench.ledger.drain(worker: "nobody", true) == false)
    #expect(try bench.ledger.drain(worker: "a", true))
    #expect(try bench.claim().isEmpty)
    try bench.register("a", epoch: "2")
    #expect(try bench.claim(epoch: "2").isEmpty)
    #expect(try bench.ledger.workers().map(\.state) == ["drained"])
    #expect(try bench.ledger.drain(worker: nil, true))
    #expect(try bench.ledger.drain(worker: "a", false))
    #expect(try bench.claim(epoch: "2").isEmpty)
    #expect(try bench.ledger.drain(worker: nil, false))
    #expect(try bench.claim(epoch: "2").count == 1)
  }

  @Test(arguments: LedgerUnderTest.allCases)
  func `a submitter never runs more than the quota`(_ kind: LedgerUnderTest) throws {
    let bench = try kind.bench()
    try bench.register("a")
    try bench.submit(chunks: 5)
    try bench.ledger.setShare(of: "tester", weight: 2, slots: 2)
    let orders = try bench.claim(slots: 8)
    #expect(orders.count == 2)
    #expect(try bench.claim(slots: 8).isEmpty)
    #expect(try bench.commit(orders[0]) == .won)
    #expect(try bench.claim(slots: 8).count == 1)
    #expect(
      try bench.ledger.submitters() == [SubmitterStatus(name: "tester", weight: 2, slots: 2, running: 2, jobs: 1)])
  }

  @Test(arguments: LedgerUnderTest.allCases)
  func `a movie has one job that is to write it, until that has ended`(_ kind: LedgerUnderTest) throws {
    let bench = try kind.bench()
    var other = Bench.submission("other")
    other.spec.output = "/out/job.mp4"
    try bench.submit()
    let taken = LedgerError.outputTaken("/out/job.mp4", job: "job")
    #expect(throws: taken) { _ = try bench.ledger.submit(other) }
    #expect(try bench.ledger.status(job: "other") == nil)
    #expect(try bench.submit() == "job")
    _ = try bench.ledger.cancel(job: "job")
    #expect(try bench.ledger.submit(other) == "other")
    #expect(throws: LedgerError.outputTaken("/out/job.mp4", job: "other")) { _ = try bench.ledger.change(job: "job", .retry) }
    #expect(try bench.state() == .cancelled)
    _ = try bench.ledger.cancel(job: "other")
    #expect(try bench.ledger.change(job: "job", .retry) == true)
    #expect(throws: taken) { _ = try bench.ledger.change(job: "other", .retry) }
  }

  @Test(arguments: LedgerUnderTest.allCases)
  func `of a share only what is named changes, and who is not known is entered on demand alone`(_ kind: LedgerUnderTest) throws {
    let ledger = try kind.bench().ledger
    func share() throws -> [SubmitterStatus] { try ledger.submitters() }
    func status(_ weight: Int, _ slots: Int?) -> [SubmitterStatus] {
      [SubmitterStatus(name: "ana", weight: weight, slots: slots, running: 0, jobs: 0)]
    }
    #expect(try !ledger.change(submitter: "ana", ShareChange(weight: 3)))
    #expect(try share() == [])
    #expect(try ledger.change(submitter: "ana", ShareChange(weight: 3, slots: .atMost(5), entersNew: true)))
    #expect(try ledger.change(submitter: "ana", ShareChange(slots: .atMost(2))))
    #expect(try share() == status(3, 2))
    #expect(try ledger.change(submitter: "ana", ShareChange(weight: 4)))
    #expect(try share() == status(4, 2))
    #expect(try ledger.change(submitter: "ana", ShareChange(slots: .unlimited)))
    #expect(try share() == status(4, nil))
    #expect(try ledger.change(submitter: "ana", .reset))
    #expect(try share() == status(1, nil))
  }

  @Test(arguments: LedgerUnderTest.allCases)
  func `a job goes to workers that have what it needs`(_ kind: LedgerUnderTest) throws {
    let bench = try kind.bench()
    try bench.register("a")
    try bench.register("b", capabilities: Capabilities(tags: ["gpu", "tokyo"], memory: 1000))
    var submission = Bench.submission("job", chunks: 4)
    submission.needs = Capabilities(tags: ["gpu"], memory: 1000)
    _ = try bench.ledger.submit(submission)
    try bench.submit("plain", chunks: 1)
    #expect(try bench.claim("a", slots: 8).map(\.job) == ["plain"])
    #expect(try bench.claim("b", slots: 8).count == 4)
  }

  @Test(arguments: LedgerUnderTest.allCases)
  func `the fonts of jobs that have not ended are wanted, each once, and they go with the orders`(_ kind: LedgerUnderTest) throws
  {
    let bench = try kind.bench()
    #expect(try bench.ledger.wantedFonts() == [])
    let faces = (0..<3).map { number in
      FontFace(
        family: "F\(number)", weight: 400, name: "F\(number)", index: 0, byteCount: 9,
        digest: String(repeating: "\(number)", count: 32))
    }
    func submit(_ job: String, _ fonts: [FontFace], state: JobChange? = nil) throws {
      var submission = Bench.submission(job, chunks: 1)
      submission.spec.fonts = fonts
      submission.needs = Capabilities(tags: ["gpu"] + FontTag.tags(of: fonts))
      _ = try bench.ledger.submit(submission)
    }
    try bench.submit("plain")
    try submit("one", [faces[0]])
    try submit("two", [faces[1], faces[0]])
    try submit("same", [faces[0]])
    try submit("ended", [faces[2]])
    let all = faces.map { FontTag($0).tag }
    #expect(try bench.ledger.wantedFonts() == all)
    _ = try bench.ledger.cancel(job: "ended")
    _ = try bench.ledger.change(job: "one", .pause)
    #expect(try bench.ledger.wantedFonts() == Array(all.prefix(2)))

    try bench.register("without", capabilities: Capabilities(tags: ["gpu", all[1]]))
    try bench.register("with", capabilities: Capabilities(tags: ["gpu", all[0], all[1]]))
    #expect(try bench.claim("without", slots: 8).map(\.job) == ["plain", "plain"])
    let orders = try bench.claim("with", slots: 8)
    #expect(orders.map(\.job) == ["two", "same"])
    #expect(orders.map(\.spec.fonts) == [[faces[1], faces[0]], [faces[0]]])
  }

  @Test(arguments: LedgerUnderTest.allCases)
  func `attempts that are open no longer are found among those that are held`(_ kind: LedgerUnderTest) throws {
    let bench = try kind.bench()
    try bench.register("a")
    try bench.submit(chunks: 1)
    try bench.submit("other", chunks: 1)
    let held = try bench.claim(slots: 2).map { ExpiredAttempt(worker: "a", key: $0.key) }
    #expect(try bench.ledger.closed(among: held) == [])
    _ = try bench.ledger.cancel(job: "job")
    #expect(try bench.ledger.closed(among: held) == [held[0]])
  }

  @Test(arguments: LedgerUnderTest.allCases)
  func `a worker that fails what others do is set aside until its canary passes`(_ kind: LedgerUnderTest) throws {
    let bench = try kind.bench()
    for worker in ["bad", "good"] { try bench.register(worker) }
    try bench.submit(chunks: 9)
    #expect(try bench.fail(try #require(try bench.claim("bad").first), .worker, "bad") == .retries)
    try bench.advance(by: .seconds(1))
    let first = try bench.claim("good")
    for order in try bench.claim("bad", slots: 3) { #expect(try bench.fail(order, .worker, "bad") == .retries) }
    _ = try bench.ledger.expire()
    #expect(try bench.ledger.workers().map(\.state) == ["alive", "alive"])
    try bench.advance(by: .seconds(1))
    for order in try first + bench.claim("good", slots: 3) { #expect(try bench.commit(order, "good") == .won) }
    _ = try bench.ledger.expire()
    #expect(try bench.ledger.workers().map(\.state) == ["set aside", "alive"])
    #expect(try bench.claim("bad", slots: 3).isEmpty)
    // The canary fails, so the next one comes after twice the time.
    try bench.advanceAlive(by: .seconds(31), ["bad", "good"])
    let canary = try bench.claim("bad", slots: 3)
    try #require(canary.count == 1)
    #expect(try bench.claim("bad", slots: 3).isEmpty)
    #expect(try bench.fail(canary[0], .worker, "bad") == .retries)
    _ = try bench.ledger.expire()
    try bench.advanceAlive(by: .seconds(31), ["bad", "good"])
    #expect(try bench.claim("bad", slots: 3).isEmpty)
    try bench.advanceAlive(by: .seconds(31), ["bad", "good"])
    let second = try bench.claim("bad", slots: 3)
    try #require(second.count == 1)
    #expect(try bench.commit(second[0], "bad") == .won)
    _ = try bench.ledger.expire()
    #expect(try bench.ledger.workers().map(\.state) == ["alive", "alive"])
    #expect(try bench.claim("bad", slots: 3).count == 3)
  }
}
