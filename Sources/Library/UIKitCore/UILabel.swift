/// A view of a text.
/// - Partly: one style of paragraph for a text. The font is never made smaller
open class UILabel: UIView {
  open var text: String? {
    get { content?.string }
    set { content = newValue.map { NSAttributedString(string: $0) } }
  }
  open var attributedText: NSAttributedString? {
    get { content }
    set { content = newValue }
  }
  private var content: NSAttributedString?
  open var font: UIFont! = .systemFont(ofSize: 17)
  open var textColor: UIColor! = .black
  open var textAlignment = NSTextAlignment.natural
  open var lineBreakMode = NSLineBreakMode.byTruncatingTail
  /// The greatest number of lines; 0 for any.
  open var numberOfLines = 1
  open var shadowColor: UIColor?
  open var shadowOffset = CGSize(width: 0, height: -1)
  open var adjustsFontSizeToFitWidth = false
  open var minimumScaleFactor: CGFloat = 0
  open var allowsDefaultTighteningForTruncation = false
  open var isEnabled = true

  /// The text with the label's own settings where it has none.
  private var styled: NSAttributedString {
    let made = NSMutableAttributedString(attributedString: content ?? NSAttributedString(string: ""))
    let whole = NSRange(location: 0, length: made.length)
    let style = NSMutableParagraphStyle()
    (style.alignment, style.lineBreakMode) = (textAlignment, lineBreakMode == .byTruncatingTail ? .byWordWrapping : lineBreakMode)
    var defaults: [NSAttributedString.Key: Any] = [
      .font: font as Any, .foregroundColor: textColor as Any, .paragraphStyle: style,
    ]
    if let shadowColor {
      let shadow = NSShadow()
      (shadow.shadowColor, shadow.shadowOffset) = (shadowColor, shadowOffset)
      defaults[.shadow] = shadow
    }
    unsafe content?.enumerateAttributes(in: whole, options: []) { attributes, range, _ in
      for (key, value) in defaults where attributes[key] == nil { made.addAttribute(key, value: value, range: range) }
    }
    return made
  }

  /// Lays the text out in a size, with fewer lines than there is room for where the label says so.
  private func setting(in size: CGSize) -> TextSetting {
    let text = styled
    let whole = text.setting(width: size.width).0
    let room = whole.lines.filter { $0.frame.maxY <= size.height + 0.5 }.count
    let most = max(1, numberOfLines == 0 ? room : min(room, numberOfLines))
    guard whole.lines.count > most else { return whole }
    return text.setting(width: size.width, mostLines: most, truncates: lineBreakMode == .byTruncatingTail).0
  }

  /// Draws the text into a rectangle of the context that is drawn on now, in the middle of its height.
  open func drawText(in rect: CGRect) {
    guard let entry = DrawingStack.current, content != nil else { return }
    let setting = setting(in: rect.size)
    let top = rect.minY + max(0, (rect.height - setting.size.height) / 2)
    entry.context.saveGState()
    if let shadowColor {
      entry.context.setShadow(offset: shadowOffset, blur: 0, color: shadowColor.cgColor)
    }
    setting.draw(in: entry.context, at: CGPoint(x: rect.minX, y: top), isFlipped: true, width: rect.width)
    entry.context.restoreGState()
  }

  open override func draw(_ rect: CGRect) { drawText(in: bounds) }

  open func textRect(forBounds bounds: CGRect, limitedToNumberOfLines numberOfLines: Int) -> CGRect {
    let size = styled.setting(width: bounds.width, mostLines: numberOfLines).0.size
    return CGRect(origin: bounds.origin, size: size)
  }

  open override func sizeThatFits(_ size: CGSize) -> CGSize {
    let width = numberOfLines == 1 || size.width <= 0 || size.width > 1e6 ? nil : size.width
    let made = styled.setting(width: width, mostLines: numberOfLines).0.size
    return CGSize(width: made.width.rounded(.up), height: made.height.rounded(.up))
  }

  open override var intrinsicContentSize: CGSize { sizeThatFits(.zero) }
}
