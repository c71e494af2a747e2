internal import Formats
internal import JSON
internal import MediaTime
internal import Timeline

/// Makes layers of a file's texts: of the outlines that the file has for their characters, else of texts in a font.
struct LottieText {
  let file: LottieFile
  let clock: LottieClock

  init(_ file: LottieFile, _ clock: LottieClock) { (self.file, self.clock) = (file, clock) }

  /// A text at a moment.
  private struct Words {
    let node: LottieNode
    var lines: [String]
    let font: String
    let size: Double
    let lineHeight: Double
    /// The space after each character.
    let spacing: Double
    let shift: Double
    /// 0 left, 1 right, 2 centred.
    let side: Int
    /// The corner and the size of the box in which the lines are broken; nil for lines as they are.
    let box: Rect?
  }

  func layers(_ node: LottieNode) throws(LottieFault) -> [Layer] {
    if let way = node["t"]?["p"], way["m"] != nil { file.log.lose(way.path, "a text does not follow a path") }
    let documents = node["t"]?["d"]?["k"]?.elements ?? []
    guard documents.count <= DocumentLimits.keyframes / 10 else { throw node.fault("has \(documents.count) texts") }
    var layers: [Layer] = []
    for (index, document) in documents.enumerated() {
      guard let words = try words(document["s"] ?? document), var layer = try layer(words, node) else { continue }
      if documents.count > 1 {
        let from = try index == 0 ? -LottieLimits.frames : document.number("t", or: 0)
        let to = try index + 1 < documents.count ? documents[index + 1].number("t", or: 0) : LottieLimits.frames
        let (start, end) = (clock.time(from), clock.time(to))
        guard start < end else { continue }
        do throws(TimeError) { layer.timeRange = try MediaTimeRange(start: start, end: end) } catch {
          throw document.fault("its times cannot be told: \(error)")
        }
      }
      try file.log.countLayer(document.path)
      layers.append(layer)
    }
    return layers
  }

  private func words(_ node: LottieNode) throws(LottieFault) -> Words? {
    guard let text = node.text("t")?.filter({ $0 != "\0" }), !text.isEmpty, text.utf8.count <= DocumentLimits.textLength else {
      return nil
    }
    let size = min(max(try node.number("s", or: 12), DocumentLimits.fontSize.lowerBound), DocumentLimits.fontSize.upperBound)
    let lines = text.split(omittingEmptySubsequences: false) { $0.isNewline || $0 == "\u{3}" }.map(String.init)
    var box: Rect?
    if let size = try node["sz"]?.numbers, size.count > 1, size[0] > 0 {
      let corner = try node["ps"]?.numbers ?? [0, 0]
      func near(_ value: Double) -> Double { min(max(value, -100_000), 100_000) }
      box = Rect(near(corner.first ?? 0), near(corner.count > 1 ? corner[1] : 0), near(size[0]), near(max(size[1], 1)))
    }
    return Words(
      node: node, lines: lines, font: node.text("f") ?? "", size: size, lineHeight: try node.number("lh", or: size * 1.2),
      spacing: try node.number("tr", or: 0) / 1_000 * size, shift: try node.number("ls", or: 0),
      side: try node.integer("j") ?? 0, box: box)
  }

  private func layer(_ words: Words, _ node: LottieNode) throws(LottieFault) -> Layer? {
    let glyphs = LottieGlyphs(file, font: words.font)
    let words = try raised(words, glyphs)
    let animators = node["t"]?["a"]?.elements ?? []
    guard glyphs.cover(words.lines) else {
      guard var layer = try textLayer(words) else { return nil }
      if !animators.isEmpty {
        try LottieTextMotion(clock: clock, log: file.log, lines: words.lines, size: words.size).apply(animators, to: &layer)
      }
      return layer
    }
    let lines = placed(words, glyphs)
    let animated = try LottieAnimators(animators, node["t"]?["m"], lines: lines, side: words.side, file.log)
    guard let animated else { return try shapeLayer(words, lines, glyphs) }
    return try animatedLayer(words, lines.flatMap(\.self), glyphs, by: animated)
  }

  /// The text in capitals, where the file asks for them. A file with outlines may have those of the capitals, or those of the
  /// letters.
  private func raised(_ words: Words, _ glyphs: LottieGlyphs) throws(LottieFault) -> Words {
    switch try words.node.integer("ca") ?? 0 {
    case 1:
      var raised = words
      raised.lines = words.lines.map { $0.uppercased() }
      return glyphs.cover(words.lines) && !glyphs.cover(raised.lines) ? words : raised
    case 2:
      file.log.approximate(words.node.path["ca"], "small capitals are drawn as the letters that they stand for")
      return words
    default: return words
    }
  }

  private static func color(_ node: LottieNode?) throws(LottieFault) -> RGBAColor? {
    guard let parts = try node?.numbers, parts.count >= 3 else { return nil }
    let bounded = parts.map { min(max($0, 0), 1) }
    return RGBAColor(bounded[0], bounded[1], bounded[2])
  }

