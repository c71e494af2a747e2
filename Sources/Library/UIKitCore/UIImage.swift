/// A picture, with the pixels of a point and the way in which it stands.
/// - Partly: PNG, JPEG and the first picture of a GIF. `named:` looks among the main bundle's files. No symbols, no animation
open class UIImage: NSObject, _ExpressibleByImageLiteral, @unchecked Sendable {
  // A picture is not changed after it was made.

  /// The way in which the first row of pixels stands.
  public enum Orientation: Int, Sendable { case up, down, left, right, upMirrored, downMirrored, leftMirrored, rightMirrored }
  public enum RenderingMode: Int, Sendable { case automatic, alwaysOriginal, alwaysTemplate }
  public enum ResizingMode: Int, Sendable { case tile, stretch }

  public let cgImage: CGImage?
  public let ciImage: CIImage?
  public let scale: CGFloat
  public let imageOrientation: Orientation

  public init(cgImage: CGImage, scale: CGFloat, orientation: UIImage.Orientation) {
    (self.cgImage, ciImage, self.scale, imageOrientation) = (cgImage, nil, scale == 0 ? 1 : scale, orientation)
  }

  public convenience init(cgImage: CGImage) { self.init(cgImage: cgImage, scale: 1, orientation: .up) }

  public init(ciImage: CIImage, scale: CGFloat, orientation: UIImage.Orientation) {
    (cgImage, self.ciImage, self.scale, imageOrientation) = (nil, ciImage, scale == 0 ? 1 : scale, orientation)
  }

  public convenience init(ciImage: CIImage) { self.init(ciImage: ciImage, scale: 1, orientation: .up) }

  /// Makes an empty picture.
  public override init() { (cgImage, ciImage, scale, imageOrientation) = (nil, nil, 1, .up) }

  /// Reads the bytes of a PNG or a JPEG; nil for others, and where they are damaged.
  public convenience init?(data: Data) { self.init(data: data, scale: 1) }

  public init?(data: Data, scale: CGFloat) {
    guard let image = CGImage(encoded: data), image.isWhole else { return nil }
    (cgImage, ciImage, self.scale) = (image, nil, scale == 0 ? 1 : scale)
    imageOrientation = Orientation(exif: image.header?.orientation ?? 1)
  }

  /// Reads a file; nil where it cannot be read.
  public convenience init?(contentsOfFile path: String) {
    guard let data = FileManager.default.contents(atPath: path) else { return nil }
    self.init(data: data, scale: Self.scale(of: path))
  }

  /// Finds a picture among the main bundle's resources, by its name with or without an ending; nil where there is none.
  public convenience init?(named name: String) { self.init(named: name, in: nil, compatibleWith: nil) }

  public convenience init?(named name: String, in bundle: Bundle?, compatibleWith traitCollection: UITraitCollection?) {
    guard let path = Self.path(name, in: bundle ?? .main) else { return nil }
    self.init(contentsOfFile: path)
  }

  /// Makes a picture of a resource, as an editor writes it: `#imageLiteral(resourceName: "logo")`. One that is not there ends the
  /// program, as on iOS.
  public required convenience init(imageLiteralResourceName name: String) {
    guard let path = Self.path(name, in: .main), let data = FileManager.default.contents(atPath: path) else {
      preconditionFailure("#imageLiteral(resourceName:): there is no picture \(name) among the main bundle's resources")
    }
    guard let image = CGImage(encoded: data), image.isWhole else {
      preconditionFailure("#imageLiteral(resourceName:): \(path) is no PNG and no JPEG")
    }
    self.init(cgImage: image, scale: Self.scale(of: path), orientation: Orientation(exif: image.header?.orientation ?? 1))
  }

  /// Symbols belong to Apple's systems. There are none here.
  public convenience init?(systemName name: String) { return nil }

  private static func path(_ name: String, in bundle: Bundle) -> String? {
    let folder = bundle.resourcePath ?? bundle.bundlePath
    let names =
      (name as NSString).pathExtension.isEmpty
      ? ["\(name).png", "\(name)@2x.png", "\(name)@3x.png", "\(name).jpg", "\(name).jpeg"] : [name]
    return names.map { "\(folder)/\($0)" }.first { FileManager.default.fileExists(atPath: $0) }
  }

  /// The scale that a file's name ends in, such as "@2x".
  private static func scale(of path: String) -> CGFloat {
    let name = ((path as NSString).lastPathComponent as NSString).deletingPathExtension
    return name.hasSuffix("@2x") ? 2 : name.hasSuffix("@3x") ? 3 : 1
  }

  /// The size in points, as the picture is seen.
  open var size: CGSize {
    let stored = cgImage.map { CGSize(width: $0.width, height: $0.height) } ?? ciImage?.extent.size ?? .zero
    let points = CGSize(width: stored.width / scale, height: stored.height / scale)
    return imageOrientation.isSideways ? CGSize(width: points.height, height: points.width) : points
  }

