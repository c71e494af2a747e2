internal import CPango
import Formats
import Timeline

// The filters of all that was drawn on a sheet. Cairo's pixels are multiplied by their alpha.
extension Sheet {
  /// - Parameter map: the map from the coordinates in which lengths are stated to the sheet's.
  func apply(_ filter: LayerFilter.Value, _ map: AffineTransform) throws(DrawingError) {
    switch filter {
    case .blur(let radius): try blur(by: map.deviation(radius))
    case .color(let matrix): try changePixels { $0.mapped(by: matrix) }
    case .lumaAsAlpha: try changePixels(\.asLuma)
    }
  }

  private func changePixels(_ change: (Pixel) -> Pixel) throws(DrawingError) {
    let (data, stride) = try unsafe pixels()
    for y in 0..<size.height {
      let row = unsafe (data + y * stride).assumingMemoryBound(to: UInt32.self)
      for x in 0..<size.width {
        let pixel = unsafe Pixel(row[x])
        if pixel.alpha > 0 { unsafe row[x] = change(pixel).word }
      }
    }
    unsafe cairo_surface_mark_dirty(surface)
  }

  /// Blurs each component of the multiplied pixels. Beyond the sheet all is clear.
  ///
  /// - Parameter deviation: the standard deviations along the rows and the columns, in pixels.
  func blur(by deviation: Point) throws(DrawingError) {
    let (pixels, stride) = try unsafe pixels()
    let data = unsafe pixels.assumingMemoryBound(to: UInt8.self)
    let (across, down) = (ShadowBlur(deviation: deviation.x), ShadowBlur(deviation: deviation.y))
    var plane = [UInt16](repeating: 0, count: size.width * size.height)
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

  /// The first byte of the sheet's pixels, which may be changed, and the bytes of a row.
  func pixels() throws(DrawingError) -> (data: UnsafeMutableRawPointer, stride: Int) {
    unsafe cairo_surface_flush(surface)
    try unsafe check(cairo_status(context), "drawing")
    guard let data = unsafe cairo_image_surface_get_data(surface) else {
      throw .outOfMemory(call: "cairo_image_surface_get_data")
    }
    return unsafe (UnsafeMutableRawPointer(data), Int(cairo_image_surface_get_stride(surface)))
  }
}

/// A pixel as Cairo has it: components of 8 bits, which are multiplied by alpha.
private struct Pixel {
  let word: UInt32

  init(_ word: UInt32) { self.word = word }

  /// - Parameter color: straight components in 0...1.
  private init(alpha: UInt32, _ color: SIMD3<Double>) {
    let parts = (color * Double(alpha)).rounded(.toNearestOrAwayFromZero)
    word = alpha << 24 | UInt32(parts.x) << 16 | UInt32(parts.y) << 8 | UInt32(parts.z)
  }

  var alpha: UInt32 { word >> 24 }

  private var parts: SIMD3<Double> {
    SIMD3(Double(word >> 16 & 255), Double(word >> 8 & 255), Double(word & 255))
  }

  func mapped(by matrix: LayerFilter.ColorMatrix) -> Pixel {
    let straight = (parts / Double(alpha)).clamped(lowerBound: SIMD3(), upperBound: SIMD3(repeating: 1))
    return Pixel(alpha: alpha, matrix.apply(straight))
  }

  /// Black with the pixel's luma as alpha (W3C's "Filter Effects Module Level 1", 9.6, luminanceToAlpha).
  var asLuma: Pixel {
    let luma = (parts * SIMD3(0.2125, 0.7154, 0.0721)).sum().rounded(.toNearestOrAwayFromZero)
    return Pixel(UInt32(min(luma, 255)) << 24)
  }
}
