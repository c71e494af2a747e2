/// A file of one picture that is written: a PNG or a JPEG.
/// - Partly: PNG and JPEG; one picture a file. A file with a thumbnail is not written
public final class CGImageDestination {
  private let url: URL?
  private let target: NSMutableData?
  private let isPNG: Bool
  private let count: Int
  private var image: CGImage?
  private var quality = 0.75
  private var wantsThumbnail = false

  /// Returns nil for kinds of files that are not written, such as GIF and HEIC, and for more pictures than one.
  fileprivate init?(_ url: URL?, _ target: NSMutableData?, _ type: String, _ count: Int) {
    guard ["public.png", "public.jpeg"].contains(type), count == 1 else { return nil }
    (self.url, self.target, isPNG, self.count) = (url, target, type == "public.png", count)
  }

  fileprivate func add(_ image: CGImage, _ properties: CFDictionary?) {
    self.image = image
    set(properties)
  }

  fileprivate func set(_ properties: CFDictionary?) {
    if let value = properties?[kCGImageDestinationEmbedThumbnail] as? Bool { wantsThumbnail = value }
    switch properties?[kCGImageDestinationLossyCompressionQuality] {
    case let value as Double: quality = value
    case let value as CGFloat: quality = Double(value)
    case let value as Float: quality = Double(value)
    case let value as NSNumber: quality = value.doubleValue
    default: break
    }
  }

  fileprivate func finish() -> Bool {
    // A file with a smaller picture of itself is not written.
    guard !wantsThumbnail, let data = isPNG ? image?.pngData : image?.jpegData(quality: quality) else { return false }
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
