internal import AVFoundation

/// The animations of a layer, as keyframes of the document's values.
struct LayerAnimations {
  private let layer: CALayer
  private let name: String
  private var runs: [AnimationRun] = []

  init(_ layer: CALayer, _ name: String) throws(SpoolClientError) {
    (self.layer, self.name) = (layer, name)
    for key in layer.animationKeys() ?? [] {
      guard let animation = layer.animation(forKey: key) else { continue }
      runs += try AnimationRun.all(of: animation, in: nil, model: model, "\(name).\(key)")
    }
    for (index, run) in runs.enumerated() where runs[..<index].contains(where: { $0.key == run.key }) {
      throw SpoolClientError(property: "\(name).\(run.key)", reason: "has two animations; one can be said")
    }
  }

  /// The layer's own value of a property.
  private func model(_ key: String) -> Any? {
    switch key {
    case "opacity": decimal(layer.opacity)
    case "position": layer.position
    case "position.x": layer.position.x
    case "position.y": layer.position.y
    case "transform": layer.transform
    case "transform.scale", "transform.scale.xy", "transform.scale.x", "transform.scale.y": 1.0
    case "transform.rotation", "transform.rotation.z": 0.0
    case "backgroundColor": layer.backgroundColor ?? CGColor(gray: 0, alpha: 0)
    case "cornerRadius": layer.cornerRadius
    case "borderWidth": layer.borderWidth
    case "strokeStart": (layer as? CAShapeLayer)?.strokeStart
    case "strokeEnd": (layer as? CAShapeLayer)?.strokeEnd
    default: nil
    }
  }

  /// Puts keyframes in the place of the layer's values that change.
  ///
  /// - Parameter origin: the corner of the bounds of what the layer stands on.
  func add(to members: inout [String: DocumentValue], origin: CGPoint) throws(SpoolClientError) {
    for run in runs {
      let place = "\(name).\(run.key)"
      func changed(_ convert: (Any) -> DocumentValue?) throws(SpoolClientError) -> DocumentValue {
        try run.keyframes(place) { (value) throws(SpoolClientError) in
          guard let value = convert(value) else {
            throw SpoolClientError(property: place, reason: "\(type(of: value)) is no value of it")
          }
          return value
        }
      }
      switch run.key {
      case "opacity", "strokeStart", "strokeEnd":
        members[run.key] = try changed { number($0).map { .number(min(max($0, 0), 1)) } }
      case "cornerRadius", "borderWidth": members[run.key] = try changed { number($0).map { .number($0) } }
      case "backgroundColor":
        members[run.key] = try run.keyframes(place) { (value) throws(SpoolClientError) in
          try EditTranslation.anyColor(value, place)
        }
      case "position": members["position"] = try changed { point($0).map { .numbers([$0.x - origin.x, $0.y - origin.y]) } }
      case "position.x", "position.y": try addPosition(run, to: &members, origin, changed)
      case "transform.scale", "transform.scale.xy": members["scale"] = try changed { number($0).map { .number($0) } }
      case "transform.scale.x": members["scale"] = try scale(changed { number($0).map { .list([.number($0), .number(1)]) } })
      case "transform.scale.y": members["scale"] = try scale(changed { number($0).map { .list([.number(1), .number($0)]) } })
      case "transform.rotation", "transform.rotation.z":
        // Core Animation's angles grow as the document's do, in coordinates of the same origin.
        members["rotation"] = try changed { number($0).map { .number(Self.tidy($0 * 180 / .pi)) } }
      case "transform": members["transform"] = try changed(Self.affine)
      default: throw SpoolClientError(property: place, reason: "animations of it are not said")
      }
      guard !run.key.hasPrefix("transform.") || CATransform3DIsIdentity(layer.transform) else {
        throw SpoolClientError(property: place, reason: "changes, and the layer has a transform besides")
      }
    }
    guard !runs.contains(where: { $0.key == "transform" }) || !runs.contains(where: { $0.key.hasPrefix("transform.") }) else {
      throw SpoolClientError(property: "\(name).transform", reason: "changes, and one of its parts besides")
    }
  }

  private func scale(_ value: DocumentValue) throws(SpoolClientError) -> DocumentValue {
    guard runs.filter({ $0.key.hasPrefix("transform.scale") }).count == 1 else {
      throw SpoolClientError(
        property: "\(name).transform.scale", reason: "both axes change; animate transform.scale or transform")
    }
    return value
  }

  private func addPosition(
    _ run: AnimationRun, to members: inout [String: DocumentValue], _ origin: CGPoint,
    _ changed: ((Any) -> DocumentValue?) throws(SpoolClientError) -> DocumentValue
  ) throws(SpoolClientError) {
    guard runs.filter({ $0.key.hasPrefix("position") }).count == 1 else {
      throw SpoolClientError(property: "\(name).position", reason: "both axes change; animate position")
    }
    let place = layer.position
    members["position"] = try changed { value in
      number(value).map {
        run.key == "position.x"
          ? .numbers([CGFloat($0) - origin.x, place.y - origin.y]) : .numbers([place.x - origin.x, CGFloat($0) - origin.y])
      }
    }
  }

  private static func affine(_ value: Any) -> DocumentValue? {
    guard let map = transform(value), CATransform3DIsAffine(map) else { return nil }
    let plane = CATransform3DGetAffineTransform(map)
    return .numbers([plane.a, plane.b, plane.c, plane.d, plane.tx, plane.ty])
  }

  /// The number without what multiplications of floating point leave behind.
  private static func tidy(_ value: Double) -> Double {
    let rounded = (value * 1e6).rounded() / 1e6
    return abs(rounded - value) < 1e-9 * max(1, abs(value)) ? rounded : value
  }
}
