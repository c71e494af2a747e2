/// The bytes of an encoded picture.
public final class CGDataProvider: Sendable {
  package let bytes: Data

  public init?(data: Data) { bytes = data }

  /// Reads a file; nil where it cannot be read.
  public convenience init?(url: URL) {
    // Core Graphics has no error here: the documented result is nil.
    guard url.isFileURL, let data = try? Data(contentsOf: url) else { return nil }
    self.init(data: data)
  }

  public convenience init?(filename: String) { self.init(url: URL(fileURLWithPath: filename)) }

  public var data: Data? { bytes }
}

public enum CGColorRenderingIntent: Int32, Sendable {
  case defaultIntent, absoluteColorimetric, relativeColorimetric, perceptual, saturation
}

/// A still picture: the bytes of a PNG or a JPEG, which the farm decodes. Damage that the header does not show is refused there.
public final class CGImage: Sendable {
  public let width: Int
  public let height: Int
  /// The encoded picture.
  package let encoded: Data
  /// The ending of a file with these bytes.
  package let fileExtension: String

  /// Makes a picture of a PNG; nil where the bytes have no header of one.
  public init?(
    pngDataProviderSource source: CGDataProvider, decode: UnsafePointer<CGFloat>?, shouldInterpolate: Bool,
    intent: CGColorRenderingIntent
  ) {
    guard unsafe decode == nil, let size = Self.sizeOfPNG(Array(source.bytes.prefix(24))) else { return nil }
    (width, height, encoded, fileExtension) = (size.width, size.height, source.bytes, "png")
  }

  /// Makes a picture of a JPEG; nil where the bytes have no header of one.
  public init?(
    jpegDataProviderSource source: CGDataProvider, decode: UnsafePointer<CGFloat>?, shouldInterpolate: Bool,
    intent: CGColorRenderingIntent
  ) {
    guard unsafe decode == nil, let size = Self.sizeOfJPEG(Array(source.bytes)) else { return nil }
    (width, height, encoded, fileExtension) = (size.width, size.height, source.bytes, "jpg")
  }

  /// The size in the first chunk of a PNG (ISO/IEC 15948, 11.2.2).
  private static func sizeOfPNG(_ bytes: [UInt8]) -> (width: Int, height: Int)? {
    guard bytes.count == 24, bytes.starts(with: [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]) else { return nil }
    let size = (integer(bytes[16..<20]), integer(bytes[20..<24]))
    return size.0 > 0 && size.1 > 0 ? size : nil
  }

  /// The size in the first frame header of a JPEG (ITU-T T.81, B.2.2).
  private static func sizeOfJPEG(_ bytes: [UInt8]) -> (width: Int, height: Int)? {
    guard bytes.starts(with: [0xff, 0xd8]) else { return nil }
    var place = 2
    while place + 9 < bytes.count, bytes[place] == 0xff {
      let marker = bytes[place + 1]
      if marker == 0xff {
        place += 1
        continue
      }
      // C4, C8 and CC are tables and an extension, not frame headers.
      if 0xc0...0xcf ~= marker, ![0xc4, 0xc8, 0xcc].contains(marker) {
        let size = (integer(bytes[place + 7..<place + 9]), integer(bytes[place + 5..<place + 7]))
        return size.0 > 0 && size.1 > 0 ? size : nil
      }
      place += 2 + integer(bytes[place + 2..<place + 4])
    }
    return nil
  }

  private static func integer(_ bytes: ArraySlice<UInt8>) -> Int { bytes.reduce(0) { $0 << 8 | Int($1) } }
}
