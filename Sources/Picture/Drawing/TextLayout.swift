internal import CPango
internal import CTextTurn
import Formats
import Timeline

/// A text that Pango has broken into lines of shaped glyphs.
///
/// It does not depend on the machine: the fonts are given, sizes are absolute (no DPI), outlines are filled at fractional
/// positions without hinting or subpixel order, and the language is set. For scripts of other languages, Pango asks the
/// environment variable LANGUAGE, which processes that draw do not get. Not for use by two threads at the same time.
// @safe: both pointers are owned, set once and released once. The pieces' pointers are the layout's, which is not changed any more.
@safe final class TextLayout {
  private let context: OpaquePointer
  let layout: OpaquePointer
  let fonts: TextFonts
  let spans: [TextContent.Span]
  /// The way in which lines run. A vertical text is laid out in lines as any other, and turned by a quarter when it is drawn: lines, pieces and
  /// their places count along the lines and across them. What others are told counts as it is seen.
  let mode: WritingMode
  /// The lines in the order of reading.
  var lines: [Line] = []
  /// The parts of the lines that are drawn in one font and one style, in the order of the lines.
  private(set) var pieces: [Piece] = unsafe []
  /// The small texts that stand in this one, or beside it.
  var insets: [Inset] = []
  /// A base of ruby that is wider than its line; nil where there is none.
  var brokenBase: String?
  /// The advance of the longest line, and the height of all lines.
  private(set) var flow = (length: 0.0, depth: 0.0)
  /// The factor by which letters are squeezed along their line.
  var squeeze = 1.0
  /// The bytes of the text that are drawn; nil for all.
  private(set) var part: Range<Int>?
  /// The colours that are mixed into those of the letters, one after the other.
  private(set) var tints: [TextTint] = []

  /// A line, in pixels from the layout's top left corner.
  struct Line {
    /// The rectangle of the line's height and advance, between the rooms for ruby and marks.
    var frame: Rect
    /// The room for ruby and marks above the line, and that for marks below it.
    var above = 0.0
    var below = 0.0

    /// The rectangle with both rooms.
    var whole: Rect { Rect(frame.x, frame.y - above, frame.width, above + frame.height + below) }
  }

  /// A part of a line. The pointer is the layout's.
  @unsafe struct Piece {
    let run: UnsafeMutablePointer<PangoLayoutRun>
    let span: Int
    let line: Int
    /// The left end of the baseline.
    var x: Double
    var y: Double
    /// The rectangle of its height and advance, and the one that is drawn on.
    var frame: Rect
    var ink: Rect
    /// Whether its font holds pictures instead of outlines.
    let isPicture: Bool
  }

  /// A small text beside a run or a letter, or upright in place of a run in a vertical line.
  struct Inset {
    let layout: TextLayout
    /// The byte with which it is drawn where only a part of the text is.
    let byte: Int
    let line: Int
    /// Its rectangle along the line and across it.
    var frame: Rect
  }

