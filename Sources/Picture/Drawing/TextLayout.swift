internal import CPango
import Formats
import Timeline

/// A text that Pango has broken into lines of shaped glyphs.
///
/// It does not depend on the machine: the fonts are given, sizes are absolute (no DPI), outlines are filled at fractional
/// positions without hinting or subpixel order, and the language is set. For scripts of other languages, Pango asks the
/// environment variable LANGUAGE, which processes that draw do not get. Not for use by two threads at the same time.
// @safe: both pointers are owned, set once and released once.
@safe final class TextLayout {
  private let context: OpaquePointer
  let layout: OpaquePointer
  let fonts: TextFonts
  private let alignment: TextContent.Alignment
  /// The width at which lines wrap, in Pango's units.
  private let width: Int32

  /// - Parameters:
  ///   - size: the size of the font in pixels per em.
  ///   - width: the width at which lines wrap, in pixels.
  init(_ text: TextContent, _ fonts: TextFonts, size: Double, width: Double) throws(DrawingError) {
    guard let context = unsafe pango_font_map_create_context(fonts.map) else {
      throw .outOfMemory(call: "pango_font_map_create_context")
    }
    guard let layout = unsafe pango_layout_new(context) else {
      unsafe g_object_unref(UnsafeMutableRawPointer(context))
      throw .outOfMemory(call: "pango_layout_new")
    }
    unsafe (self.context, self.layout) = (context, layout)
    self.fonts = fonts
    (alignment, self.width) = (text.alignment, Self.units(width))
    unsafe Self.removeMachineSettings(of: context)
    // "und" is the undetermined language, for which a font uses its default forms. Without it, Pango would take the environment's
    // language.
    unsafe pango_context_set_language(context, pango_language_from_string(text.shapingLanguage ?? "und"))
    unsafe pango_layout_context_changed(layout)

    let description = unsafe pango_font_description_new()
    defer { unsafe pango_font_description_free(description) }
    unsafe pango_font_description_set_family(description, text.fonts.joined(separator: ","))
    unsafe pango_font_description_set_weight(description, PangoWeight(UInt32(text.weight)))
    unsafe pango_font_description_set_absolute_size(description, size * Double(PANGO_SCALE))
    unsafe pango_layout_set_font_description(layout, description)

    unsafe pango_layout_set_width(layout, self.width)
    unsafe pango_layout_set_wrap(layout, PANGO_WRAP_WORD_CHAR)
    unsafe Self.setAttributes(of: layout, letterSpacing: text.letterSpacing)
    if text.lineSpacing != 1 { unsafe pango_layout_set_line_spacing(layout, Float(text.lineSpacing)) }
    unsafe pango_layout_set_alignment(layout, text.alignment.pango)
    unsafe pango_layout_set_text(layout, text.string, Int32(text.string.utf8.count))
  }

  deinit {
    unsafe g_object_unref(UnsafeMutableRawPointer(layout))
    unsafe g_object_unref(UnsafeMutableRawPointer(context))
  }

  var lineCount: Int { unsafe Int(pango_layout_get_line_count(layout)) }

  /// The size in pixels, by the lines' heights and advances.
  var size: (width: Double, height: Double) {
    var logical = PangoRectangle()
    unsafe pango_layout_get_extents(layout, nil, &logical)
    return (Self.pixels(logical.width), Self.pixels(logical.height))
  }

  /// The rectangle that is drawn on, in pixels from the layout's top left corner, with a pixel to spare on each side.
  var inkBounds: Rect {
    var (left, top, right, bottom) = (Int32.max, Int32.max, Int32.min, Int32.min)
    unsafe forEachLine { line in
      let ink = unsafe line.ink
      guard ink.width > 0, ink.height > 0 else { return }
      (left, top) = unsafe (min(left, ink.x + line.shift), min(top, ink.y))
      (right, bottom) = unsafe (max(right, ink.x + line.shift + ink.width), max(bottom, ink.y + ink.height))
    }
    guard left < right else { return Rect(0, 0, 0, 0) }
    return Rect(Self.pixels(left) - 1, Self.pixels(top) - 1, Self.pixels(right - left) + 2, Self.pixels(bottom - top) + 2)
  }

  func fill(_ canvas: OpaquePointer, at top: (x: Double, y: Double), _ color: RGBAColor) {
    unsafe addPath(to: canvas, at: top, color)
    unsafe cairo_fill(canvas)
  }

  /// Draws a line along the letters' outlines, half of it on either side.
  func stroke(_ canvas: OpaquePointer, at top: (x: Double, y: Double), _ color: RGBAColor, width: Double) {
    unsafe addPath(to: canvas, at: top, color)
    unsafe cairo_set_line_width(canvas, width)
    unsafe cairo_set_line_join(canvas, CAIRO_LINE_JOIN_ROUND)
    unsafe cairo_stroke(canvas)
  }

  /// Makes the letters' outlines the canvas's path.
  private func addPath(to canvas: OpaquePointer, at top: (x: Double, y: Double), _ color: RGBAColor) {
    unsafe cairo_set_antialias(canvas, CAIRO_ANTIALIAS_BEST)
    unsafe cairo_set_source_rgba(canvas, color.red, color.green, color.blue, color.alpha)
    unsafe forEachLine { line in
      let (x, y) = unsafe (Self.pixels(line.logical.x + line.shift), Self.pixels(line.baseline))
      unsafe cairo_move_to(canvas, top.x + x, top.y + y)
      unsafe pango_cairo_layout_line_path(canvas, line.line)
    }
  }

