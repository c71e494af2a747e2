@_exported public import CoreGraphics

/// The pictures of a file: one of a PNG or a JPEG, and all of a GIF.
/// - Partly: PNG, JPEG and GIF
public final class CGImageSource: Sendable {
  let data: Data
  let header: PictureHeader?
  let gif: GIFPictures?
  init(_ data: Data) { (self.data, header, gif) = (data, PictureHeader(data), GIFPictures(data)) }

  /// The number of pictures.
  var count: Int { gif?.count ?? (header == nil ? 0 : 1) }
}

public enum CGImageSourceStatus: Int32, Sendable {
  case statusUnexpectedEOF = -5, statusInvalidData, statusUnknownType, statusReadingHeader, statusIncomplete, statusComplete
}

public func CGImageSourceCreateWithData(_ data: CFData, _ options: CFDictionary?) -> CGImageSource? { CGImageSource(data) }
public func CGImageSourceCreateWithDataProvider(_ provider: CGDataProvider, _ options: CFDictionary?) -> CGImageSource? {
  CGImageSource(provider.bytes)
}

/// Reads a file; nil where it cannot be read.
public func CGImageSourceCreateWithURL(_ url: CFURL, _ options: CFDictionary?) -> CGImageSource? {
  CGDataProvider(url: url).map { CGImageSource($0.bytes) }
}

public func CGImageSourceGetCount(_ isrc: CGImageSource) -> Int { isrc.count }
public func CGImageSourceGetPrimaryImageIndex(_ isrc: CGImageSource) -> Int { 0 }
public func CGImageSourceGetStatus(_ isrc: CGImageSource) -> CGImageSourceStatus {
  isrc.count == 0 ? .statusUnknownType : .statusComplete
}
public func CGImageSourceGetType(_ isrc: CGImageSource) -> CFString? {
  isrc.gif == nil ? isrc.header.map { $0.kind == .png ? "public.png" : "public.jpeg" } : "com.compuserve.gif"
}

public func CGImageSourceCreateImageAtIndex(_ isrc: CGImageSource, _ index: Int, _ options: CFDictionary?) -> CGImage? {
  if let gif = isrc.gif { return gif.picture(at: index) }
  guard index == 0 else { return nil }
  return CGImage(encoded: isrc.data).flatMap { $0.isWhole ? $0 : nil }
}

/// Makes a smaller picture, by `kCGImageSourceThumbnailMaxPixelSize`, and upright where the options say so.
public func CGImageSourceCreateThumbnailAtIndex(_ isrc: CGImageSource, _ index: Int, _ options: CFDictionary?) -> CGImage? {
  guard let image = CGImageSourceCreateImageAtIndex(isrc, index, nil) else { return nil }
  let most = whole(options?[kCGImageSourceThumbnailMaxPixelSize]) ?? max(image.width, image.height)
  let turns = (options?[kCGImageSourceCreateThumbnailWithTransform] as? Bool) ?? false
  let orientation = turns ? isrc.header?.orientation ?? 1 : 1
  let scale = min(1, CGFloat(most) / CGFloat(max(image.width, image.height)))
  let stored = CGSize(
    width: max(1, (CGFloat(image.width) * scale).rounded()), height: max(1, (CGFloat(image.height) * scale).rounded()))
  let seen = orientation > 4 ? CGSize(width: stored.height, height: stored.width) : stored
  let context = unsafe CGContext(
    data: nil, width: Int(seen.width), height: Int(seen.height), bitsPerComponent: 8, bytesPerRow: 0,
    space: CGColorSpaceCreateDeviceRGB(), bitmapInfo: CGImageAlphaInfo.premultipliedFirst.rawValue)
  let (w, h) = (stored.width, stored.height)
  // The map from the stored picture to the one that is seen, with y upwards.
  let maps: [CGAffineTransform] = [
    .identity, CGAffineTransform(-1, 0, 0, 1, w, 0), CGAffineTransform(-1, 0, 0, -1, w, h), CGAffineTransform(1, 0, 0, -1, 0, h),
    CGAffineTransform(0, -1, -1, 0, h, w), CGAffineTransform(0, -1, 1, 0, 0, w), CGAffineTransform(0, 1, 1, 0, 0, 0),
    CGAffineTransform(0, 1, -1, 0, h, 0),
  ]
  context?.concatenate(maps[orientation - 1])
  context?.draw(image, in: CGRect(origin: .zero, size: stored))
  return context?.makeImage()
}

@_disfavoredOverload
public func CGImageSourceCreateThumbnailAtIndex(_ isrc: CGImageSource, _ index: Int, _ options: NSDictionary?) -> CGImage? {
  CGImageSourceCreateThumbnailAtIndex(isrc, index, options?.settings)
}

