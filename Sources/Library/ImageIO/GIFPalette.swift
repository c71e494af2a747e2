/// The colours of one picture of a GIF, at most 256 of them. The first one is that of pixels that are seen through, if there are any.
struct GIFPalette {
  /// Red, green and blue of each colour.
  private(set) var colors: [[UInt8]] = []
  let hasClear: Bool
  /// The places of colours, by the colours as they are, or by the five highest bits of their parts.
  private var places: [UInt32: UInt8] = [:]
  private var isExact = true

  /// The bits that the number of a colour has.
  var bits: Int { (1...8).first { colors.count <= 1 << $0 } ?? 8 }

  /// - Parameter pixels: red, green and blue from the highest byte down; nil where a pixel is seen through.
  init(_ pixels: [UInt32?]) {
    var counts: [UInt32: Int] = [:]
    var hasClear = false
    for pixel in pixels {
      if let pixel { counts[pixel, default: 0] += 1 } else { hasClear = true }
    }
    self.hasClear = hasClear
    if hasClear { colors.append([0, 0, 0]) }
    let most = 256 - colors.count
    if counts.count <= most {
      for color in counts.keys.sorted() {
        places[color] = UInt8(colors.count)
        colors.append(Self.parts(color).map { UInt8($0) })
      }
    } else {
      isExact = false
      take(Self.bins(counts), most)
    }
  }

  /// The number of a pixel's colour.
  func index(of pixel: UInt32?) -> UInt8 {
    guard let pixel else { return 0 }
    return places[isExact ? pixel : Self.bin(pixel)] ?? 0
  }

  /// Colours that have the five highest bits of each part in common: how many pixels have them, and the sums of their parts.
  private struct Bin {
    var key: UInt32
    var count = 0
    var sums = [0, 0, 0]
    var mean: [Int] { sums.map { $0 / count } }
  }

  private static func parts(_ color: UInt32) -> [Int] { [16, 8, 0].map { Int(color >> $0 & 0xff) } }
  private static func bin(_ color: UInt32) -> UInt32 { color >> 9 & 0x7c00 | color >> 6 & 0x3e0 | color >> 3 & 0x1f }

  private static func bins(_ counts: [UInt32: Int]) -> [Bin] {
    var found: [UInt32: Bin] = [:]
    for (color, count) in counts {
      let key = bin(color)
      var one = found[key] ?? Bin(key: key)
      one.count += count
      for (part, value) in parts(color).enumerated() { one.sums[part] += value * count }
      found[key] = one
    }
    return found.values.sorted { $0.key < $1.key }
  }

  /// Divides the bins into boxes, the one with the most pixels times its longest side first, and takes the boxes' means.
  private mutating func take(_ bins: [Bin], _ most: Int) {
    var boxes = [Box(bins)]
    while boxes.count < most, let widest = boxes.indices.max(by: { boxes[$0].weight < boxes[$1].weight }),
      boxes[widest].weight > 0
    {
      let halves = boxes[widest].halves()
      boxes[widest] = halves.0
      boxes.append(halves.1)
    }
    let first = colors.count
    let means = boxes.map(\.mean)
    colors += means.map { mean in mean.map { UInt8($0) } }
    for bin in bins {
      let mean = bin.mean
      let nearest = means.indices.min { Self.distance(means[$0], mean) < Self.distance(means[$1], mean) } ?? 0
      places[bin.key] = UInt8(first + nearest)
    }
  }

  private static func distance(_ one: [Int], _ other: [Int]) -> Int {
    let (red, green, blue) = (one[0] - other[0], one[1] - other[1], one[2] - other[2])
    return 2 * red * red + 4 * green * green + blue * blue
  }

  private struct Box {
    let bins: [Bin]
    let weight: Int
    private let longest: Int

    init(_ bins: [Bin]) {
      self.bins = bins
      let means = bins.map(\.mean)
      let sides = (0..<3).map { part in (means.map { $0[part] }.max() ?? 0) - (means.map { $0[part] }.min() ?? 0) }
      longest = sides.indices.max { sides[$0] < sides[$1] } ?? 0
      weight = bins.count > 1 ? sides[longest] * bins.reduce(0) { $0 + $1.count } : 0
    }

    var mean: [Int] {
      let count = bins.reduce(0) { $0 + $1.count }
      return (0..<3).map { part in (bins.reduce(0) { $0 + $1.sums[part] } + count / 2) / count }
    }

    /// The two halves of the pixels along the longest side, with a bin each at least.
    func halves() -> (Box, Box) {
      let sorted = bins.sorted { ($0.mean[longest], $0.key) < ($1.mean[longest], $1.key) }
      let half = bins.reduce(0) { $0 + $1.count } / 2
      var (seen, cut) = (0, 0)
      while cut < sorted.count - 1, cut == 0 || seen < half {
        seen += sorted[cut].count
        cut += 1
      }
      return (Box(Array(sorted[..<cut])), Box(Array(sorted[cut...])))
    }
  }
}
