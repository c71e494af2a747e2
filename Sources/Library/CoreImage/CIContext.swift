public struct CIContextOption: RawRepresentable, Hashable, Sendable {
  public let rawValue: String
  public init(rawValue: String) { self.rawValue = rawValue }
  public static let workingColorSpace = CIContextOption(rawValue: "working_color_space")
  public static let outputColorSpace = CIContextOption(rawValue: "output_color_space")
  public static let workingFormat = CIContextOption(rawValue: "working_format")
  public static let useSoftwareRenderer = CIContextOption(rawValue: "software_renderer")
  public static let highQualityDownsample = CIContextOption(rawValue: "high_quality_downsample")
  public static let outputPremultiplied = CIContextOption(rawValue: "output_premultiplied")
  public static let cacheIntermediates = CIContextOption(rawValue: "kCIContextCacheIntermediates")
  public static let priorityRequestLow = CIContextOption(rawValue: "low_priority")
  public static let allowLowPower = CIContextOption(rawValue: "allow_low_power")
  public static let name = CIContextOption(rawValue: "kCIContextName")
}
public let kCIContextWorkingColorSpace = CIContextOption.workingColorSpace
public let kCIContextOutputColorSpace = CIContextOption.outputColorSpace
public let kCIContextUseSoftwareRenderer = CIContextOption.useSoftwareRenderer

public struct CIImageRepresentationOption: RawRepresentable, Hashable, Sendable {
  public let rawValue: String
  public init(rawValue: String) { self.rawValue = rawValue }
}

/// Renders pictures on the processor, in 32-bit floating point.
///
/// Filters compute in the working space, extended linear sRGB unless the options say something else; `NSNull()` keeps colours as they
/// are. The result is in sRGB unless the call or the options say something else.
/// - Partly: renders on the processor, in 32-bit floating point. Into memory: formats of 8 bits, and RGBAf, Rf and Lf; as a
///   CGImage, PNG or JPEG: 8 bits, and nil for others
open class CIContext: NSObject, @unchecked Sendable {
  // A context is not changed after it was made.
  public let workingColorSpace: CGColorSpace?
  private let output: CGColorSpace?
  private let target: CGContext?

  public convenience override init() { self.init(options: nil) }

  public init(options: [CIContextOption: Any]? = nil) {
    let isPlain = options?[.workingColorSpace] is NSNull
    workingColorSpace = isPlain ? nil : options?[.workingColorSpace] as? CGColorSpace ?? Rendering.standardSpace
    output = options?[.outputColorSpace] as? CGColorSpace
    target = nil
  }

  /// Makes a context that draws on another one.
  public init(cgContext: CGContext, options: [CIContextOption: Any]? = nil) {
    let isPlain = options?[.workingColorSpace] is NSNull
    workingColorSpace = isPlain ? nil : options?[.workingColorSpace] as? CGColorSpace ?? Rendering.standardSpace
    (output, target) = (options?[.outputColorSpace] as? CGColorSpace, cgContext)
  }

  open var workingFormat: CIFormat { .RGBAf }
  open func clearCaches() {}
  open func reclaimResources() {}

  /// The values of an area: multiplied by alpha, in a space, by rows from the top.
  package func values(of image: CIImage, _ area: Area, in space: CGColorSpace?) -> [SIMD4<Float>] {
    let rendering = Rendering(working: workingColorSpace)
    return rendering.encode(rendering.pixels(of: image, area), workingColorSpace == nil ? nil : space)
  }

  /// Renders a part of a picture; nil for one that is empty or without bounds.
  open func createCGImage(_ image: CIImage, from fromRect: CGRect) -> CGImage? {
    createCGImage(image, from: fromRect, format: .RGBA8, colorSpace: output ?? CGColorSpace(name: CGColorSpace.sRGB))
  }

  open func createCGImage(
    _ image: CIImage, from fromRect: CGRect, format: CIFormat, colorSpace: CGColorSpace?
  ) -> CGImage? {
    guard let area = Area(fromRect), format.isColor8 else { return nil }
    let space = colorSpace ?? CGColorSpaceCreateDeviceRGB()
    var bytes = Data(count: area.width * area.height * 4)
    CIFormat.RGBA8.write(values(of: image, area, in: space), width: area.width, to: &bytes, rowBytes: area.width * 4)
    guard let provider = CGDataProvider(data: bytes) else { return nil }
    return unsafe CGImage(
      width: area.width, height: area.height, bitsPerComponent: 8, bitsPerPixel: 32, bytesPerRow: area.width * 4, space: space,
      bitmapInfo: CGBitmapInfo(rawValue: CGImageAlphaInfo.premultipliedLast.rawValue), provider: provider, decode: nil,
      shouldInterpolate: true, intent: .defaultIntent)
  }

  open func createCGImage(
    _ image: CIImage, from fromRect: CGRect, format: CIFormat, colorSpace: CGColorSpace?, deferred: Bool
  ) -> CGImage? { createCGImage(image, from: fromRect, format: format, colorSpace: colorSpace) }

  /// Renders into memory of the caller's.
  ///
  /// - Precondition: the format is one of 8 bits, or RGBAf.
  open func render(
    _ image: CIImage, toBitmap data: UnsafeMutableRawPointer, rowBytes: Int, bounds: CGRect, format: CIFormat,
    colorSpace: CGColorSpace?
  ) {
    guard let area = Area(bounds) else { return }
    precondition(format.bytes != nil, "CIContext: the format \(format.rawValue) is not made")
    var made = Data(count: rowBytes * area.height)
    format.write(values(of: image, area, in: colorSpace), width: area.width, to: &made, rowBytes: rowBytes)
    unsafe made.copyBytes(to: data.assumingMemoryBound(to: UInt8.self), count: made.count)
  }

