/// The context that is drawn on now; nil for none.
public func UIGraphicsGetCurrentContext() -> CGContext? { DrawingStack.current?.context }
public func UIGraphicsPushContext(_ context: CGContext) {
  let isFlipped = context.ctm.d < 0
  DrawingStack.push(.init(context, isFlipped: isFlipped))
}
public func UIGraphicsPopContext() { DrawingStack.pop() }

/// Begins a picture whose pixels are its points.
public func UIGraphicsBeginImageContext(_ size: CGSize) { UIGraphicsBeginImageContextWithOptions(size, false, 1) }

/// Begins a picture.
///
/// - Parameter scale: the pixels of a point; 0 for the screen's.
public func UIGraphicsBeginImageContextWithOptions(_ size: CGSize, _ opaque: Bool, _ scale: CGFloat) {
  _ = DrawingStack.begin(size: size, scale: scale == 0 ? UIScreen.main.scale : scale, isOpaque: opaque, isFlipped: true)
}

public func UIGraphicsGetImageFromCurrentImageContext() -> UIImage? {
  guard let entry = DrawingStack.current, let image = entry.context.makeImage() else { return nil }
  return UIImage(cgImage: image, scale: entry.scale, orientation: .up)
}

public func UIGraphicsEndImageContext() { DrawingStack.pop() }

public func UIRectFill(_ rect: CGRect) { DrawingStack.current?.context.fill(rect) }
public func UIRectFillUsingBlendMode(_ rect: CGRect, _ blendMode: CGBlendMode) {
  DrawingStack.current?.context.fill(rect, mode: blendMode)
}
public func UIRectFrame(_ rect: CGRect) { DrawingStack.current?.context.stroke(rect.insetBy(dx: 0.5, dy: 0.5), width: 1) }
public func UIRectClip(_ rect: CGRect) { DrawingStack.current?.context.clip(to: rect) }

extension CGContext {
  fileprivate func fill(_ rect: CGRect, mode: CGBlendMode) {
    saveGState()
    setBlendMode(mode)
    fill(rect)
    restoreGState()
  }
}

open class UIGraphicsRendererFormat: NSObject {
  open var bounds: CGRect { .zero }
  public required override init() {}
  open class func `default`() -> Self { preferred() }
  open class func preferred() -> Self { Self() }
}

/// The kind of picture that a renderer makes.
open class UIGraphicsImageRendererFormat: UIGraphicsRendererFormat {
  public enum Range: Int, Sendable { case unspecified = -1, automatic, extended, standard }
  /// The pixels of a point.
  open var scale: CGFloat = UIScreen.main.scale
  open var opaque = false
  open var prefersExtendedRange = false
  open var preferredRange = Range.standard
  public convenience init(for traitCollection: UITraitCollection) { self.init() }
}

open class UIGraphicsRendererContext: NSObject {
  public let cgContext: CGContext
  let format0: UIGraphicsRendererFormat
  init(_ context: CGContext, _ format: UIGraphicsRendererFormat) { (cgContext, format0) = (context, format) }

  open var format: UIGraphicsRendererFormat { format0 }
  open func fill(_ rect: CGRect) { cgContext.fill(rect) }
  open func fill(_ rect: CGRect, blendMode: CGBlendMode) { cgContext.fill(rect, mode: blendMode) }
  open func stroke(_ rect: CGRect) { cgContext.stroke(rect.insetBy(dx: 0.5, dy: 0.5), width: 1) }
  open func clip(to rect: CGRect) { cgContext.clip(to: rect) }
}

open class UIGraphicsImageRendererContext: UIGraphicsRendererContext {
  private let scale: CGFloat
  init(_ context: CGContext, _ format: UIGraphicsRendererFormat, scale: CGFloat) {
    self.scale = scale
    super.init(context, format)
  }
  open var currentImage: UIImage {
    cgContext.makeImage().map { UIImage(cgImage: $0, scale: scale, orientation: .up) } ?? UIImage()
  }
}

/// Makes pictures by code that draws with its origin at the top left and y downwards.
open class UIGraphicsImageRenderer: NSObject {
  private let bounds: CGRect
  private let settings: UIGraphicsImageRendererFormat

  public convenience init(size: CGSize) { self.init(size: size, format: UIGraphicsImageRendererFormat()) }
  public convenience init(size: CGSize, format: UIGraphicsImageRendererFormat) {
    self.init(bounds: CGRect(origin: .zero, size: size), format: format)
  }
  public convenience init(bounds: CGRect) { self.init(bounds: bounds, format: UIGraphicsImageRendererFormat()) }
  public init(bounds: CGRect, format: UIGraphicsImageRendererFormat) { (self.bounds, settings) = (bounds, format) }

  open var format: UIGraphicsImageRendererFormat { settings }
  open var allowsImageOutput: Bool { true }

  /// Makes the picture that `actions` draws; an empty one for a size that is empty.
  open func image(actions: (UIGraphicsImageRendererContext) -> Void) -> UIImage {
    let scale = settings.scale == 0 ? 1 : settings.scale
    let begun = DrawingStack.begin(size: bounds.size, scale: scale, isOpaque: settings.opaque, isFlipped: true)
    guard let entry = begun else { return UIImage() }
    defer { DrawingStack.pop() }
    entry.context.translateBy(x: -bounds.minX, y: -bounds.minY)
    let context = UIGraphicsImageRendererContext(entry.context, settings, scale: scale)
    actions(context)
    return context.currentImage
  }

  open func pngData(actions: (UIGraphicsImageRendererContext) -> Void) -> Data { image(actions: actions).pngData() ?? Data() }
  open func jpegData(
    withCompressionQuality compressionQuality: CGFloat, actions: (UIGraphicsImageRendererContext) -> Void
  ) -> Data { image(actions: actions).jpegData(compressionQuality: compressionQuality) ?? Data() }
}

/// A screen. There is none: one stands here with a pixel for each point.
/// - Partly: one point is one pixel
open class UIScreen: NSObject, @unchecked Sendable {
  // A screen has no state.
  private static let only = UIScreen()
  open class var main: UIScreen { only }
  open var scale: CGFloat { 1 }
  open var nativeScale: CGFloat { 1 }
  open var bounds: CGRect { CGRect(x: 0, y: 0, width: 1920, height: 1080) }
  open var nativeBounds: CGRect { bounds }
  open var maximumFramesPerSecond: Int { 60 }
  open var traitCollection: UITraitCollection { UITraitCollection() }
}

public struct UIEdgeInsets: Hashable, Sendable {
  public var top: CGFloat
  public var left: CGFloat
  public var bottom: CGFloat
  public var right: CGFloat
  public init() { (top, left, bottom, right) = (0, 0, 0, 0) }
  public init(top: CGFloat, left: CGFloat, bottom: CGFloat, right: CGFloat) {
    (self.top, self.left, self.bottom, self.right) = (top, left, bottom, right)
  }
  public static let zero = UIEdgeInsets()
}

extension CGRect {
  public func inset(by insets: UIEdgeInsets) -> CGRect {
    CGRect(
      x: minX + insets.left, y: minY + insets.top, width: width - insets.left - insets.right,
      height: height - insets.top - insets.bottom)
  }
}
