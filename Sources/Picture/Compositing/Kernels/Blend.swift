package import Media

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
  /// - Parameter covered: what covers something in `alpha`; nil where it was not looked for.
  /// - Precondition: the planes have one shape and do not overlap; `alpha` has as many samples, of 2 bytes each.
  package func blend(_ picture: Plane, alpha: Plane, covered: AlphaRuns.Part? = nil, opacity: Double = 1) {
    precondition(picture.hasSameShape(as: self))
    precondition(alpha.width == width && alpha.height == height && alpha.bytesPerSample == 2)
    unsafe alpha.forEachRun(covered, opacity: opacity) { y, columns, shares in
      let (first, count) = (columns.lowerBound, columns.count)
      guard let shares = unsafe shares else { return copy(picture, columns, y..<y + 1) }
      if bytesPerSample == 1 {
        unsafe blendRow(picture.row(y) + first, shares, over: row(y, as: UInt8.self) + first, count: count)
      } else {
        unsafe blendRow(picture.row(y) + first, shares, over: row(y, as: UInt16.self) + first, count: count)
      }
    }
  }
}

extension Plane {
  /// Calls `body` for all that is not clear: for each row, or for runs of it, with the alpha of the first column and of those after
  /// it, multiplied by `opacity`, 0...1. The products are rounded to the nearest. Opaque runs are given without alpha.
  ///
  /// - Parameter covered: what covers something in this plane; nil where it was not looked for.
  /// - Precondition: this plane holds alpha.
  @inline(__always)
  @unsafe func forEachRun(
    _ covered: AlphaRuns.Part?, opacity: Double,
    _ body: (_ y: Int, _ columns: Range<Int>, _ alpha: UnsafeMutablePointer<UInt16>?) -> Void
  ) {
    guard opacity < 1 else {
      return forEachRun(covered) { y, columns, isOpaque in
        unsafe body(y, columns, isOpaque ? nil : row(y) + columns.lowerBound)
      }
    }
    let weight = UInt32((min(max(opacity, 0), 1) * 65535).rounded())
    unsafe withUnsafeTemporaryAllocation(of: UInt16.self, capacity: max(width, 1)) { faded in
      unsafe faded.initialize(repeating: 0)
      let out = unsafe faded.baseAddress.unsafelyUnwrapped
      forEachRun(covered) { y, columns, _ in
        unsafe fadeRow(row(y) + columns.lowerBound, weight, into: out, count: columns.count)
        unsafe body(y, columns, out)
      }
    }
  }

  @inline(__always)
  private func forEachRun(_ covered: AlphaRuns.Part?, _ body: (_ y: Int, _ columns: Range<Int>, _ isOpaque: Bool) -> Void) {
    guard let covered else {
      for y in 0..<height { body(y, 0..<width, false) }
      return
    }
    precondition(covered.columns.count == width && covered.rows.count == height)
    let (columns, top) = (covered.columns, covered.rows.lowerBound)
    // The lists are held once for all rows, which are short.
    unsafe covered.runs.runs.withUnsafeBufferPointer { runs in
      unsafe covered.runs.starts.withUnsafeBufferPointer { starts in
        for y in 0..<height {
          for index in unsafe starts[top + y]..<starts[top + y + 1] {
            let run = unsafe runs[index]
            let (start, end) = (max(Int(run.start), columns.lowerBound), min(Int(run.end), columns.upperBound))
            if start < end { body(y, start - columns.lowerBound..<end - columns.lowerBound, run.isOpaque) }
          }
        }
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
