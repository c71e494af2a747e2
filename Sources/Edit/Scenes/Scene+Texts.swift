extension Scene {
  /// Whether a text is drawn, in nested scenes too.
  package var drawsText: Bool {
    nodes.contains(where: \.drawsText)
      || pictures.contains { if case .nested(_, let scene) = $0.content { scene.drawsText } else { false } }
  }
}

extension Scene.Node {
  fileprivate var drawsText: Bool {
    switch self {
    case .picture: false
    case .transition(_, let from, let to, _): (from + to).contains(where: \.drawsText)
    case .composed(let composed): composed.stills.contains(where: \.drawsText) || composed.isPassthroughWithText
    case .still(let still, _): still.drawing.drawsText
    case .movingText: true
    case .video(let scene, _): scene.drawsText
    case .group(let group):
      (group.nodes + (group.mask?.nodes ?? [])).contains(where: \.drawsText) || group.cover?.still.drawing.drawsText == true
    case .backdrop(_, let cover): cover.still.drawing.drawsText
    case .woven(let woven): woven.first.drawsText || woven.second.drawsText
    }
  }
}

extension Scene.Composed {
  fileprivate var isPassthroughWithText: Bool {
    if case .passthrough(let nodes) = content { nodes.contains(where: \.drawsText) } else { false }
  }
}

extension Scene.Drawing {
  fileprivate var drawsText: Bool {
    switch content {
    case .text?, .script?: return true
    case .image?, .shape?, .gradient?, nil: break
    }
    return (parts + (mask.map { [$0] } ?? [])).contains { $0.drawing.drawsText }
  }
}
