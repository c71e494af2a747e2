internal import CObjectMaking

open class UIResponder: NSObject {
  public override init() {}
}

/// A rectangle that draws itself and the views on it. Its y grows downwards.
///
/// It is drawn by `draw(_:)`, by `layer.render(in:)` of its own, and by `drawHierarchy(in:afterScreenUpdates:)`. There is no screen,
/// there are no touches, and no constraints.
/// - Partly: drawn by its layer. No touches and no constraints. Animations are at once
open class UIView: UIResponder {
  public enum ContentMode: Int, Sendable {
    case scaleToFill, scaleAspectFit, scaleAspectFill, redraw, center, top, bottom, left, right, topLeft, topRight, bottomLeft
    case bottomRight
  }

  public struct AutoresizingMask: OptionSet, Hashable, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }
    public static let flexibleLeftMargin = AutoresizingMask(rawValue: 1)
    public static let flexibleWidth = AutoresizingMask(rawValue: 2)
    public static let flexibleRightMargin = AutoresizingMask(rawValue: 4)
    public static let flexibleTopMargin = AutoresizingMask(rawValue: 8)
    public static let flexibleHeight = AutoresizingMask(rawValue: 16)
    public static let flexibleBottomMargin = AutoresizingMask(rawValue: 32)
  }

  public let layer: CALayer
  /// The class of the view's layer. A view with another one than CALayer shows what that layer draws, and `draw(_:)` is not called.
  open class var layerClass: AnyClass { CALayer.self }
  open private(set) var subviews: [UIView] = []
  open private(set) weak var superview: UIView?
  open var contentMode = ContentMode.scaleToFill
  open var autoresizingMask: AutoresizingMask = []
  open var isUserInteractionEnabled = true
  open var translatesAutoresizingMaskIntoConstraints = true
  open var tag = 0
  open var tintColor: UIColor! = .tintColor
  open var mask: UIView? { didSet { layer.mask = mask?.layer } }
  open var isOpaque = true
  open var contentScaleFactor: CGFloat = 1

  public init(frame: CGRect) {
    layer = Self.madeLayer()
    super.init()
    self.frame = frame
    if let own = layer as? ViewLayer { (own.view, own.isDrawnByCode, own.drawsDown) = (self, true, true) }
  }

  public convenience override init() { self.init(frame: .zero) }

  /// Archives of interfaces are not read.
  public required init?(coder: NSCoder) { return nil }

  open var frame: CGRect {
    get { layer.frame }
    set {
      layer.frame = newValue
      layoutSubviews()
    }
  }
  open var bounds: CGRect {
    get { layer.bounds }
    set { layer.bounds = newValue }
  }
  open var center: CGPoint {
    get { layer.position }
    set { layer.position = newValue }
  }
  open var transform: CGAffineTransform {
    get { layer.affineTransform() }
    set { layer.setAffineTransform(newValue) }
  }
  open var alpha: CGFloat {
    get { CGFloat(layer.opacity) }
    set { layer.opacity = Float(newValue) }
  }
  open var isHidden: Bool {
    get { layer.isHidden }
    set { layer.isHidden = newValue }
  }
  open var backgroundColor: UIColor? {
    get { layer.backgroundColor.map(UIColor.init(cgColor:)) }
    set { layer.backgroundColor = newValue?.cgColor }
  }
  open var clipsToBounds: Bool {
    get { layer.masksToBounds }
    set { layer.masksToBounds = newValue }
  }

  open func addSubview(_ view: UIView) { insertSubview(view, at: subviews.count) }

  open func insertSubview(_ view: UIView, at index: Int) {
    view.removeFromSuperview()
    let place = min(max(index, 0), subviews.count)
    subviews.insert(view, at: place)
    view.superview = self
    layer.insertSublayer(view.layer, at: UInt32(min(place, layer.sublayers?.count ?? 0)))
  }

  open func removeFromSuperview() {
    superview?.subviews.removeAll { $0 === self }
    layer.removeFromSuperlayer()
    superview = nil
  }

  open func bringSubviewToFront(_ view: UIView) { if subviews.contains(view) { addSubview(view) } }
  open func sendSubviewToBack(_ view: UIView) { if subviews.contains(view) { insertSubview(view, at: 0) } }
  open func viewWithTag(_ tag: Int) -> UIView? {
    if self.tag == tag { return self }
    for view in subviews { if let found = view.viewWithTag(tag) { return found } }
    return nil
  }

  /// The point in the coordinates of another view of the same tree; in those of the view that all stands on for nil.
  open func convert(_ point: CGPoint, to view: UIView?) -> CGPoint { layer.convert(point, to: view?.layer ?? top.layer) }
  open func convert(_ rect: CGRect, to view: UIView?) -> CGRect { layer.convert(rect, to: view?.layer ?? top.layer) }
  open func convert(_ point: CGPoint, from view: UIView?) -> CGPoint { layer.convert(point, from: view?.layer ?? top.layer) }
  open func convert(_ rect: CGRect, from view: UIView?) -> CGRect { layer.convert(rect, from: view?.layer ?? top.layer) }
  private var top: UIView { superview?.top ?? self }

  /// Draws the view's own content into the context that is drawn on now.
  open func draw(_ rect: CGRect) {}
  open func layoutSubviews() {}
  open func setNeedsDisplay() {}
  open func setNeedsLayout() {}
  open func layoutIfNeeded() { layoutSubviews() }
  open func sizeThatFits(_ size: CGSize) -> CGSize { bounds.size }
  open func sizeToFit() { bounds.size = sizeThatFits(bounds.size) }
  open var intrinsicContentSize: CGSize { CGSize(width: -1, height: -1) }

  /// Draws the view and all on it into a rectangle of the context that is drawn on now.
  @discardableResult
  open func drawHierarchy(in rect: CGRect, afterScreenUpdates afterUpdates: Bool) -> Bool {
    guard let context = DrawingStack.current?.context, bounds.width > 0, bounds.height > 0 else { return false }
    context.saveGState()
    context.translateBy(x: rect.minX, y: rect.minY)
    context.scaleBy(x: rect.width / bounds.width, y: rect.height / bounds.height)
    layer.render(in: context)
    context.restoreGState()
    return true
  }
}

