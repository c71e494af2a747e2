import Formats

#if canImport(Glibc)
  import Glibc
#endif

/// The map between a component's R'G'B' value, 0...1, and light. Light 1 is graphics white: 203 cd/m2 where light is absolute
/// (BT.2408), the display's white elsewhere.
///
/// Light is that of the display, as in zimg: BT.601, BT.709 and BT.2020 mean the light of BT.1886's display, a power of 2.4. HLG
/// is the exception. Its light is the scene's, 0...1; an OOTF leads from there to the display's.
struct TransferFunction {
  /// The luminance of graphics white in high dynamic range, in cd/m2 (BT.2408).
  static let white = 203.0
  /// The peak of HLG's nominal display (BT.2100), in cd/m2. PQ pictures are taken to be graded for the same peak.
  static let peak = 1000.0

  let transfer: ColorTags.Transfer

  func light(_ value: Double) -> Double {
    let value = max(value, 0)
    return switch transfer {
    case .pq: Self.luminance(pq: value) / Self.white
    case .hlg: value <= 0.5 ? value * value / 3 : (exp((value - 0.55991073) / 0.17883277) + 0.28466892) / 12
    case .srgb: value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4)
    case .bt470bg: pow(value, 2.8)
    case .linear: value
    case .bt709, .smpte170m, .bt2020_10, .bt2020_12, .unknown: pow(value, 2.4)
    }
  }

  /// The value for light, which is the inverse of `light(_:)`. The result is cut off at 0 and 1.
  func value(_ light: Double) -> Double {
    let light = max(light, 0)
    let value =
      switch transfer {
      case .pq: Self.pq(luminance: light * Self.white)
      case .hlg: light <= 1.0 / 12 ? (3 * light).squareRoot() : 0.17883277 * log(12 * light - 0.28466892) + 0.55991073
      case .srgb: light <= 0.0031308 ? 12.92 * light : 1.055 * pow(light, 1 / 2.4) - 0.055
      case .bt470bg: pow(light, 1 / 2.8)
      case .linear: light
      case .bt709, .smpte170m, .bt2020_10, .bt2020_12, .unknown: pow(light, 1 / 2.4)
      }
    return min(value, 1)
  }

  /// The luminance of light in BT.2020's primaries.
  static func luminance(_ light: SIMD3<Double>) -> Double { (SIMD3(0.2627, 0.6780, 0.0593) * light).sum() }

  /// The factor of BT.2100's OOTF for the nominal display, whose system gamma is 1.2. Each component of a scene's light of this
  /// luminance is multiplied by it.
  static func displayGain(sceneLuminance luminance: Double) -> Double { peak / white * pow(luminance, 0.2) }

  /// The inverse factor, for the display's light of this luminance.
  static func sceneGain(displayLuminance luminance: Double) -> Double {
    luminance > 0 ? white / peak * pow(luminance * white / peak, 1 / 1.2 - 1) : 0
  }

  // The constants of SMPTE ST 2084.
  private static let (m1, m2) = (2610.0 / 16384, 2523.0 / 4096 * 128)
  private static let (c1, c2, c3) = (3424.0 / 4096, 2413.0 / 4096 * 32, 2392.0 / 4096 * 32)

  /// The luminance of a PQ value, in cd/m2, by the EOTF of ST 2084.
  static func luminance(pq value: Double) -> Double {
    let power = pow(value, 1 / m2)
    return 10_000 * pow(max(power - c1, 0) / (c2 - c3 * power), 1 / m1)
  }

  static func pq(luminance: Double) -> Double {
    let power = pow(luminance / 10_000, m1)
    return pow((c1 + c2 * power) / (1 + c3 * power), m2)
  }
}
