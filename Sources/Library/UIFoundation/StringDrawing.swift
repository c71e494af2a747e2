/// The font of text that names none. Apple's is Helvetica of 12 points. Here it is the font for user interfaces.
package let plainFont = FontChoice(family: FontChoice.system, size: 12)

extension NSAttributedString {
  /// Lays the text out.
  ///
  /// - Parameters:
  ///   - width: the width of lines; nil for lines as long as they are.
  ///   - mostLines: the greatest number of lines; 0 for any.
  package func setting(width: CGFloat?, mostLines: Int = 0, truncates: Bool = false) -> (TextSetting, AttributedText) {
    var text = AttributedText(self, font: plainFont)
    text.flow.mostLines = mostLines
    if truncates { text.flow.breaking = .tail }
    return (TextSetting(text.runs, text.flow, width: width), text)
  }

  /// The size of the text in lines as long as they are, in points.
  public func size() -> CGSize { setting(width: nil).0.size }

  /// Draws the text from a point on: its top left corner in UIKit's contexts, and its bottom left one in AppKit's.
  public func draw(at point: CGPoint) {
    guard let entry = DrawingStack.current else { return }
    let (setting, text) = setting(width: nil)
    let top = entry.isFlipped ? point.y : point.y + setting.size.height
    draw(setting, text, at: CGPoint(x: point.x, y: top), width: nil, in: entry)
  }

  /// Draws the text into a rectangle from the top down. What is below it is cut off.
  public func draw(in rect: CGRect) { draw(with: rect, options: .usesLineFragmentOrigin, context: nil) }

  /// Draws the text into a rectangle. Without `usesLineFragmentOrigin`, the rectangle's origin is the place of the first baseline.
  public func draw(with rect: CGRect, options: NSStringDrawingOptions = [], context: NSStringDrawingContext?) {
    guard let entry = DrawingStack.current else { return }
    guard options.contains(.usesLineFragmentOrigin) else {
      let (setting, text) = setting(width: nil)
      let baseline = setting.lines.first?.baseline ?? 0
      let top = entry.isFlipped ? rect.minY - baseline : rect.minY + baseline
      return draw(setting, text, at: CGPoint(x: rect.minX, y: top), width: nil, in: entry)
    }
    let width = rect.width > 0 ? rect.width : nil
    var (setting, text) = setting(width: width)
    let truncates = options.contains(.truncatesLastVisibleLine) || text.flow.breaking == .tail
    if truncates, rect.height > 0 {
      // There are as many lines as there is room for, and at least one.
      let whole = self.setting(width: width.map { $0 }, mostLines: 0).0
      let count = max(1, AttributedText(self, font: plainFont).lines(fitting: rect.height, width: width, whole))
      (setting, text) = self.setting(width: width, mostLines: count, truncates: true)
    }
    entry.context.saveGState()
    if rect.width > 0, rect.height > 0 { entry.context.clip(to: rect.insetBy(dx: -rect.width, dy: 0)) }
    draw(setting, text, at: CGPoint(x: rect.minX, y: entry.isFlipped ? rect.minY : rect.maxY), width: width, in: entry)
    entry.context.restoreGState()
  }

  private func draw(
    _ setting: TextSetting, _ text: AttributedText, at point: CGPoint, width: CGFloat?, in entry: DrawingStack.Entry
  ) {
    let context = entry.context
    context.saveGState()
    (text.shadow as? NSShadow)?.apply(to: context)
    setting.draw(in: context, at: point, isFlipped: entry.isFlipped, width: width)
    context.restoreGState()
  }

  /// The rectangle that the text takes in a size, from the origin on. Without `usesLineFragmentOrigin` it is one line.
  public func boundingRect(
    with size: CGSize, options: NSStringDrawingOptions = [], context: NSStringDrawingContext?
  ) -> CGRect {
    let isOpen = size.width <= 0 || size.width > 1e6 || !options.contains(.usesLineFragmentOrigin)
    let made = setting(width: isOpen ? nil : size.width).0.size
    return CGRect(origin: .zero, size: made)
  }
}

extension AttributedText {
  /// The number of lines that are not higher than a height.
  fileprivate func lines(fitting height: CGFloat, width: CGFloat?, _ setting: TextSetting) -> Int {
    var flow = flow
    flow.breaking = .words
    return TextSetting(runs, flow, width: width).lines.filter { $0.frame.maxY <= height + 0.5 }.count
  }
}

extension NSString {
  private func text(_ attributes: [NSAttributedString.Key: Any]?) -> NSAttributedString {
    NSAttributedString(string: description, attributes: attributes)
  }

  public func size(withAttributes attrs: [NSAttributedString.Key: Any]? = nil) -> CGSize { text(attrs).size() }
  public func draw(at point: CGPoint, withAttributes attrs: [NSAttributedString.Key: Any]? = nil) { text(attrs).draw(at: point) }
  public func draw(in rect: CGRect, withAttributes attrs: [NSAttributedString.Key: Any]? = nil) { text(attrs).draw(in: rect) }

  public func draw(
    with rect: CGRect, options: NSStringDrawingOptions = [], attributes: [NSAttributedString.Key: Any]? = nil,
    context: NSStringDrawingContext?
  ) { text(attributes).draw(with: rect, options: options, context: context) }

  public func boundingRect(
    with size: CGSize, options: NSStringDrawingOptions = [], attributes: [NSAttributedString.Key: Any]? = nil,
    context: NSStringDrawingContext?
  ) -> CGRect { text(attributes).boundingRect(with: size, options: options, context: context) }
}

extension String {
  public func size(withAttributes attrs: [NSAttributedString.Key: Any]? = nil) -> CGSize {
    NSAttributedString(string: self, attributes: attrs).size()
  }

  public func draw(at point: CGPoint, withAttributes attrs: [NSAttributedString.Key: Any]? = nil) {
    NSAttributedString(string: self, attributes: attrs).draw(at: point)
  }

  public func draw(in rect: CGRect, withAttributes attrs: [NSAttributedString.Key: Any]? = nil) {
    NSAttributedString(string: self, attributes: attrs).draw(in: rect)
  }

  public func draw(
    with rect: CGRect, options: NSStringDrawingOptions = [], attributes: [NSAttributedString.Key: Any]? = nil,
    context: NSStringDrawingContext?
  ) { NSAttributedString(string: self, attributes: attributes).draw(with: rect, options: options, context: context) }

  public func boundingRect(
    with size: CGSize, options: NSStringDrawingOptions = [], attributes: [NSAttributedString.Key: Any]? = nil,
    context: NSStringDrawingContext?
  ) -> CGRect {
    NSAttributedString(string: self, attributes: attributes).boundingRect(with: size, options: options, context: context)
  }
}
