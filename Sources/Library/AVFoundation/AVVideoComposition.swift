/// An instruction of a video composition.
/// - Partly: instructions of your own need a compositor of your own; without one they are refused (−11858)
public protocol AVVideoCompositionInstructionProtocol: AnyObject {
  var timeRange: CMTimeRange { get }
  var enablePostProcessing: Bool { get }
  var containsTweening: Bool { get }
  var requiredSourceTrackIDs: [NSValue]? { get }
  var passthroughTrackID: CMPersistentTrackID { get }
}

/// How the pictures of an edit's tracks become one.
/// - Partly: layer instructions lay the stored picture, as on iOS. Ramps that overlap are refused. Sides of `renderSize` are even
open class AVVideoComposition: NSObject, NSCopying, NSMutableCopying {
  var parts = Parts()

  struct Parts {
    var renderSize = CGSize.zero
    var renderScale: Float = 1
    var frameDuration = CMTime.zero
    var instructions: [any AVVideoCompositionInstructionProtocol] = []
    var animationTool: AVVideoCompositionCoreAnimationTool?
    var compositor: (any AVVideoCompositing.Type)?
    var timingTrack = kCMPersistentTrackID_Invalid
    var colorPrimaries: String?
    var colorTransferFunction: String?
    var colorYCbCrMatrix: String?
    /// The failure to read the asset that this was made of. An export tells it.
    var fault: AVError?
  }

  public override init() { super.init() }

  /// The composition as it is now, with the same instructions.
  open func copy(with zone: NSZone? = nil) -> Any { filled(AVVideoComposition()) }
  /// The composition as it is now, to be changed: an `AVMutableVideoComposition` with the same instructions.
  open func mutableCopy(with zone: NSZone? = nil) -> Any { filled(AVMutableVideoComposition()) }

  /// The composition itself, or a copy of one that may be changed.
  var unchanging: AVVideoComposition { self is AVMutableVideoComposition ? filled(AVVideoComposition()) : self }

  private func filled(_ copy: AVVideoComposition) -> AVVideoComposition {
    copy.parts = parts
    return copy
  }

  /// Makes the composition that shows an asset as a player does.
  public convenience init(propertiesOf asset: AVAsset) {
    self.init()
    parts.take(propertiesOf: asset)
  }

  open var renderSize: CGSize { parts.renderSize }
  open var renderScale: Float { parts.renderScale }
  open var frameDuration: CMTime { parts.frameDuration }
  open var instructions: [any AVVideoCompositionInstructionProtocol] { parts.instructions }
  open var animationTool: AVVideoCompositionCoreAnimationTool? { parts.animationTool }
  /// The compositor of the user's own; nil for the usual one, which takes layer instructions.
  open var customVideoCompositorClass: (any AVVideoCompositing.Type)? { parts.compositor }
  /// The track that gives frames their times. It is none: frames follow each other by `frameDuration`.
  open var sourceTrackIDForFrameTiming: CMPersistentTrackID { parts.timingTrack }
  open var colorPrimaries: String? { parts.colorPrimaries }
  open var colorTransferFunction: String? { parts.colorTransferFunction }
  open var colorYCbCrMatrix: String? { parts.colorYCbCrMatrix }

  public static func videoComposition(withPropertiesOf asset: AVAsset) async throws -> AVMutableVideoComposition {
    _ = try asset.loadedTracks()
    return AVMutableVideoComposition(propertiesOf: asset)
  }
}