public func CGImageSourceCopyPropertiesAtIndex(_ isrc: CGImageSource, _ index: Int, _ options: CFDictionary?) -> CFDictionary? {
  if let gif = isrc.gif { return gif.properties(at: index) }
  guard index == 0, let header = isrc.header else { return nil }
  return [
    kCGImagePropertyPixelWidth: header.width, kCGImagePropertyPixelHeight: header.height,
    kCGImagePropertyOrientation: UInt32(header.orientation), kCGImagePropertyHasAlpha: header.hasAlpha,
    kCGImagePropertyDepth: 8, kCGImagePropertyColorModel: "RGB",
  ]
}

/// The whole number that a value of a dictionary is; nil where it is none.
func whole(_ value: Any?) -> Int? {
  switch value {
  case let value as any BinaryInteger: Int(exactly: value)
  case let value as Double: Int(exactly: value.rounded())
  case let value as CGFloat: Int(exactly: Double(value).rounded())
  case let value as NSNumber: value.intValue
  default: nil
  }
}

public let kCGImageSourceShouldCache: CFString = "kCGImageSourceShouldCache"
public let kCGImageSourceShouldCacheImmediately: CFString = "kCGImageSourceShouldCacheImmediately"
public let kCGImageSourceCreateThumbnailFromImageIfAbsent: CFString = "kCGImageSourceCreateThumbnailFromImageIfAbsent"
public let kCGImageSourceCreateThumbnailFromImageAlways: CFString = "kCGImageSourceCreateThumbnailFromImageAlways"
public let kCGImageSourceThumbnailMaxPixelSize: CFString = "kCGImageSourceThumbnailMaxPixelSize"
public let kCGImageSourceCreateThumbnailWithTransform: CFString = "kCGImageSourceCreateThumbnailWithTransform"
public let kCGImageSourceTypeIdentifierHint: CFString = "kCGImageSourceTypeIdentifierHint"
public let kCGImagePropertyPixelWidth: CFString = "PixelWidth"
public let kCGImagePropertyPixelHeight: CFString = "PixelHeight"
public let kCGImagePropertyOrientation: CFString = "Orientation"
public let kCGImagePropertyHasAlpha: CFString = "HasAlpha"
public let kCGImagePropertyDepth: CFString = "Depth"
public let kCGImagePropertyColorModel: CFString = "ColorModel"
public let kCGImagePropertyColorModelRGB: CFString = "RGB"
public let kCGImagePropertyColorModelGray: CFString = "Gray"
public let kCGImagePropertyColorModelCMYK: CFString = "CMYK"
public let kCGImagePropertyColorModelLab: CFString = "Lab"
public let kCGImagePropertyDPIWidth: CFString = "DPIWidth"
public let kCGImagePropertyDPIHeight: CFString = "DPIHeight"
public let kCGImagePropertyExifDictionary: CFString = "{Exif}"
public let kCGImagePropertyTIFFDictionary: CFString = "{TIFF}"
public let kCGImagePropertyGPSDictionary: CFString = "{GPS}"
public let kCGImagePropertyGIFDictionary: CFString = "{GIF}"
public let kCGImagePropertyGIFLoopCount: CFString = "LoopCount"
public let kCGImagePropertyGIFDelayTime: CFString = "DelayTime"
public let kCGImagePropertyGIFUnclampedDelayTime: CFString = "UnclampedDelayTime"
public let kCGImagePropertyGIFHasGlobalColorMap: CFString = "HasGlobalColorMap"
public let kCGImagePropertyAPNGLoopCount: CFString = "LoopCount"
public let kCGImagePropertyAPNGDelayTime: CFString = "DelayTime"
public let kCGImagePropertyPNGDictionary: CFString = "{PNG}"

public let kCGImagePropertyTIFFSoftware: CFString = "Software"
public let kCGImagePropertyTIFFArtist: CFString = "Artist"
public let kCGImagePropertyTIFFDateTime: CFString = "DateTime"
public let kCGImagePropertyTIFFMake: CFString = "Make"
public let kCGImagePropertyTIFFModel: CFString = "Model"
public let kCGImagePropertyTIFFOrientation: CFString = "Orientation"
public let kCGImagePropertyTIFFImageDescription: CFString = "ImageDescription"
public let kCGImagePropertyTIFFCopyright: CFString = "Copyright"
public let kCGImagePropertyExifDateTimeOriginal: CFString = "DateTimeOriginal"
public let kCGImagePropertyExifDateTimeDigitized: CFString = "DateTimeDigitized"
public let kCGImagePropertyExifUserComment: CFString = "UserComment"
public let kCGImagePropertyExifPixelXDimension: CFString = "PixelXDimension"
public let kCGImagePropertyExifPixelYDimension: CFString = "PixelYDimension"
