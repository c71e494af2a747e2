internal import CPango
import Formats
import Timeline

/// The styles of a text's runs and its lines as Pango's attributes.
struct TextStyling {
  private let text: TextContent
  private let spans: [TextContent.Span]
  private let fonts: TextFonts
  /// The factor of all sizes of fonts and lines.
  private let scale: Double
  /// The pixels that are added after each letter of a run, so that it is as wide as its ruby.
  var extraSpacing: [Int: Double] = [:]
  /// The heights of the runs whose letters are combined, by their runs. Each has room for one em in its line.
  var combined: [Int: Double] = [:]
  /// The bytes at which letters begin that are turned in vertical lines because their font has no vertical form of them.
  var turned: Set<Int> = []

  init(_ text: TextContent, _ spans: [TextContent.Span], _ fonts: TextFonts, scale: Double) {
    (self.text, self.spans, self.fonts, self.scale) = (text, spans, fonts, scale)
  }

  func apply(to layout: OpaquePointer, width: Double) {
    let description = unsafe description(of: spans[0])
    unsafe pango_layout_set_font_description(layout, description)
    unsafe pango_font_description_free(description)
    unsafe pango_layout_set_width(layout, text.wrapping == .none ? -1 : TextLayout.units(width))
    unsafe pango_layout_set_wrap(layout, text.wrapping == .character ? PANGO_WRAP_CHAR : PANGO_WRAP_WORD_CHAR)
    if text.lineSpacing != 1 { unsafe pango_layout_set_line_spacing(layout, Float(text.lineSpacing)) }
    unsafe pango_layout_set_alignment(layout, text.alignment.pango)
    unsafe pango_layout_set_justify(layout, text.alignment == .justify ? 1 : 0)
    if !text.tabs.isEmpty {
      let tabs = unsafe pango_tab_array_new(Int32(text.tabs.count), 0)
      for (index, place) in text.tabs.enumerated() {
        unsafe pango_tab_array_set_tab(tabs, Int32(index), PANGO_TAB_LEFT, TextLayout.units(place))
      }
      unsafe pango_layout_set_tabs(layout, tabs)
      unsafe pango_tab_array_free(tabs)
    }
    let attributes = unsafe pango_attr_list_new()
    unsafe addHyphens(to: attributes)
    if let height = text.lineHeight {
      unsafe pango_attr_list_insert(attributes, pango_attr_line_height_new_absolute(TextLayout.units(height * scale)))
    }
    var start = 0
    for index in spans.indices {
      unsafe addStyle(of: index, from: start, to: attributes)
      unsafe addSpacing(of: index, from: start, to: attributes)
      start += spans[index].string.utf8.count
    }
    unsafe pango_layout_set_attributes(layout, attributes)
    unsafe pango_attr_list_unref(attributes)
  }

  private func description(of span: TextContent.Span) -> OpaquePointer? {
    let face = span.typeface
    let description = unsafe pango_font_description_new()
    unsafe pango_font_description_set_family(description, fonts.names(of: face).joined(separator: ","))
    unsafe pango_font_description_set_weight(description, PangoWeight(UInt32(face.weight)))
    unsafe pango_font_description_set_style(description, face.slant.pango)
    unsafe pango_font_description_set_stretch(description, Self.stretch(face.stretch))
    unsafe pango_font_description_set_absolute_size(description, span.size * scale * Double(PANGO_SCALE))
    if !face.axes.isEmpty {
      let axes = face.axes.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
      unsafe pango_font_description_set_variations(description, axes.joined(separator: ","))
    }
    return unsafe description
  }

  private func addStyle(of index: Int, from start: Int, to attributes: OpaquePointer?) {
    let span = spans[index]
    func add(_ attribute: UnsafeMutablePointer<PangoAttribute>?) {
      unsafe Self.add(attribute, start..<start + span.string.utf8.count, to: attributes)
    }
    if span.typeface != spans[0].typeface || span.size != spans[0].size {
      let description = unsafe description(of: span)
      unsafe add(pango_attr_font_desc_new(description))
      unsafe pango_font_description_free(description)
    }
    if !span.features.isEmpty {
      let features = span.features.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
      unsafe add(pango_attr_font_features_new(features.joined(separator: ",")))
    }
    if let language = span.language { unsafe add(pango_attr_language_new(pango_language_from_string(language))) }
    if span.baselineOffset != 0 {
      unsafe add(pango_attr_rise_new(Int32((span.baselineOffset * Double(PANGO_SCALE)).rounded())))
    }
    if text.writingMode.isVertical { unsafe addOrientations(of: index, from: start, to: attributes) }
    // The base of a ruby stays in one line.
    if span.ruby != nil || combined[index] != nil { unsafe add(pango_attr_allow_breaks_new(0)) }
    // The number of the run as a colour, which nobody sees: so no piece reaches from one run into another.
    if spans.count > 1 { unsafe add(pango_attr_foreground_new(UInt16(index & 0xff), UInt16(index >> 8), 0)) }
  }

