internal import CPango
package import Formats
package import Timeline

#if canImport(Glibc)
  import Glibc
#endif

extension PlacedPicture {
  /// Draws a text in its frame. Lines wrap at the frame's width and begin at its top. A text that is too long goes on below the
  /// frame.
  ///
  /// A text without a frame is drawn in the lower third of the picture. It has at most two lines unless the text itself has more,
  /// and its size is reduced until it fits.
  ///
  /// - Parameters:
  ///   - size: the size of the render frame. Only what is visible in it is drawn; nil when nothing is.
  ///   - fonts: the fonts of the edit.
  package init?(text: TextContent, in size: PixelSize, fonts: FontBook) throws(DrawingError) {
    let (layout, top) = try Self.layout(text, in: size, fonts)
    let ink = layout.inkBounds
    guard let area = pixels(around: Rect(ink.x + top.x, ink.y + top.y, ink.width, ink.height), in: size) else {
      return nil
    }
    let sheet = try Sheet(columns: area.columns, rows: area.rows)
    unsafe layout.fill(sheet.context, at: top, text.color)
    self = try sheet.picture()
    try layout.fonts.requireUnchanged()
  }

  /// Checks that a text can be drawn, without drawing it.
  ///
  /// - Throws: what `init(text:in:fonts:)` would throw: a font or a glyph is missing, or the text does not fit.
  package static func check(_ text: TextContent, in size: PixelSize, fonts: FontBook) throws(DrawingError) {
    _ = try layout(text, in: size, fonts)
  }

  private static func layout(
    _ text: TextContent, in size: PixelSize, _ book: FontBook
  ) throws(DrawingError) -> (TextLayout, top: (x: Double, y: Double)) {
    let fonts = try book.fonts(for: text)
    let (layout, top) =
      if let frame = text.frame {
        (try TextLayout(text, fonts, size: text.size, width: frame.width), (x: frame.x, y: frame.y))
      } else {
        try lowerThird(text, fonts, in: size)
      }
    let missing = try layout.missingCharacters()
    guard missing.isEmpty else {
      throw .missingGlyphs(fonts: text.fonts, characters: missing, families: book.families(having: missing))
    }
    return (layout, top)
  }

  /// The text in the largest size, at most the one asked for, that fits into the lower third, and its position. It is centred
  /// there, and keeps the margins of a title safe area: a twentieth of the picture on three sides.
  private static func lowerThird(
    _ text: TextContent, _ fonts: TextFonts, in frame: PixelSize
  ) throws(DrawingError) -> (TextLayout, top: (x: Double, y: Double)) {
    let (width, height) = (Double(frame.width), Double(frame.height))
    let area = Rect(width * 0.05, height * 2 / 3, width * 0.9, height * (0.95 - 2.0 / 3))
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
