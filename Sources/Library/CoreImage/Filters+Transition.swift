/// Transitions between two pictures. Their time goes from 0 to 1.
extension FilterDefinition {
  /// Makes a transition whose rule gives, for a place, the share of the target, and optionally a colour over it.
  private static func transition(
    _ name: String, _ inputs: [String: Any?] = [:],
    _ rule: @escaping (FilterInputs, CIImage, Rendering) -> (Float, Float) -> (share: Float, over: Pixel)
  ) -> FilterDefinition {
    let common: [String: Any?] = [kCIInputImageKey: nil, kCIInputTargetImageKey: nil, kCIInputTimeKey: 0.0]
    return FilterDefinition(name, kCICategoryTransition, common.merging(inputs) { _, own in own }) { inputs in
      guard let image = inputs.image(), let target = inputs.image(kCIInputTargetImageKey) else { return nil }
      return CIImage(image.extent.union(target.extent)) { area, rendering in
        let body = rule(inputs, image, rendering)
        var made = rendering.pixels(of: image, area)
        let other = rendering.pixels(of: target, area)
        for row in 0..<area.height {
          for column in 0..<area.width {
            let index = row * area.width + column
            let (share, over) = body(Float(area.x + column) + 0.5, Float(area.y + row) + 0.5)
            made.values[index] = over + mix(made.values[index], other.values[index], share) * (1 - over[3])
          }
        }
        return made
      }
    }
  }

  /// The rectangle of a transition: an input's, or the picture's.
  private static func field(_ inputs: FilterInputs, _ image: CIImage) -> CGRect {
    let vector = inputs.vector(kCIInputExtentKey)
    return vector.count == 4 ? vector.cgRectValue : image.extent
  }

  /// The distances of a rectangle's corners along a direction: the least and the greatest.
  private static func span(_ rect: CGRect, _ c: Float, _ s: Float) -> (low: Float, high: Float) {
    let places = [(rect.minX, rect.minY), (rect.maxX, rect.minY), (rect.minX, rect.maxY), (rect.maxX, rect.maxY)].map {
      Float($0.0) * c + Float($0.1) * s
    }
    return (places.min() ?? 0, places.max() ?? 0)
  }

  private static func smooth(_ value: Float) -> Float {
    let t = min(max(value, 0), 1)
    return t * t * (3 - 2 * t)
  }

