import FarmTesting
import Ledger
import Messages
import Scheduling
import Testing

/// The comparison of both ledgers. The one in memory is the model of the one in PostgreSQL: both give the same answers to any
/// calls in any order.
struct TwinTests {
  @Test(arguments: 1...12 as ClosedRange<UInt64>)
  func `both ledgers answer every call of a random history alike`(_ seed: UInt64) throws {
    var policy = RetryPolicy()
    policy.workerLimit = 3
    let twins = try LedgerUnderTest.allCases.map { try $0.bench(retryPolicy: policy, tasksAtOnce: 3) }
    var history = History(random: SeededRandom(seed: seed))
    for step in 1...120 {
      let call = history.next()
      let answers = try twins.map { try call.answer(of: $0) }
      #expect(answers[0] == answers[1], "seed \(seed), step \(step): \(call)")
      if case .orders(let orders) = answers[0] { history.known += orders.map(\.attempt) }
      let views = try twins.map { try View($0.ledger) }
      try #require(views[0] == views[1], "seed \(seed), step \(step): \(call)")
    }
  }
}

/// A source of random calls, of which some make sense.
private struct History {
  var random: SeededRandom
  var known: [ClaimedAttempt] = []
  private var jobs = 0
  private var advances = 0

  init(random: SeededRandom) { self.random = random }

  private static let workers = ["a", "b", "c"]
  private static let epochs = ["1", "2"]

  mutating func next() -> Call {
    let worker = Self.workers.randomElement(using: &random) ?? "a"
    let epoch = random.chance(0.9) ? "1" : "2"
    switch Int.random(in: 0..<30, using: &random) {
    case 0, 1:
      jobs += 1
      var submission = Bench.submission(
        "job\(jobs)", chunks: Int.random(in: 1...4, using: &random), sound: random.chance(0.5),
        priority: Int.random(in: 0...2, using: &random))
      submission.submitter = submitter
      if random.chance(0.2) { submission.needs = Capabilities(tags: ["b"]) }
      if random.chance(0.3) { replace(&submission) }
      return .submit(submission)
    case 2, 3: return .register(worker, epoch)
    case 4: return random.chance(0.3) ? .retire(worker, epoch) : .register(worker, "1")
    case 5: return jobs > 0 && random.chance(0.3) ? .cancel("job\(Int.random(in: 1...jobs, using: &random))") : .expire
    case 6, 7:
      // No sum of fewer than a hundred such steps comes within ten real seconds of a deadline.
      advances += 1
      guard advances < 40 else { return .expire }
      return .advance(.milliseconds(Int.random(in: 0...8, using: &random) * 1000 + 370))
    case 8: return .expire
    case 9, 10: return .heartbeat(worker, epoch, progress(of: worker))
    case 11...14:
      let offers = Self.workers.filter { _ in random.chance(0.7) }
      return .claim(
        offers.map {
          FreeSlots(
            worker: $0, epoch: epoch, slots: Int.random(in: 0...3, using: &random), lanes: Int.random(in: 0...1, using: &random))
        })
    case 15: return .openAttempts(worker, epoch)
    case 16, 17:
      let offers = Self.workers.map { FreeSlots(worker: $0, epoch: "1", slots: 2) }
      let spared = known.suffix(4).filter { _ in random.chance(0.2) }.map(\.order.key)
      return .speculate(offers, most: Int.random(in: 1...3, using: &random), sparing: spared)
    case 19:
      return .split(Self.workers.map { FreeSlots(worker: $0, epoch: "1", slots: 2) }, asked: known.suffix(1).map(\.order.key))
    case 18: return .learn(Set(known.suffix(8).map(\.order.key)).sorted())
    case 27: return .follow
    case 28: return .over((1...max(1, jobs)).map { "job\($0)" })
    case 20: return jobs > 0 ? random.chance(0.6) ? change() : want() : .expire
    case 21:
      return random.chance(0.5)
        ? .drain(random.chance(0.8) ? worker : nil, random.chance(0.3)) : .share(submitter, slots: random.chance(0.5) ? nil : 3)
    default: return end()
    }
  }