  // MARK: - Outlines

  /// A character at its place on the line, and the width that it takes without the space after it.
  private typealias Letter = (character: Character, place: Point, width: Double)

  private func placed(_ words: Words, _ glyphs: LottieGlyphs) -> [[Letter]] {
    let scale = words.size / 100
    func width(_ text: some Sequence<Character>) -> Double {
      text.reduce(0) { $0 + (glyphs[$1]?.width ?? 0) * scale + words.spacing }
    }
    let lines = words.box.map { box in words.lines.flatMap { Self.broken($0, box.width, width) } } ?? words.lines
    let top = (words.box?.y ?? 0) + (words.box == nil ? 0 : file.ascent(of: words.font) * scale)
    return lines.enumerated().map { number, line in
      let length = max(width(line) - words.spacing, 0)
      let room = words.box.map { $0.width - length } ?? -length
      var x = (words.box?.x ?? 0) + (words.side == 1 ? room : words.side == 2 ? room / 2 : 0)
      let y = top + Double(number) * words.lineHeight - words.shift
      return line.map { character in
        let place = Point(x, y)
        x += width(CollectionOfOne(character))
        return (character, place, x - place.x - words.spacing)
      }
    }
  }

  /// The outlines of a character at a place.
  private func elements(
    of character: Character, at place: Point, _ words: Words, _ glyphs: LottieGlyphs
  ) throws(LottieFault) -> [VectorPath.Element] {
    let scale = words.size / 100
    var elements: [VectorPath.Element] = []
    for outline in try glyphs[character]?.outlines(file.log) ?? [] {
      elements += outline.path({ $0.first }, cuts: false).map { Point(place.x + $0.x * scale, place.y + $0.y * scale) }.elements
    }
    try file.log.count(elements: elements.count, words.node.path)
    return elements
  }

  private func shapeLayer(_ words: Words, _ lines: [[Letter]], _ glyphs: LottieGlyphs) throws(LottieFault) -> Layer? {
    var elements: [VectorPath.Element] = []
    for letter in lines.flatMap(\.self) { elements += try self.elements(of: letter.character, at: letter.place, words, glyphs) }
    return try shape(of: elements, words).map { Layer(content: .shape($0)) }
  }

  private func shape(of elements: [VectorPath.Element], _ words: Words) throws(LottieFault) -> ShapeContent? {
    guard !elements.isEmpty, elements.count <= DocumentLimits.pathElements else { return nil }
    var shape = ShapeContent(outline: .path(VectorPath(elements)), fillColor: try Self.color(words.node["fc"]))
    if let color = try Self.color(words.node["sc"]), try words.node.number("sw", or: 0) > 0 {
      shape.strokeColor = color
      shape.lineWidth = min(try words.node.number("sw", or: 1), DocumentLimits.lineWidth.upperBound)
      shape.lineJoin = .round
    }
    return shape.fillColor != nil || shape.strokeColor != nil ? shape : nil
  }

  // MARK: - Characters that move

  /// A layer for each character that animators change, with its values at each frame of the file.
  private func animatedLayer(
    _ words: Words, _ letters: [Letter], _ glyphs: LottieGlyphs, by animators: LottieAnimators
  ) throws(LottieFault) -> Layer? {
    var shapes: [(index: Int, shape: ShapeContent)] = []
    for (index, letter) in letters.enumerated() {
      let outline = try elements(of: letter.character, at: .zero, words, glyphs)
      if let shape = try shape(of: outline, words) { shapes.append((index, shape)) }
    }
    guard let first = shapes.first?.shape else { return nil }
    let values = animators.values
    try file.log.count(keyframes: clock.samples(of: values) * shapes.count, words.node.path)
    let rest = LottieAnimators.Look(
      fill: first.fillColor, stroke: first.strokeColor, lineWidth: first.strokeColor == nil ? 0 : first.lineWidth)
    if values.contains(where: \.isMoving) {
      file.log.approximate(
        words.node.path, "what animators make of characters is computed for each frame of the file, and changes evenly between")
    }
    var looks: [Double: [LottieAnimators.Look]] = [:]
    func look(_ index: Int, _ frame: Double) -> LottieAnimators.Look {
      let all = looks[frame] ?? animators.looks(rest, at: frame)
      looks[frame] = all
      return all[index]
    }
    var layers: [Layer] = []
    for (index, shape) in shapes {
      try file.log.countLayer(words.node.path)
      var shape = shape
      let fill = clock.sampled(values) { look(index, $0).fill ?? .black }
      let stroke = clock.sampled(values) { look(index, $0).stroke ?? .black }
      let width = clock.sampled(values) { look(index, $0).lineWidth }
      if shape.fillColor != nil { (shape.fillColor, shape.motion.fillColor) = Self.divided(fill) }
      if shape.strokeColor != nil {
        (shape.strokeColor, shape.motion.strokeColor) = Self.divided(stroke)
        (shape.lineWidth, shape.motion.lineWidth) = Self.divided(width)
      }
      let geometry = LayerGeometry(
        frame: LottieTransform.plane, anchorPoint: .zero, position: Envelope(constant: .zero),
        transform: clock.sampled(values) { look(index, $0).map })
      layers.append(
        Layer(content: .shape(shape), geometry: geometry, opacity: clock.sampled(values) { look(index, $0).opacity }))
    }
    return Layer(content: nil, geometry: LayerGeometry(frame: LottieTransform.plane), sublayers: layers)
  }

