internal import Messages
internal import PostgreSQL
internal import Scheduling

// The farm's values, read from rows.

extension AttemptKey {
  init(_ row: Rows.Row) throws(PostgreSQLError) {
    self.init(task: try row.value("task"), attempt: try row.value("number"))
  }
}

extension Failure {
  /// The failure in the row; nil when its columns are NULL.
  static func optional(_ row: Rows.Row) throws(PostgreSQLError) -> Failure? {
    guard let `class`: Failure.Class = try row.optionalCase("failure_class") else { return nil }
    return Failure(`class`, at: try row.value("failure_place"), try row.value("failure_reason"))
  }

  /// Three parameters: class, place and reason. A child process may have written any bytes into them, but text in PostgreSQL
  /// holds no NUL, so each is replaced.
  var parameters: [Parameter] {
    let columns = columns
    return [.text(columns.class), .text(columns.place), .text(columns.reason)]
  }

  var columns: (class: String, place: String, reason: String) {
    func storable(_ text: String) -> String { String(text.replacing("\0", with: "\u{FFFD}").prefix(Self.textLimit)) }
    return (self.class.rawValue, storable(place), storable(reason))
  }

  /// The most characters of a place or reason. It is more than the 4 KiB that are kept of an attempt's standard error.
  private static let textLimit = 8192
}

extension JobSpec {
  init(_ row: Rows.Row) throws(PostgreSQLError) {
    let namesFonts = try row.optional("fonts", as: String.self) != nil
    self.init(
      document: try row.value("document"), facts: try LedgerJSON.value("facts", in: row),
      fonts: namesFonts ? try LedgerJSON.value("fonts", in: row) : nil, output: try row.value("output"),
      copies: try row.copies, overwrites: try row.value("overwrites"), keepsSegments: try row.value("keeps_segments"))
  }
}

extension FrameRange {
  /// The frames in the row; nil when its columns are NULL.
  static func optional(_ row: Rows.Row) throws(PostgreSQLError) -> FrameRange? {
    guard let first: Int = try row.optional("first_frame") else { return nil }
    return FrameRange(first: first, count: try row.value("frame_count"))
  }
}

extension SampleRange {
  /// The samples in the row; nil when its columns are NULL.
  static func optional(_ row: Rows.Row) throws(PostgreSQLError) -> SampleRange? {
    guard let first: Int64 = try row.optional("first_sample") else { return nil }
    return SampleRange(first: first, count: try row.value("sample_count"))
  }
}

extension Rows.Row {
  /// The further places of a movie.
  var copies: [String] {
    get throws(PostgreSQLError) {
      try optional("copies", as: String.self) == nil ? [] : try LedgerJSON.value("copies", in: self)
    }
  }

  /// The value of a text column that names a case of an enum. It throws when the column is NULL or names no case.
  func `case`<Value: RawRepresentable<String>>(_ column: String) throws(PostgreSQLError) -> Value {
    guard let value: Value = try optionalCase(column) else {
      throw PostgreSQLError(.decoding, at: column, "is empty, which this version of spool does not read")
    }
    return value
  }

  func optionalCase<Value: RawRepresentable<String>>(_ column: String) throws(PostgreSQLError) -> Value? {
    guard let text: String = try optional(column) else { return nil }
    guard let value = Value(rawValue: text) else {
      throw PostgreSQLError(.decoding, at: column, "holds '\(text.prefix(80))', which this version of spool does not know")
    }
    return value
  }
}

extension JobStatus {
  init(_ row: Rows.Row) throws(PostgreSQLError) {
    self.init(
      id: try row.value("id"), state: try row.case("state"), priority: try row.value("priority"),
      isPaused: try row.value("is_paused"), output: try row.value("output"),
      submitter: try row.value("submitter"), frameCount: try row.value("frame_count"),
      framesDone: try row.value("frames_done"), chunkCount: try row.value("chunk_count"),
      chunksDone: try row.value("chunks_done"), retries: try row.value("retry_count"), failure: try Failure.optional(row),
      submittedAt: try row.value("submitted_at"), waitedSeconds: try row.value("waited_seconds"),
      elapsedSeconds: try row.optional("elapsed_seconds"), running: try row.value("attempts_running"),
      waitsFor: try row.optional("waits_for"), pausedAt: try row.optional("paused_at"),
      isDamaged: try row.value("is_damaged"))
    if try row.optional("copies", as: String.self) != nil { copies = try LedgerJSON.value("copies", in: row) }
  }
}

