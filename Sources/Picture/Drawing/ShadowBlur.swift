/// A Gaussian blur of a line of alpha, as the W3C's "Filter Effects Module Level 1" (9.10) states it: by three means over runs of
/// values, or by the Gaussian itself where the deviation is below 2. Beyond the ends everything is clear. It counts in whole
/// numbers, so the result is the same on every machine.
struct ShadowBlur {
  /// How far the blur reaches, in standard deviations. The three runs together are a little shorter.
  static let reach = 3.0

  /// The widths of the runs, and how far each reaches to the left.
  private let runs: [(width: Int, left: Int)]
  /// The shares of the values at each distance, from the middle on, in parts of 65536; empty where runs are taken.
  private let shares: [Int]

  /// - Parameter deviation: the standard deviation in values.
  init(deviation: Double) {
    guard deviation >= 2 else {
      (runs, shares) = ([], Self.shares(deviation))
      return
    }
    shares = []
    // 3 * sqrt(2 * pi) / 4
    let width = Int((deviation * 1.879_971_205_597_325 + 0.5).rounded(.down))
    if width.isMultiple(of: 2) {
      // Two runs of even width are off by half a value to either side. The third is odd.
      runs = [(width, width / 2), (width, width / 2 - 1), (width + 1, width / 2)]
    } else {
      runs = Array(repeating: (width, width / 2), count: 3)
    }
  }

  /// The Gaussian's shares, which add up to 65536.
  private static func shares(_ deviation: Double) -> [Int] {
    guard deviation > 0.1 else { return [65536] }
    // The curve's integral over each value's width, by Simpson's rule.
    let weights = (0...Int((deviation * reach).rounded(.up))).map { distance in
      (0...Self.parts).reduce(0.0) { sum, part in
        let x = (Double(distance) - 0.5 + Double(part) / Double(Self.parts)) / deviation
        let weight = part == 0 || part == Self.parts ? 1.0 : part.isMultiple(of: 2) ? 2 : 4
        return sum + weight / exponential(x * x / 2)
      }
    }
    let sum = weights.reduce(0) { $0 + 2 * $1 } - weights[0]
    var shares = weights.map { Int(($0 / sum * 65536).rounded()) }
    shares[0] = 65536 - 2 * shares.dropFirst().reduce(0, +)
    return shares
  }

  /// The parts into which a value's width is divided.
  private static let parts = 32

  /// The exponential function by its Taylor series, for arguments up to some 20.
  private static func exponential(_ x: Double) -> Double {
    var sum = 1.0
    for n in stride(from: 80.0, to: 0, by: -1) { sum = 1 + x / n * sum }
    return sum
  }

  /// - Parameters:
  ///   - start: the place of the line's first value.
  ///   - step: the distance of its values.
  func blur(_ alpha: inout [UInt16], start: Int, step: Int, count: Int) {
    guard shares.count != 1 else { return }
    var line = (0..<count).map { Int(alpha[start + $0 * step]) }
    guard line.contains(where: { $0 > 0 }) else { return }
    if !shares.isEmpty { line = weighted(line) }
    for run in runs { line = Self.mean(line, run) }
    for place in 0..<count { alpha[start + place * step] = UInt16(line[place]) }
  }

  private func weighted(_ source: [Int]) -> [Int] {
    source.indices.map { place in
      var sum = source[place] * shares[0]
      for distance in 1..<shares.count {
        let (before, after) = (place - distance, place + distance)
        sum += ((before >= 0 ? source[before] : 0) + (after < source.count ? source[after] : 0)) * shares[distance]
      }
      return (sum + 32768) >> 16
    }
  }

  private static func mean(_ source: [Int], _ run: (width: Int, left: Int)) -> [Int] {
    // The run at place p covers p - left ..< p - left + width.
    var sum = source.prefix(max(run.width - run.left - 1, 0)).reduce(0, +)
    return source.indices.map { place in
      let (entering, leaving) = (place - run.left + run.width - 1, place - run.left - 1)
      if entering < source.count { sum += source[entering] }
      if leaving >= 0 { sum -= source[leaving] }
      return (sum + run.width / 2) / run.width
    }
  }
}
