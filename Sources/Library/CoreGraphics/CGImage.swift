internal import Synchronization

/// A still picture: the bytes of a PNG or a JPEG, or pixels.
///
/// An encoded picture is decoded when its pixels are first needed. Damage that the header does not show is found then: nothing is drawn
/// of it here, and the farm refuses it.
/// - Partly: PNG, JPEG, GIF and pixels of 8 bits. Other files are refused by nil
public final class CGImage: Sendable {
  private enum Content: Sendable {
    case encoded(Data, PictureHeader)
    case pixels(Data, PixelLayout, stride: Int, CGBitmapInfo)
    /// A part of another picture, from its top left corner.
    case raster(Raster)
  }

  public let width: Int
  public let height: Int
  public let colorSpace: CGColorSpace?
  public let shouldInterpolate: Bool
  public let renderingIntent = CGColorRenderingIntent.defaultIntent
  private let content: Content
  /// The decoded picture, once it was needed.
  private let decoded = Mutex<Raster?>(nil)

  private init(_ content: Content, _ width: Int, _ height: Int, _ space: CGColorSpace?, interpolate: Bool = true) {
    (self.content, self.width, self.height, colorSpace, shouldInterpolate) = (content, width, height, space, interpolate)
  }

  /// Makes a picture of pixels. A context makes its image by it, too.
  ///
  /// - Returns: nil for parts of other than eight bits, and where the bytes are too few.
  public convenience init?(
    width: Int, height: Int, bitsPerComponent: Int, bitsPerPixel: Int, bytesPerRow: Int, space: CGColorSpace,
    bitmapInfo: CGBitmapInfo, provider: CGDataProvider, decode: UnsafePointer<CGFloat>?, shouldInterpolate: Bool,
    intent: CGColorRenderingIntent
  ) {
    guard unsafe decode == nil,
      let layout = PixelLayout(
        bitsPerComponent: bitsPerComponent, bitsPerPixel: bitsPerPixel, model: space.model, info: bitmapInfo),
      width > 0, height > 0, bytesPerRow >= width * layout.byteCount,
      provider.bytes.count >= (height - 1) * bytesPerRow + width * layout.byteCount
    else { return nil }
    self.init(
      .pixels(provider.bytes, layout, stride: bytesPerRow, bitmapInfo), width, height, space, interpolate: shouldInterpolate)
  }

  /// Makes a picture of a PNG; nil where the bytes have no header of one.
  public convenience init?(
    pngDataProviderSource source: CGDataProvider, decode: UnsafePointer<CGFloat>?, shouldInterpolate: Bool,
    intent: CGColorRenderingIntent
  ) {
    guard unsafe decode == nil else { return nil }
    self.init(encoded: source.bytes, kind: .png)
  }

  /// Makes a picture of a JPEG; nil where the bytes have no header of one.
  public convenience init?(
    jpegDataProviderSource source: CGDataProvider, decode: UnsafePointer<CGFloat>?, shouldInterpolate: Bool,
    intent: CGColorRenderingIntent
  ) {
    guard unsafe decode == nil else { return nil }
    self.init(encoded: source.bytes, kind: .jpeg)
  }

  /// Makes a picture of the bytes of a PNG or a JPEG, of a TIFF without compression, or the first one of a GIF; nil where they have no header of
  /// one.
  package convenience init?(encoded data: Data, kind: PictureHeader.Kind? = nil) {
    if kind == nil, let raster = GIFPictures(data)?.picture(at: 0)?.raster {
      self.init(raster, CGColorSpace(name: CGColorSpace.sRGB))
      return
    }
    if kind == nil, let raster = TIFFPicture.raster(data) {
      self.init(raster, CGColorSpace(name: CGColorSpace.sRGB))
      return
    }
    guard let header = PictureHeader(data), kind == nil || kind == header.kind else { return nil }
    self.init(.encoded(data, header), header.width, header.height, CGColorSpace(name: CGColorSpace.sRGB))
  }

  convenience init(_ raster: Raster, _ space: CGColorSpace?) { self.init(.raster(raster), raster.width, raster.height, space) }

