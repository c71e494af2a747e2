internal import Formats
internal import MediaTime
internal import Timeline

extension LayerAnimations {
  /// The layer's position over time; without keyframes where it does not change.
  func point(_ key: String, _ model: CGPoint, _ convert: (CGPoint) -> Point) throws(AVError) -> Envelope<Point> {
    let axes = [changes("\(key).x"), changes("\(key).y")]
    guard axes.contains(true) || changes(key) else { return Envelope() }
    guard axes.contains(true) else {
      return try envelope([key], convert(model)) { (value) throws(AVError) in
        guard let point = value as? CGPoint else { throw Self.unknown(value, key) }
        return convert(point)
      }
    }
    guard !changes(key) else { throw unsaid("\(key) and one of its axes change") }
    let x = try envelope(["\(key).x"], Double(model.x)) { (value) throws(AVError) in try Self.number(value, "\(key).x") }
    let y = try envelope(["\(key).y"], Double(model.y)) { (value) throws(AVError) in try Self.number(value, "\(key).y") }
    return try joined(x, y, key) { convert(CGPoint(x: $0, y: $1)) }
  }

  func scale() throws(AVError) -> Envelope<Point> {
    let key = "transform.scale"
    let axes = [changes("\(key).x"), changes("\(key).y")]
    let both = [key, "\(key).xy"]
    guard axes.contains(true) else {
      return try envelope(both, Point(1, 1)) { (value) throws(AVError) in
        let factor = try Self.number(value, key)
        return Point(factor, factor)
      }
    }
    guard !both.contains(where: changes) else { throw unsaid("\(key) and one of its axes change") }
    let x = try envelope(["\(key).x"], 1.0) { (value) throws(AVError) in try Self.number(value, "\(key).x") }
    let y = try envelope(["\(key).y"], 1.0) { (value) throws(AVError) in try Self.number(value, "\(key).y") }
    return try joined(x, y, key) { Point($0, $1) }
  }

  /// The angle in degrees, clockwise as seen. Where y grows upwards, Core Animation's angles go the other way.
  func rotation(isDown: Bool) throws(AVError) -> Envelope<Double> {
    try envelope(["transform.rotation", "transform.rotation.z"], 0.0) { (value) throws(AVError) in
      let degrees = tidy(try Self.number(value, "transform.rotation") * 180 / .pi)
      return degrees == 0 ? 0 : isDown ? degrees : -degrees
    }
  }

  /// The transform over time; without keyframes where it does not change.
  func transform(
    _ model: CATransform3D, _ map: CGAffineTransform, isDown: Bool
  ) throws(AVError) -> Envelope<Formats.AffineTransform> {
    let parts = ["scale", "scale.x", "scale.y", "scale.xy", "rotation", "rotation.z"].map { "transform.\($0)" }
    let changesPart = parts.contains(where: changes)
    guard !changesPart || model == CATransform3DIdentity && !changes("transform") else {
      throw unsaid("a part of transform changes where transform is set or changes, too")
    }
    guard changes("transform") else { return Envelope() }
    let space = Space(parent: .zero, isDown: isDown)
    return try envelope(["transform"], space.map(try affine(map, "transform", .operationNotAllowed))) { (value) throws(AVError) in
      guard let map = (value as? CATransform3D)?.affine ?? value as? CGAffineTransform else {
        throw Self.unknown(value, "transform")
      }
      return space.map(try affine(map, "transform", .operationNotAllowed))
    }
  }

  /// The two axes as one value. They must change at the same times, in the same way, unless one of them does not change.
  private func joined(
    _ x: Envelope<Double>, _ y: Envelope<Double>, _ key: String, _ convert: (Double, Double) -> Point
  ) throws(AVError) -> Envelope<Point> {
    if let constant = y.constant {
      return Envelope(x.keyframes.map { .init($0.time, convert($0.value, constant), holds: $0.holds, easing: $0.easing) })
    }
    if let constant = x.constant {
      return Envelope(y.keyframes.map { .init($0.time, convert(constant, $0.value), holds: $0.holds, easing: $0.easing) })
    }
    let isAlike =
      x.keyframes.count == y.keyframes.count
      && zip(x.keyframes, y.keyframes).allSatisfy { ($0.time, $0.holds, $0.easing) == ($1.time, $1.holds, $1.easing) }
    guard isAlike else { throw unsaid("the axes of \(key) must change at the same times, in the same way") }
    return Envelope(
      zip(x.keyframes, y.keyframes).map { .init($0.time, convert($0.value, $1.value), holds: $0.holds, easing: $0.easing) })
  }

  private func unsaid(_ words: String) -> AVError { AVError(.operationNotAllowed, "animationTool: \(words)") }

  static func number(_ value: Any, _ property: String) throws(AVError) -> Double {
    switch value {
    case let value as Double: try AVFoundation.number(CGFloat(value), property)
    case let value as CGFloat: try AVFoundation.number(value, property)
    case let value as Float: try AVFoundation.number(CGFloat(decimal(value)), property)
    case let value as Int: Double(value)
    case let value as NSNumber: try AVFoundation.number(CGFloat(value.doubleValue), property)
    default: throw unknown(value, property)
    }
  }

  static func color(_ value: Any, _ property: String) throws(AVError) -> RGBAColor {
    guard let color = value as? CGColor else { throw unknown(value, property) }
    return try AVFoundation.color(color, property)
  }

  private static func unknown(_ value: Any, _ property: String) -> AVError {
    AVError(.operationNotAllowed, "animationTool: \(property): \(type(of: value)) is no value of it", property: property)
  }
}
