import Arguments
import Glibc
import Ledger
import Linux
import Subprocess
import Terminal

struct SteadyVerb: Verb {
  static let page = Page(
    "steady", "keep a farm under a steady load, and tell how it fares",
    description: [
      """
      Starts a PostgreSQL server, a coordinator and workers that render nothing, and keeps all of them at work. It first prints where the \
      database is. Then, for each line that it reads, it prints the times from an attempt's end to its worker's next order since the line \
      before, in milliseconds. It ends with its input. `scripts/check-load` uses it.
      """
    ])

  @Option("workers", .integer(1...20_000), default: 40, shown: "40", "Connections.") var workers: Int
  @Option(
    "attempt", .integer(1...3_600_000, "MILLISECONDS"), default: 500, shown: "500", "Of an attempt.") var attempt: Int

  /// The answer to a line of the input.
  private struct Reading: Encodable {
    var line: String
    var orders: Int
    var p50: Double
    var p99: Double
    var longest: Double
  }

  private struct Opening: Encodable {
    var database: String
    var jobs: [String]
  }

  func run() throws {
    try raiseOpenFileLimit()
    let farm = try LoadedFarm(workers: workers, slots: 1, people: 40, isAnalyzed: true)
    defer { try? farm.stop() }  // what was measured is told already
    farm.fleet.attempt = .milliseconds(attempt)
    guard try farm.fleet.work(limit: .seconds(120), until: { $0.welcomed == workers }) else {
      throw Phase.NotDone(description: "connect: \(farm.fleet.count.welcomed) of \(workers) workers are welcome after 120 s")
    }
    // Two large jobs have more chunks than an hour takes, so that no phase ends early.
    try farm.submitBesideWork(jobs: 2, chunks: 50_000)
    let jobs = try farm.ledger.jobs(limit: 2).map(\.id)
    try StandardStream.output.json(Opening(database: farm.database, jobs: jobs))
    farm.fleet.forgetTurnarounds()
    while let line = try nextLine(farm) {
      let waits = farm.fleet.turnarounds.sorted().map { $0 / .milliseconds(1) }
      func share(_ part: Double) -> Double { waits.isEmpty ? 0 : waits[min(waits.count - 1, Int(Double(waits.count) * part))] }
      try StandardStream.output.json(
        Reading(line: line, orders: waits.count, p50: share(0.5), p99: share(0.99), longest: waits.last ?? 0))
      farm.fleet.forgetTurnarounds()
    }
  }

  /// Works until a line has come.
  /// - Returns: the line; nil at the end of the input.
  private func nextLine(_ farm: LoadedFarm) throws -> String? {
    _ = try farm.fleet.work(limit: .seconds(86_400)) { _ in Readiness.canRead(STDIN_FILENO) }
    return readLine()
  }
}
