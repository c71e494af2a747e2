package import MediaTime

/// A filter of a picture, with its values over time. Colours are filtered as codes of R'G'B', in 0...1.
package enum LayerFilter: Hashable, Sendable {
  /// A blur with this standard deviation in the layer's pixels (CIGaussianBlur).
  case gaussianBlur(radius: Envelope<Double>)
  case colorControls(ColorControls)

  /// The controls of colour (CIColorControls).
  package struct ColorControls: Hashable, Sendable {
    /// The number that is added to each component; 0 without keyframes.
    package var brightness: Envelope<Double>
    /// The factor of a component's distance from the middle; 1 without keyframes.
    package var contrast: Envelope<Double>
    /// The factor of a colour's distance from the grey of its luma; 1 without keyframes. It comes first.
    package var saturation: Envelope<Double>

    package init(
      brightness: Envelope<Double> = Envelope(), contrast: Envelope<Double> = Envelope(),
      saturation: Envelope<Double> = Envelope()
    ) {
      self.brightness = brightness.held(neutral: 0)
      self.contrast = contrast.held(neutral: 1)
      self.saturation = saturation.held(neutral: 1)
    }
  }

  /// The filter at one moment.
  package enum Value: Hashable, Sendable, Encodable {
    /// The standard deviation, above 0.
    case blur(Double)
    case color(ColorMatrix)
    /// Black, as opaque as the picture is opaque and bright: a mask by its luminance becomes one by its alpha.
    case lumaAsAlpha
  }

  /// The filter at `time`; nil where it changes nothing.
  package func value(at time: @autoclosure () -> MediaTime) throws(TimeError) -> Value? {
    switch self {
    case .gaussianBlur(let radius):
      let radius = try min(max(radius.heldValue(at: time(), neutral: 0), 0), DocumentLimits.shadowRadius.upperBound)
      return radius > 0 ? .blur(radius) : nil
    case .colorControls(let controls):
      let matrix = try ColorMatrix(
        brightness: controls.brightness.heldValue(at: time(), neutral: 0),
        contrast: max(controls.contrast.heldValue(at: time(), neutral: 1), 0),
        saturation: max(controls.saturation.heldValue(at: time(), neutral: 1), 0))
      return matrix == .identity ? nil : .color(matrix)
    }
  }

  /// A linear map of colours.
  package struct ColorMatrix: Hashable, Sendable, Encodable {
    /// The rows of factors of red, green and blue, for each component.
    package let rows: [SIMD3<Double>]
    /// The numbers that are added.
    package let offset: SIMD3<Double>

    package static let identity = ColorMatrix(brightness: 0, contrast: 1, saturation: 1)

    package init(rows: [SIMD3<Double>], offset: SIMD3<Double>) { (self.rows, self.offset) = (rows, offset) }

    /// The shares of the components in a colour's luma, as those of feColorMatrix (W3C's "Filter Effects Module Level 1", 9.6).
    package static let luma = SIMD3(0.213, 0.715, 0.072)

    package init(brightness: Double, contrast: Double, saturation: Double) {
      rows = (0..<3).map { component in
        var row = Self.luma * (1 - saturation)
        row[component] += saturation
        return row * contrast
      }
      offset = SIMD3(repeating: (1 - contrast) / 2 + brightness)
    }

    /// The image of a colour, cut off at 0 and 1.
    package func apply(_ color: SIMD3<Double>) -> SIMD3<Double> {
      var image = offset
      for component in 0..<3 { image[component] += (rows[component] * color).sum() }
      return image.clamped(lowerBound: SIMD3(), upperBound: SIMD3(repeating: 1))
    }
  }
}