extension UIView {
  /// A layer of the view's class. One that cannot be made by `init()` stops the program with its name.
  fileprivate static func madeLayer() -> CALayer {
    guard layerClass != CALayer.self else { return ViewLayer() }
    let (metadata, object) = unsafe (
      unsafeBitCast(layerClass, to: UnsafeRawPointer.self), unsafeBitCast(NSObject.self, to: UnsafeRawPointer.self)
    )
    guard layerClass is CALayer.Type, let made = unsafe spool_make_object(metadata, object),
      // The object comes with one reference, which this takes over.
      let layer = unsafe Unmanaged<NSObject>.fromOpaque(made).takeRetainedValue() as? CALayer
    else { preconditionFailure("layerClass of \(self): \(layerClass) is no layer that init() makes") }
    return layer
  }
}

/// A view's layer, which draws what the view draws.
final class ViewLayer: CALayer {
  weak var view: UIView?

  override func draw(in ctx: CGContext) {
    guard let view else { return }
    DrawingStack.push(.init(ctx, isFlipped: true))
    view.draw(view.bounds)
    DrawingStack.pop()
  }
}

/// A view of a picture.
/// - Partly: no animation
open class UIImageView: UIView {
  open var image: UIImage?

  public convenience init(image: UIImage?) {
    self.init(frame: CGRect(origin: .zero, size: image?.size ?? .zero))
    self.image = image
  }

  open override func draw(_ rect: CGRect) {
    guard let image, image.size.width > 0, image.size.height > 0 else { return }
    let (w, h) = (bounds.width / image.size.width, bounds.height / image.size.height)
    let scale: CGSize =
      switch contentMode {
      case .scaleToFill, .redraw: CGSize(width: w, height: h)
      case .scaleAspectFit: CGSize(width: min(w, h), height: min(w, h))
      case .scaleAspectFill: CGSize(width: max(w, h), height: max(w, h))
      default: CGSize(width: 1, height: 1)
      }
    let size = CGSize(width: image.size.width * scale.width, height: image.size.height * scale.height)
    let (x, y) = place(of: size)
    image.draw(in: CGRect(x: x, y: y, width: size.width, height: size.height))
  }

  /// The top left corner of a picture of a size.
  private func place(of size: CGSize) -> (CGFloat, CGFloat) {
    let x: CGFloat =
      switch contentMode {
      case .left, .topLeft, .bottomLeft: 0
      case .right, .topRight, .bottomRight: bounds.width - size.width
      default: (bounds.width - size.width) / 2
      }
    let y: CGFloat =
      switch contentMode {
      case .top, .topLeft, .topRight: 0
      case .bottom, .bottomLeft, .bottomRight: bounds.height - size.height
      default: (bounds.height - size.height) / 2
      }
    return (bounds.minX + x, bounds.minY + y)
  }

  open override func sizeThatFits(_ size: CGSize) -> CGSize { image?.size ?? .zero }
}