/// - Partly: as `AVVideoComposition`
open class AVMutableVideoComposition: AVVideoComposition {
  open override var renderSize: CGSize {
    get { parts.renderSize }
    set { parts.renderSize = newValue }
  }
  open override var renderScale: Float {
    get { parts.renderScale }
    set { parts.renderScale = newValue }
  }
  open override var frameDuration: CMTime {
    get { parts.frameDuration }
    set { parts.frameDuration = newValue }
  }
  open override var instructions: [any AVVideoCompositionInstructionProtocol] {
    get { parts.instructions }
    set { parts.instructions = newValue }
  }
  open override var animationTool: AVVideoCompositionCoreAnimationTool? {
    get { parts.animationTool }
    set { parts.animationTool = newValue }
  }
  open override var customVideoCompositorClass: (any AVVideoCompositing.Type)? {
    get { parts.compositor }
    set { parts.compositor = newValue }
  }
  open override var sourceTrackIDForFrameTiming: CMPersistentTrackID {
    get { parts.timingTrack }
    set { parts.timingTrack = newValue }
  }
  open override var colorPrimaries: String? {
    get { parts.colorPrimaries }
    set { parts.colorPrimaries = newValue }
  }
  open override var colorTransferFunction: String? {
    get { parts.colorTransferFunction }
    set { parts.colorTransferFunction = newValue }
  }
  open override var colorYCbCrMatrix: String? {
    get { parts.colorYCbCrMatrix }
    set { parts.colorYCbCrMatrix = newValue }
  }
}

extension AVVideoComposition.Parts {
  /// The video tracks upright, the first topmost, at the first one's size and the greatest rate. Each range in which the same tracks show
  /// something is an instruction of its own.
  fileprivate mutating func take(propertiesOf asset: AVAsset) {
    let tracks: [AVAssetTrack]
    do { tracks = try asset.loadedTracks() } catch {
      fault = error
      return
    }
    let videos = tracks.filter { $0.mediaType == .video && $0.isPlayable }
    guard let first = videos.first else { return }
    let seen = CGRect(origin: .zero, size: first.naturalSize).applying(first.preferredTransform)
    renderSize = ((asset as? AVComposition)?.naturalSize ?? seen.size).even
    frameDuration = videos.map(\.minFrameDuration).filter(\.isNumeric).min() ?? CMTime(value: 1, timescale: 30)
    instructions = Self.spans(of: videos, until: asset.duration).map { span in
      let instruction = AVMutableVideoCompositionInstruction()
      instruction.timeRange = span.range
      instruction.layerInstructions = span.tracks.map(AVMutableVideoCompositionLayerInstruction.init(upright:))
      return instruction
    }
  }

  /// The ranges in which the same tracks show something, one after the other.
  private static func spans(
    of tracks: [AVAssetTrack], until end: CMTime
  ) -> [(range: CMTimeRange, tracks: [AVAssetTrack])] {
    let shown = tracks.map { track in track.parts.filter { !$0.isEmpty }.map(\.timeMapping.target) }
    let edges = [CMTime.zero, end] + shown.joined().flatMap { [$0.start, $0.end] }
    let times = edges.filter { $0.isNumeric && .zero <= $0 && $0 <= end }.sorted()
    var spans: [(range: CMTimeRange, tracks: [AVAssetTrack])] = []
    for (start, next) in zip(times, times.dropFirst()) where start < next {
      let seen = zip(tracks, shown).filter { pair in pair.1.contains { $0.start <= start && next <= $0.end } }.map(\.0)
      if let last = spans.last, last.tracks == seen {
        spans[spans.count - 1].range = CMTimeRange(start: last.range.start, end: next)
      } else {
        spans.append((CMTimeRange(start: start, end: next), seen))
      }
    }
    return spans
  }
}

extension AVMutableVideoCompositionLayerInstruction {
  /// Makes the instruction that lays a track's picture as it is seen, its corner at zero.
  convenience init(upright track: AVAssetTrack) {
    self.init(assetTrack: track)
    let seen = CGRect(origin: .zero, size: track.naturalSize).applying(track.preferredTransform)
    let upright = track.preferredTransform.concatenating(.init(translationX: -seen.minX, y: -seen.minY))
    if !upright.isIdentity { setTransform(upright, at: .zero) }
  }
}

extension CGSize {
  /// The size with even sides, as encoders need them.
  var even: CGSize { CGSize(width: 2 * (width / 2).rounded(), height: 2 * (height / 2).rounded()) }
}
