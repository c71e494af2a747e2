import Timeline

extension ToneMap {
  /// The light, 0...1, of a display whose peak is graphics white. The argument `light` is in units of graphics white, from 0 to
  /// the source's peak.
  ///
  /// - Parameter peak: the brightest light of the source in the same units, above 1. Brighter light counts as this.
  func displayed(_ light: Double, peak: Double) -> Double {
    let light = min(max(light, 0), peak)
    return switch self {
    case .clip: min(light, 1)
    case .reinhard: light / (1 + light) * (1 + peak) / peak
    case .hable: Self.hable(light) / Self.hable(peak)
    case .bt2390: Self.eetf(light, peak: peak)
    }
  }

  /// The curve of J. Hable, "Uncharted 2: HDR Lighting", GDC 2010. FFmpeg's `tonemap=hable` is the same.
  private static func hable(_ x: Double) -> Double {
    let (a, b, c, d, e, f) = (0.15, 0.5, 0.1, 0.2, 0.02, 0.3)
    return (x * (a * x + c * b) + d * e) / (x * (a * x + b) + d * f) - e / f
  }

  /// The EETF of Report ITU-R BT.2390, 5.4.1, with both displays' black at 0. It maps PQ values relative to the source's peak.
  /// Below the knee they stay as they are. From there a Hermite spline leads to the display's peak.
  private static func eetf(_ light: Double, peak: Double) -> Double {
    let white = TransferFunction.white
    let top = TransferFunction.pq(luminance: peak * white)
    let value = TransferFunction.pq(luminance: light * white) / top
    let maximum = TransferFunction.pq(luminance: white) / top
    let knee = 1.5 * maximum - 0.5
    guard value > knee else { return light }
    let t = (value - knee) / (1 - knee)
    let (t2, t3) = (t * t, t * t * t)
    let mapped = (2 * t3 - 3 * t2 + 1) * knee + (t3 - 2 * t2 + t) * (1 - knee) + (3 * t2 - 2 * t3) * maximum
    return min(TransferFunction.luminance(pq: mapped * top) / white, 1)
  }
}
