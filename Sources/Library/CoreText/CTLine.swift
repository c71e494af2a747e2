/// The font of text that has none: Core Text's is Helvetica of 12 points, here that for user interfaces.
private let plainFont = FontChoice(family: FontChoice.system, size: 12)

/// A line of text.
/// - Partly: a line is drawn and measured; it has no runs
public final class CTLine {
  let setting: TextSetting
  let length: Int
  init(_ string: NSAttributedString) {
    var text = AttributedText(string, font: plainFont)
    text.flow = TextFlow()
    (setting, length) = (TextSetting(text.runs, text.flow), string.length)
  }
}

public struct CTLineBoundsOptions: OptionSet, Hashable, Sendable {
  public let rawValue: UInt
  public init(rawValue: UInt) { self.rawValue = rawValue }
  public static let excludeTypographicLeading = CTLineBoundsOptions(rawValue: 1)
  public static let excludeTypographicShifts = CTLineBoundsOptions(rawValue: 2)
  public static let useHangingPunctuation = CTLineBoundsOptions(rawValue: 4)
  public static let useGlyphPathBounds = CTLineBoundsOptions(rawValue: 8)
  public static let useOpticalBounds = CTLineBoundsOptions(rawValue: 16)
}

public func CTLineCreateWithAttributedString(_ attrString: CFAttributedString) -> CTLine { CTLine(attrString) }

/// Draws a line with its baseline's left end at the context's text position.
public func CTLineDraw(_ line: CTLine, _ context: CGContext) {
  let (place, matrix) = (context.textPosition, context.textMatrix)
  let baseline = line.setting.lines.first?.baseline ?? 0
  context.saveGState()
  context.translateBy(x: place.x, y: place.y)
  context.concatenate(matrix)
  line.setting.draw(in: context, at: CGPoint(x: 0, y: baseline), isFlipped: false)
  context.restoreGState()
  context.textPosition.x += line.setting.size.width
}

/// The width of a line. The other extents are written to the addresses.
@discardableResult
public func CTLineGetTypographicBounds(
  _ line: CTLine, _ ascent: UnsafeMutablePointer<CGFloat>?, _ descent: UnsafeMutablePointer<CGFloat>?,
  _ leading: UnsafeMutablePointer<CGFloat>?
) -> Double {
  let first = line.setting.lines.first
  unsafe ascent?.pointee = first?.baseline ?? 0
  unsafe descent?.pointee = first.map { $0.frame.height - $0.baseline } ?? 0
  unsafe leading?.pointee = 0
  return Double(line.setting.size.width)
}

/// The rectangle of a line around the left end of its baseline, with y upwards.
public func CTLineGetBoundsWithOptions(_ line: CTLine, _ options: CTLineBoundsOptions) -> CGRect {
  let first = line.setting.lines.first
  let (height, baseline) = (first?.frame.height ?? 0, first?.baseline ?? 0)
  return CGRect(x: 0, y: baseline - height, width: line.setting.size.width, height: height)
}

public func CTLineGetImageBounds(_ line: CTLine, _ context: CGContext?) -> CGRect { CTLineGetBoundsWithOptions(line, []) }
public func CTLineGetStringRange(_ line: CTLine) -> CFRange { CFRangeMake(0, line.length) }

/// A text that frames are made of.
/// - Partly: one style of paragraph for a text: the first one
public final class CTFramesetter {
  let text: NSAttributedString
  init(_ text: NSAttributedString) { self.text = text }

  func setting(_ range: CFRange, width: CGFloat?) -> TextSetting {
    let length = range.length == 0 ? text.length - range.location : range.length
    let part = text.attributedSubstring(from: NSRange(location: range.location, length: length))
    let made = AttributedText(part, font: plainFont)
    return TextSetting(made.runs, made.flow, width: width)
  }
}

/// A text in a rectangle.
/// - Partly: the path's bounding box is filled
public final class CTFrame {
  let setting: TextSetting
  let area: CGRect
  init(_ setting: TextSetting, _ area: CGRect) { (self.setting, self.area) = (setting, area) }
}

public func CTFramesetterCreateWithAttributedString(_ attrString: CFAttributedString) -> CTFramesetter {
  CTFramesetter(attrString)
}

/// Lays a text into a path's bounding box, from the top down. Other paths than rectangles are filled as if they were one.
public func CTFramesetterCreateFrame(
  _ framesetter: CTFramesetter, _ stringRange: CFRange, _ path: CGPath, _ frameAttributes: CFDictionary?
) -> CTFrame {
  let area = path.boundingBoxOfPath
  return CTFrame(framesetter.setting(stringRange, width: area.width), area)
}

public func CTFrameDraw(_ frame: CTFrame, _ context: CGContext) {
  context.saveGState()
  context.clip(to: frame.area)
  frame.setting.draw(in: context, at: CGPoint(x: frame.area.minX, y: frame.area.maxY), isFlipped: false, width: frame.area.width)
  context.restoreGState()
}

public func CTFramesetterSuggestFrameSizeWithConstraints(
  _ framesetter: CTFramesetter, _ stringRange: CFRange, _ frameAttributes: CFDictionary?, _ constraints: CGSize,
  _ fitRange: UnsafeMutablePointer<CFRange>?
) -> CGSize {
  let isOpen = constraints.width >= CGFloat.greatestFiniteMagnitude || constraints.width <= 0
  let size = framesetter.setting(stringRange, width: isOpen ? nil : constraints.width).size
  unsafe fitRange?.pointee = CFRangeMake(stringRange.location, framesetter.text.length - stringRange.location)
  return size
}
