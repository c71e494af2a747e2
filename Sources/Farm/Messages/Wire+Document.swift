internal import FoundationEssentials
internal import Synchronization

/// An order's document within the bytes of its message, and the bytes without it.
///
/// A document is by far the longest text of an order, and full of quotes, which JSON escapes one by one. The general reader takes
/// most of its time for it, and a worker reads it for each chunk. So it is cut out and read by itself, which is as strict: whatever
/// this does not know is left to the general reader.
struct OrderedDocument {
  let text: String
  /// The message with an empty document.
  let rest: [UInt8]

  /// The bytes in front of the document. Quotes within a text are escaped, so the words stand for themselves.
  private static let words = Array(#""spec":{"document":""#.utf8)
  /// The most bytes in front of the document. Only short values come before it.
  private static let mostBefore = 1024
  private static var quote: UInt8 { UInt8(ascii: "\"") }
  private static var backslash: UInt8 { UInt8(ascii: "\\") }
  /// The document that was read last, as it stood in its message, with the quote that ends it, and as it is.
  private static let last = Mutex<(written: [UInt8], text: String)?>(nil)

  /// - Parameters:
  ///   - message: the JSON of an order, or of a message with one.
  ///   - keeps: whether the document is kept for the next message, as by a worker, which is given many orders of one job.
  /// - Returns: nil where the general reader has to read all.
  init?(in message: [UInt8], keeps: Bool = false) {
    let last = min(message.count - Self.words.count, Self.mostBefore)
    guard last > 0, let place = (1...last).first(where: { message[$0...].starts(with: Self.words) }),
      message[place - 1] != Self.backslash
    else { return nil }
    let start = place + Self.words.count
    let end: Int
    if let kept = keeps ? Self.last.withLock({ $0 }) : nil, Self.holds(kept.written, in: message, at: start) {
      (text, end) = (kept.text, start + kept.written.count - 1)
    } else {
      guard let (bytes, quote) = Self.read(message, from: start), let read = String(validating: bytes, as: UTF8.self) else {
        return nil
      }
      (text, end) = (read, quote)
      if keeps { Self.last.withLock { $0 = (Array(message[start...quote]), read) } }
    }
    rest = Array(message[..<start] + message[end...])
  }

  private static func holds(_ part: [UInt8], in message: [UInt8], at start: Int) -> Bool {
    guard message.count - start >= part.count else { return false }
    return unsafe message.withUnsafeBytes { message in
      unsafe part.withUnsafeBytes { part in
        // Eight bytes at a time, and those that are left.
        let whole = part.count & ~7
        for place in stride(from: 0, to: whole, by: 8) {
          let (one, other) = unsafe (
            message.loadUnaligned(fromByteOffset: start + place, as: UInt64.self),
            part.loadUnaligned(fromByteOffset: place, as: UInt64.self)
          )
          if one != other { return false }
        }
        return (whole..<part.count).allSatisfy { unsafe message[start + $0] == part[$0] }
      }
    }
  }

  /// The bytes of a JSON text, from `start`, and the place of the quote that ends it.
  private static func read(_ message: [UInt8], from start: Int) -> (bytes: [UInt8], end: Int)? {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(message.count - start)
    var (run, index) = (start, start)
    while index < message.count {
      let byte = message[index]
      if byte == quote {
        bytes += message[run..<index]
        return (bytes, index)
      }
      // Such bytes are no JSON.
      guard byte >= 0x20 else { return nil }
      index += 1
      guard byte == backslash else { continue }
      guard index < message.count, let meaning = meaning(of: message[index]) else { return nil }
      bytes += message[run..<index - 1]
      bytes.append(meaning)
      index += 1
      run = index
    }
    return nil
  }

  /// The byte that an escaped letter stands for; nil for a code, and for what is no JSON.
  private static func meaning(of letter: UInt8) -> UInt8? {
    switch letter {
    case quote, backslash, UInt8(ascii: "/"): letter
    case UInt8(ascii: "n"): UInt8(ascii: "\n")
    case UInt8(ascii: "t"): UInt8(ascii: "\t")
    case UInt8(ascii: "r"): UInt8(ascii: "\r")
    case UInt8(ascii: "b"): 0x08
    case UInt8(ascii: "f"): 0x0c
    default: nil
    }
  }
}

/// A message that may have a document.
protocol DocumentHolder: Decodable {
  mutating func hold(document: String)
}

extension AttemptOrder: DocumentHolder {
  mutating func hold(document: String) { spec.document = document }
}

extension CoordinatorMessage: DocumentHolder {
  mutating func hold(document: String) {
    guard case .assign(var order) = self else { return }
    order.hold(document: document)
    self = .assign(order)
  }
}
