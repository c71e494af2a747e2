package import Operations

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
  private var shownAt: Double?
  private var isDrawn = false

  package init(json: Bool) { form = json ? .json : StandardStream.error.isTerminal ? .live : .lines }

  /// - Parameter seconds: the time since any fixed moment.
  package mutating func show(_ progress: RenderProgress, at seconds: Double) throws(StreamError) {
    if let shownAt, seconds - shownAt < pauseSeconds { return }
    defer { shownAt = seconds }
    let text = ProgressText(progress)
    switch form {
    case .live:
      try StandardStream.error.redraw(text.line(columns: StandardStream.error.columns))
      isDrawn = true
    // Nothing is logged before the first pause is over, so short jobs stay quiet.
    case .lines: if shownAt != nil { try StandardStream.error.line(text.plain) }
    case .json: try StandardStream.output.json(progress)
    }
  }

  /// Removes the live line, so that other text can be written.
  package mutating func clear() throws(StreamError) {
    guard isDrawn else { return }
    try StandardStream.error.redraw("")
    isDrawn = false
  }
}
