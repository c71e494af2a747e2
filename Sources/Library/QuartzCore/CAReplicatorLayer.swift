/// A layer that shows all that stands on it several times, each time a step further than before.
/// - Partly: copies in the plane, without shear. `preservesDepth`, a negative `instanceDelay` and animations of its own
///   properties are refused
open class CAReplicatorLayer: CALayer {
  /// The number of copies, with the first one.
  open var instanceCount = 1
  /// Whether the copies stand in the space of what the layer stands on. That is refused.
  open var preservesDepth = false
  /// The seconds by which each copy's time is behind that of the one before.
  open var instanceDelay: CFTimeInterval = 0
  /// The step from one copy to the next, about the layer's anchor point.
  open var instanceTransform = CATransform3DIdentity
  /// The colour that multiplies those of the first copy.
  open var instanceColor: CGColor? = .white
  open var instanceRedOffset: Float = 0
  open var instanceGreenOffset: Float = 0
  open var instanceBlueOffset: Float = 0
  open var instanceAlphaOffset: Float = 0
}

/// A layer that holds others in one space, and shows nothing itself.
/// - Partly: has no opacity, mask or time of its own: docs/avfoundation.md#layers-in-space
open class CATransformLayer: CALayer {}

/// The corners of a layer that are round, in its own coordinates.
public struct CACornerMask: OptionSet, Hashable, Sendable {
  public let rawValue: UInt
  public init(rawValue: UInt) { self.rawValue = rawValue }
  public static let layerMinXMinYCorner = CACornerMask(rawValue: 1)
  public static let layerMaxXMinYCorner = CACornerMask(rawValue: 2)
  public static let layerMinXMaxYCorner = CACornerMask(rawValue: 4)
  public static let layerMaxXMaxYCorner = CACornerMask(rawValue: 8)
}
