package import JSON
package import MediaTime

/// The part of an instruction that is for a compositor of the user's own (AVVideoCompositionInstructionProtocol).
package struct CompositorInstruction: Hashable, Sendable {
  /// The name that the compositor is registered by.
  package var name: String
  /// The parameters for the compositor: a JSON object, which only the compositor reads.
  package var parameters: JSONValue
  /// The tracks whose frames the compositor is given; none occurs twice.
  package var requiredTracks: [TrackID]
  /// One of the required tracks, and how it is laid into the frame where no other required track has a picture.
  package var passthrough: LayerInstruction?
  /// Whether frames differ although their source frames are the same.
  package var containsTweening: Bool
  /// Whether the edit's layers are drawn over the composed frames.
  package var enablePostProcessing: Bool

  /// Makes an instruction without parameters.
  package init(
    name: String, requiredTracks: [TrackID], passthrough: LayerInstruction? = nil, containsTweening: Bool = true,
    enablePostProcessing: Bool = true
  ) {
    (self.name, parameters, self.requiredTracks) = (name, .object([]), requiredTracks)
    (self.passthrough, self.containsTweening) = (passthrough, containsTweening)
    self.enablePostProcessing = enablePostProcessing
  }

  /// The values that hold throughout the instruction's range, `timeRange`.
  package func statement(in timeRange: MediaTimeRange) -> CompositorStatement {
    CompositorStatement(
      name: name, parameters: parameters, timeRange: timeRange, requiredTracks: requiredTracks,
      passthroughTrack: passthrough?.track,
      traits: CompositorTraits(containsTweening: containsTweening, enablePostProcessing: enablePostProcessing))
  }

  /// Whether `text` may be a compositor's name: 1 to 64 letters, digits, '-', '_' and '.' of ASCII.
  package static func isName(_ text: String) -> Bool {
    (1...64).contains(text.utf8.count)
      && text.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
          UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."):
          true
        default: false
        }
      }
  }
}

/// The values of an instruction with a compositor that do not change over its range.
package struct CompositorStatement: Hashable, Sendable {
  /// The name that the compositor is registered by.
  package let name: String
  private let parameters: JSONValue
  /// The instruction's range.
  package let timeRange: MediaTimeRange
  package let requiredTracks: [TrackID]
  package let passthroughTrack: TrackID?
  package let traits: CompositorTraits

  fileprivate init(
    name: String, parameters: JSONValue, timeRange: MediaTimeRange, requiredTracks: [TrackID], passthroughTrack: TrackID?,
    traits: CompositorTraits
  ) {
    (self.name, self.parameters, self.timeRange) = (name, parameters, timeRange)
    (self.requiredTracks, self.passthroughTrack, self.traits) = (requiredTracks, passthroughTrack, traits)
  }

  /// The parameters in canonical JSON.
  package var parametersJSON: [UInt8] { parameters.canonicalBytes() }
}

/// Two traits of a compositor's frames, as the document states them. The type of the compositor's instructions may overrule them.
package struct CompositorTraits: Hashable, Sendable {
  /// Whether frames differ although their source frames are the same.
  package let containsTweening: Bool
  /// Whether the edit's layers are drawn over the composed frames.
  package let enablePostProcessing: Bool

  package init(containsTweening: Bool, enablePostProcessing: Bool) {
    (self.containsTweening, self.enablePostProcessing) = (containsTweening, enablePostProcessing)
  }
}

/// An instruction with a compositor, and its place in the document.
package struct CompositorUse: Hashable, Sendable {
  package let statement: CompositorStatement
  private let path: JSONPath

  init(_ statement: CompositorStatement, at path: JSONPath) { (self.statement, self.path) = (statement, path) }

  /// A fault at the compositor's name.
  package func fault(ofName message: String) -> DocumentFaults.Fault {
    DocumentFaults.Fault(path: path["name"].description, message: message, .compositor)
  }

  /// A fault at the compositor's parameters, or at the parameter that `keys` lead to.
  package func fault(ofParameter keys: [any CodingKey], _ message: String) -> DocumentFaults.Fault {
    let place = keys.reduce(path["parameters"]) { place, key in key.intValue.map { place[$0] } ?? place[key.stringValue] }
    return DocumentFaults.Fault(path: place.description, message: message, .compositor)
  }
}

extension Timeline {
  /// The instructions with a compositor. Those of nested compositions come first, also of compositions that nothing plays.
  package var compositorUses: [CompositorUse] {
    let within = compositions.sorted { $0.key < $1.key }.flatMap { id, nested in
      nested.videoComposition?.compositorUses(at: .root["compositions"][id.rawValue]) ?? []
    }
    return within + (videoComposition?.compositorUses(at: .root) ?? [])
  }
}

extension VideoComposition {
  package func compositorUses(at root: JSONPath) -> [CompositorUse] {
    instructions.enumerated().compactMap { index, instruction in
      guard case .compositor(let compositor) = instruction.content else { return nil }
      return CompositorUse(
        compositor.statement(in: instruction.timeRange),
        at: root["videoComposition"]["instructions"][index]["compositor"])
    }
  }
}
