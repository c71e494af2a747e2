internal import CPango
package import Formats
package import Media
package import Timeline

extension PlacedPicture {
  /// Draws an image into a frame by gravity. What is outside the frame is cut off.
  ///
  /// An image that is neither scaled nor moved by a fraction of a pixel keeps its pixels. Others are resampled by Cairo's best
  /// filter, with alpha and colour together.
  ///
  /// - Parameter size: the size of the render frame. Only what is visible in it is drawn; nil when nothing is.
  package init?(image: StillImage, gravity: Gravity, in frame: Rect, of size: PixelSize) throws(DrawingError) {
    let map = gravity.placement(of: PixelSize(image.width, image.height), in: frame)
    let placed = Rect(map.tx, map.ty, Double(image.width) * map.a, Double(image.height) * map.d)
    guard let shown = placed.intersection(frame), let area = pixels(around: shown, in: size) else {
      return nil
    }
    if map.a == 1, map.d == 1, shown.hasWholeEdges, map.tx == map.tx.rounded(), map.ty == map.ty.rounded() {
      try self.init(image: image, at: (Int(map.tx), Int(map.ty)), area)
    } else {
      self = try Self.scaled(image, map, shown: shown, area)
    }
  }

  private init(
    image: StillImage, at origin: (x: Int, y: Int), _ area: (columns: Range<Int>, rows: Range<Int>)
  ) throws(DrawingError) {
    var rgba: [UInt8] = []
    rgba.reserveCapacity(area.columns.count * area.rows.count * 4)
    for y in area.rows {
      let start = ((y - origin.y) * image.width + area.columns.lowerBound - origin.x) * 4
      rgba += image.rgba[start..<start + area.columns.count * 4]
    }
    do throws(MediaError) {
      try self.init(
        x: area.columns.lowerBound, y: area.rows.lowerBound, width: area.columns.count, height: area.rows.count, rgba: rgba)
    } catch { throw DrawingError(error) }
  }

  private static func scaled(
    _ image: StillImage, _ map: AffineTransform, shown: Rect, _ area: (columns: Range<Int>, rows: Range<Int>)
  ) throws(DrawingError) -> PlacedPicture {
    let sheet = try Sheet(columns: area.columns, rows: area.rows)
    unsafe try ImageSurface(image).draw(on: sheet.context, map, shown: shown)
    return try sheet.picture()
  }
}

/// An image in Cairo's format: premultiplied, in 32-bit words.
// @safe: the pointer is owned, set once and released once.
@safe final class ImageSurface {
  private let surface: OpaquePointer

  /// Draws the part of the image that lies in `shown`, which is in the canvas's coordinates like the map's results.
  func draw(on canvas: OpaquePointer, _ map: AffineTransform, shown: Rect) {
    unsafe cairo_save(canvas)
    unsafe cairo_rectangle(canvas, shown.x, shown.y, shown.width, shown.height)
    unsafe cairo_clip(canvas)
    unsafe cairo_translate(canvas, map.tx, map.ty)
    unsafe cairo_scale(canvas, map.a, map.d)
    unsafe cairo_set_source_surface(canvas, surface, 0, 0)
    // The clip makes the antialiased edge. Beyond the image's own edge, its last pixels are repeated. Otherwise clear pixels
    // would be blended into the edge.
    unsafe cairo_pattern_set_extend(cairo_get_source(canvas), CAIRO_EXTEND_PAD)
    unsafe cairo_pattern_set_filter(cairo_get_source(canvas), CAIRO_FILTER_BEST)
    unsafe cairo_paint(canvas)
    unsafe cairo_restore(canvas)
  }

  init(_ image: StillImage) throws(DrawingError) {
    guard let surface = unsafe cairo_image_surface_create(CAIRO_FORMAT_ARGB32, Int32(image.width), Int32(image.height)) else {
      throw .outOfMemory(call: "cairo_image_surface_create")
    }
    unsafe self.surface = surface
    try unsafe check(cairo_surface_status(surface), "cairo_image_surface_create")
    guard let data = unsafe cairo_image_surface_get_data(surface) else {
      throw .outOfMemory(call: "cairo_image_surface_get_data")
    }
    let stride = unsafe Int(cairo_image_surface_get_stride(surface))
    for y in 0..<image.height {
      for x in 0..<image.width {
        let index = (y * image.width + x) * 4
        let alpha = UInt32(image.rgba[index + 3])
        let parts = (0..<3).map { (UInt32(image.rgba[index + $0]) * alpha + 127) / 255 }
        let word = alpha << 24 | parts[0] << 16 | parts[1] << 8 | parts[2]
        unsafe UnsafeMutableRawPointer(data).storeBytes(of: word, toByteOffset: y * stride + x * 4, as: UInt32.self)
      }
    }
    unsafe cairo_surface_mark_dirty(surface)
  }

  deinit { unsafe cairo_surface_destroy(surface) }
}

extension Rect {
  fileprivate var hasWholeEdges: Bool { [x, y, maxX, maxY].allSatisfy { $0 == $0.rounded() } }
}
