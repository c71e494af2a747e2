internal import Formats
internal import JSON
internal import Timeline

/// Reads texts of layers: their runs, and how they look and are laid out.
extension DocumentReader {
  func textContent(_ object: DocumentObject) -> TextContent? {
    let mode = object["writingMode"].flatMap { $0.choice(WritingMode.self) } ?? .horizontal
    let runs = object["text"].flatMap { self.runs($0, mode) }
    let fonts = object["font"].flatMap(fonts)
    var course = TextContent.Course()
    let size = first(of: sum(object["size"], added: signed(DocumentLimits.fontSize), textSize), &course.size)
    let color = first(of: envelope(object["color"], color), &course.color)
    let style = textStyle(object)
    requireFrame(object)
    guard let runs, let fonts, let size else { return nil }
    var text = TextContent(
      string: "", fonts: fonts, language: style.language, size: size, weight: style.weight ?? 400, color: color ?? .white,
      alignment: object["align"].flatMap { $0.choice(TextContent.Alignment.self) } ?? .center,
      verticalAlignment: object["verticalAlign"].flatMap { $0.choice(TextContent.VerticalAlignment.self) } ?? .top,
      outline: object["outline"].flatMap(outline), letterSpacing: style.letterSpacing ?? 0,
      lineSpacing: object["lineSpacing"].flatMap { $0.number(in: DocumentLimits.lineSpacing) } ?? 1)
    (text.runs, text.writingMode, text.course) = (runs, mode, course)
    (text.slant, text.stretch) = (style.slant ?? .normal, style.stretch ?? 100)
    (text.axes, text.features) = (style.axes ?? [:], style.features ?? [:])
    (text.isUnderlined, text.isStruckThrough) = (style.isUnderlined ?? false, style.isStruckThrough ?? false)
    text.orientation = style.orientation ?? .mixed
    text.direction = object["direction"].flatMap { $0.choice(TextDirection.self) } ?? .automatic
    text.emphasis = style.emphasis.flatMap { $0.mark == .none ? nil : $0 }
    checkOrientation(text, object)
    readLooks(object, &text)
    readLines(object, &text)
    text.timestamp = object["timestamp"].flatMap(timestamp)
    checkFields(text, object)
    text.motion = object["animation"].flatMap(textMotion)
    checkMotion(text, object)
    return text
  }

  /// Notes what only a text with a frame can have.
  private func requireFrame(_ object: DocumentObject) {
    guard object["frame"] == nil else { return }
    if let mode = object["writingMode"], mode.value != .string(WritingMode.horizontal.rawValue) {
      mode.note("a vertical text needs a place: give it a frame")
    }
    object["verticalAlign"]?.note("a text without a frame stands in the lower third of the picture: give it a frame")
    for key in ["maxLines", "truncate", "minSize"] {
      object[key]?.note("a text without a frame shrinks to fit the lower third of the picture: give it a frame")
    }
  }

  private func readLooks(_ object: DocumentObject, _ text: inout TextContent) {
    text.gradient = object["fillGradient"].flatMap(gradientContent)
    if object["fillGradient"] != nil { object["color"]?.note("\"fillGradient\" fills the letters: give one of them") }
    text.shadow = object["textShadow"].flatMap(shadow)
    text.glow = object["glow"].flatMap(glow)
    text.box = object["box"].flatMap(box)
  }

  private func readLines(_ object: DocumentObject, _ text: inout TextContent) {
    text.wordSpacing = object["wordSpacing"].flatMap { $0.number(in: DocumentLimits.letterSpacing) } ?? 0
    text.lineHeight = object["lineHeight"].flatMap { $0.number(in: DocumentLimits.fontSize) }
    if object["lineHeight"] != nil { object["lineSpacing"]?.note("\"lineHeight\" says the distance of lines: give one of them") }
    text.tabs = object["tabs"].flatMap(tabs) ?? []
    text.wrapping = object["wrap"].flatMap { $0.choice(TextContent.Wrapping.self) } ?? .word
    text.maxLines = object["maxLines"].flatMap { $0.integer(in: 1...DocumentLimits.textLines) }
    text.truncation = object["truncate"].flatMap { $0.choice(TextContent.Truncation.self) }
    text.minimumSize = object["minSize"].flatMap(textSize)
    let sizes = [text.size] + text.course.size.keyframes.map(\.value)
    if let least = text.minimumSize, sizes.contains(where: { least > $0 }) { object["minSize"]?.note("is more than the size") }
  }

  // MARK: - Runs

