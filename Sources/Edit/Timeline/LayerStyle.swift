package import Formats

/// The look of a layer's own rectangle, and how it is laid over what is below (CALayer).
package struct LayerStyle: Hashable, Sendable {
  /// The colour behind the content; clear without keyframes.
  package var backgroundColor: Envelope<RGBAColor>
  /// The radii of the corners in the layer's pixels; 0 without keyframes.
  package var cornerRadius: Envelope<Corners>
  /// The width of the border, inside the rectangle, in the layer's pixels; 0 without keyframes.
  package var borderWidth: Envelope<Double>
  /// The colour of the border; black without keyframes.
  package var borderColor: Envelope<RGBAColor>
  /// Whether what stands on the layer is seen only inside its rectangle, with its corners.
  package var masksToBounds: Bool
  package var shadow: LayerShadow?
  package var blendMode: BlendMode
  /// The filters of all that the layer shows, in the order in which they are applied, before its mask and its shadow.
  package var filters: [LayerFilter]
  /// The filters of what lies below, as far as it is seen through the layer's rectangle with its corners.
  package var backdropFilters: [LayerFilter]

  package init(
    backgroundColor: Envelope<RGBAColor> = Envelope(), cornerRadius: Envelope<Corners> = Envelope(),
    borderWidth: Envelope<Double> = Envelope(), borderColor: Envelope<RGBAColor> = Envelope(), masksToBounds: Bool = false,
    shadow: LayerShadow? = nil, blendMode: BlendMode = .normal, filters: [LayerFilter] = [], backdropFilters: [LayerFilter] = []
  ) {
    (self.backgroundColor, self.cornerRadius) = (backgroundColor.held(), cornerRadius.held(neutral: 0))
    (self.borderWidth, self.borderColor) = (borderWidth.held(neutral: 0), borderColor.held(neutral: .black))
    (self.masksToBounds, self.shadow, self.blendMode) = (masksToBounds, shadow, blendMode)
    (self.filters, self.backdropFilters) = (filters, backdropFilters)
  }

  /// A shadow.
  package struct Shadow: Hashable, Sendable, Encodable {
    package var color: RGBAColor
    /// The shadow's distance in the pixels of what casts it.
    package var offset: Point
    /// The standard deviation of the blur in the same pixels (shadowRadius).
    package var radius: Double

    package init(color: RGBAColor = RGBAColor(0, 0, 0, alpha: 0.5), offset: Point = Point(0, 3), radius: Double = 3) {
      (self.color, self.offset, self.radius) = (color, offset, radius)
    }
  }
}

/// The way in which a layer's colour is mixed with the colour of the layers below it, by the names of the W3C's "Compositing and
/// Blending Level 1", and `plusLighter` of its Level 2.
package enum BlendMode: String, Hashable, Sendable, Encodable, CaseIterable {
  case normal, multiply, screen, overlay, darken, lighten
  case colorDodge, colorBurn, hardLight, softLight, difference, exclusion
  case hue, saturation, color, luminosity
  /// The sum of both colours, each times its alpha, up to white.
  case plusLighter
}

extension RGBAColor: Interpolable {
  /// Interpolates each component with alpha multiplied in, so that a colour that fades in does not pass through another one.
  package func interpolated(to other: RGBAColor, progress: Double) -> RGBAColor {
    let alpha = alpha.interpolated(to: other.alpha, progress: progress)
    guard alpha > 0 else { return RGBAColor(other.red, other.green, other.blue, alpha: 0) }
    func component(_ from: Double, _ to: Double) -> Double {
      (from * self.alpha).interpolated(to: to * other.alpha, progress: progress) / alpha
    }
    return RGBAColor(
      component(red, other.red), component(green, other.green), component(blue, other.blue), alpha: alpha)
  }

  package func distance(to other: RGBAColor) -> Double {
    [Double].distance([red, green, blue, alpha], [other.red, other.green, other.blue, other.alpha])
  }
}