  /// - Parameters:
  ///   - scale: the factor of all sizes of fonts and lines.
  ///   - width: the length at which lines wrap, in pixels.
  init(_ text: TextContent, _ fonts: TextFonts, scale: Double, width: Double) throws(DrawingError) {
    guard let context = unsafe pango_font_map_create_context(fonts.map) else {
      throw .outOfMemory(call: "pango_font_map_create_context")
    }
    guard let layout = unsafe pango_layout_new(context) else {
      unsafe g_object_unref(UnsafeMutableRawPointer(context))
      throw .outOfMemory(call: "pango_layout_new")
    }
    unsafe (self.context, self.layout) = (context, layout)
    (self.fonts, spans, mode) = (fonts, text.spans, text.writingMode)
    unsafe Self.removeMachineSettings(of: context)
    // "und" is the undetermined language, for which a font uses its default forms. Without it, Pango would take the environment's
    // language.
    unsafe pango_context_set_language(context, pango_language_from_string(text.shapingLanguage ?? "und"))
    if text.direction != .automatic {
      unsafe pango_context_set_base_dir(context, text.direction == .rightToLeft ? PANGO_DIRECTION_RTL : PANGO_DIRECTION_LTR)
      unsafe pango_layout_set_auto_dir(layout, 0)
    }
    if mode.isVertical { unsafe pango_context_set_base_gravity(context, PANGO_GRAVITY_EAST) }
    unsafe pango_layout_context_changed(layout)
    var style = TextStyling(text, spans, fonts, scale: scale)
    let combined = try combinedRuns(of: text, scale: scale)
    style.combined = combined.mapValues { $0.size.height }
    unsafe style.apply(to: layout, width: width)
    unsafe pango_layout_set_text(layout, text.string, Int32(text.string.utf8.count))
    readPieces(text, width: width)
    if mode.isVertical { turnLetters(text, &style, width: width) }
    if spans.contains(where: { $0.ruby != nil }) { try layRuby(text, style, scale: scale, width: width) }
    if spans.contains(where: { $0.emphasis != nil }) { try layMarks(text, scale: scale) }
    var logical = PangoRectangle()
    unsafe pango_layout_get_extents(layout, nil, &logical)
    flow = (Self.pixels(logical.width), lines.reduce(Self.pixels(logical.height)) { $0 + $1.above + $1.below })
    if mode == .verticalLeftToRight { reverseLines() }
    place(combined)
  }

  deinit {
    spool_take_text_turn()
    defer { spool_give_text_turn() }
    unsafe g_object_unref(UnsafeMutableRawPointer(layout))
    unsafe g_object_unref(UnsafeMutableRawPointer(context))
  }

  /// Whether the text is so short that Pango, which counts in parts of a pixel with 32 bits, has counted its lines right.
  var isCountable = true
  var lineCount: Int { lines.count }
  var pieceIndices: Range<Int> { unsafe pieces.indices }

  /// The size in pixels, by the lines' heights and advances.
  var size: (width: Double, height: Double) {
    mode.isVertical ? (flow.depth, flow.length) : (flow.length * squeeze, flow.depth)
  }

  /// The frames of the lines that have an advance, as they are seen.
  var lineFrames: [Rect] { lines.map(\.frame).filter { $0.width > 0 }.map(seen) }

  /// The same with the rooms for ruby and marks.
  var wholeLineFrames: [Rect] { lines.filter { $0.frame.width > 0 }.map { seen($0.whole) } }

  /// The rectangle around the lines that have an advance.
  var box: Rect { Rect(around: lineFrames) }

  /// The rectangle that is drawn on, in pixels from the layout's top left corner, with a pixel to spare on each side.
  var inkBounds: Rect {
    var inks = pieceIndices.map(ink).filter { $0.width > 0 && $0.height > 0 }
    for index in pieceIndices { inks += decorations(of: index) }
    inks = inks.map(seen)
    for inset in insets where draws(inset) {
      let ink = inset.layout.inkBounds
      let origin = seen(inset.frame)
      if ink.width > 0 { inks.append(Rect(ink.x + origin.x, ink.y + origin.y, ink.width, ink.height)) }
    }
    guard !inks.isEmpty else { return Rect(0, 0, 0, 0) }
    let all = Rect(around: inks)
    return Rect(all.x - 1, all.y - 1, all.width + 2, all.height + 2)
  }

