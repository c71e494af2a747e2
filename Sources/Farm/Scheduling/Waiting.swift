internal import MediaTime
internal import Messages

/// Messages to a coordinator that wait for the ledger. Each is kept once, in its newest version.
///
/// Their number is bounded by the known workers and by the messages that are taken between two rounds. Everything may be dropped,
/// because workers repeat it.
struct Waiting: Sendable {
  /// The end of an attempt, as one process tells it.
  struct Ending: Hashable, Comparable, Sendable {
    var key: AttemptKey
    var teller: WorkerProcess

    static func < (a: Ending, b: Ending) -> Bool { a.key == b.key ? a.teller < b.teller : a.key < b.key }
  }

  var hellos: [String: WorkerHello] = [:]
  var heartbeats: [String: Heartbeat] = [:]
  /// Workers that leave, with the number of attempts that each may hold.
  var farewells: [WorkerProcess: Int] = [:]
  /// Workers whose connections are gone or whose keys are not allowed any more, with the number of attempts that each may hold.
  var lost: [WorkerProcess: Int] = [:]
  /// Workers whose attempts must be looked up in the ledger.
  var lookups: Set<WorkerProcess> = []
  var completions = Arrivals<Ending, Completion>()
  var failures = Arrivals<Ending, FailedAttempt>()
  /// The record of what attempts wrote, at most `mostLogs`. More are forgotten: nobody's work needs them.
  private(set) var logs: [Ending: LoggedAttempt] = [:]
  /// Attempts that won since paces were last learned. In busy times this is only a part of them.
  var winners: [AttemptKey] = []
  /// The jobs of which a worker found files in the store.
  var stored: [WorkerProcess: [String]] = [:]
  /// Whether others ended jobs, so that the attempts of workers must be reviewed.
  var mustReview = false
  /// Whether it is time to end overdue attempts.
  var mustExpire = false
  /// Whether tasks may have to follow the end or the retry of their job.
  var mustFollow = false
  /// Whether it is time to log what happened. Nobody waits for this.
  var mustTell = false
  /// Halves of requests that the ledger refused as a whole.
  var halves: [LedgerRequest] = []

  /// The most logs that wait: those of ten requests.
  private static let mostLogs = 10 * LoggedAttempt.mostTogether

  mutating func note(_ log: LoggedAttempt) {
    guard logs.count < Self.mostLogs else { return }
    logs[Ending(key: log.key, teller: WorkerProcess(worker: log.worker, epoch: log.epoch))] = log
  }

  mutating func takeLogs() -> [LoggedAttempt] { logs.removeFirst(LoggedAttempt.mostTogether) }

  /// Whether something waits that should not wait for more to gather.
  var isUrgent: Bool {
    mustReview || mustExpire || mustFollow || !hellos.isEmpty || !farewells.isEmpty || !lost.isEmpty || !lookups.isEmpty
      || !completions.isEmpty || !failures.isEmpty || !stored.isEmpty || !halves.isEmpty
  }
}

extension WorkerProcess: Comparable {
  package static func < (a: WorkerProcess, b: WorkerProcess) -> Bool { (a.worker, a.epoch) < (b.worker, b.epoch) }
}

extension Dictionary where Key: Comparable {
  /// Removes and returns the values of the first `most` keys.
  mutating func removeFirst(_ most: Int) -> [Value] { keys.sorted().prefix(most).compactMap { removeValue(forKey: $0) } }

  /// Removes and returns values in the order of their keys, from the first one behind `last` on, and then from the beginning. So none waits for ever,
  /// even where earlier ones come again meanwhile.
  ///
  /// - Parameter last: the last key that was removed.
  mutating func removeNext(_ most: Int, after last: inout Key?) -> [Value] {
    var keys = keys.sorted()
    if let last {
      let next = keys.partitioningIndex { $0 > last }
      keys = Array(keys[next...] + keys[..<next])
    }
    let taken = keys.prefix(most)
    last = taken.last ?? last
    return taken.compactMap { removeValue(forKey: $0) }
  }

  /// Removes and returns the first entries, `most` at the most, that weigh no more than `limit` together. It takes one at least.
  mutating func removeFirst(
    _ most: Int, weighing limit: Int, _ weight: (Value) -> Int
  ) -> [(key: Key, value: Value)] {
    var (taken, left) = ([(key: Key, value: Value)](), limit)
    for key in keys.sorted().prefix(most) {
      guard let value = self[key], taken.isEmpty || weight(value) <= left else { break }
      left -= weight(value)
      taken.append((key, value))
      self[key] = nil
    }
    return taken
  }
}

extension Set where Element: Comparable {
  /// Removes and returns the first `most` elements.
  mutating func removeFirst(_ most: Int) -> [Element] { sorted().prefix(most).compactMap { remove($0) } }
}
