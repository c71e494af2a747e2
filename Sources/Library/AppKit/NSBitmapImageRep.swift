/// A picture of pixels.
/// - Partly: PNG, JPEG, and TIFF of eight bits without compression
open class NSBitmapImageRep: NSImageRep {
  public enum FileType: UInt, Sendable { case tiff, bmp, gif, jpeg, png, jpeg2000 }
  public struct PropertyKey: RawRepresentable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
    public static let compressionFactor = PropertyKey(rawValue: "NSImageCompressionFactor")
    public static let interlaced = PropertyKey(rawValue: "NSImageInterlaced")
  }

  public enum TIFFCompression: UInt, Sendable {
    case none = 1, ccittfax3 = 3, ccittfax4, lzw, jpeg, next = 32766, packBits = 32773, oldJPEG = 32865
  }

  private let picture: CGImage?
  /// The picture's pixels, once somebody draws on it or asks for them.
  private var drawn: CGContext?
  open var cgImage: CGImage? { drawn?.makeImage() ?? picture }

  /// The picture as a TIFF without compression.
  open var tiffRepresentation: Data? { cgImage?.tiffData }
  open func tiffRepresentation(using comp: TIFFCompression, factor: Float) -> Data? {
    Self.checkCompression(comp) ? tiffRepresentation : nil
  }
  /// Whether files are written so. The standard error names a kind of compression that is not made.
  static func checkCompression(_ kind: TIFFCompression) -> Bool {
    if kind != .none {
      FileHandle.standardError.write(Data("tiffRepresentation(using: .\(kind)): files are not compressed so; .none is\n".utf8))
    }
    return kind == .none
  }

  public init(cgImage: CGImage) {
    picture = cgImage
    super.init()
    size = CGSize(width: cgImage.width, height: cgImage.height)
  }
  public convenience init(ciImage: CIImage) {
    self.init(cgImage: CIContext().createCGImage(ciImage, from: ciImage.extent) ?? CIContext().blank)
  }
  public convenience init?(data: Data) {
    guard let image = CGImage(encoded: data), image.isWhole else { return nil }
    self.init(cgImage: image)
  }

  /// Makes a clear picture to be drawn on.
  ///
  /// - Returns: nil for memory of others, planes, and samples of other than eight bits of red, green and blue. The standard error says so.
  public init?(
    bitmapDataPlanes planes: UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>?, pixelsWide width: Int, pixelsHigh height: Int,
    bitsPerSample bps: Int, samplesPerPixel spp: Int, hasAlpha alpha: Bool, isPlanar: Bool, colorSpaceName: NSColorSpaceName,
    bytesPerRow rBytes: Int, bitsPerPixel pBits: Int
  ) {
    guard unsafe planes == nil, !isPlanar, bps == 8, spp == (alpha ? 4 : 3), [0, 24, 32].contains(pBits),
      [.deviceRGB, .calibratedRGB].contains(colorSpaceName), let context = Self.sheet(width, height)
    else {
      let words = "NSBitmapImageRep(bitmapDataPlanes:…): \(width) × \(height) of \(spp) samples of \(bps) bits are not made so\n"
      FileHandle.standardError.write(Data(words.utf8))
      return nil
    }
    (picture, drawn) = (nil, context)
    super.init()
    size = CGSize(width: width, height: height)
  }

  private static func sheet(_ width: Int, _ height: Int) -> CGContext? {
    let context = unsafe CGContext(
      data: nil, width: width, height: height, bitsPerComponent: 8, bytesPerRow: 0, space: CGColorSpaceCreateDeviceRGB(),
      bitmapInfo: CGImageAlphaInfo.premultipliedLast.rawValue)
    // Whoever draws begins with this state.
    context?.saveGState()
    return context
  }

  /// The picture as pixels that can be changed; nil without memory.
  private var pixels: CGContext? {
    if drawn == nil, let picture, let made = Self.sheet(picture.width, picture.height) {
      made.draw(picture, in: CGRect(x: 0, y: 0, width: picture.width, height: picture.height))
      drawn = made
    }
    return drawn
  }

  /// The context that draws on the picture, in its first state, whose unit is a point of `size`; nil without memory.
  var context: CGContext? {
    guard let pixels else { return nil }
    pixels.restoreGState()
    pixels.saveGState()
    if size.width > 0, size.height > 0 {
      pixels.scaleBy(x: CGFloat(pixels.width) / size.width, y: CGFloat(pixels.height) / size.height)
    }
    return pixels
  }

  open override var pixelsWide: Int { drawn?.width ?? picture?.width ?? 0 }
  open override var pixelsHigh: Int { drawn?.height ?? picture?.height ?? 0 }
  open var samplesPerPixel: Int { 4 }
  open var bitsPerPixel: Int { 32 }
  open var bytesPerRow: Int { pixels?.bytesPerRow ?? 0 }
  /// The pixels, from the top row on: red, green, blue and alpha, which they are multiplied by. They are the picture's own memory.
  open var bitmapData: UnsafeMutablePointer<UInt8>? { unsafe pixels?.data?.assumingMemoryBound(to: UInt8.self) }
  /// The colour of a pixel, counted from the top left corner; nil outside.
  open func colorAt(x: Int, y: Int) -> NSColor? {
    guard (0..<pixelsWide).contains(x), (0..<pixelsHigh).contains(y), let bytes = unsafe bitmapData else { return nil }
    let place = y * bytesPerRow + x * 4
    let parts = (0..<4).map { unsafe CGFloat(bytes[place + $0]) / 255 }
    let alpha = parts[3]
    guard alpha > 0 else { return NSColor(red: 0, green: 0, blue: 0, alpha: 0) }
    return NSColor(red: parts[0] / alpha, green: parts[1] / alpha, blue: parts[2] / alpha, alpha: alpha)
  }
  open var hasAlpha: Bool { ![.none, .noneSkipFirst, .noneSkipLast].contains(cgImage?.alphaInfo ?? .none) }

  /// The picture as a file; nil for kinds other than PNG, JPEG and TIFF.
  open func representation(using storageType: FileType, properties: [PropertyKey: Any]) -> Data? {
    switch storageType {
    case .png: return cgImage?.pngData
    case .tiff: return tiffRepresentation
    case .jpeg:
      let factor = properties[.compressionFactor]
      let quality = (factor as? Double) ?? (factor as? CGFloat).map { Double($0) } ?? (factor as? NSNumber)?.doubleValue ?? 0.75
      return cgImage?.jpegData(quality: quality)
    default: return nil
    }
  }
}

extension CIContext {
  /// A clear pixel, for a picture without an extent.
  fileprivate var blank: CGImage {
    guard let image = createCGImage(CIImage(color: .clear), from: CGRect(x: 0, y: 0, width: 1, height: 1)) else {
      preconditionFailure("NSBitmapImageRep: there is no memory for a pixel")
    }
    return image
  }
}

/// The colours of a picture's samples.
public struct NSColorSpaceName: RawRepresentable, Hashable, Sendable {
  public let rawValue: String
  public init(rawValue: String) { self.rawValue = rawValue }
  public static let deviceRGB = NSColorSpaceName(rawValue: "NSDeviceRGBColorSpace")
  public static let calibratedRGB = NSColorSpaceName(rawValue: "NSCalibratedRGBColorSpace")
  public static let deviceWhite = NSColorSpaceName(rawValue: "NSDeviceWhiteColorSpace")
  public static let calibratedWhite = NSColorSpaceName(rawValue: "NSCalibratedWhiteColorSpace")
  public static let deviceCMYK = NSColorSpaceName(rawValue: "NSDeviceCMYKColorSpace")
}
