internal import CPango
internal import CTextTurn
package import Formats
package import Timeline

extension PlacedPicture {
  /// Draws a text in a frame, as `TextBlock` places it.
  ///
  /// - Parameters:
  ///   - size: the size of the render frame. Only what is visible in it is drawn, and what is blurred into it; nil when nothing is.
  ///   - fonts: the fonts of the edit.
  package init?(
    text: TextContent, in frame: Rect, lowerThird: Bool = false, of size: PixelSize, fonts: FontBook
  ) throws(DrawingError) {
    spool_take_text_turn()
    defer { spool_give_text_turn() }
    let block = try TextBlock(text, in: frame, lowerThird: lowerThird, fonts)
    guard pixels(around: block.ink, in: size) != nil else { return nil }
    let reach = block.reach
    let window = Rect(-reach, -reach, Double(size.width) + 2 * reach, Double(size.height) + 2 * reach)
    guard let area = block.ink.intersection(window) else { return nil }
    let sheet = try Sheet(
      columns: Int(area.x.rounded(.down))..<Int(area.maxX.rounded(.up)),
      rows: Int(area.y.rounded(.down))..<Int(area.maxY.rounded(.up)))
    try block.draw(on: sheet, .identity)
    self = try sheet.picture()
    try block.requireUnchangedFonts()
  }

  /// Checks that a text can be drawn, without drawing it.
  ///
  /// - Throws: what drawing would throw: a font or a glyph is missing, or the text does not fit.
  package static func check(
    _ text: TextContent, in frame: Rect, lowerThird: Bool = false, fonts: FontBook
  ) throws(DrawingError) {
    spool_take_text_turn()
    defer { spool_give_text_turn() }
    _ = try TextBlock(text, in: frame, lowerThird: lowerThird, fonts)
  }
}

/// A text that was laid out and has its place. Not for use by two threads at the same time.
///
/// Lines wrap at the frame's width. They begin at its top, or stand in its middle or at its bottom. A text that is too long goes
/// on beyond the frame, unless it shrinks or is cut. Vertical lines wrap at the frame's height, and begin at its right side, or its left one.
///
/// In the lower third of its frame, a text has at most two lines unless the text itself has more, and its size is reduced until
/// it fits.
struct TextBlock {
  let text: TextContent
  let layout: TextLayout
  let top: Point

  init(_ text: TextContent, in frame: Rect, lowerThird: Bool, _ book: FontBook) throws(DrawingError) {
    let fitting = TextFitting(text: text, fonts: try book.fonts(for: text))
    self.text = text
    if lowerThird {
      (layout, top) = try fitting.lowerThird(of: frame)
    } else {
      layout = try fitting.layout(in: frame)
      top = layout.corner(in: frame, text.verticalAlignment)
    }
    try layout.requireGlyphs(book)
  }

  /// The rectangle that is drawn on.
  var ink: Rect {
    let letters = letterInk
    var inks = boxes
    if letters.width > 0 { inks += [letters] + (text.shadow == nil && text.glow == nil ? [] : [shadowInk]) }
    return inks.isEmpty ? letters : Rect(around: inks)
  }

  /// The rectangle of the letters, their shadow and their glow.
  var shadowInk: Rect {
    let letters = letterInk
    guard letters.width > 0 else { return letters }
    var inks = [letters]
    if let shadow = text.shadow {
      let blurred = letters.grown(by: shadow.radius * ShadowBlur.reach)
      // The letters are blurred where they stand, before they are moved.
      inks.append(blurred)
      inks.append(Rect(blurred.x + shadow.offset.x, blurred.y + shadow.offset.y, blurred.width, blurred.height))
    }
    if let glow = text.glow { inks.append(letters.grown(by: glow.radius * ShadowBlur.reach)) }
    return Rect(around: inks)
  }

  /// How far what is blurred reaches.
  var reach: Double {
    let shadow = text.shadow.map { $0.radius * ShadowBlur.reach + max(abs($0.offset.x), abs($0.offset.y)) } ?? 0
    return max(shadow, text.glow.map { $0.radius * ShadowBlur.reach } ?? 0)
  }

  /// Draws the text on a sheet.
  ///
  /// - Parameter map: the map from the text's coordinates to the sheet's. The sheet's canvas has it already.
  func draw(on sheet: Sheet, _ map: AffineTransform) throws(DrawingError) {
    unsafe drawBoxes(on: sheet.context)
    guard text.shadow != nil || text.glow != nil else { return unsafe drawLetters(on: sheet.context) }
    let letters = try drawShadow(on: sheet, map)
    sheet.lay(letters, opacity: 1, CAIRO_OPERATOR_OVER)
  }

  /// Draws what lies behind the letters, and gives the letters on a sheet of their own.
  @discardableResult
  func drawShadow(on sheet: Sheet, _ map: AffineTransform) throws(DrawingError) -> Sheet {
    let letters = try sheet.another()
    unsafe map.concatenate(to: letters.context)
    unsafe drawLetters(on: letters.context)
    if let shadow = text.shadow { try sheet.cast(shadow, of: letters, map) }
    if let glow = text.glow {
      let light = try letters.blurred(by: map.deviation(glow.radius))
      for _ in 0..<glow.strength { sheet.fill(light, glow.color, at: Point(0, 0)) }
    }
    return letters
  }

