package import Formats
package import MediaTime

/// The place of a layer on the layer that it stands on, in that layer's coordinates.
///
/// The layer is scaled, then turned, then transformed about its anchor point, which lies at its position (CALayer). Values over
/// time are on the composition's clock. The first keyframe's value also holds before it.
package struct LayerGeometry: Hashable, Sendable {
  /// The rectangle that the layer fills before it is transformed. Where it is nil, an image has its own size, and any other layer
  /// the size of what it stands on, from its top left corner.
  package var frame: Rect?
  /// The point that the layer turns about, as shares of its width and height.
  package var anchorPoint: Point
  /// The place of the anchor point; without keyframes the one that the frame gives it.
  package var position: Envelope<Point>
  /// The factors along the layer's own axes; 1 without keyframes.
  package var scale: Envelope<Point>
  /// The angle in degrees, clockwise as seen; 0 without keyframes.
  package var rotation: Envelope<Double>
  /// A further map about the anchor point; the identity without keyframes.
  package var transform: Envelope<AffineTransform>

  package static let middle = Point(0.5, 0.5)

  package init(
    frame: Rect? = nil, anchorPoint: Point = Self.middle, position: Envelope<Point> = Envelope(),
    scale: Envelope<Point> = Envelope(), rotation: Envelope<Double> = Envelope(),
    transform: Envelope<AffineTransform> = Envelope()
  ) {
    (self.frame, self.anchorPoint, self.position) = (frame, anchorPoint, position.held())
    self.scale = scale.held(neutral: Point(1, 1))
    self.rotation = rotation.held(neutral: 0)
    self.transform = transform.held(neutral: .identity)
  }

  /// Whether the layer never moves.
  package var isSteady: Bool { position.isSteady && scale.isSteady && rotation.isSteady && transform.isSteady }

  /// Whether the layer only stands in its frame.
  package var isPlain: Bool {
    position.keyframes.isEmpty && scale.keyframes.isEmpty && rotation.keyframes.isEmpty && transform.keyframes.isEmpty
  }

  /// The map from the layer's coordinates to those of what it stands on.
  ///
  /// - Parameter size: the layer's size.
  package func map(of size: Point, at time: MediaTime) throws(TimeError) -> AffineTransform {
    let corner = Point(frame?.x ?? 0, frame?.y ?? 0)
    // A layer that only stands in its frame is moved by exactly that.
    if isPlain { return .translation(corner.x, corner.y) }
    let anchor = Point(anchorPoint.x * size.x, anchorPoint.y * size.y)
    let position = try position.heldValue(at: time, neutral: Point(corner.x + anchor.x, corner.y + anchor.y))
    let scale = try scale.heldValue(at: time, neutral: Point(1, 1))
    return try AffineTransform.translation(-anchor.x, -anchor.y)
      .then(.scale(scale.x, scale.y))
      .then(.rotation(degrees: rotation.heldValue(at: time, neutral: 0)))
      .then(transform.heldValue(at: time, neutral: .identity))
      .then(.translation(position.x, position.y))
  }

  /// The largest factor to which a length of the layer is stretched, by its keyframes.
  package var largestScale: Double {
    let scale = scale.keyframes.map { max(abs($0.value.x), abs($0.value.y)) }.max() ?? 1
    return scale * (transform.keyframes.map(\.value.largestStretch).max() ?? 1)
  }
}

extension AffineTransform {
  /// The larger of the lengths to which steps of 1 along the two axes are stretched.
  package var largestStretch: Double { max((a * a + b * b).squareRoot(), (c * c + d * d).squareRoot()) }
}

extension Point: Interpolable {
  package func interpolated(to other: Point, progress: Double) -> Point {
    Point(x.interpolated(to: other.x, progress: progress), y.interpolated(to: other.y, progress: progress))
  }
}
