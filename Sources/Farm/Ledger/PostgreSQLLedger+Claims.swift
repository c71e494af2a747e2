internal import Messages
internal import PostgreSQL
package import Scheduling

extension PostgreSQLLedger {
  package func claim(for workers: [FreeSlots]) throws(LedgerError) -> [ClaimedAttempt] {
    let (offered, isForLanes) = (workers.filter { $0.slots + $0.lanes > 0 }, workers.contains { $0.slots == 0 && $0.lanes > 0 })
    guard !offered.isEmpty else { return [] }
    return try orders(durably: true) { session throws(LedgerError) in
      let needsLanes = isForLanes ? try isLightReady(session) : false
      let offers = needsLanes ? offered : offered.filter { $0.slots > 0 }
      guard !offers.isEmpty else { return [] }
      let live = try liveOffers(offers, session)
      guard !live.isEmpty else { return [] }
      let (candidates, emptied, charged) = try candidates(for: live, session)
      let chosen = Assignment.spread(candidates.map(\.candidate), over: live)
      guard !chosen.isEmpty else {
        if !charged.isEmpty { try session.charge(charged) }
        return []
      }
      let patiences = try patiences(of: chosen, candidates, session)
      let opened = try session.all(
        .openAttempts,
        [
          .integers(chosen.map(\.task)), .texts(chosen.map(\.offer.worker)), .texts(chosen.map(\.offer.epoch)),
          .booleans(chosen.map(\.offer.isCanary)), .integers(patiences),
        ]
      ) { row throws(PostgreSQLError) in try OpenAttempt(row) }
      try session.change(
        .startJobs, [.texts(Array(Set(opened.map(\.job)))), .texts(emptied)] + charged.parameters)
      return opened
    }
  }

  private func isLightReady(_ session: Session) throws(LedgerError) -> Bool {
    try session.first(.isLightReady) { row throws(PostgreSQLError) in try row.value("found", as: Bool.self) } ?? false
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
    var samples: SampleRange?
    /// Less than 0 since somebody asked to see or hear it.
    var precedence: Int
    /// The milliseconds that it may go without progress.
    var patience: Int

    init(_ row: Rows.Row) throws(PostgreSQLError) {
      key = try AttemptKey(row)
      worker = try row.value("worker")
      epoch = try row.value("epoch")
      job = try row.value("job")
      kind = try row.case("kind")
      frames = try FrameRange.optional(row)
      samples = try SampleRange.optional(row)
      precedence = try row.value("precedence")
      patience = try row.value("patience")
    }
  }

  func liveOffers(_ offers: [FreeSlots], _ session: Session) throws(LedgerError) -> [Offer] {
    // Most workers have the same capabilities, which are read once.
    var known: [String: Capabilities] = [:]
    let live = try session.all(
      .lockOffers, [.texts(offers.map(\.worker)), .texts(offers.map(\.epoch))]
    ) { row throws(PostgreSQLError) in
      let text = try row.value("tags", as: String.self) + " " + row.value("memory_mib", as: String.self)
      let capabilities = if let found = known[text] { found } else { try Capabilities(row) }
      known[text] = capabilities
      return (name: try row.value("name", as: String.self), capabilities, isCanary: try row.value("is_canary", as: Bool.self))
    }
    let facts = Dictionary(live.map { ($0.name, $0) }) { first, _ in first }
    return offers.compactMap { free in
      facts[free.worker].map { _, capabilities, isCanary in
        Offer(
          worker: free.worker, epoch: free.epoch, slots: isCanary ? 1 : free.slots, lanes: isCanary ? 0 : free.lanes,
          capabilities: capabilities, isCanary: isCanary)
      }
    }
  }

