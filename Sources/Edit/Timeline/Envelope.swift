package import Formats
package import MediaTime

/// A value over time, given by keyframes. Each keyframe's value is either held until the next one or moves to it, linearly or
/// eased.
///
/// AVFoundation's setters are cases of it: `setOpacity(_:at:)` is one held keyframe;
/// `setOpacityRamp(fromStartOpacity:toEndOpacity:timeRange:)` is two keyframes, the first ramped and the second held. Before the
/// first keyframe the property has its neutral value (opacity 1, identity, no crop, volume 1). After the last one its value
/// holds. Two keyframes at one time are a jump: the later one counts from that time on.
package struct Envelope<Value: Hashable & Sendable>: Hashable, Sendable {
  package struct Keyframe: Hashable, Sendable {
    /// The time on the composition's clock.
    package var time: MediaTime
    package var value: Value
    /// Whether the value stays until the next keyframe, instead of moving towards it.
    package var holds: Bool
    /// How the value moves to the next keyframe.
    package var easing: Easing

    package init(_ time: MediaTime, _ value: Value, holds: Bool = false, easing: Easing = .linear) {
      (self.time, self.value, self.holds, self.easing) = (time, value, holds, easing)
    }
  }

  /// The keyframes in order of time.
  package let keyframes: [Keyframe]
  /// Whether the value moves along a smooth curve through the values of all keyframes instead of along lines. It is false for fewer
  /// than three keyframes, whose curve is a line.
  package let isCubic: Bool
  /// How often the keyframes are run through; nil for once.
  package private(set) var repetition: Repetition?
  /// The values over time that are added to this one, in order; nil for none. Where there are some, this one has keyframes.
  package private(set) var additions: [Envelope]?

  /// Makes an envelope without keyframes, which has the neutral value throughout.
  package init() { (keyframes, isCubic) = ([], false) }

  /// Makes an envelope that has the same value throughout.
  package init(constant value: Value) { (keyframes, isCubic) = ([Keyframe(.zero, value)], false) }

  /// The value of an envelope that is one keyframe at time zero, and so has that value throughout. It is nil for every other
  /// envelope, also for one without keyframes, which has the neutral value.
  package var constant: Value? {
    keyframes.count == 1 && keyframes[0].time == .zero && additions == nil ? keyframes[0].value : nil
  }

  /// Makes an envelope of keyframes.
  ///
  /// - Precondition: `keyframes` are in order of time.
  package init(_ keyframes: [Keyframe], isCubic: Bool = false) {
    self.isCubic = isCubic && keyframes.count > 2
    precondition(zip(keyframes, keyframes.dropFirst()).allSatisfy { $0.time <= $1.time }, "keyframes out of order")
    // A keyframe that is the last, or has the next one at its own time, moves nowhere. Its way of moving is reset, so that equal
    // envelopes are equal values.
    self.keyframes = keyframes.indices.map { index in
      var keyframe = keyframes[index]
      if index + 1 == keyframes.count || keyframes[index + 1].time == keyframe.time {
        (keyframe.holds, keyframe.easing) = (false, .linear)
      }
      if keyframe.holds { keyframe.easing = .linear }
      return keyframe
    }
  }

  /// The envelope with its keyframes run through again and again, and with others added to it.
  ///
  /// - Precondition: there are keyframes where something is added, and they take time where they are repeated.
  package func with(_ repetition: Repetition?, adding additions: [Envelope] = []) -> Envelope {
    precondition(additions.isEmpty || !keyframes.isEmpty, "there is nothing to add to")
    precondition(repetition == nil || !isMoment, "a moment is not repeated")
    var envelope = self
    envelope.repetition = repetition == Repetition(count: 1) ? nil : repetition
    envelope.additions = additions.isEmpty ? nil : additions
    return envelope
  }

  /// Whether all keyframes, if there are any, stand at one time.
  package var isMoment: Bool { keyframes.first?.time == keyframes.last?.time }

  /// The envelope with other values at the same times.
  ///
  /// - Parameter changeAdded: changes values that are added; nil to change them in the same way.
  package func map<Other: Hashable & Sendable>(
    added changeAdded: ((Value) -> Other)? = nil, _ change: (Value) -> Other
  ) -> Envelope<Other> {
    let mapped = Envelope<Other>(
      keyframes.map { .init($0.time, change($0.value), holds: $0.holds, easing: $0.easing) }, isCubic: isCubic)
    let repeated = repetition.map { Envelope<Other>.Repetition(count: $0.count, isCumulative: $0.isCumulative) }
    let added = (additions ?? []).map { addition in
      if let changeAdded { addition.map(changeAdded) } else { addition.map(change) }
    }
    return mapped.with(repeated, adding: added)
  }

  /// The two keyframes around `time`: the value in force, the next value, and the progress between them. The progress is 0 at the
  /// first keyframe and 1 at the next; an easing may overshoot. The result is nil before the first keyframe. The search is
  /// binary, since an envelope may have many keyframes, for example one for each beat of music.
  package func span(at time: MediaTime) throws(TimeError) -> (from: Value, to: Value, progress: Double)? {
    let position = keyframes.partitioningIndex { $0.time > time }
    guard position > 0 else { return nil }
    let here = keyframes[position - 1]
    guard !here.holds, position < keyframes.count else { return (here.value, here.value, 0) }
    let next = keyframes[position]
    let range = try MediaTimeRange(start: here.time, end: next.time)
    return (here.value, next.value, here.easing.progress(at: try range.progress(at: time), of: range.duration.seconds))
  }
}

