extension Plane {
  /// Blurs the plane in place, by two boxes in each direction, which together weight samples as a triangle that reaches `reach`
  /// samples to each side. Beyond its edges the plane goes on with its outermost samples.
  ///
  /// Between the passes samples have 16 bits. A box's width is exact to a fraction of a sample, so that a growing blur grows
  /// smoothly. Sums are whole numbers. Means are computed in IEEE single precision, the same everywhere.
  /// - Parameters:
  ///   - reach: the reach in samples of this plane, across and down.
  ///   - bitDepth: the bits of the samples.
  package func blur(reach: (x: Double, y: Double), bitDepth: Int) {
    guard width > 0, height > 0 else { return }
    let (across, down) = (Box(reach: reach.x / 2), Box(reach: reach.y / 2))
    var picture = wide(shift: 16 - bitDepth)
    var other = picture
    for _ in 0..<2 {
      if across.isWide {
        for y in 0..<height { across.blurRow(y, of: picture, into: &other, width: width) }
        swap(&picture, &other)
      }
      if down.isWide {
        down.blurColumns(of: picture, into: &other, width: width, height: height)
        swap(&picture, &other)
      }
    }
    store(picture, shift: 16 - bitDepth)
  }

  private func wide(shift: Int) -> [UInt16] {
    unsafe [UInt16](unsafeUninitializedCapacity: width * height) { samples, count in
      for y in 0..<height {
        let out = unsafe samples.baseAddress! + y * width
        if bytesPerSample == 1 {
          let row = unsafe row(y, as: UInt8.self)
          for x in 0..<width { unsafe out[x] = UInt16(truncatingIfNeeded: row[x]) &<< UInt16(shift) }
        } else {
          let row = unsafe row(y, as: UInt16.self)
          for x in 0..<width { unsafe out[x] = row[x] &<< UInt16(shift) }
        }
      }
      count = width * height
    }
  }

  /// Writes the samples back, rounded to the nearest code value. A mean is never above the greatest sample, whose low bits are
  /// zero, so rounding cannot overflow.
  private func store(_ picture: [UInt16], shift: Int) {
    let half = shift > 0 ? UInt32(1) << UInt32(shift - 1) : 0
    unsafe picture.withUnsafeBufferPointer { samples in
      for y in 0..<height {
        let row = unsafe samples.baseAddress! + y * width
        for x in 0..<width {
          let code = unsafe (UInt32(truncatingIfNeeded: row[x]) &+ half) &>> UInt32(shift)
          if bytesPerSample == 1 {
            unsafe self.row(y, as: UInt8.self)[x] = UInt8(truncatingIfNeeded: code)
          } else {
            unsafe self.row(y, as: UInt16.self)[x] = UInt16(truncatingIfNeeded: code)
          }
        }
      }
    }
  }
}

/// A box filter: the mean over `whole` samples to each side and a share of the next one.
private struct Box {
  let whole: Int
  let share: Float
  private let scale: Float

  init(reach: Double) {
    whole = Int(reach.rounded(.down))
    share = Float(reach - reach.rounded(.down))
    scale = 1 / (Float(2 * whole + 1) + 2 * share)
  }

  var isWide: Bool { whole > 0 || share > 0 }

  @inline(__always)
  private func mean(_ sum: UInt32, _ ends: UInt32) -> UInt16 {
    // Sums stay below 2^31, since 8192 samples of 16 bits are 2^29.
    let sum = Float(Int32(truncatingIfNeeded: sum)) + share * Float(Int32(truncatingIfNeeded: ends))
    return UInt16(truncatingIfNeeded: Int32(sum * scale + 0.5))
  }

  /// Blurs one row by running sums. A box is the difference of two of them, however wide it is.
  func blurRow(_ y: Int, of picture: [UInt16], into other: inout [UInt16], width: Int) {
    let margin = whole + 1
    unsafe withUnsafeTemporaryAllocation(of: UInt32.self, capacity: width + 2 * margin + 1) { sums in
      unsafe picture.withUnsafeBufferPointer { picture in
        let row = unsafe picture.baseAddress! + y * width
        var sum: UInt32 = 0
        unsafe sums.initializeElement(at: 0, to: 0)
        for x in 0..<width + 2 * margin {
          sum = unsafe sum &+ UInt32(truncatingIfNeeded: row[min(max(x - margin, 0), width - 1)])
          unsafe sums.initializeElement(at: x + 1, to: sum)
        }
      }
      unsafe other.withUnsafeMutableBufferPointer { other in
        let (out, sums) = unsafe (other.baseAddress! + y * width, sums.baseAddress!)
        let span = 2 * whole + 1
        for x in 0..<width {
          let inside = unsafe sums[x &+ 1 &+ span] &- sums[x &+ 1]
          let all = unsafe sums[x &+ 2 &+ span] &- sums[x]
          unsafe out[x] = mean(inside, all &- inside)
        }
      }
    }
  }

  /// Blurs all columns by the sums of each column's window, which moves down by one row at a time.
  func blurColumns(of picture: [UInt16], into other: inout [UInt16], width: Int, height: Int) {
    unsafe withUnsafeTemporaryAllocation(of: UInt32.self, capacity: width) { sums in
      unsafe sums.initialize(repeating: 0)
      let sums = sums.baseAddress!
      unsafe picture.withUnsafeBufferPointer { picture in
        func row(_ y: Int) -> UnsafePointer<UInt16> { unsafe picture.baseAddress! + min(max(y, 0), height - 1) * width }
        for y in -whole...whole {
          let entering = unsafe row(y)
          for x in 0..<width { unsafe sums[x] = sums[x] &+ UInt32(truncatingIfNeeded: entering[x]) }
        }
        unsafe other.withUnsafeMutableBufferPointer { other in
          for y in 0..<height {
            let out = unsafe other.baseAddress! + y * width
            let (above, below, leaving) = unsafe (row(y - whole - 1), row(y + whole + 1), row(y - whole))
            for x in 0..<width {
              let next = unsafe UInt32(truncatingIfNeeded: below[x])
              unsafe out[x] = mean(sums[x], UInt32(truncatingIfNeeded: above[x]) &+ next)
              unsafe sums[x] = sums[x] &+ next &- UInt32(truncatingIfNeeded: leaving[x])
            }
          }
        }
      }
    }
  }
}
