internal import CPango
internal import CTextTurn
package import Formats
package import Timeline

/// A text that was laid out once, to be drawn in parts. Not for use by two threads at the same time.
package final class LettersDrawing {
  /// A layer of the drawing of a part of the text. All parts' shadows lie below all parts' outlines, and these below the letters, as in the
  /// whole text.
  package enum Tier: Hashable, Sendable, CaseIterable {
    /// The boxes of the whole text.
    case boxes
    /// The shadow and the glow.
    case shadow
    /// The line around the letters, also under them.
    case outline
    /// The letters, without a line that lies outside of them.
    case letters
    /// The letters with the line around them.
    case whole
  }

  /// The letters with their places in the layer.
  package let letters: TextLetters
  private let block: TextBlock

  /// - Parameters:
  ///   - frame: the layer's rectangle.
  ///   - lowerThird: whether the text stands in the rectangle's lower third, because it has no place of its own.
  /// - Throws: `DrawingError` when a font or a character is missing, or the text does not fit.
  package init(_ text: TextContent, in frame: Rect, lowerThird: Bool, fonts: FontBook) throws(DrawingError) {
    spool_take_text_turn()
    defer { spool_give_text_turn() }
    block = try TextBlock(text, in: frame, lowerThird: lowerThird, fonts)
    let (laid, top) = (block.layout.letters, block.top)
    func placed(_ rect: Rect) -> Rect { Rect(rect.x + top.x, rect.y + top.y, rect.width, rect.height) }
    letters = TextLetters(
      laid.letters.map { $0.placed(placed) }, lines: laid.lines.map(placed), isVertical: laid.isVertical)
  }

  /// The tiers that the text has, from the back to the front.
  package var tiers: [Tier] {
    let text = block.text
    return (text.box == nil ? [] : [.boxes]) + (text.shadow == nil && text.glow == nil ? [] : [.shadow])
      + (text.outline?.position == .outside ? [.outline] : []) + [.letters]
  }

  /// Draws a part of the text in its place.
  ///
  /// - Parameters:
  ///   - bytes: the part; all of the text for its boxes.
  ///   - tints: the colours that are mixed into the letters' own.
  ///   - blur: the standard deviation of a blur, in the layer's pixels.
  ///   - map: the map from the layer's pixels to those of the picture.
  /// - Returns: nil where nothing is drawn.
  package func picture(
    of bytes: Range<Int>?, _ tier: Tier, tints: [TextTint], blur: Double, _ map: AffineTransform
  ) throws(DrawingError) -> PlacedPicture? {
    guard map.inverse != nil else { return nil }
    spool_take_text_turn()
    defer { spool_give_text_turn() }
    block.layout.draw(only: bytes, tints: tints)
    defer { block.layout.draw(only: nil, tints: []) }
    let ink = block.ink(of: tier).grown(by: blur * ShadowBlur.reach)
    guard ink.width > 0, ink.height > 0 else { return nil }
    let area = map.bounds(of: ink)
    guard [area.x, area.y, area.maxX, area.maxY].allSatisfy({ abs($0) <= Self.furthest }) else { throw .tooFar }
    let sheet = try Sheet(
      columns: Int(area.x.rounded(.down))..<Int(area.maxX.rounded(.up)),
      rows: Int(area.y.rounded(.down))..<Int(area.maxY.rounded(.up)))
    unsafe map.concatenate(to: sheet.context)
    try block.draw(tier, on: sheet, map)
    if blur > 0 { try sheet.blur(by: map.deviation(blur)) }
    let picture = try sheet.picture()
    try block.requireUnchangedFonts()
    return picture
  }

  /// The distance in pixels from the picture's corner within which all of a text lies.
  private static let furthest = 1_000_000.0
}

extension TextBlock {
  /// The rectangle that a tier draws on.
  fileprivate func ink(of tier: LettersDrawing.Tier) -> Rect {
    switch tier {
    case .boxes: Rect(around: boxes)
    case .shadow: shadowInk
    case .outline, .letters, .whole: letterInk
    }
  }

  fileprivate func draw(_ tier: LettersDrawing.Tier, on sheet: Sheet, _ map: AffineTransform) throws(DrawingError) {
    let canvas = unsafe sheet.context
    switch tier {
    case .boxes: unsafe drawBoxes(on: canvas)
    case .shadow: try drawShadow(on: sheet, map)
    case .outline:
      guard let outline = text.outline else { return }
      unsafe layout.stroke(canvas, at: top, outline.color, width: 2 * outline.width, outline.join)
    case .letters:
      if text.outline?.position == .outside {
        unsafe layout.fill(canvas, at: top, fill)
      } else {
        unsafe drawLetters(on: canvas)
      }
    case .whole: unsafe drawLetters(on: canvas)
    }
  }
}
