package import MediaTime

extension Envelope where Value: Interpolable {
  /// The value on the smooth curve through the keyframes: a Catmull-Rom spline, whose knots are the keyframes' times. At each
  /// keyframe its direction is that of the parabola through the keyframe and its two neighbours.
  ///
  /// It is computed from straight lines alone (Barry and Goldman, "A recursive evaluation algorithm for a class of Catmull-Rom
  /// splines", 1988), so that every value that can move along a line can move along the curve.
  ///
  /// - Parameter progress: from the keyframe before `time` to the next one, eased. It may overshoot.
  func curved(at time: MediaTime, _ progress: Double) -> Value {
    let next = keyframes.partitioningIndex { $0.time > time }
    let (first, second) = (keyframes[next - 1], keyframes[next])
    let (from, to) = (first.time.seconds, second.time.seconds)
    // Beyond the ends the curve goes on as far as on the ends' other sides.
    let before = next >= 2 ? keyframes[next - 2] : nil
    let after = next + 1 < keyframes.count ? keyframes[next + 1] : nil
    let (start, end) = (before?.time.seconds ?? (2 * from - to), after?.time.seconds ?? (2 * to - from))
    let one = before?.value ?? second.value.interpolated(to: first.value, progress: 2)
    let four = after?.value ?? first.value.interpolated(to: second.value, progress: 2)
    let place = from + (to - from) * progress
    func between(_ a: Value, _ b: Value, from low: Double, to high: Double) -> Value {
      high > low ? a.interpolated(to: b, progress: (place - low) / (high - low)) : b
    }
    let (a, b, c) = (
      between(one, first.value, from: start, to: from), between(first.value, second.value, from: from, to: to),
      between(second.value, four, from: to, to: end)
    )
    return between(between(a, b, from: start, to: to), between(b, c, from: from, to: end), from: from, to: to)
  }

  /// The envelope with the first and last keyframe where they are, and those between at the times at which a value that moves evenly
  /// is there (kCAAnimationPaced). Easings do not count. It stays as it is where the value does not move.
  package func paced() throws(TimeError) -> Envelope {
    guard keyframes.count > 2, let first = keyframes.first, let last = keyframes.last else { return self }
    let ways = zip(keyframes, keyframes.dropFirst()).map { $0.value.distance(to: $1.value) }
    let whole = ways.reduce(0, +)
    guard whole > 0, whole.isFinite else { return self }
    let length = (try last.time - first.time).seconds
    var (passed, paced) = (0.0, [Keyframe(first.time, first.value)])
    for (way, keyframe) in zip(ways, keyframes.dropFirst()).dropLast() {
      passed += way
      // Times are exact, so the place on the way is rounded.
      let ticks = Int64((length * passed / whole * Double(Self.paceTicks)).rounded())
      paced.append(Keyframe(try min(first.time + MediaTime(ticks, Self.paceTicks), last.time), keyframe.value))
    }
    return Envelope(paced + [Keyframe(last.time, last.value)], isCubic: isCubic)
  }

  /// The parts of a second to which the times of paced keyframes are rounded.
  private static var paceTicks: Int32 { 90_000 }
}
