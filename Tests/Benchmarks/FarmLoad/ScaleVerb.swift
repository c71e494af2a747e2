import Arguments
import FoundationEssentials
import Glibc
import Ledger
import Messages
import Subprocess
import Terminal

struct ScaleVerb: Verb {
  static let page = Page(
    "scale", "compare the time that an edit takes on many slots with the plan's",
    description: [
      """
      For each number of slots, starts a farm with a real coordinator and a real database, and submits the edit that DOC describes. The workers \
      render nothing: each attempt lasts as long as the plan says that its task takes. The time from the submission to the end of the job is \
      compared with that of 'spool plan --slots'.
      """
    ],
    exitCodes: [.init(0, "each time is within a tenth of the plan's"), .init(1, "one is not"), .init(70, "a farm failed")])

  @Positional("DOC", .file, "The edit's document.") var document: String
  @Option("slots", .integer(1...10_000), minimum: 1, "The number of slots; once for each measurement.") var slots: [Int]
  @Option(
    "hurry", .integer(1...1000), default: 1, shown: "1",
    "The factor by which attempts take less time than planned. What the farm itself takes counts as many times as much.")
  var hurry: Int
  @Flag("json", "One object a line.") var json: Bool

  /// The slots of a worker.
  private static let slotsOfWorker = 10
  /// The part by which a time may miss the plan's.
  private static let tolerance = 0.1

  func run() throws {
    var isWithin = true
    for slots in slots {
      let measured = try measure(slots)
      isWithin = isWithin && abs(measured.seconds / measured.plannedSeconds - 1) <= Self.tolerance
      if json {
        try StandardStream.output.json(measured)
      } else {
        try StandardStream.output.line(measured.description)
      }
    }
    if !isWithin { exit(1) }
  }

  private func measure(_ slots: Int) throws -> ScaledTime {
    let each = min(slots, Self.slotsOfWorker)
    let farm = try LoadedFarm(workers: (slots + each - 1) / each, slots: each, people: 1, isAnalyzed: true)
    do {
      let measured = try measure(slots, on: farm)
      try farm.stop()
      return measured
    } catch {
      // The first error is told.
      try? farm.stop()
      throw error
    }
  }

  private func measure(_ slots: Int, on farm: LoadedFarm) throws -> ScaledTime {
    guard
      try farm.fleet.work(limit: .seconds(60), until: { $0.welcomed == (slots + Self.slotsOfWorker - 1) / Self.slotsOfWorker })
    else {
      throw Phase.NotDone(description: "scale: not all workers are welcome after 60 s")
    }
    let plan = try JSONDecoder().decode(
      Plan.self, from: Data(try farm.answer("plan", document, "-o", "/tmp/movie.mp4", "--slots", "\(slots)", "--json").utf8))
    // What the plan says of each task is known before any is given out.
    _ = try farm.ledger.drain(worker: nil, true)
    let job = try farm.answer("submit", document, "-o", "/tmp/movie.mp4").split(separator: "\n").first.map(String.init) ?? ""
    let work = try farm.plannedWork(of: job)
    let hurry = Double(hurry)
    var first: ContinuousClock.Instant?
    farm.fleet.pretence = { order in
      let begin = first ?? .now
      first = begin
      return try work.pretence(order, after: (.now - begin) / .seconds(1) * hurry, hurry: hurry)
    }
    _ = try farm.fleet.work(limit: .milliseconds(500)) { _ in false }
    farm.fleet.forgetTurnarounds()
    let start = ContinuousClock.now
    _ = try farm.ledger.drain(worker: nil, false)
    var look = start
    let isDone = try farm.fleet.work(limit: .seconds(3600)) { _ in
      guard .now >= look else { return false }
      look = .now + .milliseconds(20)
      return try farm.isDone(job)
    }
    guard isDone else { throw Phase.NotDone(description: "scale: job \(job) is not done after an hour") }
    let seconds = (ContinuousClock.now - start) / .seconds(1) * hurry
    let turnarounds = farm.fleet.turnarounds.sorted()
    return ScaledTime(
      slots: slots, chunks: plan.chunkCount, seconds: seconds, plannedSeconds: plan.seconds,
      efficiency: plan.coreSeconds / seconds / Double(slots), ends: try farm.ends(of: job, hurry: hurry),
      dispatchP99: plan.chunkCount < 2 * slots || turnarounds.isEmpty
        ? nil : turnarounds[turnarounds.count * 99 / 100] / .milliseconds(1))
  }

  /// The part of a planned job that is used here.
  private struct Plan: Decodable {
    var chunkCount: Int
    var coreSeconds: Double
    var seconds: Double
  }
}

/// The time of an edit on so many slots.
struct ScaledTime: Encodable, CustomStringConvertible {
  var slots: Int
  var chunks: Int
  var seconds: Double
  var plannedSeconds: Double
  /// The planned seconds of one core, of those that all slots had.
  var efficiency: Double
  /// The seconds from the first order to the last result of each kind of task.
  var ends: [String: Double]
  /// The time from an attempt's end to its worker's next order, in milliseconds; nil where most slots have one chunk and wait for
  /// nothing else.
  var dispatchP99: Double?

  var description: String {
    let ends = ["picture", "sound", "mux", "publish"].compactMap { kind in
      self.ends[kind].map { "\(kind) until \(Self.text($0)) s" }
    }
    return "\(slots) slots: \(Self.text(seconds)) s (planned \(Self.text(plannedSeconds)) s), \(chunks) chunks, efficiency "
      + "\(Self.text(efficiency, 100)); \(ends.joined(separator: ", "))"
      + (dispatchP99.map { "; dispatch p99 \(Self.text($0)) ms" } ?? "")
  }

  private static func text(_ value: Double, _ parts: Double = 10) -> String { "\((value * parts).rounded() / parts)" }
}
