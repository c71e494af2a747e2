/// A weight of letters: UIFont.Weight and NSFont.Weight.
public struct _FontWeight: RawRepresentable, Hashable, Sendable {
  public let rawValue: CGFloat
  public init(rawValue: CGFloat) { self.rawValue = rawValue }
  public init(_ rawValue: CGFloat) { self.rawValue = rawValue }
  public static let ultraLight = _FontWeight(-0.8)
  public static let thin = _FontWeight(-0.6)
  public static let light = _FontWeight(-0.4)
  public static let regular = _FontWeight(0)
  public static let medium = _FontWeight(0.23)
  public static let semibold = _FontWeight(0.3)
  public static let bold = _FontWeight(0.4)
  public static let heavy = _FontWeight(0.56)
  public static let black = _FontWeight(0.62)

  /// The weight as OpenType counts it.
  package var number: Int {
    let known: [(CGFloat, Int)] = [
      (-0.8, 100), (-0.6, 200), (-0.4, 300), (0, 400), (0.23, 500), (0.3, 600), (0.4, 700), (0.56, 800), (0.62, 900),
    ]
    return known.min { abs($0.0 - rawValue) < abs($1.0 - rawValue) }?.1 ?? 400
  }
}

/// A use of text, with its size: UIFont.TextStyle and NSFont.TextStyle.
public struct _FontTextStyle: RawRepresentable, Hashable, Sendable {
  public let rawValue: String
  public init(rawValue: String) { self.rawValue = rawValue }
  public static let largeTitle = _FontTextStyle(rawValue: "UICTFontTextStyleTitle0")
  public static let title1 = _FontTextStyle(rawValue: "UICTFontTextStyleTitle1")
  public static let title2 = _FontTextStyle(rawValue: "UICTFontTextStyleTitle2")
  public static let title3 = _FontTextStyle(rawValue: "UICTFontTextStyleTitle3")
  public static let headline = _FontTextStyle(rawValue: "UICTFontTextStyleHeadline")
  public static let subheadline = _FontTextStyle(rawValue: "UICTFontTextStyleSubhead")
  public static let body = _FontTextStyle(rawValue: "UICTFontTextStyleBody")
  public static let callout = _FontTextStyle(rawValue: "UICTFontTextStyleCallout")
  public static let footnote = _FontTextStyle(rawValue: "UICTFontTextStyleFootnote")
  public static let caption1 = _FontTextStyle(rawValue: "UICTFontTextStyleCaption1")
  public static let caption2 = _FontTextStyle(rawValue: "UICTFontTextStyleCaption2")

  /// The size in points at the standard setting.
  package var size: CGFloat {
    switch self {
    case .largeTitle: 34
    case .title1: 28
    case .title2: 22
    case .title3: 20
    case .callout: 16
    case .subheadline: 15
    case .footnote: 13
    case .caption1: 12
    case .caption2: 11
    default: 17
    }
  }
}

/// A kind of the system's font: UIFontDescriptor.SystemDesign and NSFontDescriptor.SystemDesign.
public struct _FontDesign: RawRepresentable, Hashable, Sendable {
  public let rawValue: String
  public init(rawValue: String) { self.rawValue = rawValue }
  public static let `default` = _FontDesign(rawValue: "NSCTFontUIFontDesignDefault")
  public static let serif = _FontDesign(rawValue: "NSCTFontUIFontDesignSerif")
  public static let monospaced = _FontDesign(rawValue: "NSCTFontUIFontDesignMonospaced")
  public static let rounded = _FontDesign(rawValue: "NSCTFontUIFontDesignRounded")
}

extension FontChoice {
  /// The font in another design; nil for one that is not known. No free font has Apple's round ends, so that the system's font stands for it,
  /// which is told.
  package func designed(_ design: _FontDesign) -> FontChoice? {
    var made = self
    switch design {
    case .default: made.family = FontChoice.system
    case .monospaced: made.family = FontChoice.monospaced
    case .serif: made.family = "serif"
    case .rounded:
      made.family = FontChoice.system
      FontSubstitutes.tell(made.family, for: "SF Rounded")
    default: return nil
    }
    return made
  }

  /// The font with these traits alone.
  package func styled(isItalic: Bool, isBold: Bool, isMonospaced: Bool) -> FontChoice {
    var made = self
    (made.isItalic, made.weight) = (isItalic, isBold ? 700 : 400)
    if isMonospaced { made.family = FontChoice.monospaced }
    return made
  }

  package func sized(_ size: CGFloat) -> FontChoice {
    var made = self
    made.size = size
    return made
  }

  package var isBold: Bool { weight >= 600 }
}
