package import Messages
internal import PostgreSQL
package import Scheduling

extension PostgreSQLLedger {
  package func register(_ hellos: [WorkerHello]) throws(LedgerError) {
    let names = Parameter.texts(hellos.map(\.worker))
    var roots: [String] = []
    for hello in hellos { roots.append(try hello.outputRoots.map(LedgerJSON.text) ?? "") }
    try transaction(durably: false) { session throws(LedgerError) in
      // Claims for the older epochs either finish first or find the new ones.
      let older = try session.all(.lockWorkers, [names, .texts(hellos.map(\.epoch))]) { row throws(PostgreSQLError) in
        WorkerProcess(worker: try row.value("name"), epoch: try row.value("epoch"))
      }
      try session.change(
        .registerWorkers,
        [
          names, .texts(hellos.map(\.epoch)), .texts(hellos.map(\.host)), .integers(hellos.map(\.processID)),
          .integers(hellos.map(\.slots)), .texts(hellos.map { $0.capabilities.tags.joined(separator: " ") }),
          .integers(hellos.map(\.capabilities.memory)), .integer(timing.lease), .integers(hellos.map(\.lanes)), .texts(roots),
          .booleans(hellos.map { $0.ahead != nil }),
        ])
      try endAttempts(of: older, outcome: "expired", "its worker was started again", session)
    }
  }

  package func heartbeat(_ heartbeats: [Heartbeat]) throws(LedgerError) -> [HeardWorker] {
    let divided = Dictionary(grouping: try divide(promised: heartbeats), by: \.worker)
    let running = heartbeats.flatMap { beat in beat.running.map { (beat.worker, beat.epoch, $0) } }
    let closed = try transaction(durably: false) { session throws(LedgerError) in
      try session.all(
        .heartbeat,
        [
          .texts(heartbeats.map(\.worker)), .texts(heartbeats.map(\.epoch)), .texts(running.map(\.0)),
          .texts(running.map(\.1)), .integers(running.map(\.2.key.task)), .integers(running.map(\.2.key.attempt)),
          .integers(running.map(\.2.done)), .integers(running.map(\.2.total)), .integer(timing.lease),
        ]
      ) { row throws(PostgreSQLError) in (worker: try row.value("worker", as: String.self), key: try AttemptKey(row)) }
    }
    let byWorker = Dictionary(grouping: closed, by: \.worker)
    return heartbeats.map { beat in
      HeardWorker(
        worker: beat.worker, epoch: beat.epoch, closed: byWorker[beat.worker]?.map(\.key) ?? [],
        divided: divided[beat.worker]?.map(\.key) ?? [])
    }
  }

  package func retire(_ workers: [WorkerProcess]) throws(LedgerError) {
    try end(workers, .retireWorkers, outcome: "released", "its worker left")
  }

  package func lose(_ workers: [WorkerProcess]) throws(LedgerError) {
    try end(workers, .endLeases, outcome: "expired", "its connection was lost")
  }

  /// Ends workers' leases and their open attempts.
  /// - Parameter statement: the statement that ends the leases of those processes that are still current, and returns their names
  /// and epochs.
  private func end(
    _ workers: [WorkerProcess], _ statement: Statement, outcome: String, _ reason: String
  ) throws(LedgerError) {
    try transaction { session throws(LedgerError) in
      let ended = try session.all(statement, workers.parameters) { row throws(PostgreSQLError) in
        WorkerProcess(worker: try row.value("name"), epoch: try row.value("epoch"))
      }
      try endAttempts(of: ended, outcome: outcome, reason, session)
    }
  }

  package func closed(among held: [ExpiredAttempt]) throws(LedgerError) -> [ExpiredAttempt] {
    try read { session throws(LedgerError) in
      try session.all(
        .closedAmong,
        [.texts(held.map(\.worker)), .integers(held.map(\.key.task)), .integers(held.map(\.key.attempt))]
      ) { row throws(PostgreSQLError) in ExpiredAttempt(worker: try row.value("worker"), key: try AttemptKey(row)) }
    }
  }

  package func expire() throws(LedgerError) -> [ExpiredAttempt] {
    try judgeWorkers()
    let overdue = try read { session throws(LedgerError) in
      try session.all(.overdue, [.integer(ExpiredAttempt.mostTogether)]) { row throws(PostgreSQLError) in try AttemptKey(row) }
    }
    guard !overdue.isEmpty else { return [] }
    return try transaction { session throws(LedgerError) in
      try session.change(.lockJobsOfTasks, [.integers(overdue.map(\.task))])
      let keys: [Parameter] = [.integers(overdue.map(\.task)), .integers(overdue.map(\.attempt))]
      let ended = try session.all(.endOverdue, keys) { row throws(PostgreSQLError) in try EndedAttempt(row) }
        .sorted { $0.key < $1.key }
      return ended.map { ExpiredAttempt(worker: $0.worker, key: $0.key) } + (try settle(ended, session).cancelled)
    }
  }

  /// Sets workers aside that fail what others do, and judges the canaries of those that were set aside.
  private func judgeWorkers() throws(LedgerError) {
    // A crash may undo a judgement. The next one finds the same.
    try transaction(durably: false) { session throws(LedgerError) in
      try session.change(.judgeCanaries, [.integer(trust.firstPause), .integer(trust.longestPause)])
      try session.change(
        .setAside,
        [.integer(trust.window), .integer(trust.mostFailures), .integer(trust.firstPause), .integer(trust.evidence)])
    }
  }

  private func endAttempts(
    of workers: [WorkerProcess], outcome: String, _ reason: String, _ session: Session
  ) throws(LedgerError) {
    guard !workers.isEmpty else { return }
    let jobs = try session.all(.jobsOfWorkers, workers.parameters) { row throws(PostgreSQLError) in
      try row.value("job", as: String.self)
    }
    guard !jobs.isEmpty else { return }
    try session.change(.lockJobs, [.texts(jobs)])
    let ended = try session.all(
      .endWorkersAttempts, workers.parameters + [.text(outcome), .text(reason)]
    ) { row throws(PostgreSQLError) in try EndedAttempt(row) }
    // Attempts that end with their job belong to other workers, which learn it from their next heartbeat.
    _ = try settle(ended, session)
  }
}

extension [WorkerProcess] {
  /// Two parameters: the names and the epochs.
  var parameters: [Parameter] { [.texts(map(\.worker)), .texts(map(\.epoch))] }
}
