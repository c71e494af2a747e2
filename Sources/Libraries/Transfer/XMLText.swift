/// Finds the texts of elements in a response of S3. The elements that are looked for contain no other elements, and keys are
/// asked for in URL encoding, so no XML parser is needed.
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

/// Percent-encoding of UTF-8 (RFC 3986).
package enum PercentEncoding {
  /// - Parameter kept: characters that are not encoded, besides letters, digits and "-._~".
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

  /// Returns nil when the text is not a valid encoding of UTF-8.
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