extension Envelope: Encodable where Value: Encodable {}

extension Envelope.Keyframe: Encodable where Value: Encodable {}

/// A value that a ramp can move through.
package protocol Interpolable: Hashable, Sendable {
  /// The value `self + (other - self) * progress`; exactly `self` at progress 0.
  func interpolated(to other: Self, progress: Double) -> Self

  /// The length of the way to `other`, at least 0.
  func distance(to other: Self) -> Double

  /// The value with another one added `count` times: numbers and points are summed up, and maps follow each other, this one first.
  ///
  /// - Precondition: the values are numbers, points or maps. Documents refuse sums of others.
  func adding(_ other: Self, times count: Int64) -> Self
}

extension Envelope where Value: Interpolable {
  package func value(at time: MediaTime, neutral: Value) throws(TimeError) -> Value {
    var sum = try repeatedValue(at: time, neutral: neutral)
    for addition in additions ?? [] {
      sum = sum.adding(try addition.repeatedValue(at: time, neutral: addition.keyframes[0].value), times: 1)
    }
    return sum
  }

  /// The value between keyframes that are run through once.
  func passedValue(at time: MediaTime, neutral: Value) throws(TimeError) -> Value {
    guard let span = try span(at: time) else { return neutral }
    if span.progress == 0 { return span.from }
    return isCubic ? curved(at: time, span.progress) : span.from.interpolated(to: span.to, progress: span.progress)
  }
}

extension Double: Interpolable {
  package func interpolated(to other: Double, progress: Double) -> Double { self + (other - self) * progress }

  package func distance(to other: Double) -> Double { abs(other - self) }

  package func adding(_ other: Double, times count: Int64) -> Double { self + other * Double(count) }
}

extension AffineTransform: Interpolable {
  /// Interpolates term by term, as AVFoundation ramps a transform.
  package func interpolated(to other: AffineTransform, progress: Double) -> AffineTransform {
    AffineTransform(
      a.interpolated(to: other.a, progress: progress), b.interpolated(to: other.b, progress: progress),
      c.interpolated(to: other.c, progress: progress), d.interpolated(to: other.d, progress: progress),
      tx.interpolated(to: other.tx, progress: progress), ty.interpolated(to: other.ty, progress: progress))
  }

  package func distance(to other: AffineTransform) -> Double { [Double].distance(terms, other.terms) }

  package func adding(_ other: AffineTransform, times count: Int64) -> AffineTransform {
    Self.repeated(self, by: other, count: count) { $0.then($1) }
  }

  private var terms: [Double] { [a, b, c, d, tx, ty] }
}

extension Interpolable {
  package func adding(_: Self, times _: Int64) -> Self { preconditionFailure("values of this kind are not added") }

  /// The map that applies `first`, then `map` so many times, by squaring.
  static func repeated(_ first: Self, by map: Self, count: Int64, then: (Self, Self) -> Self) -> Self {
    var (result, power, rest) = (first, map, count)
    while rest > 0 {
      if rest & 1 == 1 { result = then(result, power) }
      rest >>= 1
      if rest > 0 { power = then(power, power) }
    }
    return result
  }
}

extension [Double] {
  /// The length of the way from one point in a space to another.
  static func distance(_ one: [Double], _ other: [Double]) -> Double {
    zip(one, other).reduce(0) { $0 + ($1.0 - $1.1) * ($1.0 - $1.1) }.squareRoot()
  }
}

extension Array: Interpolable where Element: Interpolable {
  /// Interpolates element by element.
  package func interpolated(to other: [Element], progress: Double) -> [Element] {
    zip(self, other).map { $0.interpolated(to: $1, progress: progress) }
  }

  package func distance(to other: [Element]) -> Double {
    [Double].distance(zip(self, other).map { $0.distance(to: $1) }, map { _ in 0 })
  }
}

extension Rect: Interpolable {
  package func interpolated(to other: Rect, progress: Double) -> Rect {
    Rect(
      x.interpolated(to: other.x, progress: progress), y.interpolated(to: other.y, progress: progress),
      width.interpolated(to: other.width, progress: progress), height.interpolated(to: other.height, progress: progress))
  }

  package func distance(to other: Rect) -> Double {
    [Double].distance([x, y, width, height], [other.x, other.y, other.width, other.height])
  }
}
