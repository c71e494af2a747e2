import Glibc

/// The result of a phase.
struct Measurement: Encodable, Sendable {
  var phase: String
  var workers: Int
  var completions: Int
  var seconds: Double
  /// The completions that were committed and settled in each second of the middle four fifths of the phase.
  var completionsPerSecond: Double
  /// The time from an attempt's end to its worker's next order, in milliseconds: the median and the 99th percentile.
  var dispatchP50: Double
  var dispatchP99: Double
  /// The processor time for each completion, in microseconds.
  var coordinatorMicroseconds: Double
  var databaseMicroseconds: Double
  var coordinatorMegabytes: Double
  /// The wasted work: orders that were sent twice, and attempts that were taken away.
  var repeated: Int
  var cancelled: Int
}

/// A phase of the measurement. It measures time, processor time and memory from its beginning to its end.
struct Phase {
  let farm: LoadedFarm
  let name: String
  let workers: Int

  struct NotDone: Error, CustomStringConvertible { let description: String }

  /// - Parameters:
  ///   - submit: submits jobs, and returns the number of their tasks.
  ///   - limit: the time after which the phase fails.
  ///   - watch: is called again and again until the phase is over.
  func run(
    attempt: Duration, limit: Duration = .seconds(3600), _ submit: () throws -> Int, watching watch: () throws -> Void = {}
  ) throws -> Measurement {
    let (fleet, before) = (farm.fleet, farm.fleet.count)
    fleet.attempt = attempt
    let tasks = try submit()
    fleet.forgetTurnarounds()
    let (coordinator, database, start) = (try farm.coordinatorReadings(), try farm.databaseReadings(), ContinuousClock.now)
    var (from, to): (ContinuousClock.Instant?, ContinuousClock.Instant?)
    let isDone = try fleet.work(limit: limit) { count in
      try watch()
      let settled = count.settled - before.settled
      if from == nil, settled >= tasks / 10 { from = .now }
      if to == nil, settled >= tasks * 9 / 10 { to = .now }
      return settled >= tasks
    }
    guard isDone, let from, let to else {
      throw NotDone(description: "\(name): \(fleet.count.settled - before.settled) of \(tasks) after \(limit)")
    }
    let seconds = (ContinuousClock.now - start) / .seconds(1)
    let (coordinatorAfter, databaseAfter) = (try farm.coordinatorReadings(), try farm.databaseReadings())
    let turnarounds = fleet.turnarounds.dropFirst(tasks / 10).prefix(tasks * 8 / 10).sorted()
    func percentile(_ share: Double) -> Double {
      turnarounds.isEmpty ? 0 : turnarounds[min(turnarounds.count - 1, Int(Double(turnarounds.count) * share))] / .milliseconds(1)
    }
    func each(_ seconds: Double) -> Double { seconds * 1e6 / Double(tasks) }
    return Measurement(
      phase: name, workers: workers, completions: tasks, seconds: seconds,
      completionsPerSecond: Double(tasks * 9 / 10 - tasks / 10) / max((to - from) / .seconds(1), 1e-6),
      dispatchP50: percentile(0.5), dispatchP99: percentile(0.99),
      coordinatorMicroseconds: each(coordinatorAfter.processorSeconds - coordinator.processorSeconds),
      databaseMicroseconds: each(databaseAfter.processorSeconds - database.processorSeconds),
      coordinatorMegabytes: Double(coordinatorAfter.residentBytes) / 1_048_576,
      repeated: fleet.count.repeated - before.repeated, cancelled: fleet.count.cancelled - before.cancelled)
  }
}
