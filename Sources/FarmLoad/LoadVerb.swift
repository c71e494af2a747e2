import Arguments
import Glibc
import Subprocess
import Terminal

struct LoadVerb: Verb {
  static let page = Page(
    "load", "measure a farm's coordinator and database under load",
    description: [
      """
      Starts a PostgreSQL server that keeps what it acknowledges and a coordinator, connects workers that render nothing, and \
      measures one job, many jobs, a steady load, the cost of history, and a long run.
      """
    ])

  @Option("workers", .integer(1...20_000), default: 2000, shown: "2000", "Connections.") var workers: Int
  @Option("slots", .integer(1...64), default: 1, shown: "1", "Attempts at once of each.") var slots: Int
  @Option("chunks", .integer(10...1_000_000), default: 100_000, shown: "100000", "Of the one job.") var chunks: Int
  @Option("jobs", .integer(1...10_000), default: 1000, shown: "1000", "At once, sharing as many chunks.") var jobs: Int
  @Option(
    "attempt", .integer(1...3_600_000, "MILLISECONDS"), default: 2000, shown: "2000", "Of an attempt under the steady load.")
  var attempt: Int
  @Option("history", .integer(0...10_000_000), default: 1_000_000, shown: "1000000", "Chunks of history, in steps of ten.")
  var history: Int
  @Option("soak", .integer(0...86_400, "SECONDS"), default: 0, shown: "0", "How long the steady load is kept up.") var soak: Int
  @Flag("statements", "What the database spent its time on, at the end.") var statements: Bool
  @Flag("json", "One object a line.") var json: Bool

  func run() throws {
    try raiseOpenFileLimit()
    let farm = try LoadedFarm(workers: workers, slots: slots)
    defer { try? farm.stop() }  // what was measured is told already
    let begin = ContinuousClock.now
    guard try farm.fleet.work(limit: .seconds(120), until: { $0.welcomed == workers }) else {
      throw Phase.NotDone(description: "connect: \(farm.fleet.count.welcomed) of \(workers) workers are welcome after 120 s")
    }
    var report = Report(isJSON: json)
    try report.connected(workers, seconds: (ContinuousClock.now - begin) / .seconds(1))

    func measure(_ name: String, attempt: Duration = .zero, jobs: Int, chunks: Int) throws {
      let phase = Phase(farm: farm, name: name, workers: workers)
      try report.add(try phase.run(attempt: attempt) { try farm.submit(jobs: jobs, chunks: chunks) })
    }
    try measure("one job", jobs: 1, chunks: chunks)
    try measure("\(jobs) jobs", jobs: jobs, chunks: max(1, chunks / jobs))
    try measure("steady", attempt: .milliseconds(attempt), jobs: 1, chunks: min(chunks, workers * slots * 10))
    var past = 0
    var step = 1000
    while step <= history {
      try farm.addHistory(chunks: step - past)
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
}
