internal import Formats
internal import MediaTime
internal import Timeline

/// The animations of a layer. Where several are of one property, the one that was added last decides, as long as it is active; those
/// that are additive are added to what it says.
struct LayerAnimations {
  private(set) var runs: [AnimationRun] = []
  let time: LayerTime.Own
  let name: String
  let layer: CALayer

  private static let keys: Set<String> = [
    "opacity", "position", "position.x", "position.y", "transform", "transform.scale", "transform.scale.x", "transform.scale.y",
    "transform.scale.xy", "transform.rotation", "transform.rotation.x", "transform.rotation.y", "transform.rotation.z",
    "transform.translation", "transform.translation.x", "transform.translation.y", "bounds", "bounds.size", "bounds.size.width",
    "bounds.size.height", "backgroundColor", "cornerRadius", "borderWidth", "borderColor", "shadowOpacity", "shadowColor",
    "shadowOffset", "shadowRadius", "anchorPoint", "anchorPoint.x", "anchorPoint.y", "hidden", "zPosition",
    AnimationRun.transitionKey,
  ]
  private static let textKeys: Set<String> = ["fontSize", "foregroundColor"]
  private static let shapeKeys: Set<String> = [
    "path", "strokeStart", "strokeEnd", "fillColor", "strokeColor", "lineWidth", "lineDashPhase",
  ]
  private static let gradientKeys: Set<String> = ["colors", "locations", "startPoint", "endPoint"]

  /// - Parameter time: the layer's time, on which its keyframes count.
  init(_ layer: CALayer, on time: LayerTime.Own, _ name: String) throws(AVError) {
    (self.layer, self.name, self.time) = (layer, name, time)
    let clock = AnimationClock(begin: time.origin.seconds, end: time.end.seconds, name: name)
    for (_, animation) in layer.animations {
      for run in try clock.runs(of: animation, model: { Self.model($0, layer) }) {
        guard Self.isKnown(run.key, layer) else { throw Self.unsaid(name, "animations of '\(run.key)' are not made") }
        runs.append(run)
      }
    }
  }

  private static func isKnown(_ key: String, _ layer: CALayer) -> Bool {
    switch layer {
    case is CAShapeLayer where shapeKeys.contains(key): true
    case is CAGradientLayer where gradientKeys.contains(key): true
    case is CATextLayer where textKeys.contains(key): true
    case is CATextLayer, is CAShapeLayer, is CAGradientLayer:
      keys.contains(key) && key != AnimationRun.transitionKey || layer.animatedFilter(key) != nil
    default: keys.contains(key) || key == "contents" || layer.animatedFilter(key) != nil
    }
  }

  /// The layer's own value of a property.
  private static func model(_ key: String, _ layer: CALayer) -> Any? {
    let shape = layer as? CAShapeLayer
    switch key {
    case "opacity": return decimal(layer.opacity)
    case "position": return layer.position
    case "position.x": return layer.position.x
    case "position.y": return layer.position.y
    case "transform": return layer.transform
    case "bounds": return layer.bounds
    case "bounds.size": return layer.bounds.size
    case "bounds.size.width": return layer.bounds.width
    case "bounds.size.height": return layer.bounds.height
    case "anchorPoint": return layer.anchorPoint
    case "anchorPoint.x": return layer.anchorPoint.x
    case "anchorPoint.y": return layer.anchorPoint.y
    case "hidden": return layer.isHidden
    case "zPosition": return layer.zPosition
    case "fontSize": return (layer as? CATextLayer)?.fontSize
    case "foregroundColor": return (layer as? CATextLayer)?.foregroundColor ?? CGColor.clear
    case "backgroundColor": return layer.backgroundColor ?? CGColor.clear
    case "cornerRadius": return layer.cornerRadius
    case "borderWidth": return layer.borderWidth
    case "borderColor": return layer.borderColor ?? CGColor.clear
    case "shadowOpacity": return decimal(layer.shadowOpacity)
    case "shadowColor": return layer.shadowColor
    case "shadowOffset": return layer.shadowOffset
    case "shadowRadius": return layer.shadowRadius
    case "strokeStart": return shape?.strokeStart
    case "strokeEnd": return shape?.strokeEnd
    case "lineWidth": return shape?.lineWidth
    case "lineDashPhase": return shape?.lineDashPhase
    case "fillColor": return shape?.fillColor
    case "strokeColor": return shape?.strokeColor
    case "path": return shape?.path
    case "colors": return (layer as? CAGradientLayer)?.colors
    case "locations": return (layer as? CAGradientLayer)?.locations
    case "startPoint": return (layer as? CAGradientLayer)?.startPoint
    case "endPoint": return (layer as? CAGradientLayer)?.endPoint
    default: return key.hasPrefix("transform.") ? part(key, layer) : layer.animatedFilter(key)
    }
  }

  /// A part of the layer's own transform.
  private static func part(_ key: String, _ layer: CALayer) -> Any? {
    guard let parts = TransformParts(layer.transform), let angles = parts.angles else { return nil }
    switch key {
    case "transform.scale", "transform.scale.x", "transform.scale.xy": return parts.scale.x
    case "transform.scale.y": return parts.scale.y
    case "transform.rotation", "transform.rotation.z": return angles.z
    case "transform.rotation.x": return angles.x
    case "transform.rotation.y": return angles.y
    case "transform.translation": return CGSize(width: parts.translation.x, height: parts.translation.y)
    case "transform.translation.x": return parts.translation.x
    case "transform.translation.y": return parts.translation.y
    default: return nil
    }
  }

  func changes(_ key: String) -> Bool { runs.contains { $0.key == key } }
  func changesAny(_ keys: [String]) -> Bool { keys.contains(where: changes) }

  /// These animations without some of them.
  func without(_ isLeftOut: (AnimationRun) -> Bool) -> LayerAnimations {
    var rest = self
    rest.runs.removeAll(where: isLeftOut)
    return rest
  }

  static func unsaid(_ name: String, _ words: String) -> AVError {
    AVError(.operationNotAllowed, "animationTool: \(name): \(words)", property: name)
  }

  func unsaid(_ words: String) -> AVError { Self.unsaid(name, words) }

  // MARK: - Values

  static func number(_ value: Any, _ property: String) throws(AVError) -> Double {
    switch value {
    case is CGPoint, is CGSize, is CGRect, is CATransform3D, is CGColor: throw unknown(value, property)
    case let flag as Bool: return flag ? 1 : 0
    default:
      guard let number = KeyValue.numbers(value)?.first else { throw unknown(value, property) }
      return try AVFoundation.number(CGFloat(number), property)
    }
  }

  static func color(_ value: Any, _ property: String) throws(AVError) -> RGBAColor {
    guard let color = value as? CGColor else { throw unknown(value, property) }
    return try AVFoundation.color(color, property)
  }

  static func unknown(_ value: Any, _ property: String) -> AVError {
    AVError(.operationNotAllowed, "animationTool: \(property): \(type(of: value)) is no value of it", property: property)
  }
}

/// Computes something of exact times.
///
/// - Throws: an `AVError` where a time does not fit.
func timed<Value>(_ name: String, _ compute: () throws(TimeError) -> Value) throws(AVError) -> Value {
  do { return try compute() } catch { throw LayerAnimations.unsaid(name, "\(error)") }
}
