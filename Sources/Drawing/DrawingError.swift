/// Why a text or an image could not be drawn.
package enum DrawingError: Error, Sendable, Hashable, CustomStringConvertible {
  /// No font family of this name is installed.
  case fontNotInstalled(String)
  /// Neither the font nor any other that is installed has these characters.
  case missingGlyphs(font: String, characters: [Character])
  /// Fonts of pictures, such as colour emoji, have no outlines to draw.
  case noOutlines(font: String, text: String)
  /// Text without a frame of its own that stays too large for the lower third however small it is set.
  case doesNotFit(text: String)
  /// A Cairo status, in Cairo's words.
  case cairo(call: String, status: Int32, reason: String)
  /// A library had no memory to give.
  case outOfMemory(call: String)

  package var description: String {
    switch self {
    case .fontNotInstalled(let name): "font '\(name)' is not installed ('fc-list : family' lists those that are)"
    case .missingGlyphs(let font, let characters):
      "no installed font has \(characters.map { "'\($0)' (\($0.codePoints))" }.joined(separator: ", ")), asked of '\(font)'"
    case .noOutlines(let font, let text): "font '\(font)' draws '\(text)' as pictures, which are not supported"
    case .doesNotFit(let text): "text '\(text.prefix(40))…' is too long for the lower third; give it a frame"
    case .cairo(_, _, let reason): "a text or an image cannot be drawn: \(reason)"
    case .outOfMemory: "there is not enough memory to draw a text or an image"
    }
  }
}

extension Character {
  fileprivate var codePoints: String {
    unicodeScalars.map { "U+" + String($0.value, radix: 16, uppercase: true) }.joined(separator: " ")
  }
}