  func requireUnchangedFonts() throws(DrawingError) { try layout.fonts.requireUnchanged() }

  // MARK: - Letters

  /// The rectangle of the letters and the line around them.
  var letterInk: Rect {
    let (ink, line) = (layout.inkBounds, text.outline?.reach ?? 0)
    guard ink.width > 0 else { return ink }
    return Rect(ink.x + top.x - line, ink.y + top.y - line, ink.width + 2 * line, ink.height + 2 * line)
  }

  var fill: TextLayout.Paint {
    guard let gradient = text.gradient else { return .text(fill: .color(text.color)) }
    let box = layout.box
    // Lines without an advance have nothing that a gradient could fill.
    guard box.width > 0, box.height > 0 else { return .text(fill: .color(text.color)) }
    return .text(fill: .gradient(gradient, across: Rect(box.x + top.x, box.y + top.y, box.width, box.height)))
  }

  func drawLetters(on canvas: OpaquePointer) {
    guard let outline = text.outline, outline.width > 0 else { return unsafe layout.fill(canvas, at: top, fill) }
    unsafe cairo_push_group(canvas)
    switch outline.position {
    case .outside:
      // Half of a line that is twice as wide lies outside of the letters. The other half is taken away where the letters are, and
      // they are added there, so that no seam is left where both cover a pixel in part.
      unsafe layout.stroke(canvas, at: top, outline.color, width: 2 * outline.width, outline.join)
      unsafe cairo_set_operator(canvas, CAIRO_OPERATOR_DEST_OUT)
      unsafe layout.fill(canvas, at: top, .plain(.black))
      unsafe cairo_set_operator(canvas, CAIRO_OPERATOR_ADD)
      unsafe layout.fill(canvas, at: top, fill)
    case .center:
      unsafe layout.fill(canvas, at: top, fill)
      unsafe layout.stroke(canvas, at: top, outline.color, width: outline.width, outline.join)
    case .inside:
      // The same the other way round: of the line only the half inside is left, and the letters lose what it covers.
      unsafe layout.fill(canvas, at: top, fill)
      unsafe cairo_set_operator(canvas, CAIRO_OPERATOR_DEST_OUT)
      unsafe layout.stroke(canvas, at: top, .black, width: 2 * outline.width, outline.join)
      unsafe cairo_push_group(canvas)
      unsafe cairo_set_operator(canvas, CAIRO_OPERATOR_OVER)
      unsafe layout.stroke(canvas, at: top, outline.color, width: 2 * outline.width, outline.join)
      unsafe cairo_push_group(canvas)
      unsafe layout.fill(canvas, at: top, .plain(.black))
      unsafe cairo_pop_group_to_source(canvas)
      unsafe cairo_set_operator(canvas, CAIRO_OPERATOR_DEST_IN)
      unsafe cairo_paint(canvas)
      unsafe cairo_pop_group_to_source(canvas)
      unsafe cairo_set_operator(canvas, CAIRO_OPERATOR_ADD)
      unsafe cairo_paint(canvas)
    }
    unsafe cairo_pop_group_to_source(canvas)
    unsafe cairo_paint(canvas)
  }

  // MARK: - Boxes

  /// The rectangles behind the text, with its ruby and marks.
  var boxes: [Rect] {
    guard let box = text.box else { return [] }
    let lines = layout.wholeLineFrames
    guard !lines.isEmpty else { return [] }
    return (box.extent == .text ? [Rect(around: lines)] : lines).map { line in
      Rect(
        line.x + top.x - box.padding.x, line.y + top.y - box.padding.y, line.width + 2 * box.padding.x,
        line.height + 2 * box.padding.y)
    }
  }

  /// The distance in pixels that a corner's lines may have from it, as in other layers.
  private static let tolerance = 0.02

  /// Fills the boxes as one shape, so that no place is painted twice where those of two lines overlap.
  func drawBoxes(on canvas: OpaquePointer) {
    guard let box = text.box else { return }
    unsafe cairo_save(canvas)
    unsafe cairo_set_tolerance(canvas, Self.tolerance)
    unsafe cairo_set_antialias(canvas, CAIRO_ANTIALIAS_BEST)
    unsafe cairo_new_path(canvas)
    for rect in boxes {
      unsafe cairo_new_sub_path(canvas)
      unsafe addRectangle(rect, cornerRadius: box.cornerRadius, to: canvas)
    }
    unsafe cairo_set_source_rgba(canvas, box.color.red, box.color.green, box.color.blue, box.color.alpha)
    unsafe cairo_fill(canvas)
    unsafe cairo_restore(canvas)
  }
}

extension TextContent.Outline {
  /// How far the line reaches beyond the letters.
  fileprivate var reach: Double {
    let outside =
      switch position {
      case .outside: width
      case .center: width / 2
      case .inside: 0.0
      }
    return join == .miter ? outside * TextLayout.miterLimit : outside
  }
}

extension Rect {
  func grown(by margin: Double) -> Rect {
    Rect(x - margin, y - margin, width + 2 * margin, height + 2 * margin)
  }
}
