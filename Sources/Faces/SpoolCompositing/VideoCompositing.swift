/// A compositor of your own (AVVideoCompositing). It makes frames of a movie from the frames of its tracks.
///
/// Spool makes one compositor for each video composition that it renders, when it is first needed, and keeps it as long. Several
/// processes may ask for frames, in any order, and again after a crash. So a frame must depend on its request alone. Otherwise
/// the movie would depend on how it was divided into chunks.
public protocol VideoCompositing: AnyObject, Sendable {
  associatedtype Instruction: VideoCompositionInstruction = InstructionStatement

  /// The name by which documents refer to the compositor: 1 to 64 ASCII letters, digits, '-', '_' and '.'.
  static var name: String { get }

  init()

  /// The formats that the compositor accepts for source frames (sourcePixelBufferAttributes), in order of preference; at least
  /// one. Spool takes the format in which the movie is rendered, else the first one with at least as many bits, else the first.
  var sourceFormats: [FrameFormat] { get }
  /// The formats in which the compositor can make frames (requiredPixelBufferAttributesForRenderContext). Spool chooses in the
  /// same way.
  var outputFormats: [FrameFormat] { get }
  /// The size of source frames.
  var sourceSize: SourceSize { get }

  /// Called before the first request (renderContextChanged).
  func renderContextChanged(_ context: RenderContext)

  /// Asks for a frame. The request may be finished here or later, from any thread. A request that is released unfinished fails.
  func startRequest(_ request: VideoCompositionRequest<Instruction>)

  /// Says that the frames asked for are not wanted any more. Each request must still be finished as soon as possible, best with
  /// `finishCancelledRequest`. The call comes from another thread than `startRequest`, perhaps during it. No request comes
  /// afterwards.
  func cancelAllPendingVideoCompositionRequests()
}

extension VideoCompositing {
  public var outputFormats: [FrameFormat] { sourceFormats }
  public var sourceSize: SourceSize { .natural }
  public func renderContextChanged(_ context: RenderContext) {}
  public func cancelAllPendingVideoCompositionRequests() {}
}

/// The size in which a compositor gets source frames.
public enum SourceSize: Hashable, Sendable {
  /// Each frame has its own size, as a viewer sees it: upright and with square pixels.
  case natural
  /// Each frame has the movie's size. The picture is fitted into it by the gravity (AVLayerVideoGravity), over the instruction's
  /// background.
  case render(SourceGravity)
}

/// How a picture is fitted into a frame of another size (AVLayerVideoGravity).
public enum SourceGravity: Hashable, Sendable, CaseIterable {
  case resize, resizeAspect, resizeAspectFill
}
