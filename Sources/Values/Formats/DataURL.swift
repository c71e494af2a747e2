/// A picture that stands in a text: `data:image/png;base64,…` (RFC 2397, with the base64 of RFC 4648).
package struct DataURL: Hashable, Sendable, CustomStringConvertible {
  /// The reason for which a text is no such URL.
  package struct Fault: Error, Hashable, Sendable, CustomStringConvertible {
    package let reason: String

    package var description: String { "a data URL \(reason)" }
  }

  /// The URL as it was given. It is ASCII.
  package let text: String
  package let bytes: [UInt8]
  /// The type that the URL states, such as "image/png". What the bytes are is found by their content.
  private let type: String

  package init(_ text: String) throws(Fault) {
    guard Self.isOne(text) else { throw Fault(reason: "expected a URL that begins with data:image/") }
    let utf8 = text.utf8
    guard let comma = utf8.firstIndex(of: UInt8(ascii: ",")) else { throw Fault(reason: "has no ',' before its data") }
    let head = utf8[..<comma].dropFirst(Self.scheme.utf8.count).split(
      separator: UInt8(ascii: ";"), omittingEmptySubsequences: false)
    guard head.allSatisfy({ $0.allSatisfy { 0x21...0x7e ~= $0 } }) else {
      throw Fault(reason: "names its type with unknown characters")
    }
    guard let last = head.last, head.count > 1, String(decoding: last, as: UTF8.self).lowercased() == "base64" else {
      throw Fault(reason: "is not in base64: say ';base64,' before its data")
    }
    bytes = try Self.decoded(utf8[utf8.index(after: comma)...])
    (self.text, type) = (text, String(decoding: head[0], as: UTF8.self))
  }

  /// Writes a picture as such a URL.
  ///
  /// - Parameter type: the word after "image/" for messages, such as "png".
  package init(type: String, bytes: [UInt8]) {
    self.bytes = bytes
    self.type = "image/\(type)"
    text = "\(Self.start)\(type);base64,\(Self.encoded(bytes))"
  }

  package static func == (a: DataURL, b: DataURL) -> Bool { a.text == b.text }

  package func hash(into hasher: inout Hasher) { hasher.combine(text) }

  /// The URL for messages: its type and its size, without the data.
  package var description: String { "\(Self.scheme)\(type.prefix(40)) (\(bytes.count) bytes)" }

  /// Whether a text is meant for such a URL.
  package static func isOne(_ text: String) -> Bool { text.utf8.starts(with: start.utf8) }

  private static let scheme = "data:"
  private static let start = "data:image/"

  // MARK: - Base64

  private static func decoded(_ text: Substring.UTF8View) throws(Fault) -> [UInt8] {
    let padding = text.reversed().prefix { $0 == UInt8(ascii: "=") }.count
    let digits = text.dropLast(padding)
    guard !digits.isEmpty else { throw Fault(reason: "has no data") }
    guard padding <= 2, (digits.count + padding) % 4 == 0 else { throw Fault(reason: "breaks off: its base64 is not whole") }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(digits.count / 4 * 3 + 2)
    var (bits, count): (UInt32, UInt32) = (0, 0)
    for digit in digits {
      guard let value = value(digit) else { throw Fault(reason: "has characters that base64 does not have") }
      (bits, count) = (bits << 6 | value, count + 6)
      guard count >= 8 else { continue }
      count -= 8
      bytes.append(UInt8(truncatingIfNeeded: bits >> count))
      bits &= 1 << count - 1
    }
    return bytes
  }

  private static func encoded(_ bytes: [UInt8]) -> String {
    var text: [UInt8] = []
    text.reserveCapacity((bytes.count + 2) / 3 * 4)
    for first in stride(from: 0, to: bytes.count, by: 3) {
      let group = bytes[first..<min(first + 3, bytes.count)]
      let bits = group.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - group.count))
      for digit in 0..<4 {
        text.append(digit <= group.count ? digits[bits >> (18 - 6 * digit) & 63] : UInt8(ascii: "="))
      }
    }
    return String(decoding: text, as: UTF8.self)
  }

  private static let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

  private static func value(_ digit: UInt8) -> UInt32? {
    switch digit {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(digit) - 65
    case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(digit) - 71
    case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(digit) + 4
    case UInt8(ascii: "+"): 62
    case UInt8(ascii: "/"): 63
    default: nil
    }
  }
}

/// The place of a source's bytes, as its name tells.
package enum SourceName: Hashable, Sendable {
  case file(String)
  case remote(MediaURL)
  /// A picture of which the name is the content.
  case embedded(DataURL)

  /// All names that are no URL of these kinds are paths.
  package init(_ text: String) {
    // Long data are not looked through for another kind of URL.
    if DataURL.isOne(text), let data = try? DataURL(text) {
      self = .embedded(data)
    } else if let url = try? MediaURL(text) {  // All other names are paths.
      self = .remote(url)
    } else {
      self = .file(text)
    }
  }

  /// Whether the source is a file of this machine.
  package var isFile: Bool { if case .file = self { true } else { false } }

  /// The name for messages: the path, or the URL without its secret parts and without data.
  package var shown: String {
    switch self {
    case .file(let path): path
    case .remote(let url): url.description
    case .embedded(let data): data.description
    }
  }
}
