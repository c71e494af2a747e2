internal import Formats
internal import MediaTime
internal import Synchronization
internal import Timeline

/// A receiver of what an item plays.
// The item is set by its owner. The rest is constant, or guarded by a lock.
/// - Partly: as `AVPlayer`
open class AVPlayerItemOutput: NSObject, @unchecked Sendable {
  weak var item: AVPlayerItem?
  open var suppressesPlayerRendering = false

  /// The item's time at a time of the host's clock, in seconds; the invalid one where it plays nothing.
  open func itemTime(forHostTime hostTimeInSeconds: CFTimeInterval) -> CMTime {
    guard let item, hostTimeInSeconds.isFinite, hostTimeInSeconds >= 0, hostTimeInSeconds < 1e9 else { return .invalid }
    return item.clock.time(at: UInt64(hostTimeInSeconds * 1e9))
  }

  /// The item's time at a time of the host's clock, in nanoseconds.
  open func itemTime(forMachAbsoluteTime machAbsoluteTime: Int64) -> CMTime {
    guard let item, machAbsoluteTime >= 0 else { return .invalid }
    return item.clock.time(at: UInt64(machAbsoluteTime))
  }
}

/// - Partly: as `AVPlayer`
public protocol AVPlayerItemOutputPullDelegate: AnyObject {
  func outputMediaDataWillChange(_ sender: AVPlayerItemOutput)
  func outputSequenceWasFlushed(_ output: AVPlayerItemOutput)
}

extension AVPlayerItemOutputPullDelegate {
  public func outputMediaDataWillChange(_ sender: AVPlayerItemOutput) {}
  public func outputSequenceWasFlushed(_ output: AVPlayerItemOutput) {}
}

/// The pictures of an item. They are rendered as those of a movie are.
// The lock guards what changes.
/// - Partly: as `AVPlayer`
open class AVPlayerItemVideoOutput: AVPlayerItemOutput, @unchecked Sendable {
  private struct Course {
    var frames: FrameStream?
    /// The picture that was made last, and the one that was given last.
    var last: (index: Int, picture: CVPixelBuffer)?
    var given: Int?
    var error: AVError?
  }

  private let attributes: [String: Any]?
  private let course = Mutex(Course())
  open private(set) weak var delegate: (any AVPlayerItemOutputPullDelegate)?
  open private(set) var delegateQueue: DispatchQueue?

  public init(pixelBufferAttributes: [String: Any]?) {
    attributes = pixelBufferAttributes ?? [kCVPixelBufferPixelFormatTypeKey: kCVPixelFormatType_32BGRA]
    super.init()
  }
  public convenience init(outputSettings: [String: Any]?) { self.init(pixelBufferAttributes: outputSettings) }

  open func setDelegate(_ delegate: (any AVPlayerItemOutputPullDelegate)?, queue delegateQueue: DispatchQueue?) {
    (self.delegate, self.delegateQueue) = (delegate, delegateQueue)
  }
  open func requestNotificationOfMediaDataChange(withAdvanceInterval interval: TimeInterval) {
    delegateQueue?.async { [weak self] in if let self { self.delegate?.outputMediaDataWillChange(self) } }
  }

  /// The failure to make a picture; nil where there was none.
  public var spoolError: (any Error)? { course.withLock(\.error) }

  /// Whether another picture is seen at a time than the one that was given last.
  open func hasNewPixelBuffer(forItemTime itemTime: CMTime) -> Bool {
    guard let frames = frames(), let index = frames.index(at: itemTime) else { return false }
    return course.withLock { $0.given != index }
  }

  /// The picture that is seen at a time of the item; nil outside of it, and where it cannot be made.
  ///
  /// - Parameters:
  ///   - itemTime: a time of the item.
  ///   - outItemTimeForDisplay: is given the time at which that picture begins.
  open func copyPixelBuffer(
    forItemTime itemTime: CMTime, itemTimeForDisplay outItemTimeForDisplay: UnsafeMutablePointer<CMTime>?
  ) -> CVPixelBuffer? {
    guard let frames = frames(), let index = frames.index(at: itemTime) else { return nil }
    unsafe outItemTimeForDisplay?.pointee = frames.time(index)
    return course.withLock { course in
      if let last = course.last, last.index == index {
        course.given = index
        return last.picture
      }
      do throws(AVError) {
        guard let picture = try frames.picture(index) else { return nil }
        (course.last, course.given) = ((index, picture), index)
        return picture
      } catch {
        course.error = error
        return nil
      }
    }
  }

  private func frames() -> FrameStream? {
    guard let item, item.status == .readyToPlay else { return nil }
    return course.withLock { course in
      if let frames = course.frames, frames.isOf(item) { return frames }
      // What was given of other frames says nothing of these.
      (course.last, course.given) = (nil, nil)
      do throws(AVError) { course.frames = try FrameStream(item, attributes) } catch { course.error = error }
      return course.frames
    }
  }
}

/// The frames of an item, which are made one after the other as long as they are asked for in order.
// The output's lock keeps threads apart.
private final class FrameStream: @unchecked Sendable {
  private let asset: AVAsset
  private let video: AVVideoComposition
  private let compositors: CompositorKeeper
  private let form: PictureForm
  private let trackIDs: Set<CMPersistentTrackID>?
  private let frameDuration: MediaTime
  private let count: Int
  private var open: (supply: PictureSupply, next: Int)?
  private var composed: (frames: ComposedFrames, next: Int)?
  /// The number of frames that are passed over rather than begun anew.
  private static let near = 30

