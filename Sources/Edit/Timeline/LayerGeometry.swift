package import Formats
package import MediaTime

/// The place of a layer on the layer that it stands on, in that layer's coordinates.
///
/// The layer is scaled, then turned about the axes x, y and z, then transformed about its anchor point, which lies at its position
/// (CALayer). Values over time are on the composition's clock. The first keyframe's value also holds before it.
///
/// A layer that is turned out of the plane is drawn flat onto what it stands on, as CALayers are: its own depth does not count for
/// the layers beside it.
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
  /// The angles in degrees about the axes x and y, which lie in the layer's plane; 0 without keyframes. By a positive one what lies
  /// below comes nearer, and what lies to the right goes further away.
  package var rotationX: Envelope<Double>
  package var rotationY: Envelope<Double>
  /// A further map about the anchor point, in space; the identity without keyframes.
  package var transform3D: Envelope<Transform3D>
  /// The distance of the eye from the plane, before the anchor point, in pixels; without keyframes it is infinite, and nothing grows
  /// smaller with its distance.
  package var perspective: Envelope<Double>
  /// Whether the layer is seen from behind, too.
  package var isDoubleSided: Bool
  /// The way along which the anchor point moves, instead of `position`.
  package var motionPath: MotionPath?
  /// The layer's width and height over time, instead of those of its frame, which then says the size at rest. The anchor point stays
  /// where it is. Without keyframes the layer has the size of its frame (bounds.size).
  package var bounds = Envelope<Point>()
  /// The anchor point over time; without keyframes it is `anchorPoint`, which also says where the frame has the layer's position.
  package var anchorMotion = Envelope<Point>()

  package static let middle = Point(0.5, 0.5)

  package init(
    frame: Rect? = nil, anchorPoint: Point = Self.middle, position: Envelope<Point> = Envelope(),
    scale: Envelope<Point> = Envelope(), rotation: Envelope<Double> = Envelope(),
    transform: Envelope<AffineTransform> = Envelope(), rotationX: Envelope<Double> = Envelope(),
    rotationY: Envelope<Double> = Envelope(), transform3D: Envelope<Transform3D> = Envelope(),
    perspective: Envelope<Double> = Envelope(), isDoubleSided: Bool = true, motionPath: MotionPath? = nil
  ) {
    (self.frame, self.anchorPoint, self.position) = (frame, anchorPoint, position.held())
    self.scale = scale.held(neutral: Point(1, 1))
    self.rotation = rotation.held(neutral: 0)
    self.transform = transform.held(neutral: .identity)
    (self.rotationX, self.rotationY) = (rotationX.held(neutral: 0), rotationY.held(neutral: 0))
    (self.transform3D, self.perspective) = (transform3D.held(neutral: .identity), perspective.held())
    (self.isDoubleSided, self.motionPath) = (isDoubleSided, motionPath)
  }

  /// Whether nothing moves the layer but a change of its size about its anchor point.
  package var isSteadyButForSize: Bool {
    position.isSteady && anchorMotion.isSteady && scale.isSteady && rotation.isSteady && transform.isSteady && rotationX.isSteady
      && rotationY.isSteady
      && transform3D.isSteady && perspective.isSteady && motionPath?.progress.isSteady ?? true
  }

  /// Whether the place of the layer's corner never changes, either.
  package var isSteady: Bool { isSteadyButForSize && (bounds.isSteady || anchorPoint == .zero && anchorMotion.keyframes.isEmpty) }

  /// Whether the layer is turned out of the plane that it stands on.
  package var isSpatial: Bool {
    !rotationX.keyframes.isEmpty || !rotationY.keyframes.isEmpty || !transform3D.keyframes.isEmpty
  }

  /// Whether the layer only stands in its frame.
  package var isPlain: Bool {
    position.keyframes.isEmpty && scale.keyframes.isEmpty && rotation.keyframes.isEmpty && transform.keyframes.isEmpty
      && !isSpatial && motionPath == nil && bounds.keyframes.isEmpty && anchorMotion.keyframes.isEmpty
  }

  /// The layer's size at `time`, where it has a frame; no side is below 0, also where an easing overshoots.
  package func size(at time: @autoclosure () -> MediaTime) throws(TimeError) -> Point? {
    guard let frame else { return nil }
    let rest = Point(frame.width, frame.height)
    if bounds.keyframes.isEmpty { return rest }
    let size = try bounds.heldValue(at: time(), neutral: rest)
    return Point(max(size.x, 0), max(size.y, 0))
  }

  /// Whether the layer has the height of its frame throughout.
  package var keepsHeight: Bool {
    bounds.additions == nil && bounds.repetition == nil && bounds.keyframes.allSatisfy { $0.value.y == frame?.height }
  }

  /// The anchor point at `time` in the layer's own coordinates.
  ///
  /// - Parameter size: the layer's size.
  package func anchor(of size: Point, at time: @autoclosure () -> MediaTime) throws(TimeError) -> Point {
    let share = try anchorMotion.heldValue(at: time(), neutral: anchorPoint)
    return Point(share.x * size.x, share.y * size.y)
  }

  /// The place that the frame gives the anchor point.
  ///
  /// - Parameter size: the layer's size, which counts where it has no frame.
  private func rest(of size: Point) -> Point {
    let frame = frame ?? Rect(0, 0, size.x, size.y)
    return Point(frame.x + anchorPoint.x * frame.width, frame.y + anchorPoint.y * frame.height)
  }

  /// The map from the layer's coordinates to those of what it stands on.
  ///
  /// - Parameter size: the layer's size.
  /// - Precondition: the layer is not turned out of the plane.
  package func map(of size: Point, at time: @autoclosure () -> MediaTime) throws(TimeError) -> AffineTransform {
    // A layer that only stands in its frame is moved by exactly that.
    if isPlain { return .translation(frame?.x ?? 0, frame?.y ?? 0) }
    let anchor = try anchor(of: size, at: time())
    let (position, turn) = try place(at: time(), rest(of: size))
    let scale = try scale.heldValue(at: time(), neutral: Point(1, 1))
    return try AffineTransform.translation(-anchor.x, -anchor.y)
      .then(.scale(scale.x, scale.y))
      .then(.rotation(degrees: rotation.heldValue(at: time(), neutral: 0) + turn))
      .then(transform.heldValue(at: time(), neutral: .identity))
      .then(.translation(position.x, position.y))
  }

  /// The place of the anchor point, and the angle in degrees by which the way there turns the layer.
  private func place(at time: @autoclosure () -> MediaTime, _ usual: Point) throws(TimeError) -> (Point, Double) {
    guard let motionPath else { return (try position.heldValue(at: time(), neutral: usual), 0) }
    let (point, angle) = try motionPath.place(at: time())
    return (point, motionPath.rotates ? angle : 0)
  }

  /// The map from the layer's plane to that of what it stands on, as it is seen.
  ///
  /// - Parameter size: the layer's size.
  /// - Returns: nil where the layer shows its back, and is not seen from behind.
  package func projection(of size: Point, at time: @autoclosure () -> MediaTime) throws(TimeError) -> Projection? {
    let anchor = try anchor(of: size, at: time())
    let (position, turn) = try place(at: time(), rest(of: size))
    let scale = try scale.heldValue(at: time(), neutral: Point(1, 1))
    let flat = try AffineTransform.rotation(degrees: rotation.heldValue(at: time(), neutral: 0) + turn)
      .then(transform.heldValue(at: time(), neutral: .identity))
    var map = try Transform3D(AffineTransform.translation(-anchor.x, -anchor.y).then(.scale(scale.x, scale.y)))
      .then(.rotationX(degrees: rotationX.heldValue(at: time(), neutral: 0)))
      .then(.rotationY(degrees: rotationY.heldValue(at: time(), neutral: 0)))
      .then(Transform3D(flat))
      .then(transform3D.heldValue(at: time(), neutral: .identity))
    if !perspective.keyframes.isEmpty {
      // An easing that overshoots may not lead through the plane.
      map = try map.then(.perspective(distance: max(perspective.heldValue(at: time(), neutral: 1), 1)))
    }
    if !isDoubleSided, map.showsBack { return nil }
    return map.projection.then(.translation(position.x, position.y))
  }

  /// The largest factor to which a length of the layer is stretched, by its keyframes. Where it is seen in perspective, its nearest
  /// corner counts.
  ///
  /// - Parameter size: the layer's size, which counts where it does not change.
  package func largestScale(of size: Point) -> Double {
    let flat = (scale.furthest ?? 1) * (transform.largestFactor(\.largestStretch) ?? 1)
    guard isSpatial else { return flat }
    // The whole way of the size and the anchor point counts, so that the scale is the same throughout.
    let size = Point(bounds.map(\.x).furthest ?? size.x, bounds.map(\.y).furthest ?? size.y)
    let anchors = [anchorPoint] + anchorMotion.summands.flatMap(\.keyframes).map(\.value)
    let anchor = Point(anchorPoint.x * size.x, anchorPoint.y * size.y)
    func reach(_ length: Double, _ share: (Point) -> Double) -> Double {
      anchors.map { max(abs(share($0)), abs(1 - share($0))) * length }.reduce(0, max)
    }
    let reach = Point(reach(size.x, \.x), reach(size.y, \.y))
    let radius = (reach.x * reach.x + reach.y * reach.y).squareRoot() * flat
    let rotates = !rotationX.keyframes.isEmpty || !rotationY.keyframes.isEmpty
    // How fast sizes fall with depth: 1 over the distance of the eye, and 0 where nothing is seen in perspective.
    let eye = perspective.keyframes.map { 1 / $0.value }.max() ?? 0
    let slope = transform3D.summands.flatMap(\.keyframes).map(\.value.depthSlope).max() ?? 0
    let near = rotates ? Self.nearest(eye * radius) * Self.nearest(slope * radius) : 1
    let rect = Rect(-anchor.x, -anchor.y, size.x, size.y)
    let spatial =
      transform3D.largestFactor { transform in
        let most = transform.projection.stretch(over: rect)
        return max(most.x, most.y)
      } ?? 1
    return flat * min(near, Self.nearestFactor) * spatial
  }

  /// The factor by which a corner is seen larger that comes nearer by this share of the eye's distance.
  private static func nearest(_ share: Double) -> Double { share < 1 ? 1 / (1 - share) : .infinity }

  /// The most that a layer is drawn larger because a corner of it may come near to the eye.
  private static let nearestFactor = 4.0
}

