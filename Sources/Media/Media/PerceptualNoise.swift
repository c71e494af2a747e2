/// The extended perceptually weighted peak signal-to-noise ratio of pictures (XPSNR; Helmrich, Siekmann, Becker, Bosse, Marpe and Wiegand
/// 2020), as the filter `xpsnr` of FFmpeg 7.1 computes it. Errors count less where a picture has much detail or moves much, block by block.
///
/// Sums of samples are whole numbers. What follows are products, quotients and square roots in a fixed order, so every processor gives the
/// same value.
package struct PerceptualNoise: Sendable {
  /// The pixels of pictures above which activity is measured at half the size.
  private static let mostFinePixels = 2048 * 1152
  /// The frames a second from which on motion is the change of a change.
  private static let fastRate: Int64 = 32
  /// The most pixels of pictures in which a block counts no more than its neighbours let it.
  private static let mostSmoothedPixels = 640 * 480

  private let isFast: Bool
  /// The two references before; pictures of zeros at the beginning.
  private var before: (PixelBuffer, PixelBuffer)?
  /// The sums over pictures of the square roots of weighted squared errors, of each plane.
  private var roots: [Double] = []
  /// The error that all samples of each plane have at the most, as such a root.
  private var peaks: [Double] = []
  package private(set) var frameCount = 0

  /// - Parameters:
  ///   - frameTicks: the duration of a frame in units of `timescale`; both positive.
  package init(frameTicks: Int64, timescale: Int64) { isFast = timescale / frameTicks >= Self.fastRate }

  /// The share of the largest error that the plane with the largest has on average; 0 for equal pictures. Its logarithm, times -20, is XPSNR in dB.
  package var distortion: Double { zip(roots, peaks).map { $0 / (Double(frameCount) * $1) }.max() ?? 0 }

  /// Adds a pair of pictures, which follow those that were added before.
  ///
  /// - Precondition: all have the same format and size.
  /// - Throws: `MediaError` `outOfMemory`.
  package mutating func add(_ reference: PixelBuffer, _ picture: PixelBuffer) throws(MediaError) {
    let format = reference.format
    precondition(format == picture.format && reference.width == picture.width && reference.height == picture.height)
    var past = before
    if past == nil {
      let black = try reference.zeros()
      past = (black, black)
    }
    guard let past else { return }
    let errors =
      format.bytesPerSample == 1
      ? Self.errors(reference, picture, past, UInt8.self, isFast: isFast)
      : Self.errors(reference, picture, past, UInt16.self, isFast: isFast)
    if roots.isEmpty {
      roots = Array(repeating: 0, count: errors.count)
      peaks = (0..<format.planeCount).map { index in
        let plane = unsafe reference.plane(index)
        return Double(1 << format.bitDepth - 1) * Double(unsafe plane.width * plane.height).squareRoot()
      }
    }
    for (plane, error) in errors.enumerated() { roots[plane] += error.squareRoot() }
    before = (reference, past.0)
    frameCount += 1
  }

  /// The weighted squared error of each plane, as a whole number.
  private static func errors<Sample: FixedWidthInteger & UnsignedInteger>(
    _ reference: PixelBuffer, _ picture: PixelBuffer, _ past: (PixelBuffer, PixelBuffer), _: Sample.Type, isFast: Bool
  ) -> [Double] {
    let pixels = reference.width * reference.height
    let share = Double(pixels) / (3840 * 2160)
    let side = 4 * Int(32 * share.squareRoot() + 0.5)
    let planes = (0..<reference.format.planeCount).map {
      (reference.samples(ofPlane: $0, Sample.self), picture.samples(ofPlane: $0, Sample.self))
    }
    // A picture that is too small for blocks has no weights.
    guard side > 0 else { return planes.map { Double(squares($0.0, $0.1, Block(0, 0, $0.0.width, $0.0.height))) } }
    let depth = reference.format.bitDepth
    let activity = Activity(
      now: planes[0].0, before: past.0.samples(ofPlane: 0, Sample.self), earlier: past.1.samples(ofPlane: 0, Sample.self),
      isCoarse: pixels > mostFinePixels, isFast: isFast, least: Double(1 << (depth - 6)))
    var weights = Weights(columns: (reference.width + side - 1) / side, isSmoothed: pixels <= mostSmoothedPixels)
    let blocks = Block.all(of: side, side, in: reference.width, reference.height)
    for block in blocks {
      let isLast = block.x + block.width == reference.width && block.y + block.height == reference.height
      weights.append(activity.weight(of: block), isFirstInRow: block.x == 0, isSecondInRow: block.x == side, isLast: isLast)
    }
    // The square root of the activity that a picture of this size has on average; 16 is the gain of the filters, squared.
    let average = (16 * Double(1 << (2 * depth - 9)) / max(0.00001, share).squareRoot()).squareRoot()
    return planes.map { a, b in
      let sides = (side * a.width / reference.width, side * a.height / reference.height)
      var sum = 0.0
      for (block, weight) in zip(Block.all(of: sides.0, sides.1, in: a.width, a.height), weights.all) {
        sum += Double(squares(a, b, block)) * weight
      }
      return (sum * average + 0.5).rounded(.down)
    }
  }

  private static func squares<Sample: FixedWidthInteger & UnsignedInteger>(
    _ a: PlaneSamples<Sample>, _ b: PlaneSamples<Sample>, _ block: Block
  ) -> UInt64 {
    var sum: UInt64 = 0
    for y in block.y..<block.y + block.height {
      let (left, right) = unsafe (a.base + y * a.stride, b.base + y * b.stride)
      for x in block.x..<block.x + block.width {
        let difference = unsafe Int32(truncatingIfNeeded: left[x]) &- Int32(truncatingIfNeeded: right[x])
        sum &+= UInt64(truncatingIfNeeded: Int64(difference) &* Int64(difference))
      }
    }
    return sum
  }
}

