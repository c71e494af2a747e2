/// Filters that move pixels.
extension FilterDefinition {
  static let geometry: [FilterDefinition] = [
    FilterDefinition(
      "CIAffineTransform", kCICategoryGeometryAdjustment,
      [kCIInputImageKey: nil, kCIInputTransformKey: CGAffineTransform.identity]
    ) { $0.image()?.transformed(by: $0.transform(kCIInputTransformKey)) },
    FilterDefinition(
      "CIAffineClamp", kCICategoryTileEffect, [kCIInputImageKey: nil, kCIInputTransformKey: CGAffineTransform.identity]
    ) { $0.image()?.clampedToExtent().transformed(by: $0.transform(kCIInputTransformKey)) },
    FilterDefinition(
      "CIAffineTile", kCICategoryTileEffect, [kCIInputImageKey: nil, kCIInputTransformKey: CGAffineTransform.identity]
    ) { inputs in inputs.image().map(tiled)?.transformed(by: inputs.transform(kCIInputTransformKey)) },
    FilterDefinition("CIClamp", kCICategoryTileEffect, [kCIInputImageKey: nil, kCIInputExtentKey: CIVector([0, 0, 640, 80])]) {
      $0.image()?.clamped(to: $0.vector(kCIInputExtentKey).cgRectValue)
    },
    FilterDefinition(
      "CICrop", kCICategoryGeometryAdjustment, [kCIInputImageKey: nil, "inputRectangle": CIVector(cgRect: .infinite)]
    ) { $0.image()?.cropped(to: $0.vector("inputRectangle").cgRectValue) },
    FilterDefinition(
      "CIStraightenFilter", kCICategoryGeometryAdjustment, [kCIInputImageKey: nil, kCIInputAngleKey: 0.0]
    ) { inputs in
      guard let image = inputs.image() else { return nil }
      let (angle, box) = (CGFloat(inputs.number(kCIInputAngleKey)), image.extent)
      // The turned picture is made so large that it fills the rectangle of the picture before.
      let (s, c) = (abs(sin(angle)), abs(cos(angle)))
      let scale = max((box.width * c + box.height * s) / box.width, (box.width * s + box.height * c) / box.height)
      let turn = CGAffineTransform(translationX: box.midX, y: box.midY).rotated(by: angle).scaledBy(x: scale, y: scale)
        .translatedBy(x: -box.midX, y: -box.midY)
      return image.transformed(by: turn).cropped(to: box)
    },
    scale("CILanczosScaleTransform", [kCIInputScaleKey: 1.0, kCIInputAspectRatioKey: 1.0], reach: 3) { _ in
      { x in
        if x == 0 { return 1 }
        guard abs(x) < 3 else { return 0 }
        let a = Float.pi * x
        return 3 * sin(a) * sin(a / 3) / (a * a)
      }
    },
    scale(
      "CIBicubicScaleTransform", [kCIInputScaleKey: 1.0, kCIInputAspectRatioKey: 1.0, "inputB": 0.0, "inputC": 0.75], reach: 2
    ) { inputs in
      // The cubic of Mitchell and Netravali ("Reconstruction Filters in Computer Graphics", 1988).
      let (b, c) = (inputs.number("inputB"), inputs.number("inputC"))
      let near: [Float] = [(6 - 2 * b) / 6, 0, (-18 + 12 * b + 6 * c) / 6, (12 - 9 * b - 6 * c) / 6]
      let far: [Float] = [(8 * b + 24 * c) / 6, (-12 * b - 48 * c) / 6, (6 * b + 30 * c) / 6, (-b - 6 * c) / 6]
      return { place in
        let x = abs(place)
        guard x < 2 else { return 0 }
        let k = x < 1 ? near : far
        return k[0] + x * (k[1] + x * (k[2] + x * k[3]))
      }
    },
    perspective("CIPerspectiveTransform", isCorrection: false),
    perspective("CIPerspectiveCorrection", isCorrection: true),
  ]

  /// The picture repeated without end.
  private static func tiled(_ image: CIImage) -> CIImage {
    guard let bounds = Area(image.extent) else { return image }
    return CIImage(.infinite) { area, rendering in
      let source = rendering.pixels(of: image, bounds)
      var made = Pixels(clear: area)
      func wrapped(_ value: Int, _ count: Int) -> Int { ((value % count) + count) % count }
      for row in 0..<area.height {
        let line = wrapped(area.y + row - bounds.y, bounds.height) * bounds.width
        for column in 0..<area.width {
          made.values[row * area.width + column] = source.values[line + wrapped(area.x + column - bounds.x, bounds.width)]
        }
      }
      return made
    }
  }

