package import Messages
internal import PostgreSQL
package import Scheduling

extension PostgreSQLLedger {
  package func speculate(
    for workers: [FreeSlots], most: Int, sparing spared: [AttemptKey]
  ) throws(LedgerError) -> [ClaimedAttempt] {
    try orders(durably: true) { session throws(LedgerError) in
      let running = try runningAttempts(olderThan: speculation.leastGain, most: speculation.mostExamined, session)
      let attempts = running.attempts.filter { !spared.contains($0.key) }
      guard !attempts.isEmpty else { return [] }
      let offers = try liveOffers(workers, session)
      let taken = try session.first(.countSpeculative) { row throws(PostgreSQLError) in try row.value("count", as: Int.self) }
      let paces = try paces(of: attempts, offers, session)
      let choices = speculation.choose(
        among: attempts, for: offers, paces: paces, slotsLeft: running.slotsLeft, most: most - (taken ?? 0))
      guard !choices.isEmpty else { return [] }
      // Everybody who ends one of them locks its job first, too.
      try session.change(.lockJobs, [.texts(Array(Set(choices.map(\.attempt.job))))])
      let opened = try session.all(
        .openBeside,
        [
          .integers(choices.map(\.attempt.key.task)), .integers(choices.map(\.attempt.key.attempt)),
          .texts(choices.map(\.offer.worker)), .texts(choices.map(\.offer.epoch)),
          .integers(choices.map { patience(of: $0, paces) }),
        ]
      ) { row throws(PostgreSQLError) in try OpenAttempt(row) }
      let tasks = Set(opened.map(\.key.task))
      try charge(choices.map(\.attempt).filter { tasks.contains($0.key.task) }, paces, session)
      return opened
    }
  }

  /// The oldest attempts that are alone at their tasks, and the attempts that their submitters' quotas leave.
  func runningAttempts(
    olderThan seconds: Double, most: Int, _ session: Session
  ) throws(LedgerError) -> (attempts: [RunningAttempt], slotsLeft: [String: Int]) {
    let rows = try session.all(
      .runningAttempts, [.double(seconds), .integer(most), .integer(splitting.mostChunks)]
    ) { row throws(PostgreSQLError) in (attempt: try RunningAttempt(row), left: try row.optional("slots_left", as: Int.self)) }
    let slotsLeft = rows.compactMap { row in row.left.map { (row.attempt.submitter, $0) } }
    return (rows.map(\.attempt), Dictionary(slotsLeft) { first, _ in first })
  }

  /// Learned paces of running attempts, and of workers that could help.
  func paces(of running: [RunningAttempt], _ offers: [Offer], _ session: Session) throws(LedgerError) -> Paces {
    let subjects = running.flatMap { attempt -> [Paces.Subject] in
      [.work(attempt.work), .job(attempt.job), .worker(attempt.worker)]
    }
    return try paces(of: Set(subjects + offers.map { .worker($0.worker) }), session)
  }

  /// The milliseconds that the second attempt may go without progress.
  private func patience(of choice: SpeculationPolicy.Choice, _ paces: Paces) -> Int {
    timing.patience.milliseconds(
      expectedSeconds: paces.seconds(of: choice.attempt, on: choice.offer.worker), stalls: choice.attempt.stalls)
  }

  /// Charges submitters for second attempts, as for the first ones.
  private func charge(_ attempts: [RunningAttempt], _ paces: Paces, _ session: Session) throws(LedgerError) {
    var (submitters, turn): ([String: FairShare.Submitter], Double) = ([:], 0)
    _ = try session.all(.readShares, [.texts(attempts.map(\.submitter))]) { row throws(PostgreSQLError) in
      submitters[try row.value("name")] = try FairShare.Submitter(row)
      turn = try row.value("farm_turn")
    }
    var share = FairShare(submitters: submitters, turn: turn)
    for attempt in attempts {
      share.charge(attempt.submitter, cost: attempt.cost * paces.plannedSlowness(work: attempt.work))
    }
    try session.charge(share.submitters)
  }

  package func learn(from winners: [AttemptKey]) throws(LedgerError) {
    try transaction(durably: false) { session throws(LedgerError) in
      let finished = try session.all(
        .finishedAttempts, [.integers(winners.map(\.task)), .integers(winners.map(\.attempt)), .integer(timing.shortestWork)]
      ) { row throws(PostgreSQLError) in try FinishedAttempt(row) }
      var paces = try paces(of: Paces.subjects(of: finished), session)
      for attempt in finished { paces.learn(from: attempt) }
      let estimates = paces.estimates.map { (subject: $0.key.columns, estimate: $0.value) }
      try session.change(
        .writePaces,
        [
          .texts(estimates.map(\.subject.kind)), .texts(estimates.map(\.subject.name)), .doubles(estimates.map(\.estimate.pace)),
          .integers(estimates.map(\.estimate.samples)),
        ])
    }
  }

  /// The seconds that a unit of the cost of a kind of work is expected to take, for forecasts (`Paces.expectedSecondsPerCost`).
  package func expectedSecondsPerCost(work: String) throws(LedgerError) -> Double {
    try read { session throws(LedgerError) in
      try session.first(.expectedPace, [.text(work), .integer(PaceEstimate.fewest)]) { row throws(PostgreSQLError) in
        try row.value("pace")
      } ?? 1
    }
  }

  /// The factor by which a kind of work takes longer than estimated, for the division into chunks.
  package func slowness(of work: String) throws(LedgerError) -> Double {
    try read { session throws(LedgerError) in try paces(of: [.work(work)], session).plannedSlowness(work: work) }
  }

  func paces(of subjects: Set<Paces.Subject>, _ session: Session) throws(LedgerError) -> Paces {
    let columns = subjects.map(\.columns)
    let known = try session.all(.readPaces, [.texts(columns.map(\.kind)), .texts(columns.map(\.name))]) {
      row throws(PostgreSQLError) in
      (try Paces.Subject(row), PaceEstimate(pace: try row.value("pace"), samples: try row.value("result_count")))
    }
    return Paces(Dictionary(uniqueKeysWithValues: known))
  }
}
