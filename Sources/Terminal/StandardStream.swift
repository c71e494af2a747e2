internal import Glibc
internal import PlainText
internal import SystemWords

/// Standard output and standard error, unbuffered, so that what is said stays in order. SIGPIPE is ignored: a reader
/// that left is an error like others.
///
/// The one place from which the program speaks: whatever others chose of a text, it is seen, and steers no terminal
/// (docs/security.md).
package struct StandardStream: Sendable {
  package static let output = StandardStream(descriptor: 1)
  package static let error = StandardStream(descriptor: 2)

  private let descriptor: Int32

  package var isTerminal: Bool { isatty(descriptor) == 1 }

  /// Columns of the terminal; 80 when there is none.
  package var columns: Int {
    var size = winsize()
    guard unsafe ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
    return Int(size.ws_col)
  }

  /// One line, whatever the text holds.
  package func line(_ text: String) throws(StreamError) { try send(text.plain + "\n") }

  /// Lines that the program was built with, such as help.
  package func builtIn(_ text: String) throws(StreamError) { try send(text) }

  /// As wide as the terminal; elsewhere as wide as it is.
  package func table(_ table: TextTable) throws(StreamError) { try send(table.text(columns: isTerminal ? columns : nil)) }

  /// A line of JSON, with or without its line feed; equal JSON is sent.
  package func json(line bytes: [UInt8]) throws(StreamError) {
    let line = bytes.last == UInt8(ascii: "\n") ? bytes.dropLast() : bytes[...]
    try send(String(decoding: line, as: UTF8.self).plainJSON + "\n")
  }

  /// A line in place of the one that the cursor is in; for terminals.
  package func redraw(_ text: String) throws(StreamError) { try send("\r" + text.plain + "\u{1b}[K") }

  private func send(_ text: String) throws(StreamError) {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let count = unsafe rest.withUnsafeBytes { unsafe Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count < 0 {
        guard errno == EINTR else { throw StreamError(code: errno) }
      } else {
        rest = rest.dropFirst(count)
      }
    }
  }
}

/// write(2) on a standard stream failed with `code`.
package struct StreamError: Error, Hashable, Sendable, CustomStringConvertible {
  package let code: Int32

  package init(code: Int32) { self.code = code }

  package var isClosed: Bool { code == EPIPE }
  package var description: String { SystemWords.of(code) }
}
