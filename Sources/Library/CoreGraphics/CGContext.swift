internal import CCairo

public enum CGBlendMode: Int32, Sendable {
  case normal, multiply, screen, overlay, darken, lighten, colorDodge, colorBurn, softLight, hardLight, difference, exclusion
  case hue, saturation, color, luminosity, clear, copy, sourceIn, sourceOut, sourceAtop, destinationOver, destinationIn
  case destinationOut, destinationAtop, xor, plusDarker, plusLighter
}

public enum CGInterpolationQuality: Int32, Sendable { case `default` = 0, none = 1, low = 2, medium = 4, high = 3 }
public enum CGPathDrawingMode: Int32, Sendable { case fill, eoFill, stroke, fillStroke, eoFillStroke }
public enum CGTextDrawingMode: Int32, Sendable {
  case fill, stroke, fillStroke, invisible, fillClip, strokeClip, fillStrokeClip, clip
}

/// A picture that is drawn on. Its origin is at the bottom left, and y grows upwards; pixels lie in memory from the top row on.
///
/// Pixels have eight bits a part: gray, or red, green and blue in any order of bytes. Colours are converted to the context's space.
/// Not for use by two threads at the same time.
// @safe: the Cairo context is owned, set once and released once. Memory of the caller is used while the caller keeps it, as documented.
/// - Partly: 8 bits a part: gray, RGB, alpha alone. Linear and extended spaces, 16 bits and floating point are refused by nil.
///   `plusDarker`, `replacePathWithStrokedPath` and text drawing modes other than `fill` stop the program by name
@safe open class CGContext {
  let canvas: OpaquePointer
  let raster: Raster
  public let width: Int
  public let height: Int
  public let bitsPerComponent: Int
  public let bitsPerPixel: Int
  public let bytesPerRow: Int
  public let colorSpace: CGColorSpace?
  public let bitmapInfo: CGBitmapInfo
  /// The pixels: the caller's memory, or the context's own.
  public let data: UnsafeMutableRawPointer?
  private let layout: PixelLayout
  /// Whether Cairo draws on other memory than the caller sees.
  private let isCopied: Bool
  private let ownsData: Bool
  /// The map from the default user space to pixels with their origin at the bottom left: the scale of a screen, or a flip.
  package var baseTransform = CGAffineTransform.identity

  var state = DrawingState()
  var states: [DrawingState] = []
  var layers: [DrawingState] = []
  var outline = CGMutablePath()

  /// Makes a context over memory.
  ///
  /// - Parameters:
  ///   - data: the memory of `height` rows, which must outlive the context; nil for memory of the context's own, which is clear.
  ///   - bytesPerRow: 0 is allowed without memory of the caller's.
  /// - Returns: nil for kinds of pixels that are not drawn on, such as those of 16 bits and of print, and without memory.
  public init?(
    data: UnsafeMutableRawPointer?, width: Int, height: Int, bitsPerComponent: Int, bytesPerRow: Int, space: CGColorSpace?,
    bitmapInfo: UInt32
  ) {
    let info = CGBitmapInfo(rawValue: bitmapInfo)
    let bits =
      switch (info.alpha, space?.model) {
      case (.alphaOnly, _), (.some(.none), .monochrome): 8
      default: 32
      }
    guard width > 0, height > 0,
      let layout = PixelLayout(bitsPerComponent: bitsPerComponent, bitsPerPixel: bits, model: space?.model, info: info),
      // Core Graphics draws on multiplied pixels alone.
      layout.isPremultiplied, space.map({ !$0.isExtended && $0.transfer != .linear }) ?? layout.isMask
    else { return nil }
    let ownsData = unsafe data == nil
    let stride = bytesPerRow == 0 && ownsData ? (width * layout.byteCount + 31) / 32 * 32 : bytesPerRow
    guard stride >= width * layout.byteCount else { return nil }
    let memory: UnsafeMutableRawPointer
    if let data = unsafe data {
      unsafe memory = data
    } else {
      unsafe memory = UnsafeMutableRawPointer.allocate(byteCount: stride * height, alignment: 64)
      unsafe memory.initializeMemory(as: UInt8.self, repeating: 0, count: stride * height)
    }
    let isAligned = Int(bitPattern: memory) % 4 == 0
    isCopied = ![.native, .nativeOpaque].contains(layout) || stride % 4 != 0 || !isAligned
    let raster =
      unsafe isCopied
      ? Raster(width: width, height: height)
      : Raster(borrowing: memory, width: width, height: height, stride: stride, opaque: layout.alpha == nil, owner: nil)
    guard let raster, let canvas = unsafe cairo_create(raster.surface) else {
      if ownsData { unsafe memory.deallocate() }
      return nil
    }
    unsafe (self.canvas, self.data, self.ownsData) = (canvas, memory, ownsData)
    (self.raster, self.layout, self.width, self.height) = (raster, layout, width, height)
    (self.bitsPerComponent, bitsPerPixel, self.bytesPerRow) = (bitsPerComponent, layout.byteCount * 8, stride)
    (colorSpace, self.bitmapInfo) = (space, info)
    setMatrix(.identity)
  }