  open func draw(at point: CGPoint) { draw(at: point, blendMode: .normal, alpha: 1) }
  open func draw(at point: CGPoint, blendMode: CGBlendMode, alpha: CGFloat) {
    draw(in: CGRect(origin: point, size: size), blendMode: blendMode, alpha: alpha)
  }
  open func draw(in rect: CGRect) { draw(in: rect, blendMode: .normal, alpha: 1) }

  /// Draws the picture as it is seen into a rectangle of the context that is drawn on now.
  open func draw(in rect: CGRect, blendMode: CGBlendMode, alpha: CGFloat) {
    guard let context = DrawingStack.current?.context, let image = pixels else { return }
    context.saveGState()
    context.setBlendMode(blendMode)
    context.setAlpha(alpha)
    context.translateBy(x: rect.minX, y: rect.minY)
    context.concatenate(imageOrientation.map(in: rect.size))
    let stored = imageOrientation.isSideways ? CGSize(width: rect.height, height: rect.width) : rect.size
    context.draw(image, in: CGRect(origin: .zero, size: stored), isFlipped: true)
    context.restoreGState()
  }

  open func drawAsPattern(in rect: CGRect) {
    guard let context = DrawingStack.current?.context, let image = pixels else { return }
    context.saveGState()
    context.clip(to: rect)
    context.draw(image, in: CGRect(origin: rect.origin, size: size), isFlipped: true, true)
    context.restoreGState()
  }

  /// The pixels, rendered where the picture is one of Core Image.
  package var pixels: CGImage? {
    cgImage ?? ciImage.flatMap { CIContext().createCGImage($0, from: $0.extent) }
  }

  /// The picture as seen, as a PNG.
  open func pngData() -> Data? { upright?.pngData }

  /// The picture as a JPEG.
  ///
  /// - Parameter compressionQuality: 0...1, from the smallest file to the best picture.
  open func jpegData(compressionQuality: CGFloat) -> Data? { upright?.jpegData(quality: Double(compressionQuality)) }

  /// The pixels as they are seen.
  private var upright: CGImage? {
    if imageOrientation == .up { return pixels }
    let format = UIGraphicsImageRendererFormat()
    format.scale = scale
    return UIGraphicsImageRenderer(size: size, format: format).image { _ in draw(at: .zero) }.cgImage
  }

  open func withRenderingMode(_ renderingMode: UIImage.RenderingMode) -> UIImage { self }
  open func withHorizontallyFlippedOrientation() -> UIImage {
    guard let cgImage else { return self }
    return UIImage(cgImage: cgImage, scale: scale, orientation: imageOrientation.mirrored)
  }

  /// The picture in one colour, by its alpha.
  open func withTintColor(_ color: UIColor) -> UIImage { withTintColor(color, renderingMode: .alwaysOriginal) }
  open func withTintColor(_ color: UIColor, renderingMode: UIImage.RenderingMode) -> UIImage {
    let format = UIGraphicsImageRendererFormat()
    format.scale = scale
    return UIGraphicsImageRenderer(size: size, format: format).image { context in
      draw(at: .zero)
      color.setFill()
      context.fill(CGRect(origin: .zero, size: size), blendMode: .sourceIn)
    }
  }

  open override var description: String { "UIImage(\(size.width) x \(size.height) at \(scale))" }
}

extension UIImage.Orientation {
  /// The orientation of a number 1...8 of EXIF.
  init(exif: Int) {
    let known: [UIImage.Orientation] = [.up, .upMirrored, .down, .downMirrored, .leftMirrored, .right, .rightMirrored, .left]
    self = known[min(max(exif, 1), 8) - 1]
  }

  var isSideways: Bool { [.left, .right, .leftMirrored, .rightMirrored].contains(self) }

  var mirrored: UIImage.Orientation { UIImage.Orientation(rawValue: (rawValue + 4) % 8) ?? .up }

  /// The map from the stored picture's rectangle to the one of the picture as it is seen, with y downwards.
  func map(in size: CGSize) -> CGAffineTransform {
    let (w, h) = (size.width, size.height)
    return switch self {
    case .up: .identity
    case .down: CGAffineTransform(-1, 0, 0, -1, w, h)
    case .left: CGAffineTransform(0, -1, 1, 0, 0, h)
    case .right: CGAffineTransform(0, 1, -1, 0, w, 0)
    case .upMirrored: CGAffineTransform(-1, 0, 0, 1, w, 0)
    case .downMirrored: CGAffineTransform(1, 0, 0, -1, 0, h)
    case .leftMirrored: CGAffineTransform(0, 1, 1, 0, 0, 0)
    case .rightMirrored: CGAffineTransform(0, -1, -1, 0, w, h)
    }
  }
}

public func UIImagePNGRepresentation(_ image: UIImage) -> Data? { image.pngData() }
public func UIImageJPEGRepresentation(_ image: UIImage, _ compressionQuality: CGFloat) -> Data? {
  image.jpegData(compressionQuality: compressionQuality)
}
public typealias UIImageOrientation = UIImage.Orientation