  /// Leaves hyphens to the breaks at soft hyphens. A word that is wider than its line is broken without one, because nobody wrote it.
  private func addHyphens(to attributes: OpaquePointer?) {
    var (start, place) = (0, 0)
    for scalar in text.string.unicodeScalars {
      place += UTF8.width(scalar)
      // Pango keeps the hyphens of breaks at the ends of an attribute.
      guard scalar == "\u{AD}" else { continue }
      unsafe Self.add(pango_attr_insert_hyphens_new(0), start..<place, to: attributes)
      start = place
    }
    unsafe Self.add(pango_attr_insert_hyphens_new(0), start..<Int(UInt32.max), to: attributes)
  }

  /// Sets upright the letters that stand upright in vertical lines, by the run's orientation, and turns all others. Combined letters are left to others to draw: the
  /// first of them has all their room.
  private func addOrientations(of index: Int, from start: Int, to attributes: OpaquePointer?) {
    let (string, orientation) = (spans[index].string, spans[index].orientation)
    let height = combined[index]
    var (first, place, isUpright) = (start, start, height != nil)
    func add() {
      guard first < place else { return }
      let gravity = isUpright ? PANGO_GRAVITY_EAST : PANGO_GRAVITY_SOUTH
      unsafe Self.add(pango_attr_gravity_new(gravity), first..<place, to: attributes)
      unsafe Self.add(pango_attr_gravity_hint_new(PANGO_GRAVITY_HINT_STRONG), first..<place, to: attributes)
    }
    for character in string {
      let isNext =
        switch orientation {
        case _ where height != nil: true
        case .mixed: character.isUprightInColumns && !turned.contains(place)
        case .upright: true
        case .sideways: false
        }
      if isNext != isUpright {
        add()
        (first, isUpright) = (place, isNext)
      }
      place += character.utf8.count
    }
    add()
    guard let height else { return }
    var room = spans[index].size * scale
    place = start
    for scalar in string.unicodeScalars {
      var ink = PangoRectangle()
      var all = PangoRectangle(
        x: 0, y: -TextLayout.units(height / 2), width: TextLayout.units(room), height: TextLayout.units(height))
      unsafe Self.add(pango_attr_shape_new(&ink, &all), place..<place + UTF8.width(scalar), to: attributes)
      place += UTF8.width(scalar)
      room = 0
    }
  }

  /// Adds the space after letters and words. The spaces between words have it from their own attributes.
  private func addSpacing(of index: Int, from start: Int, to attributes: OpaquePointer?) {
    let span = spans[index]
    let letters = span.letterSpacing + (extraSpacing[index] ?? 0)
    func add(_ pixels: Double, _ range: Range<Int>) {
      guard pixels != 0, !range.isEmpty else { return }
      let units = Int32((min(pixels, 1_000_000) * Double(PANGO_SCALE)).rounded())
      unsafe Self.add(pango_attr_letter_spacing_new(units), range, to: attributes)
    }
    if combined[index] != nil {
      return add(letters, start..<start + (span.string.unicodeScalars.first.map { UTF8.width($0) } ?? 0))
    }
    guard text.wordSpacing != 0 else { return add(letters, start..<start + span.string.utf8.count) }
    var (place, first) = (start, start)
    for scalar in span.string.unicodeScalars {
      let end = place + UTF8.width(scalar)
      if scalar == " " || scalar == "\u{A0}" {
        add(letters, first..<place)
        add(letters + text.wordSpacing, place..<end)
        first = end
      }
      place = end
    }
    add(letters, first..<place)
  }

  private static func add(_ attribute: UnsafeMutablePointer<PangoAttribute>?, _ range: Range<Int>, to list: OpaquePointer?) {
    unsafe attribute?.pointee.start_index = UInt32(range.lowerBound)
    unsafe attribute?.pointee.end_index = UInt32(range.upperBound)
    unsafe pango_attr_list_insert(list, attribute)
  }

  /// The nearest of the widths that Pango knows. It counts only for variable fonts: the face has been chosen already.
  private static func stretch(_ percent: Double) -> PangoStretch {
    let known: [(Double, PangoStretch)] = [
      (50, PANGO_STRETCH_ULTRA_CONDENSED), (62.5, PANGO_STRETCH_EXTRA_CONDENSED), (75, PANGO_STRETCH_CONDENSED),
      (87.5, PANGO_STRETCH_SEMI_CONDENSED), (100, PANGO_STRETCH_NORMAL), (112.5, PANGO_STRETCH_SEMI_EXPANDED),
      (125, PANGO_STRETCH_EXPANDED), (150, PANGO_STRETCH_EXTRA_EXPANDED), (200, PANGO_STRETCH_ULTRA_EXPANDED),
    ]
    return known.min { abs($0.0 - percent) < abs($1.0 - percent) }?.1 ?? PANGO_STRETCH_NORMAL
  }
}

extension TextContent.Alignment {
  fileprivate var pango: PangoAlignment {
    switch self {
    case .left, .justify: PANGO_ALIGN_LEFT
    case .center: PANGO_ALIGN_CENTER
    case .right: PANGO_ALIGN_RIGHT
    }
  }
}

extension TextContent.Slant {
  fileprivate var pango: PangoStyle {
    switch self {
    case .normal: PANGO_STYLE_NORMAL
    case .italic: PANGO_STYLE_ITALIC
    case .oblique: PANGO_STYLE_OBLIQUE
    }
  }
}