  init(_ item: AVPlayerItem, _ attributes: [String: Any]?) throws(AVError) {
    (asset, compositors, trackIDs) = (item.asset, item.compositors, item.seenTracks)
    video = item.videoComposition ?? AVMutableVideoComposition(propertiesOf: asset)
    form = try PictureForm(attributes, "pixelBufferAttributes")
    frameDuration = try MediaTime(video.frameDuration, "frameDuration")
    let duration = try MediaTime(asset.loadedDuration(), "duration")
    do { count = frameDuration > .zero ? Int(try duration.coveringUnits(of: frameDuration)) : 0 } catch {
      throw AVError(.unknown, "frameDuration: \(error)", property: "frameDuration")
    }
  }

  func isOf(_ item: AVPlayerItem) -> Bool {
    asset === item.asset && trackIDs == item.seenTracks && (item.videoComposition == nil || item.videoComposition === video)
  }

  func index(at time: CMTime) -> Int? {
    guard time.isNumeric, let place = try? MediaTime(time, "itemTime"),  // A time that is none has no frame.
      let index = try? place.wholeUnits(of: frameDuration), 0..<Int64(count) ~= index  // A time that does not fit has no frame.
    else { return nil }
    return Int(index)
  }

  func time(_ index: Int) -> CMTime { CMTimeMultiply(CMTime(exactly: frameDuration), multiplier: Int32(clamping: index)) }

  func picture(_ index: Int) throws(AVError) -> CVPixelBuffer? {
    guard video.customVideoCompositorClass == nil else { return try composed(index) }
    if open.map({ index < $0.next || index > $0.next + Self.near }) ?? true {
      open?.supply.cancel()
      var request = Lowering.Request(asset: asset, videoComposition: video)
      request.trackIDs = trackIDs
      open = (try PictureSupply(request, form, what: "frames", frames: index..<count), index)
    }
    while let (supply, next) = open, next <= index {
      open?.next += 1
      let picture = try supply.picture()?.picture
      if next == index { return picture }
    }
    return nil
  }

  private func composed(_ index: Int) throws(AVError) -> CVPixelBuffer? {
    if composed.map({ index < $0.next || index > $0.next + Self.near }) ?? true {
      composed?.frames.cancel()
      var request = Lowering.Request(asset: asset, videoComposition: video)
      request.timeRange = CMTimeRange(start: time(index), duration: .positiveInfinity)
      request.trackIDs = trackIDs
      request.compositor = compositors.compositor(of: video)
      composed = (try ComposedFrames(request), index)
    }
    while let (frames, next) = composed, next <= index {
      composed?.next += 1
      let picture = try frames.frame()?.picture
      if next == index { return picture }
    }
    return nil
  }
}

public struct AVLayerVideoGravity: RawRepresentable, Hashable, Sendable {
  public let rawValue: String
  public init(rawValue: String) { self.rawValue = rawValue }
  public static let resizeAspect = AVLayerVideoGravity(rawValue: "AVLayerVideoGravityResizeAspect")
  public static let resizeAspectFill = AVLayerVideoGravity(rawValue: "AVLayerVideoGravityResizeAspectFill")
  public static let resize = AVLayerVideoGravity(rawValue: "AVLayerVideoGravityResize")
}

/// The layer of a player. There is no screen on which it is seen.
/// - Partly: as `AVPlayer`
open class AVPlayerLayer: CALayer, AVKeyValueObservable {
  open var player: AVPlayer? {
    didSet {
      hearing = player?.observationAnchor.list.add { [weak self] in self?.tellChange() }
      tellChange()
    }
  }
  public let observationAnchor = AVObservationAnchor()
  private var hearing: NSKeyValueObservation?
  open var videoGravity = AVLayerVideoGravity.resizeAspect
  open var pixelBufferAttributes: [String: Any]?

  public convenience init(player: AVPlayer?) {
    self.init()
    self.player = player
  }

  open var isReadyForDisplay: Bool { player?.currentItem?.status == .readyToPlay }
  /// The place of the picture in the layer.
  open var videoRect: CGRect {
    guard let size = player?.currentItem?.presentationSize, size.width > 0, size.height > 0 else { return .zero }
    switch videoGravity {
    case .resize: return bounds
    case .resizeAspectFill:
      let scale = max(bounds.width / size.width, bounds.height / size.height)
      let (w, h) = (size.width * scale, size.height * scale)
      return CGRect(x: bounds.midX - w / 2, y: bounds.midY - h / 2, width: w, height: h)
    default: return AVMakeRect(aspectRatio: size, insideRect: bounds)
    }
  }
}

/// A layer whose animations go by an item's time. There is no screen on which they are seen; in an export they go by the movie's.
/// - Partly: as `AVPlayer`
open class AVSynchronizedLayer: CALayer {
  open var playerItem: AVPlayerItem?

  public convenience init(playerItem: AVPlayerItem) {
    self.init()
    self.playerItem = playerItem
  }
}

/// The largest rectangle of a shape in the middle of another one.
public func AVMakeRect(aspectRatio: CGSize, insideRect boundingRect: CGRect) -> CGRect {
  guard aspectRatio.width > 0, aspectRatio.height > 0 else { return .zero }
  let scale = min(boundingRect.width / aspectRatio.width, boundingRect.height / aspectRatio.height)
  let (w, h) = (aspectRatio.width * scale, aspectRatio.height * scale)
  return CGRect(x: boundingRect.midX - w / 2, y: boundingRect.midY - h / 2, width: w, height: h)
}
