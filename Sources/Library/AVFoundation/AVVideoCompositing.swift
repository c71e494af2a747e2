internal import Synchronization

// A compositor's attributes of pictures are dictionaries of `Any` in most code, and of `any Sendable` in newer code. One requirement
// cannot take both. So each form has a protocol of its own, with a value for compositors that have the other form.

public protocol AVCompositorWithSourcesOfAny {
  var sourcePixelBufferAttributes: [String: Any]? { get }
}
public protocol AVCompositorWithSendableSources {
  var sourcePixelBufferAttributes: [String: any Sendable]? { get }
}
public protocol AVCompositorWithResultsOfAny {
  var requiredPixelBufferAttributesForRenderContext: [String: Any] { get }
}
public protocol AVCompositorWithSendableResults {
  var requiredPixelBufferAttributesForRenderContext: [String: any Sendable] { get }
}
public protocol AVCompositorWithOptionalResults {
  var requiredPixelBufferAttributesForRenderContext: [String: Any]? { get }
}

extension AVCompositorWithSourcesOfAny { public var sourcePixelBufferAttributes: [String: Any]? { nil } }
extension AVCompositorWithSendableSources { public var sourcePixelBufferAttributes: [String: any Sendable]? { nil } }
extension AVCompositorWithResultsOfAny { public var requiredPixelBufferAttributesForRenderContext: [String: Any] { [:] } }
extension AVCompositorWithSendableResults {
  public var requiredPixelBufferAttributesForRenderContext: [String: any Sendable] { [:] }
}
extension AVCompositorWithOptionalResults { public var requiredPixelBufferAttributesForRenderContext: [String: Any]? { nil } }

/// A compositor: the code that makes one picture of those of several tracks. It is a subclass of NSObject with `init()`.
/// - Partly: runs on the farm or in your process, one frame at a time: docs/avfoundation.md#compositors-of-your-own
public protocol AVVideoCompositing: NSObjectProtocol, AVCompositorWithSourcesOfAny, AVCompositorWithSendableSources,
  AVCompositorWithResultsOfAny, AVCompositorWithSendableResults, AVCompositorWithOptionalResults
{
  /// Takes the context, before the first request and when it changes.
  func renderContextChanged(_ newRenderContext: AVVideoCompositionRenderContext)
  /// Begins to make a picture. It may be finished on any thread, later.
  func startRequest(_ asyncVideoCompositionRequest: AVAsynchronousVideoCompositionRequest)
  func cancelAllPendingVideoCompositionRequests()
  var supportsWideColorSourceFrames: Bool { get }
  var supportsHDRSourceFrames: Bool { get }
  var canConformColorOfSourceFrames: Bool { get }
  func anticipateRendering(using renderHint: AVVideoCompositionRenderHint)
  func prerollForRendering(using renderHint: AVVideoCompositionRenderHint)
}

extension AVVideoCompositing {
  public func cancelAllPendingVideoCompositionRequests() {}
  public var supportsWideColorSourceFrames: Bool { false }
  public var supportsHDRSourceFrames: Bool { false }
  public var canConformColorOfSourceFrames: Bool { false }
  public func anticipateRendering(using renderHint: AVVideoCompositionRenderHint) {}
  public func prerollForRendering(using renderHint: AVVideoCompositionRenderHint) {}

  var wantedSources: [String: Any]? {
    (self as any AVCompositorWithSourcesOfAny).sourcePixelBufferAttributes
      ?? (self as any AVCompositorWithSendableSources).sourcePixelBufferAttributes
  }
  var wantedResults: [String: Any] {
    let plain = (self as any AVCompositorWithResultsOfAny).requiredPixelBufferAttributesForRenderContext
    if !plain.isEmpty { return plain }
    let sendable = (self as any AVCompositorWithSendableResults).requiredPixelBufferAttributesForRenderContext
    if !sendable.isEmpty { return sendable }
    return (self as any AVCompositorWithOptionalResults).requiredPixelBufferAttributesForRenderContext ?? [:]
  }
}

/// The range that will be rendered soon.
/// - Partly: as `AVVideoCompositing`
open class AVVideoCompositionRenderHint: NSObject {
  public let startCompositionTime: CMTime
  public let endCompositionTime: CMTime
  init(_ range: CMTimeRange) { (startCompositionTime, endCompositionTime) = (range.start, range.end) }
}

/// The width of a pixel over its height. Pixels are always square here.
public struct AVPixelAspectRatio: Hashable, Sendable {
  public var horizontalSpacing: Int
  public var verticalSpacing: Int
  public init() { (horizontalSpacing, verticalSpacing) = (0, 0) }
  public init(horizontalSpacing: Int, verticalSpacing: Int) {
    (self.horizontalSpacing, self.verticalSpacing) = (horizontalSpacing, verticalSpacing)
  }
}

