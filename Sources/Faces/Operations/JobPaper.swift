internal import Ledger
internal import Messages

/// All that a farm's record has of one job, as one HTML file that needs no other: for a ticket, a mail or an archive.
struct JobPaper {
  let job: JobStatus
  let reasons: [String]
  let time: [JobTimeShare]
  let path: CriticalPath?
  /// The attempts in the order in which they began.
  let attempts: [AttemptSpan]
  let history: [HistoryEntry]
  let audit: [AuditEntry]
  let logs: [KeptLog]

  /// The most attempts in the picture of them. A browser draws so many at once.
  static let mostBars = 5000
  static let mostFailures = 200

  var html: String {
    var page = HTMLText()
    page.add("<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">")
    page.add("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">")
    page.add("title", "Job \(job.id)")
    page.add("<style>\(Self.style)</style></head><body>\n")
    page.add("h1", "Job \(job.id): \(job.isPaused && !job.state.isFinal ? "paused" : job.state.rawValue)")
    facts(&page)
    shares(&page)
    picture(&page)
    workers(&page)
    failures(&page)
    records(&page)
    page.add("</body></html>\n")
    return page.source
  }

  private func facts(_ page: inout HTMLText) {
    var rows: [(String, String)] = [
      ("Movie", job.output), ("Submitter", job.submitter), ("Submitted", job.submittedAt), ("Priority", "\(job.priority)"),
      ("Frames", "\(job.framesDone) of \(job.frameCount)"), ("Chunks", "\(job.chunksDone) of \(job.chunkCount)"),
      ("Retries", "\(job.retries)"), ("Waited", Self.seconds(job.waitedSeconds)),
    ]
    for copy in job.copies ?? [] { rows.append(("Copy", copy.output + (copy.error.map { ": is not there: \($0)" } ?? ""))) }
    if let elapsed = job.elapsedSeconds { rows.append(("Ran", Self.seconds(elapsed))) }
    if let failure = job.failure { rows.append(("Failure", "\(failure.class.rawValue): \(failure)")) }
    for reason in reasons { rows.append(("Says", reason)) }
    page.add("<dl>")
    for (name, value) in rows {
      page.add("dt", name)
      page.add("dd", value)
    }
    page.add("</dl>\n")
  }

  /// The place where the time went.
  private func shares(_ page: inout HTMLText) {
    let total = time.reduce(0) { $0 + $1.seconds }
    guard total > 0 else { return }
    page.add("h2", "Where the time went")
    page.table(
      ["Part", "Time", "Share"],
      time.sorted { $0.seconds > $1.seconds }.map {
        [$0.part.words, Self.seconds($0.seconds), "\(Self.decimal($0.seconds / total * 100)) %"]
      })
    guard let path else { return }
    page.add("h2", "What its end waited for")
    page.add("p", "\(path.time.words). The longest stretches of this critical path:")
    page.table(
      ["After", "Time", "What"], path.stretches.map { [Self.seconds($0.began), Self.seconds($0.seconds), $0.words] })
  }

  /// The attempts over time: a row for each task, in the order of the job, and a bar for each attempt.
  private func picture(_ page: inout HTMLText) {
    guard let end = attempts.map(\.ended).max(), end > 0 else { return }
    page.add("h2", "Attempts over time")
    let shown = attempts.prefix(Self.mostBars)
    let rows = Dictionary(uniqueKeysWithValues: Set(shown.map(\.ordinal)).sorted().enumerated().map { ($1, $0) })
    let rowHeight = max(1.0, min(12.0, 900.0 / Double(max(1, rows.count))))
    let height = Int((Double(rows.count) * rowHeight).rounded(.up))
    page.add("<svg viewBox=\"0 0 1000 \(height)\" role=\"img\" preserveAspectRatio=\"none\" style=\"height:\(height)px\">")
    page.add(
      "title", "\(shown.count) of \(attempts.count) attempts, from the submission to \(Self.seconds(Double(end) / 1e6)) after it")
    for attempt in shown {
      let x = Double(attempt.began) / Double(end) * 1000
      let width = max(0.5, Double(attempt.ended - attempt.began) / Double(end) * 1000)
      let y = Double(rows[attempt.ordinal] ?? 0) * rowHeight
      let kind =
        attempt.outcome == "won"
        ? attempt.kind.rawValue : attempt.outcome == nil ? "running" : attempt.isLost ? "lost" : "returned"
      page.add(
        "<rect class=\"\(kind)\" x=\"\(Self.decimal(x))\" y=\"\(Self.decimal(y))\" width=\"\(Self.decimal(width))\" height=\"\(Self.decimal(max(0.6, rowHeight - 1)))\">"
      )
      page.add(
        "title",
        "\(attempt.key) on \(attempt.worker): \(attempt.outcome ?? "running"), \(Self.seconds(Double(attempt.ended - attempt.began) / 1e6))"
      )
      page.add("</rect>\n")
    }
    page.add("</svg>\n")
  }

  private func workers(_ page: inout HTMLText) {
    guard !attempts.isEmpty else { return }
    page.add("h2", "Workers")
    let rows = Dictionary(grouping: attempts, by: \.worker).sorted { $0.key < $1.key }.map { worker, attempts in
      let won = attempts.filter { $0.outcome == "won" }
      let frames = won.reduce(0) { $0 + ($1.frames?.count ?? 0) }
      let seconds = won.reduce(0.0) { $0 + ($1.frames == nil ? 0 : Double($1.ended - $1.began) / 1e6) }
      let lost = attempts.count(where: \.isLost)
      return [worker, "\(won.count)", "\(lost)", "\(frames)", seconds > 0 ? Self.decimal(Double(frames) / seconds) : "-"]
    }
    page.table(["Worker", "Won", "Lost", "Frames", "Frames a second"], rows)
  }

  private func failures(_ page: inout HTMLText) {
    let failed = attempts.filter { $0.failure != nil }
    guard !failed.isEmpty else { return }
    page.add("h2", "Failures")
    page.table(
      ["Attempt", "Part", "Worker", "Outcome", "Reason"],
      failed.prefix(Self.mostFailures).map { attempt in
        [
          "\(attempt.key)", attempt.part, attempt.worker, attempt.outcome ?? "running",
          attempt.failure.map { "\($0.class.rawValue): \($0)" } ?? "",
        ]
      })
    if failed.count > Self.mostFailures { page.add("p", "and \(failed.count - Self.mostFailures) more") }
  }

  private func records(_ page: inout HTMLText) {
    if !logs.isEmpty {
      page.add("h2", "What attempts wrote")
      for log in logs {
        page.add("h3", "\(log.task)/\(log.number) on \(log.worker): \(log.outcome ?? "running")")
        page.add("<pre>\(HTMLText.lines(log.text))</pre>\n")
      }
    }
    if !audit.isEmpty {
      page.add("h2", "Who did what")
      page.table(["Time", "Who", "From", "Verb", "Change"], audit.map { [$0.at, $0.who, $0.origin, $0.verb, $0.change] })
    }
    page.add("h2", "Last events")
    page.table(
      ["Time", "What", "Change", "Worker", "Reason"],
      history.map { entry in
        let what = entry.task.map { "task \($0)" + (entry.number.map { ", attempt \($0)" } ?? "") } ?? entry.entity
        let change = entry.before.map { "\($0) → \(entry.after)" } ?? entry.after
        return [entry.at, what, change, entry.worker ?? "", entry.reason ?? ""]
      })
  }

  private static func decimal(_ number: Double) -> String { "\((number * 10).rounded() / 10)" }
  private static func seconds(_ seconds: Double) -> String { "\(decimal(seconds)) s" }

  private static let style = """
    :root{color-scheme:light dark}body{font:14px/1.5 system-ui,sans-serif;margin:24px auto;max-width:1100px;padding:0 16px}\
    h1{font-size:20px}h2{font-size:15px;margin-top:28px}h3{font-size:13px;margin-bottom:4px}\
    dl{display:grid;grid-template-columns:max-content 1fr;gap:2px 16px}dt{opacity:.7}dd{margin:0;overflow-wrap:anywhere}\
    table{border-collapse:collapse;width:100%;font-size:13px}th,td{text-align:left;padding:3px 10px 3px 0;\
    border-bottom:1px solid #8884;vertical-align:top;overflow-wrap:anywhere}\
    pre{white-space:pre-wrap;overflow-wrap:anywhere;font-size:12px;background:#8881;padding:8px}\
    svg{width:100%;background:#8881}.picture{fill:#2f7ed8}.sound{fill:#1c9a6b}.mux,.publish{fill:#8a5cc7}.lost{fill:#d2453b}.running{fill:#e0a63a}.returned{fill:#8888}
    """
}

extension AttemptSpan {
  /// The attempt's part of the job, in words.
  fileprivate var part: String { frames.map { "frames \($0.first)..\($0.first + $0.count)" } ?? kind.rawValue }
}

extension Farm {
  /// All that the farm's record has of a job, as one HTML file.
  ///
  /// - Throws: a complaint of the class `noInput` when there is no such job.
  package func paper(job id: String) throws(Complaint) -> String {
    let glance = try glance(job: id)
    return try complaining {
      JobPaper(
        job: glance.job, reasons: glance.reasons, time: glance.time, path: try criticalPath(job: id),
        attempts: try ledger.attempts(job: id),
        history: try ledger.history(job: id, limit: 200), audit: try ledger.audit(AuditFilter(job: id)),
        logs: try ledger.logs(of: .job(id), containing: nil, limit: 50)
      ).html
    }
  }
}
