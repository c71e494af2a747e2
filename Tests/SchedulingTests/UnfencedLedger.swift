import FarmTesting
import Ledger
import Messages
import Scheduling

/// A ledger with one of the classic bugs.
final class UnfencedLedger: CrashingLedger {
  enum Fault {
    /// A result completes its task, whichever attempt it comes from.
    case attemptsAreNotFenced
    /// A coordinator still writes after another one took the lead.
    case termsAreNotFenced
    /// A crash undoes everything since the jobs were submitted.
    case nothingIsDurable
    /// The result of the losing attempt of a pair counts as the winner's.
    case bothOfAPairWin
    /// A result counts for its whole chunk, whatever frames it has.
    case resultsAreNotMeasured
    /// Chunks are divided as soon as it is wished, whatever their processes do.
    case wishesArePromises
    /// An order to clear away a job's files may also hit what its retry makes.
    case deadAreNotNamed
  }

  private let inner: MemoryLedger
  private let fault: Fault
  /// The tasks at which two attempts were open.
  private var paired: Set<Int64> = []
  /// The newest wish for each attempt.
  private var wishes: [AttemptKey: Int] = [:]
  private var holders: [Int64: (key: AttemptKey, worker: String, epoch: String)] = [:]

  init(_ inner: MemoryLedger, _ fault: Fault) { (self.inner, self.fault) = (inner, fault) }

  var term: Int? {
    get { inner.term }
    set { if fault != .termsAreNotFenced { inner.term = newValue } }
  }

  func commit(_ results: [Completion]) throws(LedgerError) -> Committed {
    let isBlind = fault == .resultsAreNotMeasured || fault == .wishesArePromises
    let completions = try isBlind ? measuredWrongly(results) : results
    guard fault == .attemptsAreNotFenced else {
      var committed = try inner.commit(completions)
      for (place, done) in completions.enumerated() where fault == .bothOfAPairWin && paired.contains(done.key.task) {
        committed.verdicts[place] = .won
      }
      return committed
    }
    var committed = Committed(verdicts: [])
    for completion in completions {
      guard let holder = holders[completion.key.task] else {
        committed.verdicts.append(.stale)
        continue
      }
      let one = try inner.commit([
        Completion(worker: holder.worker, epoch: holder.epoch, key: holder.key, proof: completion.proof)
      ])
      committed.verdicts += one.verdicts
      committed.superseded += one.superseded
    }
    return committed
  }

  func split(for workers: [FreeSlots], asked: [AttemptKey]) throws(LedgerError) -> [Split] {
    let splits = try inner.split(for: workers, asked: asked)
    for split in splits { wishes[split.key] = split.before }
    return splits
  }

  /// The results, as if each had the frames that its task has now.
  private func measuredWrongly(_ results: [Completion]) throws(LedgerError) -> [Completion] {
    var measured = results
    for (place, done) in results.enumerated() {
      guard case .picture(var picture) = done.proof, let job = done.proof.file.path.split(separator: "/").first,
        let frames = try inner.tasks(job: String(job)).first(where: { $0.id == done.key.task })?.frames
      else { continue }
      picture.frames = frames
      measured[place].proof = .picture(picture)
    }
    return measured
  }

  func heartbeat(_ heartbeats: [Heartbeat]) throws(LedgerError) -> [HeardWorker] {
    var heard = heartbeats
    if fault == .wishesArePromises {
      for beat in heard.indices {
        for place in heard[beat].running.indices {
          if let wish = wishes[heard[beat].running[place].key] { heard[beat].running[place].end = wish }
        }
      }
    }
    return try inner.heartbeat(heard)
  }
  func speculate(for workers: [FreeSlots], most: Int, sparing spared: [AttemptKey]) throws(LedgerError) -> [ClaimedAttempt] {
    let beside = try inner.speculate(for: workers, most: most, sparing: spared)
    paired.formUnion(beside.map(\.order.key.task))
    return beside
  }
  func learn(from winners: [AttemptKey]) throws(LedgerError) { try inner.learn(from: winners) }
  func save() { if fault != .nothingIsDurable || term == nil { inner.save() } }
  func crash() { inner.crash() }

