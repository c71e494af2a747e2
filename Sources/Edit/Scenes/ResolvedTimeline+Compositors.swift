internal import JSON
package import Timeline

extension ResolvedTimeline {
  /// The instructions with a compositor. Those of nested compositions come first.
  package var compositorUses: [CompositorUse] {
    let within = nested.sorted { $0.key < $1.key }.flatMap { id, edit in
      edit.videoComposition?.compositorUses(at: .root["compositions"][id.rawValue]) ?? []
    }
    return within + (videoComposition?.compositorUses(at: .root) ?? [])
  }
}
