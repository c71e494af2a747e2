internal import Messages
internal import PostgreSQL
internal import Scheduling

// The orders of all attempts of a round are read together. Statements for each order by itself would take too many round trips
// beside a crowd of short jobs.
extension PostgreSQLLedger {
  /// Calls `attempts`, which opens or finds attempts, reads what their orders are written from, in the same transaction, and
  /// writes the orders after it. The JSON of a long movie or of many documents takes seconds to decode, in which no transaction
  /// may be open. An attempt fails, and its job with it, if its order cannot be written because what the ledger stores for the
  /// job means nothing to this program. So it does not hold up the others.
  func orders(
    durably: Bool, _ attempts: (Session) throws(LedgerError) -> [OpenAttempt]
  ) throws(LedgerError) -> [ClaimedAttempt] {
    let (opened, rows) = try transaction(durably: durably) { session throws(LedgerError) in
      let opened = try attempts(session)
      return (opened, try orderRows(of: opened, session))
    }
    let content = OrderContent(rows, specs)
    var claimed: [ClaimedAttempt] = []
    for attempt in opened {
      do throws(LedgerError) {
        claimed.append(ClaimedAttempt(worker: attempt.worker, order: try content.order(for: attempt)))
      } catch .corrupt(let reason) {
        let failure = Failure(.content, at: "job \(attempt.job)", reason)
        _ = try fail(attempt.key, worker: attempt.worker, epoch: attempt.epoch, failure)
      }
    }
    return claimed
  }

  /// The most documents that one statement reads. Each may have 16 MiB.
  private static let mostSpecsTogether = 50

  private func orderRows(of attempts: [OpenAttempt], _ session: Session) throws(LedgerError) -> OrderRows {
    var rows = OrderRows()
    let jobs = Set(attempts.map(\.job))
    var missing = jobs.filter { specs[$0] == nil }.sorted()[...]
    rows.known = jobs.subtracting(missing)
    while !missing.isEmpty {
      let group = missing.prefix(Self.mostSpecsTogether)
      missing = missing.dropFirst(group.count)
      rows.specs += try session.all(.readSpecs, [.texts(Array(group))]) { $0 }
    }
    let writing = attempts.filter { $0.kind.writesOutput }
    guard !writing.isEmpty else { return rows }
    // Only the places of a specification can change. So they are read each time, while the rest may come from the cache.
    rows.outputs = try session.all(.readOutputs, [.texts(Set(writing.map(\.job)).sorted())]) { $0 }
    for kind in Set(writing.map(\.kind)) {
      let jobs = Set(writing.filter { $0.kind == kind }.map(\.job)).sorted()
      rows.works[kind] = try session.all(.writingWork, [.texts(jobs), .text(kind.rawValue)]) { $0 }
    }
    return rows
  }
}

/// The rows that orders are written from, as the database gave them. Each is of one job.
private struct OrderRows {
  /// The jobs whose specifications were in the cache.
  var known: Set<String> = []
  var specs: [Rows.Row] = []
  /// The outputs of the jobs whose movies are to be written.
  var outputs: [Rows.Row] = []
  /// The works of the mux and publish tasks.
  var works: [TaskKind: [Rows.Row]] = [:]
}

/// The stored values that orders are written from, by the job's id. A row that this program cannot read is an error for its own
/// job only.
private struct OrderContent {
  private var specs: [String: Result<JobSpec, LedgerError>] = [:]
  private var outputs: [String: Result<(output: String, copies: [String]), LedgerError>]
  private var works: [TaskKind: [String: Result<Work, LedgerError>]]

  init(_ rows: OrderRows, _ cache: SpecCache) {
    outputs = Self.read(rows.outputs) { row throws(PostgreSQLError) in (try row.value("output"), try row.copies) }
    works = rows.works.mapValues { Self.read($0) { row throws(PostgreSQLError) in try LedgerJSON.value("work", in: row) } }
    // Known ones first: the cache may be emptied by those that are added.
    for job in rows.known { specs[job] = cache[job].map { .success($0) } }
    let found = Self.read(rows.specs) { row throws(PostgreSQLError) in
      var spec = try JobSpec(row)
      spec.submitter = try row.value("submitter")
      spec.isDivisible = try row.value("is_divisible") ? true : nil
      return spec
    }
    for (job, spec) in found {
      specs[job] = spec
      if case .success(let spec) = spec { cache[job] = spec }
    }
  }

  private static func read<Value>(
    _ rows: [Rows.Row], _ decode: (Rows.Row) throws(PostgreSQLError) -> Value
  ) -> [String: Result<Value, LedgerError>] {
    var values: [String: Result<Value, LedgerError>] = [:]
    for row in rows {
      guard let job = try? row.value("job", as: String.self) else { continue }  // the statements name the job that was asked for
      do throws(PostgreSQLError) { values[job] = .success(try decode(row)) } catch { values[job] = .failure(LedgerError(error)) }
    }
    return values
  }

  func order(for attempt: PostgreSQLLedger.OpenAttempt) throws(LedgerError) -> AttemptOrder {
    guard var spec = try specs[attempt.job]?.get() else { throw .corrupt("it has no specification") }
    if attempt.kind.writesOutput {
      guard let places = try outputs[attempt.job]?.get() else { throw .corrupt("it has no output") }
      (spec.output, spec.copies) = (places.output, places.copies.isEmpty ? nil : places.copies)
    }
    return AttemptOrder(
      job: attempt.job, key: attempt.key, work: try work(of: attempt), spec: spec, patience: attempt.patience / 1000,
      isAwaited: attempt.precedence < 0)
  }

  private func work(of attempt: PostgreSQLLedger.OpenAttempt) throws(LedgerError) -> Work {
    switch attempt.kind {
    case .picture:
      guard let frames = attempt.frames else { throw .corrupt("task \(attempt.key.task) has no frames") }
      return .picture(frames)
    case .sound:
      return attempt.samples.map { .soundPart($0) } ?? .sound
    case .mux, .publish:
      guard let work = try works[attempt.kind]?[attempt.job]?.get() else { throw .corrupt("job \(attempt.job) has no work") }
      return work
    }
  }
}
