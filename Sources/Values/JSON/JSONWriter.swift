extension JSONValue {
  /// The canonical bytes: UTF-8, object keys in the order of their bytes, no spaces, and only those characters escaped that must
  /// be. Equal values have equal bytes, also where their members are in another order.
  package func canonicalBytes() -> [UInt8] {
    var bytes: [UInt8] = []
    write(to: &bytes)
    return bytes
  }

  private func write(to bytes: inout [UInt8]) {
    switch self {
    case .null: bytes += "null".utf8
    case .bool(let value): bytes += (value ? "true" : "false").utf8
    case .number(let text): bytes += text.utf8
    case .string(let text): Self.write(text, to: &bytes)
    case .array(let elements): Self.write(elements, in: "[]", to: &bytes) { $0.write(to: &$1) }
    case .object(let members):
      let sorted = members.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
      Self.write(sorted, in: "{}", to: &bytes) { member, bytes in
        Self.write(member.key, to: &bytes)
        bytes.append(UInt8(ascii: ":"))
        member.value.write(to: &bytes)
      }
    }
  }

  private static func write<Element>(
    _ elements: [Element], in brackets: String, to bytes: inout [UInt8], each: (Element, inout [UInt8]) -> Void
  ) {
    bytes += brackets.utf8.prefix(1)
    for (index, element) in elements.enumerated() {
      if index > 0 { bytes.append(UInt8(ascii: ",")) }
      each(element, &bytes)
    }
    bytes += brackets.utf8.suffix(1)
  }

  /// Writes a text in quotes. Only what must be escaped is.
  package static func write(_ text: String, to bytes: inout [UInt8]) {
    bytes.append(UInt8(ascii: "\""))
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes += [UInt8(ascii: "\\"), byte]
      case UInt8(ascii: "\n"): bytes += "\\n".utf8
      case UInt8(ascii: "\r"): bytes += "\\r".utf8
      case UInt8(ascii: "\t"): bytes += "\\t".utf8
      case 0..<0x20:
        let digits = Array("0123456789abcdef".utf8)
        bytes += "\\u00".utf8 + [digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      default: bytes.append(byte)
      }
    }
    bytes.append(UInt8(ascii: "\""))
  }
}
