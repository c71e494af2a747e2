import AVFoundation
import SpoolHost

/// The instruction to roll the first track's picture off the second one's.
///
/// In a document: `{"parameters": {"instruction": "Curl", "coded": {"radius": 0.1, "slant": 0.4, "paper": [0.96, 0.95, 0.92]}}}`, all three
/// optional.
final class Curl: NSObject, AVVideoCompositionInstructionProtocol, Codable {
  let timeRange: CMTimeRange
  let requiredSourceTrackIDs: [NSValue]?
  let enablePostProcessing: Bool
  let containsTweening = true
  let passthroughTrackID = kCMPersistentTrackID_Invalid
  /// The radius of the roll, in heights of the frame.
  let radius: Double
  /// How far the roll leans: 0 is upright, 1 is at 45 degrees.
  let slant: Double
  /// R'G'B' of the page's back, 0...1.
  let paper: [Double]

  private enum Key: CodingKey { case radius, slant, paper }

  init(_ timeRange: CMTimeRange, from page: CMPersistentTrackID, to ground: CMPersistentTrackID, radius: Double, slant: Double) {
    (self.timeRange, requiredSourceTrackIDs) = (timeRange, [NSNumber(value: page), NSNumber(value: ground)])
    (self.radius, self.slant, paper, enablePostProcessing) = (radius, slant, [0.96, 0.95, 0.92], true)
  }

  init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: Key.self)
    radius = try values.decodeIfPresent(Double.self, forKey: .radius) ?? 0.1
    slant = try values.decodeIfPresent(Double.self, forKey: .slant) ?? 0.4
    paper = try values.decodeIfPresent([Double].self, forKey: .paper) ?? [0.96, 0.95, 0.92]
    func check(_ isRight: Bool, _ key: Key, _ words: String) throws {
      if !isRight { throw DecodingError.dataCorruptedError(forKey: key, in: values, debugDescription: words) }
    }
    try check((0.01...1).contains(radius), .radius, "\(radius) is not in 0.01...1")
    try check((-2...2).contains(slant), .slant, "\(slant) is not in -2...2")
    try check(paper.count == 3 && paper.allSatisfy((0...1).contains), .paper, "expected three numbers in 0...1")
    // The range and the tracks are the document's.
    guard let document = decoder.userInfo[.documentInstruction] as? DocumentInstruction else {
      throw DecodingError.dataCorrupted(.init(codingPath: decoder.codingPath, debugDescription: "is read from documents alone"))
    }
    (timeRange, requiredSourceTrackIDs) = (document.timeRange, document.requiredSourceTrackIDs)
    enablePostProcessing = document.enablePostProcessing
  }

  func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: Key.self)
    try values.encode(radius, forKey: .radius)
    try values.encode(slant, forKey: .slant)
    try values.encode(paper, forKey: .paper)
  }
}
