internal import CCairo
internal import CTextTurn

/// A run of a text in one style.
package struct TextRun {
  package var string: String
  package var font: FontChoice
  package var color = CGColor.black
  package var background: CGColor?
  /// The space that is added after each letter, in points.
  package var kern: CGFloat = 0
  package var isUnderlined = false
  package var isStruck = false
  /// The width of the letters' stroke in percent of the font's size; below 0 the letters are filled, too.
  package var strokeWidth: CGFloat = 0
  package var strokeColor: CGColor?
  /// How far the run stands above the baseline, in points.
  package var rise: CGFloat = 0

  package init(_ string: String, font: FontChoice) { (self.string, self.font) = (string, font) }
}

/// The way in which a text is broken into lines.
package struct TextFlow {
  /// Natural is the side from which a line is read; so is that of a line that justifying leaves as it is.
  package enum Alignment: Sendable { case natural, left, center, right, justified }
  /// The direction of a paragraph: that of its first letter, or a stated one.
  package enum Direction: Sendable { case natural, leftToRight, rightToLeft }
  package enum Breaking: Sendable { case words, characters, none, head, middle, tail }
  package var alignment = Alignment.natural
  package var direction = Direction.natural
  package var breaking = Breaking.words
  /// The points between lines.
  package var lineSpacing: CGFloat = 0
  package var firstIndent: CGFloat = 0
  package var indent: CGFloat = 0
  /// The height of lines: a factor of the font's, or in points; 0 for the font's own.
  package var heightFactor: CGFloat = 0
  package var lineHeight: CGFloat = 0
  /// The greatest number of lines; 0 for any.
  package var mostLines = 0

  package init() {}
}

