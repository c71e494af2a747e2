/// Reads one JSON text (RFC 8259) strictly: only UTF-8, no key twice, bounded depth, nothing after the value.
package struct JSONReader {
  /// The reason for which a text is no JSON, and the place.
  package struct SyntaxFault: Error, Hashable {
    /// The path of the value that was being read.
    package let path: JSONPath
    /// The line and the column, both counted from 1. The column counts bytes.
    package let line: Int
    package let column: Int
    package let message: String
  }

  private let bytes: [UInt8]
  private var position = 0
  private var valueCount = 0

  private let depth: Int

  private init(_ bytes: [UInt8], _ depth: Int) { (self.bytes, self.depth) = (bytes, depth) }

  /// - Parameter depth: the levels of nesting that are accepted.
  package static func read(_ bytes: [UInt8], depth: Int = JSONLimits.depth) throws(SyntaxFault) -> JSONValue {
    var reader = JSONReader(bytes, depth)
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { throw reader.fault("a byte order mark is not JSON", at: .root) }
    let value = try reader.value(at: .root, depth: 0)
    reader.skipSpace()
    guard reader.next == nil else { throw reader.fault("unexpected \(reader.found) after the document", at: .root) }
    return value
  }

  private mutating func value(at path: JSONPath, depth: Int) throws(SyntaxFault) -> JSONValue {
    guard depth <= self.depth else { throw fault("nested deeper than \(self.depth) levels", at: path) }
    valueCount += 1
    guard valueCount <= JSONLimits.values else { throw fault("more than \(JSONLimits.values) values", at: path) }
    skipSpace()
    switch next {
    case UInt8(ascii: "{"): return try object(at: path, depth: depth)
    case UInt8(ascii: "["): return try array(at: path, depth: depth)
    case UInt8(ascii: "\""): return try .string(string(at: path))
    case let byte? where byte == UInt8(ascii: "-") || Self.isDigit(byte): return try number(at: path)
    default:
      let start = position
      switch word() {
      case "null": return .null
      case "true": return .bool(true)
      case "false": return .bool(false)
      case let word:
        position = start
        throw fault(word.isEmpty ? "expected a value, found \(found)" : "'\(word)' is not a JSON value", at: path)
      }
    }
  }

  private mutating func object(at path: JSONPath, depth: Int) throws(SyntaxFault) -> JSONValue {
    var members: [JSONValue.Member] = []
    var keys: Set<String> = []
    position += 1
    if takes("}") { return .object([]) }
    repeat {
      skipSpace()
      guard next == UInt8(ascii: "\"") else { throw fault("expected a key in double quotes, found \(found)", at: path) }
      let start = position
      let key = try string(at: path)
      guard keys.insert(key).inserted else {
        position = start
        throw fault("the key occurs twice", at: path[key])
      }
      guard takes(":") else { throw fault("expected ':', found \(found)", at: path[key]) }
      members.append(.init(key: key, value: try value(at: path[key], depth: depth + 1)))
    } while takes(",")
    guard takes("}") else { throw fault("expected ',' or '}', found \(found)", at: path) }
    return .object(members)
  }

  private mutating func array(at path: JSONPath, depth: Int) throws(SyntaxFault) -> JSONValue {
    var elements: [JSONValue] = []
    position += 1
    if takes("]") { return .array([]) }
    repeat {
      elements.append(try value(at: path[elements.count], depth: depth + 1))
    } while takes(",")
    guard takes("]") else { throw fault("expected ',' or ']', found \(found)", at: path) }
    return .array(elements)
  }

  private mutating func number(at path: JSONPath) throws(SyntaxFault) -> JSONValue {
    let start = position
    skip("-")
    let whole = digits()
    if whole.isEmpty { _ = word() }  // The letters are read too, so that "-Infinity" is named in full.
    var isWellFormed = whole.count == 1 || (whole.count > 1 && bytes[whole.lowerBound] != UInt8(ascii: "0"))
    if skip(".") { isWellFormed = !digits().isEmpty && isWellFormed }
    if skip("e") || skip("E") {
      _ = skip("+") || skip("-")
      isWellFormed = !digits().isEmpty && isWellFormed
    }
    let text = String(decoding: bytes[start..<position], as: UTF8.self)
    guard isWellFormed, position - start <= JSONLimits.numberLength else {
      position = start
      throw fault("'\(text.prefix(40))' is not a JSON number", at: path)
    }
    return .number(text)
  }

  private mutating func string(at path: JSONPath) throws(SyntaxFault) -> String {
    let start = position
    var content: [UInt8] = []
    position += 1
    while let byte = next, byte != UInt8(ascii: "\"") {
      guard byte >= 0x20 else { throw fault("a control character in a string must be escaped", at: path) }
      position += 1
      if byte == UInt8(ascii: "\\") { try content += escape(at: path) } else { content.append(byte) }
    }
    guard skip("\"") else { throw fault("the string does not end", at: path) }
    guard let text = String(validating: content, as: UTF8.self) else {
      position = start
      throw fault("the string is not UTF-8", at: path)
    }
    return text
  }

  /// The UTF-8 of the escape whose backslash was just read.
  private mutating func escape(at path: JSONPath) throws(SyntaxFault) -> [UInt8] {
    guard let letter = next else { throw fault("the string does not end", at: path) }
    position += 1
    switch letter {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return [letter]
    case UInt8(ascii: "b"): return [8]
    case UInt8(ascii: "f"): return [12]
    case UInt8(ascii: "n"): return [10]
    case UInt8(ascii: "r"): return [13]
    case UInt8(ascii: "t"): return [9]
    case UInt8(ascii: "u"):
      var units = [try codeUnit(at: path)]
      if UTF16.isLeadSurrogate(units[0]), skip("\\"), skip("u") { units.append(try codeUnit(at: path)) }
      guard let text = String(validating: units, as: UTF16.self) else {
        throw fault("\\u escapes half of a surrogate pair", at: path)
      }
      return Array(text.utf8)
    default:
      position -= 1
      throw fault("unknown escape \\\(UnicodeScalar(letter))", at: path)
    }
  }

  private mutating func codeUnit(at path: JSONPath) throws(SyntaxFault) -> UInt16 {
    let digits = String(decoding: bytes[position...].prefix(4), as: UTF8.self)
    guard digits.utf8.count == 4, digits.allSatisfy(\.isHexDigit), let unit = UInt16(digits, radix: 16) else {
      throw fault("\\u needs four hexadecimal digits", at: path)
    }
    position += 4
    return unit
  }

  // MARK: - Bytes

  private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

  /// The next character, as messages name it.
  private var found: String {
    guard let next else { return "the end" }
    return (0x21..<0x7F).contains(next) ? "'\(UnicodeScalar(next))'" : "byte \(next)"
  }

  private mutating func skipSpace() {
    while let next, [0x20, 0x0A, 0x0D, 0x09].contains(next) { position += 1 }
  }

  /// Skips space, then the character if it is next. The result is whether it was.
  private mutating func takes(_ character: UnicodeScalar) -> Bool {
    skipSpace()
    return skip(character)
  }

  @discardableResult
  private mutating func skip(_ character: UnicodeScalar) -> Bool {
    guard next == UInt8(ascii: character) else { return false }
    position += 1
    return true
  }

  private mutating func digits() -> Range<Int> {
    let start = position
    while let next, Self.isDigit(next) { position += 1 }
    return start..<position
  }

  private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

  private mutating func word() -> String {
    let start = position
    while let next, position - start < 40, UnicodeScalar(next).properties.isAlphabetic, next < 0x80 { position += 1 }
    return String(decoding: bytes[start..<position], as: UTF8.self)
  }

  private func fault(_ message: String, at path: JSONPath) -> SyntaxFault {
    let before = bytes[..<position]
    let lineStart = before.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
    return SyntaxFault(
      path: path, line: 1 + before.count { $0 == UInt8(ascii: "\n") }, column: position - lineStart + 1, message: message)
  }
}
