package import Ledger

/// Shows a job's progress while it runs.
package struct ProgressDisplay {
  private enum Form {
    /// One line on standard error, drawn anew.
    case live
    /// A line on standard error now and then.
    case lines
    /// A JSON object a line on standard output.
    case json
  }

  /// Pauses between two showings: a terminal is redrawn as fast as one reads, a log is kept short.
  private var pauseSeconds: Double {
    switch form {
    case .live: 0.1
    case .lines: 5
    case .json: 0.5
    }
  }

  private let form: Form
  private var pace = Pace()
  private var shownAt: Double?
  private var isDrawn = false

  package init(json: Bool) { form = json ? .json : StandardStream.error.isTerminal ? .live : .lines }

  /// - Parameter seconds: since any fixed moment.
  package mutating func show(_ status: JobStatus, at seconds: Double) throws(StreamError) {
    pace.note(frames: status.framesDone, at: seconds)
    if let shownAt, seconds - shownAt < pauseSeconds { return }
    defer { shownAt = seconds }
    let text = ProgressText(status: status, pace: pace)
    switch form {
    case .live:
      try StandardStream.error.redraw(text.line(columns: StandardStream.error.columns))
      isDrawn = true
    // Nothing to log before the first pause is over: short jobs stay quiet.
    case .lines: if shownAt != nil { try StandardStream.error.line(text.plain) }
    case .json:
      try StandardStream.output.json(ProgressRecord(status: status, pace: pace))
    }
  }

  /// Takes the live line away, for what is said next.
  package mutating func clear() throws(StreamError) {
    guard isDrawn else { return }
    try StandardStream.error.redraw("")
    isDrawn = false
  }
}

/// A line of `spool render --json` while the job runs.
private struct ProgressRecord: Encodable {
  let event = "progress"
  let job: String
  let state: JobState
  let framesDone: Int
  let frameCount: Int
  let chunksDone: Int
  let chunkCount: Int
  let retries: Int
  let framesPerSecond: Double?
  let secondsLeft: Double?

  init(status: JobStatus, pace: Pace) {
    (job, state, retries) = (status.id, status.state, status.retries)
    (framesDone, frameCount) = (status.framesDone, status.frameCount)
    (chunksDone, chunkCount) = (status.chunksDone, status.chunkCount)
    framesPerSecond = pace.framesPerSecond
    secondsLeft = pace.secondsLeft(of: status)
  }
}