/// The edges around a picture that are rendered beside it. There are none here.
public struct AVEdgeWidths: Hashable, Sendable {
  public var left: CGFloat
  public var top: CGFloat
  public var right: CGFloat
  public var bottom: CGFloat
  public init() { (left, top, right, bottom) = (0, 0, 0, 0) }
  public init(left: CGFloat, top: CGFloat, right: CGFloat, bottom: CGFloat) {
    (self.left, self.top, self.right, self.bottom) = (left, top, right, bottom)
  }
}

/// The facts of the composition that a compositor works for.
// All is constant. The pool guards itself.
/// - Partly: as `AVVideoCompositing`
open class AVVideoCompositionRenderContext: NSObject, @unchecked Sendable {
  public let size: CGSize
  public let renderTransform = CGAffineTransform.identity
  public let renderScale: Float
  public let pixelAspectRatio = AVPixelAspectRatio(horizontalSpacing: 1, verticalSpacing: 1)
  public let edgeWidths = AVEdgeWidths()
  public let highQualityRendering = true
  public let videoComposition: AVVideoComposition
  private let pool: CVPixelBufferPool?
  /// The colours of new pictures, as Core Video attaches them.
  private let colors: [(String, String)]

  /// Makes a context of nothing, for a property's first value. It has no pictures.
  public convenience override init() { self.init(AVVideoComposition(), pool: nil, []) }

  init(_ videoComposition: AVVideoComposition, pool: CVPixelBufferPool?, _ colors: [(String, String)]) {
    self.colors = colors
    self.videoComposition = videoComposition
    (size, renderScale, self.pool) = (videoComposition.renderSize, videoComposition.renderScale, pool)
  }

  /// Makes a picture to render into; nil where there is no memory for it.
  open func newPixelBuffer() -> CVPixelBuffer? {
    guard case .success(let picture)? = pool?.buffer() else { return nil }
    for (key, value) in colors { CVBufferSetAttachment(picture, key, value, .shouldPropagate) }
    return picture
  }
}

/// A picture that a compositor is to make.
// The facts are constant. The answer is given once, by a function that guards itself.
/// - Partly: as `AVVideoCompositing`
open class AVAsynchronousVideoCompositionRequest: NSObject, NSCopying, @unchecked Sendable {
  public let renderContext: AVVideoCompositionRenderContext
  public let compositionTime: CMTime
  public let videoCompositionInstruction: any AVVideoCompositionInstructionProtocol
  private let sources: [(id: CMPersistentTrackID, picture: CVPixelBuffer)]
  /// The function that takes the answer; nil once there is one.
  private let answer: Mutex<(@Sendable (ComposedPicture) -> Void)?>

  init(
    _ context: AVVideoCompositionRenderContext, at time: CMTime, _ instruction: any AVVideoCompositionInstructionProtocol,
    _ sources: [(id: CMPersistentTrackID, picture: CVPixelBuffer)], answer: @escaping @Sendable (ComposedPicture) -> Void
  ) {
    (renderContext, compositionTime, videoCompositionInstruction) = (context, time, instruction)
    self.sources = sources
    self.answer = Mutex(answer)
  }

  deinit { give(.failure(UnfinishedRequest())) }

  /// Gives the answer. Only the first one counts.
  private func give(_ picture: ComposedPicture) {
    let answer = answer.withLock { answer in
      defer { answer = nil }
      return answer
    }
    answer?(picture)
  }

  /// The tracks that have a picture at this time.
  open var sourceTrackIDs: [NSNumber] { sources.map { NSNumber(value: $0.id) } }
  open var sourceSampleDataTrackIDs: [CMPersistentTrackID] { [] }

  /// The picture of a track, as it is stored; nil where the track shows nothing at this time.
  open func sourceFrame(byTrackID trackID: CMPersistentTrackID) -> CVPixelBuffer? {
    sources.first { $0.id == trackID }?.picture
  }
  open func sourceSampleBuffer(byTrackID trackID: CMPersistentTrackID) -> CMSampleBuffer? { nil }

  open func finish(withComposedVideoFrame composedVideoFrame: CVPixelBuffer) { give(.picture(composedVideoFrame)) }
  open func finish(with error: any Error) { give(.failure(error)) }
  open func finishCancelledRequest() { give(.cancelled) }
  open func copy(with zone: NSZone? = nil) -> Any { self }
}

private struct UnfinishedRequest: Error, CustomStringConvertible {
  var description: String { "the request was let go unfinished" }
}

/// The answer of a compositor.
enum ComposedPicture: Sendable {
  case picture(CVPixelBuffer)
  case failure(any Error)
  case cancelled
}
