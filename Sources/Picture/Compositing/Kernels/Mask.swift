/// The mixture `a * (1 - alpha) + b * alpha` of bytes, where `alpha` is in 1/65535. It is exact where `alpha` is 0 or 65535, or
/// where `a` is `b`; elsewhere it is within 0.53 of the exact value.
///
/// All steps are in 16-bit lanes. The difference, shifted up by 7 bits, is multiplied by 15 bits of alpha. The upper half of the
/// product is kept. It has 6 fractional bits and is too small by less than one unit of them.
@inline(__always)
func mix(_ a: UInt8, _ b: UInt8, alpha: UInt16) -> UInt8 {
  let (a, b) = (Int16(truncatingIfNeeded: a), Int16(truncatingIfNeeded: b))
  let step = upperHalf((b &- a) &<< 7, Int16(truncatingIfNeeded: alpha &>> 1))
  return UInt8(truncatingIfNeeded: (a &<< 6 &+ step &+ 32) &>> 6)
}

/// The mixture `a * (1 - alpha) + b * alpha` of words, where `alpha` is in 1/65535, rounded to the nearest.
@inline(__always)
func mix(_ a: UInt16, _ b: UInt16, alpha: UInt16) -> UInt16 {
  // Both factors of each product have 16 bits, and the sum stays below 2^32 - 2^16. The last line divides by 65535.
  let sum = UInt32(a) &* UInt32(65535 &- alpha) &+ UInt32(b) &* UInt32(alpha) &+ 32768
  return UInt16(truncatingIfNeeded: (sum &+ sum &>> 16) &>> 16)
}

/// The upper 16 bits of a product. For vectors this is one instruction for eight or more lanes.
@inline(__always)
func upperHalf(_ a: Int16, _ b: Int16) -> Int16 { Int16(truncatingIfNeeded: (Int32(a) &* Int32(b)) &>> 16) }

extension Plane {
  /// Writes `from * (1 - weight) + to * weight` into the columns `columns` of row `y`. There is a weight for each sample,
  /// 0...65535 for 0...1. Where a weight is 0 or 65535 the sample is copied as it is.
  ///
  /// - Precondition: the planes have one shape, and columns and row lie in it; `weights` begin with the first of `columns`.
  @unsafe func mix(_ from: Plane, _ to: Plane, _ weights: UnsafePointer<UInt16>, columns: Range<Int>, row y: Int) {
    let (first, count) = (columns.lowerBound, columns.count)
    if bytesPerSample == 1 {
      unsafe mixRow(from.row(y) + first, to.row(y) + first, weights, into: row(y, as: UInt8.self) + first, count: count)
    } else {
      unsafe mixRow(from.row(y) + first, to.row(y) + first, weights, into: row(y, as: UInt16.self) + first, count: count)
    }
  }

  /// Works as `mix` above, with a flat colour of code `code` between the two. `outer` holds the weights of the colour and `to`
  /// together, and `inner` those of `to`.
  @unsafe func mix(
    _ from: Plane, code: Int, _ to: Plane, outer: UnsafePointer<UInt16>, inner: UnsafePointer<UInt16>, columns: Range<Int>,
    row y: Int
  ) {
    let (first, count) = (columns.lowerBound, columns.count)
    if bytesPerSample == 1 {
      unsafe mixRow(
        from.row(y) + first, UInt8(code), to.row(y) + first, outer: outer, inner: inner, into: row(y) + first, count: count)
    } else {
      unsafe mixRow(
        from.row(y) + first, UInt16(code), to.row(y) + first, outer: outer, inner: inner, into: row(y) + first, count: count)
    }
  }
}

private func mixRow(
  _ a: UnsafeMutablePointer<UInt8>, _ b: UnsafeMutablePointer<UInt8>, _ weights: UnsafePointer<UInt16>,
  into out: UnsafeMutablePointer<UInt8>, count: Int
) {
  for x in 0..<count { unsafe out[x] = mix(a[x], b[x], alpha: weights[x]) }
}

private func mixRow(
  _ a: UnsafeMutablePointer<UInt16>, _ b: UnsafeMutablePointer<UInt16>, _ weights: UnsafePointer<UInt16>,
  into out: UnsafeMutablePointer<UInt16>, count: Int
) {
  for x in 0..<count { unsafe out[x] = mix(a[x], b[x], alpha: weights[x]) }
}

private func mixRow(
  _ a: UnsafeMutablePointer<UInt8>, _ code: UInt8, _ b: UnsafeMutablePointer<UInt8>,
  outer: UnsafePointer<UInt16>, inner: UnsafePointer<UInt16>, into out: UnsafeMutablePointer<UInt8>, count: Int
) {
  for x in 0..<count { unsafe out[x] = mix(mix(a[x], code, alpha: outer[x]), b[x], alpha: inner[x]) }
}

private func mixRow(
  _ a: UnsafeMutablePointer<UInt16>, _ code: UInt16, _ b: UnsafeMutablePointer<UInt16>,
  outer: UnsafePointer<UInt16>, inner: UnsafePointer<UInt16>, into out: UnsafeMutablePointer<UInt16>, count: Int
) {
  for x in 0..<count { unsafe out[x] = mix(mix(a[x], code, alpha: outer[x]), b[x], alpha: inner[x]) }
}
