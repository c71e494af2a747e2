internal import CCairo

/// A picture in memory that Cairo draws on. A pixel's four bytes are blue, green, red and alpha, multiplied by alpha.
// @safe: the surface is owned, set once and released once. @unchecked Sendable: after it was made, a raster is changed only by the
// context that made it, before others see it.
@safe final class Raster: @unchecked Sendable {
  let width: Int
  let height: Int
  let surface: OpaquePointer
  /// The object that keeps borrowed memory alive.
  private let owner: AnyObject?

  /// The number of pixels on a side above which Cairo refuses.
  static let longestSide = 32_767

  /// Makes an empty raster; nil where it is too large, or there is no memory.
  init?(width: Int, height: Int, maskOnly: Bool = false) {
    guard (1...Self.longestSide).contains(width), (1...Self.longestSide).contains(height) else { return nil }
    let format = maskOnly ? CAIRO_FORMAT_A8 : CAIRO_FORMAT_ARGB32
    guard let surface = unsafe cairo_image_surface_create(format, Int32(width), Int32(height)),
      unsafe cairo_surface_status(surface) == CAIRO_STATUS_SUCCESS
    else { return nil }
    unsafe self.surface = surface
    (self.width, self.height, owner) = (width, height, nil)
  }

  /// Makes a raster over memory of others, which must outlive it.
  init?(borrowing bytes: UnsafeMutableRawPointer, width: Int, height: Int, stride: Int, opaque: Bool, owner: AnyObject?) {
    guard (1...Self.longestSide).contains(width), (1...Self.longestSide).contains(height), stride % 4 == 0 else { return nil }
    let format = opaque ? CAIRO_FORMAT_RGB24 : CAIRO_FORMAT_ARGB32
    let data = unsafe bytes.assumingMemoryBound(to: UInt8.self)
    guard
      let surface = unsafe cairo_image_surface_create_for_data(data, format, Int32(width), Int32(height), Int32(stride)),
      unsafe cairo_surface_status(surface) == CAIRO_STATUS_SUCCESS
    else { return nil }
    unsafe self.surface = surface
    (self.width, self.height, self.owner) = (width, height, owner)
  }

  deinit { unsafe cairo_surface_destroy(surface) }

  var stride: Int { unsafe Int(cairo_image_surface_get_stride(surface)) }

  /// Gives the bytes to `body`, with all that was drawn, and lets Cairo see what it changed.
  func withBytes<Result>(_ body: (UnsafeMutableRawPointer) throws -> Result) rethrows -> Result? {
    unsafe cairo_surface_flush(surface)
    defer { unsafe cairo_surface_mark_dirty(surface) }
    guard let data = unsafe cairo_image_surface_get_data(surface) else { return nil }
    return try unsafe body(UnsafeMutableRawPointer(data))
  }

  /// Fills the raster from pixels of another layout.
  func load(from bytes: UnsafeRawPointer, stride source: Int, _ layout: PixelLayout, _ conversion: ColorConversion? = nil) {
    let (width, height, stride) = (width, height, stride)
    unsafe withBytes { target in
      for y in 0..<height {
        let row = unsafe bytes.advanced(by: y * source).assumingMemoryBound(to: UInt8.self)
        let made = unsafe target.advanced(by: y * stride).assumingMemoryBound(to: UInt8.self)
        unsafe layout.toNative(row, made, count: width, conversion)
      }
    }
  }

  /// Writes the raster as pixels of another layout.
  func store(to bytes: UnsafeMutableRawPointer, stride target: Int, _ layout: PixelLayout) {
    let (width, height, stride) = (width, height, stride)
    unsafe withBytes { source in
      for y in 0..<height {
        let row = unsafe source.advanced(by: y * stride).assumingMemoryBound(to: UInt8.self)
        let made = unsafe bytes.advanced(by: y * target).assumingMemoryBound(to: UInt8.self)
        unsafe layout.fromNative(row, made, count: width)
      }
    }
  }
}

extension PixelLayout {
  /// Turns pixels of this layout into native ones.
  fileprivate func toNative(
    _ row: UnsafePointer<UInt8>, _ made: UnsafeMutablePointer<UInt8>, count: Int, _ conversion: ColorConversion?
  ) {
    for x in 0..<count {
      let (source, target) = (x * byteCount, x * 4)
      let a = alpha.map { unsafe UInt32(row[source + $0]) } ?? 255
      var parts = unsafe isMask ? (0, 0, 0) : (UInt32(row[source + red]), UInt32(row[source + green]), UInt32(row[source + blue]))
      if let conversion, a > 0 { parts = Self.converted(parts, a, isPremultiplied, conversion) }
      if !isPremultiplied || conversion != nil {
        parts = ((parts.0 * a + 127) / 255, (parts.1 * a + 127) / 255, (parts.2 * a + 127) / 255)
      }
      unsafe (made[target], made[target + 1]) = (UInt8(min(parts.2, a)), UInt8(min(parts.1, a)))
      unsafe (made[target + 2], made[target + 3]) = (UInt8(min(parts.0, a)), UInt8(a))
    }
  }

  /// The parts in another space, not multiplied by alpha.
  private static func converted(
    _ parts: (UInt32, UInt32, UInt32), _ alpha: UInt32, _ isPremultiplied: Bool, _ conversion: ColorConversion
  ) -> (UInt32, UInt32, UInt32) {
    let full = isPremultiplied ? Double(alpha) : 255
    let made = conversion.convert((Double(parts.0) / full, Double(parts.1) / full, Double(parts.2) / full))
    func byte(_ value: Double) -> UInt32 { UInt32((min(max(value, 0), 1) * 255).rounded()) }
    return (byte(made.0), byte(made.1), byte(made.2))
  }

  /// Turns native pixels into those of this layout. Gray is the luma of BT.709, since colours were converted to gray before.
  fileprivate func fromNative(_ row: UnsafePointer<UInt8>, _ made: UnsafeMutablePointer<UInt8>, count: Int) {
    for x in 0..<count {
      let (source, target) = (x * 4, x * byteCount)
      var (b, g, r) = unsafe (UInt32(row[source]), UInt32(row[source + 1]), UInt32(row[source + 2]))
      let a = unsafe UInt32(row[source + 3])
      if !isPremultiplied, a > 0 {
        (r, g, b) = (min(255, (r * 255 + a / 2) / a), min(255, (g * 255 + a / 2) / a), min(255, (b * 255 + a / 2) / a))
      }
      if isGray {
        unsafe made[target + red] = r == g && g == b ? UInt8(r) : UInt8((2126 * r + 7152 * g + 722 * b + 5000) / 10000)
      } else if !isMask {
        unsafe (made[target + red], made[target + green], made[target + blue]) = (UInt8(r), UInt8(g), UInt8(b))
      }
      if let alpha { unsafe made[target + alpha] = UInt8(a) }
    }
  }
}
