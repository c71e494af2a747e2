internal import Synchronization

extension NSNotification.Name {
  public static let AVPlayerItemDidPlayToEndTime = NSNotification.Name("AVPlayerItemDidPlayToEndTimeNotification")
  public static let AVPlayerItemFailedToPlayToEndTime = NSNotification.Name("AVPlayerItemFailedToPlayToEndTimeNotification")
  public static let AVPlayerItemTimeJumped = NSNotification.Name("AVPlayerItemTimeJumpedNotification")
  public static let AVPlayerItemPlaybackStalled = NSNotification.Name("AVPlayerItemPlaybackStalledNotification")
  public static let AVPlayerItemNewErrorLogEntry = NSNotification.Name("AVPlayerItemNewErrorLogEntryNotification")
}

public let AVPlayerItemFailedToPlayToEndTimeErrorKey = "AVPlayerItemFailedToPlayToEndTimeErrorKey"

/// The place in a medium that is played.
///
/// The clock is a value: it says which time of the item it is at a time of the host.
struct PlaybackClock: Sendable {
  /// The time of the item when the clock was set, the host's time then in nanoseconds, and the speed from then on.
  var time = CMTime.zero
  var host: UInt64 = 0
  var rate: Float = 0

  func time(at now: UInt64) -> CMTime {
    guard rate != 0, now > host else { return time }
    let passed = CMTime(value: Int64(clamping: now - host), timescale: 1_000_000_000)
    return time + (rate == 1 ? passed : CMTimeMultiplyByFloat64(passed, multiplier: Double(rate)))
  }

  /// The host's time at which the item comes to a time; nil where it moves away from it, or stands.
  func host(at wanted: CMTime) -> UInt64? {
    let seconds = (wanted - time).seconds / Double(rate)
    guard rate != 0, seconds.isFinite, seconds >= 0 else { return nil }
    return host + UInt64((seconds * 1e9).rounded(.up))
  }

  static var now: UInt64 { DispatchTime.now().uptimeNanoseconds }
}

/// A medium as it is played, with the place that playing has come to.
// The lock guards all that changes while it is played.
/// - Partly: as `AVPlayer`
open class AVPlayerItem: NSObject, NSCopying, AVKeyValueObservable, @unchecked Sendable {
  public enum Status: Int, Sendable { case unknown = 0, readyToPlay, failed }

  public static let didPlayToEndTimeNotification = NSNotification.Name.AVPlayerItemDidPlayToEndTime
  public static let failedToPlayToEndTimeNotification = NSNotification.Name.AVPlayerItemFailedToPlayToEndTime
  public static let timeJumpedNotification = NSNotification.Name.AVPlayerItemTimeJumped

