/// A file of pictures that is written: a PNG, a JPEG or a TIFF of one, or a GIF of several.
/// - Partly: PNG, JPEG, TIFF without compression, and GIF; one picture in all but a GIF. A file with a thumbnail is not written
public final class CGImageDestination {
  private let url: URL?
  private let target: NSMutableData?
  private let type: String
  private let count: Int
  private var images: [(image: CGImage, delay: Double)] = []
  private var quality = 0.75
  private var loopCount: Int?
  private var wantsThumbnail = false

  private static let gif = "com.compuserve.gif"

  /// Returns nil for kinds of files that are not written, such as HEIC, and for more than one picture in another file than a GIF.
  fileprivate init?(_ url: URL?, _ target: NSMutableData?, _ type: String, _ count: Int) {
    guard ["public.png", "public.jpeg", "public.tiff", Self.gif].contains(type), type == Self.gif ? count > 0 : count == 1
    else { return nil }
    (self.url, self.target, self.type, self.count) = (url, target, type, count)
  }

  /// Adds a picture. There are no more than were announced; in a file of one, the last one takes the place of others.
  fileprivate func add(_ image: CGImage, _ properties: CFDictionary?) {
    set(properties)
    let times = Self.gifProperties(properties)
    let delay = Self.number(times?[kCGImagePropertyGIFUnclampedDelayTime]) ?? Self.number(times?[kCGImagePropertyGIFDelayTime])
    if type != Self.gif { images = [] }
    if images.count < count { images.append((image, delay ?? 0.1)) }
  }

  fileprivate func set(_ properties: CFDictionary?) {
    if let value = properties?[kCGImageDestinationEmbedThumbnail] as? Bool { wantsThumbnail = value }
    if let value = Self.number(properties?[kCGImageDestinationLossyCompressionQuality]) { quality = value }
    if let value = Self.number(Self.gifProperties(properties)?[kCGImagePropertyGIFLoopCount]) { loopCount = Int(value) }
  }

  /// The properties of GIFs in a dictionary, which may be of several types.
  private static func gifProperties(_ properties: CFDictionary?) -> [AnyHashable: Any]? {
    switch properties?[kCGImagePropertyGIFDictionary] {
    case let own as [AnyHashable: Any]: own
    case let own as NSDictionary: own.settings
    default: nil
    }
  }

  private static func number(_ value: Any?) -> Double? {
    switch value {
    case let value as Double: value
    case let value as CGFloat: Double(value)
    case let value as Float: Double(value)
    case let value as Int: Double(value)
    case let value as Int32: Double(value)
    case let value as NSNumber: value.doubleValue
    default: nil
    }
  }

  private func encoded() -> Data? {
    guard type == Self.gif else {
      let image = images.last?.image
      switch type {
      case "public.png": return image?.pngData
      case "public.tiff": return image?.tiffData
      default: return image?.jpegData(quality: quality)
      }
    }
    var writer = GIFWriter()
    writer.loopCount = loopCount
    for (image, delay) in images { guard writer.add(image, delay: delay) else { return nil } }
    return writer.file()
  }

  fileprivate func finish() -> Bool {
    // A file with a smaller picture of itself is not written.
    guard !wantsThumbnail, let data = encoded() else { return false }
    target?.append(data)
    guard let url else { return true }
    // Image I/O has no error here: the documented result is false.
    return (try? data.write(to: url)) != nil
  }
}

public func CGImageDestinationCreateWithURL(
  _ url: CFURL, _ type: CFString, _ count: Int, _ options: CFDictionary?
) -> CGImageDestination? { CGImageDestination(url, nil, type, count) }

public func CGImageDestinationCreateWithData(
  _ data: CFMutableData, _ type: CFString, _ count: Int, _ options: CFDictionary?
) -> CGImageDestination? { CGImageDestination(nil, data, type, count) }

public func CGImageDestinationAddImage(_ idst: CGImageDestination, _ image: CGImage, _ properties: CFDictionary?) {
  idst.add(image, properties)
}
public func CGImageDestinationSetProperties(_ idst: CGImageDestination, _ properties: CFDictionary?) { idst.set(properties) }

@_disfavoredOverload
public func CGImageDestinationAddImage(_ idst: CGImageDestination, _ image: CGImage, _ properties: NSDictionary?) {
  idst.add(image, properties?.settings)
}
@_disfavoredOverload
public func CGImageDestinationSetProperties(_ idst: CGImageDestination, _ properties: NSDictionary?) {
  idst.set(properties?.settings)
}

/// Writes the file; false where it cannot be written.
@discardableResult
public func CGImageDestinationFinalize(_ idst: CGImageDestination) -> Bool { idst.finish() }

public let kCGImageDestinationLossyCompressionQuality: CFString = "kCGImageDestinationLossyCompressionQuality"
/// - Partly: as `CGImageDestination`
public let kCGImageDestinationEmbedThumbnail: CFString = "kCGImageDestinationEmbedThumbnail"
public let kCGImageDestinationOptimizeColorForSharing: CFString = "kCGImageDestinationOptimizeColorForSharing"
public let kCGImageMetadataShouldExcludeGPS: CFString = "kCGImageMetadataShouldExcludeGPS"
public let kCGImageDestinationBackgroundColor: CFString = "kCGImageDestinationBackgroundColor"
