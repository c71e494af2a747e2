import CPango
import CTextTurn
import Drawing
import Formats
import Testing
import Timeline

/// A suite that draws texts with runs, in a frame of 640x360.
protocol DrawsRichText {
  var book: FontBook { get }
}

extension DrawsRichText {
  static var size: PixelSize { PixelSize(640, 360) }
  static var red: RGBAColor { RGBAColor(1, 0, 0) }

  func text(_ runs: [TextContent.Run], size: Double = 40, _ change: (inout TextContent) -> Void = { _ in }) -> TextContent {
    var text = TextContent(string: "", fonts: ["DejaVu Sans"], size: size, alignment: .left)
    text.runs = runs
    change(&text)
    return text
  }

  func run(_ string: String, ruby: String? = nil, _ change: (inout TextContent.Style) -> Void = { _ in }) -> TextContent.Run {
    var style = TextContent.Style()
    change(&style)
    return TextContent.Run(string, style, ruby: ruby)
  }

  func drawn(_ text: TextContent, in frame: Rect = Rect(20, 20, 600, 320)) throws -> Pixels {
    Pixels(try PlacedPicture(text: text, in: frame, of: Self.size, fonts: book))
  }

  func drawn(
    _ string: String, in frame: Rect = Rect(20, 20, 600, 320), _ change: (inout TextContent) -> Void = { _ in }
  ) throws -> Pixels {
    try drawn(text([run(string)], change), in: frame)
  }

  func bounds(_ drawing: Pixels) throws -> (columns: Range<Int>, rows: Range<Int>) {
    try #require(try drawing.visibleBounds(in: Self.size))
  }

  func alpha(_ drawing: Pixels, _ x: Int, _ y: Int) -> Int {
    guard drawing.x..<drawing.x + drawing.width ~= x, drawing.y..<drawing.y + drawing.height ~= y else { return 0 }
    return Int(drawing.pixel(x, y).alpha)
  }

  /// The bands of rows that have ink, with clear rows between them.
  func bands(_ drawing: Pixels) throws -> [Range<Int>] {
    let (columns, rows) = try bounds(drawing)
    var bands: [Range<Int>] = []
    for y in rows where columns.contains(where: { drawing.pixel($0, y).alpha > 8 }) {
      if let last = bands.last, last.upperBound == y {
        bands[bands.count - 1] = last.lowerBound..<y + 1
      } else {
        bands.append(y..<y + 1)
      }
    }
    return bands
  }

  /// The columns that have ink in some rows.
  func columns(_ drawing: Pixels, in rows: Range<Int>) throws -> Range<Int> {
    let seen = try bounds(drawing).columns.filter { x in rows.contains { alpha(drawing, x, $0) > 8 } }
    return try #require(seen.first)..<(try #require(seen.last)) + 1
  }
}

/// Pango by itself, with this machine's fonts and without Spool's code: what it lays out of a marked-up text.
enum PangoAlone {
  /// The size in pixels of what is drawn of a text.
  ///
  /// - Parameter width: the pixels at which lines are broken; nil for one line.
  static func ink(markup: String, width: Int32? = nil) -> (width: Double, height: Double) {
    spool_take_text_turn()
    defer { spool_give_text_turn() }
    let context = unsafe pango_font_map_create_context(pango_cairo_font_map_get_default())
    let options = unsafe cairo_font_options_create()
    unsafe cairo_font_options_set_hint_style(options, CAIRO_HINT_STYLE_NONE)
    unsafe cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF)
    unsafe pango_cairo_context_set_font_options(context, options)
    unsafe cairo_font_options_destroy(options)
    unsafe pango_cairo_context_set_resolution(context, 72)
    unsafe pango_context_set_round_glyph_positions(context, 0)
    let layout = unsafe pango_layout_new(context)
    unsafe pango_layout_set_markup(layout, markup, -1)
    if let width { unsafe pango_layout_set_width(layout, width * PANGO_SCALE) }
    var ink = PangoRectangle()
    unsafe pango_layout_get_extents(layout, &ink, nil)
    unsafe g_object_unref(UnsafeMutableRawPointer(layout))
    unsafe g_object_unref(UnsafeMutableRawPointer(context))
    return (Double(ink.width) / Double(PANGO_SCALE), Double(ink.height) / Double(PANGO_SCALE))
  }
}
