internal import MediaTime
internal import SampleStream

extension AVAssetWriterInput {
  var isOfText: Bool { mediaType == .text || mediaType == .subtitle }

  /// Appends a sample of a track of texts: two bytes of its length, and the text in UTF-8 (3GPP TS 26.245). What follows, such as styles, is refused.
  func append(text sampleBuffer: CMSampleBuffer) -> Bool {
    let time = sampleBuffer.outputPresentationTimeStamp
    return send(at: time) { place throws(AVError) in
      guard let bytes = sampleBuffer.dataBuffer?.bytes, bytes.count >= 2, case let count = Int(bytes[0]) << 8 | Int(bytes[1]),
        count == bytes.count - 2, let text = String(validating: bytes.dropFirst(2), as: UTF8.self)
      else {
        throw AVError(
          .unsupportedOutputSettings, "append(_:): a sample of texts has its length in two bytes, and UTF-8 alone behind it",
          time: time)
      }
      return try Self.record(text, at: place, lasting: sampleBuffer.duration)
    }
  }

  /// Appends a text.
  func append(_ caption: AVCaption) -> Bool {
    send(at: caption.timeRange.start) { place throws(AVError) in
      try Self.record(caption.text, at: place, lasting: caption.timeRange.duration)
    }
  }

  private static func record(
    _ text: String, at place: MediaTime, lasting duration: CMTime
  ) throws(AVError) -> (SampleTrack?, SampleRecord, [UInt8]) {
    guard duration.isNumeric, duration > .zero, case let length = try MediaTime(duration, "duration"), length.value <= UInt32.max
    else { throw AVError(.operationNotAllowed, "append(_:): a text has no duration", property: "duration") }
    let bytes = Array(text.utf8)
    return (nil, SampleRecord(.samples, time: place, duration: length, byteCount: bytes.count), bytes)
  }
}
