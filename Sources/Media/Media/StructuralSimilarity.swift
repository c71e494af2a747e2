/// The structural similarity of pictures (SSIM; Wang, Bovik, Sheikh and Simoncelli 2004), as FFmpeg's filter `ssim` computes it: windows of
/// 8x8 samples stand every four samples, each plane is the mean of its windows, and a picture the mean of its planes, each by its number of
/// samples.
///
/// Sums of samples are whole numbers. What follows is one product and one quotient a window, added in order, so every processor gives the same value.
package struct StructuralSimilarity: Hashable, Sendable {
  /// The sums over 4x4 samples of two pictures.
  private struct Block {
    var (first, second, squares, products): (Int32, Int32, Int32, Int32) = (0, 0, 0, 0)

    /// A window is four blocks.
    static func + (_ a: Block, _ b: Block) -> Block {
      var sum = a
      sum.first &+= b.first
      sum.second &+= b.second
      sum.squares &+= b.squares
      sum.products &+= b.products
      return sum
    }
  }

  private var sum = 0.0
  package private(set) var frameCount = 0

  package init() {}

  /// The mean over the pictures that were added; 1 for equal ones, and where there are none.
  package var mean: Double { frameCount == 0 ? 1 : sum / Double(frameCount) }

  /// Adds a pair of pictures. Alpha does not count.
  ///
  /// - Precondition: both have the same format of at most 12 bits, and the same size. Each plane has at least 8x8 samples.
  package mutating func add(_ reference: PixelBuffer, _ picture: PixelBuffer) {
    let format = reference.format
    precondition(format == picture.format && reference.width == picture.width && reference.height == picture.height)
    precondition(format.bitDepth <= 12, "sums of a window have 31 bits")
    var (similarity, sampleCount) = (0.0, 0)
    for plane in 0..<format.planeCount {
      let (mean, count) =
        format.bytesPerSample == 1
        ? Self.mean(reference.samples(ofPlane: plane, UInt8.self), picture.samples(ofPlane: plane, UInt8.self), format.bitDepth)
        : Self.mean(reference.samples(ofPlane: plane, UInt16.self), picture.samples(ofPlane: plane, UInt16.self), format.bitDepth)
      similarity += Double(count) * mean
      sampleCount += count
    }
    sum += similarity / Double(sampleCount)
    frameCount += 1
  }

  /// The mean over the windows of a plane, and its number of samples.
  private static func mean<Sample: FixedWidthInteger & UnsignedInteger>(
    _ a: PlaneSamples<Sample>, _ b: PlaneSamples<Sample>, _ bitDepth: Int
  ) -> (Double, count: Int) {
    let (columns, rows) = (a.width / 4, a.height / 4)
    precondition(columns > 1 && rows > 1, "a plane has a window")
    let constants = Constants(bitDepth)
    var above = blocks(a, b, row: 0, columns)
    var sum = 0.0
    for row in 1..<rows {
      let below = blocks(a, b, row: row, columns)
      for x in 1..<columns {
        sum += constants.similarity(above[x - 1] + above[x] + (below[x - 1] + below[x]))
      }
      above = below
    }
    return (sum / Double((columns - 1) * (rows - 1)), a.width * a.height)
  }

  private static func blocks<Sample: FixedWidthInteger & UnsignedInteger>(
    _ a: PlaneSamples<Sample>, _ b: PlaneSamples<Sample>, row: Int, _ columns: Int
  ) -> [Block] {
    var found = Array(repeating: Block(), count: columns)
    for y in 4 * row..<4 * row + 4 {
      let (left, right) = unsafe (a.base + y * a.stride, b.base + y * b.stride)
      for column in 0..<columns {
        var block = found[column]
        for x in 4 * column..<4 * column + 4 {
          let (p, q) = unsafe (Int32(truncatingIfNeeded: left[x]), Int32(truncatingIfNeeded: right[x]))
          block.first &+= p
          block.second &+= q
          block.squares &+= p &* p &+ q &* q
          block.products &+= p &* q
        }
        found[column] = block
      }
    }
    return found
  }

  /// The constants that keep the quotient steady where windows are dark or flat: (0.01 · peak)² and (0.03 · peak)², on the scales of the sums.
  private struct Constants {
    let (light, contrast): (Int64, Int64)

    init(_ bitDepth: Int) {
      let peak = Double(1 << bitDepth - 1)
      light = Int64(0.01 * 0.01 * peak * peak * 64 + 0.5)
      contrast = Int64(0.03 * 0.03 * peak * peak * 64 * 63 + 0.5)
    }

    func similarity(_ window: Block) -> Double {
      let (first, second) = (Int64(window.first), Int64(window.second))
      let variances = 64 * Int64(window.squares) - first * first - second * second
      let covariance = 64 * Int64(window.products) - first * second
      return Double(2 * first * second + light) * Double(2 * covariance + contrast)
        / (Double(first * first + second * second + light) * Double(variances + contrast))
    }
  }
}

/// The samples of a plane: rows begin `stride` samples apart. They are valid as long as the picture lives.
@safe struct PlaneSamples<Sample: FixedWidthInteger & UnsignedInteger> {
  let base: UnsafePointer<Sample>
  let stride: Int
  let width: Int
  let height: Int
}

extension PixelBuffer {
  /// - Precondition: a sample has as many bytes as `Sample`.
  func samples<Sample: FixedWidthInteger & UnsignedInteger>(ofPlane index: Int, _: Sample.Type) -> PlaneSamples<Sample> {
    precondition(MemoryLayout<Sample>.size == format.bytesPerSample)
    let plane = unsafe plane(index)
    return unsafe PlaneSamples(
      base: UnsafeRawPointer(plane.base).assumingMemoryBound(to: Sample.self), stride: plane.stride / MemoryLayout<Sample>.size,
      width: plane.width, height: plane.height)
  }
}
