internal import CPango
import Formats
internal import Media

/// A transparent Cairo picture over a rectangle of pixels. Drawing on it uses the coordinates in which the rectangle was given.
///
/// Not for use by two threads at the same time.
// @safe: both pointers are owned, set once and released once.
@safe final class Sheet {
  let context: OpaquePointer
  let surface: OpaquePointer
  let origin: (x: Int, y: Int)
  let size: (width: Int, height: Int)

  /// The longest side in pixels, and the most pixels of a sheet. Cairo's own limit is 32,767 for a side.
  static let (longestSide, mostPixels) = (16_384, 1 << 26)

  /// - Precondition: the ranges are not empty.
  init(columns: Range<Int>, rows: Range<Int>) throws(DrawingError) {
    (origin, size) = ((columns.lowerBound, rows.lowerBound), (columns.count, rows.count))
    guard max(size.width, size.height) <= Self.longestSide, size.width * size.height <= Self.mostPixels else {
      throw .tooLarge(PixelSize(size.width, size.height))
    }
    let surface = unsafe cairo_image_surface_create(CAIRO_FORMAT_ARGB32, Int32(size.width), Int32(size.height))
    let context = unsafe cairo_create(surface)
    guard let surface = unsafe surface, let context = unsafe context else { throw .outOfMemory(call: "cairo_create") }
    unsafe (self.surface, self.context) = (surface, context)
    try unsafe check(cairo_status(context), "cairo_create")
    unsafe cairo_translate(context, -Double(origin.x), -Double(origin.y))
  }

  deinit {
    unsafe cairo_destroy(context)
    unsafe cairo_surface_destroy(surface)
  }

  /// The drawn picture.
  func picture() throws(DrawingError) -> PlacedPicture {
    let rgba = try straightPixels()
    do throws(MediaError) {
      return try PlacedPicture(x: origin.x, y: origin.y, width: size.width, height: size.height, rgba: rgba)
    } catch { throw DrawingError(error) }
  }

  /// The pixels in rows, as bytes of red, green, blue and straight alpha.
  func straightPixels() throws(DrawingError) -> [UInt8] {
    unsafe cairo_surface_flush(surface)
    try unsafe check(cairo_status(context), "drawing")
    let stride = unsafe Int(cairo_image_surface_get_stride(surface))
    guard let data = unsafe cairo_image_surface_get_data(surface) else {
      throw .outOfMemory(call: "cairo_image_surface_get_data")
    }
    var rgba: [UInt8] = []
    rgba.reserveCapacity(size.width * size.height * 4)
    for y in 0..<size.height {
      for x in 0..<size.width {
        let pixel = unsafe UnsafeRawPointer(data).loadUnaligned(fromByteOffset: y * stride + x * 4, as: UInt32.self)
        let alpha = pixel >> 24
        for shift in [16, 8, 0] as [UInt32] { rgba.append(Self.straight(pixel >> shift & 255, alpha)) }
        rgba.append(UInt8(alpha))
      }
    }
    return rgba
  }

  /// A component before Cairo multiplied it by alpha.
  private static func straight(_ value: UInt32, _ alpha: UInt32) -> UInt8 {
    alpha == 0 ? 0 : UInt8(min((value * 255 + alpha / 2) / alpha, 255))
  }
}

/// - Throws: `DrawingError.cairo` unless `status` is success.
func check(_ status: cairo_status_t, _ call: String) throws(DrawingError) {
  guard status != CAIRO_STATUS_SUCCESS else { return }
  throw .cairo(call: call, status: Int32(status.rawValue), reason: unsafe String(cString: cairo_status_to_string(status)))
}

/// The whole pixels around a rectangle that are in the frame; nil when there are none.
func pixels(around rect: Rect, in frame: PixelSize) -> (columns: Range<Int>, rows: Range<Int>)? {
  guard let seen = rect.intersection(Rect(frame)) else { return nil }
  return (
    Int(seen.x.rounded(.down))..<Int(seen.maxX.rounded(.up)), Int(seen.y.rounded(.down))..<Int(seen.maxY.rounded(.up))
  )
}
