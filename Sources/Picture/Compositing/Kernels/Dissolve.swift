extension Plane {
  /// Writes `from * (1 - weight) + to * weight`, rounded to the nearest code value. With 8 bits it is within 33023/65536, or
  /// 0.504, of the exact value (`ByteMixture`). Where both sides agree the result is that value.
  ///
  /// These are plain loops over unsafe pointers with wrapping arithmetic, which the compiler turns into vector code.
  /// - Precondition: the three planes have one shape; this one does not overlap the others.
  package func dissolve(from: Plane, to: Plane, weight: Weight) {
    precondition(from.hasSameShape(as: self) && to.hasSameShape(as: self))
    if weight == .none { return copy(from) }
    if weight == .all { return copy(to) }
    for y in 0..<height {
      if bytesPerSample == 1 {
        unsafe dissolveRow(from.row(y), to.row(y), ByteMixture(weight), into: row(y), count: width)
      } else {
        unsafe dissolveRow(from.row(y), to.row(y), WordMixture(weight), into: row(y), count: width)
      }
    }
  }
}

private func dissolveRow(
  _ a: UnsafeMutablePointer<UInt8>, _ b: UnsafeMutablePointer<UInt8>, _ mixture: ByteMixture,
  into out: UnsafeMutablePointer<UInt8>, count: Int
) {
  for x in 0..<count { unsafe out[x] = mixture.mix(a[x], b[x]) }
}

/// Dissolves one row. It must not be inlined: see `WordMixture`.
@inline(never)
private func dissolveRow(
  _ a: UnsafeMutablePointer<UInt16>, _ b: UnsafeMutablePointer<UInt16>, _ mixture: WordMixture,
  into out: UnsafeMutablePointer<UInt16>, count: Int
) {
  for x in 0..<count { unsafe out[x] = mixture.mix(a[x], b[x]) }
}

/// The mixture `a * (1 - weight) + b * weight`, rounded half up, where `weight` is in 1/65536. The largest intermediate value is
/// below 2^32.
@inline(__always)
func mix<Sample: FixedWidthInteger & UnsignedInteger>(_ a: Sample, _ b: Sample, _ weight: UInt32) -> Sample {
  Sample(
    truncatingIfNeeded: (UInt32(truncatingIfNeeded: a) &* (Weight.unit &- weight)
      &+ UInt32(truncatingIfNeeded: b) &* weight &+ Weight.unit / 2) &>> 16)
}

/// The `mix` of samples of two bytes with one constant weight. All factors have 16 bits: baseline x86-64 multiplies eight pairs
/// of those at a time, but only two pairs of longer ones. The compiler does so where it sees the weights arrive as 16-bit
/// arguments of the function that has the loop. That is twice as fast.
struct WordMixture {
  private let a: UInt16
  private let b: UInt16

  /// - Precondition: the weight is neither none nor all, which would look the same in 16 bits.
  @inline(__always)
  init(_ weight: Weight) {
    precondition(weight != .none && weight != .all)
    (a, b) = (UInt16(Weight.unit - weight.rawValue), UInt16(weight.rawValue))
  }

  @inline(__always)
  func mix(_ a: UInt16, _ b: UInt16) -> UInt16 {
    UInt16(
      truncatingIfNeeded: (UInt32(a) &* UInt32(self.a) &+ UInt32(b) &* UInt32(self.b) &+ Weight.unit / 2) &>> 16)
  }
}

/// The `mix` of bytes with one constant weight, all in 16-bit lanes. A vector holds twice as many of these as of 32-bit lanes.
/// Baseline x86-64 needs two multiplications for eight samples, since it has none that keeps the low 32 bits of products.
///
/// It computes `a + (b - a) * weight`. The weight has 15 bits, in 1/32768, and is split into eight and seven bits. The errors, in
/// 1/65536 of a code value, are these. Rounding the weight up makes the sum up to 255 larger where `b > a`, and up to 255 smaller
/// where `b < a`. The seven bits that are cut off make it up to 254 smaller. Rounding a sum in 1/256 half up makes it up to 128 *
/// 256 larger or 127 * 256 smaller. So the result is at most 128 * 256 + 255 = 33023 too large and 127 * 256 + 254 + 255 = 33021
/// too small: within 0.504. Both cases occur. `Weight` itself is within 1/131072 of the share that was asked for, which is
/// another 128. Results beyond 16 bits wrap around and back.
struct ByteMixture {
  private let high: Int16
  private let low: Int16

  @inline(__always)
  init(_ weight: Weight) {
    let weight = (weight.rawValue + 1) >> 1
    (high, low) = (Int16(weight >> 7), Int16(weight & 127))
  }

  @inline(__always)
  func mix(_ a: UInt8, _ b: UInt8) -> UInt8 {
    let a = Int16(a)
    let difference = Int16(b) &- a
    let sum = a &<< 8 &+ difference &* high &+ (difference &* low) &>> 7 &+ 128
    return UInt8(truncatingIfNeeded: UInt16(bitPattern: sum) &>> 8)
  }
}
