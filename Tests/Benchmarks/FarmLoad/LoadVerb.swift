import Arguments
import Glibc
import Ledger
import Subprocess
import Terminal

struct LoadVerb: Verb {
  static let page = Page(
    "load", "measure a farm's coordinator and database under load",
    description: [
      """
      Starts a PostgreSQL server that keeps what it acknowledges and a coordinator, connects workers that render nothing, and \
      measures one job, many jobs, a steady load, a crowd that submits, a long queue, the cancelling of a large job, the cost of \
      history, and a long run.
      """
    ])

  @Option("workers", .integer(1...20_000), default: 2000, shown: "2000", "Connections.") var workers: Int
  @Option("slots", .integer(1...64), default: 1, shown: "1", "Attempts at once of each.") var slots: Int
  @Option("chunks", .integer(10...1_000_000), default: 100_000, shown: "100000", "Of the one job.") var chunks: Int
  @Option("jobs", .integer(1...10_000), default: 1000, shown: "1000", "At once, sharing as many chunks.") var jobs: Int
  @Option(
    "attempt", .integer(1...3_600_000, "MILLISECONDS"), default: 2000, shown: "2000", "Of an attempt under the steady load.")
  var attempt: Int
  @Option("people", .integer(0...5000), default: 200, shown: "200", "Who submit 50 jobs each, all at once.") var people: Int
  @Option("queue", .integer(0...100_000), default: 10_000, shown: "10000", "Jobs that wait, in three steps.") var queue: Int
  @Option(
    "cancelled", .integer(0...1_000_000), default: 100_000, shown: "100000", "Chunks of a job that is cancelled and retried.")
  var cancelled: Int
  @Option("history", .integer(0...10_000_000), default: 1_000_000, shown: "1000000", "Chunks of history, in steps of ten.")
  var history: Int
  @Option("soak", .integer(0...86_400, "SECONDS"), default: 0, shown: "0", "How long the steady load is kept up.") var soak: Int
  @Option(
    "knowledge", .choice("WHAT"),
    "What the server knows of its tables at first: nothing, or that they are empty; then it is told after each phase. Both, one after the other, if left out."
  )
  var knowledge: Knowledge?
  @Flag("statements", "What the database spent its time on, at the end.") var statements: Bool
  @Flag("json", "One object a line.") var json: Bool

  /// The server's knowledge of its tables when the coordinator's statements are planned.
  enum Knowledge: String, CaseIterable, Sendable {
    /// The server knows nothing until autovacuum looks at the tables.
    case none
    /// The server first knows that the tables are empty. After each phase it is told what they have become.
    case analyzed
  }

  /// The most files that the load opens beside its workers' sockets.
  private static let otherFiles = 60

  func run() throws {
    try raiseOpenFileLimit()
    // A worker has two sockets here, and two more in the coordinator, which is another process.
    var limit = rlimit()
    let needed = 2 * workers + Self.otherFiles
    guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0, limit.rlim_cur >= needed else {
      throw Phase.NotDone(
        description: "--workers \(workers): \(needed) open files are needed, and \(limit.rlim_cur) allowed (ulimit -Hn)")
    }
    var report = Report(isJSON: json)
    for knowledge in knowledge.map({ [$0] }) ?? Knowledge.allCases { try measure(knowledge, &report) }
  }

  private func measure(_ knowledge: Knowledge, _ report: inout Report) throws {
    let farm = try LoadedFarm(workers: workers, slots: slots, people: people, isAnalyzed: knowledge == .analyzed)
    defer { try? farm.stop() }  // what was measured is told already
    let begin = ContinuousClock.now
    guard try farm.fleet.work(limit: .seconds(120), until: { $0.welcomed == workers }) else {
      throw Phase.NotDone(description: "connect: \(farm.fleet.count.welcomed) of \(workers) workers are welcome after 120 s")
    }
    try report.connected(workers, knowledge: knowledge.rawValue, seconds: (ContinuousClock.now - begin) / .seconds(1))

    func measure(_ name: String, attempt: Duration = .zero, jobs: Int, chunks: Int) throws {
      if knowledge == .analyzed { try farm.analyze() }
      let phase = Phase(farm: farm, name: name, workers: workers)
      try report.add(try phase.run(attempt: attempt) { try farm.submit(jobs: jobs, chunks: chunks) })
    }
    try measure("one job", jobs: 1, chunks: chunks)
    try measure("\(jobs) jobs", jobs: jobs, chunks: max(1, chunks / jobs))
    try measure("steady", attempt: .milliseconds(attempt), jobs: 1, chunks: min(chunks, workers * slots * 10))
    try measureCrowd(farm, &report)
    try measureQueue(farm, &report)
    try measureSteering(farm, &report)
    var past = 0
    var step = 1000
    while step <= history {
      try farm.addHistory(chunks: step - past)
      if knowledge == .analyzed { try farm.analyze() }
      past = step
      try measure("history \(step)", jobs: 1, chunks: min(chunks, 10_000))
      step *= 10
    }
    let end = ContinuousClock.now + .seconds(soak)
    while ContinuousClock.now < end {
      try measure("soak", attempt: .milliseconds(attempt), jobs: 10, chunks: workers * slots)
    }
    if statements { for line in try farm.statements() { try StandardStream.output.line(line) } }
  }