extension TaskStatus {
  init(_ row: Rows.Row) throws(PostgreSQLError) {
    self.init(
      id: try row.value("task"), kind: try row.case("kind"), state: try row.case("state"), frames: try FrameRange.optional(row),
      samples: try SampleRange.optional(row), attempts: try row.value("attempts"), worker: try row.optional("worker"),
      workerBeside: try row.optional("worker_beside"), splitFrom: try row.optional("split_from"),
      framesDone: try row.value("units_done"), failure: try Failure.optional(row))
  }
}

extension WorkerStatus {
  init(_ row: Rows.Row) throws(PostgreSQLError) {
    self.init(
      name: try row.value("name"), host: try row.value("host"), slots: try row.value("slots"),
      running: try row.value("attempts_running"), isAlive: try row.value("is_alive"), state: try row.value("state"),
      capabilities: try Capabilities(row),
      outputRoots: try row.optional("output_roots", as: String.self) == nil ? nil : LedgerJSON.value("output_roots", in: row),
      secondsSinceHeartbeat: try row.value("heartbeat_age_seconds"), pace: try row.optional("pace"),
      failuresLastHour: try row.value("failures_last_hour"),
      jobs: try row.optional("jobs", as: String.self)?.split(separator: " ").map(String.init))
  }
}

extension Capabilities {
  init(_ row: Rows.Row) throws(PostgreSQLError) {
    // Tags contain no spaces.
    let tags = try row.value("tags", as: String.self).split(separator: " ")
    self.init(tags: tags.map(String.init), memory: try row.value("memory_mib"))
  }
}

extension RunningAttempt {
  init(_ row: Rows.Row) throws(PostgreSQLError) {
    let kind: TaskKind = try row.case("kind")
    self.init(
      key: try AttemptKey(row), worker: try row.value("worker"), job: try row.value("job"),
      work: kind.work(pictures: try row.value("work")), cost: try row.value("cost"), needs: try Capabilities(row),
      submitter: try row.value("submitter"), elapsed: try row.value("elapsed"), done: try row.value("units_done"),
      total: try row.value("units_total"), silence: try row.value("silence"),
      divisibleFrames: try row.value("is_divisible") ? FrameRange.optional(row) : nil, divisions: try row.value("division_count"),
      stalls: try row.value("stalls"))
  }
}

extension FinishedAttempt {
  init(_ row: Rows.Row) throws(PostgreSQLError) {
    let kind: TaskKind = try row.case("kind")
    self.init(
      work: kind.work(pictures: try row.value("work")), job: try row.value("job"), worker: try row.value("worker"),
      cost: try row.value("cost"), seconds: try row.value("seconds"))
  }
}

extension Paces.Subject {
  init(_ row: Rows.Row) throws(PostgreSQLError) {
    let name: String = try row.value("name")
    switch try row.value("kind", as: String.self) {
    case "work": self = .work(name)
    case "job": self = .job(name)
    case "worker": self = .worker(name)
    case let kind: throw PostgreSQLError(.decoding, at: "kind", kind)
    }
  }

  var columns: (kind: String, name: String) {
    switch self {
    case .work(let name): ("work", name)
    case .job(let name): ("job", name)
    case .worker(let name): ("worker", name)
    }
  }
}

extension FairShare.Job {
  init(_ row: Rows.Row) throws(PostgreSQLError) {
    self.init(
      id: try row.value("id"), submitter: try row.value("submitter"), priority: try row.value("priority"),
      number: try row.value("number"), ready: try row.value("ready"), cost: try row.value("cost"),
      firstCost: try row.value("first_cost"),
      charged: Set((try row.optional("charged", as: String.self) ?? "").split(separator: " ").compactMap { Int($0) }),
      needs: try Capabilities(row), isLight: try row.value("is_light"),
      writers: (try row.optional("writers", as: String.self)).map { Set($0.split(separator: " ").map(String.init)) },
      isCut: try row.value("is_cut"))
  }
}

extension FairShare.Submitter {
  init(_ row: Rows.Row) throws(PostgreSQLError) {
    self.init(
      weight: try row.value("weight"), slotsLeft: try row.optional("slots_left"), isShut: try row.value("is_shut"),
      spent: try row.value("spent"),
      turn: try row.value("turn"))
  }
}
