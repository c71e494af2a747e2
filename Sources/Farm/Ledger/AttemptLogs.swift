package import Messages
internal import PostgreSQL
package import Scheduling

/// The record of what an attempt wrote, with what the attempt was.
package struct KeptLog: Hashable, Sendable, Codable {
  package var job: String
  package var task: Int64
  /// The number of the attempt.
  package var number: Int
  package var kind: TaskKind
  package var frames: FrameRange?
  package var worker: String
  /// The outcome in the database's word; nil while the attempt is open.
  package var outcome: String?
  /// The time in UTC at which the text was kept, to seconds.
  package var at: String
  /// The record of what a process wrote: anything but NUL.
  package var text: String
  /// The bytes that it wrote in all. The text has the first 4 KiB and the last 12 KiB of them.
  package var byteCount: Int
}

/// The attempts whose logs somebody wants.
package enum LoggedThing: Hashable, Sendable {
  case job(String)
  case task(Int64)
  case attempt(AttemptKey)
}

extension PostgreSQLLedger {
  package func keep(_ logs: [LoggedAttempt]) throws(LedgerError) {
    // PostgreSQL's text holds no NUL.
    let texts = logs.map { String($0.log.text.replacing("\0", with: "\u{FFFD}").cut(toBytes: AttemptLog.textLimit)) }
    _ = try transaction(durably: false) { session throws(LedgerError) in
      try session.change(
        .keepLogs,
        [
          .integers(logs.map(\.key.task)), .integers(logs.map(\.key.attempt)), .texts(logs.map(\.worker)),
          .texts(logs.map(\.epoch)),
          .texts(texts), .integers(logs.map { max(0, $0.log.byteCount) }),
        ])
    }
  }

  /// The record of what attempts wrote, the newest first.
  ///
  /// - Parameters:
  ///   - words: only logs with these words in them; nil means all.
  ///   - limit: the most logs.
  package func logs(of thing: LoggedThing, containing words: String?, limit: Int) throws(LedgerError) -> [KeptLog] {
    let (statement, values): (Statement, [Parameter]) =
      switch thing {
      case .job(let job): (.readLogsOfJob, [.text(job), .text(words), .integer(limit)])
      case .task(let task): (.readLogsOfTask, [.integer(task), .text(words), .integer(limit), .null])
      case .attempt(let key): (.readLogsOfTask, [.integer(key.task), .text(words), .integer(limit), .integer(key.attempt)])
      }
    return try read { session throws(LedgerError) in
      try session.all(statement, values) { row throws(PostgreSQLError) in
        KeptLog(
          job: try row.value("job"), task: try row.value("task"), number: try row.value("number"), kind: try row.case("kind"),
          frames: try FrameRange.optional(row), worker: try row.value("worker"), outcome: try row.optional("outcome"),
          at: try row.value("at"), text: try row.value("text"), byteCount: try row.value("byte_count"))
      }
    }
  }

  /// Whether there is such an attempt.
  package func has(_ attempt: AttemptKey) throws(LedgerError) -> Bool {
    try read { session throws(LedgerError) in
      try session.change(.findAttempt, [.integer(attempt.task), .integer(attempt.attempt)]) > 0
    }
  }
}

extension String {
  /// The longest beginning of the text that has at most `limit` bytes.
  fileprivate func cut(toBytes limit: Int) -> Substring {
    guard utf8.count > limit else { return self[...] }
    var end = utf8.index(utf8.startIndex, offsetBy: limit)
    while end.samePosition(in: unicodeScalars) == nil { end = utf8.index(before: end) }
    return self[..<end]
  }
}

extension Statement {
  /// Keeps the texts $5 of attempts: their tasks $1, numbers $2, workers $3 and epochs $4, and the bytes that they wrote, $6. Of several
  /// texts of an attempt that runs, the one of the most bytes stays, in whatever order they come.
  static let keepLogs = Statement(
    "keep_logs",
    """
    insert into spool.attempt_log as k (task, number, text, byte_count)
    select distinct on (l.task, l.number) l.task, l.number, l.text, l.byte_count
    from unnest($1::bigint[], $2::integer[], $3::text[], $4::text[], $5::text[], $6::bigint[])
      as l(task, number, worker, epoch, text, byte_count)
    cross join lateral (select worker, epoch from spool.attempt where task = l.task and number = l.number limit 1) a
    where a.worker = l.worker and a.epoch = l.epoch
    order by l.task, l.number, l.byte_count desc
    on conflict (task, number) do update set text = excluded.text, byte_count = excluded.byte_count, kept_at = excluded.kept_at
      where k.byte_count < excluded.byte_count
    """)

  private static let logColumns = """
    a.job, a.task, a.number, a.kind, a.first_frame, a.frame_count, a.worker, a.outcome, l.text, l.byte_count,
    to_char(l.kept_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as at
    """

  /// The newest $3 logs of the attempts at tasks of job $1, of those that hold the words $2 where these are not NULL.
  static let readLogsOfJob = Statement(
    "read_logs_of_job",
    """
    select \(logColumns)
    from (select id from spool.task where job = $1 offset 0) t
    join spool.attempt_log l on l.task = t.id join spool.attempt_status a on a.task = l.task and a.number = l.number
    where ($2::text is null or strpos(l.text, $2) > 0) order by l.kept_at desc, a.task desc, a.number desc limit $3
    """)

  /// The same of the attempts at task $1, or of attempt $4 of it where that is not NULL.
  static let readLogsOfTask = Statement(
    "read_logs_of_task",
    """
    select \(logColumns)
    from spool.attempt_log l join spool.attempt_status a on a.task = l.task and a.number = l.number
    where l.task = $1 and ($4::integer is null or l.number = $4) and ($2::text is null or strpos(l.text, $2) > 0)
    order by l.kept_at desc, a.number desc limit $3
    """)

  static let findAttempt = Statement("find_attempt", "select from spool.attempt_status where task = $1 and number = $2")
}
