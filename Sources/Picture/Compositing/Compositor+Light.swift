import Media
internal import Timeline

/// The parts of a compositor that mix light (decision 0044).
extension Compositor {
  /// Whether anything is mixed in `pieces`. Without that, their frame is the same in light as in codes.
  func mixes(_ pieces: [Collage.Piece]) -> Bool {
    placed(pieces).contains { piece in
      switch piece {
      case .picture(_, .hidden, _): false
      case .picture(let source, .upright(let placement), let opacity):
        opacity < 1 || source.buffer.alpha != nil || !placement.coversWholeCells(of: target)
      case .picture(_, .warped, _): true
      case .group, .backdrop: true
      case .transition(let effect, let from, let to, let progress): effect.mixes && progress > 0 || mixes(from) || mixes(to)
      }
    }
  }
}
