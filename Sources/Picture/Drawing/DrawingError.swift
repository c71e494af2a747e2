package import Formats
package import Media

/// The reason why a text or an image could not be drawn.
package enum DrawingError: Error, Sendable, Hashable, CustomStringConvertible {
  /// No font family of this name is installed. `near` is a similar name that is installed.
  case fontNotInstalled(String, near: String?)
  /// No font family of this name is installed, and the document's asset of this name is no font.
  case fontIsMedium(String)
  /// The document's font of this name cannot be read.
  case documentFont(String, MediaError)
  /// The file of the document's font of this name is not the one that was probed.
  case documentFontChanged(String, path: String)
  /// The job names a font file that is not on this machine.
  case fontElsewhere(FontFace)
  /// The job names font files, but none for this family and the text's weight.
  case fontNotNamed(String)
  /// A font file is gone or damaged, or has changed: its path and the reason.
  case fontUnreadable(String, String)
  /// The texts use more faces than a job may name.
  case tooManyFonts(limit: Int)
  /// None of the text's fonts has these characters. `families` are installed families that have them.
  case missingGlyphs(fonts: [String], characters: [Character], families: [String])
  /// The font has no outlines to draw, as with fonts of pictures such as colour emoji.
  case noOutlines(font: String, text: String)
  /// The font is damaged in the outlines of some letters of the text.
  case brokenLetters(font: String, text: String)
  /// A text without a frame is too large for the lower third of the picture even at its smallest size.
  case doesNotFit(text: String)
  /// A text with a frame is too large for it even at its smallest size, or with nothing left of it but the ellipsis.
  case doesNotFitFrame(text: String)
  /// The base of a ruby is wider than its line.
  case rubyBroken(base: String)
  /// A text sets axes of a font that has none.
  case notVariable(font: String)
  /// A layer that moves, or is drawn as one with what stands on it, has more pixels than a picture may have.
  case tooLarge(PixelSize)
  /// A part of a layer lies so far away from the picture that Cairo cannot count its pixels.
  case tooFar
  /// An SVG picture could not be drawn: the reason.
  case vector(String)
  /// A Cairo function failed: its name, the status and Cairo's words for it.
  case cairo(call: String, status: Int32, reason: String)
  /// A library could not allocate memory.
  case outOfMemory(call: String)

  package var description: String {
    switch self {
    case .fontNotInstalled(let name, let near):
      "font '\(name)' is not installed\(near.map { " (did you mean '\($0)'?)" } ?? "") ('fc-list : family' lists those that are)"
    case .fontIsMedium(let name): "font '\(name)' is not installed, and asset '\(name)' is no font (\"kind\": \"font\")"
    case .documentFont(let name, let error): "assets.\(name): \(error)"
    case .documentFontChanged(let name, let path): "assets.\(name): '\(path)' is not the file that the edit was checked with"
    case .fontElsewhere(let face):
      "the font \(face.name) that the job was submitted with (\(face.byteCount) bytes, digest \(face.digest)) is not on this machine"
    case .fontNotNamed(let name): "the job names no file for font '\(name)'"
    case .fontUnreadable(let path, let reason): "font file '\(path)' \(reason)"
    case .tooManyFonts(let limit): "the texts use more than \(limit) fonts, each weight counted"
    case .missingGlyphs(let fonts, let characters, let families):
      "\(Self.subject(fonts)) \(characters.map { "'\($0)' (\($0.codePoints))" }.joined(separator: ", ")): \(Self.advice(families))"
    case .noOutlines(let font, let text): "font '\(font)' draws '\(text)' as pictures, which are not supported"
    case .brokenLetters(let font, let text): "font '\(font)' is damaged: outlines of '\(text.prefix(40))' cannot be read"
    case .doesNotFit(let text): "text '\(text.prefix(40))…' is too long for the lower third; give it a frame"
    case .doesNotFitFrame(let text):
      "text '\(text.prefix(40))…' does not fit its frame, even at the smallest size that it may have"
    case .rubyBroken(let base): "'\(base.prefix(40))' has ruby, and is wider than a line: make it smaller, or two runs of it"
    case .notVariable(let font): "font '\(font)' is no variable font, and has no axes to set"
    case .tooLarge(let size):
      "a layer would be drawn with \(size.width)x\(size.height) pixels; at most \(Sheet.longestSide) on a side and \(Sheet.mostPixels >> 20) Mi in all are drawn"
    case .tooFar: "a layer, or what stands on it, reaches further than 2,000,000 pixels from the corner of the picture"
    case .vector(let reason): "an SVG picture cannot be drawn: \(reason)"
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
