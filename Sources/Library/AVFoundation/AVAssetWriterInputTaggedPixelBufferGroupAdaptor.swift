/// Appends groups of pictures with facts to an input. A group of one picture is written. One of several, as of both eyes, fails the writer.
/// - Partly: a group has one picture: docs/avfoundation.md#both-eyes
open class AVAssetWriterInputTaggedPixelBufferGroupAdaptor: NSObject, @unchecked Sendable {
  public let assetWriterInput: AVAssetWriterInput
  public let sourcePixelBufferAttributes: [String: Any]?
  private let pictures: AVAssetWriterInputPixelBufferAdaptor

  public init(assetWriterInput input: AVAssetWriterInput, sourcePixelBufferAttributes: [String: Any]? = nil) {
    (assetWriterInput, self.sourcePixelBufferAttributes) = (input, sourcePixelBufferAttributes)
    pictures = AVAssetWriterInputPixelBufferAdaptor(
      assetWriterInput: input, sourcePixelBufferAttributes: sourcePixelBufferAttributes)
    super.init()
  }

  /// Memory for pictures, as an adaptor of pictures has it.
  open var pixelBufferPool: CVPixelBufferPool? { pictures.pixelBufferPool }

  /// Appends a group.
  ///
  /// - Returns: false where it cannot be written; the writer's `error` says why.
  @discardableResult
  open func appendTaggedBuffers(_ taggedBuffers: [CMTaggedBuffer], withPresentationTime presentationTime: CMTime) -> Bool {
    guard taggedBuffers.count == 1 else {
      assetWriterInput.writer?.fail(
        CompressionSettings.severalLayers("appendTaggedBuffers(_:withPresentationTime:)", presentationTime))
      return false
    }
    switch taggedBuffers[0].buffer {
    case .pixelBuffer(let picture): return pictures.append(picture, withPresentationTime: presentationTime)
    case .sampleBuffer:
      let words = "appendTaggedBuffers(_:withPresentationTime:): samples are not written in groups: give a picture"
      assetWriterInput.writer?.fail(AVError(.operationNotAllowed, words, time: presentationTime))
      return false
    }
  }
}

extension CompressionSettings {
  /// The error for pictures of several layers.
  static func severalLayers(_ property: String, _ time: CMTime? = nil) -> AVError {
    AVError(
      .encoderNotFound,
      "\(property): no free encoder makes several layers (MV-HEVC): write a movie for each eye, or one with both beside each other",
      property: property, time: time)
  }
}