  /// The lines under and through a piece.
  func decorations(of index: Int) -> [Rect] {
    let piece = unsafe pieces[index]
    let span = unsafe spans[piece.span]
    guard span.isUnderlined || span.isStruckThrough, unsafe piece.frame.width > 0,
      let item = unsafe piece.run.pointee.item?.pointee, let font = unsafe item.analysis.font,
      let metrics = unsafe pango_font_get_metrics(font, item.analysis.language)
    else { return [] }
    defer { unsafe pango_font_metrics_unref(metrics) }
    let frame = frame(of: index)
    guard frame.width > 0 else { return [] }
    var rects: [Rect] = []
    if span.isUnderlined {
      let thickness = unsafe Self.pixels(pango_font_metrics_get_underline_thickness(metrics))
      let y =
        mode.isVertical
        ? (isUnderlinedAtRight ? frame.y - thickness : frame.maxY)
        : unsafe piece.y - Self.pixels(pango_font_metrics_get_underline_position(metrics))
      rects.append(Rect(frame.x, y, frame.width, thickness))
    }
    if span.isStruckThrough {
      let thickness = unsafe Self.pixels(pango_font_metrics_get_strikethrough_thickness(metrics))
      let y =
        mode.isVertical
        ? frame.y + (frame.height - thickness) / 2
        : unsafe piece.y - Self.pixels(pango_font_metrics_get_strikethrough_position(metrics))
      rects.append(Rect(frame.x, y, frame.width, thickness))
    }
    return rects
  }

  /// Draws from now on only a part of the text, in other colours.
  ///
  /// - Parameter part: bytes of the text, from the beginning of a letter to that of another one; nil for the whole text.
  func draw(only part: Range<Int>?, tints: [TextTint]) {
    (self.part, self.tints) = (part, tints)
    // A ruby goes with the beginning of its base, and is drawn whole.
    for inset in insets { inset.layout.draw(only: nil, tints: tints) }
  }

  /// Whether a small text belongs to the part that is drawn.
  func draws(_ inset: Inset) -> Bool { part?.contains(inset.byte) ?? true }

  /// The first byte of a run.
  func start(of span: Int) -> Int { spans[..<span].reduce(0) { $0 + $1.string.utf8.count } }

  // MARK: - Pieces

  /// Reads what Pango has laid out. Pango takes left and right for the start and the end of a paragraph, and swaps them in scripts
  /// from right to left. The lines' shifts undo that.
  func readPieces(_ text: TextContent, width: Double) {
    lines = []
    unsafe pieces = unsafe []
    let starts = spans.reduce(into: [0]) { $0.append($0[$0.count - 1] + $1.string.utf8.count) }
    let width = Self.units(width)
    var last: UnsafeMutablePointer<PangoLayoutLine>?
    var shift: Int32 = 0
    let iterator = unsafe pango_layout_get_iter(layout)
    defer { unsafe pango_layout_iter_free(iterator) }
    repeat {
      if let line = unsafe pango_layout_iter_get_line_readonly(iterator), unsafe line != last {
        unsafe last = line
        var logical = PangoRectangle()
        unsafe pango_layout_iter_get_line_extents(iterator, nil, &logical)
        shift = Self.left(of: logical, text, width) &- logical.x
        lines.append(Line(frame: Self.pixels(logical, shift)))
      }
      guard let run = unsafe pango_layout_iter_get_run_readonly(iterator), let item = unsafe run.pointee.item else { continue }
      var (ink, logical) = (PangoRectangle(), PangoRectangle())
      unsafe pango_layout_iter_get_run_extents(iterator, &ink, &logical)
      let offset = unsafe Int(item.pointee.offset)
      let pattern = unsafe item.pointee.analysis.font.flatMap {
        unsafe pango_fc_font_get_pattern(UnsafeMutablePointer<PangoFcFont>(OpaquePointer($0)))
      }
      let x = unsafe logical.x &+ shift &+ run.pointee.start_x_offset
      let y = unsafe mode.isVertical ? centre(run, &ink, logical) : pango_layout_iter_get_run_baseline(iterator)
      unsafe pieces.append(
        Piece(
          run: run, span: max((starts.dropLast().lastIndex { $0 <= offset }) ?? 0, 0), line: lines.count - 1, x: Self.pixels(x),
          y: Self.pixels(y), frame: Self.pixels(logical, shift), ink: Self.pixels(ink, shift),
          isPicture: pattern.map { unsafe !$0.bool(FC_OUTLINE) } ?? false))
    } while unsafe pango_layout_iter_next_run(iterator) != 0
    let advance = unsafe pieces.reduce(0) { unsafe $0 + Self.advance(of: $1.run.pointee.glyphs.pointee) }
    isCountable = isCountable && advance < Self.longest
  }

