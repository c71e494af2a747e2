internal import CPango
import Formats
import Timeline

extension TextLayout {
  /// The colours of letters. A run without a colour of its own has the fill of the whole text.
  enum Paint {
    case text(fill: Fill)
    /// One colour for all letters.
    case plain(RGBAColor)
  }

  /// A colour, or a gradient across a rectangle.
  enum Fill {
    case color(RGBAColor)
    case gradient(GradientContent, across: Rect)
  }

  func fill(_ canvas: OpaquePointer, at top: Point, _ paint: Paint) {
    for group in groups(paint) {
      unsafe setSource(group.color, paint, canvas)
      unsafe fill(canvas, at: top, group.pieces)
      for index in group.pieces where unsafe pieces[index].isPicture { unsafe show(index, canvas, at: top) }
    }
    for inset in insets where draws(inset) {
      // A small text has its run's style, so the paint of the whole text is its own too.
      unsafe inset.layout.fill(canvas, at: corner(of: inset, top), paint)
    }
  }

  /// Draws a line along the letters' outlines, half of it on either side.
  func stroke(_ canvas: OpaquePointer, at top: Point, _ color: RGBAColor, width: Double, _ join: ShapeContent.LineJoin) {
    unsafe cairo_set_antialias(canvas, CAIRO_ANTIALIAS_BEST)
    unsafe cairo_set_source_rgba(canvas, color.red, color.green, color.blue, color.alpha)
    unsafe addPath(of: Array(pieceIndices), to: canvas, at: top)
    unsafe addDecorations(of: Array(pieceIndices), to: canvas, at: top)
    unsafe cairo_set_line_width(canvas, width)
    unsafe cairo_set_line_join(canvas, join.cairo)
    unsafe cairo_set_miter_limit(canvas, Self.miterLimit)
    unsafe cairo_stroke(canvas)
    for inset in insets where draws(inset) {
      unsafe inset.layout.stroke(canvas, at: corner(of: inset, top), color, width: width, join)
    }
  }

  /// How far a miter reaches from its corner at most, in halves of the line's width.
  static let miterLimit = 4.0

  /// The pieces by their colours, in the order in which these are met. All pieces of a colour are filled at once, so that no seam
  /// is seen where they touch.
  private func groups(_ paint: Paint) -> [(color: RGBAColor?, pieces: [Int])] {
    guard case .text = paint else { return [(nil, Array(pieceIndices))] }
    var places: [RGBAColor?: Int] = [:]
    var groups: [(color: RGBAColor?, pieces: [Int])] = []
    for index in pieceIndices {
      let color = unsafe spans[pieces[index].span].color
      if let place = places[color] {
        groups[place].pieces.append(index)
      } else {
        places[color] = groups.count
        groups.append((color, [index]))
      }
    }
    return groups
  }

  private func setSource(_ own: RGBAColor?, _ paint: Paint, _ canvas: OpaquePointer) {
    unsafe cairo_set_antialias(canvas, CAIRO_ANTIALIAS_BEST)
    switch (own, paint) {
    case (nil, .plain(let color)):
      unsafe cairo_set_source_rgba(canvas, color.red, color.green, color.blue, color.alpha)
    case (let own?, _), (nil, .text(fill: .color(let own))):
      let color = tints.reduce(own) { $1.applied(to: $0) }
      unsafe cairo_set_source_rgba(canvas, color.red, color.green, color.blue, color.alpha)
    case (nil, .text(fill: .gradient(var gradient, let rect))):
      for index in gradient.stops.indices {
        gradient.stops[index].color = tints.reduce(gradient.stops[index].color) { $1.applied(to: $0) }
      }
      unsafe gradient.setSource(of: canvas, across: rect)
    }
  }

  private func fill(_ canvas: OpaquePointer, at top: Point, _ group: [Int]) {
    guard group.contains(where: { !decorations(of: $0).isEmpty }) else {
      unsafe addPath(of: group, to: canvas, at: top)
      return unsafe cairo_fill(canvas)
    }
    // Letters and the lines under them are covered together, so that no place is painted twice.
    unsafe cairo_push_group_with_content(canvas, CAIRO_CONTENT_ALPHA)
    unsafe cairo_set_operator(canvas, CAIRO_OPERATOR_OVER)
    unsafe cairo_set_source_rgba(canvas, 0, 0, 0, 1)
    unsafe addPath(of: group, to: canvas, at: top)
    unsafe cairo_fill(canvas)
    unsafe addDecorations(of: group, to: canvas, at: top)
    unsafe cairo_fill(canvas)
    let cover = unsafe cairo_pop_group(canvas)
    unsafe cairo_mask(canvas, cover)
    unsafe cairo_pattern_destroy(cover)
  }