/// A part of a plane, in samples.
private struct Block {
  let (x, y, width, height): (Int, Int, Int, Int)

  init(_ x: Int, _ y: Int, _ width: Int, _ height: Int) { (self.x, self.y, self.width, self.height) = (x, y, width, height) }

  /// The blocks of a plane, row by row. Those at the right and at the bottom may be smaller.
  static func all(of across: Int, _ down: Int, in width: Int, _ height: Int) -> [Block] {
    stride(from: 0, to: height, by: down).flatMap { y in
      stride(from: 0, to: width, by: across).map { x in
        Block(x, y, min(across, width - x), min(down, height - y))
      }
    }
  }
}

/// The weights of blocks, row by row.
private struct Weights {
  let columns: Int
  /// Whether a block counts no more than the neighbour that counts most.
  let isSmoothed: Bool
  private(set) var all: [Double] = []

  init(columns: Int, isSmoothed: Bool) { (self.columns, self.isSmoothed) = (columns, isSmoothed) }

  /// Adds the weight of the next block. That of the block before is bounded by those of its neighbours left, right and above.
  mutating func append(_ weight: Double, isFirstInRow: Bool, isSecondInRow: Bool, isLast: Bool) {
    all.append(weight)
    guard isSmoothed else { return }
    let index = all.count - 1
    var bound: Double
    if isFirstInRow {
      bound = index > 1 ? all[index - 2] : 0
    } else {
      bound = isSecondInRow ? all[index] : max(all[index - 2], all[index])
    }
    if index > columns { bound = max(bound, all[index - 1 - columns]) }
    if index > 0 { all[index - 1] = min(all[index - 1], bound) }
    if isLast, index > columns { all[index] = min(all[index], max(all[index - 1], all[index - columns])) }
  }
}

/// The activity of a picture, in space and in time, by which errors in it are hidden.
private struct Activity<Sample: FixedWidthInteger & UnsignedInteger> {
  let now: PlaneSamples<Sample>
  let before: PlaneSamples<Sample>
  let earlier: PlaneSamples<Sample>
  /// Whether it is measured in sums of 2x2 samples.
  let isCoarse: Bool
  /// Whether motion is the change of a change.
  let isFast: Bool
  let least: Double

  /// The weight of errors in a block.
  func weight(of block: Block) -> Double {
    // At the picture's edges the filter has no neighbours.
    let margin = isCoarse ? 2 : 1
    let (left, top) = (block.x == 0 ? margin : 0, block.y == 0 ? margin : 0)
    let right = block.x + block.width < now.width ? block.width : block.width - margin
    let bottom = block.y + block.height < now.height ? block.height : block.height - margin
    guard right > left, bottom > top else { return 1 }
    let columns = block.x + left..<block.x + right
    let rows = block.y + top..<block.y + bottom
    let detail = isCoarse ? coarseDetail(columns, rows) : detail(columns, rows)
    let motion = 2 * (isCoarse ? coarseMotion(block) : motion(block))
    var activity = Double(detail) / (Double(right - left) * Double(bottom - top))
    activity += Double(motion) / (Double(block.width) * Double(block.height))
    activity = max(activity, least)
    return 1 / (activity * activity).squareRoot()
  }

