internal import AVFoundation

/// One animation of one property, as keyframes on the movie's clock.
struct AnimationRun {
  private struct Frame {
    var time: CMTime
    var value: Any
    var holds: Bool
    var easing: DocumentValue?
  }

  let key: String
  /// Whether the values are added to those that are seen without the animation.
  let isAdditive: Bool
  private var frames: [Frame]
  private let begin: CMTime
  private let end: CMTime
  private let fillsBackwards: Bool
  private let fillsForwards: Bool
  /// The layer's own value, which is seen before and after; nothing, where the values are added.
  private let model: Any?

  /// The clock of a group of animations.
  struct Clock {
    let begin: Double
    let end: Double
    let fillsBackwards: Bool
    let fillsForwards: Bool
  }

  /// The runs of an animation and of those in it.
  ///
  /// - Parameters:
  ///   - clock: that of the group in which the animation is; nil for the movie's.
  ///   - model: the layer's own value of a property.
  static func all(
    of animation: CAAnimation, in clock: Clock?, model: (String) -> Any?, _ place: String
  ) throws(SpoolClientError) -> [AnimationRun] {
    func unsaid(_ words: String) -> SpoolClientError { SpoolClientError(property: place, reason: words) }
    guard animation.timeOffset == 0, animation.speed > 0 else {
      throw unsaid("a timeOffset, or a speed that is not positive, is not said")
    }
    guard clock != nil || animation.beginTime != 0 else {
      throw unsaid("beginTime 0 is the time of day: set AVCoreAnimationBeginTimeAtZero for the movie's beginning")
    }
    // AVCoreAnimationBeginTimeAtZero is a number just above zero.
    let start = (clock?.begin ?? 0) + (animation.beginTime == AVCoreAnimationBeginTimeAtZero ? 0 : animation.beginTime)
    let usual = clock.map { $0.end - $0.begin } ?? 0.25
    let length = (animation.duration > 0 ? animation.duration : usual) / Double(animation.speed)
    if let group = animation as? CAAnimationGroup {
      guard group.repeatCount <= 1, group.repeatDuration == 0, !group.autoreverses, curve(group.timingFunction) == nil else {
        throw unsaid("a group that repeats, runs back or is eased is not said")
      }
      let inside = Clock(
        begin: start, end: start + length, fillsBackwards: fillsBefore(group),
        fillsForwards: fillsAfter(group) && !group.isRemovedOnCompletion)
      var runs: [AnimationRun] = []
      for (index, animation) in (group.animations ?? []).enumerated() {
        runs += try all(of: animation, in: inside, model: model, "\(place).animations[\(index)]")
      }
      return runs
    }
    guard let property = animation as? CAPropertyAnimation, let key = property.keyPath else {
      throw unsaid("\(type(of: animation)) is not said")
    }
    guard property.valueFunction == nil else { throw unsaid("an animation with a value function is not said") }
    guard property.isAdditive else { return [try AnimationRun(property, key, start, length, clock, model(key), place)] }
    guard let nothing = nothing(of: key) else { throw unsaid("additive animations of \(key) are not said") }
    return [try AnimationRun(property, key, start, length, clock, nothing, place)]
  }

