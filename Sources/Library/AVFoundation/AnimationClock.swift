internal import MediaTime
internal import Timeline

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
  /// The most passes of a group. Each has keyframes of its own.
  private static let mostPasses = 1_000

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
    let keyframes = AnimationKeyframes(name: name)
    if let transition = animation as? CATransition {
      let once = try keyframes.shares(of: transition)
      return [try run(AnimationRun.transitionKey, once, transition, start, length)]
    }
    guard let property = animation as? CAPropertyAnimation, let key = property.fullKeyPath else {
      throw fault(animation, "\(type(of: animation)) is not made")
    }
    var made = try run(key, try keyframes.shares(of: property, model(key)), property, start, length)
    made.isAdditive = property.isAdditive
    if let keyed = property as? CAKeyframeAnimation { try take(keyed, into: &made) }
    return [made]
  }

  /// Gives a run the curve or the way of its animation.
  private func take(_ keyed: CAKeyframeAnimation, into run: inout AnimationRun) throws(AVError) {
    if let path = keyed.path, keyed.calculationMode != .discrete {
      guard !keyed.isAdditive, !keyed.isCumulative else {
        throw fault(keyed, "a path that is added, or that each pass begins where the one before it ended, is not made")
      }
      run.route = AnimationRoute(path: path, rotationMode: keyed.rotationMode)
    } else if [.cubic, .cubicPaced].contains(keyed.calculationMode) {
      run.curveCount = keyed.values?.count
    }
  }

  private func runs(
    ofGroup group: CAAnimationGroup, _ start: Double, _ length: Double, _ model: (String) -> Any?
  ) throws(AVError) -> [AnimationRun] {
    guard !group.autoreverses, group.speed == 1 else { throw fault(group, "a group that runs back or has a speed is not made") }
    let count = passes(of: group, start, length)
    guard count <= Double(Self.mostPasses) else { throw fault(group, "repeats more than \(Self.mostPasses) times") }
    var runs: [AnimationRun] = []
    for pass in 0..<max(1, Int(count.rounded(.up))) {
      let begin = start + Double(pass) * length
      let inside = AnimationClock(begin: begin, end: begin + length, group: group, name: name)
      let end = min(begin + length, start + count * length)
      runs += try inside.pass(until: end, isFirst: pass == 0, isLast: Double(pass + 1) >= count, model)
    }
    return runs
  }

  /// The runs of one pass of the group. What is held before and after an animation is held within the pass.
  private func pass(
    until end: Double, isFirst: Bool, isLast: Bool, _ model: (String) -> Any?
  ) throws(AVError) -> [AnimationRun] {
    guard let group else { return [] }
    var runs: [AnimationRun] = []
    for animation in group.animations ?? [] { runs += try self.runs(of: animation, model: model) }
    if group.timingFunction.easing != .linear { try ease(&runs, as: group) }
    let (first, last) = (try time(begin), try time(end))
    for index in runs.indices {
      if runs[index].fillsBackwards { runs[index].begin = min(runs[index].begin, first) }
      runs[index].end = runs[index].fillsForwards ? last : min(runs[index].end, last)
      // What is not seen at the group's end is not seen after it, and likewise before its beginning.
      runs[index].fillsForwards = isLast && runs[index].end == last && group.staysAfterEnd
      runs[index].fillsBackwards = isFirst && runs[index].begin <= first && group.fillsBefore
    }
    // An animation that begins after the pass's end is not seen in it.
    return runs.filter { $0.begin < $0.end }
  }

  /// Eases runs as their group is eased, whose time goes on as its timing function says.
  private func ease(_ runs: inout [AnimationRun], as group: CAAnimationGroup) throws(AVError) {
    let whole = (try time(begin), try time(end))
    for index in runs.indices {
      let frames = runs[index].frames
      guard frames.count == 2, (frames[0].time, frames[1].time) == whole, frames[0].easing == .linear, !frames[0].holds,
        runs[index].curveCount == nil
      else {
        throw fault(
          group, "an eased group is made where each of its animations lasts as long, from one value to another, not eased")
      }
      runs[index].frames[0].easing = group.timingFunction.easing
    }
  }

  /// The passes of an animation that can be seen. A count such as Float.greatestFiniteMagnitude means as many as there is time for.
  private func passes(of animation: CAAnimation, _ start: Double, _ pass: Double) -> Double {
    var count = animation.repeatCount > 0 ? Double(animation.repeatCount) : 1
    if animation.repeatDuration > 0 { count = animation.repeatDuration / pass }
    return min(count, max(1, ((end - start) / pass).rounded(.up)))
  }

  /// The run of an animation, repeated as it says.
  private func run(
    _ key: String, _ once: [AnimationRun.Frame], _ shares: [Double], _ property: CAAnimation, _ start: Double, _ length: Double
  ) throws(AVError) -> AnimationRun {
    let pass = property.autoreverses ? 2 * length : length
    let isEndless = property.repeatDuration > 0 ? !property.repeatDuration.isFinite : !property.repeatCount.isFinite
    let stop = isEndless ? max(end, start + pass) : start + passes(of: property, start, pass) * pass
    let passes = ((stop - start) / pass - 1e-9).rounded(.up)
    guard passes * Double(once.count * 2) <= Double(Self.mostFrames) else {
      throw fault(property, "repeats too often: it would have more than \(Self.mostFrames) keyframes")
    }
    var frames: [AnimationRun.Frame] = []
    for index in 0..<max(1, Int(passes)) {
      let origin = start + Double(index) * pass
      let once = try accumulated(once, after: index, property)
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

  /// The frames of a pass. Those of a cumulative animation have the value at a pass's end added, once for each pass before.
  private func accumulated(
    _ once: [AnimationRun.Frame], after passes: Int, _ animation: CAAnimation
  ) throws(AVError) -> [AnimationRun.Frame] {
    guard passes > 0, let property = animation as? CAPropertyAnimation, property.isCumulative,
      let end = property.autoreverses ? once.first : once.last
    else { return once }
    var frames = once
    for index in frames.indices {
      guard let sum = KeyValue.added(frames[index].value, end.value, times: passes) else {
        throw fault(animation, "a cumulative animation must be of numbers, points, sizes or transforms")
      }
      frames[index].value = sum
    }
    return frames
  }

  private func run(
    _ key: String, _ once: (frames: [AnimationRun.Frame], shares: [Double]), _ property: CAAnimation, _ start: Double,
    _ length: Double
  ) throws(AVError) -> AnimationRun {
    try run(key, once.frames, once.shares, property, start, length)
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
    AnimationKeyframes(name: name).fault(animation, words)
  }
}

extension CAAnimation {
  fileprivate var fillsBefore: Bool { fillMode == .backwards || fillMode == .both }
  fileprivate var staysAfterEnd: Bool { !isRemovedOnCompletion && (fillMode == .forwards || fillMode == .both) }
}

extension Optional<CAMediaTimingFunction> {
  var easing: Easing {
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
