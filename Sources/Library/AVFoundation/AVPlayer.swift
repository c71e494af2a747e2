internal import Synchronization

/// The playing of a medium on the host's clock, without a screen and without loudspeakers: observers are called, and video outputs
/// have the pictures, at the times at which they would be seen.
// One queue changes the course of playing; the lock guards what others read.
/// - Partly: play on the host's clock without a screen and without loudspeakers: observers, ends and video outputs come at their
///   times. Seeks are exact
open class AVPlayer: NSObject, AVKeyValueObservable, @unchecked Sendable {
  public enum Status: Int, Sendable { case unknown = 0, readyToPlay, failed }
  public enum TimeControlStatus: Int, Sendable { case paused = 0, waitingToPlayAtSpecifiedRate, playing }
  public enum ActionAtItemEnd: Int, Sendable { case advance = 0, pause, none }

  /// The reason for which a player waits.
  public struct WaitingReason: RawRepresentable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
    public static let noItemToPlay = WaitingReason(rawValue: "AVPlayerWaitingWithNoItemToPlayReason")
    public static let toMinimizeStalls = WaitingReason(rawValue: "AVPlayerWaitingToMinimizeStallsReason")
    public static let evaluatingBufferingRate = WaitingReason(rawValue: "AVPlayerWaitingWhileEvaluatingBufferingRateReason")
  }

  private struct Course {
    var item: AVPlayerItem?
    /// Tells changes of the item as changes of the player.
    var hearing: NSKeyValueObservation?
    var rate: Float = 0
    /// The number of changes so far: what was due before the last one is not due any more.
    var change = 0
    var observers: [TimeObserver] = []
  }

  open var volume: Float = 1 { didSet { tellChange() } }
  open var isMuted = false { didSet { tellChange() } }
  open var defaultRate: Float = 1
  open var actionAtItemEnd = ActionAtItemEnd.pause
  open var automaticallyWaitsToMinimizeStalling = true
  open var allowsExternalPlayback = false
  open var preventsDisplaySleepDuringVideoPlayback = true
  /// Whether the player chooses among alternatives by the user's languages. Choices are the item's own here.
  open var appliesMediaSelectionCriteriaAutomatically = true
  /// The fate of pictures while nobody sees them. It changes nothing here: there is no screen.
  open var audiovisualBackgroundPlaybackPolicy = AVPlayerAudiovisualBackgroundPlaybackPolicy.automatic
  open var isExternalPlaybackActive: Bool { false }
  open class var eligibleForHDRPlayback: Bool { false }
  public let observationAnchor = AVObservationAnchor()
  private let course = Mutex(Course())
  let queue = DispatchQueue(label: "AVPlayer")

  public override init() { super.init() }
  public convenience init(url URL: URL) { self.init(playerItem: AVPlayerItem(url: URL)) }
  public init(playerItem item: AVPlayerItem?) {
    super.init()
    take(item)
  }

  open var status: Status { error == nil ? .readyToPlay : .failed }
  open var error: (any Error)? { currentItem?.error }
  open var currentItem: AVPlayerItem? { course.withLock(\.item) }
  open var reasonForWaitingToPlay: WaitingReason? {
    guard rate != 0, let item = currentItem else { return rate == 0 ? nil : .noItemToPlay }
    return item.status == .unknown ? .evaluatingBufferingRate : nil
  }
  open var timeControlStatus: TimeControlStatus {
    rate == 0 ? .paused : currentItem?.status == .readyToPlay ? .playing : .waitingToPlayAtSpecifiedRate
  }
  open var rate: Float {
    get { course.withLock(\.rate) }
    set { run(at: newValue) }
  }

  open func play() { rate = defaultRate }
  open func pause() { rate = 0 }
  open func playImmediately(atRate rate: Float) { self.rate = rate }
  open func setRate(_ rate: Float, time itemTime: CMTime, atHostTime hostClockTime: CMTime) {
    if itemTime.isNumeric { currentItem?.seek(to: itemTime) }
    self.rate = rate
  }
  open func preroll(atRate rate: Float, completionHandler: (@Sendable (Bool) -> Void)?) {
    completionHandler?(currentItem != nil)
  }

  open func replaceCurrentItem(with item: AVPlayerItem?) {
    if item !== currentItem { take(item) }
  }

  open func currentTime() -> CMTime { currentItem?.currentTime() ?? .zero }
  open func seek(to time: CMTime) { currentItem?.seek(to: time, completionHandler: nil) }
  open func seek(to time: CMTime, completionHandler: @escaping @Sendable (Bool) -> Void) {
    seek(to: time, toleranceBefore: .positiveInfinity, toleranceAfter: .positiveInfinity, completionHandler: completionHandler)
  }
  open func seek(to time: CMTime, toleranceBefore: CMTime, toleranceAfter: CMTime) {
    currentItem?.seek(to: time, toleranceBefore: toleranceBefore, toleranceAfter: toleranceAfter, completionHandler: nil)
  }
  open func seek(
    to time: CMTime, toleranceBefore: CMTime, toleranceAfter: CMTime, completionHandler: @escaping @Sendable (Bool) -> Void
  ) {
    guard let item = currentItem else { return completionHandler(false) }
    item.seek(to: time, toleranceBefore: toleranceBefore, toleranceAfter: toleranceAfter, completionHandler: completionHandler)
  }

  // MARK: Observers

  /// Calls a block each time that playing passes a multiple of the interval, and when it starts, stops or jumps.
  ///
  /// - Returns: what `removeTimeObserver(_:)` takes.
  open func addPeriodicTimeObserver(
    forInterval interval: CMTime, queue: DispatchQueue?, using block: @escaping @Sendable (CMTime) -> Void
  ) -> Any {
    add(TimeObserver(.every(interval), queue ?? .main) { block($0) })
  }

  /// Calls a block each time that playing passes one of the times.
  open func addBoundaryTimeObserver(
    forTimes times: [NSValue], queue: DispatchQueue?, using block: @escaping @Sendable () -> Void
  ) -> Any {
    add(TimeObserver(.at(times.map(\.timeValue).filter(\.isNumeric).sorted()), queue ?? .main) { _ in block() })
  }

  open func removeTimeObserver(_ observer: Any) {
    course.withLock { course in course.observers.removeAll { $0 === observer as AnyObject } }
    schedule()
  }

  private func add(_ observer: TimeObserver) -> TimeObserver {
    course.withLock { $0.observers.append(observer) }
    schedule()
    return observer
  }

  // MARK: The course of playing

  /// Takes an item in the place of the one before.
  func take(_ item: AVPlayerItem?) {
    let before = course.withLock { course in
      defer { course.item = item }
      return course.item
    }
    before?.wake.withLock { $0 = nil }
    if let before {
      before.clock = PlaybackClock(time: before.currentTime(), host: PlaybackClock.now, rate: 0)
    }
    item?.wake.withLock { $0 = { [weak self] isJump in self?.moved(isJump) } }
    item?.load()
    let hearing = item?.observationAnchor.list.add { [weak self] in self?.tellChange() }
    course.withLock { $0.hearing = hearing }
    run(at: rate)
    tellChange()
  }

  private func moved(_ isJump: Bool) {
    run(at: rate)
    if isJump { tellPeriodically() }
  }

  /// Sets the speed, from now on.
  private func run(at rate: Float) {
    let old = course.withLock { course in
      defer { course.rate = rate }
      return course.rate
    }
    if let item = currentItem {
      let isMoving = item.status == .readyToPlay
      item.clock = PlaybackClock(time: item.currentTime(), host: PlaybackClock.now, rate: isMoving ? rate : 0)
    }
    if old != rate {
      tellChange()
      tellPeriodically()
    }
    schedule()
  }

  private func tellPeriodically() {
    let now = currentTime()
    for observer in course.withLock(\.observers) { if case .every = observer.times { observer.tell(now) } }
  }

  /// Waits for what comes next: a time that is observed, or the end.
  ///
  /// - Parameter passed: the time up to which all observers were told; nil for the present. What became due since then is told at once.
  private func schedule(after passed: CMTime? = nil) {
    let (change, observers) = course.withLock { course in
      course.change += 1
      return (course.change, course.observers)
    }
    guard let item = currentItem, case let clock = item.clock, clock.rate != 0 else { return }
    let now = passed ?? clock.time(at: PlaybackClock.now)
    let isForward = clock.rate > 0
    let end = isForward ? item.end : item.reversePlaybackEndTime.isNumeric ? item.reversePlaybackEndTime : .zero
    let due = observers.compactMap { $0.next(after: now, isForward: isForward) }
    let next = due.reduce(end) { isForward ? CMTimeMinimum($0, $1) : CMTimeMaximum($0, $1) }
    guard let host = clock.host(at: next) else { return }
    queue.asyncAfter(deadline: DispatchTime(uptimeNanoseconds: max(host, PlaybackClock.now))) { [weak self] in
      guard let self, self.course.withLock({ $0.change == change }) else { return }
      for observer in observers where observer.next(after: now, isForward: isForward) == next { observer.tell(next) }
      // The clock goes on from the exact time. A machine that was busy is late, and passes no time by.
      item.clock = PlaybackClock(time: next, host: host, rate: clock.rate)
      if next == end { self.reachedEnd(of: item) } else { self.schedule(after: next) }
    }
  }

  private func reachedEnd(of item: AVPlayerItem) {
    let end = item.clock.time
    item.clock = PlaybackClock(time: end, host: PlaybackClock.now, rate: 0)
    NotificationCenter.default.post(name: .AVPlayerItemDidPlayToEndTime, object: item)
    guard currentItem === item else { return }
    switch actionAtItemEnd {
    case .pause: rate = 0
    case .none: break
    case .advance: advance(after: item)
    }
  }

  /// Goes on after an item's end.
  func advance(after item: AVPlayerItem) { rate = 0 }
}