  /// The first value of an envelope, and what is to be said of it beside that.
  private static func divided<Value>(_ envelope: Envelope<Value>) -> (Value, Envelope<Value>) {
    (envelope.keyframes[0].value, envelope.keyframes.count > 1 ? envelope : Envelope())
  }

  /// The lines into which a text is broken between words.
  private static func broken(_ text: String, _ most: Double, _ width: (Substring) -> Double) -> [String] {
    var (lines, line) = ([String](), Substring())
    for word in text.split(separator: " ", omittingEmptySubsequences: false) {
      let longer = line.isEmpty ? word : Substring(line + " " + word)
      if !line.isEmpty, width(longer) > most {
        lines.append(String(line))
        line = word
      } else {
        line = longer
      }
    }
    return lines + [String(line)]
  }

  // MARK: - Texts in a font

  /// The line around the letters of a text in a font.
  private func outline(_ words: Words) throws(LottieFault) -> TextContent.Outline? {
    let width = min(try words.node.number("sw", or: 0), DocumentLimits.lineWidth.upperBound)
    guard let color = try Self.color(words.node["sc"]), width > 0 else { return nil }
    let isBelow = words.node["of"] != nil && !words.node.flag("of") && words.node["fc"] != nil
    // Below the letters, only the half of the line that is outside is seen.
    return TextContent.Outline(color: color, width: isBelow ? width / 2 : width, position: isBelow ? .outside : .center)
  }

  private func textLayer(_ words: Words) throws(LottieFault) -> Layer? {
    let string = words.lines.joined(separator: "\n")
    guard string.contains(where: { !$0.isWhitespace }) else { return nil }
    let fonts = file.fonts[words.font] ?? [file.family(of: words.font)]
    guard fonts.allSatisfy({ !$0.isEmpty && $0.utf8.count <= DocumentLimits.nameLength && !$0.contains("\0") }) else {
      file.log.lose(words.node.path["f"], "a text without a font is not drawn: say \"fonts\"")
      return nil
    }
    let (fill, outline) = (try Self.color(words.node["fc"]), try outline(words))
    if fill == nil, outline == nil { return nil }
    file.log.approximate(words.node.path, "the text is set in \(fonts.joined(separator: ", ")), whose lines may stand elsewhere")
    var text = TextContent(
      string: string, fonts: fonts, size: words.size, color: fill ?? RGBAColor(0, 0, 0, alpha: 0),
      alignment: words.side == 1 ? .right : words.side == 2 ? .center : .left,
      letterSpacing: min(max(words.spacing, DocumentLimits.letterSpacing.lowerBound), DocumentLimits.letterSpacing.upperBound))
    text.outline = outline
    text.lineHeight = min(max(words.lineHeight, DocumentLimits.fontSize.lowerBound), DocumentLimits.fontSize.upperBound)
    if words.box == nil { text.wrapping = .none }
    // Without a box the lines begin, end or are centred at zero, and the first one stands on it.
    let (wide, ascent) = (10_000.0, file.ascent(of: words.font) / 100 * words.size)
    let left = words.side == 1 ? -wide : words.side == 2 ? -wide / 2 : 0
    let height = Double(words.lines.count + 1) * words.lineHeight
    let top = min(max(-ascent - words.shift, -100_000), 100_000)
    let frame = words.box ?? Rect(left, top, wide, min(max(height, words.size), 100_000))
    return Layer(content: .text(text), geometry: LayerGeometry(frame: frame))
  }
}

extension LottieFile {
  private func font(_ name: String) -> LottieNode? {
    (root["fonts"]?["list"]?.elements ?? []).first { $0.text("fName") == name }
  }

  func family(of font: String) -> String { self.font(font)?.text("fFamily") ?? font }

  func style(of font: String) -> String { self.font(font)?.text("fStyle") ?? "Regular" }

  /// The height of a font's letters over their line, in hundredths of its size.
  fileprivate func ascent(of font: String) -> Double {
    guard case .number(let text)? = self.font(font)?["ascent"]?.value, let ascent = Double(text), abs(ascent) < 1e3 else {
      return 75
    }
    return ascent
  }
}