  /// Draws a part of a picture into a rectangle of the context that this one was made for.
  open func draw(_ image: CIImage, in inRect: CGRect, from fromRect: CGRect) {
    guard let made = createCGImage(image, from: fromRect) else { return }
    target?.draw(made, in: inRect)
  }

  open func pngRepresentation(
    of image: CIImage, format: CIFormat, colorSpace: CGColorSpace, options: [CIImageRepresentationOption: Any] = [:]
  ) -> Data? { createCGImage(image, from: image.extent, format: format, colorSpace: colorSpace)?.pngData }

  open func jpegRepresentation(
    of image: CIImage, colorSpace: CGColorSpace, options: [CIImageRepresentationOption: Any] = [:]
  ) -> Data? {
    let named = options[CIImageRepresentationOption(rawValue: "kCGImageDestinationLossyCompressionQuality")]
    let quality = (named as? Double) ?? (named as? CGFloat).map(Double.init) ?? (named as? Float).map(Double.init) ?? 0.9
    return createCGImage(image, from: image.extent, format: .RGBA8, colorSpace: colorSpace)?.jpegData(quality: quality)
  }

  /// The picture as a TIFF of eight bits without compression.
  open func tiffRepresentation(
    of image: CIImage, format: CIFormat, colorSpace: CGColorSpace, options: [CIImageRepresentationOption: Any] = [:]
  ) -> Data? { createCGImage(image, from: image.extent, format: format, colorSpace: colorSpace)?.tiffData }

  /// - Refused: nil: HEIF is not encoded. The standard error says so
  open func heifRepresentation(
    of image: CIImage, format: CIFormat, colorSpace: CGColorSpace, options: [CIImageRepresentationOption: Any] = [:]
  ) -> Data? {
    FileHandle.standardError.write(Data("CIContext.heifRepresentation: HEIF is not encoded here; PNG and JPEG are\n".utf8))
    return nil
  }

  open func writePNGRepresentation(
    of image: CIImage, to url: URL, format: CIFormat, colorSpace: CGColorSpace,
    options: [CIImageRepresentationOption: Any] = [:]
  ) throws {
    guard let data = pngRepresentation(of: image, format: format, colorSpace: colorSpace) else {
      throw CocoaError(.fileWriteUnknown)
    }
    try data.write(to: url)
  }

  open func writeJPEGRepresentation(
    of image: CIImage, to url: URL, colorSpace: CGColorSpace, options: [CIImageRepresentationOption: Any] = [:]
  ) throws {
    guard let data = jpegRepresentation(of: image, colorSpace: colorSpace, options: options) else {
      throw CocoaError(.fileWriteUnknown)
    }
    try data.write(to: url)
  }
}

extension CIFormat {
  /// The places of red, green, blue and alpha in a pixel's bytes.
  private var order: [Int]? {
    switch self {
    case .RGBA8: [0, 1, 2, 3]
    case .BGRA8: [2, 1, 0, 3]
    case .ARGB8: [1, 2, 3, 0]
    case .ABGR8: [3, 2, 1, 0]
    default: nil
    }
  }

  /// Whether a pixel is four parts of 8 bits.
  var isColor8: Bool { order != nil }

  /// The bytes of a pixel; nil for formats that are not made.
  var bytes: Int? {
    switch self {
    case .RGBA8, .BGRA8, .ARGB8, .ABGR8: 4
    case .R8, .L8, .A8: 1
    case .RGBAf: 16
    case .Rf, .Lf: 4
    default: nil
    }
  }

  /// Writes values by rows.
  func write(_ values: [Pixel], width: Int, to data: inout Data, rowBytes: Int) {
    func byte(_ value: Float) -> UInt8 { UInt8((min(max(value, 0), 1) * 255).rounded()) }
    let (kind, order, size) = (self, order, bytes ?? 4)
    unsafe data.withUnsafeMutableBytes { target in
      for (index, value) in values.enumerated() {
        let place = index / width * rowBytes + index % width * size
        if let order {
          for part in 0..<4 { unsafe target[place + order[part]] = byte(value[part]) }
        } else if kind == .A8 {
          unsafe target[place] = byte(value[3])
        } else if kind == .R8 || kind == .L8 {
          unsafe target[place] = byte(kind == .R8 ? value[0] : value.luminance)
        } else if kind == .Rf || kind == .Lf {
          unsafe target.storeBytes(of: kind == .Rf ? value[0] : value.luminance, toByteOffset: place, as: Float.self)
        } else if kind == .RGBAf {
          for part in 0..<4 { unsafe target.storeBytes(of: value[part], toByteOffset: place + part * 4, as: Float.self) }
        }
      }
    }
  }

  /// Reads values by rows.
  ///
  /// - Precondition: a pixel is four parts of 8 bits, and there are bytes for all.
  func read(_ data: Data, _ rowBytes: Int, _ width: Int, _ height: Int) -> [Pixel] {
    var made = [Pixel](repeating: .zero, count: width * height)
    guard let order, data.count >= (height - 1) * rowBytes + width * 4 else {
      preconditionFailure("CIImage: \(data.count) bytes of the format \(rawValue) are not read as \(width) x \(height) pixels")
    }
    unsafe data.withUnsafeBytes { source in
      for index in made.indices {
        let place = index / width * rowBytes + index % width * 4
        for part in 0..<4 { made[index][part] = unsafe Float(source[place + order[part]]) / 255 }
      }
    }
    return made
  }
}
