internal import CPango
import Formats

extension Sheet {
  /// Blurs the sheet's picture. Beyond the sheet everything is clear.
  ///
  /// - Parameter deviation: the standard deviations along the rows and the columns, in pixels.
  func blur(by deviation: Point) throws(DrawingError) {
    unsafe cairo_surface_flush(surface)
    try unsafe check(cairo_status(context), "drawing")
    let stride = unsafe Int(cairo_image_surface_get_stride(surface))
    guard let data = unsafe cairo_image_surface_get_data(surface) else {
      throw .outOfMemory(call: "cairo_image_surface_get_data")
    }
    let (across, down) = (ShadowBlur(deviation: deviation.x), ShadowBlur(deviation: deviation.y))
    var plane = [UInt16](repeating: 0, count: size.width * size.height)
    // The components are multiplied by alpha, so each of the four bytes is blurred alike.
    for byte in 0..<4 {
      for y in 0..<size.height {
        for x in 0..<size.width { plane[y * size.width + x] = unsafe UInt16(data[y * stride + x * 4 + byte]) * 257 }
      }
      for row in 0..<size.height { across.blur(&plane, start: row * size.width, step: 1, count: size.width) }
      for column in 0..<size.width { down.blur(&plane, start: column, step: size.width, count: size.height) }
      for y in 0..<size.height {
        for x in 0..<size.width { unsafe data[y * stride + x * 4 + byte] = UInt8((Int(plane[y * size.width + x]) + 128) / 257) }
      }
    }
    unsafe cairo_surface_mark_dirty(surface)
  }
}
