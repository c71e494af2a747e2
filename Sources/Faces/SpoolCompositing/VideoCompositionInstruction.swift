internal import FoundationEssentials
internal import MediaTime
package import Timeline

/// The work of a compositor during a range of the edit (AVVideoCompositionInstructionProtocol): one instruction of the document,
/// in a type of the compositor's own.
///
/// The document decides which tracks are needed and which one passes through. Your type may replace what the document says about
/// tweening and post-processing.
public protocol VideoCompositionInstruction: Sendable {
  /// Makes the instruction from the document's statement.
  ///
  /// - Throws: an error when the parameters do not fit. The edit is then refused. For a `DecodingError` and a `ParameterError`,
  ///   the message names the place in the document.
  init(_ statement: InstructionStatement) throws

  /// The document's statement.
  var statement: InstructionStatement { get }
  /// Whether frames can differ when their source frames are the same. If not, Spool shows a composed frame again as long as its
  /// source frames stay the same.
  var containsTweening: Bool { get }
  /// Whether the edit's layers are drawn over the composed frames.
  var enablePostProcessing: Bool { get }
}

extension VideoCompositionInstruction {
  public var containsTweening: Bool { statement.containsTweening }
  public var enablePostProcessing: Bool { statement.enablePostProcessing }
  public var timeRange: CompositionTimeRange { statement.timeRange }
  public var requiredSourceTrackIDs: [String] { statement.requiredSourceTrackIDs }
  public var passthroughTrackID: String? { statement.passthroughTrackID }
}

/// The document's statement about an instruction to a compositor. A compositor without parameters can use it as its instruction.
public struct InstructionStatement: VideoCompositionInstruction, Hashable {
  public let timeRange: CompositionTimeRange
  /// The tracks whose frames the compositor gets. A track in a gap has none.
  public let requiredSourceTrackIDs: [String]
  /// The track whose picture is shown, without asking the compositor, when no other required track has a picture.
  public let passthroughTrackID: String?
  public let containsTweening: Bool
  public let enablePostProcessing: Bool
  private let json: [UInt8]

  /// Uses the statement as it is.
  public init(_ statement: InstructionStatement) { self = statement }

  package init(_ statement: CompositorStatement) {
    timeRange = CompositionTimeRange(statement.timeRange)
    requiredSourceTrackIDs = statement.requiredTracks.map(\.rawValue)
    passthroughTrackID = statement.passthroughTrack?.rawValue
    containsTweening = statement.traits.containsTweening
    enablePostProcessing = statement.traits.enablePostProcessing
    json = statement.parametersJSON
  }

  public var statement: InstructionStatement { self }

  /// Decodes the instruction's `parameters`.
  ///
  /// - Throws: `DecodingError`.
  public func parameters<Parameters: Decodable>(as _: Parameters.Type = Parameters.self) throws -> Parameters {
    try JSONDecoder().decode(Parameters.self, from: Data(json))
  }
}

/// The error of a parameter with an unsuitable value.
public struct ParameterError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The parameter's key in `parameters`.
  public let parameter: String
  /// The reason, without a full stop.
  public let reason: String

  public init(_ parameter: String, _ reason: String) { (self.parameter, self.reason) = (parameter, reason) }

  public var description: String { "\(parameter): \(reason)" }
}
