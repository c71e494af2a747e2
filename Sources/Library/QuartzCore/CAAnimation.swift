public struct CAMediaTimingFillMode: RawRepresentable, Hashable, Sendable {
  public let rawValue: String
  public init(rawValue: String) { self.rawValue = rawValue }
  public static let forwards = CAMediaTimingFillMode(rawValue: "forwards")
  public static let backwards = CAMediaTimingFillMode(rawValue: "backwards")
  public static let both = CAMediaTimingFillMode(rawValue: "both")
  public static let removed = CAMediaTimingFillMode(rawValue: "removed")
}

public struct CAMediaTimingFunctionName: RawRepresentable, Hashable, Sendable {
  public let rawValue: String
  public init(rawValue: String) { self.rawValue = rawValue }
  public static let linear = CAMediaTimingFunctionName(rawValue: "linear")
  public static let easeIn = CAMediaTimingFunctionName(rawValue: "easeIn")
  public static let easeOut = CAMediaTimingFunctionName(rawValue: "easeOut")
  public static let easeInEaseOut = CAMediaTimingFunctionName(rawValue: "easeInEaseOut")
  public static let `default` = CAMediaTimingFunctionName(rawValue: "default")
}

/// A curve from (0, 0) to (1, 1), along which a value moves.
open class CAMediaTimingFunction: NSObject {
  package let points: [Double]

  public init(controlPoints c1x: Float, _ c1y: Float, _ c2x: Float, _ c2y: Float) {
    // A Float such as 0.42 is written as the decimal number that it stands for.
    points = [c1x, c1y, c2x, c2y].map { Double($0.description) ?? Double($0) }
  }

  public convenience init(name: CAMediaTimingFunctionName) {
    switch name {
    case .easeIn: self.init(controlPoints: 0.42, 0, 1, 1)
    case .easeOut: self.init(controlPoints: 0, 0, 0.58, 1)
    case .easeInEaseOut: self.init(controlPoints: 0.42, 0, 0.58, 1)
    case .default: self.init(controlPoints: 0.25, 0.1, 0.25, 1)
    default: self.init(controlPoints: 0, 0, 1, 1)
    }
  }

  /// Gives a control point of the curve: 0 is its beginning, 1 and 2 are the points that bend it, 3 is its end.
  ///
  /// - Parameter ptr: two numbers, x and y.
  open func getControlPoint(at idx: Int, values ptr: UnsafeMutablePointer<Float>) {
    let all = [0, 0] + points + [1, 1]
    guard 0...3 ~= idx else { return }
    unsafe ptr[0] = Float(all[2 * idx])
    unsafe ptr[1] = Float(all[2 * idx + 1])
  }
}

/// A change of a layer over time. Times are in seconds.
/// - Partly: see docs/avfoundation.md#animations
open class CAAnimation: NSObject, NSCopying {
  open var beginTime: CFTimeInterval = 0
  /// The duration; 0 stands for a quarter of a second, as in Core Animation.
  open var duration: CFTimeInterval = 0
  open var speed: Float = 1
  open var timeOffset: CFTimeInterval = 0
  open var repeatCount: Float = 0
  open var repeatDuration: CFTimeInterval = 0
  open var autoreverses = false
  open var fillMode = CAMediaTimingFillMode.removed
  open var timingFunction: CAMediaTimingFunction?
  open var isRemovedOnCompletion = true
  /// The object that is told of a beginning and an end on a screen. It is never told here.
  open var delegate: (any CAAnimationDelegate)?
  /// The wish for a number of frames in a second on a screen. Frames are the movie's here.
  open var preferredFrameRateRange = CAFrameRateRange.default
  private var words: [String: Any] = [:]
  private static let properties: Set<String> = [
    "beginTime", "duration", "speed", "timeOffset", "repeatCount", "repeatDuration", "autoreverses", "fillMode",
    "timingFunction", "removedOnCompletion", "delegate", "keyPath", "additive", "cumulative", "valueFunction", "fromValue",
    "toValue", "byValue", "values", "path", "keyTimes", "timingFunctions", "calculationMode", "rotationMode", "animations",
    "mass", "stiffness", "damping", "initialVelocity", "type", "subtype",
  ]

  public override init() { super.init() }

  /// Keeps a value with the animation, under a key of the caller's own.
  ///
  /// - Precondition: the key is no property's name. There is no way here to set one by its name.
  public func setValue(_ value: Any?, forKey key: String) {
    precondition(!Self.properties.contains(key), "CAAnimation.setValue(_:forKey:): set the property \(key) itself")
    words[key] = value
  }
  /// The value that was kept under the key.
  public func value(forKey key: String) -> Any? { words[key] }

  open func copy(with zone: NSZone? = nil) -> Any { copied() }

  /// A copy, since a layer keeps an animation as it was when it was added.
  func copied() -> CAAnimation { fill(CAAnimation()) }

  @discardableResult
  final func fill<Animation: CAAnimation>(_ copy: Animation) -> Animation {
    (copy.beginTime, copy.duration, copy.speed, copy.timeOffset) = (beginTime, duration, speed, timeOffset)
    (copy.repeatCount, copy.repeatDuration, copy.autoreverses) = (repeatCount, repeatDuration, autoreverses)
    (copy.fillMode, copy.timingFunction, copy.isRemovedOnCompletion) = (fillMode, timingFunction, isRemovedOnCompletion)
    (copy.delegate, copy.words, copy.preferredFrameRateRange) = (delegate, words, preferredFrameRateRange)
    return copy
  }
}