  public let asset: AVAsset
  public let automaticallyLoadedAssetKeys: [String]
  /// The composition, copied when it is set, as on Apple's systems: it stays as it is then when a mutable one is changed.
  open var videoComposition: AVVideoComposition? { didSet { videoComposition = videoComposition?.unchanging } }
  let compositors = CompositorKeeper()
  /// The compositor that makes the item's pictures, of the class that the video composition names.
  open var customVideoCompositor: (any AVVideoCompositing)? { compositors.compositor(of: videoComposition) }
  /// The mix, copied when it is set, as on Apple's systems: it stays as it is then when a mutable one is changed.
  open var audioMix: AVAudioMix? { didSet { audioMix = audioMix?.unchanging } }
  open var audioTimePitchAlgorithm = AVAudioTimePitchAlgorithm.timeDomain
  /// The times at which playing ends, forward and backward; invalid for the item's own.
  open var forwardPlaybackEndTime = CMTime.invalid
  open var reversePlaybackEndTime = CMTime.invalid
  open var preferredForwardBufferDuration: TimeInterval = 0
  open var preferredPeakBitRate: Double = 0
  open var preferredMaximumResolution = CGSize.zero
  open var canUseNetworkResourcesForLiveStreamingWhilePaused = false
  open var preferredPeakBitRateForExpensiveNetworks: Double = 0
  open var preferredMaximumResolutionForExpensiveNetworks = CGSize.zero
  /// Whether a seek waits for the pictures of a composition. They are made when they are asked for, so that nothing waits.
  open var seekingWaitsForVideoCompositionRendering = false
  open var appliesPerFrameHDRDisplayMetadata = true
  /// Words beside those of the asset, for screens that show them.
  open var externalMetadata: [AVMetadataItem] = []
  /// The choices that were made among alternatives.
  let choices = Mutex<[AVMediaCharacteristic: AVMediaSelectionOption?]>([:])
  open private(set) var outputs: [AVPlayerItemOutput] = []
  private let ownTracks = Mutex<[AVPlayerItemTrack]?>(nil)
  /// The tracks of the asset as they are played; none before the item is ready.
  open var tracks: [AVPlayerItemTrack] {
    guard status == .readyToPlay else { return [] }
    return ownTracks.withLock { tracks in
      if let tracks { return tracks }
      let made = asset.tracks.map(AVPlayerItemTrack.init)
      tracks = made
      return made
    }
  }
  public let observationAnchor = AVObservationAnchor()
  private let course = Mutex((status: Status.unknown, error: AVError?.none, clock: PlaybackClock(), isLoading: false))
  /// Called when the item was moved by `seek`, or became ready.
  let wake = Mutex<(@Sendable (_ isJump: Bool) -> Void)?>(nil)

  public init(asset: AVAsset, automaticallyLoadedAssetKeys: [String]?) {
    (self.asset, self.automaticallyLoadedAssetKeys) = (asset, automaticallyLoadedAssetKeys ?? ["duration"])
    super.init()
  }
  /// Makes an item whose properties are loaded, as all are, before it is ready. The keys are not told then: the properties have none.
  public convenience init(asset: AVAsset, automaticallyLoadedAssetKeys: [AVPartialAsyncProperty<AVAsset>]) {
    self.init(asset: asset, automaticallyLoadedAssetKeys: nil)
  }
  public convenience init(asset: AVAsset) { self.init(asset: asset, automaticallyLoadedAssetKeys: nil) }
  public convenience init(url URL: URL) { self.init(asset: AVURLAsset(url: URL)) }

  /// Another item of the same asset with the same settings, at its beginning and without outputs.
  open func copy(with zone: NSZone? = nil) -> Any {
    let copy = AVPlayerItem(asset: asset, automaticallyLoadedAssetKeys: automaticallyLoadedAssetKeys)
    (copy.videoComposition, copy.audioMix, copy.audioTimePitchAlgorithm) = (videoComposition, audioMix, audioTimePitchAlgorithm)
    (copy.forwardPlaybackEndTime, copy.reversePlaybackEndTime) = (forwardPlaybackEndTime, reversePlaybackEndTime)
    (copy.preferredForwardBufferDuration, copy.preferredPeakBitRate) = (preferredForwardBufferDuration, preferredPeakBitRate)
    copy.preferredMaximumResolution = preferredMaximumResolution
    copy.canUseNetworkResourcesForLiveStreamingWhilePaused = canUseNetworkResourcesForLiveStreamingWhilePaused
    copy.preferredPeakBitRateForExpensiveNetworks = preferredPeakBitRateForExpensiveNetworks
    copy.preferredMaximumResolutionForExpensiveNetworks = preferredMaximumResolutionForExpensiveNetworks
    copy.seekingWaitsForVideoCompositionRendering = seekingWaitsForVideoCompositionRendering
    (copy.appliesPerFrameHDRDisplayMetadata, copy.externalMetadata) = (appliesPerFrameHDRDisplayMetadata, externalMetadata)
    return copy
  }

