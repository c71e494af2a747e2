package import Messages
internal import PostgreSQL
internal import Scheduling

extension PostgreSQLLedger {
  /// The last changes of a job, its tasks and attempts, the newest first.
  ///
  /// - Parameter limit: the most entries.
  package func history(job: String, limit: Int) throws(LedgerError) -> [HistoryEntry] {
    try read { session throws(LedgerError) in
      try session.all(.readJobHistory, [.text(job), .integer(limit)]) { row throws(PostgreSQLError) in
        HistoryEntry(
          at: try row.value("at"), entity: try row.value("entity"), task: try row.optional("task"),
          number: try row.optional("number"), worker: try row.optional("worker"), before: try row.optional("before"),
          after: try row.value("after"), reason: try row.optional("reason"))
      }
    }
  }

  /// The places and times of a job's tasks in the order of the movie, and which of them are on its critical path, as JSON with an array for each
  /// property; nil when there is no such job. The database puts the arrays together, so 100,000 chunks are one text.
  package func chunkColumns(job: String) throws(LedgerError) -> [UInt8]? {
    guard let status = try status(job: job) else { return nil }
    let names: [Parameter] = [.texts(TaskKind.allCases.map(\.rawValue)), .texts(TaskState.allCases.map(\.rawValue))]
    let columns = try read { session throws(LedgerError) in
      try session.first(.readChunkColumns, [.text(job)] + names) { row throws(PostgreSQLError) in
        try row.value("columns", as: String.self)
      }
    }
    guard let columns else { return nil }
    let critical = CriticalChain(try attempts(job: job), end: status.microseconds).tasks
    var bytes = Array(columns.utf8.dropLast())
    bytes += #","critical":["#.utf8
    for (place, task) in critical.enumerated() {
      if place > 0 { bytes.append(UInt8(ascii: ",")) }
      bytes += String(task).utf8
    }
    bytes += "]}".utf8
    return bytes
  }

  /// The parts of a chunk's time, as the attempt that won measured them; nil while there is none, and for other tasks.
  package func measured(task: Int64) throws(LedgerError) -> RenderingTimes? {
    try read { session throws(LedgerError) in
      try session.first(.readMeasured, [.integer(task)]) { row throws(PostgreSQLError) in try RenderingTimes.optional(row) }
    }.flatMap { $0 }
  }

  /// The moments of a job at which what waited had reasons that hold for all of it.
  package func moments(job: String) throws(LedgerError) -> JobMoments {
    let rows = try read { session throws(LedgerError) in
      try session.all(.readJobMoments, [.text(job)]) { row throws(PostgreSQLError) in
        let (began, ended) = (try row.value("began", as: Int.self), try row.value("ended", as: Int.self))
        let task: Int64? = try row.optional("task")
        return (part: try row.value("part", as: String.self), task: task, span: began..<max(began, ended))
      }
    }
    var moments = JobMoments()
    for row in rows {
      switch row.part {
      case "stopped": moments.stopped.append(row.span)
      case "paused": moments.paused.append(row.span)
      case "drained": moments.drained.append(row.span)
      case "served": moments.served.append(row.span)
      case "quota": moments.quota.append(row.span)
      case "unfit": moments.unfit.append(row.span)
      case "prior": moments.prior.append(row.span)
      case "awaiting": if let task = row.task { moments.awaiting[task] = row.span }
      default: moments.others.append(row.span)
      }
    }
    return moments
  }
}

extension RenderingTimes {
  /// The times in the columns of a row; nil where an attempt measured none.
  fileprivate static func optional(_ row: Rows.Row) throws(PostgreSQLError) -> RenderingTimes? {
    guard let opening: Int64 = try row.optional("opening") else { return nil }
    return RenderingTimes(
      opening: opening, reading: try row.value("reading"), compositing: try row.value("compositing"),
      encoding: try row.value("encoding"))
  }
}