  /// A line and where Pango puts it, in Pango's units from the layout's top left corner. It belongs to the iterator that gave it.
  @unsafe private struct Line {
    let line: UnsafeMutablePointer<PangoLayoutLine>
    let ink: PangoRectangle
    let logical: PangoRectangle
    let baseline: Int32
    /// The distance by which the line must move to the right.
    let shift: Int32
  }

  /// Calls `body` with each line. Pango takes left and right for the start and the end of a paragraph, and swaps them in scripts
  /// from right to left. The lines' shifts undo that.
  private func forEachLine(_ body: (Line) -> Void) {
    let iterator = unsafe pango_layout_get_iter(layout)
    defer { unsafe pango_layout_iter_free(iterator) }
    repeat {
      guard let line = unsafe pango_layout_iter_get_line_readonly(iterator) else { continue }
      var (ink, logical) = (PangoRectangle(), PangoRectangle())
      unsafe pango_layout_iter_get_line_extents(iterator, &ink, &logical)
      let left: Int32 =
        switch alignment {
        case .left: 0
        case .center: logical.x
        case .right: width - logical.width
        }
      unsafe body(
        Line(
          line: line, ink: ink, logical: logical, baseline: pango_layout_iter_get_baseline(iterator), shift: left - logical.x))
    } while unsafe pango_layout_iter_next_line(iterator) != 0
  }

  /// The characters that none of the fonts has, each one once. Invisible ones such as joiners, variation selectors, breaks and
  /// spaces do not count.
  ///
  /// - Throws: `DrawingError.noOutlines` for the first part of the text whose font has no outlines.
  func missingCharacters() throws(DrawingError) -> [Character] {
    let sheet = try Sheet(columns: 0..<1, rows: 0..<1)
    var missing: [Character] = []
    let iterator = unsafe pango_layout_get_iter(layout)
    defer { unsafe pango_layout_iter_free(iterator) }
    repeat {
      guard let run = unsafe pango_layout_iter_get_run_readonly(iterator)?.pointee, let glyphs = unsafe run.glyphs else {
        continue
      }
      for index in unsafe 0..<Int(glyphs.pointee.num_glyphs) {
        let glyph = unsafe glyphs.pointee.glyphs[index].glyph
        guard glyph & spool_PANGO_GLYPH_UNKNOWN_FLAG != 0 else { continue }
        let scalar = Unicode.Scalar(glyph & ~spool_PANGO_GLYPH_UNKNOWN_FLAG) ?? "\u{FFFD}"
        if !missing.contains(Character(scalar)) { missing.append(Character(scalar)) }
      }
      if missing.isEmpty { try unsafe checkOutlines(run, sheet) }
    } while unsafe pango_layout_iter_next_run(iterator) != 0
    return missing
  }

  private func checkOutlines(_ run: PangoLayoutRun, _ sheet: Sheet) throws(DrawingError) {
    guard let item = unsafe run.item?.pointee, let runFont = unsafe item.analysis.font else { return }
    var ink = PangoRectangle()
    unsafe pango_glyph_string_extents(run.glyphs, runFont, &ink, nil)
    guard ink.width > 0, ink.height > 0 else { return }
    var (left, top, right, bottom) = (0.0, 0.0, 0.0, 0.0)
    unsafe cairo_new_path(sheet.context)
    unsafe cairo_move_to(sheet.context, 0, 0)
    unsafe pango_cairo_glyph_string_path(sheet.context, runFont, run.glyphs)
    unsafe cairo_path_extents(sheet.context, &left, &top, &right, &bottom)
    guard left == right, top == bottom else { return }
    let description = unsafe pango_font_describe(runFont)
    defer { unsafe pango_font_description_free(description) }
    let text = unsafe UnsafeRawPointer(pango_layout_get_text(layout) + Int(item.offset))
    throw .noOutlines(
      font: unsafe String(cString: pango_font_description_get_family(description)),
      text: unsafe String(decoding: UnsafeRawBufferPointer(start: text, count: Int(item.length)), as: UTF8.self))
  }

  /// Turns hyphens off, and sets the space between letters in pixels. A word that is wider than its line is broken without a
  /// hyphen, because nobody wrote one.
  private static func setAttributes(of layout: OpaquePointer, letterSpacing: Double) {
    let attributes = unsafe pango_attr_list_new()
    defer { unsafe pango_attr_list_unref(attributes) }
    unsafe pango_attr_list_insert(attributes, pango_attr_insert_hyphens_new(0))
    if letterSpacing != 0 {
      let units = Int32((letterSpacing * Double(PANGO_SCALE)).rounded())
      unsafe pango_attr_list_insert(attributes, pango_attr_letter_spacing_new(units))
    }
    unsafe pango_layout_set_attributes(layout, attributes)
  }

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
  private static func units(_ pixels: Double) -> Int32 { Int32(min(max(pixels, 0), 1_000_000) * Double(PANGO_SCALE)) }
  private static func pixels(_ units: Int32) -> Double { Double(units) / Double(PANGO_SCALE) }
}

extension TextContent.Alignment {
  fileprivate var pango: PangoAlignment {
    switch self {
    case .left: PANGO_ALIGN_LEFT
    case .center: PANGO_ALIGN_CENTER
    case .right: PANGO_ALIGN_RIGHT
    }
  }
}
