/// The direction in which the paragraphs of a text run, which orders their parts of different scripts and signs. The raw values are those of
/// HTML's `dir`.
package enum TextDirection: String, Hashable, Sendable, Encodable, CaseIterable {
  /// The direction of each paragraph's first letter.
  case automatic = "auto"
  case leftToRight = "ltr"
  case rightToLeft = "rtl"
}