  /// Measures how long people wait who all submit at once, beside a steady load, and how that load fares meanwhile.
  private func measureCrowd(_ farm: LoadedFarm, _ report: inout Report) throws {
    guard people > 0 else { return }
    let (crowd, each, start) = (Crowd(people: people), 50, ContinuousClock.now)
    var submitted: Duration?
    /// The number of orders that had come by then.
    var orders = 0
    func processorSeconds() throws -> [(who: String, seconds: Double)] {
      [
        ("the load itself", try Readings(process: getpid()).processorSeconds),
        ("the coordinator", try farm.coordinatorReadings().processorSeconds),
        ("the database", try farm.databaseReadings().processorSeconds),
      ]
    }
    let before = try processorSeconds()
    var after = before
    let phase = Phase(farm: farm, name: "crowd", workers: workers)
    let measured = try phase.run(attempt: .milliseconds(attempt)) {
      // This job outlasts the submissions. When a free slot waits for work, that looks like a slow farm.
      let tasks = try farm.submit(jobs: 1, chunks: min(workers * slots * 45, 100_000))
      crowd.start(each: each, database: farm.database)
      return tasks + people * each * 3
    } watching: {
      if submitted == nil, crowd.isOver {
        (submitted, orders) = (.now - start, farm.fleet.turnarounds.count)
        after = try processorSeconds()
        // The waits are measured, so the rest is done as fast as it can be.
        farm.fleet.attempt = .zero
      }
      if let fault = crowd.fault { throw Phase.NotDone(description: "crowd: \(fault)") }
    }
    let waits = crowd.waits.sorted()
    let what = "\(people) people submit \(each) jobs each"
    for (name, share) in [("half of the submissions within", 0.5), ("99 of 100 within", 0.99), ("the longest", 1)] {
      let wait = waits[min(waits.count - 1, Int(Double(waits.count) * share))]
      try report.took("\(what): \(name)", milliseconds: wait / .milliseconds(1))
    }
    try report.took("\(what): all of it", milliseconds: (submitted ?? .zero) / .milliseconds(1))
    // The phase goes on after everything is submitted. These are the waits of workers until then, from the first submission on.
    let turnarounds = farm.fleet.turnarounds.prefix(orders).sorted()
    for (name, share) in [("half of the orders within", 0.5), ("99 of 100 orders within", 0.99)] where !turnarounds.isEmpty {
      let wait = turnarounds[min(turnarounds.count - 1, Int(Double(turnarounds.count) * share))]
      try report.took("\(what): meanwhile \(name)", milliseconds: wait / .milliseconds(1))
    }
    for (start, end) in zip(before, after) {
      try report.took("\(what): processor time meanwhile of \(start.who)", milliseconds: (end.seconds - start.seconds) * 1000)
    }
    try report.add(measured)
    let luck = try farm.luck()
    try report.took("\(what): from submission to movie, the luckiest person", milliseconds: luck.least)
    try report.took("\(what): from submission to movie, the unluckiest person", milliseconds: luck.most)
  }

  /// Measures the same work beside more and more waiting jobs, and then those jobs.
  private func measureQueue(_ farm: LoadedFarm, _ report: inout Report) throws {
    var waiting = 0
    for depth in Set([queue / 100, queue / 10, queue]).subtracting([0]).sorted() {
      let start = ContinuousClock.now
      try farm.enqueue(jobs: depth - waiting)
      try report.took("submitting \(depth - waiting) jobs", milliseconds: (ContinuousClock.now - start) / .milliseconds(1))
      waiting = depth
      for answer in try farm.questions() {
        try report.took("\(depth) jobs wait: \(answer.question)", milliseconds: answer.milliseconds)
      }
      try report.add(
        try Phase(farm: farm, name: "\(depth) wait", workers: workers).run(attempt: .zero) {
          let tasks = try farm.submit(jobs: 1, chunks: min(chunks, 10_000))
          try farm.openQueue()
          return tasks
        })
    }
    guard waiting > 0 else { return }
    try report.add(try Phase(farm: farm, name: "queue", workers: workers).run(attempt: .zero) { try farm.openTasks() })
  }

  /// Measures how long the results of one job wait while another, large one is cancelled, and then retried.
  private func measureSteering(_ farm: LoadedFarm, _ report: inout Report) throws {
    guard cancelled > 0 else { return }
    let large = try farm.submitPaused(chunks: cancelled)
    farm.fleet.attempt = .milliseconds(attempt)
    try farm.submitBesideWork(jobs: 1, chunks: workers * slots * 100, priority: 1)
    let slots = workers * slots
    func watch(_ what: String, until condition: () throws -> Bool) throws {
      farm.fleet.forgetSettling()
      let (start, before) = (ContinuousClock.now, farm.fleet.count.settled)
      // The condition is asked rarely, because each query costs the database something.
      var look = start + .milliseconds(500)
      _ = try farm.fleet.work(limit: .seconds(120)) { count in
        guard .now >= look, count.settled > before + slots else { return false }
        look = .now + .milliseconds(500)
        return try condition()
      }
      try report.took(
        "\(what): the longest wait of a result", milliseconds: farm.fleet.longestSettling / .milliseconds(1))
      try report.took("\(what): all of it", milliseconds: (ContinuousClock.now - start) / .milliseconds(1))
    }
    try watch("steady") { true }
    for (verb, former) in [("cancel", "'ready', 'waiting'"), ("retry", "'cancelled'")] {
      let process = try farm.steer(verb, large)
      try watch("\(verb) of \(cancelled) chunks") { try farm.tasks(of: large, former) == 0 }
      _ = try process.wait()
      // A retried job is not paused any more, so it is cancelled.
      if verb == "retry" { _ = try farm.steer("cancel", large).wait() }
    }
    for job in try farm.ledger.jobs(limit: 4) { _ = try farm.ledger.cancel(job: job.id) }
    _ = try farm.fleet.work(limit: .seconds(60)) { _ in try farm.openTasks() == 0 }
  }
}
