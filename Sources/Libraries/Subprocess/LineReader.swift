internal import Glibc
internal import Linux

/// Reads lines of bounded length from a descriptor that does not block.
package struct LineReader {
  package enum Line: Hashable, Sendable {
    case text(String)
    /// A line longer than the limit. Its bytes were dropped.
    case tooLong
  }

  /// The most bytes that a line may have, without its line feed.
  package let limit: Int
  /// Whether all writing ends are closed and everything was read.
  package private(set) var isAtEnd = false

  private let source: Descriptor
  private var partial: [UInt8] = []
  private var isSkipping = false

  package init(_ source: Descriptor, limit: Int) {
    (self.source, self.limit) = (source, limit)
  }

  /// The lines that have arrived, without their line feeds. At the end of the stream, what is left counts as a line. One call
  /// reads at most 1 MiB, so that a busy writer cannot keep the caller from its other work.
  package mutating func read() throws(SubprocessError) -> [Line] {
    var lines: [Line] = []
    for _ in 0..<16 {
      guard !isAtEnd, let bytes = try source.readAvailable(64 * 1024) else { break }
      if bytes.isEmpty {
        isAtEnd = true
        if isSkipping || !partial.isEmpty { lines.append(takeLine()) }
      }
      take(bytes, into: &lines)
    }
    return lines
  }

  private mutating func take(_ bytes: [UInt8], into lines: inout [Line]) {
    let pieces = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    for (position, piece) in pieces.enumerated() {
      if !isSkipping { partial += piece }
      if partial.count > limit { (isSkipping, partial) = (true, []) }
      if position < pieces.count - 1 { lines.append(takeLine()) }
    }
  }

  private mutating func takeLine() -> Line {
    defer { (isSkipping, partial) = (false, []) }
    return isSkipping ? .tooLong : .text(String(decoding: partial, as: UTF8.self))
  }
}

/// Reads a descriptor and keeps the first and the last bytes: enough of a process's standard error to say what it met and why it died.
package struct TailReader {
  /// The number of last bytes that are kept.
  package let limit: Int
  /// The number of first bytes that are kept beside them.
  package let head: Int
  /// The bytes that were read in all.
  package private(set) var byteCount = 0
  package private(set) var isAtEnd = false

  private let source: Descriptor
  private var first: [UInt8] = []
  /// The last bytes of those that came after `first`.
  private var last: [UInt8] = []

  package init(_ source: Descriptor, limit: Int, head: Int = 0) {
    (self.source, self.limit, self.head) = (source, limit, head)
  }

  /// Reads what has arrived, at most 1 MiB.
  package mutating func read() throws(SubprocessError) {
    for _ in 0..<16 {
      guard !isAtEnd, let bytes = try source.readAvailable(64 * 1024) else { return }
      isAtEnd = bytes.isEmpty
      byteCount += bytes.count
      let beginning = bytes.prefix(head - first.count)
      first += beginning
      last = Array((last + bytes.dropFirst(beginning.count)).suffix(limit))
    }
  }

  private var omittedCount: Int { byteCount - first.count - last.count }

  /// The last `limit` bytes.
  package var text: String { String(decoding: omittedCount > 0 ? last : Array((first + last).suffix(limit)), as: UTF8.self) }

  /// The first and the last bytes, with a line between them that says how many were left out, if any were.
  package var excerpt: String {
    guard omittedCount > 0 else { return String(decoding: first + last, as: UTF8.self) }
    return String(decoding: first, as: UTF8.self) + "\n[… \(omittedCount) bytes left out …]\n"
      + String(decoding: last, as: UTF8.self)
  }
}

extension Descriptor {
  /// Reads at most `limit` bytes with read(2). Returns nil when nothing is there now, and an empty array at the end of the
  /// stream.
  package func readAvailable(_ limit: Int) throws(SubprocessError) -> [UInt8]? {
    var code: Int32 = 0
    let bytes = unsafe [UInt8](unsafeUninitializedCapacity: limit) { buffer, count in
      let result = SystemCall.uninterrupted { unsafe Glibc.read(number, buffer.baseAddress, limit) }
      code = result < 0 ? errno : 0
      count = max(result, 0)
    }
    switch code {
    case 0: return bytes
    case EAGAIN: return nil
    default: throw SubprocessError("read", code)
    }
  }
}
