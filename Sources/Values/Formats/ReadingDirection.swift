extension Unicode.Scalar {
  /// Whether the character is of Hebrew, Arabic or another script that runs from right to left.
  package var isOfScriptFromRightToLeft: Bool {
    switch value {
    case 0x0590...0x08ff, 0xfb1d...0xfdff, 0xfe70...0xfefe, 0x10800...0x10fff, 0x1e800...0x1efff: true
    default: false
    }
  }
}

extension StringProtocol {
  /// Whether reading begins at the right, because the first letter or mark of direction is of a script that does (Unicode Standard
  /// Annex 9, rule P2).
  package var isReadFromRightToLeft: Bool { tellsRightToLeft ?? false }

  /// The same; nil where the text has no letter and no mark. The beginnings of embedded and overridden text count as marks, as for Pango.
  package var tellsRightToLeft: Bool? {
    for scalar in unicodeScalars {
      switch scalar {
      case "\u{200f}", "\u{202b}", "\u{202e}": return true
      case "\u{200e}", "\u{202a}", "\u{202d}": return false
      default: break
      }
      // A mark on a letter has no direction of its own.
      if scalar.properties.isAlphabetic, scalar.properties.generalCategory != .nonspacingMark {
        return scalar.isOfScriptFromRightToLeft
      }
    }
    return nil
  }
}
