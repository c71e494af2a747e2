extension CMSampleBuffer {
  /// The contents of samples.
  public protocol Content: Sendable {}

  /// The contents of samples, where the compiler does not know their kind.
  public enum DynamicContent: Content {
    case dataBuffer(CMReadOnlyDataBlockBuffer)
    case markerOnly
    case pixelBuffer(CVReadOnlyPixelBuffer)
    case taggedBuffers([CMTaggedDynamicBuffer])
  }

  /// The kind of what samples hold.
  public enum ContentType: Sendable { case dataBuffer, markerOnly, pixelBuffer, taggedBuffers }
}

extension CVReadOnlyPixelBuffer: CMSampleBuffer.Content {}
extension CMReadOnlyDataBlockBuffer: CMSampleBuffer.Content {}

/// Bytes that nobody writes any more.
public struct CMReadOnlyDataBlockBuffer: Sendable {
  private let buffer: CMBlockBuffer

  public init(unsafeBlockBuffer: sending CMBlockBuffer) { buffer = unsafeBlockBuffer }
  public init(_ data: Data) { buffer = CMBlockBuffer(Array(data)) }

  public var count: Int { buffer.dataLength }
  public func withUnsafeBlockBuffer<R: ~Copyable>(_ body: (CMBlockBuffer) throws -> sending R) rethrows -> sending R {
    try body(buffer)
  }
}

/// Samples that are there, and that nobody changes any more.
// What is inside is not changed.
/// - Partly: made of samples and of pictures; their content cannot be replaced
public struct CMReadySampleBuffer<Content: CMSampleBuffer.Content>: Sendable {
  fileprivate let buffer: CMSampleBuffer

  fileprivate init(buffer: CMSampleBuffer) { self.buffer = buffer }

  public var presentationTimeStamp: CMTime { buffer.presentationTimeStamp }
  public var decodeTimeStamp: CMTime { buffer.decodeTimeStamp }
  public var duration: CMTime { buffer.duration }
  public var outputPresentationTimeStamp: CMTime { buffer.outputPresentationTimeStamp }
  public var outputDuration: CMTime { buffer.outputDuration }
  public var sampleCount: Int { buffer.numSamples }
  public var contentType: CMSampleBuffer.ContentType {
    buffer.imageBuffer != nil ? .pixelBuffer : buffer.dataBuffer != nil ? .dataBuffer : .markerOnly
  }

  public func withUnsafeSampleBuffer<R: ~Copyable>(_ body: (CMSampleBuffer) throws -> sending R) rethrows -> sending R {
    try body(buffer)
  }
}

extension CMReadySampleBuffer where Content == CMSampleBuffer.DynamicContent {
  public init(unsafeBuffer: sending CMSampleBuffer) { self.init(buffer: unsafeBuffer) }
  public init(_ other: CMReadySampleBuffer<some CMSampleBuffer.Content>) { self.init(buffer: other.buffer) }

  public var content: CMSampleBuffer.DynamicContent {
    if let picture = buffer.imageBuffer { return .pixelBuffer(CVReadOnlyPixelBuffer(unsafeBuffer: picture)) }
    if let block = buffer.dataBuffer { return .dataBuffer(CMReadOnlyDataBlockBuffer(unsafeBlockBuffer: block)) }
    return .markerOnly
  }
  public var formatDescription: CMFormatDescription? { buffer.formatDescription }
}

extension CMReadySampleBuffer where Content == CVReadOnlyPixelBuffer {
  /// Takes samples that are a picture; nil for others.
  public init?(_ other: CMReadySampleBuffer<CMSampleBuffer.DynamicContent>) {
    guard other.buffer.imageBuffer != nil else { return nil }
    self.init(buffer: other.buffer)
  }

  public init(
    pixelBuffer: CVReadOnlyPixelBuffer, formatDescription: CMVideoFormatDescription? = nil, presentationTimeStamp: CMTime,
    duration: CMTime
  ) {
    let picture = pixelBuffer.withUnsafeBuffer { $0 }
    let timing = CMSampleTimingInfo(
      duration: duration, presentationTimeStamp: presentationTimeStamp, decodeTimeStamp: .invalid)
    self.init(
      buffer: CMSampleBuffer(
        picture: picture, block: nil, formatDescription ?? CMFormatDescription(of: picture), count: 1, timing: [timing]))
  }

  public var content: CVReadOnlyPixelBuffer {
    // Only pictures come to be such samples.
    guard let picture = buffer.imageBuffer else { preconditionFailure("the samples are a picture") }
    return CVReadOnlyPixelBuffer(unsafeBuffer: picture)
  }
}

extension CMReadySampleBuffer where Content == CMReadOnlyDataBlockBuffer {
  /// Takes samples that are bytes, such as sound; nil for others.
  public init?(_ other: CMReadySampleBuffer<CMSampleBuffer.DynamicContent>) {
    guard other.buffer.dataBuffer != nil else { return nil }
    self.init(buffer: other.buffer)
  }

  public var content: CMReadOnlyDataBlockBuffer {
    guard let block = buffer.dataBuffer else { preconditionFailure("the samples are bytes") }
    return CMReadOnlyDataBlockBuffer(unsafeBlockBuffer: block)
  }
}
