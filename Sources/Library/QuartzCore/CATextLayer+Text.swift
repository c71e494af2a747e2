internal import CoreText

extension CATextLayer {
  /// The size that the text has where nothing breaks its lines; with attributes, that of the attributed text.
  public func preferredFrameSize() -> CGSize {
    guard let text = attributedText() else { return .zero }
    return TextSetting(text.runs, text.flow, width: nil).size
  }

  func paintText(_ context: CGContext, isFlipped: Bool) {
    guard var text = attributedText() else { return }
    text.flow.breaking = isWrapped ? .words : .none
    if truncationMode != .none {
      precondition(!isWrapped, "CATextLayer.render(in:): lines that wrap are not truncated")
      text.flow.breaking = truncationMode == .start ? .head : truncationMode == .middle ? .middle : .tail
    }
    let setting = TextSetting(text.runs, text.flow, width: bounds.width)
    let top = isFlipped ? bounds.minY : bounds.maxY
    setting.draw(in: context, at: CGPoint(x: bounds.minX, y: top), isFlipped: isFlipped, width: bounds.width)
  }

  /// The text with its style, and with the layer's alignment; nil where it is no text.
  private func attributedText() -> AttributedText? {
    let choice =
      CTFont.choice(of: font) ?? ((font ?? Self.usualFont) as? String).flatMap { FontChoice(named: $0, size: fontSize) }
      ?? FontChoice(family: FontChoice.system, size: fontSize)
    var sized = choice
    sized.size = fontSize
    var text: AttributedText
    switch string {
    // A text with attributes has all of its style in them, as in Core Animation.
    case let string as NSAttributedString where hasAttributes:
      text = AttributedText(string, font: FontChoice(family: FontChoice.system, size: 12))
    case let string as NSAttributedString: text = AttributedText(string, font: sized, color: foregroundColor ?? .clear)
    case let string as String:
      text = AttributedText(NSAttributedString(string: string), font: sized, color: foregroundColor ?? .clear)
    default: return nil
    }
    switch alignmentMode {
    case .center: text.flow.alignment = .center
    case .right: text.flow.alignment = .right
    case .justified: text.flow.alignment = .justified
    default: break
    }
    return text
  }
}
