internal import FoundationEssentials
internal import MediaTime
package import Timeline

/// What a compositor does during a range of the edit (AVVideoCompositionInstructionProtocol): one instruction of the document,
/// in the compositor's own terms.
///
/// Which tracks it needs and which one passes through is the edit's affair. A type may overrule what the document says of
/// tweening and of post-processing, when it knows better.
public protocol VideoCompositionInstruction: Sendable {
  /// - Throws: when the parameters do not fit. The edit is refused then, with the place in the document for a `DecodingError`
  ///   and a `ParameterError`.
  init(_ statement: InstructionStatement) throws

  /// What the document says.
  var statement: InstructionStatement { get }
  /// Whether frames differ although their source frames are the same. When not, a composed frame is shown again for as long as
  /// its source frames are.
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

/// What the document says in an instruction to a compositor. By itself the instruction of a compositor without parameters.
public struct InstructionStatement: VideoCompositionInstruction, Hashable {
  public let timeRange: CompositionTimeRange
  /// The tracks whose frames the compositor is given, where they have any.
  public let requiredSourceTrackIDs: [String]
  /// The track whose picture is shown without asking the compositor, where no other required track has any.
  public let passthroughTrackID: String?
  public let containsTweening: Bool
  public let enablePostProcessing: Bool
  private let json: [UInt8]

  /// The statement as it is.
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

  /// The instruction's `parameters`, read as a value.
  ///
  /// - Throws: `DecodingError`.
  public func parameters<Parameters: Decodable>(as _: Parameters.Type = Parameters.self) throws -> Parameters {
    try JSONDecoder().decode(Parameters.self, from: Data(json))
  }
}

/// A parameter whose value will not do.
public struct ParameterError: Error, Hashable, Sendable, CustomStringConvertible {
  /// Its key in `parameters`.
  public let parameter: String
  /// What is wrong, without a full stop.
  public let reason: String

  public init(_ parameter: String, _ reason: String) { (self.parameter, self.reason) = (parameter, reason) }

  public var description: String { "\(parameter): \(reason)" }
}
