internal import CPango
import Formats
import Timeline

// Gradients around a point, which Cairo does not have. The colour of each pixel is computed at its middle.
extension GradientContent {
  /// Fills a rectangle with rounded corners by colours around the start. The canvas has the coordinates of the rectangle.
  ///
  /// - Parameters:
  ///   - rect: the rectangle whose shares the start and the end are.
  ///   - map: the map from the rectangle's coordinates to the sheet's.
  func fillAround(
    _ filled: Rect, cornerRadius: Corners, on sheet: Sheet, across rect: Rect, _ map: AffineTransform
  ) throws(DrawingError) {
    guard let back = map.inverse else { return }
    let colors = try sheet.another()
    let (data, stride) = try unsafe colors.pixels()
    let middle = Point(rect.x + start.x * rect.width, rect.y + start.y * rect.height)
    let first = Trigonometry.degrees(y: (end.y - start.y) * rect.height, x: (end.x - start.x) * rect.width)
    // Only the pixels around the rectangle are computed, with one more for soft edges.
    let area = map.bounds(of: filled).widened(by: 1)
    let (columns, rows) = (
      Self.places(from: area.x, to: area.maxX, origin: sheet.origin.x, count: sheet.size.width),
      Self.places(from: area.y, to: area.maxY, origin: sheet.origin.y, count: sheet.size.height)
    )
    for y in rows {
      let row = unsafe (data + y * stride).assumingMemoryBound(to: UInt32.self)
      for x in columns {
        let place = back.apply(Double(x + sheet.origin.x) + 0.5, Double(y + sheet.origin.y) + 0.5)
        var turn = (Trigonometry.degrees(y: place.y - middle.y, x: place.x - middle.x) - first) / 360
        turn -= turn.rounded(.down)
        unsafe row[x] = Self.pixel(color(at: turn))
      }
    }
    unsafe cairo_surface_mark_dirty(colors.surface)
    let canvas = unsafe sheet.context
    unsafe addRectangle(filled, cornerRadius: cornerRadius, to: canvas)
    unsafe cairo_save(canvas)
    unsafe cairo_identity_matrix(canvas)
    unsafe cairo_set_source_surface(canvas, colors.surface, 0, 0)
    unsafe cairo_pattern_set_filter(cairo_get_source(canvas), CAIRO_FILTER_NEAREST)
    unsafe cairo_fill(canvas)
    unsafe cairo_restore(canvas)
    withExtendedLifetime(colors) {}
  }

  private static func places(from: Double, to: Double, origin: Int, count: Int) -> Range<Int> {
    let first = min(max(from.rounded(.down) - Double(origin), 0), Double(count))
    return Int(first)..<Int(max(min(to.rounded(.up) - Double(origin), Double(count)), first))
  }

  /// The colour at a place between 0 and 1. As in the other gradients, components are mixed before they are multiplied by alpha.
  private func color(at place: Double) -> RGBAColor {
    guard let next = stops.firstIndex(where: { $0.location > place }) else { return stops[stops.count - 1].color }
    guard next > 0 else { return stops[0].color }
    let (from, to) = (stops[next - 1], stops[next])
    let share = (place - from.location) / (to.location - from.location)
    func mixed(_ component: KeyPath<RGBAColor, Double>) -> Double {
      from.color[keyPath: component].interpolated(to: to.color[keyPath: component], progress: share)
    }
    return RGBAColor(mixed(\.red), mixed(\.green), mixed(\.blue), alpha: mixed(\.alpha))
  }

  private static func pixel(_ color: RGBAColor) -> UInt32 {
    func part(_ value: Double) -> UInt32 { UInt32((value * color.alpha * 255).rounded()) }
    return UInt32((color.alpha * 255).rounded()) << 24 | part(color.red) << 16 | part(color.green) << 8 | part(color.blue)
  }
}
