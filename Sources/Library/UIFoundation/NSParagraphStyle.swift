public enum NSTextAlignment: Int, Sendable { case left, center, right, justified, natural }
public enum NSLineBreakMode: Int, Sendable {
  case byWordWrapping, byCharWrapping, byClipping, byTruncatingHead, byTruncatingTail, byTruncatingMiddle
}
public enum NSWritingDirection: Int, Sendable { case natural = -1, leftToRight = 0, rightToLeft = 1 }

/// How the lines of a text are broken and aligned. Lengths are in points.
/// - Partly: lines have one height: the maximum, else the minimum. Space between paragraphs is not drawn
open class NSParagraphStyle: NSObject, NSCopying, NSMutableCopying, TextFlowing, @unchecked Sendable {
  // The mutable subclass alone changes these.
  fileprivate var values = Values()

  fileprivate struct Values: Hashable {
    var alignment = NSTextAlignment.natural
    var lineBreakMode = NSLineBreakMode.byWordWrapping
    var lineSpacing: CGFloat = 0
    var paragraphSpacing: CGFloat = 0
    var paragraphSpacingBefore: CGFloat = 0
    var headIndent: CGFloat = 0
    var tailIndent: CGFloat = 0
    var firstLineHeadIndent: CGFloat = 0
    var minimumLineHeight: CGFloat = 0
    var maximumLineHeight: CGFloat = 0
    var lineHeightMultiple: CGFloat = 0
    var hyphenationFactor: Float = 0
    var baseWritingDirection = NSWritingDirection.natural
    var allowsDefaultTighteningForTruncation = false
  }

  public override init() {}

  open class var `default`: NSParagraphStyle { NSParagraphStyle() }

  open var alignment: NSTextAlignment { values.alignment }
  open var lineBreakMode: NSLineBreakMode { values.lineBreakMode }
  open var lineSpacing: CGFloat { values.lineSpacing }
  open var paragraphSpacing: CGFloat { values.paragraphSpacing }
  open var paragraphSpacingBefore: CGFloat { values.paragraphSpacingBefore }
  open var headIndent: CGFloat { values.headIndent }
  open var tailIndent: CGFloat { values.tailIndent }
  open var firstLineHeadIndent: CGFloat { values.firstLineHeadIndent }
  open var minimumLineHeight: CGFloat { values.minimumLineHeight }
  open var maximumLineHeight: CGFloat { values.maximumLineHeight }
  open var lineHeightMultiple: CGFloat { values.lineHeightMultiple }
  open var hyphenationFactor: Float { values.hyphenationFactor }
  open var baseWritingDirection: NSWritingDirection { values.baseWritingDirection }
  open var allowsDefaultTighteningForTruncation: Bool { values.allowsDefaultTighteningForTruncation }

  open func copy(with zone: NSZone? = nil) -> Any {
    let copy = NSParagraphStyle()
    copy.values = values
    return copy
  }

  open func mutableCopy(with zone: NSZone? = nil) -> Any {
    let copy = NSMutableParagraphStyle()
    copy.values = values
    return copy
  }

  open override func mutableCopy() -> Any { mutableCopy(with: nil) }
  open override func copy() -> Any { copy(with: nil) }
  open override func isEqual(_ object: Any?) -> Bool { (object as? NSParagraphStyle)?.values == values }
  open override var hash: Int { values.hashValue }

  package var flow: TextFlow {
    var flow = TextFlow()
    switch alignment {
    case .natural: flow.alignment = .natural
    case .left: flow.alignment = .left
    case .center: flow.alignment = .center
    case .right: flow.alignment = .right
    case .justified: flow.alignment = .justified
    }
    switch baseWritingDirection {
    case .natural: flow.direction = .natural
    case .leftToRight: flow.direction = .leftToRight
    case .rightToLeft: flow.direction = .rightToLeft
    }
    switch lineBreakMode {
    case .byWordWrapping: flow.breaking = .words
    case .byCharWrapping: flow.breaking = .characters
    case .byClipping: flow.breaking = .none
    case .byTruncatingHead: flow.breaking = .head
    case .byTruncatingTail: flow.breaking = .tail
    case .byTruncatingMiddle: flow.breaking = .middle
    }
    (flow.lineSpacing, flow.indent, flow.firstIndent) = (lineSpacing, headIndent, firstLineHeadIndent)
    flow.heightFactor = lineHeightMultiple
    // A line has the font's height, within these bounds. One height for all lines is what is said most often.
    flow.lineHeight = maximumLineHeight > 0 ? maximumLineHeight : minimumLineHeight
    return flow
  }
}

// A caller changes it before others see it, as with Apple's.
open class NSMutableParagraphStyle: NSParagraphStyle, @unchecked Sendable {
  open override var alignment: NSTextAlignment {
    get { values.alignment }
    set { values.alignment = newValue }
  }
  open override var lineBreakMode: NSLineBreakMode {
    get { values.lineBreakMode }
    set { values.lineBreakMode = newValue }
  }
  open override var lineSpacing: CGFloat {
    get { values.lineSpacing }
    set { values.lineSpacing = newValue }
  }
  open override var paragraphSpacing: CGFloat {
    get { values.paragraphSpacing }
    set { values.paragraphSpacing = newValue }
  }
  open override var paragraphSpacingBefore: CGFloat {
    get { values.paragraphSpacingBefore }
    set { values.paragraphSpacingBefore = newValue }
  }
  open override var headIndent: CGFloat {
    get { values.headIndent }
    set { values.headIndent = newValue }
  }
  open override var tailIndent: CGFloat {
    get { values.tailIndent }
    set { values.tailIndent = newValue }
  }
  open override var firstLineHeadIndent: CGFloat {
    get { values.firstLineHeadIndent }
    set { values.firstLineHeadIndent = newValue }
  }
  open override var minimumLineHeight: CGFloat {
    get { values.minimumLineHeight }
    set { values.minimumLineHeight = newValue }
  }
  open override var maximumLineHeight: CGFloat {
    get { values.maximumLineHeight }
    set { values.maximumLineHeight = newValue }
  }
  open override var lineHeightMultiple: CGFloat {
    get { values.lineHeightMultiple }
    set { values.lineHeightMultiple = newValue }
  }
  open override var hyphenationFactor: Float {
    get { values.hyphenationFactor }
    set { values.hyphenationFactor = newValue }
  }
  open override var baseWritingDirection: NSWritingDirection {
    get { values.baseWritingDirection }
    set { values.baseWritingDirection = newValue }
  }
  open override var allowsDefaultTighteningForTruncation: Bool {
    get { values.allowsDefaultTighteningForTruncation }
    set { values.allowsDefaultTighteningForTruncation = newValue }
  }
  open func setParagraphStyle(_ obj: NSParagraphStyle) { values = obj.values }
}
