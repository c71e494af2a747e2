public struct CAValueFunctionName: RawRepresentable, Hashable, Sendable {
  public let rawValue: String
  public init(rawValue: String) { self.rawValue = rawValue }
  public static let rotateX = CAValueFunctionName(rawValue: "rotateX")
  public static let rotateY = CAValueFunctionName(rawValue: "rotateY")
  public static let rotateZ = CAValueFunctionName(rawValue: "rotateZ")
  public static let scale = CAValueFunctionName(rawValue: "scale")
  public static let scaleX = CAValueFunctionName(rawValue: "scaleX")
  public static let scaleY = CAValueFunctionName(rawValue: "scaleY")
  public static let scaleZ = CAValueFunctionName(rawValue: "scaleZ")
  public static let translate = CAValueFunctionName(rawValue: "translate")
  public static let translateX = CAValueFunctionName(rawValue: "translateX")
  public static let translateY = CAValueFunctionName(rawValue: "translateY")
  public static let translateZ = CAValueFunctionName(rawValue: "translateZ")
}

/// The part of a transform that an animation's numbers say, such as its turn about the x axis.
open class CAValueFunction: NSObject {
  public let name: CAValueFunctionName

  /// Makes a function; nil for a name that is not known.
  public init?(name: CAValueFunctionName) {
    guard Self.keyPaths[name] != nil else { return nil }
    self.name = name
  }

  /// The key path that says the same. An export refuses the parts that it does not make, by their key paths.
  var keyPath: String? { Self.keyPaths[name] }

  private static let keyPaths: [CAValueFunctionName: String] = [
    .rotateX: "transform.rotation.x", .rotateY: "transform.rotation.y", .rotateZ: "transform.rotation.z",
    .scale: "transform.scale.xyz", .scaleX: "transform.scale.x", .scaleY: "transform.scale.y", .scaleZ: "transform.scale.z",
    .translate: "transform.translation.xyz", .translateX: "transform.translation.x", .translateY: "transform.translation.y",
    .translateZ: "transform.translation.z",
  ]
}