  open var status: Status { course.withLock(\.status) }
  open var error: (any Error)? { course.withLock(\.error) }
  /// The duration; the indefinite time before the item is ready.
  open var duration: CMTime { status == .readyToPlay ? asset.duration : .indefinite }
  open var presentationSize: CGSize {
    videoComposition?.renderSize ?? (asset as? AVComposition)?.naturalSize
      ?? asset.tracks(withMediaType: .video).first.map {
        CGRect(origin: .zero, size: $0.naturalSize).applying($0.preferredTransform).size
      } ?? .zero
  }
  open var loadedTimeRanges: [NSValue] {
    status == .readyToPlay ? [NSValue(timeRange: CMTimeRange(start: .zero, duration: asset.duration))] : []
  }
  open var seekableTimeRanges: [NSValue] { loadedTimeRanges }
  open var isPlaybackLikelyToKeepUp: Bool { status == .readyToPlay }
  open var isPlaybackBufferFull: Bool { status == .readyToPlay }
  open var isPlaybackBufferEmpty: Bool { status != .readyToPlay }
  open var canPlayFastForward: Bool { true }
  open var canPlaySlowForward: Bool { true }
  open var canPlayReverse: Bool { true }
  open var canPlayFastReverse: Bool { true }
  open var canPlaySlowReverse: Bool { true }
  open var canStepForward: Bool { true }
  open var canStepBackward: Bool { true }

  open func add(_ output: AVPlayerItemOutput) {
    output.item = self
    outputs.append(output)
  }
  open func remove(_ output: AVPlayerItemOutput) {
    outputs.removeAll { $0 === output }
    output.item = nil
  }

  open func currentTime() -> CMTime { clock.time(at: PlaybackClock.now) }
  open func currentDate() -> Date? { nil }
  open func cancelPendingSeeks() {}

  /// Moves to a time. It is always exact.
  open func seek(
    to time: CMTime, toleranceBefore: CMTime, toleranceAfter: CMTime, completionHandler: (@Sendable (Bool) -> Void)?
  ) {
    guard time.isNumeric else {
      completionHandler?(false)
      return
    }
    let end = asset.duration
    let place = CMTimeMaximum(.zero, end.isNumeric ? CMTimeMinimum(time, end) : time)
    clock = PlaybackClock(time: place, host: PlaybackClock.now, rate: clock.rate)
    wake.withLock(\.self)?(true)
    NotificationCenter.default.post(name: .AVPlayerItemTimeJumped, object: self)
    completionHandler?(true)
  }
  open func seek(to time: CMTime, completionHandler: (@Sendable (Bool) -> Void)?) {
    seek(to: time, toleranceBefore: .positiveInfinity, toleranceAfter: .positiveInfinity, completionHandler: completionHandler)
  }
  open func seek(to time: CMTime) { seek(to: time, completionHandler: nil) }
  @discardableResult
  open func seek(to time: CMTime, toleranceBefore: CMTime, toleranceAfter: CMTime) async -> Bool {
    await withCheckedContinuation { done in
      seek(to: time, toleranceBefore: toleranceBefore, toleranceAfter: toleranceAfter) { done.resume(returning: $0) }
    }
  }

  /// Moves by frames.
  open func step(byCount stepCount: Int) {
    let frame = asset.tracks(withMediaType: .video).first?.minFrameDuration ?? .invalid
    guard frame.isNumeric else { return }
    seek(to: currentTime() + CMTimeMultiply(frame, multiplier: Int32(clamping: stepCount)), completionHandler: nil)
  }

  var clock: PlaybackClock {
    get { course.withLock(\.clock) }
    set { course.withLock { $0.clock = newValue } }
  }

  /// The time at which playing forward ends.
  var end: CMTime {
    forwardPlaybackEndTime.isNumeric ? CMTimeMinimum(forwardPlaybackEndTime, asset.duration) : asset.duration
  }

  /// Reads the asset on another thread, once.
  func load() {
    let isFirst = course.withLock { course in
      defer { course.isLoading = true }
      return !course.isLoading
    }
    guard isFirst else { return }
    DispatchQueue.global().async {
      var fault: AVError?
      do throws(AVError) { _ = try self.asset.loadedTracks() } catch { fault = error }
      let status: Status = fault == nil ? .readyToPlay : .failed
      self.course.withLock { ($0.status, $0.error) = (status, fault) }
      self.tellChange()
      self.wake.withLock(\.self)?(false)
    }
  }
}
