internal import Formats
internal import MediaTime
internal import Timeline

/// The keyframes of one pass of an animation, with their places in it from 0 to 1.
struct AnimationKeyframes {
  typealias Pass = (frames: [AnimationRun.Frame], shares: [Double])

  /// The layer's name, for errors.
  var name: String

  func shares(of animation: CAPropertyAnimation, _ model: Any?) throws(AVError) -> Pass {
    if let basic = animation as? CABasicAnimation {
      let (from, to) = try ends(of: basic, model)
      return ([frame(from, try easing(of: basic)), frame(to, .linear)], [0, 1])
    }
    guard let keyed = animation as? CAKeyframeAnimation else {
      throw fault(animation, "\(type(of: animation)) is not made")
    }
    for (values, property) in [
      (keyed.tensionValues, "tensionValues"), (keyed.continuityValues, "continuityValues"), (keyed.biasValues, "biasValues"),
    ] where values?.contains(where: { $0.doubleValue != 0 }) ?? false {
      throw fault(animation, "\(property) other than 0 are not made")
    }
    if let path = keyed.path { return try shares(of: keyed, along: path) }
    guard keyed.rotationMode == nil else { throw fault(animation, "rotationMode needs a path") }
    guard let values = keyed.values, !values.isEmpty else { throw fault(animation, "needs values or a path") }
    switch keyed.calculationMode {
    case .paced, .cubicPaced: return try paced(values, keyed)
    case .linear, .discrete, .cubic: return try timed(values, keyed)
    default: throw fault(animation, "calculationMode \(keyed.calculationMode.rawValue) is not known")
    }
  }

  /// The progress of a transition.
  func shares(of transition: CATransition) throws(AVError) -> Pass {
    let (start, end) = (decimal(transition.startProgress), decimal(transition.endProgress))
    guard 0...1 ~= start, 0...1 ~= end, start <= end else {
      throw fault(transition, "startProgress and endProgress must be from 0 to 1, and not fall")
    }
    return ([frame(start, transition.timingFunction.easing), frame(end, .linear)], [0, 1])
  }

  func fault(_ animation: CAAnimation, _ words: String) -> AVError {
    let key = (animation as? CAPropertyAnimation)?.fullKeyPath ?? "\(type(of: animation))"
    return AVError(.operationNotAllowed, "animationTool: \(name): animation of \(key): \(words)", property: name)
  }

  private func frame(_ value: Any, _ easing: Easing, holds: Bool = false) -> AnimationRun.Frame {
    .init(time: .zero, value: value, holds: holds, easing: easing)
  }

