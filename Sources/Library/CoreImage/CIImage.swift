/// A picture that is made when it is rendered: pixels, or a filter's rule with the pictures that it reads.
///
/// Its coordinates have their origin at the bottom left. Outside of its extent it is clear.
/// - Partly: made of pixels, PNG, JPEG, colours and filters. Sampling between pixels is linear
open class CIImage: NSObject, NSCopying, @unchecked Sendable {
  // A picture is not changed after it was made; its rule reads immutable values alone.

  /// Makes the pixels of an area.
  typealias Rule = (Area, Rendering) -> Pixels
  package let node: Node
  /// The properties of a file's header, or those of a caller's.
  public let properties: [String: Any]

  /// A picture's extent and its rule.
  package final class Node {
    let extent: CGRect
    let rule: Rule
    /// The picture behind this one, where it is one of Core Graphics.
    let source: CGImage?
    init(_ extent: CGRect, source: CGImage? = nil, _ rule: @escaping Rule) {
      (self.extent, self.source, self.rule) = (extent, source, rule)
    }
  }

  init(_ extent: CGRect, properties: [String: Any] = [:], _ rule: @escaping Rule) {
    (node, self.properties) = (Node(extent, rule), properties)
  }

  private init(_ node: Node, _ properties: [String: Any] = [:]) { (self.node, self.properties) = (node, properties) }

  /// Makes a picture that is another one.
  package convenience init(of other: CIImage) { self.init(other.node, other.properties) }

  /// Makes a picture of pixels in a space.
  ///
  /// - Parameters:
  ///   - values: red, green, blue and alpha multiplied in, by rows from the top.
  ///   - space: the space of the values; nil for values of the working space.
  package convenience init(
    width: Int, height: Int, values: @escaping () -> [SIMD4<Float>], space: CGColorSpace?, source: CGImage? = nil,
    properties: [String: Any] = [:]
  ) {
    let whole = Area(x: 0, y: 0, width: width, height: height)
    let key = NSObject()
    self.init(
      Node(whole.rect, source: source) { area, rendering in
        rendering.cached(key) { rendering.decode(values(), width: width, height: height, space) }.cut(area)
      }, properties)
  }

  public convenience init(cgImage image: CGImage) { self.init(cgImage: image, options: nil) }

  public convenience init(cgImage image: CGImage, options: [CIImageOption: Any]? = nil) {
    let whole = Area(x: 0, y: 0, width: image.width, height: image.height)
    let isManaged = !(options?[.colorSpace] is NSNull)
    let space = options?[.colorSpace] as? CGColorSpace ?? CGColorSpaceCreateDeviceRGB()
    self.init(
      Node(whole.rect, source: image) { area, rendering in
        rendering.cached(image) {
          // A damaged picture shows nothing.
          let values = image.floatPixels ?? [Pixel](repeating: .zero, count: image.width * image.height)
          return rendering.decode(values, width: image.width, height: image.height, isManaged ? space : nil)
        }.cut(area)
      })
  }

  /// Reads the bytes of a PNG or a JPEG; nil for others.
  public convenience init?(data: Data, options: [CIImageOption: Any]? = nil) {
    guard let image = CGImage(encoded: data), image.isWhole else { return nil }
    let orientation = image.header?.orientation ?? 1
    let stored = CIImage(cgImage: image, options: options)
    let turns = (options?[.applyOrientationProperty] as? Bool) ?? false
    let made = turns ? stored.oriented(forExifOrientation: Int32(orientation)) : stored
    self.init(made.node, ["Orientation": orientation, "PixelWidth": image.width, "PixelHeight": image.height])
  }

  public convenience init?(contentsOf url: URL, options: [CIImageOption: Any]? = nil) {
    // Core Image has no error here: the documented result is nil.
    guard let data = try? Data(contentsOf: url) else { return nil }
    self.init(data: data, options: options)
  }

  public convenience init(color: CIColor) {
    self.init(
      Node(.infinite) { area, rendering in
        Pixels(area, [Pixel](repeating: rendering.color(color), count: area.width * area.height))
      })
  }

  /// Makes a picture of bytes in memory: four bytes a pixel, by rows from the top.
  public convenience init(
    bitmapData data: Data, bytesPerRow: Int, size: CGSize, format: CIFormat, colorSpace: CGColorSpace?
  ) {
    let (width, height) = (Int(size.width), Int(size.height))
    self.init(width: width, height: height, values: { format.read(data, bytesPerRow, width, height) }, space: colorSpace)
  }

  open class func empty() -> CIImage { CIImage(.null) { area, _ in Pixels(clear: area) } }

  open var extent: CGRect { node.extent }
  open var colorSpace: CGColorSpace? { node.source?.colorSpace }
  open var cgImage: CGImage? { node.source }
  open var url: URL? { nil }
  open var definition: CGRect { extent }

  open func copy(with zone: NSZone? = nil) -> Any { self }
  open override var description: String { "CIImage(extent: \(extent))" }
}

public struct CIImageOption: RawRepresentable, Hashable, Sendable {
  public let rawValue: String
  public init(rawValue: String) { self.rawValue = rawValue }
  public static let colorSpace = CIImageOption(rawValue: "kCIImageColorSpace")
  public static let properties = CIImageOption(rawValue: "kCIImageProperties")
  public static let applyOrientationProperty = CIImageOption(rawValue: "kCIImageApplyOrientationProperty")
}

/// The kind of pixels in memory.
/// - Partly: RGBA8, BGRA8, ARGB8 and ABGR8 are read; they and R8, L8, A8, RGBAf, Rf, Lf are rendered. Others stop the program by
///   name
public struct CIFormat: RawRepresentable, Hashable, Sendable {
  public let rawValue: Int32
  public init(rawValue: Int32) { self.rawValue = rawValue }
  public static let ARGB8 = CIFormat(rawValue: 264)
  public static let BGRA8 = CIFormat(rawValue: 266)
  public static let RGBA8 = CIFormat(rawValue: 265)
  public static let ABGR8 = CIFormat(rawValue: 267)
  public static let RGBAf = CIFormat(rawValue: 2309)
  public static let RGBAh = CIFormat(rawValue: 2056)
  public static let RGBA16 = CIFormat(rawValue: 773)
  public static let L8 = CIFormat(rawValue: 256)
  public static let R8 = CIFormat(rawValue: 258)
  public static let A8 = CIFormat(rawValue: 257)
  public static let Lf = CIFormat(rawValue: 2305)
  public static let Rf = CIFormat(rawValue: 2307)
}
public let kCIFormatBGRA8 = CIFormat.BGRA8
public let kCIFormatRGBA8 = CIFormat.RGBA8
public let kCIFormatARGB8 = CIFormat.ARGB8
public let kCIFormatRGBAf = CIFormat.RGBAf
