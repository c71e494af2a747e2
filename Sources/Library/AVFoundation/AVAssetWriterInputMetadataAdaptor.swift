/// Appends metadata that changes with time to an input. Tracks of metadata are not written: a writer does not take such an input, and its
/// error says so.
/// - Refused: tracks of metadata are not written: a writer does not take their input
open class AVAssetWriterInputMetadataAdaptor: NSObject {
  public let assetWriterInput: AVAssetWriterInput
  public init(assetWriterInput: AVAssetWriterInput) {
    self.assetWriterInput = assetWriterInput
    super.init()
  }

  /// Appends nothing.
  ///
  /// - Returns: false, always.
  @discardableResult
  open func append(_ timedMetadataGroup: AVTimedMetadataGroup) -> Bool { false }
}

extension AVTimedMetadataGroup {
  /// Reads a group out of a sample of metadata. Such samples are not read: nil.
  public convenience init?(sampleBuffer: CMSampleBuffer) { return nil }
}
