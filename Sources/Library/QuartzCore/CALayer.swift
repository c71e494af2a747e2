/// - Partly: a picture that is larger than the bounds needs `masksToBounds`; `contentsScale` must be 1 where the gravity does not
///   scale
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
/// - Partly: `filters` and `backgroundFilters` are CIGaussianBlur and CIColorControls; `compositingFilter` is a CIFilter of a
///   blend mode that documents have (docs/document.md#layers-on-layers). `anchorPointZ` is 0. `render(in:)` draws what lies in
///   the plane. A subclass's `draw(in:)` is called once, where `setNeedsDisplay()` was called before the export; views draw so,
///   too. A layer's own `beginTime`, `speed`, `timeOffset`, `duration` and repeats are its clock
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

  /// The way in which a picture is sampled where it is made smaller or larger. An export refuses all but linear and trilinear.
  open var minificationFilter = CALayerContentsFilter.linear
  open var magnificationFilter = CALayerContentsFilter.linear
  open var minificationFilterBias: Float = 0
  /// The part of the picture that is stretched, as shares of its sides. An export refuses all but the whole picture.
  open var contentsCenter = CGRect(x: 0, y: 0, width: 1, height: 1)
  /// The form of round corners. An export refuses all but circles.
  open var cornerCurve = CALayerCornerCurve.circular
  /// Whether the layer's opacity is that of all that it shows as a whole. An export refuses layers whose parts are mixed one by one.
  open var allowsGroupOpacity = true

  // What these say is a matter of speed on a screen. Movies are the same whatever they say.
  open var shouldRasterize = false
  open var rasterizationScale: CGFloat = 1
  open var isOpaque = false
  open var drawsAsynchronously = false
  open var needsDisplayOnBoundsChange = false
  open var allowsEdgeAntialiasing = false
  open var actions: [String: any CAAction]?
  open weak var delegate: (any CALayerDelegate)?

  open var beginTime: CFTimeInterval = 0
  open var timeOffset: CFTimeInterval = 0
  open var speed: Float = 1
  open var duration: CFTimeInterval = .infinity
  open var repeatCount: Float = 0
  open var repeatDuration: CFTimeInterval = 0
  open var autoreverses = false
  open var fillMode = CAMediaTimingFillMode.removed

  private var list: [CALayer]?
  open private(set) weak var superlayer: CALayer?
  /// The layers on this one, the lowest first; nil where there are none. Those that are set leave the layers on which they stood.
  open var sublayers: [CALayer]? {
    get { list }
    set {
      for layer in list ?? [] where !(newValue ?? []).contains(where: { $0 === layer }) { layer.removeFromSuperlayer() }
      for layer in newValue ?? [] { insert(layer, list?.count ?? 0) }
    }
  }
  /// The animations in the order in which they were added.
  package private(set) var animations: [(key: String?, animation: CAAnimation)] = []

  public override init() { super.init() }

  /// Makes a layer as Core Animation makes copies of layers for a screen. There are none here, and the layer is a new one.
  public init(layer: Any) { super.init() }

  /// Archives of layers are not read.
  public required init?(coder: NSCoder) { return nil }

  /// The smallest rectangle around the layer, in the coordinates of the layer that it stands on; null where a corner is behind the viewer.
  open var frame: CGRect {
    get {
      guard CATransform3DIsAffine(transform) else { return CGRect(around: PlaneMap(spacePlacement).images(of: bounds.corners)) }
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

  open func addSublayer(_ layer: CALayer) { insert(layer, list?.count ?? 0) }
  open func insertSublayer(_ layer: CALayer, at idx: UInt32) { insert(layer, min(Int(idx), list?.count ?? 0)) }

  open func insertSublayer(_ layer: CALayer, below sibling: CALayer?) {
    insert(layer, list?.firstIndex { $0 === sibling } ?? 0)
  }

  open func insertSublayer(_ layer: CALayer, above sibling: CALayer?) {
    insert(layer, (list?.firstIndex { $0 === sibling }).map { $0 + 1 } ?? list?.count ?? 0)
  }

  private func insert(_ layer: CALayer, _ index: Int) {
    precondition(layer !== self, "a layer cannot stand on itself")
    let isBefore = (list?.firstIndex { $0 === layer }).map { $0 < index } ?? false
    layer.removeFromSuperlayer()
    var layers = list ?? []
    layers.insert(layer, at: isBefore ? index - 1 : index)
    (list, layer.superlayer) = (layers, self)
  }

  open func removeFromSuperlayer() {
    guard let parent = superlayer else { return }
    parent.list?.removeAll { $0 === self }
    if parent.list?.isEmpty == true { parent.list = nil }
    superlayer = nil
  }

  /// Puts another layer in a layer's place.
  open func replaceSublayer(_ oldLayer: CALayer, with newLayer: CALayer) {
    guard oldLayer.superlayer === self, oldLayer !== newLayer else { return }
    insertSublayer(newLayer, above: oldLayer)
    oldLayer.removeFromSuperlayer()
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

  /// Draws the layer's own content, for subclasses. A layer itself asks its delegate to.
  open func draw(in ctx: CGContext) { delegate?.draw(self, in: ctx) }

  /// Says that `draw(in:)` makes the layer's content. It is called when the layer is rendered or exported.
  open func setNeedsDisplay() { isDrawnByCode = true }
  open func setNeedsDisplay(_ r: CGRect) { setNeedsDisplay() }
  open func displayIfNeeded() {}
  open func display() {}

  // Nothing lays layers out by itself here, and no screen shows them.
  open func setNeedsLayout() {}
  open func layoutIfNeeded() { layoutSublayers() }
  open func layoutSublayers() { delegate?.layoutSublayers(of: self) }
  open func presentation() -> Self? { nil }
  open func model() -> Self { self }
  open func action(forKey event: String) -> (any CAAction)? { nil }
}

/// The time of the host's clock in seconds.
public func CACurrentMediaTime() -> CFTimeInterval { Double(DispatchTime.now().uptimeNanoseconds) / 1e9 }
