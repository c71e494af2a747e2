extension Plane {
  /// Writes `from * (1 - weight) + to * weight`, rounded to the nearest code value (8 bits: within 0.51 of the exact
  /// value). Where both sides agree the result is that value.
  ///
  /// Plain loops over unsafe pointers with wrapping arithmetic: the compiler turns them into vector code (decision D9).
  /// - Precondition: the three planes have one shape; this one does not overlap the others.
  package func dissolve(from: Plane, to: Plane, weight: Weight) {
    precondition(from.hasSameShape(as: self) && to.hasSameShape(as: self))
    for y in 0..<height {
      if bytesPerSample == 1 {
        unsafe dissolveRow(from.row(y), to.row(y), weight, into: row(y, as: UInt8.self), count: width)
      } else {
        unsafe dissolveRow(from.row(y), to.row(y), weight, into: row(y, as: UInt16.self), count: width)
      }
    }
  }
}

private func dissolveRow(
  _ a: UnsafeMutablePointer<UInt8>, _ b: UnsafeMutablePointer<UInt8>, _ weight: Weight,
  into out: UnsafeMutablePointer<UInt8>, count: Int
) {
  let mixture = ByteMixture(weight)
  for x in 0..<count { unsafe out[x] = mixture.mix(a[x], b[x]) }
}

private func dissolveRow(
  _ a: UnsafeMutablePointer<UInt16>, _ b: UnsafeMutablePointer<UInt16>, _ weight: Weight,
  into out: UnsafeMutablePointer<UInt16>, count: Int
) {
  for x in 0..<count { unsafe out[x] = mix(a[x], b[x], weight.rawValue) }
}

/// `a * (1 - weight) + b * weight`, rounded half up; `weight` in 1/65536. The largest intermediate is below 2^32.
@inline(__always)
func mix<Sample: FixedWidthInteger & UnsignedInteger>(_ a: Sample, _ b: Sample, _ weight: UInt32) -> Sample {
  Sample(
    truncatingIfNeeded: (UInt32(truncatingIfNeeded: a) &* (Weight.unit &- weight)
      &+ UInt32(truncatingIfNeeded: b) &* weight &+ Weight.unit / 2) &>> 16)
}

/// `mix` for bytes with one constant weight, in 16-bit lanes throughout: vector units without 32-bit multiplication
/// (baseline x86-64) do three times as many samples at a time.
///
/// The weight is split into its high and low byte; of the low products all but the last bit of each is kept, so the
/// sum is at most 1/256 + 1/32768 of a code value too small before it is rounded.
struct ByteMixture {
  private let high: (a: UInt16, b: UInt16)
  private let low: (a: UInt16, b: UInt16)

  @inline(__always)
  init(_ weight: Weight) {
    let (a, b) = (Weight.unit - weight.rawValue, weight.rawValue)
    high = (UInt16(a >> 8), UInt16(b >> 8))
    low = (UInt16(a & 255), UInt16(b & 255))
  }

  @inline(__always)
  func mix(_ a: UInt8, _ b: UInt8) -> UInt8 {
    let (a, b) = (UInt16(truncatingIfNeeded: a), UInt16(truncatingIfNeeded: b))
    let fine = (a &* low.a) &>> 1 &+ (b &* low.b) &>> 1
    return UInt8(truncatingIfNeeded: (a &* high.a &+ b &* high.b &+ fine &>> 7 &+ 128) &>> 8)
  }
}
