/// Filters of two pictures. Formulas are those of PDF's blend modes (ISO 32000-1, 11.3.5) and of Porter and Duff.
extension FilterDefinition {
  /// Makes a filter that joins the pictures' pixels, with alpha multiplied in.
  private static func composite(_ name: String, _ rule: @escaping (Pixel, Pixel) -> Pixel) -> FilterDefinition {
    FilterDefinition(name, kCICategoryCompositeOperation, [kCIInputImageKey: nil, kCIInputBackgroundImageKey: nil]) { inputs in
      guard let image = inputs.image(), let back = inputs.image(kCIInputBackgroundImageKey) else { return nil }
      return CIImage(image.extent.union(back.extent)) { area, rendering in
        rendering.pixels(of: image, area).joined(rendering.pixels(of: back, area), rule)
      }
    }
  }

  /// Makes a blend mode of colours without alpha: the backdrop's first.
  private static func blend(_ name: String, _ rule: @escaping (Pixel, Pixel) -> Pixel) -> FilterDefinition {
    composite(name) { source, back in
      let made = rule(back.straight, source.straight)
      let alpha = source[3] + back[3] - source[3] * back[3]
      let apart = source * (1 - back[3]) + back * (1 - source[3])
      let common: Pixel = made * (source[3] * back[3])
      return (apart + common).withAlpha(alpha)
    }
  }

  /// Makes a blend mode of each part by itself.
  private static func parts(_ name: String, _ rule: @escaping (Float, Float) -> Float) -> FilterDefinition {
    blend(name) { b, s in Pixel(rule(b[0], s[0]), rule(b[1], s[1]), rule(b[2], s[2]), 0) }
  }

  private static func hardLight(_ b: Float, _ s: Float) -> Float { s <= 0.5 ? 2 * b * s : 1 - 2 * (1 - b) * (1 - s) }
  private static func dodge(_ b: Float, _ s: Float) -> Float { b <= 0 ? 0 : s >= 1 ? 1 : min(1, b / (1 - s)) }
  private static func burn(_ b: Float, _ s: Float) -> Float { b >= 1 ? 1 : s <= 0 ? 0 : 1 - min(1, (1 - b) / s) }
  private static func softLight(_ b: Float, _ s: Float) -> Float {
    if s <= 0.5 { return b - (1 - 2 * s) * b * (1 - b) }
    let d = b <= 0.25 ? ((16 * b - 12) * b + 4) * b : max(b, 0).squareRoot()
    return b + (2 * s - 1) * (d - b)
  }

