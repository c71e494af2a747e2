import Timeline

#if canImport(Glibc)
  import Glibc
#endif

/// Between a component's R'G'B' value, 0...1, and light whose 1 is the white of graphics: 203 cd/m2 where light is
/// absolute (BT.2408), the display's white elsewhere.
///
/// Display-referred, as zimg has it: BT.601, BT.709 and BT.2020 stand for what BT.1886's display shows of them, a power
/// of 2.4. HLG is the exception: its light is the scene's, 0...1, and an OOTF away from the display's.
struct TransferFunction {
  /// Graphics white in high dynamic range, cd/m2 (BT.2408).
  static let white = 203.0
  /// The peak of HLG's nominal display (BT.2100), and the peak that PQ pictures are taken to be graded for, cd/m2.
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

  /// The inverse; what lies outside 0...1 is cut off.
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

  /// Of light in BT.2020's primaries.
  static func luminance(_ light: SIMD3<Double>) -> Double { (SIMD3(0.2627, 0.6780, 0.0593) * light).sum() }

  /// BT.2100's OOTF for the nominal display, whose system gamma is 1.2: what each component of a scene's light of this
  /// luminance is multiplied with.
  static func displayGain(sceneLuminance luminance: Double) -> Double { peak / white * pow(luminance, 0.2) }

  /// Its inverse, for the display's light of this luminance.
  static func sceneGain(displayLuminance luminance: Double) -> Double {
    luminance > 0 ? white / peak * pow(luminance * white / peak, 1 / 1.2 - 1) : 0
  }

  // SMPTE ST 2084's constants.
  private static let (m1, m2) = (2610.0 / 16384, 2523.0 / 4096 * 128)
  private static let (c1, c2, c3) = (3424.0 / 4096, 2413.0 / 4096 * 32, 2392.0 / 4096 * 32)

  /// ST 2084's EOTF, in cd/m2.
  static func luminance(pq value: Double) -> Double {
    let power = pow(value, 1 / m2)
    return 10_000 * pow(max(power - c1, 0) / (c2 - c3 * power), 1 / m1)
  }

  static func pq(luminance: Double) -> Double {
    let power = pow(luminance / 10_000, m1)
    return pow((c1 + c2 * power) / (1 + c3 * power), m2)
  }
}
