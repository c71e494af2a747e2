/// Filters of single colours. They see colours without alpha multiplied in, in the working space, unless it is said.
extension FilterDefinition {
  /// Makes a filter of one picture that maps each colour.
  private static func map(
    _ name: String, _ inputs: [String: Any?] = [:], category: String = kCICategoryColorAdjustment,
    _ rule: @escaping (FilterInputs) -> (Pixel) -> Pixel
  ) -> FilterDefinition {
    FilterDefinition(name, category, inputs.merging([kCIInputImageKey: nil]) { one, _ in one }) { inputs in
      guard let image = inputs.image() else { return nil }
      let body = rule(inputs)
      return CIImage(image.extent) { area, rendering in
        rendering.pixels(of: image, area).mapped { $0[3] > 0 ? body($0.straight).premultiplied : $0 }
      }
    }
  }

  /// A picture with a colour that is given in sRGB.
  private static func tint(
    _ name: String, _ inputs: [String: Any?], category: String = kCICategoryColorEffect,
    _ rule: @escaping (FilterInputs, [Pixel]) -> (Pixel) -> Pixel, colors: [String]
  ) -> FilterDefinition {
    FilterDefinition(name, category, inputs.merging([kCIInputImageKey: nil]) { one, _ in one }) { inputs in
      guard let image = inputs.image() else { return nil }
      return CIImage(image.extent) { area, rendering in
        let body = rule(inputs, colors.map { rendering.color(inputs.color($0)).straight })
        return rendering.pixels(of: image, area).mapped { $0[3] > 0 ? body($0.straight).premultiplied : $0 }
      }
    }
  }

  @inline(__always) static func mix(_ a: Pixel, _ b: Pixel, _ share: Float) -> Pixel { a + (b - a) * share }

  static let color: [FilterDefinition] = [
    // Saturation mixes with luminance, contrast spreads around 0.5, and brightness is added.
    map("CIColorControls", ["inputSaturation": 1.0, "inputBrightness": 0.0, "inputContrast": 1.0]) { inputs in
      let (s, b, c) = (inputs.number("inputSaturation"), inputs.number("inputBrightness"), inputs.number("inputContrast"))
      return { pixel in
        let gray = Pixel(repeating: pixel.luminance)
        return ((mix(gray, pixel, s) - 0.5) * c + 0.5 + b).withAlpha(pixel[3])
      }
    },
    // The result is the dot products of the colour with the vectors, and the bias.
    map(
      "CIColorMatrix",
      [
        "inputRVector": CIVector(x: 1, y: 0, z: 0, w: 0), "inputGVector": CIVector(x: 0, y: 1, z: 0, w: 0),
        "inputBVector": CIVector(x: 0, y: 0, z: 1, w: 0), "inputAVector": CIVector(x: 0, y: 0, z: 0, w: 1),
        "inputBiasVector": CIVector(x: 0, y: 0, z: 0, w: 0),
      ]
    ) { inputs in
      let rows = ["inputRVector", "inputGVector", "inputBVector", "inputAVector"].map(inputs.pixel)
      let bias = inputs.pixel("inputBiasVector")
      return { pixel in
        Pixel((pixel * rows[0]).sum(), (pixel * rows[1]).sum(), (pixel * rows[2]).sum(), (pixel * rows[3]).sum()) + bias
      }
    },
    map("CIColorInvert", category: kCICategoryColorEffect) { _ in { (1 - $0).withAlpha($0[3]) } },
    map(
      "CIColorClamp",
      ["inputMinComponents": CIVector(x: 0, y: 0, z: 0, w: 0), "inputMaxComponents": CIVector(x: 1, y: 1, z: 1, w: 1)]
    ) { inputs in
      let (low, high) = (inputs.pixel("inputMinComponents"), inputs.pixel("inputMaxComponents"))
      return { $0.clamped(lowerBound: low, upperBound: pointwiseMax(low, high)) }
    },
    map(
      "CIColorPolynomial",
      Dictionary(
        uniqueKeysWithValues: ["Red", "Green", "Blue", "Alpha"].map {
          ("input\($0)Coefficients", CIVector(x: 0, y: 1, z: 0, w: 0) as Any?)
        })
    ) { inputs in
      let rows = ["Red", "Green", "Blue", "Alpha"].map { inputs.pixel("input\($0)Coefficients") }
      return { pixel in
        var made = pixel
        for part in 0..<4 {
          let (c, x) = (rows[part], pixel[part])
          made[part] = c[0] + c[1] * x + c[2] * x * x + c[3] * x * x * x
        }
        return made
      }
    },
    // The colour is multiplied by 2 to the power of EV.
    map("CIExposureAdjust", ["inputEV": 0.0]) { inputs in
      let factor = pow(2, inputs.number("inputEV"))
      return { ($0 * factor).withAlpha($0[3]) }
    },
    map("CIGammaAdjust", ["inputPower": 1.0]) { inputs in
      let power = inputs.number("inputPower")
      return { Pixel(pow(max($0[0], 0), power), pow(max($0[1], 0), power), pow(max($0[2], 0), power), $0[3]) }
    },
    // The colour is turned about the axis of grays, by radians.
    map("CIHueAdjust", ["inputAngle": 0.0]) { inputs in
      let angle = inputs.number("inputAngle")
      let (c, s) = (cos(angle), sin(angle))
      let (third, root) = ((1 - c) / 3, s / Float(3).squareRoot())
      return { p in
        let (d, l, r) = (c + third, third - root, third + root)
        return Pixel(
          d * p[0] + l * p[1] + r * p[2], r * p[0] + d * p[1] + l * p[2], l * p[0] + r * p[1] + d * p[2], p[3])
      }
    },
    map("CILinearToSRGBToneCurve") { _ in
      { p in
        func curve(_ x: Float) -> Float { Float(ColorConversion.value(Double(max(x, 0)), .sRGB)) }
        return Pixel(curve(p[0]), curve(p[1]), curve(p[2]), p[3])
      }
    },
    map("CISRGBToneCurveToLinear") { _ in
      { p in
        func curve(_ x: Float) -> Float { Float(ColorConversion.light(Double(max(x, 0)), .sRGB)) }
        return Pixel(curve(p[0]), curve(p[1]), curve(p[2]), p[3])
      }
    },
    map("CIMaximumComponent", category: kCICategoryColorEffect) { _ in
      { Pixel(repeating: max($0[0], $0[1], $0[2])).withAlpha($0[3]) }
    },
    map("CIMinimumComponent", category: kCICategoryColorEffect) { _ in
      { Pixel(repeating: min($0[0], $0[1], $0[2])).withAlpha($0[3]) }
    },
    // Each part is one of as many values as there are levels.
    map("CIColorPosterize", ["inputLevels": 6.0], category: kCICategoryColorEffect) { inputs in
      let levels = max(inputs.number("inputLevels"), 2)
      return { ((($0 * levels).rounded(.down) / (levels - 1)).clamped(lowerBound: .zero, upperBound: .one)).withAlpha($0[3]) }
    },
    map("CIColorThreshold", ["inputThreshold": 0.5], category: kCICategoryColorAdjustment) { inputs in
      let threshold = inputs.number("inputThreshold")
      return { p in
        Pixel(p[0] > threshold ? 1 : 0, p[1] > threshold ? 1 : 0, p[2] > threshold ? 1 : 0, p[3])
      }
    },
    // A gray becomes white with that alpha.
    map("CIMaskToAlpha", category: kCICategoryColorEffect) { _ in { Pixel(1, 1, 1, $0.luminance * $0[3]) } },
  ]

