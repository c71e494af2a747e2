internal import MediaTime
internal import SampleStream

/// Appends metadata that changes with time to an input, one group after the other. The input's `sourceFormatHint` names the keys.
/// - Partly: QuickTime movies in one piece: docs/avfoundation.md#timed-metadata
open class AVAssetWriterInputMetadataAdaptor: NSObject {
  public let assetWriterInput: AVAssetWriterInput
  public init(assetWriterInput: AVAssetWriterInput) {
    self.assetWriterInput = assetWriterInput
    super.init()
  }

  /// Appends a group, which begins when the one before it has ended, or later. One whose range has no duration lasts until the next one, else to the
  /// movie's end; one without items ends such a group.
  ///
  /// - Returns: false where it cannot be written; the writer's `error` says why.
  @discardableResult
  open func append(_ timedMetadataGroup: AVTimedMetadataGroup) -> Bool { assetWriterInput.append(timedMetadataGroup) }
}

extension AVAssetWriterInput {
  var metadataKeys: [MetadataKey] { sourceFormatHint?.metadataKeys ?? [] }

  /// Appends a group of metadata.
  fileprivate func append(_ group: AVTimedMetadataGroup) -> Bool {
    let range = group.timeRange
    return send(at: range.start) { place throws(AVError) in
      guard self.mediaType == .metadata else {
        throw AVError(.operationNotAllowed, "append(_:): the input takes no metadata", property: "mediaType", time: range.start)
      }
      let bytes = try MetadataSamples.sample(of: group.items, self.metadataKeys, at: range.start)
      return try Self.record(Array(bytes), at: place, lasting: range.duration)
    }
  }

  /// Appends a sample of metadata, as files hold it.
  func append(metadata sampleBuffer: CMSampleBuffer) -> Bool {
    let time = sampleBuffer.outputPresentationTimeStamp
    return send(at: time) { place throws(AVError) in
      guard let bytes = sampleBuffer.dataBuffer?.bytes, let keys = sampleBuffer.formatDescription?.metadataKeys,
        keys == self.metadataKeys
      else {
        throw AVError(
          .unsupportedOutputSettings, "append(_:): a sample of metadata has the keys of the input's sourceFormatHint", time: time)
      }
      return try Self.record(bytes, at: place, lasting: sampleBuffer.duration)
    }
  }

  private static func record(
    _ bytes: [UInt8], at place: MediaTime, lasting duration: CMTime
  ) throws(AVError) -> (SampleTrack?, SampleRecord, [UInt8]) {
    let isOpen = !duration.isNumeric || duration <= .zero
    let length = isOpen ? .zero : try MediaTime(duration, "duration")
    guard length.value <= UInt32.max else {
      throw AVError(.operationNotAllowed, "append(_:): the duration \(duration) is too long", property: "duration")
    }
    return (nil, SampleRecord(.samples, time: place, duration: length, byteCount: bytes.count), bytes)
  }
}

extension AVTimedMetadataGroup {
  /// Reads a group out of a sample of metadata; nil for a sample of another kind.
  public convenience init?(sampleBuffer: CMSampleBuffer) {
    guard let keys = sampleBuffer.formatDescription?.metadataKeys, !keys.isEmpty, let bytes = sampleBuffer.dataBuffer?.bytes
    else {
      return nil
    }
    let range = CMTimeRange(start: sampleBuffer.presentationTimeStamp, duration: sampleBuffer.duration)
    self.init(items: MetadataSamples.items(of: Data(bytes), keys, range), timeRange: range)
  }

  /// Makes the description of the items, whose identifiers and types of values must be known; nil where they are not.
  public func copyFormatDescription() -> CMMetadataFormatDescription? {
    var specifications: [[String: Any]] = []
    for item in items {
      guard let identifier = item.identifier, let dataType = item.dataType else { return nil }
      var specification: [String: Any] = [
        kCMMetadataFormatDescriptionMetadataSpecificationKey_Identifier: identifier.rawValue,
        kCMMetadataFormatDescriptionMetadataSpecificationKey_DataType: dataType,
      ]
      specification[kCMMetadataFormatDescriptionMetadataSpecificationKey_ExtendedLanguageTag] = item.extendedLanguageTag
      specifications.append(specification)
    }
    var made: CMFormatDescription?
    let status = unsafe CMMetadataFormatDescriptionCreateWithMetadataSpecifications(
      allocator: nil, metadataType: kCMMetadataFormatType_Boxed, metadataSpecifications: specifications,
      formatDescriptionOut: &made)
    return status == noErr ? made : nil
  }
}
