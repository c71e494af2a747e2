package import Formats

extension Plane {
  /// Copies the samples of `source`, turned upright. Samples are only rearranged.
  ///
  /// - Precondition: this plane has the source's shape, with width and height exchanged when the orientation swaps axes; the
  ///   planes do not overlap.
  package func turn(_ source: Plane, _ orientation: Orientation) {
    if orientation == .up { return copy(source) }
    let upright = orientation.swapsAxes ? (source.height, source.width) : (source.width, source.height)
    precondition(upright == (width, height) && source.bytesPerSample == bytesPerSample)
    if bytesPerSample == 1 {
      turnSamples(source, orientation, into: self, as: UInt8.self)
    } else {
      turnSamples(source, orientation, into: self, as: UInt16.self)
    }
  }
}

@inline(__always)
private func turnSamples<Sample>(_ source: Plane, _ orientation: Orientation, into out: Plane, as _: Sample.Type) {
  guard out.width > 0, out.height > 0 else { return }
  let corner = orientation.stored(x: 0, y: 0, source.width, source.height)
  // The number of bytes between the sources of horizontal neighbours in `out`: one sample, or one row when axes are swapped.
  let sign = orientation.stored(x: 1, y: 0, source.width, source.height)
  let step = (sign.x - corner.x) * source.bytesPerSample + (sign.y - corner.y) * source.stride
  // Columns are copied in blocks whose source rows stay in the cache from one row of `out` to the next.
  let block = 64
  for left in stride(from: 0, to: out.width, by: block) {
    let right = min(left + block, out.width)
    for y in 0..<out.height {
      let start = orientation.stored(x: left, y: y, source.width, source.height)
      let target: UnsafeMutablePointer<Sample> = unsafe out.row(y)
      var from = unsafe UnsafeRawPointer(source.row(start.y, as: Sample.self) + start.x)
      if step == -source.bytesPerSample {
        // Most turns only mirror rows. A constant step lets the compiler reverse vectors.
        let last = unsafe from.assumingMemoryBound(to: Sample.self)
        for x in 0..<right &- left { unsafe target[left &+ x] = last[0 &- x] }
        continue
      }
      for x in left..<right {
        unsafe target[x] = from.assumingMemoryBound(to: Sample.self).pointee
        unsafe from += step
      }
    }
  }
}

extension Orientation {
  /// The position at which the sample that is seen at (x, y) is stored, in a picture of `width` x `height` stored samples.
  func stored(x: Int, y: Int, _ width: Int, _ height: Int) -> (x: Int, y: Int) {
    switch self {
    case .up: (x, y)
    case .mirrored: (width - 1 - x, y)
    case .rotated180: (width - 1 - x, height - 1 - y)
    case .flipped: (x, height - 1 - y)
    case .transposed: (y, x)
    case .rotated90: (y, height - 1 - x)
    case .transversed: (width - 1 - y, height - 1 - x)
    case .rotated270: (width - 1 - y, x)
    }
  }

  /// The map from a stored picture's points to the upright picture's points.
  func upright(_ width: Double, _ height: Double) -> AffineTransform {
    switch self {
    case .up: .identity
    case .mirrored: AffineTransform(-1, 0, 0, 1, width, 0)
    case .rotated180: AffineTransform(-1, 0, 0, -1, width, height)
    case .flipped: AffineTransform(1, 0, 0, -1, 0, height)
    case .transposed: AffineTransform(0, 1, 1, 0, 0, 0)
    case .rotated90: AffineTransform(0, 1, -1, 0, height, 0)
    case .transversed: AffineTransform(0, -1, -1, 0, height, width)
    case .rotated270: AffineTransform(0, -1, 1, 0, 0, width)
    }
  }
}
