/// `a * (1 - alpha) + b * alpha` for bytes, `alpha` in 1/65535; exact where `alpha` is 0 or 65535, or `a` is `b`; else within
/// 0.53 of the exact value.
///
/// In 16-bit lanes throughout: the difference, 7 bits up, times 15 bits of alpha; of the product the upper half is kept,
/// which has 6 bits after the point and is at most one of them too small.
@inline(__always)
func mix(_ a: UInt8, _ b: UInt8, alpha: UInt16) -> UInt8 {
  let (a, b) = (Int16(truncatingIfNeeded: a), Int16(truncatingIfNeeded: b))
  let step = upperHalf((b &- a) &<< 7, Int16(truncatingIfNeeded: alpha &>> 1))
  return UInt8(truncatingIfNeeded: (a &<< 6 &+ step &+ 32) &>> 6)
}

/// `a * (1 - alpha) + b * alpha` for words, `alpha` in 1/65535, rounded to the nearest.
@inline(__always)
func mix(_ a: UInt16, _ b: UInt16, alpha: UInt16) -> UInt16 {
  // Both factors of each product have 16 bits; the sum stays below 2^32 - 2^16. The last line divides by 65535.
  let sum = UInt32(a) &* UInt32(65535 &- alpha) &+ UInt32(b) &* UInt32(alpha) &+ 32768
  return UInt16(truncatingIfNeeded: (sum &+ sum &>> 16) &>> 16)
}

/// The upper 16 bits of a product: one instruction for eight or more lanes.
@inline(__always)
func upperHalf(_ a: Int16, _ b: Int16) -> Int16 { Int16(truncatingIfNeeded: (Int32(a) &* Int32(b)) &>> 16) }

extension Plane {
  /// Writes `from * (1 - weight) + to * weight` with a weight for each sample, 0...65535 for 0...1, into the columns
  /// `columns` of row `y`. Where a weight is 0 or 65535 the sample is taken over as it is.
  ///
  /// - Precondition: the planes have one shape, in which columns and row lie; `weights` begin with the first of `columns`.
  @unsafe func mix(_ from: Plane, _ to: Plane, _ weights: UnsafePointer<UInt16>, columns: Range<Int>, row y: Int) {
    let (first, count) = (columns.lowerBound, columns.count)
    if bytesPerSample == 1 {
      unsafe mixRow(from.row(y) + first, to.row(y) + first, weights, into: row(y, as: UInt8.self) + first, count: count)
    } else {
      unsafe mixRow(from.row(y) + first, to.row(y) + first, weights, into: row(y, as: UInt16.self) + first, count: count)
    }
  }

  /// As `mix`, with a flat colour of code `code` between the two: `outer` is its weight and that of `to` together.
  @unsafe func mix(
    _ from: Plane, _ code: Int, _ to: Plane, outer: UnsafePointer<UInt16>, inner: UnsafePointer<UInt16>, columns: Range<Int>,
    row y: Int
  ) {
    let (first, count) = (columns.lowerBound, columns.count)
    if bytesPerSample == 1 {
      unsafe mixRow(
        from.row(y) + first, UInt8(code), to.row(y) + first, outer, inner, into: row(y) + first, count: count)
    } else {
      unsafe mixRow(
        from.row(y) + first, UInt16(code), to.row(y) + first, outer, inner, into: row(y) + first, count: count)
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
  _ outer: UnsafePointer<UInt16>, _ inner: UnsafePointer<UInt16>, into out: UnsafeMutablePointer<UInt8>, count: Int
) {
  for x in 0..<count { unsafe out[x] = mix(mix(a[x], code, alpha: outer[x]), b[x], alpha: inner[x]) }
}

private func mixRow(
  _ a: UnsafeMutablePointer<UInt16>, _ code: UInt16, _ b: UnsafeMutablePointer<UInt16>,
  _ outer: UnsafePointer<UInt16>, _ inner: UnsafePointer<UInt16>, into out: UnsafeMutablePointer<UInt16>, count: Int
) {
  for x in 0..<count { unsafe out[x] = mix(mix(a[x], code, alpha: outer[x]), b[x], alpha: inner[x]) }
}
