import Formats
import Timeline

// Small texts in a text: ruby above its base, marks beside letters, and runs that stand upright in a vertical line.
extension TextLayout {
  /// The top left corner of a small text, as it is seen.
  func corner(of inset: Inset, _ top: Point) -> Point {
    let frame = seen(inset.frame)
    return Point(top.x + frame.x, top.y + frame.y)
  }

  // MARK: - Ruby

  /// Lays ruby above its runs. A run that is narrower than its ruby gets space between its letters.
  func layRuby(_ text: TextContent, _ style: TextStyling, scale: Double, width: Double) throws(DrawingError) {
    var layouts: [Int: TextLayout] = [:]
    var style = style
    for (index, span) in spans.enumerated() where span.ruby != nil {
      let small = try TextLayout(text.inset(of: index, .ruby), fonts, scale: scale / 2, width: 1_000_000)
      layouts[index] = small
      isCountable = isCountable && small.isCountable
      let base = unsafe pieces.filter { unsafe $0.span == index }.reduce(0) { unsafe $0 + $1.frame.width }
      style.extraSpacing[index] = max(small.flow.length - base, 0) / Double(max(span.string.count, 1))
    }
    if style.extraSpacing.values.contains(where: { $0 > 0 }) {
      unsafe style.apply(to: layout, width: width)
      readPieces(text, width: width)
    }
    place(layouts, width: text.wrapping == .none ? .infinity : width)
  }

  private func place(_ layouts: [Int: TextLayout], width: Double) {
    var rooms = [Double](repeating: 0, count: lines.count)
    for span in layouts.keys.sorted() {
      guard let small = layouts[span], let (line, frame, isWhole) = place(of: span) else { continue }
      if !isWhole || frame.width > width { brokenBase = spans[span].string }
      let (length, depth) = small.flow
      let rect = Rect(frame.x + (frame.width - length) / 2, frame.y - depth, length, depth)
      rooms[line] = max(rooms[line], lines[line].frame.y - rect.y)
      insets.append(Inset(layout: small, byte: start(of: span), line: line, frame: rect))
    }
    part(above: rooms, below: rooms.map { _ in 0 })
  }

  /// The line in which a run begins, its rectangle, and whether all of it is in that line; nil for a run without letters.
  private func place(of span: Int) -> (line: Int, frame: Rect, isWhole: Bool)? {
    let parts = unsafe pieces.filter { unsafe $0.span == span }
    guard let line = unsafe parts.first?.line else { return nil }
    return unsafe (line, Rect(around: parts.map { unsafe $0.frame }), parts.allSatisfy { unsafe $0.line == line })
  }

  // MARK: - Combined letters

  /// The runs of a vertical text whose letters stand beside each other, laid out as they are seen.
  func combinedRuns(of text: TextContent, scale: Double) throws(DrawingError) -> [Int: TextLayout] {
    var layouts: [Int: TextLayout] = [:]
    for (index, span) in spans.enumerated() where mode.isVertical && span.isCombined {
      let small = try TextLayout(text.inset(of: index, .combined), fonts, scale: scale, width: 1_000_000)
      isCountable = isCountable && small.isCountable
      // What is wider than an em is squeezed into it.
      if small.flow.length > 0 { small.squeeze = min(span.size * scale / small.flow.length, 1) }
      layouts[index] = small
    }
    return layouts
  }

  /// Puts combined letters into the middle of the room that their run has in its line.
  func place(_ combined: [Int: TextLayout]) {
    for span in combined.keys.sorted() {
      guard let small = combined[span], let (line, frame, _) = place(of: span) else { continue }
      let (width, height) = small.size
      let middle = Point(frame.x + frame.width / 2, frame.y + frame.height / 2)
      let rect = Rect(middle.x - height / 2, middle.y - width / 2, height, width)
      insets.append(Inset(layout: small, byte: start(of: span), line: line, frame: rect))
    }
  }

  /// The bytes of combined letters but for the first of each run. They are one letter together.
  var combinedTails: Set<Int> {
    var tails: Set<Int> = []
    for (index, span) in spans.enumerated() where mode.isVertical && span.isCombined {
      let start = start(of: index)
      tails.formUnion((start..<start + span.string.utf8.count).dropFirst())
    }
    return tails
  }
}

extension TextContent {
  /// The small texts of a run.
  enum Inset {
    case ruby
    /// The run itself, whose letters stand beside each other in a vertical line.
    case combined
    /// A mark beside one of its letters.
    case mark(TextEmphasis)
  }

  /// A small text of a run, as a text of one line in the run's style. Ruby runs as its base does, and marks are upright.
  func inset(of index: Int, _ kind: Inset) -> TextContent {
    var small = self
    var run = runs[index]
    switch kind {
    case .ruby: run.string = run.ruby ?? ""
    case .combined: small.writingMode = .horizontal
    case .mark(let emphasis):
      run.string = emphasis.string ?? ""
      run.style.color = emphasis.color ?? run.style.color
      run.style.orientation = .upright
    }
    (run.ruby, run.isCombined, run.style.letterSpacing, run.style.baselineOffset) = (nil, false, 0, 0)
    (run.style.emphasis, small.emphasis) = (nil, nil)
    (run.style.isUnderlined, run.style.isStruckThrough) = (false, false)
    small.runs = [run]
    (small.alignment, small.wrapping, small.wordSpacing, small.lineHeight, small.lineSpacing) = (.left, .none, 0, nil, 1)
    // The language that the whole text tells, and not its kana alone.
    small.language = shapingLanguage
    return small
  }
}
