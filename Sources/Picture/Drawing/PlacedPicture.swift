package import Formats
package import Media

/// A picture with a place in the render frame: a text or an image that is drawn. It may extend beyond the frame.
package struct PlacedPicture: Sendable {
  /// The position of the top left pixel in render pixels; may be negative.
  package let x: Int
  package let y: Int
  package let picture: PixelBuffer

  package init(_ picture: PixelBuffer, x: Int, y: Int) { (self.picture, self.x, self.y) = (picture, x, y) }

  /// Makes a picture in sRGB of 8 bits.
  ///
  /// - Parameter rgba: red, green, blue and straight alpha, a byte each, in rows without padding. Alpha is straight so that an
  ///   image that is not scaled keeps its exact values.
  /// - Precondition: the sides are positive; `rgba` has four bytes for each pixel.
  /// - Throws: `MediaError` `outOfMemory`.
  package init(x: Int, y: Int, width: Int, height: Int, rgba: [UInt8]) throws(MediaError) {
    precondition(rgba.count == width * height * 4)
    let full = try PixelBuffer.Alpha.plane(width, height)
    let picture = try PixelBuffer(
      format: PixelFormat(.gbr), width: width, height: height, color: .srgb, alpha: .init(full: full, chroma: nil))
    let planes = unsafe [picture.plane(2), picture.plane(0), picture.plane(1)]
    let alpha = unsafe full.plane(0)
    for row in 0..<height {
      let shares = unsafe UnsafeMutableRawPointer(alpha.base + row * alpha.stride).assumingMemoryBound(to: UInt16.self)
      for column in 0..<width {
        let index = (row * width + column) * 4
        for component in 0..<3 {
          unsafe planes[component].base[row * planes[component].stride + column] = rgba[index + component]
        }
        // The largest alpha, 255, becomes 65535.
        unsafe shares[column] = UInt16(rgba[index + 3]) * 257
      }
    }
    self.init(picture, x: x, y: y)
  }

  /// The smallest rectangle in the frame that holds every pixel that is not fully transparent; nil when there is none.
  package func visibleBounds(in size: PixelSize) -> (columns: Range<Int>, rows: Range<Int>)? {
    let columns = (x..<x + picture.width).clamped(to: 0..<size.width)
    let rows = (y..<y + picture.height).clamped(to: 0..<size.height)
    guard let alpha = picture.alpha?.full else { return columns.isEmpty || rows.isEmpty ? nil : (columns, rows) }
    let plane = unsafe alpha.plane(0)
    var found: (left: Int, top: Int, right: Int, bottom: Int)?
    for row in rows {
      let line = unsafe UnsafeRawPointer(plane.base + (row - y) * plane.stride).assumingMemoryBound(to: UInt16.self)
      guard let first = columns.first(where: { unsafe line[$0 - x] > 0 }),
        let last = columns.last(where: { unsafe line[$0 - x] > 0 })
      else { continue }
      found = (min(found?.left ?? first, first), found?.top ?? row, max(found?.right ?? last, last), row)
    }
    return found.map { ($0.left..<$0.right + 1, $0.top..<$0.bottom + 1) }
  }
}

extension DrawingError {
  /// The error for a picture that could not be made.
  init(_ error: MediaError) { self = .outOfMemory(call: error.place) }
}
