import AVFoundation
import SpoolHost

/// An instruction that is written into documents by hand, under the name of its class.
class Written: NSObject, AVVideoCompositionInstructionProtocol, Decodable {
  private let document: DocumentInstruction

  required init(from decoder: any Decoder) throws {
    guard let document = decoder.userInfo[.documentInstruction] as? DocumentInstruction else {
      preconditionFailure("a document is read")
    }
    self.document = document
  }

  var timeRange: CMTimeRange { document.timeRange }
  var enablePostProcessing: Bool { document.enablePostProcessing }
  var containsTweening: Bool { document.containsTweening }
  var requiredSourceTrackIDs: [NSValue]? { document.requiredSourceTrackIDs }
  var passthroughTrackID: CMPersistentTrackID { document.passthroughTrackID }
}

/// Tells the renderer that there is no tweening, whatever the document says.
final class Holding: Written {
  override var containsTweening: Bool { false }
}

/// Needs a file.
final class Wait: Written {
  private enum Key: CodingKey { case file }
  let file: String

  required init(from decoder: any Decoder) throws {
    file = try decoder.container(keyedBy: Key.self).decode(String.self, forKey: .file)
    try super.init(from: decoder)
  }
}

/// A mix of two tracks. The classes below it differ in how they travel.
class Blending: NSObject, AVVideoCompositionInstructionProtocol {
  let range: Range<Int64>
  let weight: Double

  /// - Parameter range: in tenths of seconds.
  init(_ range: Range<Int64>, weight: Double) { (self.range, self.weight) = (range, weight) }

  var timeRange: CMTimeRange {
    CMTimeRange(
      start: CMTime(value: range.lowerBound, timescale: 10), end: CMTime(value: range.upperBound, timescale: 10))
  }
  let enablePostProcessing = true
  let containsTweening = true
  var requiredSourceTrackIDs: [NSValue]? { [NSNumber(value: 1), NSNumber(value: 2)] }
  let passthroughTrackID = kCMPersistentTrackID_Invalid
}

final class CodedBlend: Blending, Codable {
  private enum Key: CodingKey { case start, end, weight }

  override init(_ range: Range<Int64>, weight: Double) { super.init(range, weight: weight) }

  init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: Key.self)
    let (start, end) = try (values.decode(Int64.self, forKey: .start), values.decode(Int64.self, forKey: .end))
    super.init(start..<max(start, end), weight: try values.decode(Double.self, forKey: .weight))
  }

  func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: Key.self)
    try values.encode(range.lowerBound, forKey: .start)
    try values.encode(range.upperBound, forKey: .end)
    try values.encode(weight, forKey: .weight)
  }
}

final class ArchivedBlend: Blending, NSSecureCoding {
  static let supportsSecureCoding = true

  override init(_ range: Range<Int64>, weight: Double) { super.init(range, weight: weight) }

  init?(coder: NSCoder) {
    let (start, end) = (coder.decodeInt64(forKey: "start"), coder.decodeInt64(forKey: "end"))
    super.init(start..<max(start, end), weight: coder.decodeDouble(forKey: "weight"))
  }

  func encode(with coder: NSCoder) {
    coder.encode(range.lowerBound, forKey: "start")
    coder.encode(range.upperBound, forKey: "end")
    coder.encode(weight, forKey: "weight")
  }
}

/// Stays where it is.
final class LocalBlend: Blending {}

/// Mixes two tracks by the weight of the instruction and its progress.
final class Blend: NSObject, AVVideoCompositing {
  var sourcePixelBufferAttributes: [String: any Sendable]? { packedForm }
  var requiredPixelBufferAttributesForRenderContext: [String: any Sendable] { packedForm }
  func renderContextChanged(_ newRenderContext: AVVideoCompositionRenderContext) {}

  func startRequest(_ request: AVAsynchronousVideoCompositionRequest) {
    guard let instruction = request.videoCompositionInstruction as? Blending else { return request.finish(with: NoPicture()) }
    request.finish {
      let picture = try request.newPicture()
      picture.mix(
        request.sourceFrame(byTrackID: 1), request.sourceFrame(byTrackID: 2), share: request.share * instruction.weight)
      return picture
    }
  }
}
