internal import Formats

/// The styles of an element of timed text, as far as captions can have them. What nobody says is nil.
struct TimedTextStyle {
  private var color: RGBAColor?
  private var isBold: Bool?
  private var isItalic: Bool?
  private var isUnderlined: Bool?
  private var isStruck: Bool?
  private var isCombined: Bool?
  private var emphasis: TextEmphasis?
  private var align: String?
  private var isRightToLeft: Bool?
  /// The direction in which a paragraph runs, and that of a part of it that is embedded.
  private(set) var direction: TextDirection?
  /// Whether the text is left out; what stands in it may be shown all the same (visibility).
  private var isHidden: Bool?

  /// The names of all that is taken over from styles and elements, here and by regions.
  static let names: Set<String> = [
    "color", "direction", "display", "displayAlign", "extent", "fontStyle", "fontWeight", "opacity", "origin", "position", "ruby",
    "textAlign", "textCombine", "textDecoration", "textEmphasis", "unicodeBidi", "visibility", "writingMode",
  ]

  /// The look of the letters.
  var look: CueRuns.Look {
    CueRuns.Look(
      isBold: isBold ?? false, isItalic: isItalic ?? false, isUnderlined: isUnderlined ?? false, isStruck: isStruck ?? false,
      color: color, isCombined: isCombined ?? false, emphasis: emphasis)
  }

  /// The side to which lines are set; nil where nobody says it.
  var alignment: CaptionAlignment? {
    switch align {
    case "left": .left
    case "center": .center
    case "right": .right
    case "start": isRightToLeft == true ? .right : .left
    case "end": isRightToLeft == true ? .left : .right
    default: nil
    }
  }

  var isShown: Bool { isHidden != true }

  /// Takes what an element says, and notes the colours and marks that are not known.
  ///
  /// - Parameter line: the element's place in the file.
  mutating func take(_ attributes: [String: String], _ line: Int, _ log: inout CaptionLog) {
    if let text = attributes["color"] {
      color = NamedColor.color(text) ?? color
      if NamedColor.color(text) == nil { log.note(line, "color \"\(text.prefix(40))\" is not known") }
    }
    if let weight = attributes["fontWeight"] { isBold = weight == "bold" }
    if let style = attributes["fontStyle"] { isItalic = style != "normal" }
    for word in attributes["textDecoration"]?.split(separator: " ") ?? [] {
      switch word {
      case "underline": isUnderlined = true
      case "noUnderline": isUnderlined = false
      case "lineThrough": isStruck = true
      case "noLineThrough": isStruck = false
      case "none": (isUnderlined, isStruck) = (false, false)
      case "noOverline": break
      default: log.note(line, "textDecoration \"\(word.prefix(40))\" is not drawn")
      }
    }
    if let combine = attributes["textCombine"] { isCombined = combine != "none" }
    if let marks = attributes["textEmphasis"] {
      emphasis = TextEmphasis(timedText: marks)
      if emphasis == nil { log.note(line, "textEmphasis \"\(marks.prefix(40))\" is not drawn") }
    }
    align = attributes["textAlign"] ?? align
    if let text = attributes["direction"] {
      direction = text == "rtl" ? .rightToLeft : .leftToRight
      isRightToLeft = text == "rtl"
    }
    switch attributes["writingMode"] {
    case "rltb", "rl": isRightToLeft = true
    case "lrtb", "lr": isRightToLeft = false
    default: break
    }
    if let visibility = attributes["visibility"] { isHidden = visibility == "hidden" }
  }

  /// This style, and for what it does not say another one's.
  func over(_ ground: TimedTextStyle) -> TimedTextStyle {
    var whole = self
    (whole.color, whole.isBold, whole.isItalic) = (color ?? ground.color, isBold ?? ground.isBold, isItalic ?? ground.isItalic)
    (whole.isUnderlined, whole.isStruck) = (isUnderlined ?? ground.isUnderlined, isStruck ?? ground.isStruck)
    (whole.isCombined, whole.emphasis) = (isCombined ?? ground.isCombined, emphasis ?? ground.emphasis)
    (whole.align, whole.isRightToLeft) = (align ?? ground.align, isRightToLeft ?? ground.isRightToLeft)
    whole.direction = direction ?? ground.direction
    whole.isHidden = isHidden ?? ground.isHidden
    return whole
  }

  /// Whether an element with these attributes is left out with all that stands in it.
  static func isLeftOut(_ attributes: [String: String]) -> Bool {
    attributes["display"] == "none" || attributes["opacity"].flatMap { Double($0) } == 0
  }

  /// The characters around a part of a paragraph that is embedded in it, isolated from it, or overrides the directions of letters
  /// (`unicodeBidi`); nil where an element does none of it.
  func marks(_ attributes: [String: String]) -> (before: String, after: String)? {
    let isRightToLeft = direction == .rightToLeft
    switch attributes["unicodeBidi"] {
    case "embed": return (isRightToLeft ? "\u{202b}" : "\u{202a}", "\u{202c}")
    case "bidiOverride": return (isRightToLeft ? "\u{202e}" : "\u{202d}", "\u{202c}")
    case "isolate": return (isRightToLeft ? "\u{2067}" : "\u{2066}", "\u{2069}")
    default: return nil
    }
  }

  // MARK: - What is not drawn

  /// The styles that captions have from their track, or not at all, with the values that say nothing.
  private static let unused: [String: [String]] = [
    "backgroundColor": ["transparent", "#00000000", "rgba(0,0,0,0)"], "backgroundImage": ["none"], "border": ["none"],
    "fontFamily": ["default"], "fontKerning": ["normal"], "fontShear": ["0%"], "fontSize": ["1c", "100%"],
    "fontVariant": ["normal"], "letterSpacing": ["normal"], "lineHeight": ["normal"], "linePadding": ["0c"],
    "lineShear": ["0%"], "multiRowAlign": ["auto"], "opacity": ["0", "0.0", "1", "1.0"], "padding": ["0%", "0px"],
    "rubyPosition": ["auto", "outside", "before"], "shear": ["0%"], "textOutline": ["none"], "textShadow": ["none"],
    "wrapOption": ["wrap"],
  ]

  /// The names of the styles that an element says and captions do not have.
  static func lost(of attributes: [String: String]) -> [String] {
    attributes.filter { name, value in unused[name].map { !$0.contains(value) } ?? false }.keys.sorted()
  }
}
