import Glibc
import Messages
import Terminal

/// The order that this process has as its standard input, and what is appended to that while it runs.
final class OrderFile {
  /// The order's line.
  let line: [UInt8]
  /// What was read and is no whole line yet.
  private var pending: ArraySlice<UInt8>
  /// Where to look next; nil where nothing can be appended, since it is a pipe or a terminal.
  private var offset: off_t?

  /// Bytes that are taken at a look.
  private static let mostAtOnce = 4096

  /// Reads to the end.
  init() throws(StreamError) {
    let bytes = try orderLine()
    let end = bytes.firstIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? bytes.count
    (line, pending) = (Array(bytes[..<end]), bytes[end...])
    let position = lseek(STDIN_FILENO, 0, SEEK_CUR)
    offset = position < 0 ? nil : position
  }

  /// What was appended since the last time; what means nothing to this program is left out. A system call (pread).
  func amendments() -> [OrderAmendment] {
    guard let start = offset else { return [] }
    var block = [UInt8](repeating: 0, count: Self.mostAtOnce)
    let count = unsafe pread(STDIN_FILENO, &block, block.count, start)
    if count > 0 {
      offset = start + off_t(count)
      pending += block.prefix(count)
    }
    var found: [OrderAmendment] = []
    while let end = pending.firstIndex(of: UInt8(ascii: "\n")) {
      do throws(WireError) { found.append(try OrderAmendment(line: Array(pending[..<end]))) } catch {
        // Of a newer worker, perhaps: it is a wish, and nobody counts on it.
      }
      pending = pending[(end + 1)...]
    }
    if pending.count > Wire.longestAmendment { pending = [] }
    return found
  }
}
