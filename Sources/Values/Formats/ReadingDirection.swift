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
  package var isReadFromRightToLeft: Bool {
    for scalar in unicodeScalars {
      if scalar == "\u{200f}" { return true }
      if scalar == "\u{200e}" { return false }
      if scalar.properties.isAlphabetic { return scalar.isOfScriptFromRightToLeft }
    }
    return false
  }
}
