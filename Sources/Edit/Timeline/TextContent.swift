package import Formats

/// A text of a layer: its runs, and how they look and are laid out.
package struct TextContent: Hashable, Sendable, Encodable {
  package enum Alignment: String, Hashable, Sendable, Encodable, CaseIterable { case left, center, right, justify }

  /// The text, in parts with styles of their own; at least one.
  package var runs: [Run]
  /// The names of font families, the preferred one first; at least one. Each character is drawn in the first family that has it.
  package var fonts: [String]
  /// The language as a BCP 47 tag, such as "ja" or "zh-Hant". Where it is nil, the text's own characters may tell the language.
  package var language: String?
  /// The font size, in pixels per em; where it changes, the first one.
  package var size: Double
  /// The font weight, 100...1000; 400 is regular.
  package var weight: Int
  package var slant = Slant.normal
  /// The width of the letters in percent of the usual, 50...200.
  package var stretch = 100.0
  /// The axes of a variable font, each by its tag of four characters.
  package var axes: [String: Double] = [:]
  /// The values of OpenType features, each by its tag of four characters; 0 is off.
  package var features: [String: Int] = [:]
  package var color: RGBAColor
  /// The gradient across the lines that fills the letters instead of `color`.
  package var gradient: GradientContent?
  package var isUnderlined = false
  package var isStruckThrough = false
  package var writingMode = WritingMode.horizontal
  package var orientation = TextOrientation.mixed
  /// The direction in which paragraphs run.
  package var direction = TextDirection.automatic
  /// The marks beside the letters; nil for none.
  package var emphasis: TextEmphasis?
  package var alignment: Alignment
  /// The place of the lines in a frame that is higher than they are; of vertical ones, in a frame that is wider.
  package var verticalAlignment: VerticalAlignment
  /// The line around the letters; nil for none.
  package var outline: Outline?
  /// The shadow of the letters alone; nil for none.
  package var shadow: LayerStyle.Shadow?
  package var glow: Glow?
  package var box: Box?
  /// The space that is added after each character, in pixels.
  package var letterSpacing: Double
  /// The space that is added to each space between words, in pixels.
  package var wordSpacing = 0.0
  /// The distance of lines, as a multiple of the font's own.
  package var lineSpacing: Double
  /// The height of a line in pixels; nil for that of its fonts.
  package var lineHeight: Double?
  /// The places of tabs in pixels from the left, rising; the last distance repeats. Empty for the usual ones.
  package var tabs: [Double] = []
  package var wrapping = Wrapping.word
  /// The most lines; nil for any number.
  package var maxLines: Int?
  /// The place at which characters are taken out of a text that is too long; nil for the end, and only where `maxLines` is given.
  package var truncation: Truncation?
  /// The least size in pixels to which the text shrinks until it fits its frame; nil where it never shrinks.
  package var minimumSize: Double?
  /// The numbers that stand for names in braces; nil for a text in which braces are letters like others.
  package var timestamp: Timestamp?
  /// The size and colour over time.
  package var course = Course()
  /// The motion of the text's parts; nil where it stands still.
  package var motion: TextMotion?

  package init(
    string: String, fonts: [String], language: String? = nil, size: Double, weight: Int = 400, color: RGBAColor = .white,
    alignment: Alignment = .center, verticalAlignment: VerticalAlignment = .top, outline: Outline? = nil,
    letterSpacing: Double = 0, lineSpacing: Double = 1
  ) {
    (runs, self.fonts, self.language, self.size, self.weight) = ([Run(string)], fonts, language, size, weight)
    (self.color, self.alignment, self.verticalAlignment) = (color, alignment, verticalAlignment)
    (self.outline, self.letterSpacing, self.lineSpacing) = (outline, letterSpacing, lineSpacing)
  }

  /// The text of all runs. Setting it leaves one run without a style of its own.
  package var string: String {
    get { runs.count == 1 ? runs[0].string : runs.map(\.string).joined() }
    set { runs = [Run(newValue)] }
  }

  package enum VerticalAlignment: String, Hashable, Sendable, Encodable, CaseIterable { case top, middle, bottom }

  /// The language by which characters are drawn: the stated one, or else the one that the text's script tells. A font may have
  /// different forms of one character for different languages. It is nil where neither is known. Runs with a language of their own tell
  /// nothing of the others.
  package var shapingLanguage: String? {
    let others = runs.filter { $0.style.language == nil }
    return language ?? Self.language(toldBy: others.map(\.string).joined() + others.compactMap(\.ruby).joined())
  }

  /// Whether the text has Han characters and their language is not known. Japanese, Korean and the two forms of Chinese draw them
  /// differently.
  package var hasHanOfUnknownLanguage: Bool {
    shapingLanguage == nil && runs.contains { $0.style.language == nil && Self.hasHan($0.string) }
  }

  package static func hasHan(_ text: String) -> Bool { text.unicodeScalars.contains(where: \.isHan) }

  /// The language that the script of a text tells: kana are Japanese, Hangul is Korean, bopomofo is the Chinese of Taiwan. Where a text
  /// has several of them, the first of these counts, since a Japanese text may quote the others.
  package static func language(toldBy text: String) -> String? {
    let scalars = text.unicodeScalars
    if scalars.contains(where: \.isKana) { return "ja" }
    if scalars.contains(where: \.isHangul) { return "ko" }
    return scalars.contains(where: \.isBopomofo) ? "zh-Hant" : nil
  }
}

// Whether a character belongs to a script, by the blocks of the Unicode standard that hold the script's letters.
extension Unicode.Scalar {
  fileprivate var isKana: Bool {
    switch value {
    // U+30FB and U+30FC are left out: the first is a dot that Chinese texts have too, and the second is the sign of a long vowel,
    // which stands beside other kana.
    case 0x3041...0x3096, 0x309d...0x309f, 0x30a1...0x30fa, 0x30fd...0x30ff, 0x31f0...0x31ff, 0xff66...0xff9d,
      0x1aff0...0x1b16f:
      true
    default: false
    }
  }

  fileprivate var isHangul: Bool {
    switch value {
    case 0x1100...0x11ff, 0x3131...0x318e, 0xa960...0xa97f, 0xac00...0xd7a3, 0xd7b0...0xd7ff, 0xffa0...0xffdc: true
    default: false
    }
  }

  fileprivate var isBopomofo: Bool { 0x3105...0x312f ~= value || 0x31a0...0x31bf ~= value }

  fileprivate var isHan: Bool {
    switch value {
    case 0x3005, 0x3007, 0x3400...0x4dbf, 0x4e00...0x9fff, 0xf900...0xfaff, 0x20000...0x323af: true
    default: false
    }
  }
}
