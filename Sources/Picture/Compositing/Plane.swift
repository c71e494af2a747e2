/// A borrowed plane of samples: `UInt8` up to 8 bits a component, `UInt16` above.
///
/// Kernels see memory only through this type. It owns nothing: whoever makes one keeps the memory alive while it is used. Kernels
/// touch `width` samples in each of `height` rows and none of the padding between rows.
// Safe to hold and to pass on: memory is only reached through `row`, which is marked unsafe.
@safe package struct Plane {
  private let base: UnsafeMutableRawPointer
  /// The number of bytes from one row to the next.
  package let stride: Int
  /// The width in samples.
  package let width: Int
  package let height: Int
  /// The number of bytes in a sample: 1 or 2.
  package let bytesPerSample: Int

  package init(base: UnsafeMutableRawPointer, stride: Int, width: Int, height: Int, bytesPerSample: Int) {
    precondition(width >= 0 && height >= 0 && (bytesPerSample == 1 || bytesPerSample == 2))
    unsafe self.base = base
    (self.stride, self.width, self.height, self.bytesPerSample) = (stride, width, height, bytesPerSample)
  }

  /// The rectangle of samples `columns` x `rows` of this plane.
  ///
  /// - Precondition: the rectangle lies inside the plane.
  package func part(columns: Range<Int>, rows: Range<Int>) -> Plane {
    precondition(columns.lowerBound >= 0 && columns.upperBound <= width && rows.lowerBound >= 0 && rows.upperBound <= height)
    return unsafe Plane(
      base: base + rows.lowerBound * stride + columns.lowerBound * bytesPerSample, stride: stride,
      width: columns.count, height: rows.count, bytesPerSample: bytesPerSample)
  }

  /// A pointer to the first sample of row `y`.
  @inline(__always)
  @unsafe func row<Sample>(_ y: Int, as _: Sample.Type = Sample.self) -> UnsafeMutablePointer<Sample> {
    unsafe (base + y &* stride).assumingMemoryBound(to: Sample.self)
  }

  func hasSameShape(as other: Plane) -> Bool {
    width == other.width && height == other.height && bytesPerSample == other.bytesPerSample
  }

  /// Whether each row starts at a multiple of `bytes`, which zimg needs.
  func isAligned(to bytes: Int) -> Bool {
    unsafe UInt(bitPattern: base).isMultiple(of: UInt(bytes)) && stride.isMultiple(of: bytes)
  }
}
