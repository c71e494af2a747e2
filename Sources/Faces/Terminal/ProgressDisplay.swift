package import Ledger

/// Shows a job's progress while it runs.
package struct ProgressDisplay {
  private enum Form {
    /// One line on standard error, which is redrawn.
    case live
    /// A new line on standard error every few seconds.
    case lines
    /// JSON objects on standard output, one a line.
    case json
  }

  /// The shortest time between two reports. A terminal is redrawn as fast as people can read; a log is kept short.
  private var pauseSeconds: Double {
    switch form {
    case .live: 0.1
    case .lines: 5
    case .json: 0.5
    }
  }

  private let form: Form
  private var speed = RenderingSpeed()
  private var shownAt: Double?
  private var isDrawn = false

  package init(json: Bool) { form = json ? .json : StandardStream.error.isTerminal ? .live : .lines }

  /// - Parameter seconds: the time since any fixed moment.
  package mutating func show(_ status: JobStatus, at seconds: Double) throws(StreamError) {
    speed.note(frames: status.framesDone, at: seconds)
    if let shownAt, seconds - shownAt < pauseSeconds { return }
    defer { shownAt = seconds }
    let text = ProgressText(status: status, speed: speed)
    switch form {
    case .live:
      try StandardStream.error.redraw(text.line(columns: StandardStream.error.columns))
      isDrawn = true
    // Nothing is logged before the first pause is over, so short jobs stay quiet.
    case .lines: if shownAt != nil { try StandardStream.error.line(text.plain) }
    case .json:
      try StandardStream.output.json(ProgressRecord(status: status, speed: speed))
    }
  }

  /// Removes the live line, so that other text can be written.
  package mutating func clear() throws(StreamError) {
    guard isDrawn else { return }
    try StandardStream.error.redraw("")
    isDrawn = false
  }
}

/// One line of `spool render --json` while the job runs.
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

  init(status: JobStatus, speed: RenderingSpeed) {
    (job, state, retries) = (status.id, status.state, status.retries)
    (framesDone, frameCount) = (status.framesDone, status.frameCount)
    (chunksDone, chunkCount) = (status.chunksDone, status.chunkCount)
    framesPerSecond = speed.framesPerSecond
    secondsLeft = speed.secondsLeft(of: status)
  }
}