  /// Makes the outlines of letters the canvas's path.
  private func addPath(of group: [Int], to canvas: OpaquePointer, at top: Point) {
    unsafe cairo_new_path(canvas)
    unsafe onLines(of: canvas, at: top) { top in
      for index in group {
        let piece = unsafe pieces[index]
        guard unsafe !piece.isPicture, let font = unsafe piece.run.pointee.item?.pointee.analysis.font else { continue }
        unsafe cairo_move_to(canvas, top.x + piece.x, top.y + piece.y)
        unsafe withGlyphs(of: index) { unsafe pango_cairo_glyph_string_path(canvas, font, $0) }
      }
    }
  }

  private func addDecorations(of group: [Int], to canvas: OpaquePointer, at top: Point) {
    for rect in group.flatMap(decorations).map(seen) {
      unsafe cairo_rectangle(canvas, top.x + rect.x, top.y + rect.y, rect.width, rect.height)
    }
  }

  /// Draws a piece whose font holds pictures, in their own colours.
  private func show(_ index: Int, _ canvas: OpaquePointer, at top: Point) {
    let piece = unsafe pieces[index]
    guard let font = unsafe piece.run.pointee.item?.pointee.analysis.font else { return }
    unsafe onLines(of: canvas, at: top) { top in
      unsafe cairo_move_to(canvas, top.x + piece.x, top.y + piece.y)
      unsafe withGlyphs(of: index) { unsafe pango_cairo_show_glyph_string(canvas, font, $0) }
    }
    unsafe cairo_new_path(canvas)
  }
}

// MARK: - What cannot be drawn

extension TextLayout {
  /// Checks that each character is drawn, and from a font of its own run.
  ///
  /// - Throws: `DrawingError.missingGlyphs` with the characters that none of a run's fonts has, each one once. Invisible ones such as
  ///   joiners, variation selectors, breaks and spaces do not count. `DrawingError.noOutlines` for the first part of the text whose
  ///   font has nothing that can be drawn. `DrawingError.brokenLetters`, `DrawingError.rubyBroken`.
  func requireGlyphs(_ book: FontBook) throws(DrawingError) {
    if let brokenBase { throw .rubyBroken(base: brokenBase) }
    let sheet = try Sheet(columns: 0..<1, rows: 0..<1)
    var missing: [(families: [String], characters: [Character])] = []
    for index in pieceIndices {
      let characters = unsafe missingCharacters(of: pieces[index])
      guard !characters.isEmpty else {
        if missing.isEmpty {
          try unsafe checkLetters(pieces[index])
          try unsafe checkOutlines(pieces[index], sheet)
        }
        continue
      }
      let families = unsafe spans[pieces[index].span].typeface.families
      if !missing.contains(where: { $0.families == families }) { missing.append((families, [])) }
      for place in missing.indices where missing[place].families == families {
        missing[place].characters += characters.filter { !missing[place].characters.contains($0) }
      }
    }
    if let first = missing.first {
      throw .missingGlyphs(
        fonts: first.families, characters: first.characters, families: book.families(having: first.characters))
    }
    // One small text may stand in many places.
    var checked: Set<ObjectIdentifier> = []
    for inset in insets where checked.insert(ObjectIdentifier(inset.layout)).inserted { try inset.layout.requireGlyphs(book) }
  }

  private func missingCharacters(of piece: Piece) -> [Character] {
    guard let glyphs = unsafe piece.run.pointee.glyphs?.pointee, let item = unsafe piece.run.pointee.item?.pointee else {
      return []
    }
    var missing: [Character] = []
    for index in unsafe 0..<Int(glyphs.num_glyphs) {
      let glyph = unsafe glyphs.glyphs[index].glyph
      guard glyph & spool_PANGO_GLYPH_UNKNOWN_FLAG != 0 else { continue }
      let character = Character(Unicode.Scalar(glyph & ~spool_PANGO_GLYPH_UNKNOWN_FLAG) ?? "\u{FFFD}")
      if !missing.contains(character) { missing.append(character) }
    }
    if unsafe lacksHyphen(item) { missing.append("-") }
    guard missing.isEmpty, fonts.areShared, unsafe piece.ink.width > 0, let name = unsafe familyName(of: item) else {
      return missing
    }
    // Pango looks among the fonts of all runs.
    guard unsafe !fonts.names(of: spans[piece.span].typeface).contains(name) else { return [] }
    return unsafe string(of: item).reduce(into: []) { if !$0.contains($1), !$1.isWhitespace { $0.append($1) } }
  }

