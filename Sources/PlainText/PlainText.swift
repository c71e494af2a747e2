// What others chose may hold anything: the escapes by which a terminal is steered, or marks that show text in another order than it has.

extension Unicode.Scalar {
  /// Whether it steers a terminal or a log instead of being seen there: control characters (C0, C1 and DEL), the separators of lines and
  /// paragraphs, and the marks of writing direction (Unicode Standard Annex 9).
  package var isUnseen: Bool {
    switch value {
    case 0..<0x20, 0x7f..<0xa0, 0x61c, 0x200e, 0x200f, 0x2028...0x202e, 0x2066...0x2069: true
    default: false
    }
  }
}

extension String {
  /// Whether all of it is seen as it is.
  package var isPlain: Bool { utf8.allSatisfy { 0x20..<0x7f ~= $0 } || !unicodeScalars.contains(where: \.isUnseen) }

  /// The text in one line, as a terminal or a log may be shown it: `\n`, `\r`, `\t`, and `\u{1B}` for what else would not be seen.
  package var plain: String {
    escaped { scalar in
      switch scalar {
      case "\n": "\\n"
      case "\r": "\\r"
      case "\t": "\\t"
      default: "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
      }
    }
  }

  /// Equal JSON: unseen characters are part of strings only, where they may be escaped. One line stays one line.
  package var plainJSON: String {
    escaped { scalar in
      let digits = String(scalar.value, radix: 16)
      return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
    }
  }

  private func escaped(_ escape: (Unicode.Scalar) -> String) -> String {
    guard !isPlain else { return self }
    var shown = String.UnicodeScalarView()
    for scalar in unicodeScalars {
      if scalar.isUnseen { shown += escape(scalar).unicodeScalars } else { shown.append(scalar) }
    }
    return String(shown)
  }
}