  public convenience init?(
    data: UnsafeMutableRawPointer?, width: Int, height: Int, bitsPerComponent: Int, bytesPerRow: Int, space: CGColorSpace?,
    bitmapInfo: CGBitmapInfo
  ) {
    unsafe self.init(
      data: data, width: width, height: height, bitsPerComponent: bitsPerComponent, bytesPerRow: bytesPerRow, space: space,
      bitmapInfo: bitmapInfo.rawValue)
  }

  deinit {
    unsafe cairo_destroy(canvas)
    if ownsData { unsafe data?.deallocate() }
  }

  public var alphaInfo: CGImageAlphaInfo { bitmapInfo.alpha ?? .none }

  /// Draws by Cairo, between the caller's memory and back where the caller's pixels are of another kind.
  func draw(_ body: () -> Void) {
    if isCopied, layers.isEmpty, let data = unsafe data { unsafe raster.load(from: data, stride: bytesPerRow, layout) }
    body()
    if layers.isEmpty { flush() }
  }

  /// Shows the caller what was drawn.
  func flush() {
    if isCopied, let data = unsafe data {
      unsafe raster.store(to: data, stride: bytesPerRow, layout)
    } else {
      unsafe cairo_surface_flush(raster.surface)
    }
  }

  /// A copy of the picture as it is now.
  open func makeImage() -> CGImage? {
    if !isCopied { unsafe cairo_surface_flush(raster.surface) }
    // The last row of the caller's memory may end with its pixels.
    let count = (height - 1) * bytesPerRow + width * layout.byteCount
    guard let data = unsafe data, let provider = CGDataProvider(data: unsafe Data(bytes: data, count: count)) else { return nil }
    return unsafe CGImage(
      width: width, height: height, bitsPerComponent: bitsPerComponent, bitsPerPixel: bitsPerPixel, bytesPerRow: bytesPerRow,
      space: colorSpace ?? .deviceGray, bitmapInfo: bitmapInfo, provider: provider, decode: nil, shouldInterpolate: true,
      intent: .defaultIntent)
  }

  /// Whether no pixel has colour or alpha.
  package var isClear: Bool {
    guard let data = unsafe data else { return true }
    if !isCopied { unsafe cairo_surface_flush(raster.surface) }
    return unsafe UnsafeRawBufferPointer(start: data, count: bytesPerRow * (height - 1) + width * layout.byteCount)
      .allSatisfy { $0 == 0 }
  }

  open func flushDrawing() { flush() }
  open func synchronize() { flush() }
}

/// Makes a context over memory, by the older name.
public func CGBitmapContextCreate(
  _ data: UnsafeMutableRawPointer?, _ width: Int, _ height: Int, _ bitsPerComponent: Int, _ bytesPerRow: Int,
  _ space: CGColorSpace?, _ bitmapInfo: UInt32
) -> CGContext? {
  unsafe CGContext(
    data: data, width: width, height: height, bitsPerComponent: bitsPerComponent, bytesPerRow: bytesPerRow, space: space,
    bitmapInfo: bitmapInfo)
}
