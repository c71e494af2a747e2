import Formats
import Media
import Timeline

#if canImport(Glibc)
  import Glibc
#endif

/// Conversions of colours in double precision. They are written from the standards and not from the product.
enum ColorReference {
  typealias RGB = SIMD3<Double>

  /// The matrix from linear light to CIE XYZ. It has the standards' chromaticities with white D65, as they are commonly listed.
  private static func xyz(_ primaries: ColorTags.Primaries) -> [RGB] {
    switch primaries {
    case .bt709, .unknown:
      [RGB(0.4123908, 0.3575843, 0.1804808), RGB(0.2126390, 0.7151687, 0.0721923), RGB(0.0193308, 0.1191948, 0.9505322)]
    case .bt470bg:
      [RGB(0.4305538, 0.3415498, 0.1783523), RGB(0.2220043, 0.7066548, 0.0713409), RGB(0.0201822, 0.1295534, 0.9393222)]
    case .smpte170m:
      [RGB(0.3935209, 0.3652581, 0.1916769), RGB(0.2123764, 0.7010599, 0.0865638), RGB(0.0187391, 0.1119339, 0.9583847)]
    case .bt2020:
      [RGB(0.6369580, 0.1446169, 0.1688810), RGB(0.2627002, 0.6779981, 0.0593017), RGB(0, 0.0280727, 1.0609851)]
    case .smpte432:
      [RGB(0.4865709, 0.2656677, 0.1982173), RGB(0.2289746, 0.6917385, 0.0792869), RGB(0, 0.0451134, 1.0439444)]
    }
  }

  private static func convert(_ light: RGB, from: ColorTags.Primaries, to: ColorTags.Primaries) -> RGB {
    from == to ? light : times(inverse(xyz(to)), times(xyz(from), light))
  }

  /// The inverse of a matrix, by Cramer's rule.
  private static func inverse(_ m: [RGB]) -> [RGB] {
    func cross(_ a: RGB, _ b: RGB) -> RGB { RGB(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x) }
    let columns = [cross(m[1], m[2]), cross(m[2], m[0]), cross(m[0], m[1])]
    let determinant = (m[0] * columns[0]).sum()
    return (0..<3).map { RGB(columns[0][$0], columns[1][$0], columns[2][$0]) / determinant }
  }

  private static func times(_ rows: [RGB], _ v: RGB) -> RGB { RGB((rows[0] * v).sum(), (rows[1] * v).sum(), (rows[2] * v).sum()) }

  private static func each(_ v: RGB, _ f: (Double) -> Double) -> RGB { RGB(f(v.x), f(v.y), f(v.z)) }

  // MARK: - Codes

  /// The shares of red and blue in luma, by BT.601, BT.709 and BT.2020.
  private static func shares(_ matrix: ColorTags.Matrix) -> (Double, Double) {
    switch matrix {
    case .bt470bg, .smpte170m: (0.299, 0.114)
    case .bt2020nc: (0.2627, 0.0593)
    default: (0.2126, 0.0722)
    }
  }

  /// The Y'CbCr codes of R'G'B' values, not rounded.
  static func codes(_ v: RGB, _ tags: ColorTags, depth: Int) -> [Double] {
    let (kr, kb) = shares(tags.matrix)
    let y = kr * v.x + (1 - kr - kb) * v.y + kb * v.z
    let (cb, cr) = ((v.z - y) / (2 * (1 - kb)), (v.x - y) / (2 * (1 - kr)))
    let (n, top) = (exp2(Double(depth - 8)), exp2(Double(depth)) - 1)
    return tags.range == .full
      ? [top * y, min(top * cb + 128 * n, top), min(top * cr + 128 * n, top)]
      : [(219 * y + 16) * n, (224 * cb + 128) * n, (224 * cr + 128) * n]
  }

  static func values(_ codes: [Int], _ tags: ColorTags, depth: Int) -> RGB {
    let (kr, kb) = shares(tags.matrix)
    let (n, top) = (exp2(Double(depth - 8)), exp2(Double(depth)) - 1)
    let isFull = tags.range == .full
    let y = isFull ? Double(codes[0]) / top : (Double(codes[0]) / n - 16) / 219
    let chroma = codes[1...].map { isFull ? (Double($0) - 128 * n) / top : (Double($0) / n - 128) / 224 }
    let (r, b) = (y + 2 * (1 - kr) * chroma[1], y + 2 * (1 - kb) * chroma[0])
    return RGB(r, (y - kr * r - kb * b) / (1 - kr - kb), b)
  }

  // MARK: - Light, of which 1 is 203 cd/m2 in high range

  /// The light in cd/m2 of a PQ value, by the equation in table 4 of ST 2084.
  private static func pqToNits(_ e: Double) -> Double {
    let (m1, m2, c1, c2, c3) = (0.1593017578125, 78.84375, 0.8359375, 18.8515625, 18.6875)
    let p = pow(max(e, 0), 1 / m2)
    return 10_000 * pow(max(p - c1, 0) / (c2 - c3 * p), 1 / m1)
  }

