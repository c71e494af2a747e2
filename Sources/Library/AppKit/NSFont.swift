/// A font. The system's font is fontconfig's choice of one without serifs.
/// - Partly: as UIFont
open class NSFont: CTFont, NSCopying, @unchecked Sendable {
  public typealias Weight = _FontWeight
  public typealias TextStyle = _FontTextStyle

  package override init(_ choice: FontChoice) { super.init(choice) }

  /// Finds a font by a family's or a face's name; nil where none is installed.
  public convenience init?(name fontName: String, size fontSize: CGFloat) {
    guard let choice = FontChoice(named: fontName, size: fontSize) else { return nil }
    self.init(choice)
  }

  public convenience init?(descriptor: NSFontDescriptor, size pointSize: CGFloat) {
    var choice = descriptor.choice
    if pointSize > 0 { choice.size = pointSize }
    self.init(choice)
  }

  open class func systemFont(ofSize fontSize: CGFloat) -> NSFont { systemFont(ofSize: fontSize, weight: .regular) }
  open class func systemFont(ofSize fontSize: CGFloat, weight: NSFont.Weight) -> NSFont {
    NSFont(FontChoice(family: FontChoice.system, size: fontSize, weight: weight.number))
  }
  open class func boldSystemFont(ofSize fontSize: CGFloat) -> NSFont { systemFont(ofSize: fontSize, weight: .bold) }
  open class func monospacedSystemFont(ofSize fontSize: CGFloat, weight: NSFont.Weight) -> NSFont {
    NSFont(FontChoice(family: FontChoice.monospaced, size: fontSize, weight: weight.number))
  }
  open class func monospacedDigitSystemFont(ofSize fontSize: CGFloat, weight: NSFont.Weight) -> NSFont {
    systemFont(ofSize: fontSize, weight: weight)
  }
  open class func preferredFont(forTextStyle style: NSFont.TextStyle) -> NSFont {
    systemFont(ofSize: style.size, weight: style == .headline ? .semibold : .regular)
  }

  open class var systemFontSize: CGFloat { 13 }
  open class var smallSystemFontSize: CGFloat { 11 }
  open class var labelFontSize: CGFloat { 10 }

  open var familyName: String? { choice.family }
  open var fontName: String { choice.faceName }
  open var pointSize: CGFloat { choice.size }
  open var ascender: CGFloat { choice.metrics.ascent }
  /// The extent below the baseline, which is negative.
  open var descender: CGFloat { -choice.metrics.descent }
  open var capHeight: CGFloat { choice.metrics.capHeight }
  open var xHeight: CGFloat { choice.metrics.xHeight }
  open var displayName: String? { choice.family }
  open var leading: CGFloat { 0 }
  open var fontDescriptor: NSFontDescriptor { NSFontDescriptor(choice) }

  open func withSize(_ fontSize: CGFloat) -> NSFont { NSFont(choice.sized(fontSize)) }

  open func copy(with zone: NSZone? = nil) -> Any { self }
}

/// A description of a font.
open class NSFontDescriptor: NSObject {
  package let choice: FontChoice

  public struct SymbolicTraits: OptionSet, Hashable, Sendable {
    public let rawValue: UInt32
    public init(rawValue: UInt32) { self.rawValue = rawValue }
    public static let italic = SymbolicTraits(rawValue: 1)
    public static let bold = SymbolicTraits(rawValue: 2)
    public static let monoSpace = SymbolicTraits(rawValue: 1 << 10)
  }

  package init(_ choice: FontChoice) { self.choice = choice }

  public convenience init(name fontName: String, size: CGFloat) {
    self.init(FontChoice(named: fontName, size: size) ?? FontChoice(family: FontChoice.system, size: size))
  }

  open var pointSize: CGFloat { choice.size }
  open var symbolicTraits: SymbolicTraits {
    var traits: SymbolicTraits = []
    if choice.isItalic { traits.insert(.italic) }
    if choice.isBold { traits.insert(.bold) }
    return traits
  }

  open func withSymbolicTraits(_ symbolicTraits: SymbolicTraits) -> NSFontDescriptor {
    NSFontDescriptor(
      choice.styled(
        isItalic: symbolicTraits.contains(.italic), isBold: symbolicTraits.contains(.bold),
        isMonospaced: symbolicTraits.contains(.monoSpace)))
  }

  open func withSize(_ newPointSize: CGFloat) -> NSFontDescriptor { NSFontDescriptor(choice.sized(newPointSize)) }

  public typealias SystemDesign = _FontDesign

  /// The description in another design; nil for one that is not known. The system's font stands for the rounded one, which is told.
  open func withDesign(_ design: SystemDesign) -> NSFontDescriptor? { choice.designed(design).map(NSFontDescriptor.init) }
}
