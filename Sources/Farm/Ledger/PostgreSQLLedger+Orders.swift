internal import Messages
internal import PostgreSQL
internal import Scheduling

// The orders of all attempts of a round are read together. Statements for each order by itself would take too many round trips
// beside a crowd of short jobs.
extension PostgreSQLLedger {
  /// Calls `attempts`, which opens or finds attempts, and writes their orders, in one transaction. An attempt fails, and its job
  /// with it, if its order cannot be written because what the ledger stores for the job means nothing to this program. So it does
  /// not hold up the others.
  func orders(
    durably: Bool, _ attempts: (Session) throws(LedgerError) -> [OpenAttempt]
  ) throws(LedgerError) -> [ClaimedAttempt] {
    var unreadable: [(attempt: OpenAttempt, reason: String)] = []
    let claimed = try transaction(durably: durably) { session throws(LedgerError) in
      unreadable = []
      let opened = try attempts(session)
      let content = try content(of: opened, session)
      var claimed: [ClaimedAttempt] = []
      for attempt in opened {
        do throws(LedgerError) {
          claimed.append(ClaimedAttempt(worker: attempt.worker, order: try content.order(for: attempt)))
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

  /// The most documents that one statement reads. Each may have 16 MiB.
  private static let mostSpecsTogether = 50

  private func content(of attempts: [OpenAttempt], _ session: Session) throws(LedgerError) -> OrderContent {
    var content = OrderContent()
    let jobs = Set(attempts.map(\.job))
    for job in jobs { content.specs[job] = specs[job].map { .success($0) } }
    var missing = jobs.filter { content.specs[$0] == nil }.sorted()[...]
    while !missing.isEmpty {
      let group = missing.prefix(Self.mostSpecsTogether)
      missing = missing.dropFirst(group.count)
      let found = try read(.readSpecs, [.texts(Array(group))], in: session) { row throws(PostgreSQLError) in try JobSpec(row) }
      for (job, spec) in found {
        content.specs[job] = spec
        if case .success(let spec) = spec { specs[job] = spec }
      }
    }
    let writing = attempts.filter { $0.kind.writesOutput }
    guard !writing.isEmpty else { return content }
    // Only the output of a specification can change. So it is read each time, while the rest may come from the cache.
    content.outputs = try read(.readOutputs, [.texts(Set(writing.map(\.job)).sorted())], in: session) {
      row throws(PostgreSQLError) in try row.value("output", as: String.self)
    }
    for kind in Set(writing.map(\.kind)) {
      let jobs = Set(writing.filter { $0.kind == kind }.map(\.job)).sorted()
      content.winners[kind] = try read(.winners, [.texts(jobs), .text(kind.rawValue)], in: session) {
        row throws(PostgreSQLError) in try LedgerJSON.value("winners", in: row)
      }
    }
    return content
  }

  /// Runs a statement that has one row for each job, and returns what it found by the job's id. A row that this program cannot
  /// read is an error for its own job only.
  private func read<Value>(
    _ statement: Statement, _ parameters: [Parameter], in session: Session,
    _ decode: (Rows.Row) throws(PostgreSQLError) -> Value
  ) throws(LedgerError) -> [String: Result<Value, LedgerError>] {
    let found = try session.all(statement, parameters) { row throws(PostgreSQLError) -> (String, Result<Value, LedgerError>) in
      let job: String = try row.value("job")
      do throws(PostgreSQLError) { return (job, .success(try decode(row))) } catch { return (job, .failure(LedgerError(error))) }
    }
    return Dictionary(found) { first, _ in first }
  }
}

/// The stored values that orders are written from, by the job's id.
private struct OrderContent {
  /// A finished task that an order builds on. The task's kind says how its proof is read.
  enum Part: Decodable {
    case picture(Winner<PictureProof>)
    case sound(Winner<SoundProof>)
    case movie(Winner<FileProof>)

    enum CodingKeys: String, CodingKey { case kind, winner }

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      switch try container.decode(TaskKind.self, forKey: .kind) {
      case .picture: self = .picture(try container.decode(Winner<PictureProof>.self, forKey: .winner))
      case .sound: self = .sound(try container.decode(Winner<SoundProof>.self, forKey: .winner))
      case .mux, .publish: self = .movie(try container.decode(Winner<FileProof>.self, forKey: .winner))
      }
    }

    var picture: Winner<PictureProof>? { if case .picture(let winner) = self { winner } else { nil } }
    var sound: Winner<SoundProof>? { if case .sound(let winner) = self { winner } else { nil } }
    var movie: Winner<FileProof>? { if case .movie(let winner) = self { winner } else { nil } }
  }

  var specs: [String: Result<JobSpec, LedgerError>] = [:]
  /// The outputs of the jobs whose movies are to be written.
  var outputs: [String: Result<String, LedgerError>] = [:]
  /// The finished tasks that tasks of each kind build on.
  var winners: [TaskKind: [String: Result<[Part], LedgerError>]] = [:]

  func order(for attempt: PostgreSQLLedger.OpenAttempt) throws(LedgerError) -> AttemptOrder {
    guard var spec = try specs[attempt.job]?.get() else { throw .corrupt("it has no specification") }
    if attempt.kind.writesOutput {
      guard let output = try outputs[attempt.job]?.get() else { throw .corrupt("it has no output") }
      spec.output = output
    }
    return AttemptOrder(
      job: attempt.job, key: attempt.key, work: try work(of: attempt), spec: spec, patience: attempt.patience / 1000)
  }

  private func work(of attempt: PostgreSQLLedger.OpenAttempt) throws(LedgerError) -> Work {
    switch attempt.kind {
    case .picture:
      guard let frames = attempt.frames else { throw .corrupt("task \(attempt.key.task) has no frames") }
      return .picture(frames)
    case .sound:
      return .sound
    case .mux:
      let parts = try winners[.mux]?[attempt.job]?.get() ?? []
      return .mux(pictures: parts.compactMap(\.picture), sound: parts.lazy.compactMap(\.sound).first)
    case .publish:
      guard let muxed = try winners[.publish]?[attempt.job]?.get().first?.movie else {
        throw .corrupt("job \(attempt.job) has no mux")
      }
      return .publish(muxed: muxed)
    }
  }
}