  public var bitsPerComponent: Int { 8 }
  public var bitsPerPixel: Int { layout.0.byteCount * 8 }
  public var bytesPerRow: Int {
    if case .pixels(_, _, let stride, _) = content { return stride }
    return width * 4
  }
  public var bitmapInfo: CGBitmapInfo { layout.1 }
  public var alphaInfo: CGImageAlphaInfo { layout.1.alpha ?? .none }
  public var byteOrderInfo: CGImageByteOrderInfo {
    CGImageByteOrderInfo(rawValue: bitmapInfo.rawValue & CGBitmapInfo.byteOrderMask.rawValue) ?? .orderDefault
  }
  public var isMask: Bool { layout.0.isMask }
  public var utType: CFString? {
    guard case .encoded(_, let header) = content else { return nil }
    return header.kind == .png ? "public.png" : "public.jpeg"
  }

  private var layout: (PixelLayout, CGBitmapInfo) {
    switch content {
    case .encoded(_, let header) where !header.hasAlpha:
      (.nativeOpaque, [CGBitmapInfo(alpha: .noneSkipFirst), .byteOrder32Little])
    case .encoded, .raster: (.native, [CGBitmapInfo(alpha: .premultipliedFirst), .byteOrder32Little])
    case .pixels(_, let layout, _, let info): (layout, info)
    }
  }

  /// The pixels as they lie in memory; nil where the picture is damaged.
  public var dataProvider: CGDataProvider? {
    if case .pixels(let data, _, _, _) = content { return CGDataProvider(data: data) }
    guard let raster else { return nil }
    var bytes = Data(count: width * height * 4)
    let (stride, row) = (raster.stride, width * 4)
    unsafe raster.withBytes { source in
      for y in 0..<height { unsafe bytes.replaceSubrange(y * row..<(y + 1) * row, with: source + y * stride, count: row) }
    }
    return CGDataProvider(data: bytes)
  }

  /// The part of the picture in a rectangle, whose origin is at the top left; nil where they have nothing in common.
  public func cropping(to rect: CGRect) -> CGImage? {
    let area = rect.integral.intersection(CGRect(x: 0, y: 0, width: width, height: height))
    guard !area.isEmpty, let raster, let part = Raster(width: Int(area.width), height: Int(area.height)) else { return nil }
    let (x, y, from, to) = (Int(area.minX), Int(area.minY), raster.stride, part.stride)
    unsafe part.withBytes { target in
      unsafe raster.withBytes { source in
        for row in 0..<part.height {
          unsafe (target + row * to).copyMemory(from: source + (y + row) * from + x * 4, byteCount: part.width * 4)
        }
      }
    }
    return CGImage(part, colorSpace)
  }

  public func copy() -> CGImage? { self }
  /// The picture with its numbers read in another space; nil where the spaces differ in their parts.
  public func copy(colorSpace space: CGColorSpace) -> CGImage? {
    guard space.numberOfComponents == (colorSpace ?? .deviceRGB).numberOfComponents else { return nil }
    return CGImage(content, width, height, space, interpolate: shouldInterpolate)
  }

  /// The bytes of a file with the picture: its own, or a PNG of its pixels.
  package var encoded: Data {
    if case .encoded(let data, _) = content { return data }
    return pngData ?? Data()
  }

  /// The ending of a file with these bytes.
  package var fileExtension: String {
    if case .encoded(_, let header) = content { return header.kind.rawValue }
    return "png"
  }

  /// The header of a file with the picture; nil for pixels.
  package var header: PictureHeader? {
    if case .encoded(_, let header) = content { return header }
    return nil
  }

  /// Whether the picture can be decoded.
  package var isWhole: Bool { raster != nil }

  /// The picture as Cairo draws it; nil where it is damaged.
  var raster: Raster? {
    decoded.withLock { known in
      if let made = known { return made }
      known = makeRaster()
      return known
    }
  }

  private func makeRaster() -> Raster? {
    switch content {
    case .raster(let raster): return raster
    case .encoded(let data, let header): return Raster(decoding: data, header)
    case .pixels(let data, let layout, let stride, _):
      guard let raster = Raster(width: width, height: height) else { return nil }
      let space = colorSpace ?? .deviceRGB
      let conversion = space.means(.deviceRGB) || layout.isMask ? nil : ColorConversion(from: space, to: .deviceRGB)
      unsafe data.withUnsafeBytes { unsafe raster.load(from: $0.baseAddress!, stride: stride, layout, conversion) }
      return raster
    }
  }
}

extension CGImage: Hashable {
  public static func == (a: CGImage, b: CGImage) -> Bool { a === b }
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
