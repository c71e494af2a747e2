extension Plane {
  /// Draws `picture` over this plane with one opacity: `self * (1 - weight) + picture * weight`, rounded as in `dissolve`.
  ///
  /// - Precondition: the planes have one shape and do not overlap.
  package func blend(_ picture: Plane, weight: Weight) {
    precondition(picture.hasSameShape(as: self))
    if weight == .none { return }
    if weight == .all { return copy(picture) }
    for y in 0..<height {
      if bytesPerSample == 1 {
        unsafe blendRow(picture.row(y), ByteMixture(weight), over: row(y), count: width)
      } else {
        unsafe blendRow(picture.row(y), WordMixture(weight), over: row(y), count: width)
      }
    }
  }

  /// Draws `picture` over this plane with an opacity for each sample: `alpha` holds 0...65535 for 0...1. Each is multiplied by
  /// `opacity`, 0...1.
  ///
  /// - Precondition: the planes have one shape and do not overlap; `alpha` has as many samples, of 2 bytes each.
  package func blend(_ picture: Plane, alpha: Plane, opacity: Double = 1) {
    precondition(picture.hasSameShape(as: self))
    precondition(alpha.width == width && alpha.height == height && alpha.bytesPerSample == 2)
    func blend(_ y: Int, _ alpha: UnsafeMutablePointer<UInt16>) {
      if bytesPerSample == 1 {
        unsafe blendRow(picture.row(y), alpha, over: row(y, as: UInt8.self), count: width)
      } else {
        unsafe blendRow(picture.row(y), alpha, over: row(y, as: UInt16.self), count: width)
      }
    }
    if opacity < 1 { return unsafe alpha.withFadedRows(opacity) { unsafe blend($0, $1) } }
    for y in 0..<height { unsafe blend(y, alpha.row(y)) }
  }
}

extension Plane {
  /// Calls `body` for each row with its alpha multiplied by `opacity`, 0...1. The products are rounded to the nearest.
  ///
  /// - Precondition: this plane holds alpha.
  @unsafe func withFadedRows(_ opacity: Double, _ body: (_ y: Int, _ alpha: UnsafeMutablePointer<UInt16>) -> Void) {
    let weight = UInt32((min(max(opacity, 0), 1) * 65535).rounded())
    unsafe withUnsafeTemporaryAllocation(of: UInt16.self, capacity: max(width, 1)) { faded in
      unsafe faded.initialize(repeating: 0)
      let out = unsafe faded.baseAddress.unsafelyUnwrapped
      for y in 0..<height {
        unsafe fadeRow(row(y), weight, into: out, count: width)
        unsafe body(y, out)
      }
    }
  }
}

private func fadeRow(
  _ alpha: UnsafeMutablePointer<UInt16>, _ weight: UInt32, into out: UnsafeMutablePointer<UInt16>, count: Int
) {
  for x in 0..<count {
    // The sum is below 65535 * 65536. The last line divides by 65535, without a remainder.
    let sum = unsafe UInt32(alpha[x]) &* weight &+ 32767
    unsafe out[x] = UInt16(truncatingIfNeeded: (sum &+ 1 &+ sum &>> 16) &>> 16)
  }
}

private func blendRow(
  _ picture: UnsafeMutablePointer<UInt8>, _ mixture: ByteMixture, over ground: UnsafeMutablePointer<UInt8>, count: Int
) {
  for x in 0..<count { unsafe ground[x] = mixture.mix(ground[x], picture[x]) }
}

/// Blends one row. It must not be inlined: see `WordMixture`.
@inline(never)
private func blendRow(
  _ picture: UnsafeMutablePointer<UInt16>, _ mixture: WordMixture, over ground: UnsafeMutablePointer<UInt16>, count: Int
) {
  for x in 0..<count { unsafe ground[x] = mixture.mix(ground[x], picture[x]) }
}

private func blendRow(
  _ picture: UnsafeMutablePointer<UInt8>, _ alpha: UnsafeMutablePointer<UInt16>,
  over ground: UnsafeMutablePointer<UInt8>, count: Int
) {
  for x in 0..<count { unsafe ground[x] = mix(ground[x], picture[x], alpha: alpha[x]) }
}

private func blendRow(
  _ picture: UnsafeMutablePointer<UInt16>, _ alpha: UnsafeMutablePointer<UInt16>,
  over ground: UnsafeMutablePointer<UInt16>, count: Int
) {
  for x in 0..<count { unsafe ground[x] = mix(ground[x], picture[x], alpha: alpha[x]) }
}
