internal import Glibc
internal import Linux
internal import PlainText

/// Standard output and standard error, unbuffered, so that texts stay in order. The program ignores SIGPIPE: when a reader has
/// gone, a write fails like any other.
///
/// All output of the program goes through this type. Text that others chose is shown, and cannot steer a terminal
/// (docs/security.md).
package struct StandardStream: Sendable {
  package static let output = StandardStream(descriptor: 1)
  package static let error = StandardStream(descriptor: 2)

  private let descriptor: Int32

  package var isTerminal: Bool { isatty(descriptor) == 1 }

  /// The width of the terminal in columns; 80 when there is none.
  package var columns: Int {
    var size = winsize()
    guard unsafe ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
    return Int(size.ws_col)
  }

  /// The width that a table may have: the terminal's, or nil where there is no terminal and nothing is to be cut.
  package var tableColumns: Int? { isTerminal ? columns : nil }

  /// Whether words are set off by colours: on a terminal that has them, unless NO_COLOR says otherwise (https://no-color.org).
  var hasColors: Bool {
    func variable(_ name: String) -> String? { unsafe getenv(name).map { unsafe String(cString: $0) } }
    return isTerminal && Self.wantsColors(noColor: variable("NO_COLOR"), terminal: variable("TERM"))
  }

  /// - Parameters:
  ///   - noColor: the variable NO_COLOR, which counts unless it is empty.
  ///   - terminal: the variable TERM.
  package static func wantsColors(noColor: String?, terminal: String?) -> Bool {
    noColor ?? "" == "" && !["", "dumb"].contains(terminal ?? "")
  }

  /// The height of the terminal in rows; 24 when there is none.
  var rows: Int {
    var size = winsize()
    guard unsafe ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_row > 0 else { return 24 }
    return Int(size.ws_row)
  }

  /// Writes one line. Unseen characters in the text are escaped, so it stays one line.
  package func line(_ text: String) throws(StreamError) { try send(text.plain + "\n") }

  /// Writes one line, which a terminal gets folded at its spaces. The lines behind the first begin with `indent` spaces.
  package func folded(_ text: String, indent: Int) throws(StreamError) {
    let lines = isTerminal ? text.plain.folded(toColumns: columns, indent: indent) : [text]
    for each in lines { try line(each) }
  }

  /// Writes one line like `folded`, set off by a hue on a terminal with colours.
  package func folded(_ text: String, indent: Int, _ hue: Hue) throws(StreamError) {
    guard hasColors else { return try folded(text, indent: indent) }
    for line in text.plain.folded(toColumns: columns, indent: indent) { try send(hue.coloring(line) + "\n") }
  }

  /// Writes text that was built into the program, such as help, as it is.
  package func builtIn(_ text: String) throws(StreamError) { try send(text) }

  /// Writes a table. On a terminal, columns are cut to the terminal's width.
  package func table(_ table: TextTable) throws(StreamError) {
    try send(table.text(columns: tableColumns, isColored: hasColors))
  }

  /// Writes a line of JSON, given with or without its line feed. Unseen characters are escaped; the JSON's meaning stays.
  package func json(line bytes: [UInt8]) throws(StreamError) {
    let line = bytes.last == UInt8(ascii: "\n") ? bytes.dropLast() : bytes[...]
    try send(String(decoding: line, as: UTF8.self).plainJSON + "\n")
  }

  /// Replaces the line with the cursor. Only for terminals.
  package func redraw(_ text: String) throws(StreamError) { try send("\r" + text.plain + "\u{1b}[K") }

  /// Writes the lines over the terminal's screen, and clears what is left of it.
  func paint(_ lines: [String]) throws(StreamError) {
    try send("\u{1b}[H" + lines.map { $0.plain + "\u{1b}[K" }.joined(separator: "\r\n") + "\u{1b}[J")
  }

  /// Sends one of the program's own control sequences to the terminal.
  func steer(_ sequence: StaticString) throws(StreamError) { try send("\(sequence)") }

  private func send(_ text: String) throws(StreamError) {
    let code = SystemCall.write(Array(text.utf8), to: descriptor)
    guard code == 0 else { throw StreamError(code: code) }
  }
}

/// A failed write(2) on a standard stream, with its `errno`.
package struct StreamError: Error, Hashable, Sendable, CustomStringConvertible {
  package let code: Int32

  package init(code: Int32) { self.code = code }

  package var isClosed: Bool { code == EPIPE }
  package var description: String { SystemWords.of(code) }
}
