internal import CoreText

/// Filters that make pictures of nothing.
extension FilterDefinition {
  /// Makes a picture without bounds of a rule for places, with colours in sRGB.
  private static func generator(
    _ name: String, category: String = kCICategoryGenerator, _ inputs: [String: Any?], colors: [String],
    _ rule: @escaping (FilterInputs, [Pixel]) -> (Float, Float) -> Pixel
  ) -> FilterDefinition {
    FilterDefinition(name, category, inputs) { inputs in
      CIImage(.infinite) { area, rendering in
        let body = rule(inputs, colors.map { rendering.color(inputs.color($0)) })
        return Pixels(clear: area).mappedByPlace { x, y, _ in body(x, y) }
      }
    }
  }

  /// The share of a place along a line: 0 at its start, and 1 at its end.
  private static func along(_ inputs: FilterInputs) -> (Float, Float) -> Float {
    let (a, b) = (inputs.vector("inputPoint0"), inputs.vector("inputPoint1"))
    let (dx, dy) = (Float(b.x - a.x), Float(b.y - a.y))
    let length = max(dx * dx + dy * dy, .leastNormalMagnitude)
    let (x0, y0) = (Float(a.x), Float(a.y))
    return { x, y in min(max(((x - x0) * dx + (y - y0) * dy) / length, 0), 1) }
  }

  /// Stops the program where edges are asked to be soft: how Core Image softens them is not public.
  private static func requireSharp(_ inputs: FilterInputs) {
    precondition(
      inputs.number(kCIInputSharpnessKey) == 1, "\(inputs.definition.name): \(kCIInputSharpnessKey) other than 1 is not made")
  }

  private static func distance(_ inputs: FilterInputs) -> (Float, Float) -> Float {
    let center = inputs.vector(kCIInputCenterKey)
    let (cx, cy) = (Float(center.x), Float(center.y))
    return { x, y in ((x - cx) * (x - cx) + (y - cy) * (y - cy)).squareRoot() }
  }

  private static var line: [String: Any?] {
    [
      "inputPoint0": CIVector(x: 0, y: 0), "inputPoint1": CIVector(x: 200, y: 200), "inputColor0": CIColor.white,
      "inputColor1": CIColor.black,
    ]
  }