/// A wish to be called at times of the item.
// All is constant. The block is called on the queue alone.
final class TimeObserver: NSObject, @unchecked Sendable {
  enum Times {
    case every(CMTime)
    /// The times in order.
    case at([CMTime])
  }

  let times: Times
  private let queue: DispatchQueue
  private let block: @Sendable (CMTime) -> Void

  init(_ times: Times, _ queue: DispatchQueue, _ block: @escaping @Sendable (CMTime) -> Void) {
    (self.times, self.queue, self.block) = (times, queue, block)
  }

  func tell(_ time: CMTime) { queue.async { [block] in block(time) } }

  /// The time that is passed next; nil where there is none.
  func next(after now: CMTime, isForward: Bool) -> CMTime? {
    switch times {
    case .at(let times): return isForward ? times.first { $0 > now } : times.last { $0 < now }
    case .every(let interval):
      guard interval.isNumeric, interval > .zero, now.isNumeric else { return nil }
      let count = (now.seconds / interval.seconds).rounded(.down)
      for step in isForward ? [0, 1, 2] : [1, 0, -1] {
        let place = CMTimeMultiply(interval, multiplier: Int32(clamping: Int(count) + step))
        if isForward ? place > now : place < now { return place }
      }
      return nil
    }
  }
}

public enum AVPlayerAudiovisualBackgroundPlaybackPolicy: Int, Sendable { case automatic = 1, pauses, continuesIfPossible }