  private func runs(_ node: DocumentNode, _ mode: WritingMode) -> [TextContent.Run]? {
    guard case .array = node.value else { return node.string(atMost: DocumentLimits.textLength).map { [TextContent.Run($0)] } }
    guard let nodes = node.elements(atMost: DocumentLimits.textRuns) else { return nil }
    guard !nodes.isEmpty else { return node.refuse(because: "must not be empty") }
    let runs = nodes.compactMap { run($0, mode) }
    guard runs.count == nodes.count else { return nil }
    guard runs.reduce(0, { $0 + $1.string.utf8.count }) <= DocumentLimits.textLength else {
      return node.refuse(because: "longer than \(DocumentLimits.textLength) bytes in all")
    }
    return TextContent.joined(runs)
  }

  private func run(_ node: DocumentNode, _ mode: WritingMode) -> TextContent.Run? {
    if case .string = node.value { return node.string(atMost: DocumentLimits.textLength).map { TextContent.Run($0) } }
    guard case .object = node.value else { return node.refuse("a string, or an object with \"text\"") }
    guard let object = DocumentObject(.textRun, node) else { return nil }
    let string = object["text"]?.string(atMost: DocumentLimits.textLength)
    var style = textStyle(object)
    style.fonts = object["font"].flatMap(fonts)
    style.size = object["size"].flatMap(textSize)
    style.baselineOffset = object["baselineOffset"].flatMap { $0.number(in: DocumentLimits.letterSpacing) }
    let ruby = object["ruby"].flatMap { $0.string(atMost: DocumentLimits.rubyLength) }
    let isCombined = object["textCombine"].flatMap { $0.bool() } ?? false
    if isCombined, !mode.isVertical {
      object["textCombine"]?.note(
        "only vertical lines have letters beside each other: give the text \"writingMode\": \"vertical-rl\"")
    }
    if isCombined { object["ruby"]?.note("stands beside letters that follow each other: leave \"textCombine\" out") }
    for (key, text) in [("text", string), ("ruby", ruby)] where object["ruby"] != nil || isCombined {
      // A base and its ruby stand over each other, each in one line.
      if text?.contains(where: \.isNewline) ?? false { object[key]?.note("has a line break, and stands in one line") }
    }
    return string.map { string in
      var run = TextContent.Run(string, style, ruby: ruby)
      run.isCombined = isCombined
      return run
    }
  }

  /// The keys that a whole text and its runs have in common, but for fonts and sizes.
  private func textStyle(_ object: DocumentObject) -> TextContent.Style {
    var style = TextContent.Style()
    style.language = object["language"].flatMap(language)
    style.weight = object["weight"].flatMap { $0.integer(in: 100...1000) }
    style.slant = object["slant"].flatMap { $0.choice(TextContent.Slant.self) }
    style.stretch = object["stretch"].flatMap { $0.number(in: DocumentLimits.stretch) }
    style.axes = object["axes"].flatMap { settings($0) { $0.number(in: DocumentLimits.axis) } }
    style.features = object["features"].flatMap { settings($0) { $0.integer(in: DocumentLimits.feature) } }
    if object.form != .textLayer { style.color = object["color"].flatMap(color) }
    style.isUnderlined = object["underline"].flatMap { $0.bool() }
    style.isStruckThrough = object["strikethrough"].flatMap { $0.bool() }
    style.letterSpacing = object["letterSpacing"].flatMap { $0.number(in: DocumentLimits.letterSpacing) }
    style.orientation = object["textOrientation"].flatMap { $0.choice(TextOrientation.self) }
    style.emphasis = object["textEmphasis"].flatMap(emphasis)
    return style
  }

  /// The size in pixels: a number, or a share of the picture's height such as `"8%"`.
  private func textSize(_ node: DocumentNode) -> Double? {
    guard case .string(let text) = node.value else { return node.number(in: DocumentLimits.fontSize) }
    let digits = text.dropLast()
    guard text.last == "%", text.utf8.count <= 16, digits.utf8.allSatisfy({ 0x30...0x39 ~= $0 || $0 == 0x2e }),
      let share = Double(digits)
    else {
      return node.refuse(because: "'\(text.prefix(100))' is no size: expected pixels, or a share of the height such as \"8%\"")
    }
    guard let renderHeight else {
      // The fault that leaves the height unknown is told in its own place, and what is not known yet is looked at again later.
      if hasVideoComposition {
        log.leaveUnjudged(node.path)
      } else {
        node.note("a share of the picture's height needs \"videoComposition\", which has that")
      }
      return DocumentLimits.fontSize.lowerBound
    }
    let size = share / 100 * Double(renderHeight)
    guard DocumentLimits.fontSize.contains(size) else {
      return node.refuse(because: "\(text) of \(renderHeight) is \(JSONValue.text(size)) pixels, which is not in 1...4096")
    }
    return size
  }

