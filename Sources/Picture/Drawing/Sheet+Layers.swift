internal import CPango
import Formats
import Timeline

// How sheets of one area are laid over each other. The contexts' matrices do not move what is laid: sheets lie pixel on pixel.
extension Sheet {
  /// A transparent sheet of the same area.
  func another() throws(DrawingError) -> Sheet {
    try Sheet(columns: origin.x..<origin.x + size.width, rows: origin.y..<origin.y + size.height)
  }

  /// Lays another sheet of this area over this one.
  func lay(_ other: Sheet, opacity: Double, _ mixing: cairo_operator_t) {
    unsafe cairo_save(context)
    unsafe cairo_identity_matrix(context)
    unsafe cairo_set_source_surface(context, other.surface, 0, 0)
    unsafe cairo_pattern_set_filter(cairo_get_source(context), CAIRO_FILTER_NEAREST)
    unsafe cairo_set_operator(context, mixing)
    unsafe cairo_paint_with_alpha(context, opacity)
    unsafe cairo_restore(context)
  }

  /// Keeps of each pixel as much as another sheet's alpha says.
  func keep(only cover: Sheet, opacity: Double) { lay(cover, opacity: opacity, CAIRO_OPERATOR_DEST_IN) }

  /// Leaves of each pixel the share `opacity`.
  func fade(to opacity: Double) {
    unsafe cairo_save(context)
    unsafe cairo_set_source_rgba(context, 0, 0, 0, opacity)
    unsafe cairo_set_operator(context, CAIRO_OPERATOR_DEST_IN)
    unsafe cairo_paint(context)
    unsafe cairo_restore(context)
  }

  /// Fills a cover of this area with a colour.
  ///
  /// - Parameter offset: how far the cover is moved, in pixels.
  func fill(_ cover: AlphaSheet, _ color: RGBAColor, at offset: Point) {
    unsafe cairo_save(context)
    unsafe cairo_identity_matrix(context)
    unsafe cairo_set_source_rgba(context, color.red, color.green, color.blue, color.alpha)
    unsafe cairo_mask_surface(context, cover.surface, offset.x, offset.y)
    unsafe cairo_restore(context)
  }

  /// Lays the shadow of another sheet of this area.
  ///
  /// - Parameter map: the map from the coordinates in which the shadow is stated to the sheet's.
  func cast(_ shadow: LayerStyle.Shadow, of body: Sheet, _ map: AffineTransform) throws(DrawingError) {
    let offset = Point(
      map.a * shadow.offset.x + map.c * shadow.offset.y, map.b * shadow.offset.x + map.d * shadow.offset.y)
    fill(try body.blurred(by: map.deviation(shadow.radius)), shadow.color, at: offset)
  }

  /// The sheet's alpha, blurred.
  ///
  /// - Parameter deviation: the standard deviations along the rows and the columns, in pixels.
  func blurred(by deviation: Point) throws(DrawingError) -> AlphaSheet {
    unsafe cairo_surface_flush(surface)
    try unsafe check(cairo_status(context), "drawing")
    let stride = unsafe Int(cairo_image_surface_get_stride(surface))
    guard let data = unsafe cairo_image_surface_get_data(surface) else {
      throw .outOfMemory(call: "cairo_image_surface_get_data")
    }
    var alpha: [UInt16] = []
    alpha.reserveCapacity(size.width * size.height)
    for y in 0..<size.height {
      for x in 0..<size.width {
        let pixel = unsafe UnsafeRawPointer(data).loadUnaligned(fromByteOffset: y * stride + x * 4, as: UInt32.self)
        alpha.append(UInt16(pixel >> 24) * 257)
      }
    }
    let (across, down) = (ShadowBlur(deviation: deviation.x), ShadowBlur(deviation: deviation.y))
    for row in 0..<size.height { across.blur(&alpha, start: row * size.width, step: 1, count: size.width) }
    for column in 0..<size.width { down.blur(&alpha, start: column, step: size.width, count: size.height) }
    return try AlphaSheet(alpha, width: size.width, height: size.height)
  }
}

extension AffineTransform {
  /// The standard deviations of a blur along the sheet's axes. Only where the map shears, or turns and stretches, is the blur's form
  /// another one.
  func deviation(_ radius: Double) -> Point {
    Point(radius * (a * a + c * c).squareRoot(), radius * (b * b + d * d).squareRoot())
  }
}

/// A Cairo picture that has only alpha.
// @safe: the pointer is owned, set once and released once.
@safe final class AlphaSheet {
  let surface: OpaquePointer

  /// - Parameter alpha: a value for each pixel, in rows; 65535 is opaque.
  init(_ alpha: [UInt16], width: Int, height: Int) throws(DrawingError) {
    guard let surface = unsafe cairo_image_surface_create(CAIRO_FORMAT_A8, Int32(width), Int32(height)) else {
      throw .outOfMemory(call: "cairo_image_surface_create")
    }
    unsafe self.surface = surface
    try unsafe check(cairo_surface_status(surface), "cairo_image_surface_create")
    guard let data = unsafe cairo_image_surface_get_data(surface) else {
      throw .outOfMemory(call: "cairo_image_surface_get_data")
    }
    let stride = unsafe Int(cairo_image_surface_get_stride(surface))
    for y in 0..<height {
      for x in 0..<width { unsafe data[y * stride + x] = UInt8((Int(alpha[y * width + x]) + 128) / 257) }
    }
    unsafe cairo_surface_mark_dirty(surface)
  }

  deinit { unsafe cairo_surface_destroy(surface) }
}
