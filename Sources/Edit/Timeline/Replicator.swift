package import Formats
package import MediaTime

/// Copies of all that stands on a layer, each of which stands a step further than the one before (CAReplicatorLayer).
///
/// The first copy is where the layers are. A step scales and turns about the layer's anchor point, then moves.
package struct Replicator: Hashable, Sendable {
  /// The number of copies, at least 1.
  package var count: Int
  /// The distance of a step; none without keyframes.
  package var offset: Envelope<Point>
  /// The angle of a step in degrees, clockwise; 0 without keyframes.
  package var rotation: Envelope<Double>
  /// The factors of a step; 1 without keyframes.
  package var scale: Envelope<Point>
  /// The time by which each copy's clock is behind the one before.
  package var delay: MediaTime
  /// The number that is added to the opacity of each copy after the one before; the first one has that of `color`.
  package var opacityStep: Double
  /// The colour that multiplies those of the first copy, and the numbers that are added to its components for each copy after it.
  package var color: RGBAColor
  package var colorStep: [Double]

  package init(
    count: Int, offset: Envelope<Point> = Envelope(), rotation: Envelope<Double> = Envelope(),
    scale: Envelope<Point> = Envelope(),
    delay: MediaTime = .zero, opacityStep: Double = 0, color: RGBAColor = .white, colorStep: [Double] = [0, 0, 0]
  ) {
    (self.count, self.delay, self.opacityStep, self.color, self.colorStep) = (count, delay, opacityStep, color, colorStep)
    self.offset = offset.held(neutral: .zero)
    self.rotation = rotation.held(neutral: 0)
    self.scale = scale.held(neutral: Point(1, 1))
  }

  /// Whether the steps are the same throughout.
  package var isSteady: Bool { offset.isSteady && rotation.isSteady && scale.isSteady }

  /// The largest factor to which a copy is stretched.
  package var largestScale: Double {
    let step = scale.furthest ?? 1
    return (1..<max(count, 1)).reduce(1.0) { most, _ in min(most * max(step, 1), DocumentLimits.layerScale.upperBound) }
  }

  /// A step of the copies on a layer of `size` at `time`, about a point.
  package func step(about anchor: Point, at time: @autoclosure () -> MediaTime) throws(TimeError) -> AffineTransform {
    let (offset, scale) = (
      try offset.heldValue(at: time(), neutral: .zero), try scale.heldValue(at: time(), neutral: Point(1, 1))
    )
    return try AffineTransform.translation(-anchor.x, -anchor.y).then(.scale(scale.x, scale.y))
      .then(.rotation(degrees: rotation.heldValue(at: time(), neutral: 0)))
      .then(.translation(anchor.x + offset.x, anchor.y + offset.y))
  }

  /// The opacity of copy `index`, 0...1.
  package func opacity(of index: Int) -> Double { min(max(color.alpha + opacityStep * Double(index), 0), 1) }

  /// The map of the colours of copy `index`; nil where they stay as they are.
  package func tint(of index: Int) -> LayerFilter.ColorMatrix? {
    let base = [color.red, color.green, color.blue]
    let factors = (0..<3).map { min(max(base[$0] + colorStep[$0] * Double(index), 0), 1) }
    guard factors != [1, 1, 1] else { return nil }
    return LayerFilter.ColorMatrix(
      rows: (0..<3).map { component in
        var row = SIMD3<Double>()
        row[component] = factors[component]
        return row
      }, offset: SIMD3())
  }
}