  func lose(_ workers: [WorkerProcess]) throws(LedgerError) { try inner.lose(workers) }
  func claim(for workers: [FreeSlots]) throws(LedgerError) -> [ClaimedAttempt] {
    let claimed = try inner.claim(for: workers)
    for attempt in claimed {
      let epoch = workers.first { $0.worker == attempt.worker }?.epoch ?? ""
      holders[attempt.order.key.task] = (attempt.order.key, attempt.worker, epoch)
    }
    return claimed
  }

  func lead(_ candidate: Candidate) throws(LedgerError) -> Leadership { try inner.lead(candidate) }
  func resign(_ candidate: Candidate) throws(LedgerError) { try inner.resign(candidate) }
  func keepHistory() throws(LedgerError) { try inner.keepHistory() }
  func countSlots() throws(LedgerError) { try inner.countSlots() }
  func keep(_ logs: [LoggedAttempt]) throws(LedgerError) { try inner.keep(logs) }
  func flush() throws(LedgerError) { try inner.flush() }
  func news() throws(LedgerError) -> [News] { try inner.news() }
  func wantedFonts() throws(LedgerError) -> [String] { try inner.wantedFonts() }
  func want(job: String, _ kind: TaskKind, from first: Int64, most: Int) throws(LedgerError) -> Int? {
    try inner.want(job: job, kind, from: first, most: most)
  }
  func queue() throws(LedgerError) -> FarmQueue { inner.queue() }
  func submit(_ submission: JobSubmission) throws(LedgerError) -> String { try inner.submit(submission) }
  func register(_ hellos: [WorkerHello]) throws(LedgerError) { try inner.register(hellos) }
  func retire(_ workers: [WorkerProcess]) throws(LedgerError) { try inner.retire(workers) }
  func openAttempts(of workers: [WorkerProcess]) throws(LedgerError) -> [ClaimedAttempt] { try inner.openAttempts(of: workers) }
  func fail(_ failures: [FailedAttempt]) throws(LedgerError) -> [FailVerdict] { try inner.fail(failures) }
  func closed(among held: [ExpiredAttempt]) throws(LedgerError) -> [ExpiredAttempt] { try inner.closed(among: held) }
  func change(job: String, _ change: JobChange) throws(LedgerError) -> Bool? { try inner.change(job: job, change) }
  func drain(worker: String?, _ isDrained: Bool) throws(LedgerError) -> Bool { try inner.drain(worker: worker, isDrained) }
  func change(submitter: String, _ change: ShareChange) throws(LedgerError) -> Bool {
    try inner.change(submitter: submitter, change)
  }
  func submitters() throws(LedgerError) -> [SubmitterStatus] { try inner.submitters() }
  func expire() throws(LedgerError) -> [ExpiredAttempt] { try inner.expire() }
  func cancel(job: String) throws(LedgerError) -> [ExpiredAttempt]? { try inner.cancel(job: job) }
  func follow() throws(LedgerError) -> FollowedTasks? { try inner.follow() }
  func over(among jobs: [String], endedFor age: Duration) throws(LedgerError) -> [OverJob] {
    let over = try inner.over(among: jobs, endedFor: age)
    return fault == .deadAreNotNamed ? over.map { OverJob(id: $0.id, output: $0.output) } : over
  }
  func status(job: String) throws(LedgerError) -> JobStatus? { try inner.status(job: job) }
  func jobs(limit: Int) throws(LedgerError) -> [JobStatus] { try inner.jobs(limit: limit) }
  func workers() throws(LedgerError) -> [WorkerStatus] { try inner.workers() }
  func tasks(job: String) throws(LedgerError) -> [TaskStatus] { try inner.tasks(job: job) }
  var notificationDescriptor: Int32? { inner.notificationDescriptor }
  func takeNotifications() throws(LedgerError) -> LedgerNews? { try inner.takeNotifications() }
}