  static let generators: [FilterDefinition] = [
    FilterDefinition("CIConstantColorGenerator", kCICategoryGenerator, [kCIInputColorKey: CIColor.red]) {
      CIImage(color: $0.color(kCIInputColorKey))
    },
    generator(
      "CICheckerboardGenerator",
      [
        kCIInputCenterKey: CIVector(x: 150, y: 150), "inputColor0": CIColor.white, "inputColor1": CIColor.black,
        kCIInputWidthKey: 80.0, kCIInputSharpnessKey: 1.0,
      ], colors: ["inputColor0", "inputColor1"]
    ) { inputs, colors in
      let (center, width) = (inputs.vector(kCIInputCenterKey), max(inputs.number(kCIInputWidthKey), 0.001))
      requireSharp(inputs)
      return { x, y in
        let column = Int(((x - Float(center.x)) / width).rounded(.down))
        let row = Int(((y - Float(center.y)) / width).rounded(.down))
        return (column + row) & 1 == 0 ? colors[0] : colors[1]
      }
    },
    generator(
      "CIStripesGenerator",
      [
        kCIInputCenterKey: CIVector(x: 150, y: 150), "inputColor0": CIColor.white, "inputColor1": CIColor.black,
        kCIInputWidthKey: 80.0, kCIInputSharpnessKey: 1.0,
      ], colors: ["inputColor0", "inputColor1"]
    ) { inputs, colors in
      let (center, width) = (inputs.vector(kCIInputCenterKey), max(inputs.number(kCIInputWidthKey), 0.001))
      requireSharp(inputs)
      return { x, _ in Int(((x - Float(center.x)) / width).rounded(.down)) & 1 == 0 ? colors[0] : colors[1] }
    },
    generator("CILinearGradient", category: kCICategoryGradient, line, colors: ["inputColor0", "inputColor1"]) { inputs, colors in
      let share = along(inputs)
      return { x, y in mix(colors[0], colors[1], share(x, y)) }
    },
    generator(
      "CIRadialGradient", category: kCICategoryGradient,
      [
        kCIInputCenterKey: CIVector(x: 150, y: 150), "inputRadius0": 5.0, "inputRadius1": 100.0, "inputColor0": CIColor.white,
        "inputColor1": CIColor.black,
      ], colors: ["inputColor0", "inputColor1"]
    ) { inputs, colors in
      let (inner, outer, far) = (inputs.number("inputRadius0"), inputs.number("inputRadius1"), distance(inputs))
      let width = max(outer - inner, .leastNormalMagnitude)
      return { x, y in mix(colors[0], colors[1], min(max((far(x, y) - inner) / width, 0), 1)) }
    },
    // Each pixel is of a colour that its place decides, the same on every machine.
    generator("CIRandomGenerator", [:], colors: []) { _, _ in
      { x, y in
        var state = UInt64(bitPattern: Int64(x.rounded(.down))) &* 0x9E37_79B9_7F4A_7C15
        state ^= UInt64(bitPattern: Int64(y.rounded(.down))) &* 0xC2B2_AE3D_27D4_EB4F
        state = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
        state = (state ^ (state >> 27)) &* 0x94D0_49BB_1331_11EB
        state ^= state >> 31
        func part(_ shift: UInt64) -> Float { Float((state >> shift) & 0xFFFF) / 65_535 }
        return Pixel(part(0), part(16), part(32), part(48)).premultiplied
      }
    },
    FilterDefinition(
      "CIRoundedRectangleGenerator", kCICategoryGenerator,
      [kCIInputExtentKey: CIVector([0, 0, 100, 100]), kCIInputRadiusKey: 10.0, kCIInputColorKey: CIColor.white]
    ) { inputs in
      let (box, radius) = (inputs.vector(kCIInputExtentKey).cgRectValue, inputs.number(kCIInputRadiusKey))
      let color = inputs.color(kCIInputColorKey)
      return CIImage(box) { area, rendering in
        let fill = rendering.color(color)
        return Pixels(clear: area).mappedByPlace { x, y, _ in
          // The distance to the rounded edge, below 0 within.
          let (dx, dy) = (
            abs(x - Float(box.midX)) - Float(box.width) / 2 + radius, abs(y - Float(box.midY)) - Float(box.height) / 2 + radius
          )
          let outside = (max(dx, 0) * max(dx, 0) + max(dy, 0) * max(dy, 0)).squareRoot()
          let far = outside + min(max(dx, dy), 0) - radius
          return fill * min(max(0.5 - far, 0), 1)
        }
      }
    },
    FilterDefinition(
      "CITextImageGenerator", kCICategoryGenerator,
      ["inputText": "", "inputFontName": "HelveticaNeue", "inputFontSize": 12.0, "inputScaleFactor": 1.0, "inputPadding": 0.0]
    ) { inputs in
      let size = CGFloat(inputs.number("inputFontSize"))
      let name = inputs.text("inputFontName") as? String ?? ""
      let font = FontChoice(named: name, size: size) ?? FontChoice(family: FontChoice.system, size: size)
      let text = NSAttributedString(string: inputs.text("inputText") as? String ?? "")
      return picture(
        of: text, font, color: .white, CGFloat(inputs.number("inputScaleFactor")), CGFloat(inputs.number("inputPadding")))
    },
    FilterDefinition(
      "CIAttributedTextImageGenerator", kCICategoryGenerator, ["inputText": nil, "inputScaleFactor": 1.0, "inputPadding": 0.0]
    ) { inputs in
      guard let text = inputs.text("inputText") as? NSAttributedString else { return nil }
      let font = FontChoice(family: FontChoice.system, size: 12)
      return picture(
        of: text, font, color: .black, CGFloat(inputs.number("inputScaleFactor")), CGFloat(inputs.number("inputPadding")))
    },
  ]

  /// A text on a clear ground; nil for one without letters.
  private static func picture(
    of string: NSAttributedString, _ font: FontChoice, color: CGColor, _ scale: CGFloat, _ padding: CGFloat
  ) -> CIImage? {
    let text = AttributedText(string, font: font, color: color)
    let setting = TextSetting(text.runs, text.flow)
    let size = setting.size
    guard scale > 0,
      let context = unsafe CGContext(
        data: nil, width: Int(((size.width + 2 * padding) * scale).rounded(.up)),
        height: Int(((size.height + 2 * padding) * scale).rounded(.up)), bitsPerComponent: 8, bytesPerRow: 0,
        space: CGColorSpaceCreateDeviceRGB(), bitmapInfo: CGImageAlphaInfo.premultipliedFirst.rawValue)
    else { return nil }
    context.scaleBy(x: scale, y: scale)
    setting.draw(in: context, at: CGPoint(x: padding, y: CGFloat(context.height) / scale - padding), isFlipped: false)
    return context.makeImage().map { CIImage(cgImage: $0) }
  }
}