  /// Has a submission replace an earlier job, if there is one, with twins that may be its tasks.
  private mutating func replace(_ submission: inout JobSubmission) {
    let recent = known.suffix(4).randomElement(using: &random)
    submission.replaces = recent?.order.job ?? "job\(Int.random(in: 1...jobs, using: &random))"
    for place in submission.tasks.indices where submission.tasks[place].kind.isPart && random.chance(0.7) {
      let running = known.suffix(8).filter { $0.order.work.kind == submission.tasks[place].kind }
      submission.tasks[place].twin = running.randomElement(using: &random)?.order.key.task
    }
  }

  private mutating func progress(of worker: String) -> [AttemptProgress] {
    let listed = known.suffix(6).filter { $0.worker == worker || random.chance(0.1) }
    // Each attempt is listed once, as workers do.
    return Set(listed.map(\.order.key)).sorted().map {
      // A chunk may begin at any multiple of ten.
      let end = random.chance(0.2) ? Int.random(in: 1...40, using: &random) : nil
      return AttemptProgress(key: $0, done: Int64.random(in: 0...12, using: &random), total: 12, end: end)
    }
  }

  private var submitter: String { mutating get { ["ana", "ben"].randomElement(using: &random) ?? "ana" } }

  private mutating func want() -> Call {
    let isPicture = random.chance(0.8)
    let first = isPicture ? Int64.random(in: 0...3, using: &random) * 10 : 0
    return .want(
      "job\(Int.random(in: 1...jobs, using: &random))", isPicture ? .picture : .sound, from: first,
      most: Int.random(in: 1...3, using: &random))
  }

  private mutating func change() -> Call {
    let job = "job\(Int.random(in: 1...jobs, using: &random))"
    let changes: [JobChange] = [
      .pause, .resume, .resume, .retry, .retry, .retryWriting(to: "/out/\(job).mov"),
      .prioritise(Int.random(in: 0...3, using: &random)),
    ]
    return .change(job, changes.randomElement(using: &random) ?? .resume)
  }

  /// A random end of an attempt, mostly of a recent one and by its own worker.
  private mutating func end() -> Call {
    guard let claimed = known.suffix(random.chance(0.8) ? 4 : 100).randomElement(using: &random) else { return .expire }
    let worker = random.chance(0.95) ? claimed.worker : "b"
    guard random.chance(0.4) else {
      // The result mostly has all frames of the order, which may have been divided since. Otherwise it has fewer or more.
      guard case .picture(let frames) = claimed.order.work, random.chance(0.3) else {
        return .commit(claimed.order, worker, end: nil)
      }
      return .commit(claimed.order, worker, end: frames.first + Int.random(in: 1...12, using: &random))
    }
    let classes: [Failure.Class] = [.worker, .source, .transient, .transient, .bug, random.chance(0.3) ? .content : .worker]
    let damaged = random.chance(0.5) ? known.suffix(8).filter { _ in random.chance(0.4) }.map(\.order.key) : []
    let failure = Failure(classes.randomElement(using: &random) ?? .bug, at: "place", "reason", damaged: Array(Set(damaged)))
    return .fail(claimed.order.key, worker, failure)
  }
}

private enum Call {
  case submit(JobSubmission)
  case cancel(String)
  case register(String, String)
  case heartbeat(String, String, [AttemptProgress])
  case retire(String, String)
  case claim([FreeSlots])
  case speculate([FreeSlots], most: Int, sparing: [AttemptKey])
  case split([FreeSlots], asked: [AttemptKey])
  case learn([AttemptKey])
  case openAttempts(String, String)
  case commit(AttemptOrder, String, end: Int?)
  case fail(AttemptKey, String, Failure)
  case expire
  case over([String])
  case follow
  case advance(Duration)
  case change(String, JobChange)
  case drain(String?, Bool)
  case share(String, slots: Int?)
  case want(String, TaskKind, from: Int64, most: Int)

  enum Answer: Equatable {
    case nothing
    case flag(Bool?)
    case count(Int?)
    case text(String)
    case orders([Given])
    case splits([Split])
    /// The attempts that ended, in any order.
    case ended(Set<ExpiredAttempt>?)
    case heard(closed: Set<AttemptKey>, divided: Set<AttemptKey>)
    case commit(Committed)
    case retries, stale
    case followed(FollowedTasks?)
    case over(Set<OverJob>)
    case jobFailed(Set<ExpiredAttempt>)
  }

