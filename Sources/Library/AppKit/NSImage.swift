/// A picture that is drawn with its origin at the bottom left and y upwards.
/// - Partly: PNG, JPEG, GIF, and TIFF of eight bits without compression
open class NSImage: NSObject, NSCopying, @unchecked Sendable {
  // Code that draws changes a picture between `lockFocus` and `unlockFocus`, on one thread.
  public typealias Name = String

  /// The size in points.
  open var size: CGSize
  private var picture: CGImage?
  private var handler: ((CGRect) -> Bool)?
  private var isFlipped = false
  open var isTemplate = false
  open var cacheMode = 0

  public init(size: CGSize) { self.size = size }
  public init(cgImage: CGImage, size: CGSize) {
    (picture, self.size) = (cgImage, size == .zero ? CGSize(width: cgImage.width, height: cgImage.height) : size)
  }

  /// Reads the bytes of a PNG or a JPEG, as it is seen, or of a TIFF; nil for others.
  public init?(data: Data) {
    guard let made = CGImage(tiff: data) ?? Self.upright(data) else { return nil }
    (picture, size) = (made, CGSize(width: made.width, height: made.height))
  }

  private static func upright(_ data: Data) -> CGImage? {
    guard let image = CIImage(data: data, options: [.applyOrientationProperty: true]) else { return nil }
    return (image.properties["Orientation"] as? Int) == 1
      ? CGImage(encoded: data) : CIContext().createCGImage(image, from: image.extent)
  }

  public convenience init?(contentsOf url: URL) {
    // AppKit has no error here: the documented result is nil.
    guard let data = try? Data(contentsOf: url) else { return nil }
    self.init(data: data)
  }
  public convenience init?(contentsOfFile fileName: String) { self.init(contentsOf: URL(fileURLWithPath: fileName)) }
  public convenience init?(byReferencing url: URL) { self.init(contentsOf: url) }

  /// Finds a picture among the main bundle's resources; nil where there is none.
  public convenience init?(named name: NSImage.Name) {
    let folder = Bundle.main.resourcePath ?? Bundle.main.bundlePath
    let names = (name as NSString).pathExtension.isEmpty ? ["\(name).png", "\(name).jpg", "\(name).jpeg"] : [name]
    guard let path = names.map({ "\(folder)/\($0)" }).first(where: { FileManager.default.fileExists(atPath: $0) }) else {
      return nil
    }
    self.init(contentsOfFile: path)
  }

  /// Makes a picture that is drawn by code each time.
  public init(
    size: CGSize, flipped drawingHandlerShouldBeCalledWithFlippedContext: Bool, drawingHandler: @escaping (CGRect) -> Bool
  ) {
    (self.size, handler, isFlipped) = (size, drawingHandler, drawingHandlerShouldBeCalledWithFlippedContext)
  }

  open var isValid: Bool { pixels != nil }
  open var representations: [NSImageRep] { pixels.map { [NSBitmapImageRep(cgImage: $0)] } ?? [] }
  /// The picture as a TIFF without compression.
  open var tiffRepresentation: Data? { pixels?.tiffData }
  open func tiffRepresentation(using comp: NSBitmapImageRep.TIFFCompression, factor: Float) -> Data? {
    NSBitmapImageRep.checkCompression(comp) ? tiffRepresentation : nil
  }
  open func addRepresentation(_ imageRep: NSImageRep) { picture = (imageRep as? NSBitmapImageRep)?.cgImage ?? picture }

  private var pixels: CGImage? {
    guard let handler else { return picture }
    guard let entry = DrawingStack.begin(size: size, scale: 1, isOpaque: false, isFlipped: isFlipped) else { return nil }
    defer { DrawingStack.pop() }
    return handler(CGRect(origin: .zero, size: size)) ? entry.context.makeImage() : nil
  }

  open func cgImage(
    forProposedRect proposedDestRect: UnsafeMutablePointer<CGRect>?, context referenceContext: NSGraphicsContext?,
    hints: [NSImageRep.HintKey: Any]?
  ) -> CGImage? { pixels }

  /// Begins to draw on the picture.
  open func lockFocus() { draw(begin: false) }
  open func lockFocusFlipped(_ flipped: Bool) { draw(begin: flipped) }

  private func draw(begin flipped: Bool) {
    let entry = DrawingStack.begin(size: size, scale: 1, isOpaque: false, isFlipped: flipped)
    guard let context = entry?.context, let picture else { return }
    context.draw(picture, in: CGRect(origin: .zero, size: size), isFlipped: flipped)
  }

  open func unlockFocus() {
    picture = DrawingStack.current?.context.makeImage() ?? picture
    DrawingStack.pop()
  }

  open func draw(in rect: CGRect) { draw(in: rect, from: .zero, operation: .sourceOver, fraction: 1) }
  open func draw(at point: CGPoint, from fromRect: CGRect, operation op: NSCompositingOperation, fraction delta: CGFloat) {
    draw(in: CGRect(origin: point, size: fromRect.isEmpty ? size : fromRect.size), from: fromRect, operation: op, fraction: delta)
  }

  /// Draws a part of the picture; all of it for an empty rectangle.
  open func draw(
    in dstRect: CGRect, from srcSpacePortionRect: CGRect, operation op: NSCompositingOperation, fraction requestedAlpha: CGFloat
  ) {
    guard let entry = DrawingStack.current, let pixels else { return }
    var image = pixels
    if !srcSpacePortionRect.isEmpty, size.width > 0, size.height > 0 {
      let (x, y) = (CGFloat(pixels.width) / size.width, CGFloat(pixels.height) / size.height)
      let part = CGRect(
        x: srcSpacePortionRect.minX * x, y: (size.height - srcSpacePortionRect.maxY) * y, width: srcSpacePortionRect.width * x,
        height: srcSpacePortionRect.height * y)
      guard let cut = pixels.cropping(to: part) else { return }
      image = cut
    }
    entry.context.saveGState()
    entry.context.setAlpha(requestedAlpha)
    entry.context.setBlendMode(op.blendMode)
    entry.context.draw(image, in: dstRect, isFlipped: entry.isFlipped)
    entry.context.restoreGState()
  }

  open func copy(with zone: NSZone? = nil) -> Any {
    let copy = NSImage(size: size)
    (copy.picture, copy.handler, copy.isFlipped) = (picture, handler, isFlipped)
    return copy
  }
}

public enum NSCompositingOperation: UInt, Sendable {
  case clear, copy, sourceOver, sourceIn, sourceOut, sourceAtop, destinationOver, destinationIn, destinationOut
  case destinationAtop, xor, plusDarker, plusLighter = 13, multiply, screen, overlay, darken, lighten, colorDodge, colorBurn
  case softLight, hardLight, difference, exclusion, hue, saturation, color, luminosity

  var blendMode: CGBlendMode {
    let modes: [CGBlendMode] = [
      .clear, .copy, .normal, .sourceIn, .sourceOut, .sourceAtop, .destinationOver, .destinationIn, .destinationOut,
      .destinationAtop, .xor, .plusDarker, .normal, .plusLighter, .multiply, .screen, .overlay, .darken, .lighten, .colorDodge,
      .colorBurn, .softLight, .hardLight, .difference, .exclusion, .hue, .saturation, .color, .luminosity,
    ]
    return modes[Int(rawValue)]
  }
}

open class NSImageRep: NSObject {
  public struct HintKey: RawRepresentable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
    public static let interpolation = HintKey(rawValue: "NSImageHintInterpolation")
  }
  open var size = CGSize.zero
  open var pixelsWide: Int { 0 }
  open var pixelsHigh: Int { 0 }
  public override init() {}
}
