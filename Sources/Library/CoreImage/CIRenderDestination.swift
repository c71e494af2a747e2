/// A pixel buffer into which a context renders.
/// - Partly: pixel buffers, without dithering and kernels that blend. A task is done when it was started
open class CIRenderDestination: NSObject {
  let buffer: CVPixelBuffer
  /// The space of the values; nil for the one that the buffer's attachments name, else sRGB.
  open var colorSpace: CGColorSpace?
  /// Whether y grows downwards in the buffer's coordinates.
  open var isFlipped = false

  public init(pixelBuffer: CVPixelBuffer) {
    buffer = pixelBuffer
    super.init()
  }

  open var width: Int { buffer.width }
  open var height: Int { buffer.height }
}

/// The rendering of a picture, which is done.
/// - Partly: as `CIRenderDestination`
open class CIRenderTask: NSObject {
  private let info: CIRenderInfo

  init(_ info: CIRenderInfo) { self.info = info }

  open func waitUntilCompleted() throws -> CIRenderInfo { info }
}

/// The facts of a rendering.
/// - Partly: as `CIRenderDestination`
open class CIRenderInfo: NSObject {
  public let pixelsProcessed: Int
  public let kernelExecutionTime: TimeInterval
  public let passCount = 1

  init(_ pixels: Int, in seconds: TimeInterval) { (pixelsProcessed, kernelExecutionTime) = (pixels, seconds) }
}

extension CIContext {
  /// Renders a picture into a destination, whose bottom left corner is the origin. What the picture does not cover becomes clear.
  @discardableResult
  public func startTask(toRender image: CIImage, to destination: CIRenderDestination) throws -> CIRenderTask {
    let whole = CGRect(x: 0, y: 0, width: destination.width, height: destination.height)
    return try startTask(toRender: image, from: whole, to: destination, at: .zero)
  }

  /// Renders a part of a picture, whose bottom left corner comes to lie at a point of the destination. What lies beside it stays.
  @discardableResult
  public func startTask(
    toRender image: CIImage, from fromRect: CGRect, to destination: CIRenderDestination, at atPoint: CGPoint
  ) throws -> CIRenderTask {
    let begin = Date()
    let whole = CGRect(x: 0, y: 0, width: destination.width, height: destination.height)
    var place = CGRect(origin: atPoint, size: fromRect.size)
    var part = image.cropped(to: fromRect).transformed(
      by: CGAffineTransform(translationX: atPoint.x - fromRect.minX, y: atPoint.y - fromRect.minY))
    if destination.isFlipped {
      let turn = CGAffineTransform(1, 0, 0, -1, 0, whole.height)
      (part, place) = (part.transformed(by: turn), place.applying(turn))
    }
    for strip in place.surroundings(in: whole) {
      part = part.composited(over: CIImage(cvPixelBuffer: destination.buffer).cropped(to: strip))
    }
    render(part, to: destination.buffer, bounds: whole, colorSpace: destination.colorSpace)
    return CIRenderTask(CIRenderInfo(destination.width * destination.height, in: Date().timeIntervalSince(begin)))
  }

  /// Makes all of a destination clear.
  @discardableResult
  public func startTask(toClear destination: CIRenderDestination) throws -> CIRenderTask {
    render(CIImage(color: .clear), to: destination.buffer)
    return CIRenderTask(CIRenderInfo(destination.width * destination.height, in: 0))
  }
}

extension CGRect {
  /// The parts of a larger rectangle that lie around this one; none where it covers that.
  fileprivate func surroundings(in whole: CGRect) -> [CGRect] {
    let inner = intersection(whole)
    guard !inner.isEmpty else { return [whole] }
    return [
      CGRect(x: whole.minX, y: whole.minY, width: whole.width, height: inner.minY - whole.minY),
      CGRect(x: whole.minX, y: inner.maxY, width: whole.width, height: whole.maxY - inner.maxY),
      CGRect(x: whole.minX, y: inner.minY, width: inner.minX - whole.minX, height: inner.height),
      CGRect(x: inner.maxX, y: inner.minY, width: whole.maxX - inner.maxX, height: inner.height),
    ].filter { $0.width > 0 && $0.height > 0 }
  }
}