  /// Divides the offered slots among the jobs, and locks the chosen jobs and tasks.
  /// - Returns: the tasks, the jobs that may have no other tasks to give out, and the new state of the submitters who are
  ///   charged.
  private func candidates(
    for offers: [Offer], _ session: Session
  ) throws(LedgerError) -> ([Ready], emptied: [String], charged: [String: FairShare.Submitter]) {
    let slots = min(offers.reduce(0) { $0 + $1.slots }, Offer.limit)
    var rule: [Parameter] = [
      .integer(slots), .texts(offers.map(\.worker)), .integer(timing.otherWorkerGrace),
    ]
    var (jobs, before) = try waitingJobs(rule, depth: depth.multiple, session)
    var (share, shares) = try divide(jobs, before, among: offers, session)
    // Some jobs had more than their share. Once each line is asked for enough tasks to fill all slots, nothing is cut off.
    while share.isShort {
      depth.deepen()
      (jobs, before) = try waitingJobs(rule, depth: depth.multiple, session)
      (share, shares) = try divide(jobs, before, among: offers, session)
    }
    depth.settle(shares, of: jobs, slots: slots)
    guard !shares.isEmpty else { return ([], [], [:]) }
    let writers = Dictionary(uniqueKeysWithValues: jobs.map { ($0.id, $0.writers) })
    // Light tasks need no slot.
    rule[0] = .integer(max(slots, 1))
    let candidates = try session.all(
      .candidates, rule + [.texts(shares.map(\.job)), .integers(shares.map(\.count))]
    ) { row throws(PostgreSQLError) in
      let kind: TaskKind = try row.case("kind")
      return Ready(
        candidate: Assignment.Candidate(
          task: try row.value("id"), needs: shares[try row.value("place", as: Int.self) - 1].needs,
          avoidedWorker: try row.optional("avoided_worker"), isLight: try row.value("is_light"),
          writers: writers[try row.value("job")] ?? nil),
        job: try row.value("job"), work: kind.work(pictures: try row.value("work")), cost: try row.value("cost"),
        stalls: try row.value("stalls"))
    }
    let ready = Dictionary(uniqueKeysWithValues: jobs.map { ($0.id, $0.ready) })
    return (
      candidates, shares.filter { $0.count == ready[$0.job] }.map(\.job),
      share.submitters.filter { $0.value != before.submitters[$0.key] }
    )
  }

  private func waitingJobs(
    _ rule: [Parameter], depth: Int, _ session: Session
  ) throws(LedgerError) -> ([FairShare.Job], FairShare) {
    var (submitters, turn): ([String: FairShare.Submitter], Double) = ([:], 0)
    let jobs = try session.all(.waitingJobs, rule + [.integer(timing.ageing), .integer(depth)]) { row throws(PostgreSQLError) in
      let job = try FairShare.Job(row)
      submitters[job.submitter] = try FairShare.Submitter(row)
      turn = try row.value("farm_turn")
      return job
    }
    return (jobs, FairShare(submitters: submitters, turn: turn))
  }

  /// A task that may be given out.
  private struct Ready {
    var candidate: Assignment.Candidate
    var job: String
    var work: String
    var cost: Double
    /// The number of its attempts that ended for lack of progress.
    var stalls: Int
  }

  /// The milliseconds that each attempt may go without progress, from what is known of such work.
  private func patiences(
    of chosen: [Assignment], _ ready: [Ready], _ session: Session
  ) throws(LedgerError) -> [Int] {
    let tasks = Dictionary(uniqueKeysWithValues: ready.map { ($0.candidate.task, $0) })
    let subjects = ready.flatMap { [Paces.Subject.job($0.job), .work($0.work)] } + chosen.map { .worker($0.offer.worker) }
    let paces = try paces(of: Set(subjects), session)
    return chosen.map { assignment in
      guard let task = tasks[assignment.task] else { return timing.patience.usual }
      let seconds = paces.seconds(cost: task.cost, work: task.work, job: task.job, on: assignment.offer.worker)
      return timing.patience.milliseconds(expectedSeconds: seconds, stalls: task.stalls)
    }
  }

  /// Divides the slots, and locks the jobs that get some. A job that somebody else has locked is being changed at this moment; it
  /// has its turn in the next claim.
  private func divide(
    _ jobs: [FairShare.Job], _ share: FairShare, among offers: [Offer], _ session: Session
  ) throws(LedgerError) -> (FairShare, [FairShare.Share]) {
    var jobs = jobs
    while true {
      var tried = share
      let shares = tried.divide(jobs, among: offers)
      guard !shares.isEmpty, !tried.isShort else { return (tried, shares) }
      let locked = Set(
        try session.all(.lockWaitingJobs, [.texts(shares.map(\.job))]) { row throws(PostgreSQLError) in
          try row.value("id", as: String.self)
        })
      guard locked.count < shares.count else { return (tried, shares) }
      let missing = Set(shares.map(\.job)).subtracting(locked)
      for index in jobs.indices where missing.contains(jobs[index].id) { jobs[index].ready = 0 }
      // A job whose list is cut off stays, because what follows it is not known.
      jobs.removeAll { $0.ready == 0 && !$0.isCut }
    }
  }
}

extension Session {
  /// Writes the virtual times of submitters.
  func charge(_ submitters: [String: FairShare.Submitter]) throws(LedgerError) { try change(.charge, submitters.parameters) }
}

extension [String: FairShare.Submitter] {
  /// Three parameters: the names, their virtual times, and their last turns.
  fileprivate var parameters: [Parameter] {
    let charged = sorted { $0.key < $1.key }
    return [.texts(charged.map(\.key)), .doubles(charged.map(\.value.spent)), .doubles(charged.map(\.value.turn))]
  }
}
