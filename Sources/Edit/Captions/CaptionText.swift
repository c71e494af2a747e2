/// The text of a caption file from its bytes.
package enum CaptionText {
  /// Decodes UTF-8, or UTF-16 with a byte order mark.
  ///
  /// - Returns: the text without its mark; nil when the bytes are in another encoding, which must be declared.
  package static func decoded(_ bytes: [UInt8]) -> String? {
    switch (bytes.first, bytes.dropFirst().first) {
    case (0xff, 0xfe): return utf16(bytes.dropFirst(2), isBig: false)
    case (0xfe, 0xff): return utf16(bytes.dropFirst(2), isBig: true)
    default: return String(validating: bytes.starts(with: [0xef, 0xbb, 0xbf]) ? bytes.dropFirst(3) : bytes[...], as: UTF8.self)
    }
  }

  private static func utf16(_ bytes: ArraySlice<UInt8>, isBig: Bool) -> String? {
    guard bytes.count.isMultiple(of: 2) else { return nil }
    let units = stride(from: bytes.startIndex, to: bytes.endIndex, by: 2).map { index -> UInt16 in
      let (first, second) = (UInt16(bytes[index]), UInt16(bytes[index + 1]))
      return isBig ? first << 8 | second : second << 8 | first
    }
    // UTF-32 begins with the mark of UTF-16 too, and has a zero character after it.
    return units.first == 0 ? nil : String(validating: units, as: UTF16.self)
  }

  /// The lines of a text, whichever way they end. Control characters are left out.
  static func lines(of text: String) -> [String] {
    var lines: [String] = []
    var line = String.UnicodeScalarView()
    var isAfterReturn = false
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\n" where isAfterReturn: break
      case "\n", "\r":
        lines.append(String(line))
        line.removeAll()
      case "\t": line.append(" ")
      case "\u{feff}": break
      default: if scalar.properties.generalCategory != .control { line.append(scalar) }
      }
      isAfterReturn = scalar == "\r"
    }
    return lines + [String(line)]
  }
}

extension StringProtocol {
  /// The text without spaces at its ends.
  var trimmed: String {
    let scalars = unicodeScalars
    guard let first = scalars.firstIndex(where: { !$0.isSpace }), let last = scalars.lastIndex(where: { !$0.isSpace }) else {
      return ""
    }
    return String(String.UnicodeScalarView(scalars[first...last]))
  }

  /// Whether the text is one or more of the digits 0 to 9.
  var isDigits: Bool { !isEmpty && utf8.allSatisfy { 0x30...0x39 ~= $0 } }
}

extension Unicode.Scalar {
  /// Whether it parts words, and may stand at no end of a line. A no-break space is none.
  var isSpace: Bool { self == " " || self == "\n" || self == "\t" || self == "\u{3000}" }
}
