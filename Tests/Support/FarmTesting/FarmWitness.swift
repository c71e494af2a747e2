internal import Ledger
package import Messages
internal import Scheduling

/// A check of a farm from outside: it watches what is submitted, claimed, started and committed, and reports broken promises. It
/// shares no code with the ledger and believes none of its states.
package struct FarmWitness {
  /// The broken promises, in words.
  package private(set) var violations: [String] = []
  /// The attempt that won each task.
  package private(set) var winners: [Int64: AttemptKey] = [:]
  /// The number of second attempts that were begun.
  package private(set) var speculations = 0
  /// Whether a second attempt won while the first was still open.
  package private(set) var hasHelped = false
  /// The number of attempts that won after their job had been replaced.
  package private(set) var keptWinners = 0
  /// The number of chunks that were divided while they ran.
  package private(set) var divisions = 0

  /// The name of the leader in each term.
  private var leaders: [Int: String] = [:]
  private var submissions: [String: JobSubmission] = [:]
  /// Jobs that were cancelled or published.
  private var over: Set<String> = []
  /// Jobs that others replaced.
  private var replaced: Set<String> = []
  /// Jobs that the ledger called over. Their files may be gone, so a retry must make all of them again.
  private var mayBeCleared: Set<String> = []
  private var clearedFiles: Set<AttemptKey> = []
  private var publications: [Int64: String] = [:]
  private var lastClaimed: [Int64: AttemptKey] = [:]
  /// For each task, the attempts that may win: the one claimed last, and a second attempt beside it.
  private var contenders: [Int64: Set<AttemptKey>] = [:]
  private var epochs: [String: String] = [:]
  /// Attempts whose end the witness has not seen.
  private var open: [AttemptKey: (worker: String, job: String)] = [:]
  /// The orders with which attempts were started.
  private var orders: [AttemptKey: AttemptOrder] = [:]
  /// The frames before which attempts promised to end.
  private var promises: [AttemptKey: Int] = [:]
  /// The proofs of attempts that finished. No two are equal.
  private var proofs: [AttemptKey: Proof] = [:]
  /// The frames that were won, by job and task.
  private var frames: [String: [Int64: FrameRange]] = [:]

  package init() {}

  /// The number of files that were cleared away.
  package var clearings: Int { clearedFiles.count }

  mutating func submitted(_ submission: JobSubmission) { submissions[submission.id] = submission }

  mutating func cancelled(_ job: String) {
    over.insert(job)
    open = open.filter { $0.value.job != job }
  }

  /// The open attempts of a job.
  func open(of job: String) -> [ExpiredAttempt] {
    open.filter { $0.value.job == job }.map { ExpiredAttempt(worker: $0.value.worker, key: $0.key) }.sorted { $0.key < $1.key }
  }

  /// Takes note that another job replaced a job, and of those of its attempts that ended with that.
  mutating func replaced(_ job: String, ended: [AttemptKey]) {
    guard !over.contains(job) else { return }
    over.insert(job)
    replaced.insert(job)
    for key in ended { close(key) }
  }

  mutating func retried(_ job: String) {
    over.remove(job)
    replaced.remove(job)
    guard mayBeCleared.remove(job) != nil else { return }
    winners = winners.filter { orders[$0.value]?.job != job }
    frames[job] = nil
  }

  mutating func cleared(_ key: AttemptKey, of job: String) {
    clearedFiles.insert(key)
    guard !over.contains(job), open[key] != nil || winners[key.task] == key else { return }
    fail("the file of \(key) was cleared away, whose job \(job) is not over")
  }

  /// Takes note of an answer.
  ///
  /// - Parameter term: the term of the request; nil for a request for the lead.
  mutating func saw(_ answer: LedgerAnswer, term: Int?, coordinator: String) {
    switch answer {
    case .stood(.leads(let term)):
      if let leader = leaders[term], leader != coordinator { fail("\(coordinator) leads in term \(term), as \(leader) does") }
      leaders[term] = coordinator
    case .stood, .resigned: break
    default:
      if let term, let newest = leaders.keys.max(), term < newest {
        fail("\(coordinator) wrote in term \(term) after term \(newest) had begun")
      }
    }
    saw(answer)
  }

  /// Takes note that a coordinator was refused because another one leads.
  mutating func sawDeposed(_ coordinator: String) {
    if let newest = leaders.keys.max(), leaders[newest] == coordinator { fail("\(coordinator) deposed itself in term \(newest)") }
  }

  private mutating func saw(_ answer: LedgerAnswer) {
    switch answer {
    case .claimed(let attempts):
      for attempt in attempts {
        let key = attempt.order.key
        if let other = openAttempts(at: key.task).first { fail("\(key) was claimed while \(other) is open") }
        begin(attempt)
        contenders[key.task] = [key]
      }
    case .speculated(let attempts):
      for attempt in attempts {
        let (key, others) = (attempt.order.key, openAttempts(at: attempt.order.key.task))
        if others.count != 1 { fail("\(key) was begun beside \(others)") }
        if others.contains(where: { open[$0]?.worker == attempt.worker }) {
          fail("\(key) was begun beside one of its own worker")
        }
        speculations += 1
        begin(attempt)
        contenders[key.task, default: []].insert(key)
      }
    case .committed(let completions, let committed):
      for (completion, verdict) in zip(completions, committed.verdicts) where verdict == .won {
        won(completion.key)
        count(completion)
      }
      for (completion, verdict) in zip(completions, committed.verdicts) where verdict == .unfit { close(completion.key) }
      for attempt in committed.superseded { close(attempt.key) }
    case .registered(let hellos):
      // Only a new process of the worker ends older attempts. The same process says hello again just to be known.
      for hello in hellos where epochs.updateValue(hello.epoch, forKey: hello.worker) != hello.epoch {
        closeAll(of: hello.worker)
      }
    case .retired(let workers): for left in workers where epochs[left.worker] == left.epoch { closeAll(of: left.worker) }
    case .expired(let attempts), .closed(let attempts): for attempt in attempts { close(attempt.key) }
    case .heard(let workers):
      for key in workers.flatMap(\.closed) { close(key) }
      for key in workers.flatMap(\.divided) {
        divisions += 1
        if promises[key] == nil { fail("the chunk of \(key) was divided without a promise") }
      }
    case .failed(let failures, let verdicts):
      for (failed, verdict) in zip(failures, verdicts) where verdict != .stale {
        close(failed.key)
        if case .jobFailed(let others) = verdict { for attempt in others { close(attempt.key) } }
      }
    case .over(_, _, let jobs): mayBeCleared.formUnion(jobs.map(\.id))
    case .stood, .resigned, .keptHistory, .countedSlots, .kept, .news, .flushed, .followed, .open, .learned, .splits,
      .wantedFonts:
      break
    }
  }

  private mutating func begin(_ attempt: ClaimedAttempt) {
    let key = attempt.order.key
    open[key] = (attempt.worker, attempt.order.job)
    if replaced.contains(attempt.order.job) { fail("\(key) was begun though its job was replaced") }
    if let last = lastClaimed[key.task], last.attempt >= key.attempt { fail("\(key) was begun after \(last)") }
    if let winner = winners[key.task] { fail("\(key) was begun after \(winner) had won") }
    lastClaimed[key.task] = key
  }

  private func openAttempts(at task: Int64) -> [AttemptKey] { open.keys.filter { $0.task == task } }

  private mutating func close(_ key: AttemptKey) {
    open[key] = nil
    contenders[key.task]?.remove(key)
  }

  private mutating func closeAll(of worker: String) {
    for (key, attempt) in open where attempt.worker == worker { close(key) }
  }

  private mutating func won(_ key: AttemptKey) {
    if let winner = winners[key.task], winner != key { fail("\(key) won after \(winner)") }
    if winners[key.task] == nil, let job = orders[key]?.job, replaced.contains(job) { keptWinners += 1 }
    if winners[key.task] == nil, contenders[key.task]?.contains(key) != true {
      fail("\(key) won though its end was told, or another one was claimed since")
    }
    winners[key.task] = key
    if let beside = openAttempts(at: key.task).first(where: { $0 != key }), beside.attempt < key.attempt { hasHelped = true }
    for key in openAttempts(at: key.task) { close(key) }
    if let job = publications[key.task] { over.insert(job) }
  }

  /// Checks that no frame is won twice.
  private mutating func count(_ done: Completion) {
    guard let made = done.proof.frames, let job = orders[done.key]?.job else { return }
    let others = frames[job, default: [:]].filter { $0.key != done.key.task && $0.value.indices.overlaps(made.indices) }
    for other in others.keys.sorted() { fail("\(done.key) won frames that task \(other) had won") }
    frames[job, default: [:]][done.key.task] = made
  }

  mutating func promised(_ key: AttemptKey, before frame: Int) { promises[key] = min(frame, promises[key] ?? frame) }

  mutating func finished(_ key: AttemptKey, _ proof: Proof) { proofs[key] = proof }

  mutating func started(_ order: AttemptOrder) {
    if orders[order.key] != nil { fail("\(order.key) was started twice") }
    orders[order.key] = order
    switch order.work {
    case .picture, .sound, .soundPart: break
    case .mux(let pictures, let sounds):
      check(order)
      var next = 0
      for picture in pictures {
        if picture.proof.frames.first != next { fail("\(order.key) muxes frames that do not follow \(next)") }
        next = picture.proof.frames.indices.upperBound
      }
      if next != submissions[order.job]?.frameCount { fail("\(order.key) muxes \(next) frames") }
      let parts = submissions[order.job]?.tasks.filter { $0.kind == .sound }.map(\.samples)
      if sounds.map(\.proof.samples) != parts { fail("\(order.key) muxes other parts of sound than were submitted") }
    case .publish:
      publications[order.key.task] = order.job
      check(order)
    }
  }

  /// Checks that each used file was made by the attempt that won with it.
  private mutating func check(_ order: AttemptOrder) {
    for winner in order.work.winners {
      if winners[winner.key.task] != winner.key { fail("\(order.key) uses \(winner.key), which did not win") }
      if clearedFiles.contains(winner.key) { fail("\(order.key) uses the file of \(winner.key), which was cleared away") }
      if proofs[winner.key] != winner.proof {
        fail("\(order.key) uses \(winner.proof.file.path), which \(winner.key) did not make")
      }
    }
  }

  private mutating func fail(_ what: String) { violations.append(what) }
}