/// - Partly: see docs/avfoundation.md#animations
open class CAPropertyAnimation: CAAnimation {
  open var keyPath: String?
  open var isAdditive = false
  open var isCumulative = false
  /// The part of the transform that the numbers are of an animation of `transform`.
  open var valueFunction: CAValueFunction?

  /// The key path, with the part of the transform that the function names; nil where there is none.
  package final var fullKeyPath: String? {
    guard let valueFunction else { return keyPath }
    return keyPath == "transform" ? valueFunction.keyPath : nil
  }

  public convenience init(keyPath path: String?) {
    self.init()
    keyPath = path
  }

  public override init() { super.init() }

  fileprivate func fillProperty<Animation: CAPropertyAnimation>(_ copy: Animation) -> Animation {
    (copy.keyPath, copy.isAdditive, copy.isCumulative) = (keyPath, isAdditive, isCumulative)
    copy.valueFunction = valueFunction
    return fill(copy)
  }
}

/// - Partly: see docs/avfoundation.md#animations
open class CABasicAnimation: CAPropertyAnimation {
  open var fromValue: Any?
  open var toValue: Any?
  open var byValue: Any?

  override func copied() -> CAAnimation { fillValues(CABasicAnimation()) }

  fileprivate func fillValues<Animation: CABasicAnimation>(_ copy: Animation) -> Animation {
    (copy.fromValue, copy.toValue, copy.byValue) = (fromValue, toValue, byValue)
    return fillProperty(copy)
  }
}

/// An animation along a damped spring, which may overshoot.
/// - Partly: without `speed`, timing function and way back
open class CASpringAnimation: CABasicAnimation {
  open var mass: CGFloat = 1
  open var stiffness: CGFloat = 100
  open var damping: CGFloat = 10
  open var initialVelocity: CGFloat = 0

  public convenience init(perceptualDuration: CFTimeInterval, bounce: CGFloat) {
    self.init()
    let frequency = 2 * .pi / max(perceptualDuration, 0.001)
    stiffness = CGFloat(frequency * frequency)
    damping = bounce < 0 ? CGFloat(2 * frequency) / (1 + bounce) : CGFloat(2 * frequency) * (1 - bounce)
  }

  open var perceptualDuration: CFTimeInterval { 2 * .pi / Double((stiffness / mass).squareRoot()) }
  open var bounce: CGFloat { 1 - damping / (2 * (stiffness * mass).squareRoot()) }

  /// The seconds after which the spring stays within a thousandth of its way from its end.
  open var settlingDuration: CFTimeInterval {
    let frequency = Double((stiffness / mass).squareRoot())
    let ratio = Double(damping / (2 * (stiffness * mass).squareRoot()))
    guard frequency > 0, ratio > 0 else { return .infinity }
    // The slower of the two ways in which it dies away.
    let rate = ratio < 1 ? ratio * frequency : frequency * (ratio - (ratio * ratio - 1).squareRoot())
    return -log(0.001) / rate
  }

  override func copied() -> CAAnimation {
    let copy = fillValues(CASpringAnimation())
    (copy.mass, copy.stiffness, copy.damping, copy.initialVelocity) = (mass, stiffness, damping, initialVelocity)
    return copy
  }
}

/// - Partly: see docs/avfoundation.md#animations
public struct CAAnimationCalculationMode: RawRepresentable, Hashable, Sendable {
  public let rawValue: String
  public init(rawValue: String) { self.rawValue = rawValue }
  public static let linear = CAAnimationCalculationMode(rawValue: "linear")
  public static let discrete = CAAnimationCalculationMode(rawValue: "discrete")
  public static let paced = CAAnimationCalculationMode(rawValue: "paced")
  public static let cubic = CAAnimationCalculationMode(rawValue: "cubic")
  public static let cubicPaced = CAAnimationCalculationMode(rawValue: "cubicPaced")
}

/// - Partly: see docs/avfoundation.md#animations
public struct CAAnimationRotationMode: RawRepresentable, Hashable, Sendable {
  public let rawValue: String
  public init(rawValue: String) { self.rawValue = rawValue }
  public static let rotateAuto = CAAnimationRotationMode(rawValue: "auto")
  public static let rotateAutoReverse = CAAnimationRotationMode(rawValue: "autoReverse")
}

/// - Partly: see docs/avfoundation.md#animations
open class CAKeyframeAnimation: CAPropertyAnimation {
  open var values: [Any]?
  open var path: CGPath?
  open var keyTimes: [NSNumber]?
  open var timingFunctions: [CAMediaTimingFunction]?
  open var calculationMode = CAAnimationCalculationMode.linear
  /// The tension, continuity and bias of cubic modes, one for each value. Other numbers than 0 are refused.
  open var tensionValues: [NSNumber]?
  open var continuityValues: [NSNumber]?
  open var biasValues: [NSNumber]?
  /// Whether a layer turns with the path along which it moves.
  open var rotationMode: CAAnimationRotationMode?

  override func copied() -> CAAnimation {
    let copy = fillProperty(CAKeyframeAnimation())
    (copy.values, copy.path, copy.keyTimes) = (values, path?.copy(), keyTimes)
    (copy.timingFunctions, copy.calculationMode, copy.rotationMode) = (timingFunctions, calculationMode, rotationMode)
    (copy.tensionValues, copy.continuityValues, copy.biasValues) = (tensionValues, continuityValues, biasValues)
    return copy
  }
}

/// Animations that run on one clock, which begins with the group and is cut off at its end.
/// - Partly: see docs/avfoundation.md#animations
open class CAAnimationGroup: CAAnimation {
  open var animations: [CAAnimation]?

  override func copied() -> CAAnimation {
    let copy = fill(CAAnimationGroup())
    copy.animations = animations?.map { $0.copied() }
    return copy
  }
}