  /// The first and the last value of an animation between two.
  private func ends(of basic: CABasicAnimation, _ model: Any?) throws(AVError) -> (Any, Any) {
    // What is added counts from nothing.
    let zero = (basic.byValue ?? basic.fromValue ?? basic.toValue).flatMap { KeyValue.nothing(like: $0) }
    let model = basic.isAdditive ? zero : model
    let ends: (Any?, Any?) =
      switch (basic.fromValue, basic.toValue, basic.byValue) {
      case (let from?, let to?, _): (from, to)
      case (let from?, nil, let by?): (from, KeyValue.sum(from, by))
      case (nil, let to?, let by?): (KeyValue.sum(to, by, times: -1), to)
      case (nil, nil, let by?): (model, model.flatMap { KeyValue.sum($0, by) })
      case (let from?, nil, nil): (from, model)
      case (nil, let to?, nil): (model, to)
      case (nil, nil, nil): (nil, nil)
      }
    guard let from = ends.0, let to = ends.1 else {
      throw fault(basic, "needs fromValue, toValue or byValue, of a kind that the property has")
    }
    return (from, to)
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

  // MARK: - Lists of values

  private func timed(_ values: [Any], _ keyed: CAKeyframeAnimation) throws(AVError) -> Pass {
    let isDiscrete = keyed.calculationMode == .discrete
    guard keyed.timingFunction.easing == .linear || values.count == 2 && keyed.timingFunctions == nil else {
      throw fault(keyed, "one timingFunction over several values is not made; set timingFunctions")
    }
    let shares = try places(of: values.count, steps: isDiscrete ? values.count : values.count - 1, keyed)
    let frames = values.enumerated().map { index, value in
      let function = keyed.timingFunctions.flatMap { index < $0.count ? $0[index] : nil } ?? keyed.timingFunction
      return frame(value, function.easing, holds: isDiscrete)
    }
    return (frames, shares)
  }

  /// The places of values: those that the animation has, else even ones.
  private func places(of count: Int, steps: Int, _ keyed: CAKeyframeAnimation) throws(AVError) -> [Double] {
    let shares = keyed.keyTimes?.map(\.doubleValue) ?? (0..<count).map { Double($0) / Double(max(1, steps)) }
    let isOrdered = zip(shares, shares.dropFirst()).allSatisfy { $0 <= $1 }
    guard shares.count >= count, isOrdered, shares.allSatisfy({ 0...1 ~= $0 }) else {
      throw fault(keyed, "keyTimes must be one for each value, from 0 to 1, and never fall")
    }
    return Array(shares.prefix(count))
  }

  /// The values at the places at which one that moves evenly has them. Times and timing functions of keyframes do not count.
  private func paced(_ values: [Any], _ keyed: CAKeyframeAnimation) throws(AVError) -> Pass {
    guard keyed.timingFunction.easing == .linear || values.count == 2 else {
      throw fault(keyed, "a timingFunction over several paced values is not made")
    }
    var ways = [0.0]
    for (one, other) in zip(values, values.dropFirst()) {
      guard let way = KeyValue.distance(one, other) else { throw fault(keyed, "paced values must be numbers of one kind") }
      ways.append(ways[ways.count - 1] + way)
    }
    guard let whole = ways.last, whole > 0, whole.isFinite else { throw fault(keyed, "paced values must differ") }
    return (values.map { frame($0, keyed.timingFunction.easing) }, ways.map { $0 / whole })
  }

  // MARK: - Ways

  /// The shares of a way's length that are behind the layer; for a discrete animation the points themselves.
  private func shares(of keyed: CAKeyframeAnimation, along path: CGPath) throws(AVError) -> Pass {
    guard keyed.keyPath == "position" else { throw fault(keyed, "a path leads the position alone") }
    let moves = path.parts.filter { if case .move = $0 { true } else { false } }
    guard moves.count == 1, case .move(let start)? = path.parts.first, path.parts.count > 1 else {
      throw fault(keyed, "a path must be one line of lines and curves")
    }
    let pieces = VectorPath(path.parts.map { $0.element { Point(Double($0.x), Double($0.y)) } }).pieces
    let whole = pieces.reduce(0) { $0 + $1.length }
    guard whole > 0, whole.isFinite, pieces.count <= DocumentLimits.motionPathElements else {
      throw fault(keyed, "a path must have a length, and at most \(DocumentLimits.motionPathElements) parts")
    }
    switch keyed.calculationMode {
    case .paced: return ([frame(0.0, keyed.timingFunction.easing), frame(1.0, .linear)], [0, 1])
    case .discrete:
      guard keyed.rotationMode == nil else { throw fault(keyed, "a layer that jumps does not turn with its path") }
      let points = [start] + pieces.map { CGPoint(x: $0.points[$0.points.count - 1].x, y: $0.points[$0.points.count - 1].y) }
      return try timed(points, keyed)
    case .linear:
      guard pieces.allSatisfy({ $0.points.count == 2 }) else {
        throw fault(keyed, "a path with curves must be paced: nothing says how a layer moves within one otherwise")
      }
      var passed = [0.0]
      for piece in pieces { passed.append(min(1, passed[passed.count - 1] + piece.length / whole)) }
      return try timed(passed, keyed)
    default: throw fault(keyed, "calculationMode \(keyed.calculationMode.rawValue) of a path is not made; paced and linear are")
    }
  }
}

extension CGPath.Part {
  /// The part with other points.
  func element(_ map: (CGPoint) -> Point) -> VectorPath.Element {
    switch self {
    case .move(let point): .move(map(point))
    case .line(let point): .line(map(point))
    case .curve(let first, let second, let end): .curve(map(first), map(second), to: map(end))
    case .close: .close
    }
  }
}
