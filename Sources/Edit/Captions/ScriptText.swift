/// The text of an event, looked through for what its picture depends on: the faces of its letters, and the tags that move it.
struct ScriptText {
  private(set) var letters: [CaptionScript.Face: Set<Unicode.Scalar>] = [:]
  private(set) var change = CaptionScript.Change.never
  private(set) var isPlaced = false
  private let styles: ScriptStyles
  private let style: ScriptStyles.Style
  private var family: String
  private var weight: Int
  private var isItalic: Bool
  private var isDrawing = false

  init(_ styles: ScriptStyles, of name: String) {
    (self.styles, style) = (styles, styles.style(ofEvent: name))
    (family, weight, isItalic) = (style.family, style.isBold ? 700 : 400, style.isItalic)
    // A font whose name begins with this is set in vertical lines.
    if family.hasPrefix("@") { family.removeFirst() }
  }

  mutating func read(_ text: String) {
    let scalars = Array(text.unicodeScalars)
    // The place of the next closing brace, so that a text of opening ones is looked through once.
    var (place, closing) = (0, -1)
    while place < scalars.count {
      let scalar = scalars[place]
      if scalar == "{" {
        if closing < place, closing < scalars.count { closing = scalars[place...].firstIndex(of: "}") ?? scalars.count }
        if closing < scalars.count {
          take(block: scalars[(place + 1)..<closing])
          place = closing + 1
          continue
        }
      }
      if scalar == "\\", place + 1 < scalars.count, "Nnh{}".unicodeScalars.contains(scalars[place + 1]) {
        if "{}".unicodeScalars.contains(scalars[place + 1]) { add(scalars[place + 1]) }
        if scalars[place + 1] == "h" { add(" ") }
        place += 2
        continue
      }
      add(scalar)
      place += 1
    }
  }

  private mutating func add(_ scalar: Unicode.Scalar) {
    let face = CaptionScript.Face(family, weight: weight, isItalic: isItalic)
    // libass draws no drawing whose font is missing.
    if isDrawing {
      letters[face] = letters[face] ?? []
    } else {
      letters[face, default: []].insert(scalar == "\t" ? " " : scalar)
    }
  }

  // MARK: - Tags

  private mutating func take(block: ArraySlice<Unicode.Scalar>) {
    for tag in block.split(separator: "\\", omittingEmptySubsequences: false).dropFirst() {
      // A tag in another one's parentheses ends with these.
      let text = String(String.UnicodeScalarView(tag.drop { $0 == " " || $0 == "\t" }))
      take(tag: text)
    }
  }

  /// The tags that look the same at all times; a longer one comes before those that it begins with. libass knows a tag by its
  /// beginning, in this order.
  private static let steady = [
    "xbord", "ybord", "xshad", "yshad", "fax", "fay", "iclip", "blur", "fscx", "fscy", "fsc", "fsp", "fs", "bord", "frx", "fry",
    "frz", "fr", "alpha", "an", "a", "clip", "c", "1c", "2c", "3c", "4c", "1a", "2a", "3a", "4a", "be", "shad", "s", "u", "pbo",
    "q", "fe",
  ]

  private mutating func take(tag: String) {
    if tag.hasPrefix("fn") { return take(font: Self.argument(tag.dropFirst(2))) }
    if tag.hasPrefix("pos") || tag.hasPrefix("org") { return isPlaced = isPlaced || Self.count(ofArguments: tag) == 2 }
    if tag.hasPrefix("move") {
      isPlaced = isPlaced || [4, 6].contains(Self.count(ofArguments: tag))
      return change = .always
    }
    if tag.hasPrefix("fad") { return take(fade: tag) }
    if Self.steady.contains(where: tag.hasPrefix) { return }
    let argument = Self.argument(tag.dropFirst())
    switch tag.first {
    case "r": take(style: argument)
    case "b":
      let value = ScriptNumbers.integer(argument)
      let isKnown = !argument.isEmpty && (value == 0 || value == 1 || value >= 100)
      weight = !isKnown ? (style.isBold ? 700 : 400) : value == 1 ? 700 : value == 0 ? 400 : min(value, 1000)
    case "i":
      let value = ScriptNumbers.integer(argument)
      isItalic = argument.isEmpty || !(0...1 ~= value) ? style.isItalic : value == 1
    case "p": isDrawing = ScriptNumbers.integer(argument) > 0
    case nil: break
    case "t": (isPlaced, change) = (true, .always)
    // Karaoke, and whatever is not known.
    default: change = .always
    }
  }

  private mutating func take(font name: String) {
    family = name.isEmpty || name == "0" ? style.family : name
    if family.hasPrefix("@") { family.removeFirst() }
  }

  private mutating func take(style name: String) {
    let other = styles[name] ?? style
    (family, weight, isItalic) = (other.family, other.isBold ? 700 : 400, other.isItalic)
    if family.hasPrefix("@") { family.removeFirst() }
  }

  /// `\fad` with two whole numbers changes the picture at its ends alone.
  private mutating func take(fade tag: String) {
    let parts = tag.dropFirst(3).dropFirst().dropLast().split(separator: ",").map(\.trimmed)
    guard change == .never, tag.hasPrefix("fad("), tag.hasSuffix(")"), parts.count == 2, parts.allSatisfy(\.isDigits),
      let first = Int64(parts[0]), let last = Int64(parts[1]), max(first, last) <= 1_000_000
    else { return change = .always }
    change = .fades(first, last)
  }

  /// The argument of a tag, in parentheses or not.
  private static func argument(_ text: Substring) -> String {
    let inner = text.hasPrefix("(") ? text.dropFirst().prefix { $0 != "," && $0 != ")" } : text.prefix { $0 != "(" && $0 != ")" }
    return inner.trimmed
  }

  private static func count(ofArguments tag: String) -> Int {
    guard let open = tag.firstIndex(of: "(") else { return 0 }
    return tag[tag.index(after: open)...].prefix { $0 != ")" }.split(separator: ",", omittingEmptySubsequences: false).count
  }
}