/// A text that Pango has broken into lines. Sizes are in points; y grows downwards from the text's top left corner.
// @safe: both pointers are owned, set once and released once.
@safe package final class TextSetting {
  private let context: OpaquePointer?
  private let layout: OpaquePointer?
  private let runs: [TextRun]
  private let flow: TextFlow

  /// - Parameter width: the width in which lines are broken and aligned; nil for lines as long as they are.
  package init(_ runs: [TextRun], _ flow: TextFlow, width: CGFloat? = nil) {
    spool_take_text_turn()
    defer { spool_give_text_turn() }
    (self.runs, self.flow) = (runs, flow)
    unsafe context = Self.makeContext()
    unsafe layout = unsafe pango_layout_new(context)
    if flow.direction != .natural {
      unsafe pango_context_set_base_dir(context, flow.direction == .rightToLeft ? PANGO_DIRECTION_RTL : PANGO_DIRECTION_LTR)
      unsafe pango_layout_set_auto_dir(layout, 0)
      unsafe pango_layout_context_changed(layout)
    }
    unsafe pango_layout_set_text(layout, runs.map(\.string).joined(), -1)
    let attributes = unsafe pango_attr_list_new()
    unsafe Self.addHyphens(of: runs.map(\.string).joined(), to: attributes)
    var start = 0
    for run in runs {
      let end = start + run.string.utf8.count
      unsafe Self.style(run, start..<end, attributes)
      start = end
    }
    if flow.lineHeight > 0 {
      unsafe pango_attr_list_insert(attributes, pango_attr_line_height_new_absolute(Self.units(flow.lineHeight)))
    } else if flow.heightFactor > 0 {
      unsafe pango_attr_list_insert(attributes, pango_attr_line_height_new(Double(flow.heightFactor)))
    }
    unsafe pango_layout_set_attributes(layout, attributes)
    unsafe pango_attr_list_unref(attributes)
    arrange(width)
  }

  deinit {
    spool_take_text_turn()
    defer { spool_give_text_turn() }
    unsafe layout.map { unsafe g_object_unref(UnsafeMutableRawPointer($0)) }
    unsafe context.map { unsafe g_object_unref(UnsafeMutableRawPointer($0)) }
  }

  private func arrange(_ width: CGFloat?) {
    unsafe pango_layout_set_spacing(layout, Self.units(flow.lineSpacing))
    unsafe pango_layout_set_indent(layout, Self.units(flow.firstIndent - flow.indent))
    switch flow.alignment {
    case .natural, .left: unsafe pango_layout_set_alignment(layout, PANGO_ALIGN_LEFT)
    case .center: unsafe pango_layout_set_alignment(layout, PANGO_ALIGN_CENTER)
    case .right: unsafe pango_layout_set_alignment(layout, PANGO_ALIGN_RIGHT)
    case .justified: unsafe pango_layout_set_justify(layout, 1)
    }
    guard let width else { return }
    switch flow.breaking {
    // Lines that are not broken are aligned by hand, because Pango breaks what it aligns.
    case .none: return
    case .characters: unsafe pango_layout_set_wrap(layout, PANGO_WRAP_CHAR)
    default: unsafe pango_layout_set_wrap(layout, PANGO_WRAP_WORD_CHAR)
    }
    unsafe pango_layout_set_width(layout, Self.units(max(width - flow.indent, 0)))
    let ellipsis: PangoEllipsizeMode? =
      switch flow.breaking {
      case .head: PANGO_ELLIPSIZE_START
      case .middle: PANGO_ELLIPSIZE_MIDDLE
      case .tail: PANGO_ELLIPSIZE_END
      case .words, .characters, .none: nil
      }
    guard let ellipsis else { return }
    unsafe pango_layout_set_ellipsize(layout, ellipsis)
    unsafe pango_layout_set_height(layout, -Int32(max(flow.mostLines, 1)))
  }

  /// A context whose results do not depend on the screen: no hinting, and sizes in points.
  static func makeContext() -> OpaquePointer? {
    let context = unsafe pango_font_map_create_context(pango_cairo_font_map_get_default())
    let options = unsafe cairo_font_options_create()
    unsafe cairo_font_options_set_hint_style(options, CAIRO_HINT_STYLE_NONE)
    unsafe cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF)
    unsafe cairo_font_options_set_antialias(options, CAIRO_ANTIALIAS_GRAY)
    unsafe pango_cairo_context_set_font_options(context, options)
    unsafe cairo_font_options_destroy(options)
    unsafe pango_context_set_round_glyph_positions(context, 0)
    return unsafe context
  }

  private static func units(_ points: CGFloat) -> Int32 {
    Int32(min(max(points * CGFloat(PANGO_SCALE), -1e9), 1e9).rounded())
  }

  @unsafe private static func style(_ run: TextRun, _ range: Range<Int>, _ list: OpaquePointer?) {
    func add(_ attribute: UnsafeMutablePointer<PangoAttribute>?) {
      guard let attribute = unsafe attribute else { return }
      unsafe (attribute.pointee.start_index, attribute.pointee.end_index) = (UInt32(range.lowerBound), UInt32(range.upperBound))
      unsafe pango_attr_list_insert(list, attribute)
    }
    let description = unsafe run.font.description
    unsafe add(pango_attr_font_desc_new(description))
    unsafe pango_font_description_free(description)
    if run.kern != 0 { unsafe add(pango_attr_letter_spacing_new(units(run.kern))) }
    if run.rise != 0 { unsafe add(pango_attr_rise_new(units(run.rise))) }
  }

  /// Leaves hyphens to the breaks at soft hyphens. A word that is wider than its line is broken without one.
  @unsafe private static func addHyphens(of text: String, to list: OpaquePointer?) {
    var (start, place) = (0, 0)
    func add(to end: Int) {
      guard let attribute = unsafe pango_attr_insert_hyphens_new(0) else { return }
      unsafe (attribute.pointee.start_index, attribute.pointee.end_index) = (UInt32(start), UInt32(end))
      unsafe pango_attr_list_insert(list, attribute)
    }
    for scalar in text.unicodeScalars {
      place += UTF8.width(scalar)
      // Pango keeps the hyphens of breaks at the ends of an attribute.
      guard scalar == "\u{AD}" else { continue }
      add(to: place)
      start = place
    }
    add(to: Int(UInt32.max))
  }

  /// The number of lines that are drawn.
  package var lineCount: Int {
    spool_take_text_turn()
    defer { spool_give_text_turn() }
    let count = unsafe Int(pango_layout_get_line_count(layout))
    return flow.mostLines > 0 ? min(count, flow.mostLines) : count
  }

  /// The rectangle of all lines' heights and advances.
  package var size: CGSize {
    var (width, bottom): (CGFloat, CGFloat) = (0, 0)
    eachLine { line in (width, bottom) = (max(width, line.frame.width), max(bottom, line.frame.maxY)) }
    return CGSize(width: width + flow.indent, height: bottom)
  }

  /// A line: its frame, the height of its baseline, and its bytes.
  package struct Line {
    package let frame: CGRect
    package let baseline: CGFloat
    package let bytes: Range<Int>
  }

  package var lines: [Line] {
    var lines: [Line] = []
    eachLine { lines.append($0) }
    return lines
  }

  private func eachLine(_ body: (Line) -> Void) {
    spool_take_text_turn()
    defer { spool_give_text_turn() }
    guard let place = unsafe pango_layout_get_iter(layout) else { return }
    defer { unsafe pango_layout_iter_free(place) }
    for _ in 0..<lineCount {
      var logical = PangoRectangle()
      unsafe pango_layout_iter_get_line_extents(place, nil, &logical)
      let line = unsafe pango_layout_iter_get_line_readonly(place)
      let start = unsafe Int(line?.pointee.start_index ?? 0)
      let length = unsafe Int(line?.pointee.length ?? 0)
      body(
        Line(
          frame: CGRect(logical).offsetBy(dx: unsafe shift(place), dy: 0),
          baseline: unsafe CGFloat(pango_layout_iter_get_baseline(place)) / CGFloat(PANGO_SCALE),
          bytes: start..<start + length))
      if unsafe pango_layout_iter_next_line(place) == 0 { break }
    }
  }

  /// Draws the text.
  ///
  /// - Parameters:
  ///   - origin: the place of the text's top left corner, in user space.
  ///   - isFlipped: whether y grows downwards in user space.
  ///   - width: the width in which lines that are not broken are aligned.
  package func draw(in target: CGContext, at origin: CGPoint, isFlipped: Bool, width: CGFloat? = nil) {
    target.paint { [self] in
      spool_take_text_turn()
      defer { spool_give_text_turn() }
      let canvas = unsafe target.canvas
      unsafe cairo_save(canvas)
      unsafe cairo_translate(canvas, origin.x + flow.indent, origin.y)
      if !isFlipped { unsafe cairo_scale(canvas, 1, -1) }
      unsafe pango_cairo_update_context(canvas, context)
      guard let place = unsafe pango_layout_get_iter(layout) else { return }
      var line = 0
      repeat {
        // A line ends with a run that is none.
        guard let run = unsafe pango_layout_iter_get_run_readonly(place) else {
          line += 1
          if line >= lineCount { break }
          continue
        }
        unsafe draw(run, place, in: target, shift: shift(place, width))
      } while unsafe pango_layout_iter_next_run(place) != 0
      unsafe pango_layout_iter_free(place)
      unsafe cairo_restore(canvas)
    }
  }

  /// How far a line is moved to be aligned. Pango aligns no lines that are not broken. It swaps the sides of lines that run from right to left
  /// where it finds their direction, and of no others.
  @unsafe private func shift(_ place: OpaquePointer, _ width: CGFloat? = nil) -> CGFloat {
    var (logical, whole) = (PangoRectangle(), PangoRectangle())
    unsafe pango_layout_iter_get_line_extents(place, nil, &logical)
    let line = CGRect(logical)
    let direction = unsafe pango_layout_line_get_resolved_direction(pango_layout_iter_get_line_readonly(place))
    let isFromRight = direction == PANGO_DIRECTION_RTL
    let isAtRight = flow.alignment == .right || isFromRight && flow.alignment != .left
    if let width, flow.breaking == .none {
      if flow.alignment == .center { return (width - line.width) / 2 - line.minX }
      return isAtRight ? width - line.width - line.minX : isFromRight ? -line.minX : 0
    }
    let isSwapped = flow.direction == .natural && isFromRight
    guard flow.alignment != .center, isAtRight != ((flow.alignment == .right) != isSwapped) else { return 0 }
    let wrap = unsafe pango_layout_get_width(layout)
    if wrap < 0 { unsafe pango_layout_get_extents(layout, nil, &whole) }
    let room = CGFloat(wrap < 0 ? whole.width : wrap) / CGFloat(PANGO_SCALE)
    return room - line.width - 2 * line.minX
  }

  @unsafe private func draw(
    _ glyphs: UnsafeMutablePointer<PangoLayoutRun>, _ place: OpaquePointer, in target: CGContext, shift: CGFloat
  ) {
    guard let item = unsafe glyphs.pointee.item, let run = unsafe run(at: Int(item.pointee.offset)) else { return }
    let canvas = unsafe target.canvas
    var logical = PangoRectangle()
    unsafe pango_layout_iter_get_run_extents(place, nil, &logical)
    let frame = CGRect(logical).offsetBy(dx: shift, dy: 0)
    let baseline = unsafe CGFloat(pango_layout_iter_get_baseline(place)) / CGFloat(PANGO_SCALE) - run.rise
    if let background = run.background {
      target.setSource(background)
      unsafe cairo_rectangle(canvas, frame.minX, frame.minY, frame.width, frame.height)
      unsafe cairo_fill(canvas)
    }
    unsafe cairo_new_path(canvas)
    unsafe cairo_move_to(canvas, frame.minX, baseline)
    unsafe pango_cairo_glyph_string_path(canvas, item.pointee.analysis.font, glyphs.pointee.glyphs)
    target.setSource(run.color)
    if run.strokeWidth <= 0 { unsafe cairo_fill_preserve(canvas) }
    if run.strokeWidth != 0 {
      target.setSource(run.strokeColor ?? run.color)
      unsafe cairo_set_line_width(canvas, abs(run.strokeWidth) / 100 * run.font.size)
      unsafe cairo_set_line_join(canvas, CAIRO_LINE_JOIN_ROUND)
      unsafe cairo_stroke_preserve(canvas)
    }
    unsafe cairo_new_path(canvas)
    // The thickness and the places of lines are those that most fonts have.
    target.setSource(run.color)
    let thickness = max(run.font.size / 18, 0.5)
    if run.isUnderlined { unsafe cairo_rectangle(canvas, frame.minX, baseline + thickness * 1.5, frame.width, thickness) }
    if run.isStruck { unsafe cairo_rectangle(canvas, frame.minX, baseline - run.font.size * 0.3, frame.width, thickness) }
    unsafe cairo_fill(canvas)
  }

  private func run(at byte: Int) -> TextRun? {
    var end = 0
    for run in runs {
      end += run.string.utf8.count
      if byte < end { return run }
    }
    return runs.last
  }
}

extension CGRect {
  /// A rectangle of Pango's, in points.
  fileprivate init(_ r: PangoRectangle) {
    let scale = CGFloat(PANGO_SCALE)
    self.init(
      x: CGFloat(r.x) / scale, y: CGFloat(r.y) / scale, width: CGFloat(r.width) / scale, height: CGFloat(r.height) / scale)
  }
}