  static let blends: [FilterDefinition] = [
    composite("CISourceOverCompositing") { $0 + $1 * (1 - $0[3]) },
    composite("CISourceInCompositing") { $0 * $1[3] },
    composite("CISourceOutCompositing") { $0 * (1 - $1[3]) },
    composite("CISourceAtopCompositing") { $0 * $1[3] + $1 * (1 - $0[3]) },
    composite("CIAdditionCompositing") { ($0 + $1).withAlpha(min($0[3] + $1[3], 1)) },
    composite("CIMultiplyCompositing") { $0 * $1 },
    composite("CIMaximumCompositing") { pointwiseMax($0, $1) },
    composite("CIMinimumCompositing") { pointwiseMin($0, $1) },
    parts("CIMultiplyBlendMode") { $0 * $1 },
    parts("CIScreenBlendMode") { $0 + $1 - $0 * $1 },
    parts("CIOverlayBlendMode") { hardLight($1, $0) },
    parts("CIDarkenBlendMode") { min($0, $1) },
    parts("CILightenBlendMode") { max($0, $1) },
    parts("CIColorDodgeBlendMode", dodge),
    parts("CIColorBurnBlendMode", burn),
    parts("CIHardLightBlendMode", hardLight),
    parts("CISoftLightBlendMode", softLight),
    parts("CIDifferenceBlendMode") { abs($0 - $1) },
    parts("CIExclusionBlendMode") { $0 + $1 - 2 * $0 * $1 },
    parts("CISubtractBlendMode") { $0 - $1 },
    parts("CIDivideBlendMode") { $1 == 0 ? 1 : $0 / $1 },
    parts("CILinearDodgeBlendMode") { min($0 + $1, 1) },
    parts("CILinearBurnBlendMode") { max($0 + $1 - 1, 0) },
    parts("CILinearLightBlendMode") { min(max($0 + 2 * $1 - 1, 0), 1) },
    parts("CIPinLightBlendMode") { $1 < 0.5 ? min($0, 2 * $1) : max($0, 2 * $1 - 1) },
    parts("CIVividLightBlendMode") { $1 < 0.5 ? burn($0, 2 * $1) : dodge($0, 2 * $1 - 1) },
    blend("CIHueBlendMode") { b, s in luminous(saturated(s, saturation(b)), weight(b)) },
    blend("CISaturationBlendMode") { b, s in luminous(saturated(b, saturation(s)), weight(b)) },
    blend("CIColorBlendMode") { b, s in luminous(s, weight(b)) },
    blend("CILuminosityBlendMode") { b, s in luminous(b, weight(s)) },
    masked("CIBlendWithMask") { $0.luminance },
    masked("CIBlendWithAlphaMask") { $0[3] },
    masked("CIBlendWithRedMask") { $0[0] },
    masked("CIBlendWithBlueMask") { $0[2] },
    FilterDefinition(
      "CIMix", kCICategoryCompositeOperation,
      [kCIInputImageKey: nil, kCIInputBackgroundImageKey: nil, "inputAmount": 1.0]
    ) { inputs in
      guard let image = inputs.image(), let back = inputs.image(kCIInputBackgroundImageKey) else { return nil }
      let share = inputs.number("inputAmount")
      return CIImage(image.extent.union(back.extent)) { area, rendering in
        rendering.pixels(of: image, area).joined(rendering.pixels(of: back, area)) { mix($1, $0, share) }
      }
    },
  ]

  /// Makes a filter that mixes a picture and a background by a mask.
  private static func masked(_ name: String, _ share: @escaping (Pixel) -> Float) -> FilterDefinition {
    FilterDefinition(
      name, kCICategoryStylize, [kCIInputImageKey: nil, kCIInputBackgroundImageKey: nil, kCIInputMaskImageKey: nil]
    ) { inputs in
      guard let image = inputs.image(), let mask = inputs.image(kCIInputMaskImageKey) else { return nil }
      let back = inputs.image(kCIInputBackgroundImageKey) ?? .empty()
      return CIImage(image.extent.union(back.extent)) { area, rendering in
        let (one, other) = (rendering.pixels(of: image, area), rendering.pixels(of: back, area))
        var made = one
        let shares = rendering.pixels(of: mask, area)
        for index in made.values.indices {
          let part = min(max(share(shares.values[index]), 0), 1)
          made.values[index] = mix(other.values[index], one.values[index], part)
        }
        return made
      }
    }
  }

  // The three parts as hue, saturation and luminosity (ISO 32000-1, 11.3.5.3).
  private static func weight(_ c: Pixel) -> Float { 0.3 * c[0] + 0.59 * c[1] + 0.11 * c[2] }
  private static func saturation(_ c: Pixel) -> Float { max(c[0], c[1], c[2]) - min(c[0], c[1], c[2]) }

  private static func saturated(_ c: Pixel, _ wanted: Float) -> Pixel {
    let (low, range) = (min(c[0], c[1], c[2]), saturation(c))
    return range > 0 ? (c - low) * (wanted / range) : .zero
  }

  private static func luminous(_ c: Pixel, _ wanted: Float) -> Pixel {
    var made = c + (wanted - weight(c))
    let (l, n, x) = (weight(made), min(made[0], made[1], made[2]), max(made[0], made[1], made[2]))
    if n < 0, l > n { made = l + (made - l) * (l / (l - n)) }
    if x > 1, x > l { made = l + (made - l) * ((1 - l) / (x - l)) }
    return made
  }
}
