internal import Messages
internal import PostgreSQL
package import Scheduling

extension PostgreSQLLedger {
  package func farm() throws(LedgerError) -> FarmStatus {
    let found = try read { session throws(LedgerError) in
      try session.first(.readFarm) { row throws(PostgreSQLError) in
        let hasBeenLed = try row.value("term", as: Int.self) > 0
        return FarmStatus(
          leader: hasBeenLed ? try row.value("leader") : nil, isLed: try row.value("is_led"),
          secondsSinceLed: hasBeenLed ? try row.value("seconds_since_led") : nil, drainedAt: try row.optional("drained_at"),
          workersAlive: try row.value("workers_alive"), slots: try row.value("slots"),
          attemptsRunning: try row.value("attempts_running"), jobsRunning: try row.value("jobs_running"),
          jobsQueued: try row.value("jobs_queued"))
      }
    }
    guard let found else { throw .corrupt("spool.leader has no row") }
    return found
  }

  /// The time on the database's clock, in seconds since 1970.
  package func databaseTime() throws(LedgerError) -> Double {
    let now = try read { session throws(LedgerError) in
      try session.first(.readTime) { row throws(PostgreSQLError) in try row.value("now", as: Double.self) }
    }
    guard let now else { throw .corrupt("it does not tell the time") }
    return now
  }

  /// The farm in numbers, for monitoring.
  package func measures() throws(LedgerError) -> [FarmMeasure] {
    try read { session throws(LedgerError) in
      try session.all(.readMeasures) { row throws(PostgreSQLError) in
        FarmMeasure(
          name: try row.value("measure"), labels: [try row.value("label"), try row.value("second_label")],
          value: try row.value("value"))
      }
    }
  }

  /// All coordinators, with the one that leads first.
  package func coordinators() throws(LedgerError) -> [CoordinatorStatus] {
    try read { session throws(LedgerError) in
      try session.all(.readCoordinators) { row throws(PostgreSQLError) in
        CoordinatorStatus(name: try row.value("name"), state: try row.value("state"), seconds: try row.value("seconds"))
      }
    }
  }

  /// The chosen jobs with what each waits for: running ones first, then waiting ones, then ended ones, the newest first.
  package func jobs(_ filter: JobFilter) throws(LedgerError) -> [JobStatus] {
    let values: [Parameter] = [
      .integer(filter.limit), filter.states.isEmpty ? .null : .texts(filter.states.map(\.rawValue)), .text(filter.submitter),
      .double(filter.seconds.map(Double.init)),
    ]
    return try read { session throws(LedgerError) in
      try session.all(.readBoard, values) { row throws(PostgreSQLError) in try JobStatus(row) }
    }
  }

  package func news() throws(LedgerError) -> [News] {
    try transaction(durably: false) { session throws(LedgerError) in
      try session.all(.takeNews, [.integer(News.mostTogether)]) { row throws(PostgreSQLError) in
        let words: [String?] = try LedgerJSON.value("facts", in: row)
        let facts = stride(from: 0, to: words.count - 1, by: 2).compactMap { place -> News.Fact? in
          guard let name = words[place], let value = words[place + 1] else { return nil }
          return News.Fact(name, value)
        }
        return News(try row.value("event"), facts)
      }
    }
  }

  package func wantedFonts() throws(LedgerError) -> [String] {
    try read { session throws(LedgerError) in
      try session.all(.wantedFonts, [.integer(FontTag.mostAtOnce)]) { row throws(PostgreSQLError) in try row.value("tag") }
    }
  }

  /// The work that is left, and the workers that may do it.
  package func queue() throws(LedgerError) -> FarmQueue {
    try read { session throws(LedgerError) in
      let isGivingOut = try session.first(.readIsGivingOut) { row throws(PostgreSQLError) in
        try row.value("is_giving_out", as: Bool.self)
      }
      let workers = try session.all(.readQueueWorkers) { row throws(PostgreSQLError) in
        FarmQueue.Worker(slots: try row.value("slots"), capabilities: try Capabilities(row))
      }
      var (submitters, turn): ([String: FairShare.Submitter], Double) = ([:], 0)
      let fewest = Parameter.integer(PaceEstimate.fewest)
      var jobs = try session.all(.readQueue, [.integer(FarmQueue.mostJobs), fewest]) { row throws(PostgreSQLError) in
        let job = try FarmQueue.Job(row)
        submitters[job.submitter] = FairShare.Submitter(
          weight: try row.value("weight"), slotsLeft: try row.optional("slots"), spent: try row.value("spent"),
          turn: try row.value("turn"))
        turn = try row.value("farm_turn")
        return job
      }
      let places = Dictionary(uniqueKeysWithValues: jobs.indices.map { (jobs[$0].id, $0) })
      _ = try session.all(.readQueueAttempts) { row throws(PostgreSQLError) in
        guard let place = places[try row.value("job")] else { return }
        jobs[place].note(
          FarmQueue.Running(
            kind: try row.case("kind"), elapsed: try row.value("elapsed"), expected: 0, done: try row.value("units_done"),
            total: try row.value("units_total")))
      }
      return FarmQueue(isGivingOut: isGivingOut ?? false, jobs: jobs, workers: workers, submitters: submitters, turn: turn)
    }
  }
}

extension FarmQueue.Job {
  fileprivate init(_ row: Rows.Row) throws(PostgreSQLError) {
    self.init(
      id: try row.value("id"), submitter: try row.value("submitter"), priority: try row.value("priority"),
      number: try row.value("number"), isPaused: try row.value("is_paused"), needs: try Capabilities(row),
      frameCount: try row.value("frame_count"), chunks: try row.value("chunks"), chunkSeconds: try row.value("chunk_seconds"),
      sounds: try row.value("sounds"), soundSeconds: try row.optional("sound_seconds") ?? 0)
  }
}
