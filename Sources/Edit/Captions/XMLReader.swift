/// Reads the elements and texts of an XML document. It knows no entities but XML's own five and characters by number, and refuses
/// a document type, so that no document can grow or reach outside.
struct XMLReader {
  enum Token {
    case start(name: String, attributes: [String: String])
    case end(name: String)
    case text(String)
  }

  private let bytes: [UInt8]
  private var index = 0
  private(set) var line = 1
  private var open: [String] = []
  private var hasRoot = false
  /// The name of an element without content, whose end comes next.
  private var ending: String?

  init(_ text: String) { bytes = Array(text.utf8) }

  /// The next token; nil at the end.
  ///
  /// - Throws: `CaptionFault` for a text that is not XML of this kind.
  mutating func next() throws(CaptionFault) -> Token? {
    if let name = ending {
      ending = nil
      return .end(name: try close(name))
    }
    while index < bytes.count {
      guard bytes[index] == UInt8(ascii: "<") else {
        let text = try characters(take(until: "<") ?? rest())
        if !open.isEmpty { return .text(text) }
        guard text.trimmed.isEmpty || text == "\u{feff}" else { throw fault("text outside of the root element") }
        continue
      }
      if skip("<!--") {
        guard take(past: "-->") != nil else { throw fault("a comment without an end") }
      } else if skip("<![CDATA[") {
        guard let text = take(past: "]]>") else { throw fault("a CDATA section without an end") }
        return .text(String(decoding: text, as: UTF8.self))
      } else if skip("<?") {
        guard take(past: "?>") != nil else { throw fault("a processing instruction without an end") }
      } else if skip("<!") {
        throw fault("has a document type or another declaration, which is not read")
      } else if skip("</") {
        guard let body = take(past: ">") else { throw fault("a tag without an end") }
        return .end(name: try close(String(decoding: body, as: UTF8.self).trimmed))
      } else {
        index += 1
        return try element()
      }
    }
    guard open.isEmpty, hasRoot else { throw fault(hasRoot ? "ends within <\(open.last ?? "")>" : "has no element") }
    return nil
  }

  private mutating func close(_ name: String) throws(CaptionFault) -> String {
    guard open.popLast() == name else { throw fault("</\(name.prefix(40))> closes nothing") }
    return Self.local(name)
  }

  private mutating func element() throws(CaptionFault) -> Token {
    let name = word()
    guard !name.isEmpty else { throw fault("a tag without a name") }
    guard !open.isEmpty || !hasRoot else { throw fault("a second root element") }
    guard open.count < 64 else { throw fault("more than 64 elements in each other") }
    var attributes: [String: String] = [:]
    while true {
      space()
      if skip(">") { break }
      if skip("/>") {
        ending = name
        break
      }
      let key = word()
      space()
      guard !key.isEmpty, skip("=") else { throw fault("a tag that is not closed, or an attribute without a value") }
      space()
      guard let quote = bytes[index...].first, quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else {
        throw fault("an attribute without quotes")
      }
      index += 1
      guard let value = take(past: String(UnicodeScalar(quote))) else { throw fault("an attribute without an end") }
      guard attributes.updateValue(try characters(value), forKey: Self.attribute(key)) == nil else {
        throw fault("the attribute '\(key.prefix(40))' twice")
      }
    }
    open.append(name)
    hasRoot = true
    return .start(name: Self.local(name), attributes: attributes)
  }

  /// The name without its prefix.
  private static func local(_ name: String) -> String { name.split(separator: ":").last.map(String.init) ?? name }

  /// The name without its prefix, but for those of `xml:` and `xmlns`.
  private static func attribute(_ name: String) -> String {
    name.hasPrefix("xml:") || name.hasPrefix("xmlns") ? name : local(name)
  }

  // MARK: - Characters

  private mutating func characters(_ slice: ArraySlice<UInt8>) throws(CaptionFault) -> String {
    guard slice.contains(UInt8(ascii: "&")) else { return String(decoding: slice, as: UTF8.self) }
    var text = ""
    for (number, part) in slice.split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: false).enumerated() {
      guard number > 0 else {
        text += String(decoding: part, as: UTF8.self)
        continue
      }
      guard let end = part.firstIndex(of: UInt8(ascii: ";")),
        let scalar = Self.entity(String(decoding: part[..<end], as: UTF8.self))
      else { throw fault("an entity that is not one of XML's own") }
      text.unicodeScalars.append(scalar)
      text += String(decoding: part[(end + 1)...], as: UTF8.self)
    }
    return text
  }

  private static func entity(_ name: String) -> Unicode.Scalar? {
    switch name {
    case "amp": "&"
    case "lt": "<"
    case "gt": ">"
    case "quot": "\""
    case "apos": "'"
    default: character(name)
    }
  }

  /// The character of `#233` or `#xe9`; nil for control characters and other names.
  static func character(_ name: String) -> Unicode.Scalar? {
    guard name.hasPrefix("#"), name.utf8.count < 10 else { return nil }
    let isHex = name.hasPrefix("#x")
    let digits = name.dropFirst(isHex ? 2 : 1)
    guard !digits.isEmpty, !digits.hasPrefix("+"), !digits.hasPrefix("-"), let number = UInt32(digits, radix: isHex ? 16 : 10),
      let scalar = Unicode.Scalar(number), scalar.properties.generalCategory != .control || scalar == "\n"
    else { return nil }
    return scalar
  }

  // MARK: - Bytes

  private func fault(_ message: String) -> CaptionFault { CaptionFault("line \(line): \(message)") }

  private mutating func space() {
    while index < bytes.count, [0x20, 0x09, 0x0a, 0x0d].contains(bytes[index]) { advance(to: index + 1) }
  }

  private mutating func word() -> String {
    let start = index
    let ends = Array(" \t\r\n=/><\"'".utf8)
    while index < bytes.count, !ends.contains(bytes[index]) { index += 1 }
    return String(decoding: bytes[start..<index], as: UTF8.self)
  }

  private mutating func skip(_ text: StaticString) -> Bool {
    let wanted = Array("\(text)".utf8)
    guard bytes[index...].starts(with: wanted) else { return false }
    index += wanted.count
    return true
  }

  private mutating func advance(to end: Int) {
    line += bytes[index..<end].count { $0 == 0x0a }
    index = end
  }

  private mutating func rest() -> ArraySlice<UInt8> {
    defer { advance(to: bytes.count) }
    return bytes[index...]
  }

  /// The bytes before `byte`, which comes next then; nil when it does not come.
  private mutating func take(until byte: Unicode.Scalar) -> ArraySlice<UInt8>? {
    guard let end = bytes[index...].firstIndex(of: UInt8(ascii: byte)) else { return nil }
    defer { advance(to: end) }
    return bytes[index..<end]
  }

  /// The bytes before `text`, which is passed; nil when it does not come.
  private mutating func take(past text: String) -> ArraySlice<UInt8>? {
    let wanted = Array(text.utf8)
    var start = index
    while let found = bytes[start...].firstIndex(of: wanted[0]) {
      guard bytes[found...].starts(with: wanted) else {
        start = found + 1
        continue
      }
      defer { advance(to: found + wanted.count) }
      return bytes[index..<found]
    }
    return nil
  }
}