  static let moreColor: [FilterDefinition] = [
    // The colour's luminance in the given colour, mixed by intensity.
    tint(
      "CIColorMonochrome", ["inputColor": CIColor(red: 0.6, green: 0.45, blue: 0.3), "inputIntensity": 1.0],
      { inputs, colors in
        let share = inputs.number("inputIntensity")
        return { mix($0, (colors[0] * $0.luminance).withAlpha($0[3]), share) }
      }, colors: ["inputColor"]),
    tint(
      "CIFalseColor",
      ["inputColor0": CIColor(red: 0.3, green: 0, blue: 0), "inputColor1": CIColor(red: 1, green: 0.9, blue: 0.8)],
      { _, colors in { mix(colors[0], colors[1], $0.luminance).withAlpha($0[3]) } }, colors: ["inputColor0", "inputColor1"]),
    tint(
      "CIWhitePointAdjust", ["inputColor": CIColor.white], category: kCICategoryColorAdjustment,
      { _, colors in { ($0 * colors[0]).withAlpha($0[3]) } }, colors: ["inputColor"]),
    cube("CIColorCube", ["inputCubeDimension": 2.0, "inputCubeData": nil]) { _ in nil },
    cube("CIColorCubeWithColorSpace", ["inputCubeDimension": 2.0, "inputCubeData": nil, "inputColorSpace": nil]) {
      $0.space("inputColorSpace")
    },
  ]

  /// Makes a filter that looks colours up in a cube of 32-bit numbers, red first, with linear steps between.
  private static func cube(
    _ name: String, _ inputs: [String: Any?], _ space: @escaping (FilterInputs) -> CGColorSpace?
  ) -> FilterDefinition {
    FilterDefinition(name, kCICategoryColorEffect, inputs.merging([kCIInputImageKey: nil]) { one, _ in one }) { inputs in
      let size = Int(inputs.number("inputCubeDimension"))
      guard let image = inputs.image(), let data = inputs.data("inputCubeData"), size >= 2, size <= 128,
        data.count >= size * size * size * 16
      else { return nil }
      let table = unsafe data.withUnsafeBytes { bytes in
        (0..<size * size * size).map { unsafe bytes.loadUnaligned(fromByteOffset: $0 * 16, as: Pixel.self) }
      }
      let named = space(inputs)
      return CIImage(image.extent) { area, rendering in
        let (to, back) = (Conversion(from: rendering.working, to: named), Conversion(from: named, to: rendering.working))
        return rendering.pixels(of: image, area).mapped { pixel in
          let color = to.convert(pixel).straight
          let made = look(color, table, size)
          return back.convert((made * color[3]))
        }
      }
    }
  }

  /// The value of a cube at a colour, linear in the three directions.
  private static func look(_ color: Pixel, _ table: [Pixel], _ size: Int) -> Pixel {
    let place = color.clamped(lowerBound: .zero, upperBound: .one) * Float(size - 1)
    let low = (Int(place[0]), Int(place[1]), Int(place[2]))
    let high = (min(low.0 + 1, size - 1), min(low.1 + 1, size - 1), min(low.2 + 1, size - 1))
    let part = place - place.rounded(.down)
    func at(_ r: Int, _ g: Int, _ b: Int) -> Pixel { table[(b * size + g) * size + r] }
    func line(_ g: Int, _ b: Int) -> Pixel { mix(at(low.0, g, b), at(high.0, g, b), part[0]) }
    func plane(_ b: Int) -> Pixel { mix(line(low.1, b), line(high.1, b), part[1]) }
    return mix(plane(low.2), plane(high.2), part[2])
  }
}