  /// The sum of what a high-pass filter of 3x3 lets through.
  private func detail(_ columns: Range<Int>, _ rows: Range<Int>) -> UInt64 {
    var sum: UInt64 = 0
    for y in rows {
      let row = unsafe now.base + y * now.stride
      let (above, below) = unsafe (row - now.stride, row + now.stride)
      for x in columns {
        let sides = unsafe Int32(row[x - 1]) &+ Int32(row[x + 1]) &+ Int32(above[x]) &+ Int32(below[x])
        let corners = unsafe Int32(above[x - 1]) &+ Int32(above[x + 1]) &+ Int32(below[x - 1]) &+ Int32(below[x + 1])
        let passed = unsafe 12 &* Int32(row[x]) &- 2 &* sides &- corners
        sum &+= UInt64(passed.magnitude)
      }
    }
    return sum
  }

  /// The same of a filter that looks at sums of 2x2 samples. Its neighbourhood is 6x6 samples without the corners.
  private func coarseDetail(_ columns: Range<Int>, _ rows: Range<Int>) -> UInt64 {
    var sum: UInt64 = 0
    for y in stride(from: rows.lowerBound, to: min(rows.upperBound, now.height - 3), by: 2) {
      for x in stride(from: columns.lowerBound, to: min(columns.upperBound, now.width - 3), by: 2) {
        let corner = unsafe now.base + y * now.stride + x
        func line(_ dy: Int, _ places: ClosedRange<Int>) -> Int32 {
          places.reduce(Int32(0)) { unsafe $0 &+ Int32(corner[dy * now.stride + $1]) }
        }
        func ends(_ dy: Int, _ distance: Int) -> Int32 {
          unsafe Int32(corner[dy * now.stride - distance]) &+ Int32(corner[dy * now.stride + 1 + distance])
        }
        let middle = line(0, 0...1) &+ line(1, 0...1)
        let beside = line(-1, 0...1) &+ line(2, 0...1) &+ ends(0, 1) &+ ends(1, 1)
        let diagonal = ends(-1, 1) &+ ends(2, 1)
        let far = line(-2, -1...2) &+ line(3, -1...2) &+ ends(-1, 2) &+ ends(0, 2) &+ ends(1, 2) &+ ends(2, 2)
        sum &+= UInt64((12 &* middle &- 3 &* beside &- 2 &* diagonal &- far).magnitude)
      }
    }
    return sum
  }

  private func motion(_ block: Block) -> UInt64 {
    var sum: UInt64 = 0
    for y in block.y..<block.y + block.height {
      let (row, last, earliest) = unsafe (
        now.base + y * now.stride, before.base + y * before.stride, earlier.base + y * earlier.stride
      )
      for x in block.x..<block.x + block.width {
        let change = unsafe Int32(row[x]) &- Int32(last[x])
        sum &+= UInt64((isFast ? unsafe change &- Int32(last[x]) &+ Int32(earliest[x]) : change).magnitude)
      }
    }
    return sum
  }

  private func coarseMotion(_ block: Block) -> UInt64 {
    func square(_ plane: PlaneSamples<Sample>, _ x: Int, _ y: Int) -> Int32 {
      let row = unsafe plane.base + y * plane.stride + x
      return unsafe Int32(row[0]) &+ Int32(row[1]) &+ Int32(row[plane.stride]) &+ Int32(row[plane.stride + 1])
    }
    var sum: UInt64 = 0
    for y in stride(from: block.y, to: block.y + block.height - 1, by: 2) {
      for x in stride(from: block.x, to: block.x + block.width - 1, by: 2) {
        let last = square(before, x, y)
        let change = square(now, x, y) &- last
        sum &+= UInt64((isFast ? change &- last &+ square(earlier, x, y) : change).magnitude)
      }
    }
    return sum
  }
}

extension PixelBuffer {
  /// A picture of the same shape whose samples are all 0.
  fileprivate func zeros() throws(MediaError) -> PixelBuffer {
    let made = try PixelBuffer(format: format, width: width, height: height, color: color)
    for index in 0..<format.planeCount {
      let plane = unsafe made.plane(index)
      unsafe plane.base.update(repeating: 0, count: plane.stride * plane.height)
    }
    return made
  }
}
