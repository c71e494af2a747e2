internal import MediaTime
internal import Timeline

/// One animation of one property, as keyframes on the movie's clock.
struct AnimationRun {
  struct Frame {
    var time: MediaTime
    var value: Any
    var holds: Bool
    var easing: Easing
  }

  var key: String
  /// The frames in order of time.
  var frames: [Frame]
  var begin: MediaTime
  var end: MediaTime
  /// Whether the first value is seen before the beginning, and the last one after the end.
  var fillsBackwards: Bool
  var fillsForwards: Bool
  /// Whether the values are added to those that are seen without the animation.
  var isAdditive = false
  /// The number of frames through which a smooth curve leads, over and over; nil for lines.
  var curveCount: Int?
  /// The way along which the layer moves. The values are then the shares of its length.
  var route: AnimationRoute?

  /// Whether the animation decides what is seen in a range that it does not begin or end in.
  func holds(from start: MediaTime) -> Bool { start < begin ? fillsBackwards : start < end || fillsForwards }

  var last: Frame? { frames.last { $0.time <= end } ?? frames.first }
}

extension AnimationRun {
  /// The key of a layer's transition, whose values are its progress.
  static let transitionKey = "transition"
}

/// The way of an animation along a path.
struct AnimationRoute {
  var path: CGPath
  /// Whether the layer turns with the way; nil where it does not.
  var rotationMode: CAAnimationRotationMode?
}
