package import MediaTime

/// A value over time: keyframes, each either held until the next or ramped to it, linearly or eased.
///
/// AVFoundation's setters are cases of it: `setOpacity(_:at:)` is one held keyframe, `setOpacityRamp(fromStartOpacity:
/// toEndOpacity:timeRange:)` two, the first ramped and the second held. Before the first keyframe the property has its
/// neutral value (opacity 1, identity, no crop, volume 1); after the last one its value holds. Two keyframes at one time
/// are a jump: the later one counts from that time on.
package struct Envelope<Value: Hashable & Sendable>: Hashable, Sendable {
  package struct Keyframe: Hashable, Sendable {
    /// On the composition's clock.
    package var time: MediaTime
    package var value: Value
    /// Whether the value stays until the next keyframe, instead of moving towards it.
    package var holds: Bool
    /// How it moves to the next keyframe.
    package var easing: Easing

    package init(_ time: MediaTime, _ value: Value, holds: Bool = false, easing: Easing = .linear) {
      (self.time, self.value, self.holds, self.easing) = (time, value, holds, easing)
    }
  }

  /// In order of time.
  package let keyframes: [Keyframe]

  /// No keyframes: the neutral value throughout.
  package init() { keyframes = [] }

  /// The same value throughout.
  package init(constant value: Value) { keyframes = [Keyframe(.zero, value)] }

  /// The value that it has throughout; nil without keyframes, when that is the neutral one, and where it moves.
  package var constant: Value? { keyframes.count == 1 && keyframes[0].time == .zero ? keyframes[0].value : nil }

  /// - Precondition: `keyframes` are in order of time.
  package init(_ keyframes: [Keyframe]) {
    precondition(zip(keyframes, keyframes.dropFirst()).allSatisfy { $0.time <= $1.time }, "keyframes out of order")
    // Where a keyframe has no span, how it moves means nothing: equal envelopes are equal values.
    self.keyframes = keyframes.indices.map { index in
      var keyframe = keyframes[index]
      if index + 1 == keyframes.count || keyframes[index + 1].time == keyframe.time {
        (keyframe.holds, keyframe.easing) = (false, .linear)
      }
      if keyframe.holds { keyframe.easing = .linear }
      return keyframe
    }
  }

  /// The keyframes around `time`: the value in force, the one it moves to, and how far it has moved: 0 at the keyframe, 1
  /// at the next; an easing may overshoot.
  /// Nil before the first keyframe. Binary search: an envelope may follow music.
  package func span(at time: MediaTime) throws(TimeError) -> (from: Value, to: Value, progress: Double)? {
    var (low, high) = (0, keyframes.count)
    while low < high {
      let middle = (low + high) / 2
      if keyframes[middle].time <= time { low = middle + 1 } else { high = middle }
    }
    guard low > 0 else { return nil }
    let here = keyframes[low - 1]
    guard !here.holds, low < keyframes.count else { return (here.value, here.value, 0) }
    let next = keyframes[low]
    let passed = try MediaTimeRange(start: here.time, end: next.time).progress(at: time)
    return (here.value, next.value, here.easing.progress(at: passed))
  }
}

/// A value that a ramp can pass through.
package protocol Interpolable: Hashable, Sendable {
  /// `self + (other - self) * progress`, with `self` returned exactly at progress 0.
  func interpolated(to other: Self, progress: Double) -> Self
}

extension Envelope where Value: Interpolable {
  package func value(at time: MediaTime, neutral: Value) throws(TimeError) -> Value {
    guard let span = try span(at: time) else { return neutral }
    return span.progress == 0 ? span.from : span.from.interpolated(to: span.to, progress: span.progress)
  }
}

extension Double: Interpolable {
  package func interpolated(to other: Double, progress: Double) -> Double { self + (other - self) * progress }
}

extension AffineTransform: Interpolable {
  /// Term by term, as AVFoundation ramps a transform.
  package func interpolated(to other: AffineTransform, progress: Double) -> AffineTransform {
    AffineTransform(
      a.interpolated(to: other.a, progress: progress), b.interpolated(to: other.b, progress: progress),
      c.interpolated(to: other.c, progress: progress), d.interpolated(to: other.d, progress: progress),
      tx.interpolated(to: other.tx, progress: progress), ty.interpolated(to: other.ty, progress: progress))
  }
}

extension Rect: Interpolable {
  package func interpolated(to other: Rect, progress: Double) -> Rect {
    Rect(
      x.interpolated(to: other.x, progress: progress), y.interpolated(to: other.y, progress: progress),
      width.interpolated(to: other.width, progress: progress), height.interpolated(to: other.height, progress: progress))
  }
}