  /// The longest text, as all its letters stand in one line: 2,000,000 pixels.
  private static let longest = 2_000_000 * Int(PANGO_SCALE)

  private static func advance(of glyphs: PangoGlyphString) -> Int {
    unsafe (0..<Int(glyphs.num_glyphs)).reduce(0) { unsafe $0 + abs(Int(glyphs.glyphs[$1].geometry.width)) }
  }

  /// The left end of a line, in Pango's units. In a text that is too long to be counted, Pango's numbers have run over, and so may
  /// these: such a text is not drawn.
  private static func left(of line: PangoRectangle, _ text: TextContent, _ width: Int32) -> Int32 {
    switch text.alignment {
    case .left: 0
    case .center: text.wrapping == .none ? (width &- line.width) / 2 : line.x
    case .right: width &- line.width
    case .justify: text.wrapping == .none ? 0 : line.x
    }
  }

  /// Moves the lines apart, with all that stands in them, so that there is more room above and below them.
  func part(above: [Double], below: [Double]) {
    var (moves, move): ([Double], Double) = ([], 0)
    for index in lines.indices {
      move += above[index]
      moves.append(move)
      move += below[index]
      lines[index].above += above[index]
      lines[index].below += below[index]
    }
    moveLines { moves[$0] }
  }

  /// Moves lines across, with all that stands in them.
  func moveLines(by distance: (Int) -> Double) {
    for index in lines.indices { lines[index].frame.y += distance(index) }
    for index in insets.indices { insets[index].frame.y += distance(insets[index].line) }
    for index in pieceIndices {
      let distance = unsafe distance(pieces[index].line)
      unsafe pieces[index].y += distance
      unsafe pieces[index].frame.y += distance
      unsafe pieces[index].ink.y += distance
    }
  }

  // MARK: - Settings

  private static func removeMachineSettings(of context: OpaquePointer) {
    let options = unsafe cairo_font_options_create()
    defer { unsafe cairo_font_options_destroy(options) }
    unsafe cairo_font_options_set_antialias(options, CAIRO_ANTIALIAS_GRAY)
    unsafe cairo_font_options_set_hint_style(options, CAIRO_HINT_STYLE_NONE)
    unsafe cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF)
    unsafe pango_cairo_context_set_font_options(context, options)
    unsafe pango_cairo_context_set_resolution(context, 72)
    unsafe pango_context_set_round_glyph_positions(context, 0)
  }

  /// The length in Pango's units, within the limits of its arithmetic.
  static func units(_ pixels: Double) -> Int32 { Int32(min(max(pixels, 0), 1_000_000) * Double(PANGO_SCALE)) }
  static func pixels(_ units: Int32) -> Double { Double(units) / Double(PANGO_SCALE) }

  private static func pixels(_ rect: PangoRectangle, _ shift: Int32) -> Rect {
    Rect(pixels(rect.x &+ shift), pixels(rect.y), pixels(rect.width), pixels(rect.height))
  }
}

extension Rect {
  /// The smallest rectangle around others; empty where there are none.
  init(around rects: [Rect]) {
    guard let first = rects.first else {
      self.init(0, 0, 0, 0)
      return
    }
    let (left, top) = (rects.reduce(first.x) { min($0, $1.x) }, rects.reduce(first.y) { min($0, $1.y) })
    let (right, bottom) = (rects.reduce(first.maxX) { max($0, $1.maxX) }, rects.reduce(first.maxY) { max($0, $1.maxY) })
    self.init(left, top, right - left, bottom - top)
  }
}
