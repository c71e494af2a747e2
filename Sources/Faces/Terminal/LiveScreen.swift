internal import PlainText

/// A terminal's screen that is painted again and again. What stood on it before comes back when it is left.
package struct LiveScreen {
  private let stream: StandardStream
  private var isEntered = false

  /// - Parameter stream: a stream that is a terminal.
  package init(_ stream: StandardStream) { self.stream = stream }

  /// The rows and columns there are now. They change when the window does.
  package var size: (rows: Int, columns: Int) { (stream.rows, stream.columns) }

  /// Paints the lines from the top of the screen. Lines are cut to its width, and those below its last row are left out. Each
  /// line is written over the one before, so nothing flickers.
  package mutating func paint(_ lines: [String]) throws(StreamError) {
    let (rows, columns) = size
    if !isEntered { try stream.steer("\u{1b}[?1049h\u{1b}[?25l") }
    isEntered = true
    let shown = lines.prefix(max(1, rows)).map { $0.plain.cut(toColumns: columns) }
    try stream.paint(shown)
  }

  /// Gives the screen back.
  package mutating func leave() throws(StreamError) {
    guard isEntered else { return }
    isEntered = false
    try stream.steer("\u{1b}[?25h\u{1b}[?1049l")
  }
}
