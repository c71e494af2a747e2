internal import Glibc
package import Media

/// The difference between pictures of the same format and size.
package struct PictureDifference: Sendable {
  /// The sum of squared differences, and the number of samples, over all planes.
  private var squares: UInt64 = 0
  private var samples = 0
  private var peak = 255.0

  package init() {}

  package var isZero: Bool { squares == 0 }

  /// The peak signal-to-noise ratio over all pictures that were added, in dB; infinite when they were equal. PSNR = 10
  /// log10(peak² / mean squared error). The samples of all planes have the same weight.
  package var psnr: Double {
    squares == 0 ? .infinity : 10 * log10(peak * peak * Double(samples) / Double(squares))
  }

  /// Adds the difference between two pictures. Where one of them has alpha, that is a plane like the others.
  ///
  /// - Precondition: both have the same format and size.
  package mutating func add(_ a: PixelBuffer, _ b: PixelBuffer) {
    precondition(a.format == b.format && a.width == b.width && a.height == b.height, "pictures of one shape")
    addPlanes(a, b)
    let depth = a.format.bitDepth
    if a.alpha != nil || b.alpha != nil { addAlpha(a, b, bitDepth: depth) }
    peak = Double((1 << depth) - 1)
  }

  /// Adds the difference of the alpha of each pixel, in codes of `bitDepth` bits.
  private mutating func addAlpha(_ a: PixelBuffer, _ b: PixelBuffer, bitDepth: Int) {
    for y in 0..<a.height {
      let (left, right) = (a.alphaCodes(ofRow: y, bitDepth: bitDepth), b.alphaCodes(ofRow: y, bitDepth: bitDepth))
      for (left, right) in zip(left, right) {
        let difference = Int64(left) - Int64(right)
        squares += UInt64(difference * difference)
      }
    }
    samples += a.width * a.height
  }

  private mutating func addPlanes(_ a: PixelBuffer, _ b: PixelBuffer) {
    for index in 0..<a.format.planeCount {
      let (left, right) = unsafe (a.plane(index), b.plane(index))
      for row in unsafe 0..<left.height {
        let (leftRow, rightRow) = unsafe (left.base + row * left.stride, right.base + row * right.stride)
        if a.format.bytesPerSample == 1 {
          squares += unsafe Self.squares(leftRow, rightRow, left.width)
        } else {
          squares += unsafe leftRow.withMemoryRebound(to: UInt16.self, capacity: left.width) { leftRow in
            unsafe rightRow.withMemoryRebound(to: UInt16.self, capacity: left.width) { rightRow in
              unsafe Self.squares(leftRow, rightRow, left.width)
            }
          }
        }
      }
      samples += unsafe left.width * left.height
    }
  }

  package mutating func add(_ other: PictureDifference) {
    squares += other.squares
    samples += other.samples
    peak = max(peak, other.peak)
  }

  private static func squares<Sample: FixedWidthInteger & UnsignedInteger>(
    _ a: UnsafeMutablePointer<Sample>, _ b: UnsafeMutablePointer<Sample>, _ count: Int
  ) -> UInt64 {
    var sum: UInt64 = 0
    for index in 0..<count {
      let difference = unsafe Int64(a[index]) &- Int64(b[index])
      sum &+= UInt64(truncatingIfNeeded: difference &* difference)
    }
    return sum
  }
}
