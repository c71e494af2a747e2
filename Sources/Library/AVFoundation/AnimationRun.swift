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

  /// Whether the animation decides what is seen in a range that it does not begin or end in.
  func holds(from start: MediaTime) -> Bool { start < begin ? fillsBackwards : start < end || fillsForwards }

  var last: Frame? { frames.last { $0.time <= end } ?? frames.first }
}

/// The clock on which animations run: that of the movie, or that of a group.
struct AnimationClock {
  /// The beginning in the movie, in seconds.
  var begin = 0.0
  /// The end in the movie, in seconds.
  var end: Double
  /// The group; nil for the movie.
  var group: CAAnimationGroup?
  var name: String

  /// The most keyframes that a repeated animation may have.
  private static let mostFrames = DocumentLimits.keyframes

  /// The runs of an animation and of those in it.
  ///
  /// - Parameter model: the layer's own value of a property.
  func runs(of animation: CAAnimation, model: (String) -> Any?) throws(AVError) -> [AnimationRun] {
    guard animation.timeOffset == 0, animation.speed > 0 else {
      throw fault(animation, "timeOffset and a speed that is not positive are not made")
    }
    guard group != nil || animation.beginTime != 0 else {
      throw fault(animation, "beginTime 0 is the time of day: set AVCoreAnimationBeginTimeAtZero for the movie's beginning")
    }
    let start = begin + animation.beginTime
    let usual = group == nil ? 0.25 : end - begin
    let length = (animation.duration > 0 ? animation.duration : usual) / Double(animation.speed)
    guard start.isFinite, length.isFinite, abs(start) < 360_000, length < 360_000 else {
      throw fault(animation, "its times must be numbers below 100 hours")
    }
    if let group = animation as? CAAnimationGroup { return try runs(ofGroup: group, start, length, model) }
    guard let property = animation as? CAPropertyAnimation, let key = property.keyPath else {
      throw fault(animation, "\(type(of: animation)) is not made")
    }
    guard !property.isAdditive, !property.isCumulative else { throw fault(animation, "additive animations are not made") }
    let once = try shares(of: property, model(key))
    return [try run(key, once, property, start, length)]
  }

  private func runs(
    ofGroup group: CAAnimationGroup, _ start: Double, _ length: Double, _ model: (String) -> Any?
  ) throws(AVError) -> [AnimationRun] {
    guard group.repeatCount <= 1, group.repeatDuration == 0, !group.autoreverses, group.timingFunction == nil else {
      throw fault(group, "a group that repeats, runs back or is eased is not made")
    }
    let inside = AnimationClock(begin: start, end: start + length, group: group, name: name)
    var runs: [AnimationRun] = []
    for animation in group.animations ?? [] { runs += try inside.runs(of: animation, model: model) }
    let end = try time(start + length)
    for index in runs.indices {
      runs[index].end = min(runs[index].end, end)
      // What is not seen at the group's end is not seen after it.
      let isSeenAtEnd = runs[index].end == end || runs[index].fillsForwards
      runs[index].fillsForwards = isSeenAtEnd && group.staysAfterEnd
      runs[index].fillsBackwards = runs[index].fillsBackwards && group.fillsBefore
    }
    return runs
  }

  /// The run of an animation, repeated as it says.
  private func run(
    _ key: String, _ once: [AnimationRun.Frame], _ shares: [Double], _ property: CAPropertyAnimation,
    _ start: Double, _ length: Double
  ) throws(AVError) -> AnimationRun {
    let pass = property.autoreverses ? 2 * length : length
    var count = property.repeatCount > 0 ? Double(property.repeatCount) : 1
    if property.repeatDuration > 0 { count = property.repeatDuration / pass }
    let stop = count.isFinite ? start + count * pass : max(end, start + pass)
    let passes = ((stop - start) / pass - 1e-9).rounded(.up)
    guard passes * Double(once.count * 2) <= Double(Self.mostFrames) else {
      throw fault(property, "repeats too often: it would have more than \(Self.mostFrames) keyframes")
    }
    var frames: [AnimationRun.Frame] = []
    for index in 0..<max(1, Int(passes)) {
      let origin = start + Double(index) * pass
      for (frame, share) in zip(once, shares) {
        frames.append(
          .init(time: try time(origin + share * length), value: frame.value, holds: frame.holds, easing: frame.easing))
      }
      guard property.autoreverses else { continue }
      for place in once.indices.reversed() {
        // On the way back, a keyframe moves as the one before it did on the way there.
        let way = place > 0 ? once[place - 1] : once[place]
        let value = way.holds && place > 0 ? way.value : once[place].value
        frames.append(
          .init(
            time: try time(origin + (2 - shares[place]) * length), value: value, holds: way.holds, easing: way.easing.reversed))
      }
    }
    return AnimationRun(
      key: key, frames: frames, begin: try time(start), end: try time(stop), fillsBackwards: property.fillsBefore,
      fillsForwards: group == nil ? property.staysAfterEnd : property.fillMode == .forwards || property.fillMode == .both)
  }

  private func run(
    _ key: String, _ once: (frames: [AnimationRun.Frame], shares: [Double]), _ property: CAPropertyAnimation, _ start: Double,
    _ length: Double
  ) throws(AVError) -> AnimationRun {
    try run(key, once.frames, once.shares, property, start, length)
  }