  private init(
    _ animation: CAPropertyAnimation, _ key: String, _ start: Double, _ length: Double, _ clock: Clock?, _ model: Any?,
    _ place: String
  ) throws(SpoolClientError) {
    let once = try Self.once(animation, model, place)
    let pass = animation.autoreverses ? 2 * length : length
    let count = animation.repeatDuration > 0 ? animation.repeatDuration / pass : Double(max(animation.repeatCount, 1))
    guard count == count.rounded(), count <= 1_000 else {
      throw SpoolClientError(property: place, reason: "repeats \(count) times; whole numbers up to 1000 can be said")
    }
    guard !animation.isCumulative || !animation.autoreverses else {
      throw SpoolClientError(property: place, reason: "is cumulative and runs back, which is not said")
    }
    frames = []
    for index in 0..<Int(count) {
      let origin = start + Double(index) * pass
      for step in once {
        let time = try EditTranslation.time(seconds: origin + step.share * length, place)
        let passed = animation.isCumulative ? index : 0
        let value = try Self.accumulated(step.value, once[once.count - 1].value, times: passed, key, place)
        frames.append(Frame(time: time, value: value, holds: step.holds, easing: step.easing.map(Self.written)))
      }
      guard animation.autoreverses else { continue }
      for place in once.indices.reversed() {
        // On the way back, a keyframe moves as the one before it did on the way there.
        let way = place > 0 ? once[place - 1] : once[place]
        let value = way.holds && place > 0 ? way.value : once[place].value
        let time = try EditTranslation.time(seconds: origin + (2 - once[place].share) * length, key)
        frames.append(
          Frame(time: time, value: value, holds: way.holds, easing: way.easing.map { Self.written(Self.reversed($0)) }))
      }
    }
    (self.key, self.model, isAdditive) = (key, model, animation.isAdditive)
    begin = try EditTranslation.time(seconds: start, place)
    let stop = start + count * pass
    end = try EditTranslation.time(seconds: stop, place)
    let (before, after) = (Self.fillsBefore(animation), Self.fillsAfter(animation))
    guard let clock else {
      (fillsBackwards, fillsForwards) = (before, after && !animation.isRemovedOnCompletion)
      return
    }
    let (beginsLater, endsSooner) = (start > clock.begin + 1e-6, stop < clock.end - 1e-6)
    guard stop <= clock.end + 1e-6 else {
      throw SpoolClientError(property: place, reason: "goes on beyond the end of its group")
    }
    guard !(beginsLater && before && !clock.fillsBackwards), !(endsSooner && after && !clock.fillsForwards) else {
      throw SpoolClientError(property: place, reason: "is filled up to the ends of its group alone, which is not said")
    }
    fillsBackwards = clock.fillsBackwards && (before || !beginsLater)
    fillsForwards = clock.fillsForwards && (after || !endsSooner)
  }

  // MARK: - Sums

  /// The value that changes nothing where it is added; nil for a property whose values are not added in documents.
  private static func nothing(of key: String) -> Any? {
    switch key {
    case "position": CGPoint.zero
    case "opacity", "borderWidth", "position.x", "position.y", "transform.scale", "transform.scale.xy", "transform.scale.x",
      "transform.scale.y", "transform.rotation", "transform.rotation.z":
      0.0
    default: nil
    }
  }

  /// The value of a pass that begins where those before it ended: the last value is added for each of them.
  private static func accumulated(
    _ value: Any, _ last: Any, times count: Int, _ key: String, _ place: String
  ) throws(SpoolClientError) -> Any {
    guard count > 0 else { return value }
    if let value = number(value), let last = number(last) { return value + Double(count) * last }
    if let value = point(value), let last = point(last) {
      return CGPoint(x: value.x + CGFloat(count) * last.x, y: value.y + CGFloat(count) * last.y)
    }
    throw SpoolClientError(
      property: place, reason: "cumulative animations of \(key) are not said; those of numbers and points are")
  }

  // MARK: - One pass

  private struct Step {
    var share: Double
    var value: Any
    var holds = false
    /// The control points of the way to the next one; nil for a line.
    var easing: [Double]?
  }

