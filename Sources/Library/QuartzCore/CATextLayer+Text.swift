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
    case .left: text.flow.alignment = .left
    case .center: text.flow.alignment = .center
    case .right: text.flow.alignment = .right
    case .justified: text.flow.alignment = .justified
    default: break
    }
    return text
  }

  /// Whether the text is read from the right: its paragraphs begin with a letter of Arabic, Hebrew or another such script. Nil where they differ.
  package var isReadFromRight: Bool? {
    let text = (string as? String) ?? (string as? NSAttributedString)?.string ?? ""
    let directions = Set(
      text.split(whereSeparator: \.isNewline).compactMap { $0.unicodeScalars.lazy.compactMap(\.isReadFromRight).first })
    return directions.count > 1 ? nil : directions.contains(true)
  }
}

extension Unicode.Scalar {
  /// The direction of a letter or of an invisible mark; nil of signs and digits, which have none of their own.
  fileprivate var isReadFromRight: Bool? {
    switch value {
    case 0x200E: false
    case 0x200F: true
    case _ where !properties.isAlphabetic: nil
    case 0x590...0x8FF, 0xFB1D...0xFDFF, 0xFE70...0xFEFF, 0x10800...0x10FFF, 0x1E800...0x1EFFF: true
    default: false
    }
  }
}
