public struct CALayerContentsFilter: RawRepresentable, Hashable, Sendable {
  public let rawValue: String
  public init(rawValue: String) { self.rawValue = rawValue }
  public static let linear = CALayerContentsFilter(rawValue: "linear")
  public static let nearest = CALayerContentsFilter(rawValue: "nearest")
  public static let trilinear = CALayerContentsFilter(rawValue: "trilinear")
}

public struct CALayerCornerCurve: RawRepresentable, Hashable, Sendable {
  public let rawValue: String
  public init(rawValue: String) { self.rawValue = rawValue }
  public static let circular = CALayerCornerCurve(rawValue: "circular")
  public static let continuous = CALayerCornerCurve(rawValue: "continuous")
}

/// A clock of one's own within that of what one stands in: layers and animations have one. Times are in seconds.
public protocol CAMediaTiming: NSObjectProtocol {
  var beginTime: CFTimeInterval { get set }
  var duration: CFTimeInterval { get set }
  var speed: Float { get set }
  var timeOffset: CFTimeInterval { get set }
  var repeatCount: Float { get set }
  var repeatDuration: CFTimeInterval { get set }
  var autoreverses: Bool { get set }
  var fillMode: CAMediaTimingFillMode { get set }
}

extension CALayer: CAMediaTiming {}
extension CAAnimation: CAMediaTiming {}

/// An action that runs on a screen when a layer's property changes. None does here.
public protocol CAAction {
  func run(forKey event: String, object anObject: Any, arguments dict: [AnyHashable: Any]?)
}

extension CAAnimation: CAAction {
  public func run(forKey event: String, object anObject: Any, arguments dict: [AnyHashable: Any]?) {
    (anObject as? CALayer)?.add(self, forKey: event)
  }
}

extension NSNull: CAAction {
  public func run(forKey event: String, object anObject: Any, arguments dict: [AnyHashable: Any]?) {}
}

/// An object that draws for a layer, where `setNeedsDisplay()` was called. There is no screen, for which it would do more.
public protocol CALayerDelegate: NSObjectProtocol {
  func draw(_ layer: CALayer, in ctx: CGContext)
  func layoutSublayers(of layer: CALayer)
  func layerWillDraw(_ layer: CALayer)
  func action(for layer: CALayer, forKey event: String) -> (any CAAction)?
}

extension CALayerDelegate {
  public func draw(_ layer: CALayer, in ctx: CGContext) {}
  public func layoutSublayers(of layer: CALayer) {}
  public func layerWillDraw(_ layer: CALayer) {}
  public func action(for layer: CALayer, forKey event: String) -> (any CAAction)? { nil }
}

/// An object that animations on a screen tell of. A movie's animations have no beginning and end while it is made.
public protocol CAAnimationDelegate {
  func animationDidStart(_ anim: CAAnimation)
  func animationDidStop(_ anim: CAAnimation, finished flag: Bool)
}

extension CAAnimationDelegate {
  public func animationDidStart(_ anim: CAAnimation) {}
  public func animationDidStop(_ anim: CAAnimation, finished flag: Bool) {}
}

/// The changes of layers that a screen shows together. Layers change at once here, without animations of their own.
open class CATransaction: NSObject {
  // Transactions belong to threads.
  private static let key = "spool.CATransaction"

  private struct Level {
    var completion: (() -> Void)?
    var duration: CFTimeInterval = 0.25
    var timingFunction: CAMediaTimingFunction?
    var disablesActions = false
  }

  private final class Levels { var list: [Level] = [] }

  private class var levels: Levels {
    let facts = Thread.current.threadDictionary
    if let levels = facts[key] as? Levels { return levels }
    let levels = Levels()
    facts[key] = levels
    return levels
  }

  private class var top: Level {
    get { levels.list.last ?? Level() }
    set {
      if levels.list.isEmpty { levels.list.append(newValue) } else { levels.list[levels.list.count - 1] = newValue }
    }
  }

  open class func begin() { levels.list.append(Level()) }
  /// Ends the changes, and calls their completion block.
  open class func commit() { levels.list.popLast()?.completion?() }
  open class func flush() {}
  open class func lock() {}
  open class func unlock() {}
  open class func animationDuration() -> CFTimeInterval { top.duration }
  open class func setAnimationDuration(_ dur: CFTimeInterval) { top.duration = dur }
  open class func animationTimingFunction() -> CAMediaTimingFunction? { top.timingFunction }
  open class func setAnimationTimingFunction(_ function: CAMediaTimingFunction?) { top.timingFunction = function }
  open class func disableActions() -> Bool { top.disablesActions }
  open class func setDisableActions(_ flag: Bool) { top.disablesActions = flag }
  open class func completionBlock() -> (() -> Void)? { top.completion }
  open class func setCompletionBlock(_ block: (() -> Void)?) { top.completion = block }
}
