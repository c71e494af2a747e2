import Media
import Timeline

#if canImport(Glibc)
  import Glibc
#endif

/// What document colours (sRGB) are in the render format's code values.
///
/// To an output of standard dynamic range with BT.601's or BT.709's primaries, R'G'B' go as they are through matrix and
/// range: graphics white is video white and greys keep their code values, as editors and players agree. To wider primaries
/// they go through linear light, and back by the same curve. To PQ and HLG white is 203 cd/m2 (BT.2408); linear stays linear.
struct GraphicsColor {
  /// Code values before rounding, in the order of the planes; gray has the first alone.
  typealias Codes = (Double, Double, Double)

  private let format: PixelFormat
  private let color: ColorTags
  /// The share of red and of blue in luma.
  private let red: Double
  private let blue: Double
  private let passesThrough: Bool

  /// - Parameter color: Nothing unknown.
  init(format: PixelFormat, color: ColorTags) {
    (self.format, self.color) = (format, color)
    (red, blue) =
      switch color.matrix {
      case .bt470bg, .smpte170m: (0.299, 0.114)
      case .bt2020nc: (0.2627, 0.0593)
      case .bt709, .rgb, .unknown: (0.2126, 0.0722)
      }
    passesThrough =
      switch (color.transfer, color.primaries) {
      case (.pq, _), (.hlg, _), (.linear, _), (_, .bt2020), (_, .smpte432): false
      default: true
      }
  }

  /// The codes of a colour whose components are 0...1; alpha does not count.
  func codes(_ red: Double, _ green: Double, _ blue: Double) -> Codes {
    let (r, g, b) = passesThrough ? (red, green, blue) : encoded(Self.linear(red), Self.linear(green), Self.linear(blue))
    if format.layout == .gbr { return (luma(g), luma(b), luma(r)) }
    let y = self.red * r + (1 - self.red - self.blue) * g + self.blue * b
    return (luma(y), chroma((b - y) / (2 - 2 * self.blue)), chroma((r - y) / (2 - 2 * self.red)))
  }

  /// The codes of each plane, rounded.
  func roundedCodes(_ color: RGBAColor) -> [Int] {
    let codes = codes(color.red, color.green, color.blue)
    return [codes.0, codes.1, codes.2].prefix(format.planeCount).map(rounded)
  }

  func rounded(_ code: Double) -> Int { min(max(Int(code.rounded()), 0), (1 << format.bitDepth) - 1) }

  private func luma(_ value: Double) -> Double {
    let scale = Double(1 << (format.bitDepth - 8))
    return color.range == .full ? value * Double((1 << format.bitDepth) - 1) : (16 + 219 * value) * scale
  }

  private func chroma(_ value: Double) -> Double {
    let middle = Double(1 << (format.bitDepth - 1))
    return middle
      + (color.range == .full ? value * Double((1 << format.bitDepth) - 1) : 224 * value * Double(1 << (format.bitDepth - 8)))
  }

  /// From linear BT.709 light, white 1, to the output's R'G'B'.
  private func encoded(_ r: Double, _ g: Double, _ b: Double) -> Codes {
    let (r, g, b) = inPrimaries(r, g, b)
    switch color.transfer {
    case .linear: return (r, g, b)
    case .pq: return (Self.pq(r), Self.pq(g), Self.pq(b))
    case .hlg:
      // The display's system gamma of 1.2 (BT.2100) is undone on luminance; graphics white gets code 0.75 (BT.2408).
      let luminance = 0.2627 * r + 0.6780 * g + 0.0593 * b
      let scale = luminance > 0 ? 0.264962 * pow(luminance, 1 / 1.2 - 1) : 0
      return (Self.hlg(r * scale), Self.hlg(g * scale), Self.hlg(b * scale))
    case .bt709, .smpte170m, .bt470bg, .srgb, .bt2020_10, .bt2020_12, .unknown:
      return (Self.sRGB(r), Self.sRGB(g), Self.sRGB(b))
    }
  }

  /// BT.2087's matrix from BT.709 to BT.2020, and its like for P3-D65; the other primaries are taken as BT.709's.
  private func inPrimaries(_ r: Double, _ g: Double, _ b: Double) -> Codes {
    switch color.primaries {
    case .bt2020:
      (0.6274 * r + 0.3293 * g + 0.0433 * b, 0.0691 * r + 0.9195 * g + 0.0114 * b, 0.0164 * r + 0.0880 * g + 0.8956 * b)
    case .smpte432:
      (0.82246 * r + 0.17754 * g, 0.03319 * r + 0.96681 * g, 0.01708 * r + 0.07240 * g + 0.91052 * b)
    case .bt709, .bt470bg, .smpte170m, .unknown: (r, g, b)
    }
  }

  /// IEC 61966-2-1.
  private static func linear(_ value: Double) -> Double {
    value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4)
  }

  private static func sRGB(_ value: Double) -> Double {
    value <= 0.0031308 ? 12.92 * value : 1.055 * pow(value, 1 / 2.4) - 0.055
  }

  /// SMPTE ST 2084, of light whose 1 is 203 cd/m2.
  private static func pq(_ value: Double) -> Double {
    let light = pow(max(value, 0) * 203 / 10_000, 0.1593017578125)
    return pow((0.8359375 + 18.8515625 * light) / (1 + 18.6875 * light), 78.84375)
  }

  /// BT.2100's HLG OETF.
  private static func hlg(_ value: Double) -> Double {
    value <= 1.0 / 12 ? (3 * max(value, 0)).squareRoot() : 0.17883277 * log(12 * value - 0.28466892) + 0.55991073
  }
}
