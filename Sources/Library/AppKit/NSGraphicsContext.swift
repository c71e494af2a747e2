/// A context with what AppKit keeps beside it.
/// - Partly: over a CGContext
open class NSGraphicsContext: NSObject {
  public let cgContext: CGContext
  public let isFlipped: Bool
  open var imageInterpolation = NSImageInterpolation.default
  open var shouldAntialias = true

  public init(cgContext graphicsPort: CGContext, flipped initialFlippedState: Bool) {
    (cgContext, isFlipped) = (graphicsPort, initialFlippedState)
  }

  /// Makes a context that draws on a picture; nil without memory.
  public convenience init?(bitmapImageRep bitmapRep: NSBitmapImageRep) {
    guard let context = bitmapRep.context else { return nil }
    self.init(cgContext: context, flipped: false)
  }

  /// The context that is drawn on now by this thread.
  open class var current: NSGraphicsContext? {
    get { DrawingStack.current.map { NSGraphicsContext(cgContext: $0.context, flipped: $0.isFlipped) } }
    set { DrawingStack.replace(newValue.map { .init($0.cgContext, isFlipped: $0.isFlipped) }) }
  }

  open class func saveGraphicsState() {
    guard let entry = DrawingStack.current else { return }
    entry.context.saveGState()
    DrawingStack.push(entry)
  }
  open class func restoreGraphicsState() {
    DrawingStack.pop()
    DrawingStack.current?.context.restoreGState()
  }
  open func saveGraphicsState() { cgContext.saveGState() }
  open func restoreGraphicsState() { cgContext.restoreGState() }
  open func flushGraphics() { cgContext.flush() }
}

public enum NSImageInterpolation: UInt, Sendable { case `default`, none, low, high, medium = 4 }

extension CGContext {
  /// Shows the caller what was drawn.
  fileprivate func flush() { synchronize() }
}

/// A screen. There is none: one stands here with a pixel for each point.
open class NSScreen: NSObject, @unchecked Sendable {
  // A screen has no state.
  private static let only = NSScreen()
  open class var main: NSScreen? { only }
  open class var screens: [NSScreen] { [only] }
  open var backingScaleFactor: CGFloat { 1 }
  open var frame: CGRect { CGRect(x: 0, y: 0, width: 1920, height: 1080) }
  open var visibleFrame: CGRect { frame }
}

extension CGRect {
  /// Fills the rectangle on the context that is drawn on now.
  public func fill(using operation: NSCompositingOperation = .copy) {
    guard let context = DrawingStack.current?.context else { return }
    context.saveGState()
    context.setBlendMode(operation.blendMode)
    context.fill(self)
    context.restoreGState()
  }
  public func clip() { DrawingStack.current?.context.clip(to: self) }
}

public func NSRectFill(_ rect: CGRect) { rect.fill() }
