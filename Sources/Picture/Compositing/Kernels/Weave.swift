internal import Formats

extension Plane {
  /// Sets every second row, from row `first` on, to that of `picture`.
  ///
  /// The filter makes a sample (above + 2 · own + below + 1) / 4, rounded down, as FFmpeg's `interlace` does. At the top and at the bottom of
  /// the picture its own row stands for the missing one.
  ///
  /// - Precondition: the planes have one shape and do not overlap.
  func weave(_ picture: Plane, from first: Int, _ filter: FieldWeave.Filter) {
    precondition(picture.hasSameShape(as: self))
    for y in Swift.stride(from: first, to: height, by: 2) {
      let (above, below) = filter == .none ? (y, y) : (max(y - 1, 0), min(y + 1, height - 1))
      if filter == .none {
        copy(picture, 0..<width, y..<y + 1)
      } else if bytesPerSample == 1 {
        lowPassRow(of: picture, (above, y, below), into: self, as: UInt8.self)
      } else {
        lowPassRow(of: picture, (above, y, below), into: self, as: UInt16.self)
      }
    }
  }
}

/// Sets a row of `out` to the mixture of that row of `picture` with those above and below it.
@inline(__always)
private func lowPassRow<Sample: FixedWidthInteger & UnsignedInteger>(
  of picture: Plane, _ rows: (above: Int, own: Int, below: Int), into out: Plane, as _: Sample.Type
) {
  let (above, own, below): (UnsafeMutablePointer<Sample>, UnsafeMutablePointer<Sample>, UnsafeMutablePointer<Sample>) =
    unsafe (picture.row(rows.above), picture.row(rows.own), picture.row(rows.below))
  let target: UnsafeMutablePointer<Sample> = unsafe out.row(rows.own)
  for index in 0..<out.width {
    let outer = unsafe UInt32(truncatingIfNeeded: above[index]) &+ UInt32(truncatingIfNeeded: below[index])
    let inner = unsafe UInt32(truncatingIfNeeded: own[index])
    unsafe target[index] = Sample(truncatingIfNeeded: (outer &+ 2 &* inner &+ 1) &>> 2)
  }
}