  private static func nitsToPQ(_ l: Double) -> Double {
    let (m1, m2, c1, c2, c3) = (0.1593017578125, 78.84375, 0.8359375, 18.8515625, 18.6875)
    let y = pow(max(l, 0) / 10_000, m1)
    return pow((c1 + c2 * y) / (1 + c3 * y), m2)
  }

  private static func light(_ v: RGB, _ transfer: ColorTags.Transfer) -> RGB {
    let v = each(v) { min(max($0, 0), 1) }
    switch transfer {
    case .pq: return each(v) { pqToNits($0) / 203 }
    case .hlg:
      let a = 0.17883277
      let (b, c) = (1 - 4 * a, 0.5 - a * log(4 * a))
      let scene = each(v) { $0 <= 0.5 ? $0 * $0 / 3 : (exp(($0 - c) / a) + b) / 12 }
      let luminance = 0.2627 * scene.x + 0.6780 * scene.y + 0.0593 * scene.z
      return scene * (1000 * pow(luminance, 1.2 - 1) / 203)
    case .srgb: return each(v) { $0 <= 0.04045 ? $0 / 12.92 : pow(($0 + 0.055) / 1.055, 2.4) }
    default: return each(v) { pow($0, 2.4) }  // BT.1886
    }
  }

  /// The R'G'B' values of light, not cut off above 1.
  private static func values(_ light: RGB, _ transfer: ColorTags.Transfer) -> RGB {
    let light = each(light) { max($0, 0) }
    switch transfer {
    case .pq: return each(light) { nitsToPQ($0 * 203) }
    case .hlg:
      // BT.2100, table 5: first the inverse OOTF of a display of 1000 cd/m2, then the OETF.
      let display = light * (203.0 / 1000)
      let luminance = 0.2627 * display.x + 0.6780 * display.y + 0.0593 * display.z
      let scene = luminance > 0 ? display * pow(luminance, (1 - 1.2) / 1.2) : display
      let a = 0.17883277
      let (b, c) = (1 - 4 * a, 0.5 - a * log(4 * a))
      return each(scene) { $0 <= 1.0 / 12 ? (3 * $0).squareRoot() : a * log(12 * $0 - b) + c }
    case .srgb: return each(light) { $0 <= 0.0031308 ? $0 * 12.92 : 1.055 * pow($0, 1 / 2.4) - 0.055 }
    default: return each(light) { pow($0, 1 / 2.4) }
    }
  }

  // MARK: - Tone maps, from light up to 1000 / 203

  static func mapped(_ light: Double, _ toneMap: ToneMap) -> Double {
    let peak = 1000.0 / 203
    let x = min(light, peak)
    switch toneMap {
    case .clip: return min(x, 1)
    case .reinhard: return x / (x + 1) * (peak + 1) / peak
    case .hable:
      func h(_ x: Double) -> Double { (x * (x * 0.15 + 0.05) + 0.004) / (x * (x * 0.15 + 0.5) + 0.06) - 0.02 / 0.3 }
      return h(x) / h(peak)
    case .bt2390:
      // The names are those of BT.2390-11, 5.4.1.1: E1, KS, T and P, with minLum = 0.
      let e1 = nitsToPQ(x * 203) / nitsToPQ(1000)
      let maxLum = nitsToPQ(203) / nitsToPQ(1000)
      let ks = 1.5 * maxLum - 0.5
      if e1 < ks { return x }
      let t = (e1 - ks) / (1 - ks)
      let p =
        (2 * pow(t, 3) - 3 * pow(t, 2) + 1) * ks + (pow(t, 3) - 2 * pow(t, 2) + t) * (1 - ks)
        + (-2 * pow(t, 3) + 3 * pow(t, 2)) * maxLum
      return pqToNits(p * nitsToPQ(1000)) / 203
    }
  }

  // MARK: - The whole way

  /// A colour converted to another one: the codes, not rounded, and the smallest and largest of the R'G'B' values before they
  /// were cut off at 1. Those two tell how far the colour is from the gamut's edge.
  static func converted(
    _ codes: [Int], _ tags: ColorTags, depth: Int, to target: ColorTags, toneMap: ToneMap = .bt2390, outDepth: Int = 8
  ) -> (codes: [Double], smallest: Double, largest: Double) {
    var rgb = convert(light(values(codes, tags, depth: depth), tags.transfer), from: tags.primaries, to: target.primaries)
    if tags.isHighRange && !target.isHighRange {
      let largest = max(rgb.x, rgb.y, rgb.z)
      if largest > 0 { rgb *= mapped(largest, toneMap) / largest }
    }
    let v = values(rgb, target.transfer)
    return (Self.codes(each(v) { min($0, 1) }, target, depth: outDepth), v.min(), v.max())
  }

  static func inBT709(
    _ codes: [Int], _ tags: ColorTags, depth: Int, toneMap: ToneMap = .bt2390, outDepth: Int = 8
  ) -> (codes: [Double], smallest: Double, largest: Double) {
    converted(codes, tags, depth: depth, to: .bt709, toneMap: toneMap, outDepth: outDepth)
  }
}
