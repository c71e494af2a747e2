/// A compositor of one's own (AVVideoCompositing): makes frames of a movie from the frames of its tracks.
///
/// One is made for each video composition that is rendered, when it is first needed, and lives as long. Frames may be asked for
/// in any order, by several processes, and again after a crash: a frame must depend on its request alone, or the movie does on
/// how it was divided.
public protocol VideoCompositing: AnyObject, Sendable {
  associatedtype Instruction: VideoCompositionInstruction = InstructionStatement

  /// By which documents call it: 1 to 64 letters, digits, '-', '_' and '.' of ASCII.
  static var name: String { get }

  init()

  /// What it takes source frames in (sourcePixelBufferAttributes), in order of preference; at least one. Chosen is the one that
  /// the movie is rendered in, else the first that has as many bits, else the first.
  var sourceFormats: [FrameFormat] { get }
  /// What it may make frames in (requiredPixelBufferAttributesForRenderContext); chosen alike.
  var outputFormats: [FrameFormat] { get }
  /// The size that source frames come in.
  var sourceSize: SourceSize { get }

  /// Called before the first request (renderContextChanged).
  func renderContextChanged(_ context: RenderContext)

  /// Asks for a frame. The request is finished here or later, from any thread; one that is let go unfinished fails.
  func startRequest(_ request: VideoCompositionRequest<Instruction>)

  /// The frames asked for are no longer wanted: each request is still to be finished, as soon as can be, best by
  /// `finishCancelledRequest`. Called from another thread than `startRequest`, perhaps during it; nothing is asked afterwards.
  func cancelAllPendingVideoCompositionRequests()
}

extension VideoCompositing {
  public var outputFormats: [FrameFormat] { sourceFormats }
  public var sourceSize: SourceSize { .natural }
  public func renderContextChanged(_ context: RenderContext) {}
  public func cancelAllPendingVideoCompositionRequests() {}
}

/// The size in which a compositor is given source frames.
public enum SourceSize: Hashable, Sendable {
  /// Each in its own: as a viewer sees it, upright and with square pixels.
  case natural
  /// The movie's, each frame laid into it as AVLayerVideoGravity says, over the instruction's background.
  case render(SourceGravity)
}

/// How a picture is laid into a frame of another size (AVLayerVideoGravity).
public enum SourceGravity: Hashable, Sendable, CaseIterable {
  case resize, resizeAspect, resizeAspectFill
}
