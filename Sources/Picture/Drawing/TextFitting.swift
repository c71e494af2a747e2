import Formats
import Timeline

/// The ways in which a text is made to fit: it shrinks, or characters are taken out of it.
struct TextFitting {
  let text: TextContent
  let fonts: TextFonts

  /// The text in its frame: in its own size, or in the largest that fits down to its least one; cut where it is too long even so.
  ///
  /// - Throws: `DrawingError.doesNotFitFrame`.
  func layout(in frame: Rect) throws(DrawingError) -> TextLayout {
    let full = try TextLayout(text, fonts, scale: 1, width: text.writingMode.length(of: frame))
    guard let least = text.minimumSize else {
      if holds(full, in: frame) { return full }
      // A text that is never cut needs nothing but to be counted.
      guard text.maxLines != nil || text.truncation != nil else { throw .tooFar }
      return try cut(in: frame, scale: 1)
    }
    if full.fits(frame, lines: text.maxLines) { return full }
    let smallest = least / text.size
    var steps = 0
    while Self.scale(steps) > smallest { steps += 1 }
    func scale(_ step: Int) -> Double { max(Self.scale(step), smallest) }
    let last = try TextLayout(text, fonts, scale: scale(steps), width: text.writingMode.length(of: frame))
    guard last.fits(frame, lines: text.maxLines) else {
      guard text.truncation != nil else { throw .doesNotFitFrame(text: text.string) }
      return try cut(in: frame, scale: scale(steps))
    }
    return try largest(fitting: last, upTo: steps) { step throws(DrawingError) in
      let layout = try TextLayout(text, fonts, scale: scale(step), width: text.writingMode.length(of: frame))
      return (layout, layout.fits(frame, lines: text.maxLines))
    }
  }

  /// The text in the largest size, at most the one asked for, that fits into the lower third, and its position. It is centred
  /// there, and keeps the margins of a title safe area: a twentieth of the picture on three sides.
  func lowerThird(of frame: Rect) throws(DrawingError) -> (TextLayout, top: Point) {
    let (width, height) = (frame.width, frame.height)
    let area = Rect(
      frame.x + width * 0.05, frame.y + height * 2 / 3, width * 0.9, height * (0.95 - 2.0 / 3))
    let lines = max(2, text.string.split(separator: "\n", omittingEmptySubsequences: false).count)
    func setting(_ step: Int) throws(DrawingError) -> (layout: TextLayout, fits: Bool) {
      let layout = try TextLayout(text, fonts, scale: Self.scale(step), width: area.width)
      return (layout, layout.fits(area, lines: lines))
    }
    // The size shrinks to less than a twentieth of the size asked for.
    let smallest = try setting(60)
    guard smallest.fits else { throw .doesNotFit(text: text.string) }
    let best = try largest(fitting: smallest.layout, upTo: 60, setting)
    return (best, Point(area.x, area.y + (area.height - best.size.height) / 2))
  }

  /// The factor from one size to the next smaller one.
  private static let step = 0.95

  /// The factor after so many steps. It is multiplied in order, which gives the same bits on every machine; the C library's power does
  /// not promise that.
  private static func scale(_ steps: Int) -> Double { (0..<steps).reduce(1) { scale, _ in scale * step } }

  /// The largest layout that fits. The search assumes that a text which fits at one step fits at all later ones.
  ///
  /// - Parameter last: the layout of step `count`, which fits.
  private func largest(
    fitting last: TextLayout, upTo count: Int, _ setting: (Int) throws(DrawingError) -> (layout: TextLayout, fits: Bool)
  ) throws(DrawingError) -> TextLayout {
    var (best, tooLarge, fitting) = (last, -1, count)
    while fitting - tooLarge > 1 {
      let step = (tooLarge + fitting) / 2
      let next = try setting(step)
      if next.fits { (best, fitting) = (next.layout, step) } else { tooLarge = step }
    }
    return best
  }

  // MARK: - Cutting

  /// Whether a layout needs no cut: it can be counted, and has at most as many lines as it may have. Where only `truncation` is given, these are as many
  /// as the frame holds, and one at least.
  private func holds(_ layout: TextLayout, in frame: Rect) -> Bool {
    if text.maxLines == nil, text.truncation == nil { return layout.isCountable }
    let isInLines =
      text.maxLines.map { layout.lineCount <= $0 }
      ?? (layout.lineCount <= 1 || layout.flow.depth <= text.writingMode.depth(of: frame))
    return layout.isCountable && isInLines && layout.flow.length <= text.writingMode.length(of: frame)
  }

  /// The text with an ellipsis in place of as few characters as it can be.
  private func cut(in frame: Rect, scale: Double) throws(DrawingError) -> TextLayout {
    let characters = text.runs.enumerated().flatMap { index, run in run.string.map { (run: index, character: $0) } }
    var direction = text.direction
    if direction == .automatic, !text.string.contains(where: \.isNewline) {
      // The letter that tells it may be taken out.
      direction = text.string.isReadFromRightToLeft ? .rightToLeft : .leftToRight
    }
    func setting(_ kept: Int) throws(DrawingError) -> (layout: TextLayout, fits: Bool) {
      var text = text
      (text.runs, text.direction) = (Self.runs(text, characters, kept), direction)
      let layout = try TextLayout(text, fonts, scale: scale, width: text.writingMode.length(of: frame))
      return (layout, holds(layout, in: frame))
    }
    let none = try setting(0)
    guard none.fits else { throw .doesNotFitFrame(text: text.string) }
    return try largest(fitting: none.layout, upTo: characters.count) { step throws(DrawingError) in
      try setting(characters.count - step)
    }
  }

  /// The runs of which only some characters are kept. The ellipsis has the style of the run in which it stands.
  private static func runs(
    _ text: TextContent, _ characters: [(run: Int, character: Character)], _ kept: Int
  ) -> [TextContent.Run] {
    let (head, tail) =
      switch text.truncation ?? .end {
      case .end: (kept, 0)
      case .start: (0, kept)
      case .middle: (kept - kept / 2, kept / 2)
      }
    var first = Array(characters[..<head])
    while first.last?.character.isWhitespace ?? false { first.removeLast() }
    let place = first.last?.run ?? characters[min(head, characters.count - 1)].run
    let ellipsis = TextContent.Run("…", text.runs[tail > 0 && head == 0 ? characters[characters.count - tail].run : place].style)
    let parts = [first[...], characters[(characters.count - tail)...]].map { part in
      // A base of which something is missing is not read as its ruby says.
      part.reduce(into: [(run: Int, string: String)]()) { strings, next in
        if strings.last?.run != next.run { strings.append((next.run, "")) }
        strings[strings.count - 1].string.append(next.character)
      }.map { index, string in
        let run = text.runs[index]
        return TextContent.Run(string, run.style, ruby: string == run.string ? run.ruby : nil)
      }
    }
    return parts[0] + [ellipsis] + parts[1]
  }
}

extension TextLayout {
  fileprivate func fits(_ area: Rect, lines: Int?) -> Bool {
    isCountable && brokenBase == nil && lineCount <= lines ?? .max && size.width <= area.width && size.height <= area.height
  }
}
