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

  /// Draws `picture` over this plane with an opacity for each sample: `alpha` holds 0...65535 for 0...1.
  ///
  /// - Precondition: the planes have one shape and do not overlap; `alpha` has as many samples, of 2 bytes each.
  package func blend(_ picture: Plane, alpha: Plane) {
    precondition(picture.hasSameShape(as: self))
    precondition(alpha.width == width && alpha.height == height && alpha.bytesPerSample == 2)
    for y in 0..<height {
      if bytesPerSample == 1 {
        unsafe blendRow(picture.row(y), alpha.row(y), over: row(y, as: UInt8.self), count: width)
      } else {
        unsafe blendRow(picture.row(y), alpha.row(y), over: row(y, as: UInt16.self), count: width)
      }
    }
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