  private static func once(
    _ animation: CAPropertyAnimation, _ model: Any?, _ place: String
  ) throws(SpoolClientError) -> [Step] {
    func unsaid(_ words: String) -> SpoolClientError { SpoolClientError(property: place, reason: words) }
    if animation is CASpringAnimation { throw unsaid("springs are not said") }
    if let basic = animation as? CABasicAnimation {
      if basic.isAdditive, let by = basic.byValue, basic.fromValue == nil, basic.toValue == nil, let model {
        return [Step(share: 0, value: model, easing: curve(basic.timingFunction)), Step(share: 1, value: by)]
      }
      guard basic.byValue == nil, basic.fromValue != nil || basic.toValue != nil, let from = basic.fromValue ?? model,
        let to = basic.toValue ?? model
      else { throw unsaid("needs fromValue, toValue or both; byValue is not said") }
      return [Step(share: 0, value: from, easing: curve(basic.timingFunction)), Step(share: 1, value: to)]
    }
    guard let keyed = animation as? CAKeyframeAnimation, keyed.path == nil, let values = keyed.values, !values.isEmpty else {
      throw unsaid("needs values; a path is not said")
    }
    let isDiscrete = keyed.calculationMode == .discrete
    guard isDiscrete || keyed.calculationMode == .linear else {
      throw unsaid("calculationMode \(keyed.calculationMode.rawValue) is not said; linear and discrete are")
    }
    let whole = curve(keyed.timingFunction)
    guard whole == nil || values.count == 2 && keyed.timingFunctions == nil else {
      throw unsaid("one timingFunction over several values is not said; set timingFunctions")
    }
    let steps = Double(max(1, isDiscrete ? values.count : values.count - 1))
    let shares = keyed.keyTimes?.map(\.doubleValue) ?? values.indices.map { Double($0) / steps }
    let isOrdered = zip(shares, shares.dropFirst()).allSatisfy { $0 <= $1 }
    guard shares.count >= values.count, isOrdered, shares.allSatisfy({ 0...1 ~= $0 }) else {
      throw unsaid("keyTimes must be one for each value, from 0 to 1, and never fall")
    }
    return values.enumerated().map { index, value in
      let own = keyed.timingFunctions.flatMap { index < $0.count ? curve($0[index]) : nil }
      return Step(share: shares[index], value: value, holds: isDiscrete, easing: own ?? whole)
    }
  }

  /// The control points of a timing function; nil for a line.
  private static func curve(_ function: CAMediaTimingFunction?) -> [Double]? {
    guard let function else { return nil }
    var points: [Double] = []
    for index in 1...2 {
      var point: [Float] = [0, 0]
      unsafe function.getControlPoint(at: index, values: &point)
      points += point.map { decimal($0) }
    }
    return points == [0, 0, 1, 1] ? nil : points
  }

  /// The same curve, run through from its end.
  private static func reversed(_ points: [Double]) -> [Double] { [1 - points[2], 1 - points[3], 1 - points[0], 1 - points[1]] }

  private static func written(_ points: [Double]) -> DocumentValue { .list(points.map { .number($0) }) }

  private static func fillsBefore(_ animation: CAAnimation) -> Bool {
    animation.fillMode == .backwards || animation.fillMode == .both
  }
  private static func fillsAfter(_ animation: CAAnimation) -> Bool {
    animation.fillMode == .forwards || animation.fillMode == .both
  }

  /// Whether the value moves from one number to another one, instead of jumping.
  var glides: Bool {
    zip(frames, frames.dropFirst()).contains { one, next in
      !one.holds && one.time < next.time && number(one.value) != number(next.value)
    }
  }

  // MARK: - The document's keyframes

  /// The keyframes, with the layer's own value before and after where it is seen there.
  func keyframes(
    _ place: String, _ convert: (Any) throws(SpoolClientError) -> DocumentValue
  ) throws(SpoolClientError) -> DocumentValue {
    var list: [DocumentValue] = []
    func add(_ frame: Frame) throws(SpoolClientError) {
      var members: [String: DocumentValue] = [
        "at": try EditTranslation.time(frame.time, place), "value": try convert(frame.value),
      ]
      if frame.holds { members["hold"] = .flag(true) }
      members["easing"] = frame.holds ? nil : frame.easing
      list.append(.object(members))
    }
    func own() throws(SpoolClientError) -> Any {
      guard let model else {
        throw SpoolClientError(property: place, reason: "the layer has no value of its own before or after")
      }
      return model
    }
    if begin > .zero, let first = frames.first {
      try add(Frame(time: .zero, value: fillsBackwards ? first.value : try own(), holds: true))
    }
    for frame in frames where frame.time <= end { try add(frame) }
    if fillsForwards { return .list(list) }
    if let last = frames.last, last.time < end || last.holds { try add(Frame(time: end, value: last.value, holds: true)) }
    try add(Frame(time: end, value: try own(), holds: true))
    return .list(list)
  }
}