  /// Makes a filter that scales by a kernel, which is stretched where the picture becomes smaller.
  private static func scale(
    _ name: String, _ inputs: [String: Any?], reach: Float,
    _ kernelOf: @escaping (FilterInputs) -> (Float) -> Float
  ) -> FilterDefinition {
    FilterDefinition(name, kCICategoryGeometryAdjustment, inputs.merging([kCIInputImageKey: nil]) { one, _ in one }) { inputs in
      let kernel = kernelOf(inputs)
      let y = inputs.number(kCIInputScaleKey)
      let x = y * inputs.number(kCIInputAspectRatioKey)
      guard let image = inputs.image(), x > 0, y > 0 else { return nil }
      let extent = image.extent.applying(CGAffineTransform(scaleX: CGFloat(x), y: CGFloat(y)))
      return CIImage(extent) { area, rendering in
        guard let bounds = Area(image.extent) else { return rendering.pixels(of: image, area) }
        let needed = needed(area, x, y, reach, bounds)
        let source = rendering.pixels(of: image, needed)
        let across = taps(area.x, area.width, x, needed.x, needed.width, bounds.x, bounds.maxX, reach, kernel)
        let along = taps(area.y, area.height, y, needed.y, needed.height, bounds.y, bounds.maxY, reach, kernel)
        var wide = Pixels(clear: Area(x: 0, y: 0, width: area.width, height: needed.height))
        for row in 0..<needed.height {
          for (column, list) in across.enumerated() {
            var sum = Pixel.zero
            for tap in list { sum += source.values[row * needed.width + tap.place] * tap.weight }
            wide.values[row * area.width + column] = sum
          }
        }
        var made = Pixels(clear: area)
        for (row, list) in along.enumerated() {
          for column in 0..<area.width {
            var sum = Pixel.zero
            for tap in list { sum += wide.values[tap.place * area.width + column] * tap.weight }
            made.values[row * area.width + column] = sum
          }
        }
        return made
      }
    }
  }

  private static func needed(_ area: Area, _ x: Float, _ y: Float, _ reach: Float, _ bounds: Area) -> Area {
    func span(_ start: Int, _ count: Int, _ scale: Float) -> (Int, Int) {
      let room = reach * max(1, 1 / scale) + 1
      let (low, high) = (Float(start) / scale - room, Float(start + count) / scale + room)
      return (Int(low.rounded(.down)), Int((high - low.rounded(.down)).rounded(.up)))
    }
    let (left, width) = span(area.x, area.width, x)
    let (bottom, height) = span(area.y, area.height, y)
    return Area(x: left, y: bottom, width: width, height: height).intersection(bounds)
  }

  /// The pixels that each result is made of, with weights whose sum is 1. The outermost pixel stands for those beyond it.
  private static func taps(
    _ start: Int, _ count: Int, _ scale: Float, _ first: Int, _ length: Int, _ low: Int, _ high: Int, _ reach: Float,
    _ kernel: (Float) -> Float
  ) -> [[(place: Int, weight: Float)]] {
    let stretch = max(1, 1 / scale)
    return (0..<count).map { index in
      let center = (Float(start + index) + 0.5) / scale - 0.5
      let from = Int((center - reach * stretch).rounded(.up))
      let to = Int((center + reach * stretch).rounded(.down))
      guard from <= to, length > 0 else { return [] }
      let weights = (from...to).map { kernel((Float($0) - center) / stretch) }
      let sum = weights.reduce(0, +)
      return zip(from...to, weights).map { place, weight in
        (min(max(min(max(place, low), high - 1) - first, 0), length - 1), weight / sum)
      }
    }
  }

  /// Makes a filter between a picture's rectangle and a quadrangle.
  private static func perspective(_ name: String, isCorrection: Bool) -> FilterDefinition {
    let corners: [String: Any?] = [
      kCIInputImageKey: nil, "inputTopLeft": CIVector(x: 118, y: 484), "inputTopRight": CIVector(x: 646, y: 507),
      "inputBottomRight": CIVector(x: 548, y: 140), "inputBottomLeft": CIVector(x: 155, y: 153),
    ]
    return FilterDefinition(name, kCICategoryGeometryAdjustment, corners) { inputs in
      guard let image = inputs.image() else { return nil }
      let quad = ["inputBottomLeft", "inputBottomRight", "inputTopRight", "inputTopLeft"].map { inputs.vector($0).cgPointValue }
      let (xs, ys) = (quad.map(\.x), quad.map(\.y))
      let box = CGRect(x: xs.min()!, y: ys.min()!, width: xs.max()! - xs.min()!, height: ys.max()! - ys.min()!)
      func length(_ a: CGPoint, _ b: CGPoint) -> CGFloat { hypot(a.x - b.x, a.y - b.y) }
      let straight = CGRect(
        x: 0, y: 0, width: max(length(quad[0], quad[1]), length(quad[3], quad[2])).rounded(),
        height: max(length(quad[0], quad[3]), length(quad[1], quad[2])).rounded())
      // The map goes from a place of the result back to one of the picture.
      let map =
        isCorrection
        ? Homography(from: straight, to: quad) : Homography(from: image.extent, to: quad)?.inverse
      guard let map else { return nil }
      return CIImage(isCorrection ? straight : box) { area, rendering in
        guard let bounds = Area(image.extent) else { return Pixels(clear: area) }
        let source = rendering.pixels(of: image, bounds)
        return Pixels(clear: area).mappedByPlace { x, y, _ in
          guard let point = map.apply(Double(x), Double(y)) else { return .zero }
          return source.sample(Float(point.x), Float(point.y))
        }
      }
    }
  }
}
