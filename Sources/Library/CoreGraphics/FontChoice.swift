internal import CCairo
internal import CTextTurn

/// A font of this machine: a family, its weight and slant, and the size in points.
package struct FontChoice: Hashable, Sendable {
  package var family: String
  package var size: CGFloat
  /// The weight from 100 to 900, as OpenType counts; 400 is regular.
  package var weight = 400
  package var isItalic = false
  /// The extent of what stands in the font, in points from the baseline.
  package struct Metrics: Hashable, Sendable {
    package let ascent: CGFloat
    package let descent: CGFloat
    package let capHeight: CGFloat
    package let xHeight: CGFloat
  }

  package init(family: String, size: CGFloat, weight: Int = 400, isItalic: Bool = false) {
    (self.family, self.size, self.weight, self.isItalic) = (family, size, weight, isItalic)
  }

  /// The family for user interfaces: the one that stands for Apple's, else fontconfig's choice of a font without serifs.
  package static let system =
    FontSubstitutes.family(for: "Helvetica").flatMap { families.contains($0) ? $0 : nil } ?? "sans-serif"
  package static let monospaced = "monospace"

  /// Finds the font of a family's name or of a face's name, such as "DejaVu Sans" and "DejaVuSans-Bold", or the one that stands for a font
  /// of Apple's systems, which is told; nil where none is installed.
  package init?(named name: String, size: CGFloat) {
    let families = Self.families
    if let family = families.first(where: { $0.lowercased() == name.lowercased() }) {
      self.init(family: family, size: size)
      return
    }
    let parts = name.split(separator: "-", maxSplits: 1).map(String.init)
    guard let first = parts.first, let style = Self.style(parts.count > 1 ? parts[1] : "") else { return nil }
    if let family = families.first(where: { Self.plain($0) == Self.plain(first) }) {
      self.init(family: family, size: size, weight: style.weight, isItalic: style.isItalic)
      return
    }
    guard let family = FontSubstitutes.family(for: first), families.contains(family) else { return nil }
    FontSubstitutes.tell(family, for: name)
    self.init(family: family, size: size, weight: style.weight, isItalic: style.isItalic)
  }

  /// The name of the face, such as "DejaVuSans-BoldItalic".
  package var faceName: String {
    let weights = [
      100: "Thin", 200: "UltraLight", 300: "Light", 500: "Medium", 600: "Semibold", 700: "Bold", 800: "Heavy", 900: "Black",
    ]
    let style = (weights[weight] ?? "") + (isItalic ? "Italic" : "")
    return family.filter { $0 != " " } + (style.isEmpty ? "" : "-" + style)
  }

  private static func plain(_ name: String) -> String { name.lowercased().filter { $0 != " " } }

  /// The weights by the words of faces' names.
  private static let weights = [
    "ultralight": 200, "extralight": 200, "thin": 100, "light": 300, "regular": 400, "roman": 400, "book": 400, "medium": 500,
    "semibold": 600, "demibold": 600, "extrabold": 800, "ultrabold": 800, "bold": 700, "heavy": 800, "black": 900,
  ]

  private static func style(_ words: String) -> (weight: Int, isItalic: Bool)? {
    var rest = words.lowercased().replacingOccurrences(of: "mt", with: "")
    let isItalic = ["italic", "oblique"].contains { rest.contains($0) }
    for slant in ["italic", "oblique"] { rest = rest.replacingOccurrences(of: slant, with: "") }
    if rest.isEmpty { return (400, isItalic) }
    return weights[rest].map { ($0, isItalic) }
  }

  /// The families that are installed, sorted.
  package static var families: [String] {
    spool_take_text_turn()
    defer { spool_give_text_turn() }
    var list: UnsafeMutablePointer<UnsafeMutablePointer<PangoFontFamily>?>?
    var count: Int32 = 0
    unsafe pango_font_map_list_families(pango_cairo_font_map_get_default(), &list, &count)
    defer { unsafe g_free(list) }
    return (0..<Int(count)).compactMap { index in
      unsafe list?[index].flatMap { unsafe pango_font_family_get_name($0) }.map { unsafe String(cString: $0) }
    }.sorted()
  }

  package var metrics: Metrics {
    unsafe withContext { context, description in
      guard let metrics = unsafe pango_context_get_metrics(context, description, nil) else {
        return Metrics(ascent: size, descent: 0, capHeight: size, xHeight: size / 2)
      }
      defer { unsafe pango_font_metrics_unref(metrics) }
      func height(_ text: String) -> CGFloat {
        guard let layout = unsafe pango_layout_new(context) else { return 0 }
        defer { unsafe g_object_unref(UnsafeMutableRawPointer(layout)) }
        unsafe pango_layout_set_font_description(layout, description)
        unsafe pango_layout_set_text(layout, text, -1)
        var ink = PangoRectangle()
        unsafe pango_layout_get_extents(layout, &ink, nil)
        return CGFloat(ink.height) / CGFloat(PANGO_SCALE)
      }
      let (ascent, descent) = unsafe (pango_font_metrics_get_ascent(metrics), pango_font_metrics_get_descent(metrics))
      return Metrics(
        ascent: CGFloat(ascent) / CGFloat(PANGO_SCALE), descent: CGFloat(descent) / CGFloat(PANGO_SCALE),
        capHeight: height("H"), xHeight: height("x"))
    }
  }

  private func withContext<Result>(_ body: (OpaquePointer?, OpaquePointer?) -> Result) -> Result {
    spool_take_text_turn()
    defer { spool_give_text_turn() }
    let (context, description) = unsafe (TextSetting.makeContext(), self.description)
    defer {
      unsafe pango_font_description_free(description)
      unsafe context.map { unsafe g_object_unref(UnsafeMutableRawPointer($0)) }
    }
    return unsafe body(context, description)
  }

  /// Pango's words for the font, which the caller frees.
  var description: OpaquePointer? {
    let made = unsafe pango_font_description_new()
    unsafe pango_font_description_set_family(made, family)
    unsafe pango_font_description_set_weight(made, PangoWeight(UInt32(weight)))
    unsafe pango_font_description_set_style(made, isItalic ? PANGO_STYLE_ITALIC : PANGO_STYLE_NORMAL)
    unsafe pango_font_description_set_absolute_size(made, Double(size) * Double(PANGO_SCALE))
    return unsafe made
  }
}
