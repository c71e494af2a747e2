internal import CPango
package import Timeline

#if canImport(Glibc)
  import Glibc
#endif

extension Raster {
  /// Text in its frame: lines wrap at its width and stand from its top; what is longer runs on below it.
  ///
  /// Without a frame: in the lower third of the picture, in at most two lines unless the text itself has more,
  /// set smaller until it fits.
  /// - Parameters:
  ///   - size: The render frame's; only what it shows is drawn.
  ///   - fonts: The edit's.
  package init(text: TextContent, in size: PixelSize, fonts: FontBook) throws(DrawingError) {
    let (layout, top) = try Self.layout(text, in: size, fonts)
    let ink = layout.inkBounds
    guard let area = pixels(around: Rect(ink.x + top.x, ink.y + top.y, ink.width, ink.height), in: size) else {
      self = .empty
      return
    }
    let sheet = try Sheet(columns: area.columns, rows: area.rows)
    unsafe layout.fill(sheet.context, at: top, text.color)
    self = try sheet.raster()
    try layout.fonts.requireUnchanged()
  }

  /// Whether `text` can be drawn, without drawing it.
  ///
  /// - Throws: what `init(text:in:fonts:)` would: a font or a glyph that is missing, a text that does not fit.
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

  /// The largest setting, down from the size that was asked for, that fits the lower third, and where it stands: centred in
  /// it, clear of the margins of a twentieth on three sides that a safe title area has.
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
    // Steps of a twentieth, the last below a twentieth of the size; what fits at one step is taken to fit at the next.
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