  /// The keyframes of one pass, with their places in it from 0 to 1.
  private func shares(
    of animation: CAPropertyAnimation, _ model: Any?
  ) throws(AVError) -> (frames: [AnimationRun.Frame], shares: [Double]) {
    func frame(_ value: Any, _ easing: Easing, holds: Bool = false) -> AnimationRun.Frame {
      .init(time: .zero, value: value, holds: holds, easing: easing)
    }
    if let basic = animation as? CABasicAnimation {
      guard basic.byValue == nil, basic.fromValue != nil || basic.toValue != nil, let from = basic.fromValue ?? model,
        let to = basic.toValue ?? model
      else { throw fault(animation, "needs fromValue, toValue or both; byValue is not made") }
      return ([frame(from, try easing(of: basic)), frame(to, .linear)], [0, 1])
    }
    guard let keyed = animation as? CAKeyframeAnimation, keyed.path == nil, let values = keyed.values, !values.isEmpty else {
      throw fault(animation, "needs values; a path is not made")
    }
    let isDiscrete = keyed.calculationMode == .discrete
    guard isDiscrete || keyed.calculationMode == .linear else {
      throw fault(animation, "calculationMode \(keyed.calculationMode.rawValue) is not made; linear and discrete are")
    }
    guard keyed.timingFunction.easing == .linear || values.count == 2 && keyed.timingFunctions == nil else {
      throw fault(animation, "one timingFunction over several values is not made; set timingFunctions")
    }
    let steps = Double(max(1, isDiscrete ? values.count : values.count - 1))
    let shares = keyed.keyTimes?.map(\.doubleValue) ?? values.indices.map { Double($0) / steps }
    let isOrdered = zip(shares, shares.dropFirst()).allSatisfy { $0 <= $1 }
    guard shares.count >= values.count, isOrdered, shares.allSatisfy({ 0...1 ~= $0 }) else {
      throw fault(animation, "keyTimes must be one for each value, from 0 to 1, and never fall")
    }
    let frames = values.enumerated().map { index, value in
      let function = keyed.timingFunctions.flatMap { index < $0.count ? $0[index] : nil } ?? keyed.timingFunction
      return frame(value, function.easing, holds: isDiscrete)
    }
    return (frames, Array(shares.prefix(values.count)))
  }

  private func easing(of basic: CABasicAnimation) throws(AVError) -> Easing {
    guard let spring = basic as? CASpringAnimation else { return basic.timingFunction.easing }
    guard spring.speed == 1, spring.timingFunction.easing == .linear, !spring.autoreverses else {
      throw fault(spring, "a spring with a speed, a timingFunction or a way back is not made")
    }
    let terms = [spring.mass, spring.stiffness, spring.damping]
    guard terms.allSatisfy({ $0 > 0 && $0.isFinite }), spring.initialVelocity.isFinite else {
      throw fault(spring, "mass, stiffness and damping must be above 0")
    }
    return .spring(
      Spring(
        mass: Double(spring.mass), stiffness: Double(spring.stiffness), damping: Double(spring.damping),
        velocity: Double(spring.initialVelocity)))
  }

  /// The time of so many seconds: the simplest fraction that is no more than a microsecond away.
  func time(_ seconds: Double) throws(AVError) -> MediaTime {
    guard abs(seconds) > 1e-6 else { return .zero }
    var (value, terms) = (abs(seconds), [Int64]())
    for _ in 0..<32 {
      terms.append(Int64(value.rounded(.down)))
      var (top, bottom) = (terms[terms.count - 1], Int64(1))
      for term in terms.dropLast().reversed() { (top, bottom) = (term * top + bottom, top) }
      if abs(Double(top) / Double(bottom) - abs(seconds)) <= 1e-6 || bottom > 10_000_000 {
        do { return try MediaTime(seconds < 0 ? -top : top, Int32(bottom)) } catch { break }
      }
      value = 1 / (value - value.rounded(.down))
    }
    throw AVError(.operationNotAllowed, "\(name): \(seconds) s is no time", property: name)
  }

  private func fault(_ animation: CAAnimation, _ words: String) -> AVError {
    let key = (animation as? CAPropertyAnimation)?.keyPath ?? "\(type(of: animation))"
    return AVError(.operationNotAllowed, "animationTool: \(name): animation of \(key): \(words)", property: name)
  }
}

extension CAAnimation {
  fileprivate var fillsBefore: Bool { fillMode == .backwards || fillMode == .both }
  fileprivate var staysAfterEnd: Bool { !isRemovedOnCompletion && (fillMode == .forwards || fillMode == .both) }
}

extension Optional<CAMediaTimingFunction> {
  fileprivate var easing: Easing {
    guard let points = self?.points, points != [0, 0, 1, 1] else { return .linear }
    return .bezier(x1: points[0], y1: points[1], x2: points[2], y2: points[3])
  }
}

extension Easing {
  /// The same curve, run through from its end.
  fileprivate var reversed: Easing {
    guard case .bezier(let x1, let y1, let x2, let y2) = self else { return self }
    return .bezier(x1: 1 - x2, y1: 1 - y2, x2: 1 - x1, y2: 1 - y1)
  }
}
