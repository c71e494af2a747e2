/// Something that says how lines are broken, such as NSParagraphStyle.
package protocol TextFlowing {
  var flow: TextFlow { get }
}

/// An attributed string as runs that are drawn. Attributes that are not drawn, such as links, are left out.
package struct AttributedText {
  package var runs: [TextRun] = []
  package var flow = TextFlow()
  /// The shadow of the first run that has one.
  package var shadow: Any?

  /// - Parameters:
  ///   - font: the font of what has none.
  ///   - color: the colour of what has none.
  package init(_ string: NSAttributedString, font: FontChoice, color: CGColor = .black) {
    let range = NSRange(location: 0, length: string.length)
    guard range.length > 0 else { return }
    var hasFlow = false
    unsafe string.enumerateAttributes(in: range, options: []) { attributes, part, _ in
      let values = Dictionary(attributes.map { ($0.key.rawValue, $0.value) }, uniquingKeysWith: { one, _ in one })
      var run = TextRun(
        (string.string as NSString).substring(with: part), font: CTFont.choice(of: values["NSFont"] ?? values["CTFont"]) ?? font)
      run.color = CoreGraphics.color(of: values["NSColor"] ?? values["CTForegroundColor"]) ?? color
      run.background = CoreGraphics.color(of: values["NSBackgroundColor"] ?? values["CTBackgroundColor"])
      run.kern = Self.number(values["NSKern"])
      run.isUnderlined = Self.number(values["NSUnderline"]) != 0
      run.isStruck = Self.number(values["NSStrikethrough"]) != 0
      run.strokeWidth = Self.number(values["NSStrokeWidth"])
      run.strokeColor = CoreGraphics.color(of: values["NSStrokeColor"] ?? values["CTStrokeColor"])
      run.rise = Self.number(values["NSBaselineOffset"])
      runs.append(run)
      if !hasFlow, let style = values["NSParagraphStyle"] as? any TextFlowing {
        (flow, hasFlow) = (style.flow, true)
      }
      shadow = shadow ?? values["NSShadow"]
    }
  }

  /// The number that a value of an attribute is; 0 where it is none.
  private static func number(_ value: Any?) -> CGFloat {
    switch value {
    case let value as CGFloat: value
    case let value as Double: CGFloat(value)
    case let value as Float: CGFloat(value)
    case let value as Int: CGFloat(value)
    case let value as NSNumber: CGFloat(value.doubleValue)
    default: 0
    }
  }
}
