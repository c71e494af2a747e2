/// - Partly: as `CATransition`
public struct CATransitionType: RawRepresentable, Hashable, Sendable {
  public let rawValue: String
  public init(rawValue: String) { self.rawValue = rawValue }
  public static let fade = CATransitionType(rawValue: "fade")
  public static let moveIn = CATransitionType(rawValue: "moveIn")
  public static let push = CATransitionType(rawValue: "push")
  public static let reveal = CATransitionType(rawValue: "reveal")
}

/// - Partly: as `CATransition`
public struct CATransitionSubtype: RawRepresentable, Hashable, Sendable {
  public let rawValue: String
  public init(rawValue: String) { self.rawValue = rawValue }
  public static let fromRight = CATransitionSubtype(rawValue: "fromRight")
  public static let fromLeft = CATransitionSubtype(rawValue: "fromLeft")
  public static let fromTop = CATransitionSubtype(rawValue: "fromTop")
  public static let fromBottom = CATransitionSubtype(rawValue: "fromBottom")
}

/// The key under which a layer has its transition, whatever key it was added for.
/// - Partly: as `CATransition`
public let kCATransition = "transition"

/// A passage from the contents that a layer had when the transition was added to those that it has afterwards.
/// - Partly: of `contents`: from those that the layer had when the transition was added. A fade needs opaque pictures in one
///   rectangle, the others a subtype, and a layer without background and sublayers
open class CATransition: CAAnimation {
  open var type = CATransitionType.fade
  open var subtype: CATransitionSubtype?
  /// The shares of the passage at which it begins and ends.
  open var startProgress: Float = 0
  open var endProgress: Float = 1
  /// The contents from which the passage leads, once it is a layer's.
  package final var origin: Any?

  override func copied() -> CAAnimation {
    let copy = CATransition()
    fill(copy)
    (copy.type, copy.subtype, copy.startProgress, copy.endProgress) = (type, subtype, startProgress, endProgress)
    return copy
  }
}