  /// The values of an object whose keys are tags of OpenType.
  private func settings<Value>(_ node: DocumentNode, _ read: (DocumentNode) -> Value?) -> [String: Value]? {
    guard case .object(let members) = node.value else { return node.refuse("an object") }
    guard members.count <= DocumentLimits.fontSettings else {
      return node.refuse(because: "\(members.count) members; at most \(DocumentLimits.fontSettings) are accepted")
    }
    var settings: [String: Value] = [:]
    for member in members {
      let value = DocumentNode(value: member.value, path: node.path[member.key], log: log)
      guard member.key.utf8.count == 4, member.key.utf8.allSatisfy(\.isTagByte) else {
        value.note("is no tag: expected four letters or digits")
        continue
      }
      settings[member.key] = read(value)
    }
    return settings
  }

  /// The families: one name, or several in order of preference.
  private func fonts(_ node: DocumentNode) -> [String]? {
    guard case .array = node.value else { return node.string(atMost: DocumentLimits.nameLength).map { [$0] } }
    guard let nodes = node.elements(atMost: DocumentLimits.fonts) else { return nil }
    guard !nodes.isEmpty else { return node.refuse(because: "names no font") }
    let names = nodes.compactMap { $0.string(atMost: DocumentLimits.nameLength) }
    guard names.count == nodes.count else { return nil }
    for (index, name) in names.enumerated() where names[..<index].contains(name) {
      nodes[index].note("'\(name)' stands in the list already")
    }
    return names
  }

  func language(_ node: DocumentNode) -> String? {
    guard let text = node.string(atMost: DocumentLimits.nameLength) else { return nil }
    guard LanguageCode.isTag(text) else {
      return node.refuse(because: "'\(text.prefix(100))' is not a language's tag (BCP 47), such as ja, ko, zh-Hans or zh-Hant")
    }
    return text
  }

  private func tabs(_ node: DocumentNode) -> [Double]? {
    guard let nodes = node.elements(atMost: DocumentLimits.tabs) else { return nil }
    guard !nodes.isEmpty else { return node.refuse(because: "names no place") }
    let places = nodes.compactMap { $0.number(in: 1...DocumentLimits.coordinate.upperBound) }
    guard places.count == nodes.count else { return nil }
    guard zip(places, places.dropFirst()).allSatisfy({ $0 < $1 }) else { return node.refuse(because: "must rise") }
    return places
  }

  // MARK: - Looks

  private func outline(_ node: DocumentNode) -> TextContent.Outline? {
    guard let object = DocumentObject(.outline, node) else { return nil }
    let color = object["color"].map(color) ?? .black
    let width = object["width"]?.number(in: DocumentLimits.lineWidth)
    let position = object["position"].map { $0.choice(TextContent.Outline.Position.self) } ?? .outside
    let join = object["join"].map { $0.choice(ShapeContent.LineJoin.self) } ?? .round
    guard let color, let width, let position, let join else { return nil }
    return TextContent.Outline(color: color, width: width, position: position, join: join)
  }

  private func glow(_ node: DocumentNode) -> TextContent.Glow? {
    guard let object = DocumentObject(.glow, node) else { return nil }
    let color = object["color"].map(color) ?? .white
    let radius = object["radius"]?.number(in: DocumentLimits.shadowRadius)
    let strength = object["strength"].map { $0.integer(in: DocumentLimits.glowStrength) } ?? 2
    guard let color, let radius, let strength else { return nil }
    return TextContent.Glow(color: color, radius: radius, strength: strength)
  }

  private func box(_ node: DocumentNode) -> TextContent.Box? {
    guard let object = DocumentObject(.textBox, node) else { return nil }
    let color = object["color"].flatMap(color)
    let padding = object["padding"].map(padding) ?? Point(0, 0)
    let radius = object["cornerRadius"].map { $0.number(in: DocumentLimits.lineWidth) } ?? 0
    let extent = object["around"].map { $0.choice(TextContent.Box.Extent.self) } ?? .text
    guard let color, let padding, let radius, let extent else { return nil }
    return TextContent.Box(color: color, padding: padding, cornerRadius: radius, extent: extent)
  }

  /// The padding: one number for all sides, or `[x, y]`.
  private func padding(_ node: DocumentNode) -> Point? {
    if case .array = node.value { return point(node, in: DocumentLimits.lineWidth) }
    return node.number(in: DocumentLimits.lineWidth).map { Point($0, $0) }
  }
}

extension UInt8 {
  /// Whether a tag of OpenType may have this byte here: an ASCII letter or digit.
  fileprivate var isTagByte: Bool { 0x30...0x39 ~= self || 0x41...0x5a ~= self || 0x61...0x7a ~= self }
}
