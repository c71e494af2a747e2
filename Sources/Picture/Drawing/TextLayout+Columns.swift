internal import CPango
import Formats
import Timeline

// Vertical lines. Pango lays them out as lines whose letters are turned to the left. Turned to the right as a whole, they are columns in which
// East Asian letters are upright and others lie on their side.
extension TextLayout {
  /// The rectangle, as it is seen, of one along the lines and across them.
  func seen(_ rect: Rect) -> Rect {
    guard mode.isVertical else {
      return squeeze == 1 ? rect : Rect(rect.x * squeeze, rect.y, rect.width * squeeze, rect.height)
    }
    return Rect(flow.depth - rect.maxY, rect.x, rect.height, rect.width)
  }

  /// Calls with a canvas that is turned as the lines are, and the place of the text's corner on it.
  func onLines(of canvas: OpaquePointer, at top: Point, _ body: (Point) -> Void) {
    guard mode.isVertical || squeeze != 1 else { return body(top) }
    unsafe cairo_save(canvas)
    unsafe cairo_translate(canvas, top.x, top.y)
    if mode.isVertical {
      var turn = cairo_matrix_t(xx: 0, yx: 1, xy: -1, yy: 0, x0: flow.depth, y0: 0)
      unsafe cairo_transform(canvas, &turn)
    } else {
      unsafe cairo_scale(canvas, squeeze, 1)
    }
    body(Point(0, 0))
    unsafe cairo_restore(canvas)
  }

  /// The top left corner of the text in a frame.
  func corner(in frame: Rect, _ alignment: TextContent.VerticalAlignment) -> Point {
    let share =
      switch alignment {
      case .top: 0.0
      case .middle: 0.5
      case .bottom: 1.0
      }
    return switch mode {
    case .horizontal: Point(frame.x, frame.y + (frame.height - size.height) * share)
    case .verticalRightToLeft: Point(frame.x + (frame.width - size.width) * (1 - share), frame.y)
    case .verticalLeftToRight: Point(frame.x + (frame.width - size.width) * share, frame.y)
    }
  }

  /// The line's side of letters that are underlined: in Japanese, Korean and Mongolian the right one.
  var isUnderlinedAtRight: Bool {
    guard let context = unsafe pango_layout_get_context(layout), let language = unsafe pango_context_get_language(context),
      let name = unsafe pango_language_to_string(language)
    else { return false }
    let first = unsafe String(cString: name).split(separator: "-").first.map(String.init) ?? ""
    return ["ja", "ko", "mn"].contains(first)
  }

  /// Puts the first line where the last one was, and so on: lines follow each other to the right then.
  func reverseLines() {
    let moves = lines.map { flow.depth - $0.whole.maxY - $0.whole.y }
    moveLines { moves[$0] }
  }

  // MARK: - Letters

  /// The place across the line at which a piece's glyphs have their zero. Pango sets the middles of all pieces on one line.
  func centre(_ run: UnsafeMutablePointer<PangoLayoutRun>, _ ink: inout PangoRectangle, _ logical: PangoRectangle) -> Int32 {
    guard let font = unsafe run.pointee.item?.pointee.analysis.font, let glyphs = unsafe run.pointee.glyphs else {
      return logical.y
    }
    unsafe placeByAscent(glyphs, font, run.pointee.item)
    var (own, all) = (PangoRectangle(), PangoRectangle())
    unsafe pango_glyph_string_extents(glyphs, font, &own, &all)
    guard unsafe !run.isShape else { return logical.y }
    let y = logical.y &- all.y
    unsafe ink = PangoRectangle(
      x: logical.x &+ run.pointee.start_x_offset &+ own.x, y: y &+ own.y, width: own.width, height: own.height)
    return y
  }

  /// Places upright glyphs of a font without vertical metrics by its ascent.
  ///
  /// HarfBuzz would set the ink of each glyph into the middle of its room, as FreeType does, and a comma with it.
  private func placeByAscent(
    _ glyphs: UnsafeMutablePointer<PangoGlyphString>, _ font: UnsafeMutablePointer<PangoFont>,
    _ item: UnsafeMutablePointer<PangoItem>?
  ) {
    guard let item = unsafe item, unsafe item.isUpright, let shaper = unsafe pango_font_get_hb_font(font) else { return }
    let metrics = unsafe hb_face_reference_table(hb_font_get_face(shaper), Self.verticalMetrics)
    defer { unsafe hb_blob_destroy(metrics) }
    var extents = hb_font_extents_t()
    guard unsafe hb_blob_get_length(metrics) == 0, unsafe hb_font_get_h_extents(shaper, &extents) != 0 else { return }
    for index in unsafe 0..<Int(glyphs.pointee.num_glyphs)
    where unsafe glyphs.pointee.glyphs[index].glyph != spool_PANGO_GLYPH_EMPTY {
      unsafe glyphs.pointee.glyphs[index].geometry.x_offset = extents.ascender
    }
  }

  /// The tag of the table `vmtx`.
  private static let verticalMetrics: hb_tag_t = 0x766d_7478

  /// Turns letters that stand on their side in vertical lines, such as brackets and the sign of a long vowel, where the font has no
  /// vertical form of them.
  func turnLetters(_ text: TextContent, _ style: inout TextStyling, width: Double) {
    let candidates = text.string.bracketBytes
    guard !candidates.isEmpty else { return }
    var turned: Set<Int> = []
    for index in pieceIndices {
      let piece = unsafe pieces[index]
      guard let item = unsafe piece.run.pointee.item, unsafe item.isUpright, unsafe !piece.run.isShape,
        let font = unsafe item.pointee.analysis.font, let shaper = unsafe pango_font_get_hb_font(font),
        let glyphs = unsafe piece.run.pointee.glyphs?.pointee
      else { continue }
      let offset = unsafe Int(item.pointee.offset)
      for number in unsafe 0..<Int(glyphs.num_glyphs) {
        let byte = unsafe offset + Int(glyphs.log_clusters[number])
        guard let scalar = candidates[byte] else { continue }
        var usual: hb_codepoint_t = 0
        guard unsafe hb_font_get_nominal_glyph(shaper, scalar.value, &usual) != 0, unsafe glyphs.glyphs[number].glyph == usual
        else { continue }
        turned.insert(byte)
      }
    }
    guard !turned.isEmpty else { return }
    style.turned = turned
    unsafe style.apply(to: layout, width: width)
    readPieces(text, width: width)
  }
}

extension UnsafeMutablePointer<PangoItem> {
  /// Whether Pango has set the item upright in a vertical line.
  fileprivate var isUpright: Bool { unsafe pointee.analysis.gravity == UInt8(PANGO_GRAVITY_EAST.rawValue) }
}

extension UnsafeMutablePointer<PangoLayoutRun> {
  /// Whether the run is an empty room for combined letters.
  fileprivate var isShape: Bool {
    guard let glyphs = unsafe pointee.glyphs?.pointee, unsafe glyphs.num_glyphs > 0 else { return false }
    return unsafe (0..<Int(glyphs.num_glyphs)).allSatisfy { unsafe glyphs.glyphs[$0].glyph == spool_PANGO_GLYPH_EMPTY }
  }
}
