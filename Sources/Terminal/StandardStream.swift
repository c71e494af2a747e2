internal import Glibc

/// Standard output and standard error, unbuffered, so that what is said stays in order. SIGPIPE is ignored: a reader
/// that left is an error like others.
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

  package func line(_ text: String) throws(StreamError) { try write(text + "\n") }

  package func write(_ text: String) throws(StreamError) {
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
  package var description: String { unsafe String(cString: strerror(code)) }
}
