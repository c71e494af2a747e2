package import MediaTime

/// What an instruction says to a compositor of the user's own (AVVideoCompositionInstructionProtocol).
package struct CompositorInstruction: Hashable, Sendable {
  /// That the compositor is registered by.
  package var name: String
  /// For the compositor alone: an object.
  var parameters: JSONValue
  /// Whose frames it is given; none twice.
  package var requiredTracks: [TrackID]
  /// One of the required tracks, and how it is laid into the frame where it alone has something to show.
  package var passthrough: LayerInstruction?
  /// Whether frames differ although their source frames are the same.
  package var containsTweening: Bool
  /// Whether the edit's layers are drawn over the composed frames.
  package var enablePostProcessing: Bool

  /// Without parameters.
  package init(
    name: String, requiredTracks: [TrackID], passthrough: LayerInstruction? = nil, containsTweening: Bool = true,
    enablePostProcessing: Bool = true
  ) {
    (self.name, parameters, self.requiredTracks) = (name, .object([]), requiredTracks)
    (self.passthrough, self.containsTweening) = (passthrough, containsTweening)
    self.enablePostProcessing = enablePostProcessing
  }

  /// What it says at each moment of its range.
  package func statement(in timeRange: MediaTimeRange) -> CompositorStatement {
    CompositorStatement(
      name: name, parameters: parameters, timeRange: timeRange, requiredTracks: requiredTracks,
      passthroughTrack: passthrough?.track,
      traits: CompositorTraits(containsTweening: containsTweening, enablePostProcessing: enablePostProcessing))
  }

  /// Whether `text` may name a compositor: 1 to 64 letters, digits, '-', '_' and '.' of ASCII.
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

/// What an instruction says to a compositor, without what changes over its range.
package struct CompositorStatement: Hashable, Sendable {
  /// The name that the compositor is registered by.
  package let name: String
  private let parameters: JSONValue
  /// The instruction's.
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

/// What the document says of a compositor's frames, unless the type of its instructions knows better.
package struct CompositorTraits: Hashable, Sendable {
  /// Whether frames differ although their source frames are the same.
  package let containsTweening: Bool
  /// Whether the edit's layers are drawn over the composed frames.
  package let enablePostProcessing: Bool

  package init(containsTweening: Bool, enablePostProcessing: Bool) {
    (self.containsTweening, self.enablePostProcessing) = (containsTweening, enablePostProcessing)
  }
}

/// An instruction with a compositor, and where it stands.
package struct CompositorUse: Hashable, Sendable {
  package let statement: CompositorStatement
  private let path: DocumentPath

  init(_ statement: CompositorStatement, at path: DocumentPath) { (self.statement, self.path) = (statement, path) }

  /// A fault of the compositor's name.
  package func fault(ofName message: String) -> DocumentFaults.Fault {
    DocumentFaults.Fault(path: path["name"].description, message: message, .compositor)
  }

  /// A fault of its parameters, or of the one that `keys` lead to.
  package func fault(ofParameter keys: [any CodingKey], _ message: String) -> DocumentFaults.Fault {
    let place = keys.reduce(path["parameters"]) { place, key in key.intValue.map { place[$0] } ?? place[key.stringValue] }
    return DocumentFaults.Fault(path: place.description, message: message, .compositor)
  }
}

extension ResolvedTimeline {
  /// The instructions with a compositor, those of nested compositions first.
  package var compositorUses: [CompositorUse] {
    let within = nested.sorted { $0.key < $1.key }.flatMap { id, edit in
      edit.videoComposition?.compositorUses(at: .root["compositions"][id.rawValue]) ?? []
    }
    return within + (videoComposition?.compositorUses(at: .root) ?? [])
  }
}

extension Timeline {
  /// The instructions with a compositor, those of nested compositions first, played or not.
  package var compositorUses: [CompositorUse] {
    let within = compositions.sorted { $0.key < $1.key }.flatMap { id, nested in
      nested.videoComposition?.compositorUses(at: .root["compositions"][id.rawValue]) ?? []
    }
    return within + (videoComposition?.compositorUses(at: .root) ?? [])
  }
}

extension VideoComposition {
  fileprivate func compositorUses(at root: DocumentPath) -> [CompositorUse] {
    instructions.enumerated().compactMap { index, instruction in
      guard case .compositor(let compositor) = instruction.content else { return nil }
      return CompositorUse(
        compositor.statement(in: instruction.timeRange),
        at: root["videoComposition"]["instructions"][index]["compositor"])
    }
  }
}
