public import AVFoundation
internal import MediaTime
internal import Timeline

/// An instruction that somebody wrote into a document by hand: the compositor's parameters name no instruction of this program.
// All is constant.
public final class DocumentInstruction: NSObject, AVVideoCompositionInstructionProtocol, @unchecked Sendable {
  public let timeRange: CMTimeRange
  public let enablePostProcessing: Bool
  public let containsTweening: Bool
  /// The required tracks, in the document's order. Where all have numbers as names, these are the IDs; else they are counted from 1 on.
  public let requiredSourceTrackIDs: [NSValue]?
  /// None: a document's passthrough track is shown without the compositor.
  public let passthroughTrackID = kCMPersistentTrackID_Invalid
  /// The names of the required tracks in the document, in its order.
  public let trackNames: [String]
  private let json: [UInt8]

  init(_ statement: CompositorStatement) {
    timeRange = CMTimeRange(start: statement.timeRange.start.coreMedia, duration: statement.timeRange.duration.coreMedia)
    enablePostProcessing = statement.traits.enablePostProcessing
    containsTweening = statement.traits.containsTweening
    requiredSourceTrackIDs = statement.trackIDs.map { NSNumber(value: $0.id) }
    trackNames = statement.requiredTracks.map(\.rawValue)
    json = statement.parametersJSON
  }

  /// Decodes the `parameters` of the document's compositor.
  ///
  /// - Throws: a `DecodingError`.
  public func parameters<Parameters: Decodable>(as _: Parameters.Type = Parameters.self) throws -> Parameters {
    try JSONDecoder().decode(Parameters.self, from: Data(json))
  }
}

extension CodingUserInfoKey {
  /// The `DocumentInstruction` of an instruction that is decoded from a compositor's parameters: its range and tracks, as the document has
  /// them.
  public static let documentInstruction: CodingUserInfoKey = {
    guard let key = CodingUserInfoKey(rawValue: "documentInstruction") else { preconditionFailure("every text is a key") }
    return key
  }()
}

extension CompositorStatement {
  /// The required tracks with their numbers.
  var trackIDs: [(track: TrackID, id: CMPersistentTrackID)] {
    let numbers = requiredTracks.compactMap { CMPersistentTrackID($0.rawValue) }
    let areNumbers = numbers.count == requiredTracks.count && Set(numbers).count == numbers.count
    return requiredTracks.enumerated().map { ($1, areNumbers ? numbers[$0] : CMPersistentTrackID($0 + 1)) }
  }
}

extension MediaTime {
  var coreMedia: CMTime { CMTime(value: value, timescale: timescale) }
}
