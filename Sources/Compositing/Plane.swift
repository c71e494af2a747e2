/// A borrowed plane of samples: `UInt8` up to 8 bits a component, `UInt16` above.
///
/// The kernels' one view of memory. It owns nothing: whoever makes one keeps the memory alive while it is used. Kernels
/// touch `width` samples of `height` rows and nothing of the padding between them.
// Safe to hold and to pass on: memory is only reached through `row`, which is marked unsafe.
@safe package struct Plane {
  private let base: UnsafeMutableRawPointer
  /// Bytes from one row to the next.
  package let stride: Int
  /// In samples.
  package let width: Int
  package let height: Int
  /// 1 or 2.
  package let bytesPerSample: Int

  package init(base: UnsafeMutableRawPointer, stride: Int, width: Int, height: Int, bytesPerSample: Int) {
    precondition(width >= 0 && height >= 0 && (bytesPerSample == 1 || bytesPerSample == 2))
    unsafe self.base = base
    (self.stride, self.width, self.height, self.bytesPerSample) = (stride, width, height, bytesPerSample)
  }

  /// The rectangle of samples `columns` x `rows` of this plane.
  ///
  /// - Precondition: it lies inside the plane.
  package func part(columns: Range<Int>, rows: Range<Int>) -> Plane {
    precondition(columns.lowerBound >= 0 && columns.upperBound <= width && rows.lowerBound >= 0 && rows.upperBound <= height)
    return unsafe Plane(
      base: base + rows.lowerBound * stride + columns.lowerBound * bytesPerSample, stride: stride,
      width: columns.count, height: rows.count, bytesPerSample: bytesPerSample)
  }

  /// The first sample of row `y`, as `Sample`s.
  @inline(__always)
  @unsafe func row<Sample>(_ y: Int, as _: Sample.Type = Sample.self) -> UnsafeMutablePointer<Sample> {
    unsafe (base + y &* stride).assumingMemoryBound(to: Sample.self)
  }

  func hasSameShape(as other: Plane) -> Bool {
    width == other.width && height == other.height && bytesPerSample == other.bytesPerSample
  }

  /// Whether each row starts at a multiple of `bytes`, which zimg asks for.
  func isAligned(to bytes: Int) -> Bool {
    unsafe UInt(bitPattern: base).isMultiple(of: UInt(bytes)) && stride.isMultiple(of: bytes)
  }
}
