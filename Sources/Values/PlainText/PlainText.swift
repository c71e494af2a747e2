// Text from others may contain anything, such as escape sequences that steer a terminal, or marks that change the order in which
// it is shown.

extension Unicode.Scalar {
  /// Whether a terminal or a log would act on the character instead of showing it. Such characters are the control characters
  /// (C0, C1 and DEL), the line and paragraph separators, and the marks of writing direction (Unicode Standard Annex 9).
  package var isUnseen: Bool {
    switch value {
    case 0..<0x20, 0x7f..<0xa0, 0x61c, 0x200e, 0x200f, 0x2028...0x202e, 0x2066...0x2069: true
    default: false
    }
  }
}

extension String {
  /// Whether the text has no unseen character.
  package var isPlain: Bool { utf8.allSatisfy { 0x20..<0x7f ~= $0 } || !unicodeScalars.contains(where: \.isUnseen) }

  /// The text in one line, safe for a terminal or a log. Unseen characters are written as `\n`, `\r`, `\t` or such as `\u{1B}`.
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

  /// JSON of the same meaning without unseen characters, for JSON in one line. It has them in strings only, where they may be
  /// escaped.
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
