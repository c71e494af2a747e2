/// The size of a picture in pixels.
public struct CVImageSize: Hashable, Sendable {
  public var width: Int
  public var height: Int
  public init(width: Int, height: Int) { (self.width, self.height) = (width, height) }
}

/// The form of a picture's pixels.
public struct CVPixelFormatType: RawRepresentable, Hashable, Sendable {
  public var rawValue: OSType
  public init(rawValue: OSType) { self.rawValue = rawValue }
}

/// The facts of a form of pixels.
public struct CVPixelFormatDescription: Sendable {
  /// The frameworks with which a picture's memory is to be shared. Here it always is.
  public struct Compatibility: OptionSet, Hashable, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }
    public static let cgImage = Compatibility(rawValue: 1)
    public static let cgBitmapContext = Compatibility(rawValue: 2)
    public static let metalTexture = Compatibility(rawValue: 4)
  }
}

/// The attributes of a picture that is made.
public struct CVPixelBufferCreationAttributes: Equatable, Sendable {
  /// The place of a picture's memory. It is always that of the process.
  public enum Backing: Equatable, Sendable { case memory, ioSurface }

  public var pixelFormatType: CVPixelFormatType
  public var size: CVImageSize
  public var compatibility: CVPixelFormatDescription.Compatibility
  public var bytesPerRowAlignment: Int?
  public var backing = Backing.ioSurface

  public init(
    pixelFormatType: CVPixelFormatType, size: CVImageSize, compatibility: CVPixelFormatDescription.Compatibility = [],
    bytesPerRowAlignment: Int? = nil
  ) {
    (self.pixelFormatType, self.size) = (pixelFormatType, size)
    (self.compatibility, self.bytesPerRowAlignment) = (compatibility, bytesPerRowAlignment)
  }

  /// The same, as the functions of C take them.
  package var settings: [String: Any] {
    var settings: [String: Any] = [
      kCVPixelBufferPixelFormatTypeKey: pixelFormatType.rawValue, kCVPixelBufferWidthKey: size.width,
      kCVPixelBufferHeightKey: size.height,
    ]
    if let bytesPerRowAlignment { settings[kCVPixelBufferBytesPerRowAlignmentKey] = bytesPerRowAlignment }
    return settings
  }
}

/// A picture that one owner writes.
public struct CVMutablePixelBuffer: ~Copyable, Sendable {
  fileprivate let buffer: CVPixelBuffer

  /// Makes a picture.
  ///
  /// - Throws: an error with the code of Core Video for a size or a format that pictures do not have.
  public init(_ attributes: CVPixelBufferCreationAttributes) throws {
    guard let pool = CVPixelBufferPool(attributes: attributes.settings) else {
      throw CVFailure(code: kCVReturnInvalidPixelBufferAttributes)
    }
    buffer = try pool.buffer().get()
  }

  public init(unsafeBuffer: sending CVPixelBuffer) { buffer = unsafeBuffer }

  public var size: CVImageSize { CVImageSize(width: buffer.width, height: buffer.height) }
  public var pixelFormatType: CVPixelFormatType { CVPixelFormatType(rawValue: buffer.type) }

  public func withUnsafeBuffer<R>(_ body: (CVPixelBuffer) throws -> sending R) rethrows -> sending R { try body(buffer) }

  /// Memory for pictures of one size and format, which is used again.
  public final class Pool: Sendable {
    private let pool: CVPixelBufferPool
    /// The attributes of the pictures; those that the pool was made of.
    public let pixelBufferAttributes: CVPixelBufferCreationAttributes

    /// The bounds of what a pool makes.
    public struct AllocationAttributes: Sendable {
      /// The number of pictures from which on none is made; nil for no bound.
      public var allocationThreshold: Int?
      public init(allocationThreshold: Int? = nil) { self.allocationThreshold = allocationThreshold }
    }

    /// - Throws: an error with the code of Core Video for attributes that no picture has.
    public init(pixelBufferAttributes: CVPixelBufferCreationAttributes) throws {
      guard let pool = CVPixelBufferPool(attributes: pixelBufferAttributes.settings) else {
        throw CVFailure(code: kCVReturnInvalidPixelBufferAttributes)
      }
      (self.pool, self.pixelBufferAttributes) = (pool, pixelBufferAttributes)
    }

    /// Makes a picture.
    public func makeMutablePixelBuffer(_ attributes: AllocationAttributes = .init()) throws -> CVMutablePixelBuffer {
      try CVMutablePixelBuffer(unsafeBuffer: pool.buffer(below: attributes.allocationThreshold).get())
    }
  }
}

/// A picture that nobody writes any more.
public final class CVReadOnlyPixelBuffer: Sendable {
  private let buffer: CVPixelBuffer

  public init(_ mutableBuffer: consuming CVMutablePixelBuffer) { buffer = mutableBuffer.buffer }
  public init(unsafeBuffer: sending CVPixelBuffer) { buffer = unsafeBuffer }

  public var size: CVImageSize { CVImageSize(width: buffer.width, height: buffer.height) }
  public var pixelFormatType: CVPixelFormatType { CVPixelFormatType(rawValue: buffer.type) }

  public func withUnsafeBuffer<R>(_ body: (CVPixelBuffer) throws -> sending R) rethrows -> sending R { try body(buffer) }
}
