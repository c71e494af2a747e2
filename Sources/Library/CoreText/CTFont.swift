@_exported public import CoreGraphics

/// A font of this machine at a size. UIFont and NSFont are such fonts.
/// - Partly: a font of this machine; no glyphs, no tables
open class CTFont: NSObject, @unchecked Sendable {
  // A font is not changed after it was made.
  package let choice: FontChoice

  package init(_ choice: FontChoice) { self.choice = choice }

  /// Makes a font by a family's or a face's name, as `CTFontCreateWithName` does.
  public convenience init(_ name: CFString, size: CGFloat) { self.init(CTFontCreateWithName(name, size, nil).choice) }
  /// Makes the font that an interface would have.
  public convenience init(_ uiType: CTFontUIFontType, size: CGFloat) {
    self.init(CTFontCreateUIFontForLanguage(uiType, size, nil)?.choice ?? FontChoice(family: FontChoice.system, size: size))
  }
  public convenience init(_ descriptor: CTFontDescriptor, size: CGFloat) { self.init(descriptor.name, size: size) }

  open override func isEqual(_ object: Any?) -> Bool { (object as? CTFont)?.choice == choice }
  open override var hash: Int { choice.hashValue }
  open override var description: String { "font '\(choice.family)' \(choice.weight) at \(choice.size) points" }

  /// The font that a value of an attribute is; nil where it is none.
  package static func choice(of value: Any?) -> FontChoice? { (value as? CTFont)?.choice }
}

public enum CTFontUIFontType: UInt32, Sendable {
  case user = 0, userFixedPitch = 1, system = 2, emphasizedSystem = 3, smallSystem = 4, label = 10, message = 23
}

/// Makes a font by a family's or a face's name. Where none is installed, it is the font for user interfaces, as Core Text gives a
/// substitute, too.
public func CTFontCreateWithName(_ name: CFString, _ size: CGFloat, _ matrix: UnsafePointer<CGAffineTransform>?) -> CTFont {
  CTFont(
    FontChoice(named: name, size: size == 0 ? 12 : size) ?? FontChoice(family: FontChoice.system, size: size == 0 ? 12 : size))
}

public func CTFontCreateUIFontForLanguage(_ uiType: CTFontUIFontType, _ size: CGFloat, _ language: CFString?) -> CTFont? {
  let family = uiType == .userFixedPitch ? FontChoice.monospaced : FontChoice.system
  return CTFont(FontChoice(family: family, size: size == 0 ? 13 : size, weight: uiType == .emphasizedSystem ? 700 : 400))
}

public func CTFontCreateCopyWithAttributes(
  _ font: CTFont, _ size: CGFloat, _ matrix: UnsafePointer<CGAffineTransform>?, _ attributes: CTFontDescriptor?
) -> CTFont {
  var choice = font.choice
  if size > 0 { choice.size = size }
  return CTFont(choice)
}

/// A description of a font. It names the family alone here.
public final class CTFontDescriptor: NSObject, Sendable {
  let name: String
  init(_ name: String) { self.name = name }
}

public func CTFontDescriptorCreateWithNameAndSize(_ name: CFString, _ size: CGFloat) -> CTFontDescriptor {
  CTFontDescriptor(name)
}
public func CTFontCreateWithFontDescriptor(
  _ descriptor: CTFontDescriptor, _ size: CGFloat, _ matrix: UnsafePointer<CGAffineTransform>?
) -> CTFont { CTFontCreateWithName(descriptor.name, size, nil) }

public func CTFontGetSize(_ font: CTFont) -> CGFloat { font.choice.size }
public func CTFontGetAscent(_ font: CTFont) -> CGFloat { font.choice.metrics.ascent }
public func CTFontGetDescent(_ font: CTFont) -> CGFloat { font.choice.metrics.descent }
public func CTFontGetLeading(_ font: CTFont) -> CGFloat { 0 }
public func CTFontGetCapHeight(_ font: CTFont) -> CGFloat { font.choice.metrics.capHeight }
public func CTFontGetXHeight(_ font: CTFont) -> CGFloat { font.choice.metrics.xHeight }
public func CTFontCopyFamilyName(_ font: CTFont) -> CFString { font.choice.family }
public func CTFontCopyFullName(_ font: CTFont) -> CFString { font.choice.family }
public func CTFontCopyPostScriptName(_ font: CTFont) -> CFString { font.choice.faceName }

/// A name of a font; nil for one that fonts do not have here.
public func CTFontCopyName(_ font: CTFont, _ nameKey: CFString) -> CFString? {
  switch nameKey {
  case kCTFontPostScriptNameKey: CTFontCopyPostScriptName(font)
  case kCTFontFamilyNameKey: CTFontCopyFamilyName(font)
  case kCTFontFullNameKey: CTFontCopyFullName(font)
  default: nil
  }
}

/// The description of a font. It has the font's name.
public func CTFontCopyFontDescriptor(_ font: CTFont) -> CTFontDescriptor { CTFontDescriptor(font.choice.faceName) }

/// An attribute of a description: its name; nil for all others.
public func CTFontDescriptorCopyAttribute(_ descriptor: CTFontDescriptor, _ attribute: CFString) -> CFTypeRef? {
  attribute == kCTFontNameAttribute ? descriptor.name as CFTypeRef : nil
}

public let kCTFontNameAttribute: CFString = "NSFontNameAttribute"

public let kCTFontPostScriptNameKey: CFString = "CTFontPostScriptName"
public let kCTFontFamilyNameKey: CFString = "CTFontFamilyName"
public let kCTFontFullNameKey: CFString = "CTFontFullName"

public let kCTFontAttributeName: CFString = "NSFont"
public let kCTForegroundColorAttributeName: CFString = "CTForegroundColor"
public let kCTBackgroundColorAttributeName: CFString = "CTBackgroundColor"
public let kCTKernAttributeName: CFString = "NSKern"
public let kCTParagraphStyleAttributeName: CFString = "NSParagraphStyle"
public let kCTStrokeWidthAttributeName: CFString = "NSStrokeWidth"
public let kCTStrokeColorAttributeName: CFString = "CTStrokeColor"
public let kCTUnderlineStyleAttributeName: CFString = "NSUnderline"
public let kCTForegroundColorFromContextAttributeName: CFString = "CTForegroundColorFromContext"
