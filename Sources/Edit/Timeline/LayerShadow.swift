package import Formats
package import MediaTime

/// The shadow of everything that a layer shows, over time.
package struct LayerShadow: Hashable, Sendable {
  package var color: Envelope<RGBAColor>
  /// The shadow's distance in the layer's pixels.
  package var offset: Envelope<Point>
  /// The standard deviation of the blur in the layer's pixels (shadowRadius).
  package var radius: Envelope<Double>
  /// The outline that casts the shadow instead of what the layer shows, in the layer's coordinates (shadowPath).
  package var path: VectorPath?
  /// Whether moving pictures cast shadows by their own alpha. It is false for a layer without any, whose pictures always do.
  package var isOfContent: Bool

  /// - Parameters: those that are nil are a shadow's usual ones.
  package init(
    color: Envelope<RGBAColor>? = nil, offset: Envelope<Point>? = nil, radius: Envelope<Double>? = nil, path: VectorPath? = nil,
    isOfContent: Bool = false
  ) {
    let usual = LayerStyle.Shadow()
    self.color = color?.held() ?? Envelope(constant: usual.color)
    self.offset = offset?.held() ?? Envelope(constant: usual.offset)
    self.radius = radius?.held() ?? Envelope(constant: usual.radius)
    (self.path, self.isOfContent) = (path, isOfContent)
  }

  /// Makes a shadow that stays as it is.
  package init(_ shadow: LayerStyle.Shadow) {
    self.init(
      color: Envelope(constant: shadow.color), offset: Envelope(constant: shadow.offset),
      radius: Envelope(constant: shadow.radius))
  }

  package init(color: RGBAColor, offset: Point, radius: Double) {
    self.init(LayerStyle.Shadow(color: color, offset: offset, radius: radius))
  }

  /// The shadow at `time`.
  package func shadow(at time: @autoclosure () -> MediaTime) throws(TimeError) -> LayerStyle.Shadow {
    let usual = LayerStyle.Shadow()
    return LayerStyle.Shadow(
      color: try color.heldValue(at: time(), neutral: usual.color).bounded,
      offset: try offset.heldValue(at: time(), neutral: usual.offset),
      radius: try min(max(radius.heldValue(at: time(), neutral: usual.radius), 0), DocumentLimits.shadowRadius.upperBound))
  }
}

extension RGBAColor {
  /// The colour with components in 0...1, also where an easing overshot.
  package var bounded: RGBAColor {
    func within(_ value: Double) -> Double { min(max(value, 0), 1) }
    return RGBAColor(within(red), within(green), within(blue), alpha: within(alpha))
  }
}
