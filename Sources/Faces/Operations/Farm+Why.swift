package import Ledger
internal import Messages

/// The reasons why a job, a task or a worker does not get on.
package struct Explanation: Hashable, Sendable, Codable {
  package enum Kind: String, Hashable, Sendable, Codable { case job, task, worker }

  /// The kind of thing that was asked about.
  package var kind: Kind
  /// Each reason is a predicate, to be read behind the name that was asked about. Those after the first are details.
  package var reasons: [String]
  /// The parts of a job's time since its submission, or of a task's from then to its end; nil for workers.
  package var time: [JobTimeShare]?
  /// The chain of attempts and waits for which a job's end waited; nil for tasks and workers, and while nothing of the job ran.
  package var path: CriticalPath?
  /// The workers on the critical path that are slow beside others, with the time that it spent on them; nil where there are none.
  package var slow: [WorkerTime]?
}

extension Farm {
  /// Says why something waits.
  ///
  /// - Parameter what: a job's id, a task's number or a worker's name, looked for in this order.
  /// - Throws: a complaint of the class `noInput` when there is no such thing.
  package func why(_ what: String) throws(Complaint) -> Explanation {
    try complaining {
      let found = try explanation(ofJob: what) ?? explanation(ofTask: what) ?? explanation(ofWorker: what)
      guard var found else { throw Complaint(what, "no such job, task or worker", .noInput) }
      switch found.kind {
      case .job:
        (found.time, found.path) = (try ledger.time(job: what), try criticalPath(job: what))
        found.slow = try slow(found.path?.workers ?? [])
      case .task: found.time = try time(ofTask: what)
      case .worker: break
      }
      return found
    }
  }

  /// A worker counts as slow that takes so many times as long as others.
  private static let slowPace = 1.5

  /// The workers among those that are slow, with their paces; nil where there are none.
  private func slow(_ times: [WorkerTime]) throws -> [WorkerTime]? {
    guard !times.isEmpty else { return nil }
    let paces = Dictionary(try ledger.workers().compactMap { worker in worker.pace.map { (worker.name, $0) } }) { first, _ in
      first
    }
    let slow = times.compactMap { time -> WorkerTime? in
      guard let pace = paces[time.worker], pace >= Self.slowPace else { return nil }
      return WorkerTime(worker: time.worker, seconds: time.seconds, pace: pace)
    }
    return slow.isEmpty ? nil : slow
  }

  /// The reasons that a job waits for; none when there is no such job.
  func why(job id: String) throws(Complaint) -> [String] { try complaining { try explanation(ofJob: id)?.reasons ?? [] } }

  private func explanation(ofJob id: String) throws -> Explanation? {
    guard let job = try ledger.status(job: id) else { return nil }
    guard !job.state.isFinal else {
      let goOn = job.running == 1 ? "goes" : "go"
      let kept = job.running == 0 ? "" : "; \(job.running) of its attempts \(goOn) on for a job that replaced it"
      return Explanation(kind: .job, reasons: ["is \(job.state.rawValue)\(job.failure.map { ": \($0)" } ?? "")\(kept)"])
    }
    let done = "\(job.chunksDone) of \(job.chunkCount) chunks done"
    let runs = job.running == 0 ? "" : job.running == 1 ? ", 1 task runs" : ", \(job.running) tasks run"
    let state = job.isPaused ? "paused since \(job.pausedAt ?? "now")" : job.state.rawValue
    let first = "is \(state), \(done)\(runs)" + (job.isPaused ? " (spool resume \(id))" : "")
    // A reason that stops the whole farm also stops this job, whatever else is in its way.
    let standing = try ledger.standing(job: id)
    if let reason = standing?.farmReason { return Explanation(kind: .job, reasons: [first, reason]) }
    guard !job.isPaused else { return Explanation(kind: .job, reasons: [first]) }
    let waiting = try ledger.waiting(job: id)
    let trouble = try ledger.trouble(job: id).map { ["\($0)"] } ?? []
    return Explanation(
      kind: .job,
      reasons: [first + (waiting.isEmpty ? "; nothing waits for a worker" : "")]
        + waiting.map { "\(Self.words($0)): \($0.reason)" } + Self.queue(waiting, before: standing?.before ?? 0) + trouble)
  }

  /// The place of what waits in the queue, where something of other jobs goes first.
  private static func queue(_ waiting: [WaitingTasks], before: Int) -> [String] {
    guard before > 0, waiting.contains(where: \.kind.isPart) else { return [] }
    return ["\(before) \(before == 1 ? "task" : "tasks") of other jobs \(before == 1 ? "goes" : "go") before its own"]
  }

  /// The waiting tasks in words, such as `6 chunks wait` or `the sound waits`.
  private static func words(_ waiting: WaitingTasks) -> String {
    switch waiting.kind {
    case .picture: waiting.count == 1 ? "1 chunk waits" : "\(waiting.count) chunks wait"
    case .sound: "the sound waits"
    case .mux: "the mux waits"
    case .publish: "the publishing waits"
    }
  }

  private func explanation(ofTask number: String) throws -> Explanation? {
    guard let id = Int64(number), let found = try ledger.task(id) else { return nil }
    let task = found.status
    if let wait = try ledger.wait(task: id) {
      let queue =
        wait.before.map { $0 == 0 ? ["it is the first in the queue"] : ["\($0) \($0 == 1 ? "task goes" : "tasks go") before it"] }
        ?? []
      return Explanation(kind: .task, reasons: ["of \(found.job) waits: \(wait.reason)"] + queue)
    }
    let worker = task.state == .running ? task.worker.map { " on \($0)" } ?? "" : ""
    let beside = task.workerBeside.map { ", and since it is slow there, on \($0) as well: the first result wins" } ?? ""
    let origin = task.splitFrom.map { "; it was split off task \($0), which was costly" } ?? ""
    let failure = task.state == .failed ? task.failure.map { ": \($0)" } ?? "" : ""
    let patience = task.state == .running ? Self.patience(with: found) : ""
    let awaited = found.awaitedBy.map { "; job \($0) awaits what it makes" } ?? ""
    let state = "\(task.state.rawValue)\(worker)\(beside)\(patience)\(failure)\(origin)\(awaited)"
    return Explanation(kind: .task, reasons: ["of \(found.job) does not wait: it is \(state)"])
  }

  private func time(ofTask number: String) throws -> [JobTimeShare]? {
    guard let id = Int64(number), let found = try ledger.task(id), let job = try ledger.status(job: found.job) else { return nil }
    let times = TaskTime(try ledger.attempts(job: found.job), try ledger.moments(job: found.job))
    return times.shares(task: id, found.status.kind, measured: try ledger.measured(task: id), now: job.microseconds)
  }

  private static func patience(with task: FoundTask) -> String {
    guard let silence = task.silence, let patience = task.patience else { return "" }
    return "; its last progress was \(Int(silence)) s ago, and after \(Int(patience)) s without any it is ended"
  }

  private func explanation(ofWorker name: String) throws -> Explanation? {
    try ledger.reason(worker: name).map { Explanation(kind: .worker, reasons: ["is given nothing new: \($0)"]) }
  }
}