  static let transitions: [FilterDefinition] = [
    // The two pictures are mixed by time: (1 - t) of the first, and t of the second one.
    transition("CIDissolveTransition") { inputs, _, _ in
      let time = min(max(inputs.number(kCIInputTimeKey), 0), 1)
      return { _, _ in (time, .zero) }
    },
    // A bar of a colour sweeps over the picture in a direction, with the target behind it.
    transition(
      "CISwipeTransition",
      [
        kCIInputExtentKey: nil, kCIInputColorKey: CIColor.white, kCIInputAngleKey: 0.0, kCIInputWidthKey: 300.0,
        "inputOpacity": 0.0,
      ]
    ) { inputs, image, rendering in
      let angle = inputs.number(kCIInputAngleKey)
      let (c, s, width) = (cos(angle), sin(angle), max(inputs.number(kCIInputWidthKey), 0.001))
      let (low, high) = span(field(inputs, image), c, s)
      let front = low + (high - low + width) * min(max(inputs.number(kCIInputTimeKey), 0), 1)
      let bar = rendering.color(inputs.color(kCIInputColorKey)) * inputs.number("inputOpacity")
      return { x, y in
        let behind = (front - (x * c + y * s)) / width
        let share = smooth(behind)
        return (share, bar * (4 * share * (1 - share)))
      }
    },
    // Bars of a width swipe one after the other, by up to the offset.
    transition(
      "CIBarsSwipeTransition", [kCIInputAngleKey: Float.pi, kCIInputWidthKey: 30.0, "inputBarOffset": 10.0]
    ) { inputs, image, _ in
      let angle = inputs.number(kCIInputAngleKey)
      let (c, s, width) = (cos(angle), sin(angle), max(inputs.number(kCIInputWidthKey), 1))
      let offset = inputs.number("inputBarOffset")
      let (low, high) = span(image.extent, c, s)
      // The distance that each bar waits is one of 16 steps, in an order that looks irregular.
      let steps: [Float] = [0, 9, 4, 13, 2, 11, 6, 15, 1, 8, 5, 12, 3, 10, 7, 14]
      let reach = offset * 15
      let front = low + (high - low + reach) * min(max(inputs.number(kCIInputTimeKey), 0), 1)
      return { x, y in
        let bar = Int((((-x * s + y * c) / width).rounded(.down)))
        let wait = steps[((bar % 16) + 16) % 16] * offset
        return (x * c + y * s + wait < front ? 1 : 0, .zero)
      }
    },
    // A bar of a colour passes like the light of a copier, with the target behind it.
    transition(
      "CICopyMachineTransition",
      [
        kCIInputExtentKey: nil, kCIInputColorKey: CIColor(red: 0.6, green: 1, blue: 0.8), kCIInputAngleKey: 0.0,
        kCIInputWidthKey: 200.0, "inputOpacity": 1.3,
      ]
    ) { inputs, image, rendering in
      let angle = inputs.number(kCIInputAngleKey)
      let (c, s, width) = (cos(angle), sin(angle), max(inputs.number(kCIInputWidthKey), 0.001))
      let (low, high) = span(field(inputs, image), c, s)
      let front = low - width / 2 + (high - low + width) * min(max(inputs.number(kCIInputTimeKey), 0), 1)
      let (light, opacity) = (rendering.color(inputs.color(kCIInputColorKey)), inputs.number("inputOpacity"))
      return { x, y in
        let place = (x * c + y * s - front) / (width / 2)
        let glow = min(max(1 - abs(place), 0) * opacity, 1)
        return (place < 0 ? 1 : 0, light * glow)
      }
    },
    // The target shows through holes that grow in a hexagonal grid around a centre.
    transition(
      "CIModTransition",
      [
        kCIInputCenterKey: CIVector(x: 150, y: 150), kCIInputAngleKey: 2.0, kCIInputRadiusKey: 150.0, "inputCompression": 300.0,
      ]
    ) { inputs, _, _ in
      let (center, angle) = (inputs.vector(kCIInputCenterKey), inputs.number(kCIInputAngleKey))
      let (c, s, cell) = (cos(angle), sin(angle), max(inputs.number(kCIInputRadiusKey), 1))
      let time = min(max(inputs.number(kCIInputTimeKey), 0), 1)
      let height = cell * Float(3).squareRoot()
      return { x, y in
        let (dx, dy) = (x - Float(center.x), y - Float(center.y))
        let (u, v) = (dx * c + dy * s, -dx * s + dy * c)
        func gap(_ a: Float, _ b: Float) -> Float {
          let (m, n) = (a - (a / cell).rounded() * cell, b - (b / height).rounded() * height)
          return (m * m + n * n).squareRoot()
        }
        let distance = min(gap(u, v), gap(u - cell / 2, v - height / 2))
        // No place is further than cell / √3 from the middle of a hole.
        return (smooth((time * (cell / Float(3).squareRoot() + 2) - distance) / 2), .zero)
      }
    },
    // Each place changes when the time passes its mask's value, softly by the density.
    FilterDefinition(
      "CIDisintegrateWithMaskTransition", kCICategoryTransition,
      [
        kCIInputImageKey: nil, kCIInputTargetImageKey: nil, kCIInputMaskImageKey: nil, kCIInputTimeKey: 0.0,
        "inputShadowRadius": 8.0, "inputShadowDensity": 0.65, "inputShadowOffset": CIVector(x: 0, y: -10),
      ]
    ) { inputs in
      guard let image = inputs.image(), let target = inputs.image(kCIInputTargetImageKey),
        let mask = inputs.image(kCIInputMaskImageKey)
      else { return nil }
      let time = min(max(inputs.number(kCIInputTimeKey), 0), 1)
      let dark = inputs.number("inputShadowDensity")
      let offset = inputs.vector("inputShadowOffset").cgPointValue
      // What has not changed yet lies above the target, and throws its shadow there.
      let cover = CIImage(.infinite) { area, rendering in
        rendering.pixels(of: mask, area).mapped { Pixel(0, 0, 0, $0.luminance >= time ? 1 : 0) }
      }
      let soft = separable(cover, gaussian(inputs.number("inputShadowRadius") / 2))
        .transformed(by: CGAffineTransform(translationX: offset.x.rounded(), y: offset.y.rounded()))
      return CIImage(image.extent.union(target.extent)) { area, rendering in
        let (one, other) = (rendering.pixels(of: image, area), rendering.pixels(of: target, area))
        let (covered, shade) = (rendering.pixels(of: cover, area), rendering.pixels(of: soft, area))
        var made = one
        let fade = time >= 1 ? 0 : dark
        for index in made.values.indices where covered.values[index][3] < 1 || time >= 1 {
          let lower = other.values[index]
          made.values[index] = (lower * (1 - shade.values[index][3] * fade)).withAlpha(lower[3])
        }
        return made
      }
    },
  ]
}
