internal import Formats
internal import MediaTime

/// A compositor of any type that works for one video composition.
package protocol HostedCompositor: AnyObject, Sendable {
  var context: RenderContext { get }
  var sourceSize: SourceSize { get }

  /// Asks for a frame.
  ///
  /// - Parameter instruction: an instruction that the registry made for the compositor.
  func start(
    _ instruction: any VideoCompositionInstruction, at time: CompositionTime, progress: Double, frames: [String: VideoFrame],
    answer: @escaping @Sendable (ComposedAnswer) -> Void)

  /// Cancels all frames that were asked for. It may be called from another thread.
  func cancel()
}

final class CompositorHost<Compositor: VideoCompositing>: HostedCompositor {
  let context: RenderContext
  private let compositor: Compositor

  init(
    _: Compositor.Type, renderFormat: FrameFormat, _ renderSize: PixelSize, frameDuration: MediaTime, _ color: ColorTags
  ) {
    compositor = Compositor()
    context = RenderContext(
      renderSize: renderSize, frameDuration: frameDuration, color: color,
      sourceFormat: .choice(among: compositor.sourceFormats, for: renderFormat),
      outputFormat: .choice(among: compositor.outputFormats, for: renderFormat))
    compositor.renderContextChanged(context)
  }

  var sourceSize: SourceSize { compositor.sourceSize }

  func start(
    _ instruction: any VideoCompositionInstruction, at time: CompositionTime, progress: Double, frames: [String: VideoFrame],
    answer: @escaping @Sendable (ComposedAnswer) -> Void
  ) {
    guard let instruction = instruction as? Compositor.Instruction else {
      preconditionFailure("an instruction of another compositor")
    }
    compositor.startRequest(
      VideoCompositionRequest(context, at: time, instruction, progress: progress, frames: frames, answer: answer))
  }

  func cancel() { compositor.cancelAllPendingVideoCompositionRequests() }
}
