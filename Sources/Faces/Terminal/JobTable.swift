package import Ledger
internal import Linux
internal import Messages
package import Operations

/// Jobs as tables and lists for people.
package enum JobTable {
  /// All jobs as a table. It fits into 60 columns. From 80 columns on it shows more, and from 110 on all; where ids are longer than usual, as
  /// those of requests with an `Idempotency-Key` are, it takes as much more.
  ///
  /// - Parameters:
  ///   - columns: the width of the terminal; nil where there is none, for the table of 80 columns.
  ///   - now: the time, in seconds since 1970. The age of jobs that have ended counts until then.
  package static func table(of jobs: [JobStatus], columns: Int?, now: Int) -> TextTable {
    let longer = max(0, (jobs.map(\.id.count).max() ?? 0) - usualIDLength)
    let room = columns.map { $0 - longer } ?? 80
    let (isWide, isNarrow) = (room >= 110, room < 80)
    /// Parts of a row, of which narrow terminals get fewer.
    func row(_ id: [String], owner: [String], done: String, counts: [String], times: [String], _ end: [String]) -> [String] {
      var row = id
      if !isNarrow { row += owner }
      row.append(done)
      if isWide { row += counts }
      if !isNarrow { row += times }
      return row + end
    }
    let heading = row(
      ["JOB", "STATE"], owner: ["PRI", "SUBMITTER"], done: "DONE", counts: ["FRAMES", "CHUNKS", "RETRIES"],
      times: ["AGE", "RAN"], ["LEFT", "WHAT"])
    var table = TextTable(heading)
    table.mayColor(1)
    // The reason of a failure is worth more room than the whole name of a submitter.
    table.mayCut(heading.count - 1, to: 40)
    if !isNarrow { table.mayCut(3, to: 9) }
    table.mayCut(heading.count - 1, to: isNarrow ? 10 : 12)
    for job in jobs {
      table.add(
        row(
          [job.id, job.shownState], owner: [String(job.priority), job.submitter], done: share(job),
          counts: ["\(job.framesDone)/\(job.frameCount)", "\(job.chunksDone)/\(job.chunkCount)", String(job.retries)],
          times: [span(age(of: job, now: now)), job.elapsedSeconds.map(span) ?? "-"],
          [job.secondsLeft.map(span) ?? "-", what(job)]))
    }
    return table
  }

  private static let usualIDLength = 12

  /// The seconds since the job was submitted. This machine's clock may differ from the database's, by which a job has waited and run, so
  /// it is asked only where those times have ended.
  private static func age(of job: JobStatus, now: Int) -> Double {
    let counted = job.waitedSeconds + (job.elapsedSeconds ?? 0)
    guard job.state.isFinal, let submitted = UTCTime.secondsSince1970(job.submittedAt) else { return counted }
    return max(counted, Double(now - submitted))
  }

  /// One job as a list with one fact a line.
  package static func facts(of report: JobReport) -> [(String, String)] {
    let job = report.job
    let rows = [
      ("job", job.id), ("state", job.shownState), ("priority", String(job.priority)), ("output", job.output),
      ("frames", "\(job.framesDone)/\(job.frameCount)"), ("chunks", "\(job.chunksDone)/\(job.chunkCount)"),
      ("retries", String(job.retries)), ("submitter", job.submitter), ("submitted", job.submittedAt),
      ("waited", ProgressText.clock(job.waitedSeconds)),
    ]
    let copies = (job.copies ?? []).map { copy in
      ("copy", copy.output + (copy.error.map { ": is not there: \($0)" } ?? (copy.state == .waiting ? ": not yet" : "")))
    }
    let ran = job.elapsedSeconds.map { [("ran", ProgressText.clock($0))] } ?? []
    let left = job.secondsLeft.map { [("left", "about " + ProgressText.clock($0))] } ?? []
    let failure = job.failure.map { [("failure", $0.description)] } ?? []
    let reuse = report.reuse.map { [("reuse", $0.words(of: job.chunkCount))] } ?? []
    let damage = report.concealed.map { ("damage", "\($0.words) replaced") }
    let sound = report.loudness.map { [("loudness", $0.words)] } ?? []
    let target = report.target.map { [$0.warning.map { ("warning", $0) } ?? ("target", $0.words)] } ?? []
    let spent = report.time.isEmpty ? [] : [("time", report.time.words)]
    let trouble = report.trouble.map { [("trouble", $0)] } ?? []
    return [rows, copies, ran, left, spent, reuse, sound, target, damage, failure, trouble].flatMap { $0 }
  }

  /// The most important fact about the job: its damage, what it waits for or does, or how it ended.
  private static func what(_ job: JobStatus) -> String {
    let news = news(of: job)
    return job.isDamaged ? news.isEmpty ? damageMark : "\(damageMark); \(news)" : news
  }

  private static let damageMark = "damaged media"

  private static func news(of job: JobStatus) -> String {
    switch job.state {
    case .done:
      (job.copies ?? []).first { $0.error != nil }.map { "not in \($0.output): \($0.error ?? "")" } ?? job.output
    case .cancelled: ""
    case .failed: job.failure?.description ?? ""
    case .queued, .running:
      job.running > 0
        ? "\(job.running) \(job.running == 1 ? "task runs" : "tasks run")"
        : job.isPaused ? "spool resume" : job.waitsFor ?? "begins"
    }
  }

  private static func share(_ job: JobStatus) -> String {
    job.frameCount == 0 ? "-" : "\(min(100, job.framesDone * 100 / job.frameCount))%"
  }

  /// The time in one unit, such as `40s`, `12m`, `5h` or `3d`.
  package static func span(_ seconds: Double) -> String {
    // The bound keeps the number in the range of Int. It is about 300 years.
    let whole = Int(min(seconds.rounded(), 1e10))
    return switch whole {
    case ..<100: "\(whole)s"
    case ..<6000: "\(whole / 60)m"
    case ..<172_800: "\(whole / 3600)h"
    default: "\(whole / 86_400)d"
    }
  }
}

extension JobStatus {
  fileprivate var shownState: String {
    switch state {
    case .queued, .running: isPaused ? "paused" : state.rawValue
    case .done, .failed, .cancelled: state.rawValue
    }
  }
}
