/// The bytes of a picture, encoded or not.
public final class CGDataProvider: Sendable {
  package let bytes: Data

  public init?(data: CFData) { bytes = data }

  /// Reads a file; nil where it cannot be read.
  public convenience init?(url: CFURL) {
    // Core Graphics has no error here: the documented result is nil.
    guard url.isFileURL, let data = try? Data(contentsOf: url) else { return nil }
    self.init(data: data)
  }

  public convenience init?(filename: String) { self.init(url: URL(fileURLWithPath: filename)) }

  public var data: CFData? { bytes }
}

extension CGDataProvider {
  /// Copies bytes, and tells their owner at once that they are not needed any more.
  public convenience init?(
    dataInfo info: UnsafeMutableRawPointer?, data: UnsafeRawPointer, size: Int,
    releaseData: @convention(c) (UnsafeMutableRawPointer?, UnsafeRawPointer, Int) -> Void
  ) {
    self.init(data: unsafe Data(bytes: data, count: size))
    unsafe releaseData(info, data, size)
  }
}

public enum CGColorRenderingIntent: Int32, Sendable {
  case defaultIntent, absoluteColorimetric, relativeColorimetric, perceptual, saturation
}
