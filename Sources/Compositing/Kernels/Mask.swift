extension Plane {
  /// Writes `from * (1 - weight) + to * weight` with a weight for each sample, 0...65535 for 0...1, rounded to the nearest
  /// code value. Where a weight is 0 or 65535 the sample is taken over as it is.
  ///
  /// - Precondition: the planes have one shape, of one row; `weights` has as many samples.
  @unsafe func mix(_ from: Plane, _ to: Plane, _ weights: UnsafePointer<UInt16>) {
    precondition(from.hasSameShape(as: self) && to.hasSameShape(as: self) && height == 1)
    if bytesPerSample == 1 {
      unsafe mixRow(from.row(0, as: UInt8.self), to.row(0), weights, into: row(0), count: width)
    } else {
      unsafe mixRow(from.row(0, as: UInt16.self), to.row(0), weights, into: row(0), count: width)
    }
  }

  /// As `mix`, with a flat colour of code `code` between the two: `outer` is its weight and that of `to` together.
  @unsafe func mix(
    _ from: Plane, _ code: Int, _ to: Plane, outer: UnsafePointer<UInt16>, inner: UnsafePointer<UInt16>
  ) {
    precondition(from.hasSameShape(as: self) && to.hasSameShape(as: self) && height == 1)
    if bytesPerSample == 1 {
      unsafe mixRow(from.row(0, as: UInt8.self), UInt8(code), to.row(0), outer, inner, into: row(0), count: width)
    } else {
      unsafe mixRow(from.row(0, as: UInt16.self), UInt16(code), to.row(0), outer, inner, into: row(0), count: width)
    }
  }
}

/// 65535 stands for all of it: the upper half of the scale is stretched by one.
@inline(__always)
private func share(_ weight: UInt16) -> UInt32 {
  let weight = UInt32(truncatingIfNeeded: weight)
  return weight &+ weight &>> 15
}

@inline(__always)
private func mixRow<Sample: FixedWidthInteger & UnsignedInteger>(
  _ a: UnsafeMutablePointer<Sample>, _ b: UnsafeMutablePointer<Sample>, _ weights: UnsafePointer<UInt16>,
  into out: UnsafeMutablePointer<Sample>, count: Int
) {
  for x in 0..<count { unsafe out[x] = mix(a[x], b[x], share(weights[x])) }
}

@inline(__always)
private func mixRow<Sample: FixedWidthInteger & UnsignedInteger>(
  _ a: UnsafeMutablePointer<Sample>, _ code: Sample, _ b: UnsafeMutablePointer<Sample>,
  _ outer: UnsafePointer<UInt16>, _ inner: UnsafePointer<UInt16>, into out: UnsafeMutablePointer<Sample>, count: Int
) {
  for x in 0..<count { unsafe out[x] = mix(mix(a[x], code, share(outer[x])), b[x], share(inner[x])) }
}
