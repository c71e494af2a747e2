internal import CPango
package import Formats
package import Timeline

#if canImport(Glibc)
  import Glibc
#endif

extension PlacedPicture {
  /// Draws a text in a frame, as `TextBlock` places it.
  ///
  /// - Parameters:
  ///   - size: the size of the render frame. Only what is visible in it is drawn; nil when nothing is.
  ///   - fonts: the fonts of the edit.
  package init?(
    text: TextContent, in frame: Rect, lowerThird: Bool = false, of size: PixelSize, fonts: FontBook
  ) throws(DrawingError) {
    let block = try TextBlock(text, in: frame, lowerThird: lowerThird, fonts)
    guard let area = pixels(around: block.ink, in: size) else { return nil }
    let sheet = try Sheet(columns: area.columns, rows: area.rows)
    unsafe block.draw(on: sheet.context)
    self = try sheet.picture()
    try block.requireUnchangedFonts()
  }

  /// Checks that a text can be drawn, without drawing it.
  ///
  /// - Throws: what drawing would throw: a font or a glyph is missing, or the text does not fit.
  package static func check(
    _ text: TextContent, in frame: Rect, lowerThird: Bool = false, fonts: FontBook
  ) throws(DrawingError) {
    _ = try TextBlock(text, in: frame, lowerThird: lowerThird, fonts)
  }
}

/// A text that was laid out and has its place. Not for use by two threads at the same time.
///
/// Lines wrap at the frame's width. They begin at its top, or stand in its middle or at its bottom. A text that is too long goes
/// on beyond the frame.
///
/// In the lower third of its frame, a text has at most two lines unless the text itself has more, and its size is reduced until
/// it fits.
struct TextBlock {
  private let text: TextContent
  private let layout: TextLayout
  private let top: (x: Double, y: Double)

  init(_ text: TextContent, in frame: Rect, lowerThird: Bool, _ book: FontBook) throws(DrawingError) {
    let fonts = try book.fonts(for: text)
    self.text = text
    if lowerThird {
      (layout, top) = try Self.lowerThird(text, fonts, in: frame)
    } else {
      layout = try TextLayout(text, fonts, size: text.size, width: frame.width)
      let rest = frame.height - layout.size.height
      let above =
        switch text.verticalAlignment {
        case .top: 0.0
        case .middle: rest / 2
        case .bottom: rest
        }
      top = (frame.x, frame.y + above)
    }
    let missing = try layout.missingCharacters()
    guard missing.isEmpty else {
      throw .missingGlyphs(fonts: text.fonts, characters: missing, families: book.families(having: missing))
    }
  }

  /// The rectangle that is drawn on.
  var ink: Rect {
    let (ink, line) = (layout.inkBounds, text.outline?.width ?? 0)
    guard ink.width > 0 else { return ink }
    return Rect(ink.x + top.x - line, ink.y + top.y - line, ink.width + 2 * line, ink.height + 2 * line)
  }

  func draw(on canvas: OpaquePointer) {
    guard let outline = text.outline, outline.width > 0 else {
      return unsafe layout.fill(canvas, at: top, text.color)
    }
    // Half of a line that is twice as wide lies outside of the letters. The other half is taken away where the letters are, and
    // they are added there, so that no seam is left where both cover a pixel in part.
    unsafe cairo_push_group(canvas)
    unsafe layout.stroke(canvas, at: top, outline.color, width: 2 * outline.width)
    unsafe cairo_set_operator(canvas, CAIRO_OPERATOR_DEST_OUT)
    unsafe layout.fill(canvas, at: top, .black)
    unsafe cairo_set_operator(canvas, CAIRO_OPERATOR_ADD)
    unsafe layout.fill(canvas, at: top, text.color)
    unsafe cairo_pop_group_to_source(canvas)
    unsafe cairo_paint(canvas)
  }

  func requireUnchangedFonts() throws(DrawingError) { try layout.fonts.requireUnchanged() }

  /// The text in the largest size, at most the one asked for, that fits into the lower third, and its position. It is centred
  /// there, and keeps the margins of a title safe area: a twentieth of the picture on three sides.
  private static func lowerThird(
    _ text: TextContent, _ fonts: TextFonts, in frame: Rect
  ) throws(DrawingError) -> (TextLayout, top: (x: Double, y: Double)) {
    let (width, height) = (frame.width, frame.height)
    let area = Rect(
      frame.x + width * 0.05, frame.y + height * 2 / 3, width * 0.9, height * (0.95 - 2.0 / 3))
    let lines = max(2, text.string.split(separator: "\n", omittingEmptySubsequences: false).count)
    func setting(_ step: Int) throws(DrawingError) -> (layout: TextLayout, fits: Bool) {
      let layout = try TextLayout(text, fonts, size: text.size * pow(0.95, Double(step)), width: area.width)
      let block = layout.size
      return (layout, layout.lineCount <= lines && block.width <= area.width && block.height <= area.height)
    }
    // The size shrinks in steps of a twentieth, to less than a twentieth of the size asked for. The search assumes that a text
    // which fits at one step fits at all later ones.
    var best = try setting(60)
    guard best.fits else { throw .doesNotFit(text: text.string) }
    var (tooLarge, fitting) = (-1, 60)
    while fitting - tooLarge > 1 {
      let step = (tooLarge + fitting) / 2
      let next = try setting(step)
      if next.fits { (best, fitting) = (next, step) } else { tooLarge = step }
    }
    return (best.layout, (area.x, area.y + (area.height - best.layout.size.height) / 2))
  }
}
