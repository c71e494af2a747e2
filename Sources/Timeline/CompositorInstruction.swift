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

  /// The parameters in canonical JSON.
  package var parametersJSON: [UInt8] { parameters.canonicalBytes() }

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

/// An instruction with a compositor, and where it stands.
package struct CompositorUse: Hashable, Sendable {
  package let instruction: Instruction
  package let compositor: CompositorInstruction
  private let path: DocumentPath

  init(_ instruction: Instruction, _ compositor: CompositorInstruction, at path: DocumentPath) {
    (self.instruction, self.compositor, self.path) = (instruction, compositor, path)
  }

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

  /// That of the instruction at `position`; nil when it has no compositor.
  package func compositorUse(at position: Int) -> CompositorUse? { videoComposition?.compositorUse(at: position, .root) }
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
    instructions.indices.compactMap { compositorUse(at: $0, root) }
  }

  fileprivate func compositorUse(at position: Int, _ root: DocumentPath) -> CompositorUse? {
    guard case .compositor(let compositor) = instructions[position].content else { return nil }
    let path = root["videoComposition"]["instructions"][position]["compositor"]
    return CompositorUse(instructions[position], compositor, at: path)
  }
}
