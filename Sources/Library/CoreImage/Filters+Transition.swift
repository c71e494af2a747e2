/// Transitions between two pictures. Their time goes from 0 to 1.
extension FilterDefinition {
  static let transitions: [FilterDefinition] = [
    // The two pictures are mixed by time: (1 - t) of the first, and t of the second one.
    FilterDefinition(
      "CIDissolveTransition", kCICategoryTransition,
      [kCIInputImageKey: nil, kCIInputTargetImageKey: nil, kCIInputTimeKey: 0.0]
    ) { inputs in
      guard let image = inputs.image(), let target = inputs.image(kCIInputTargetImageKey) else { return nil }
      let time = min(max(inputs.number(kCIInputTimeKey), 0), 1)
      return CIImage(image.extent.union(target.extent)) { area, rendering in
        rendering.pixels(of: image, area).joined(rendering.pixels(of: target, area)) { mix($0, $1, time) }
      }
    }
  ]
}
