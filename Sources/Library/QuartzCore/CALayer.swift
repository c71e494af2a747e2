public struct CALayerContentsGravity: RawRepresentable, Hashable, Sendable {
  public let rawValue: String
  public init(rawValue: String) { self.rawValue = rawValue }
  public static let resize = CALayerContentsGravity(rawValue: "resize")
  public static let resizeAspect = CALayerContentsGravity(rawValue: "resizeAspect")
  public static let resizeAspectFill = CALayerContentsGravity(rawValue: "resizeAspectFill")
  public static let center = CALayerContentsGravity(rawValue: "center")
  public static let top = CALayerContentsGravity(rawValue: "top")
  public static let bottom = CALayerContentsGravity(rawValue: "bottom")
  public static let left = CALayerContentsGravity(rawValue: "left")
  public static let right = CALayerContentsGravity(rawValue: "right")
  public static let topLeft = CALayerContentsGravity(rawValue: "topLeft")
  public static let topRight = CALayerContentsGravity(rawValue: "topRight")
  public static let bottomLeft = CALayerContentsGravity(rawValue: "bottomLeft")
  public static let bottomRight = CALayerContentsGravity(rawValue: "bottomRight")
}

/// A layer of an animation tool. Its coordinates have their origin at the bottom left, and y grows upwards.
open class CALayer: NSObject {
  open var bounds = CGRect.zero
  open var position = CGPoint.zero
  open var anchorPoint = CGPoint(x: 0.5, y: 0.5)
  open var zPosition: CGFloat = 0
  open var anchorPointZ: CGFloat = 0
  open var transform = CATransform3DIdentity
  /// The map of all that stands on the layer, about its anchor point.
  open var sublayerTransform = CATransform3DIdentity
  /// Whether the layer is seen from behind.
  open var isDoubleSided = true
  open var isGeometryFlipped = false
  open var isHidden = false
  open var name: String?

  /// The picture: a CGImage.
  open var contents: Any?
  open var contentsGravity = CALayerContentsGravity.resize
  /// The part of the picture that is shown, as shares of its sides.
  open var contentsRect = CGRect(x: 0, y: 0, width: 1, height: 1)
  open var contentsScale: CGFloat = 1
  open var opacity: Float = 1
  open var backgroundColor: CGColor?
  open var cornerRadius: CGFloat = 0
  /// The corners that are round.
  open var maskedCorners: CACornerMask = [
    .layerMinXMinYCorner, .layerMaxXMinYCorner, .layerMinXMaxYCorner, .layerMaxXMaxYCorner,
  ]
  open var borderWidth: CGFloat = 0
  open var borderColor: CGColor? = .black
  open var masksToBounds = false
  open var mask: CALayer?
  open var shadowColor: CGColor? = .black
  open var shadowOpacity: Float = 0
  open var shadowOffset = CGSize(width: 0, height: -3)
  open var shadowRadius: CGFloat = 3
  /// The outline that casts the shadow in place of what the layer shows.
  open var shadowPath: CGPath?
  /// The filters of all that the layer shows: CIFilters.
  open var filters: [Any]?
  /// The filters of what lies below, as it is seen through the layer.
  open var backgroundFilters: [Any]?
  /// The way in which the layer is mixed with what lies below: a CIFilter.
  open var compositingFilter: Any?

  open var beginTime: CFTimeInterval = 0
  open var timeOffset: CFTimeInterval = 0
  open var speed: Float = 1
  open var duration: CFTimeInterval = .infinity
  open var repeatCount: Float = 0
  open var repeatDuration: CFTimeInterval = 0
  open var autoreverses = false
  open var fillMode = CAMediaTimingFillMode.removed

  open private(set) var sublayers: [CALayer]?
  open private(set) weak var superlayer: CALayer?
  /// The animations in the order in which they were added.
  package private(set) var animations: [(key: String?, animation: CAAnimation)] = []

  public override init() { super.init() }

  /// The smallest rectangle around the layer, in the coordinates of the layer that it stands on.
  open var frame: CGRect {
    get {
      let corner = CGPoint(x: -anchorPoint.x * bounds.width, y: -anchorPoint.y * bounds.height)
      let turned = CGRect(origin: corner, size: bounds.size).applying(affineTransform())
      return turned.offsetBy(dx: position.x, dy: position.y)
    }
    set {
      position = CGPoint(x: newValue.minX + anchorPoint.x * newValue.width, y: newValue.minY + anchorPoint.y * newValue.height)
      bounds.size = newValue.size
    }
  }

  open func affineTransform() -> CGAffineTransform { CATransform3DGetAffineTransform(transform) }
  open func setAffineTransform(_ m: CGAffineTransform) { transform = CATransform3D(m) }

  open func addSublayer(_ layer: CALayer) { insert(layer, sublayers?.count ?? 0) }
  open func insertSublayer(_ layer: CALayer, at idx: UInt32) { insert(layer, min(Int(idx), sublayers?.count ?? 0)) }

  open func insertSublayer(_ layer: CALayer, below sibling: CALayer?) {
    insert(layer, sublayers?.firstIndex { $0 === sibling } ?? 0)
  }

  open func insertSublayer(_ layer: CALayer, above sibling: CALayer?) {
    insert(layer, (sublayers?.firstIndex { $0 === sibling }).map { $0 + 1 } ?? sublayers?.count ?? 0)
  }

  private func insert(_ layer: CALayer, _ index: Int) {
    precondition(layer !== self, "a layer cannot stand on itself")
    let isBefore = (sublayers?.firstIndex { $0 === layer }).map { $0 < index } ?? false
    layer.removeFromSuperlayer()
    var list = sublayers ?? []
    list.insert(layer, at: isBefore ? index - 1 : index)
    (sublayers, layer.superlayer) = (list, self)
  }

  open func removeFromSuperlayer() {
    guard let parent = superlayer else { return }
    parent.sublayers?.removeAll { $0 === self }
    if parent.sublayers?.isEmpty == true { parent.sublayers = nil }
    superlayer = nil
  }

  /// Adds an animation. A later one replaces the one with the same key.
  open func add(_ anim: CAAnimation, forKey key: String?) {
    let copy = anim.copied()
    (copy as? CATransition)?.origin = contents
    // A layer has one transition, whatever key it is added for.
    let key = copy is CATransition ? kCATransition : key
    if let key { animations.removeAll { $0.key == key } }
    animations.append((key, copy))
  }

  open func animation(forKey key: String) -> CAAnimation? { animations.first { $0.key == key }?.animation }
  open func animationKeys() -> [String]? { animations.isEmpty ? nil : animations.compactMap(\.key) }
  open func removeAnimation(forKey key: String) { animations.removeAll { $0.key == key } }
  open func removeAllAnimations() { animations = [] }

  /// Whether `draw(in:)` makes the layer's content.
  package final var isDrawnByCode = false
  /// Whether `draw(in:)` expects y to grow downwards, as in UIKit.
  package final var drawsDown = false

  /// Draws the layer's own content, for subclasses.
  open func draw(in ctx: CGContext) {}

  /// Says that `draw(in:)` makes the layer's content. It is called when the layer is rendered or exported.
  open func setNeedsDisplay() { isDrawnByCode = true }
  open func displayIfNeeded() {}
}

/// The time of the host's clock in seconds.
public func CACurrentMediaTime() -> CFTimeInterval { Double(DispatchTime.now().uptimeNanoseconds) / 1e9 }
