/// Filters of coarse pixels and means.
extension FilterDefinition {
  static let stylize: [FilterDefinition] = [
    // Squares of the colour in their middle.
    FilterDefinition(
      "CIPixellate", kCICategoryStylize,
      [kCIInputImageKey: nil, kCIInputCenterKey: CIVector(x: 150, y: 150), kCIInputScaleKey: 8.0]
    ) { inputs in
      guard let image = inputs.image() else { return nil }
      let (center, side) = (inputs.vector(kCIInputCenterKey), max(inputs.number(kCIInputScaleKey), 1))
      let (cx, cy) = (Float(center.x), Float(center.y))
      return CIImage(image.extent) { area, rendering in
        let source = rendering.pixels(of: image, area.grown(by: Int(side.rounded(.up)) + 1))
        return Pixels(clear: area).mappedByPlace { x, y, _ in
          let (u, v) = (((x - cx) / side).rounded(.down) + 0.5, ((y - cy) / side).rounded(.down) + 0.5)
          return source[Int((cx + u * side).rounded(.down)), Int((cy + v * side).rounded(.down))]
        }
      }
    },
    reduction("CIAreaAverage") { values in values.reduce(Pixel.zero, +) / Float(max(values.count, 1)) },
    reduction("CIAreaMaximum") { values in values.dropFirst().reduce(values.first ?? .zero) { pointwiseMax($0, $1) } },
    reduction("CIAreaMinimum") { values in values.dropFirst().reduce(values.first ?? .zero) { pointwiseMin($0, $1) } },
  ]

  /// Makes a filter of one pixel that is made of all in a rectangle.
  private static func reduction(_ name: String, _ rule: @escaping ([Pixel]) -> Pixel) -> FilterDefinition {
    FilterDefinition(name, kCICategoryReduction, [kCIInputImageKey: nil, kCIInputExtentKey: CIVector([0, 0, 640, 80])]) {
      inputs in
      guard let image = inputs.image(), let area = Area(inputs.vector(kCIInputExtentKey).cgRectValue) else { return nil }
      return CIImage(CGRect(x: 0, y: 0, width: 1, height: 1)) { target, rendering in
        let value = rule(rendering.pixels(of: image, area).values)
        return Pixels(target, [Pixel](repeating: value, count: target.width * target.height))
      }
    }
  }
}