  func answer(of bench: Bench) throws -> Answer {
    let ledger = bench.ledger
    switch self {
    case .submit(let submission): return .text(try ledger.submit(submission))
    case .cancel(let job): return .ended(try ledger.cancel(job: job).map { Set($0) })
    case .register(let worker, let epoch):
      try bench.register(worker, epoch: epoch, ahead: worker == "c" ? nil : 128, capabilities: Capabilities(tags: [worker]))
    case .heartbeat(let worker, let epoch, let running):
      let heard = try ledger.heartbeat([Heartbeat(worker: worker, epoch: epoch, running: running)])
      return .heard(closed: Set(heard.flatMap(\.closed)), divided: Set(heard.flatMap(\.divided)))
    case .retire(let worker, let epoch): try ledger.retire(worker: worker, epoch: epoch)
    case .claim(let offers): return .orders(try ledger.claim(for: offers).map(Given.init))
    case .speculate(let offers, let most, let spared):
      return .orders(try ledger.speculate(for: offers, most: most, sparing: spared).map(Given.init))
    case .split(let offers, let asked): return .splits(try ledger.split(for: offers, asked: asked))
    case .learn(let keys): try ledger.learn(from: keys)
    case .openAttempts(let worker, let epoch):
      return .orders(try ledger.openAttempts(worker: worker, epoch: epoch).map(Given.init))
    case .commit(let order, let worker, let end):
      let proof = Bench.proof(order, end: end)
      return .commit(try ledger.commit([Completion(worker: worker, epoch: "1", key: order.key, proof: proof)]))
    case .fail(let key, let worker, let failure):
      switch try ledger.fail(key, worker: worker, epoch: "1", failure) {
      case .retries: return .retries
      case .stale: return .stale
      case .jobFailed(let others): return .jobFailed(Set(others))
      }
    case .follow: return .followed(try ledger.follow())
    case .over(let jobs): return .over(Set(try ledger.over(among: jobs, endedFor: .zero)))
    case .expire: return .ended(Set(try ledger.expire()))
    case .change(let job, let change): return .flag(try ledger.change(job: job, change))
    case .drain(let worker, let isDrained): return .flag(try ledger.drain(worker: worker, isDrained))
    case .share(let submitter, let slots): try ledger.setShare(of: submitter, weight: 2, slots: slots)
    case .want(let job, let kind, let first, let most): return .count(try ledger.want(job: job, kind, from: first, most: most))
    case .advance(let duration): try bench.advance(by: duration)
    }
    return .nothing
  }
}

/// An attempt that was given out. Its patience is compared to a thousandth, because it is learned from times, and a database's
/// clock runs on during a test.
private struct Given: Equatable {
  let attempt: ClaimedAttempt

  static func == (a: Given, b: Given) -> Bool {
    let (one, other) = (a.attempt.order.patience ?? 0, b.attempt.order.patience ?? 0)
    var same = b.attempt
    same.order.patience = a.attempt.order.patience
    return a.attempt == same && abs(one - other) <= max(one, other) / 1000
  }
}

/// Everything that can be seen of a ledger, without times.
private struct View: Equatable {
  private var jobs: [JobStatus]
  private var tasks: [[TaskStatus]]
  private var workers: [WorkerStatus]
  private var submitters: [SubmitterStatus]

  init(_ ledger: any FarmDesk) throws {
    jobs = try ledger.jobs(limit: 100).map { job in
      var job = job
      (job.submittedAt, job.waitedSeconds, job.failure, job.pausedAt) = ("", 0, job.failure.map(Self.timeless), nil)
      job.elapsedSeconds = job.elapsedSeconds == nil ? nil : 0
      return job
    }
    tasks = try jobs.map { job in
      try ledger.tasks(job: job.id).map { task in
        var task = task
        task.failure = task.failure.map(Self.timeless)
        return task
      }
    }
    submitters = try ledger.submitters()
    workers = try ledger.workers().map { worker in
      var worker = worker
      (worker.secondsSinceHeartbeat, worker.pace) = (0, nil)
      return worker
    }
  }

  /// The failure without numbers in its reason. Reasons such as "silent for 12345 s" depend on the seconds that a test took.
  private static func timeless(_ failure: Failure) -> Failure {
    Failure(failure.class, at: failure.place, String(failure.reason.prefix { !$0.isNumber }))
  }
}