extension AffineTransform {
  /// The larger of the lengths to which steps of 1 along the two axes are stretched.
  package var largestStretch: Double { max((a * a + b * b).squareRoot(), (c * c + d * d).squareRoot()) }
}

extension Transform3D {
  /// The most by which the divisor of perspective changes over a step of 1 in space, as a share of the divisor at the origin:
  /// 1 over the distance of the eye, and 0 without perspective.
  fileprivate var depthSlope: Double {
    let slope = (terms[3] * terms[3] + terms[7] * terms[7] + terms[11] * terms[11]).squareRoot()
    return slope == 0 ? 0 : terms[15] > 0 ? slope / terms[15] : .infinity
  }
}

extension Transform3D: Interpolable {
  /// Interpolates term by term.
  package func interpolated(to other: Transform3D, progress: Double) -> Transform3D {
    Transform3D(zip(terms, other.terms).map { $0.interpolated(to: $1, progress: progress) })
  }

  package func distance(to other: Transform3D) -> Double { [Double].distance(terms, other.terms) }

  package func adding(_ other: Transform3D, times count: Int64) -> Transform3D {
    Self.repeated(self, by: other, count: count) { $0.then($1) }
  }
}

extension Point: Interpolable {
  package func interpolated(to other: Point, progress: Double) -> Point {
    Point(x.interpolated(to: other.x, progress: progress), y.interpolated(to: other.y, progress: progress))
  }

  package func distance(to other: Point) -> Double { [Double].distance([x, y], [other.x, other.y]) }

  package func adding(_ other: Point, times count: Int64) -> Point {
    Point(x.adding(other.x, times: count), y.adding(other.y, times: count))
  }
}
