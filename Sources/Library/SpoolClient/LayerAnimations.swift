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
    case "bounds": layer.bounds
    case "bounds.size": layer.bounds.size
    case "bounds.size.width": layer.bounds.width
    case "bounds.size.height": layer.bounds.height
    case "anchorPoint": layer.anchorPoint
    case "hidden": layer.isHidden
    case "zPosition": layer.zPosition
    case "fontSize": (layer as? CATextLayer)?.fontSize
    case "foregroundColor": (layer as? CATextLayer).map { $0.foregroundColor ?? CGColor(gray: 0, alpha: 0) }
    default: nil
    }
  }

  /// Whether the layer is hidden for some time, and seen for some.
  var changesHidden: Bool { runs.contains { $0.key == "hidden" } }

  /// Puts keyframes in the place of the layer's values that change.
  ///
  /// - Parameter origin: the corner of the bounds of what the layer stands on.
  func add(to members: inout [String: DocumentValue], origin: CGPoint) throws(SpoolClientError) {
    var properties: [String] = []
    for run in runs where !properties.contains(Self.property(run.key)) { properties.append(Self.property(run.key)) }
    for property in properties {
      members[property] = try value(of: property, runs.filter { Self.property($0.key) == property }, origin)
    }
    for run in runs where run.key.hasPrefix("transform.") && !CATransform3DIsIdentity(layer.transform) {
      throw SpoolClientError(property: "\(name).\(run.key)", reason: "changes, and the layer has a transform besides")
    }
    guard !runs.contains(where: { $0.key == "transform" }) || !runs.contains(where: { $0.key.hasPrefix("transform.") }) else {
      throw SpoolClientError(property: "\(name).transform", reason: "changes, and one of its parts besides")
    }
  }

  /// The document's property that an animation's key changes.
  private static func property(_ key: String) -> String {
    switch key {
    case "position.x", "position.y": "position"
    case "transform.scale", "transform.scale.xy", "transform.scale.x", "transform.scale.y": "scale"
    case "transform.rotation", "transform.rotation.z": "rotation"
    case "bounds.size", "bounds.size.width", "bounds.size.height": "bounds"
    case "fontSize": "size"
    case "foregroundColor": "color"
    default: key
    }
  }

  /// The keyframes of a property, or the list of those that are added.
  private func value(
    of property: String, _ runs: [AnimationRun], _ origin: CGPoint
  ) throws(SpoolClientError) -> DocumentValue {
    let bases = runs.filter { !$0.isAdditive }
    if let second = bases.dropFirst().first { throw twice(property, bases[0], second) }
    if let base = bases.first, runs[0].isAdditive {
      throw SpoolClientError(
        property: "\(name).\(base.key)",
        reason: "replaces the additive animations before it as long as it is active, which is not said: add it first")
    }
    guard runs.contains(where: \.isAdditive) else { return try keyframes(of: runs[0], origin) }
    guard runs.count < Self.most else {
      throw SpoolClientError(
        property: "\(name).\(property)", reason: "has \(runs.count) animations; at most \(Self.most - 1) are said")
    }
    var parts: [DocumentValue] = []
    if bases.isEmpty { parts.append(.object(["keyframes": try still(property, runs[0], origin)])) }
    for run in runs {
      var part = ["keyframes": try keyframes(of: run, origin)]
      if run.isAdditive { part["additive"] = .flag(true) }
      parts.append(.object(part))
    }
    return .list(parts)
  }

  /// The values of a sum that a document may have.
  private static let most = 64

  private func twice(_ property: String, _ one: AnimationRun, _ other: AnimationRun) -> SpoolClientError {
    if one.key != other.key, property == "position" {
      return SpoolClientError(property: "\(name).position", reason: "both axes change; animate position")
    }
    if one.key != other.key, property == "bounds" {
      return SpoolClientError(property: "\(name).bounds", reason: "both sides change; animate bounds.size")
    }
    if one.key != other.key, property == "scale" {
      return SpoolClientError(
        property: "\(name).transform.scale", reason: "both axes change; animate transform.scale or transform")
    }
    return SpoolClientError(
      property: "\(name).\(other.key)", reason: "has two animations; one can be said, and those that are additive")
  }

  /// The layer's own value throughout, as keyframes.
  private func still(_ property: String, _ run: AnimationRun, _ origin: CGPoint) throws(SpoolClientError) -> DocumentValue {
    let value: DocumentValue? =
      switch property {
      case "opacity": .number(decimal(layer.opacity))
      case "borderWidth": .number(Double(layer.borderWidth))
      case "position": .numbers([layer.position.x - origin.x, layer.position.y - origin.y])
      case "scale": .number(1)
      case "rotation": .number(0)
      default: nil
      }
    guard let value else {
      throw SpoolClientError(property: "\(name).\(run.key)", reason: "additive animations of it are not said")
    }
    return .list([.object(["at": try EditTranslation.time(.zero, name), "value": value])])
  }

  private func keyframes(of run: AnimationRun, _ origin: CGPoint) throws(SpoolClientError) -> DocumentValue {
    let place = "\(name).\(run.key)"
    func changed(_ convert: (Any) -> DocumentValue?) throws(SpoolClientError) -> DocumentValue {
      try run.keyframes(place) { (value) throws(SpoolClientError) in
        guard let value = convert(value) else {
          throw SpoolClientError(property: place, reason: "\(type(of: value)) is no value of it")
        }
        return value
      }
    }
    // What is added is a distance, and counts from nowhere.
    let (start, own) = run.isAdditive ? (CGPoint.zero, CGPoint.zero) : (origin, layer.position)
    let neutral = run.isAdditive ? 0.0 : 1
    switch run.key {
    case "opacity", "strokeStart", "strokeEnd":
      return try share(of: run, place)
    case "cornerRadius", "borderWidth", "zPosition", "fontSize": return try changed { number($0).map { .number($0) } }
    case "anchorPoint": return try changed { point($0).map { .numbers([$0.x, $0.y]) } }
    case "hidden":
      guard !run.glides else {
        throw SpoolClientError(property: place, reason: "has nothing between its values: animate it discretely")
      }
      return try changed { number($0).map { .flag($0 != 0) } }
    case "bounds", "bounds.size", "bounds.size.width", "bounds.size.height":
      let bounds = layer.bounds
      return try changed { value in Self.size(value, run.key, bounds).map { .numbers([$0.width, $0.height]) } }
    case "foregroundColor":
      return try run.keyframes(place) { (value) throws(SpoolClientError) in try EditTranslation.anyColor(value, place) }
    case "backgroundColor":
      return try run.keyframes(place) { (value) throws(SpoolClientError) in try EditTranslation.anyColor(value, place) }
    case "position": return try changed { point($0).map { .numbers([$0.x - start.x, $0.y - start.y]) } }
    case "position.x": return try changed { number($0).map { .numbers([CGFloat($0) - start.x, own.y - start.y]) } }
    case "position.y": return try changed { number($0).map { .numbers([own.x - start.x, CGFloat($0) - start.y]) } }
    case "transform.scale", "transform.scale.xy": return try changed { number($0).map { .number($0) } }
    case "transform.scale.x": return try changed { number($0).map { .list([.number($0), .number(neutral)]) } }
    case "transform.scale.y": return try changed { number($0).map { .list([.number(neutral), .number($0)]) } }
    case "transform.rotation", "transform.rotation.z":
      // Core Animation's angles grow as the document's do, in coordinates of the same origin.
      return try changed { number($0).map { .number(Self.tidy($0 * 180 / .pi)) } }
    case "transform": return try changed(Self.affine)
    default: throw SpoolClientError(property: place, reason: "animations of it are not said")
    }
  }

  /// The keyframes of a share of one. A value beyond its bounds is refused: what lies between it and the next one would be another
  /// than that of the animation if it were brought to its bound.
  private func share(of run: AnimationRun, _ place: String) throws(SpoolClientError) -> DocumentValue {
    let bounds = run.isAdditive ? -1.0...1 : 0...1
    return try run.keyframes(place) { (value) throws(SpoolClientError) in
      guard let share = number(value) else {
        throw SpoolClientError(property: place, reason: "\(type(of: value)) is no value of it")
      }
      let clamped = min(max(share, bounds.lowerBound), bounds.upperBound)
      // Floating point leaves the last digits behind.
      guard abs(share - clamped) < 1e-6 else {
        throw SpoolClientError(property: place, reason: "\(share) is not in \(bounds.lowerBound)...\(bounds.upperBound)")
      }
      return .number(clamped)
    }
  }

  /// The size that an animation of the bounds leads to; nil where it moves their origin, too.
  private static func size(_ value: Any, _ key: String, _ bounds: CGRect) -> CGSize? {
    switch key {
    case "bounds.size": SpoolClient.size(value)
    case "bounds.size.width": number(value).map { CGSize(width: $0, height: bounds.height) }
    case "bounds.size.height": number(value).map { CGSize(width: bounds.width, height: $0) }
    default: rect(value).flatMap { $0.origin == bounds.origin ? $0.size : nil }
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
