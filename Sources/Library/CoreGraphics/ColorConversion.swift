/// The way of a colour from one space into another: to light, over the primaries, and back to values.
package struct ColorConversion: Sendable {
  private let source: CGColorSpace
  private let target: CGColorSpace
  /// The map of light, by rows; nil where the primaries are the same.
  private let matrix: [Double]?

  package init(from source: CGColorSpace, to target: CGColorSpace) {
    (self.source, self.target) = (source, target)
    matrix =
      source.primaries == target.primaries
      ? nil : Self.product(Self.inverse(Self.toXYZ(target.primaries)), Self.toXYZ(source.primaries))
  }

  /// Converts the parts of a colour, which are not multiplied by alpha. Gray has three equal parts.
  package func convert(_ color: (Double, Double, Double)) -> (Double, Double, Double) {
    // Gray of the same curve has the same numbers.
    let isSame = source.transfer == target.transfer && (target.model == source.model || target.model == .rgb)
    if isSame, matrix == nil { return color }
    func light(_ value: Double) -> Double { Self.signed(value) { Self.light($0, source.transfer) } }
    func value(_ light: Double) -> Double { Self.signed(light) { Self.value($0, target.transfer) } }
    var (r, g, b) = (light(color.0), light(color.1), light(color.2))
    if let m = matrix {
      (r, g, b) = (m[0] * r + m[1] * g + m[2] * b, m[3] * r + m[4] * g + m[5] * b, m[6] * r + m[7] * g + m[8] * b)
    }
    if target.model == .monochrome {
      let gray = 0.2126 * r + 0.7152 * g + 0.0722 * b
      (r, g, b) = (gray, gray, gray)
    }
    let result = (value(r), value(g), value(b))
    guard !target.isExtended else { return result }
    return (min(max(result.0, 0), 1), min(max(result.1, 0), 1), min(max(result.2, 0), 1))
  }

  private static func signed(_ value: Double, _ curve: (Double) -> Double) -> Double { value < 0 ? -curve(-value) : curve(value) }

  /// The light of a value (IEC 61966-2-1, BT.709, BT.2100). Light of 1 is 203 cd/m² for PQ, and reference white for HLG.
  package static func light(_ v: Double, _ transfer: CGColorSpace.Transfer) -> Double {
    switch transfer {
    case .linear: return v
    case .sRGB: return v <= 0.04045 ? v / 12.92 : pow((v + 0.055) / 1.055, 2.4)
    case .bt709: return v < 0.081 ? v / 4.5 : pow((v + 0.099) / 1.099, 1 / 0.45)
    case .gamma22: return pow(v, 2.2)
    case .pq:
      let p = pow(v, 1 / 78.84375)
      return pow(max(p - 0.8359375, 0) / (18.8515625 - 18.6875 * p), 1 / 0.1593017578125) * 10000 / 203
    case .hlg: return (v <= 0.5 ? v * v / 3 : (exp((v - 0.55991073) / 0.17883277) + 0.28466892) / 12) / 0.26496256
    }
  }

  /// The value of light: the inverse of `light`.
  package static func value(_ l: Double, _ transfer: CGColorSpace.Transfer) -> Double {
    switch transfer {
    case .linear: return l
    case .sRGB: return l <= 0.0031308 ? l * 12.92 : 1.055 * pow(l, 1 / 2.4) - 0.055
    case .bt709: return l < 0.018 ? l * 4.5 : 1.099 * pow(l, 0.45) - 0.099
    case .gamma22: return pow(l, 1 / 2.2)
    case .pq:
      let p = pow(l * 203 / 10000, 0.1593017578125)
      return pow((0.8359375 + 18.8515625 * p) / (1 + 18.6875 * p), 78.84375)
    case .hlg:
      let s = l * 0.26496256
      return s <= 1.0 / 12 ? (3 * s).squareRoot() : 0.17883277 * log(12 * s - 0.28466892) + 0.55991073
    }
  }

  /// The map from light of the primaries to CIE XYZ, by rows, for white of D65.
  private static func toXYZ(_ primaries: CGColorSpace.Primaries) -> [Double] {
    let xy: [(Double, Double)] =
      switch primaries {
      case .bt709: [(0.64, 0.33), (0.3, 0.6), (0.15, 0.06)]
      case .p3: [(0.68, 0.32), (0.265, 0.69), (0.15, 0.06)]
      case .bt2020: [(0.708, 0.292), (0.17, 0.797), (0.131, 0.046)]
      }
    let columns: [[Double]] = xy.map { point in [point.0 / point.1, 1, (1 - point.0 - point.1) / point.1] }
    let white = [0.3127 / 0.329, 1, (1 - 0.3127 - 0.329) / 0.329]
    let plain = (0..<3).flatMap { row in columns.map { $0[row] } }
    let back = inverse(plain)
    let scale = (0..<3).map { row -> Double in
      back[row * 3] * white[0] + back[row * 3 + 1] * white[1] + back[row * 3 + 2] * white[2]
    }
    return plain.enumerated().map { $0.element * scale[$0.offset % 3] }
  }

  private static func product(_ a: [Double], _ b: [Double]) -> [Double] {
    (0..<9).map { place -> Double in
      let (row, column) = (place / 3 * 3, place % 3)
      return a[row] * b[column] + a[row + 1] * b[3 + column] + a[row + 2] * b[6 + column]
    }
  }

  private static func inverse(_ m: [Double]) -> [Double] {
    func minor(_ a: Int, _ b: Int, _ c: Int, _ d: Int) -> Double { m[a] * m[b] - m[c] * m[d] }
    let adjugate: [Double] = [
      minor(4, 8, 5, 7), minor(2, 7, 1, 8), minor(1, 5, 2, 4), minor(5, 6, 3, 8), minor(0, 8, 2, 6), minor(2, 3, 0, 5),
      minor(3, 7, 4, 6), minor(1, 6, 0, 7), minor(0, 4, 1, 3),
    ]
    let determinant = m[0] * adjugate[0] + m[1] * adjugate[3] + m[2] * adjugate[6]
    return adjugate.map { $0 / determinant }
  }
}
