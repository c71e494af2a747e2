/// The compositor of an export, an item or an output, which is made when it is first asked for. Another class makes another one.
// The lock guards all that changes.
final class CompositorKeeper: @unchecked Sendable {
  private let lock = NSLock()
  private var kept: (kind: any AVVideoCompositing.Type, compositor: any AVVideoCompositing)?

  /// Whether somebody has the compositor of this composition, and may have changed it.
  func gave(_ kind: any AVVideoCompositing.Type) -> Bool { lock.withLock { kept.map { $0.kind == kind } ?? false } }

  /// The compositor of a video composition; nil where it names no class, or one of which no object can be made. Rendering then
  /// tells why.
  func compositor(of video: AVVideoComposition?) -> (any AVVideoCompositing)? {
    guard let kind = video?.customVideoCompositorClass else { return nil }
    return lock.withLock {
      if let kept, kept.kind == kind { return kept.compositor }
      // The failure is told by what renders.
      guard let compositor = try? CompositorStage.made(kind) else { return nil }
      kept = (kind, compositor)
      return compositor
    }
  }
}
