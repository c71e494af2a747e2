package import Timeline

/// Why a text or an image could not be drawn.
package enum DrawingError: Error, Sendable, Hashable, CustomStringConvertible {
  /// No font family of this name is installed; one of a similar name perhaps is.
  case fontNotInstalled(String, near: String?)
  /// The job names the file of a face, and it is not here.
  case fontElsewhere(FontFace)
  /// The job names faces, and none for this family in the text's weight.
  case fontNotNamed(String)
  /// A font file that is gone, damaged, or another one by now.
  case fontUnreadable(String, String)
  /// More faces than a job may name.
  case tooManyFonts(limit: Int)
  /// None of the text's fonts has these characters; some of the installed ones may.
  case missingGlyphs(fonts: [String], characters: [Character], families: [String])
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
    case .fontNotInstalled(let name, let near):
      "font '\(name)' is not installed\(near.map { " (did you mean '\($0)'?)" } ?? "") ('fc-list : family' lists those that are)"
    case .fontElsewhere(let face):
      "the font \(face.name) that the job was submitted with (\(face.byteCount) bytes, digest \(face.digest)) is not on this machine"
    case .fontNotNamed(let name): "the job names no file for font '\(name)'"
    case .fontUnreadable(let path, let reason): "font file '\(path)' \(reason)"
    case .tooManyFonts(let limit): "the texts use more than \(limit) fonts, each weight counted"
    case .missingGlyphs(let fonts, let characters, let families):
      "\(Self.subject(fonts)) \(characters.map { "'\($0)' (\($0.codePoints))" }.joined(separator: ", ")): \(Self.advice(families))"
    case .noOutlines(let font, let text): "font '\(font)' draws '\(text)' as pictures, which are not supported"
    case .doesNotFit(let text): "text '\(text.prefix(40))…' is too long for the lower third; give it a frame"
    case .cairo(_, _, let reason): "a text or an image cannot be drawn: \(reason)"
    case .outOfMemory: "there is not enough memory to draw a text or an image"
    }
  }

  private static func subject(_ fonts: [String]) -> String {
    fonts.count == 1 ? "font '\(fonts[0])' lacks" : "none of the fonts \(fonts.map { "'\($0)'" }.joined(separator: ", ")) has"
  }

  private static func advice(_ families: [String]) -> String {
    guard !families.isEmpty else { return "no installed font has that" }
    return "put one that has it into the list of fonts, such as \(families.map { "'\($0)'" }.joined(separator: ", "))"
  }
}

extension Character {
  fileprivate var codePoints: String {
    unicodeScalars.map { scalar in
      let digits = String(scalar.value, radix: 16, uppercase: true)
      return "U+" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    }.joined(separator: " ")
  }
}