  /// Whether a line is broken at a soft hyphen at the item's end, whose font has no hyphen. Pango leaves that out.
  private func lacksHyphen(_ item: PangoItem) -> Bool {
    guard unsafe Int32(item.analysis.flags) & PANGO_ANALYSIS_FLAG_NEED_HYPHEN != 0, let font = unsafe item.analysis.font,
      let shaper = unsafe pango_font_get_hb_font(font)
    else { return false }
    var glyph: hb_codepoint_t = 0
    return ["\u{2010}", "-"].allSatisfy { (hyphen: Unicode.Scalar) in
      unsafe hb_font_get_nominal_glyph(shaper, hyphen.value, &glyph) == 0
    }
  }

  /// Checks that FreeType reads each letter of a document's own font. Cairo leaves out those that it does not.
  ///
  /// The letters are read from a face of this call's own: Cairo's faces are shared by all threads.
  private func checkLetters(_ piece: Piece) throws(DrawingError) {
    guard unsafe !piece.isPicture, let glyphs = unsafe piece.run.pointee.glyphs?.pointee,
      let item = unsafe piece.run.pointee.item?.pointee, let font = unsafe item.analysis.font,
      let pattern = unsafe pango_fc_font_get_pattern(UnsafeMutablePointer<PangoFcFont>(OpaquePointer(font))),
      let path = unsafe pattern.path, FontMemory.isPath(path)
    else { return }
    let numbers = Set(unsafe (0..<Int(glyphs.num_glyphs)).map { unsafe glyphs.glyphs[$0].glyph }).subtracting([
      spool_PANGO_GLYPH_EMPTY
    ])
    var library: FT_Library?
    guard unsafe FT_Init_FreeType(&library) == 0 else { throw .outOfMemory(call: "FT_Init_FreeType") }
    defer { unsafe FT_Done_FreeType(library) }
    var face: FT_Face?
    // The upper half of the index is a variable font's instance, which has the same letters.
    let areRead =
      unsafe FT_New_Face(library, path, FT_Long(pattern.index & 0xffff), &face) == 0
      && numbers.allSatisfy { unsafe FT_Load_Glyph(face, $0, FT_Int32(FT_LOAD_NO_SCALE)) == 0 }
    guard areRead else {
      throw .brokenLetters(font: unsafe fonts.family(named: familyName(of: item) ?? ""), text: unsafe string(of: item))
    }
  }

  private func checkOutlines(_ piece: Piece, _ sheet: Sheet) throws(DrawingError) {
    guard unsafe piece.ink.width > 0, unsafe piece.ink.height > 0, unsafe !piece.isPicture,
      let item = unsafe piece.run.pointee.item?.pointee, let font = unsafe item.analysis.font
    else { return }
    var (left, top, right, bottom) = (0.0, 0.0, 0.0, 0.0)
    unsafe cairo_new_path(sheet.context)
    unsafe cairo_move_to(sheet.context, 0, 0)
    unsafe pango_cairo_glyph_string_path(sheet.context, font, piece.run.pointee.glyphs)
    unsafe cairo_path_extents(sheet.context, &left, &top, &right, &bottom)
    guard left == right, top == bottom else { return }
    throw .noOutlines(font: unsafe fonts.family(named: familyName(of: item) ?? ""), text: unsafe string(of: item))
  }

  private func familyName(of item: PangoItem) -> String? {
    guard let font = unsafe item.analysis.font else { return nil }
    return unsafe pango_fc_font_get_pattern(UnsafeMutablePointer<PangoFcFont>(OpaquePointer(font)))?.text(FC_FAMILY)
  }

  private func string(of item: PangoItem) -> String {
    let text = unsafe UnsafeRawPointer(pango_layout_get_text(layout) + Int(item.offset))
    return unsafe String(decoding: UnsafeRawBufferPointer(start: text, count: Int(item.length)), as: UTF8.self)
  }
}
