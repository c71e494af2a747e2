/// Filters that make pixels of those around them.
extension FilterDefinition {
  static let blurs: [FilterDefinition] = [
    FilterDefinition("CIGaussianBlur", kCICategoryBlur, [kCIInputImageKey: nil, kCIInputRadiusKey: 10.0]) { inputs in
      // The radius is the standard deviation. Beyond three of them nothing is seen.
      let deviation = inputs.number(kCIInputRadiusKey)
      return inputs.image().map { separable($0, gaussian(deviation)) }
    },
    FilterDefinition("CIBoxBlur", kCICategoryBlur, [kCIInputImageKey: nil, kCIInputRadiusKey: 10.0]) { inputs in
      let reach = max(0, Int(inputs.number(kCIInputRadiusKey).rounded()))
      return inputs.image().map { separable($0, [Float](repeating: 1 / Float(2 * reach + 1), count: 2 * reach + 1)) }
    },
    FilterDefinition("CIDiscBlur", kCICategoryBlur, [kCIInputImageKey: nil, kCIInputRadiusKey: 8.0]) { inputs in
      let radius = inputs.number(kCIInputRadiusKey)
      let reach = max(0, Int(radius.rounded(.down)))
      var taps: [(Int, Int, Float)] = []
      for y in -reach...reach { for x in -reach...reach where Float(x * x + y * y) <= radius * radius { taps.append((x, y, 1)) } }
      return inputs.image().map { convolved($0, taps.map { ($0.0, $0.1, 1 / Float(taps.count)) }, grows: true) }
    },
    // The difference from a blurred copy is added, times the intensity.
    FilterDefinition(
      "CIUnsharpMask", kCICategorySharpen, [kCIInputImageKey: nil, kCIInputRadiusKey: 2.5, kCIInputIntensityKey: 0.5]
    ) { inputs in
      guard let image = inputs.image() else { return nil }
      let share = inputs.number(kCIInputIntensityKey)
      let soft = separable(image.clampedToExtent(), gaussian(inputs.number(kCIInputRadiusKey)))
      return CIImage(image.extent) { area, rendering in
        rendering.pixels(of: image, area).joined(rendering.pixels(of: soft, area)) { ($0 + ($0 - $1) * share).withAlpha($0[3]) }
      }
    },
    morphology("CIMorphologyMaximum") { pointwiseMax($0, $1) },
    morphology("CIMorphologyMinimum") { pointwiseMin($0, $1) },
    convolution("CIConvolution3X3", 3),
    convolution("CIConvolution5X5", 5),
    convolution("CIConvolution7X7", 7),
  ]

  /// The weights of a Gaussian within three standard deviations, whose sum is 1.
  static func gaussian(_ deviation: Float) -> [Float] {
    guard deviation > 0 else { return [1] }
    let reach = Int((3 * deviation).rounded(.up))
    let weights = (-reach...reach).map { exp(-Float($0 * $0) / (2 * deviation * deviation)) }
    let sum = weights.reduce(0, +)
    return weights.map { $0 / sum }
  }

  /// Weighs the pixels around each one, first along rows and then along columns. The picture grows by the weights' reach.
  static func separable(_ image: CIImage, _ weights: [Float]) -> CIImage {
    let reach = weights.count / 2
    guard reach > 0 else { return image }
    let extent = image.extent.isInfinite ? image.extent : image.extent.insetBy(dx: -CGFloat(reach), dy: -CGFloat(reach))
    return CIImage(extent) { area, rendering in
      let source = rendering.pixels(of: image, area.grown(by: reach))
      var wide = Pixels(clear: Area(x: area.x, y: source.area.y, width: area.width, height: source.area.height))
      for row in 0..<source.area.height {
        let start = row * source.area.width
        for column in 0..<area.width {
          var sum = Pixel.zero
          for tap in weights.indices { sum += source.values[start + column + tap] * weights[tap] }
          wide.values[row * area.width + column] = sum
        }
      }
      var made = Pixels(clear: area)
      for row in 0..<area.height {
        for column in 0..<area.width {
          var sum = Pixel.zero
          for tap in weights.indices { sum += wide.values[(row + tap) * area.width + column] * weights[tap] }
          made.values[row * area.width + column] = sum
        }
      }
      return made
    }
  }

  /// Weighs the pixels at some distances.
  private static func convolved(_ image: CIImage, _ taps: [(Int, Int, Float)], bias: Float = 0, grows: Bool) -> CIImage {
    let reach = taps.map { max(abs($0.0), abs($0.1)) }.max() ?? 0
    let extent = grows && !image.extent.isInfinite ? image.extent.insetBy(dx: -CGFloat(reach), dy: -CGFloat(reach)) : image.extent
    return CIImage(extent) { area, rendering in
      let source = rendering.pixels(of: image, area.grown(by: reach))
      var made = Pixels(clear: area)
      for row in 0..<area.height {
        for column in 0..<area.width {
          var sum = Pixel(repeating: bias)
          for (x, y, weight) in taps {
            sum += source.values[(row + reach + y) * source.area.width + column + reach + x] * weight
          }
          made.values[row * area.width + column] = sum
        }
      }
      return made
    }
  }

  private static func morphology(_ name: String, _ rule: @escaping (Pixel, Pixel) -> Pixel) -> FilterDefinition {
    FilterDefinition(name, kCICategoryBlur, [kCIInputImageKey: nil, kCIInputRadiusKey: 0.0]) { inputs in
      guard let image = inputs.image() else { return nil }
      let radius = inputs.number(kCIInputRadiusKey)
      let reach = max(0, Int(radius.rounded(.down)))
      return CIImage(image.extent) { area, rendering in
        let source = rendering.pixels(of: image, area.grown(by: reach))
        return Pixels(clear: area).mappedByPlace { x, y, _ in
          let (column, row) = (Int(x.rounded(.down)), Int(y.rounded(.down)))
          var made = source[column, row]
          for dy in -reach...reach {
            for dx in -reach...reach where Float(dx * dx + dy * dy) <= radius * radius {
              made = rule(made, source[column + dx, row + dy])
            }
          }
          return made
        }
      }
    }
  }

  private static func convolution(_ name: String, _ side: Int) -> FilterDefinition {
    let still = (0..<side * side).map { $0 == side * side / 2 ? CGFloat(1) : 0 }
    return FilterDefinition(
      name, kCICategoryStylize, [kCIInputImageKey: nil, kCIInputWeightsKey: CIVector(still), kCIInputBiasKey: 0.0]
    ) { inputs in
      let weights = inputs.vector(kCIInputWeightsKey)
      // The first weight is that of the pixel at the bottom left.
      let taps = (0..<side * side).map { ($0 % side - side / 2, $0 / side - side / 2, Float(weights.value(at: $0))) }
      return inputs.image().map { convolved($0, taps, bias: inputs.number(kCIInputBiasKey), grows: false) }
    }
  }
}
