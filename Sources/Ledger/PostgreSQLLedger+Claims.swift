internal import Messages
internal import PostgreSQL
package import Scheduling

extension PostgreSQLLedger {
  package func claim(for workers: [FreeSlots]) throws(LedgerError) -> [ClaimedAttempt] {
    let offers = workers.filter { $0.slots > 0 }
    guard !offers.isEmpty else { return [] }
    return try orders(durably: true) { session throws(LedgerError) in
      let live = try liveOffers(offers, session)
      guard !live.isEmpty else { return [] }
      let chosen = Assignment.spread(try candidates(for: live, session), over: live)
      guard !chosen.isEmpty else { return [] }
      let opened = try session.all(
        .openAttempts,
        [
          .integers(chosen.map(\.task)), .texts(chosen.map(\.offer.worker)), .texts(chosen.map(\.offer.epoch)),
          .booleans(chosen.map(\.offer.isCanary)), .integer(timing.progress),
        ]
      ) { row throws(PostgreSQLError) in try OpenAttempt(row) }
      try session.change(.startJobs, [.texts(Array(Set(opened.map(\.job))))])
      return opened
    }
  }

  package func openAttempts(of workers: [WorkerProcess]) throws(LedgerError) -> [ClaimedAttempt] {
    try orders(durably: false) { session throws(LedgerError) in
      try session.all(.attemptsOfWorkers, workers.parameters) { row throws(PostgreSQLError) in
        try OpenAttempt(row)
      }
    }
  }

  // MARK: Private parts

  struct OpenAttempt {
    var key: AttemptKey
    var worker: String
    var epoch: String
    var job: String
    var kind: TaskKind
    var frames: FrameRange?

    init(_ row: Rows.Row) throws(PostgreSQLError) {
      key = try AttemptKey(row)
      worker = try row.value("worker")
      epoch = try row.value("epoch")
      job = try row.value("job")
      kind = try row.case("kind")
      frames = try FrameRange.optional(row)
    }
  }

  func liveOffers(_ offers: [FreeSlots], _ session: Session) throws(LedgerError) -> [Offer] {
    let live = try session.all(
      .lockOffers, [.texts(offers.map(\.worker)), .texts(offers.map(\.epoch))]
    ) { row throws(PostgreSQLError) in
      (name: try row.value("name", as: String.self), try Capabilities(row), isCanary: try row.value("is_canary", as: Bool.self))
    }
    let facts = Dictionary(live.map { ($0.name, $0) }) { first, _ in first }
    return offers.compactMap { free in
      facts[free.worker].map { _, capabilities, isCanary in
        Offer(
          worker: free.worker, epoch: free.epoch, slots: isCanary ? 1 : free.slots, capabilities: capabilities,
          isCanary: isCanary)
      }
    }
  }

  /// Divides the offered slots among the jobs, charges their submitters, and locks the tasks.
  private func candidates(for offers: [Offer], _ session: Session) throws(LedgerError) -> [Assignment.Candidate] {
    let slots = min(offers.reduce(0) { $0 + $1.slots }, Offer.limit)
    let rule: [Parameter] = [.integer(slots), .texts(offers.map(\.worker)), .integer(timing.otherWorkerGrace)]
    var submitters: [String: FairShare.Submitter] = [:]
    let jobs = try session.all(
      .waitingJobs, rule + [.integer(timing.ageing)]
    ) { row throws(PostgreSQLError) in
      let job = try FairShare.Job(row)
      submitters[job.submitter] = try FairShare.Submitter(row)
      return job
    }
    guard !jobs.isEmpty else { return [] }
    let turn = try session.first(.readTurn, []) { row throws(PostgreSQLError) in try row.value("turn", as: Double.self) }
    var share = FairShare(submitters: submitters, turn: turn ?? 0)
    let shares = share.divide(jobs, among: offers)
    let charged = share.submitters.filter { $0.value != submitters[$0.key] }.sorted { $0.key < $1.key }
    try session.change(
      .charge, [.texts(charged.map(\.key)), .doubles(charged.map(\.value.spent)), .doubles(charged.map(\.value.turn))])
    return try session.all(
      .candidates, rule + [.texts(shares.map(\.job)), .integers(shares.map(\.count))]
    ) { row throws(PostgreSQLError) in
      Assignment.Candidate(
        task: try row.value("id"), needs: shares[try row.value("place", as: Int.self) - 1].needs,
        avoidedWorker: try row.optional("avoided_worker"))
    }
  }

  /// Opens or finds attempts in a transaction, and writes their orders. A job whose stored specification means nothing to
  /// this program fails, so that it does not hold up the others.
  func orders(
    durably: Bool, _ attempts: (Session) throws(LedgerError) -> [OpenAttempt]
  ) throws(LedgerError) -> [ClaimedAttempt] {
    var unreadable: [(attempt: OpenAttempt, reason: String)] = []
    let claimed = try transaction(durably: durably) { session throws(LedgerError) in
      unreadable = []
      var claimed: [ClaimedAttempt] = []
      for attempt in try attempts(session) {
        do throws(LedgerError) {
          claimed.append(ClaimedAttempt(worker: attempt.worker, order: try order(for: attempt, session)))
        } catch .corrupt(let reason) {
          unreadable.append((attempt, reason))
        }
      }
      return claimed
    }
    for (attempt, reason) in unreadable {
      let failure = Failure(.content, at: "job \(attempt.job)", reason)
      _ = try fail(attempt.key, worker: attempt.worker, epoch: attempt.epoch, failure)
    }
    return claimed
  }

  private func order(for attempt: OpenAttempt, _ session: Session) throws(LedgerError) -> AttemptOrder {
    AttemptOrder(
      job: attempt.job, key: attempt.key, work: try work(of: attempt, session), spec: try spec(of: attempt.job, session))
  }

  func spec(of job: String, _ session: Session) throws(LedgerError) -> JobSpec {
    if let known = specs[job] { return known }
    let spec = try session.first(.readSpec, [.text(job)]) { row throws(PostgreSQLError) in
      JobSpec(
        document: try row.value("document"), facts: try LedgerJSON.value("facts", in: row), output: try row.value("output"),
        overwrites: try row.value("overwrites"), keepsSegments: try row.value("keeps_segments"))
    }
    guard let spec else { throw .corrupt("it has no specification") }
    specs[job] = spec
    return spec
  }

  private func work(of attempt: OpenAttempt, _ session: Session) throws(LedgerError) -> Work {
    switch attempt.kind {
    case .picture:
      guard let frames = attempt.frames else { throw .corrupt("task \(attempt.key.task) has no frames") }
      return .picture(frames)
    case .sound:
      return .sound
    case .mux:
      let parts = try winners(of: [.picture, .sound], job: attempt.job, session)
      return .mux(
        pictures: parts.filter { $0.kind == .picture }.map(\.winner), sound: parts.first { $0.kind == .sound }?.winner)
    case .publish:
      guard let muxed = try winners(of: [.mux], job: attempt.job, session).first else {
        throw .corrupt("job \(attempt.job) has no mux")
      }
      return .publish(muxed: muxed.winner)
    }
  }

  private func winners(
    of kinds: [TaskKind], job: String, _ session: Session
  ) throws(LedgerError) -> [Part] {
    try session.first(.winners, [.text(job), .texts(kinds.map(\.rawValue))]) { row throws(PostgreSQLError) in
      try LedgerJSON.value("winners", in: row)
    } ?? []
  }

  private struct Part: Decodable {
    var kind: TaskKind
    var winner: Winner
  }
}
