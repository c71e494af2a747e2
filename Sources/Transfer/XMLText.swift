/// The texts of elements in an answer of S3, whose elements of interest hold no others and whose texts are asked for URL-encoded.
package enum XMLText {
  /// The texts of all elements of that name, in order.
  package static func all(_ name: String, in document: Substring) -> [Substring] {
    var (texts, rest) = ([Substring](), document)
    while let start = rest.firstRange(of: "<\(name)>"), let end = rest[start.upperBound...].firstRange(of: "</\(name)>") {
      texts.append(rest[start.upperBound..<end.lowerBound])
      rest = rest[end.upperBound...]
    }
    return texts
  }

  package static func first(_ name: String, in document: String) -> String? {
    all(name, in: document[...]).first.map(String.init)
  }
}

/// RFC 3986's percent-encoding of UTF-8.
package enum PercentEncoding {
  /// - Parameter kept: characters that stay besides letters, digits and "-._~".
  package static func encode(_ text: String, keeping kept: String = "") -> String {
    var encoded = ""
    for byte in text.utf8 {
      let character = Character(UnicodeScalar(byte))
      let isPlain =
        byte < 0x80 && (character.isLetter || character.isNumber || "-._~".contains(character) || kept.contains(character))
      encoded += isPlain ? String(character) : "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
    }
    return encoded
  }

  /// Nil when it is not an encoding of UTF-8.
  package static func decode(_ text: some StringProtocol) -> String? {
    var (bytes, rest) = ([UInt8](), text.utf8[...])
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        bytes.append(byte)
        continue
      }
      let digits = String(decoding: rest.prefix(2), as: UTF8.self)
      guard digits.utf8.count == 2, let value = UInt8(digits, radix: 16) else { return nil }
      bytes.append(value)
      rest = rest.dropFirst(2)
    }
    return String(validating: bytes, as: UTF8.self)
  }
}
