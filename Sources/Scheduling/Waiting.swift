internal import Messages

/// What was said to a coordinator and waits for the ledger: each thing once, its newest version.
///
/// Bounded by the workers that are known and by the messages that are taken between two rounds. Who said it repeats it, so that
/// all of it may be dropped.
struct Waiting: Sendable {
  /// An attempt's end, as one process tells it.
  struct Ending: Hashable, Comparable, Sendable {
    var key: AttemptKey
    var teller: WorkerProcess

    static func < (a: Ending, b: Ending) -> Bool { a.key == b.key ? a.teller < b.teller : a.key < b.key }
  }

  var hellos: [String: WorkerHello] = [:]
  var heartbeats: [String: Heartbeat] = [:]
  /// Who leaves, with the attempts that it may hold.
  var farewells: [WorkerProcess: Int] = [:]
  /// Whose connections are gone, or whose keys are not allowed any more, with the attempts that they may hold.
  var lost: [WorkerProcess: Int] = [:]
  /// Of whom it must be known what they hold.
  var lookups: Set<WorkerProcess> = []
  var completions: [Ending: Completion] = [:]
  var failures: [Ending: FailedAttempt] = [:]
  /// Attempts that won since paces were learned last: a sample of them, in busy times.
  var winners: [AttemptKey] = []
  /// Jobs that have files in the store.
  var stored: [WorkerProcess: [String]] = [:]
  /// Whether others ended jobs, so that what workers hold must be reviewed.
  var mustReview = false
  /// Whether it is time to end what is overdue.
  var mustExpire = false
  /// Whether tasks may have to follow the end or the retry of their job.
  var mustFollow = false
  /// Whether it is time to log what happened. Nobody waits for it.
  var mustTell = false
  /// Parts of a group that the ledger refused.
  var halves: [LedgerRequest] = []

  /// Whether something waits that need not be gathered any longer.
  var isUrgent: Bool {
    mustReview || mustExpire || mustFollow || !hellos.isEmpty || !farewells.isEmpty || !lost.isEmpty || !lookups.isEmpty
      || !completions.isEmpty || !failures.isEmpty || !stored.isEmpty || !halves.isEmpty
  }
}

extension WorkerProcess: Comparable {
  package static func < (a: WorkerProcess, b: WorkerProcess) -> Bool { (a.worker, a.epoch) < (b.worker, b.epoch) }
}

extension Dictionary where Key: Comparable {
  /// Takes the values of the first keys out.
  mutating func removeFirst(_ most: Int) -> [Value] { keys.sorted().prefix(most).compactMap { removeValue(forKey: $0) } }

  /// Takes the first entries out that weigh no more than `limit` together, but one at least.
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
  /// Takes the first elements out.
  mutating func removeFirst(_ most: Int) -> [Element] { sorted().prefix(most).compactMap { remove($0) } }
}
