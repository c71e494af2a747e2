internal import Synchronization

/// A player that plays items one after the other.
// The lock guards the list.
/// - Partly: as `AVPlayer`
open class AVQueuePlayer: AVPlayer, @unchecked Sendable {
  private let list = Mutex<[AVPlayerItem]>([])

  public init(items: [AVPlayerItem]) {
    super.init(playerItem: items.first)
    actionAtItemEnd = .advance
    list.withLock { $0 = items }
  }

  public override init() {
    super.init()
    actionAtItemEnd = .advance
  }

  public override convenience init(playerItem item: AVPlayerItem?) { self.init(items: item.map { [$0] } ?? []) }

  /// The items that are to be played, the current one first.
  open func items() -> [AVPlayerItem] { list.withLock(\.self) }

  open func canInsert(_ item: AVPlayerItem, after afterItem: AVPlayerItem?) -> Bool {
    let items = items()
    return !items.contains { $0 === item } && (afterItem.map { after in items.contains { $0 === after } } ?? true)
  }

  /// Inserts an item after another one, or at the end.
  open func insert(_ item: AVPlayerItem, after afterItem: AVPlayerItem?) {
    guard canInsert(item, after: afterItem) else { return }
    list.withLock { items in
      let place = afterItem.flatMap { after in items.firstIndex { $0 === after } }
      items.insert(item, at: place.map { $0 + 1 } ?? items.count)
    }
    item.load()
    if currentItem == nil { take(item) }
  }

  open func remove(_ item: AVPlayerItem) {
    guard item !== currentItem else { return advanceToNextItem() }
    list.withLock { $0.removeAll { $0 === item } }
  }

  open func removeAllItems() {
    list.withLock { $0 = [] }
    take(nil)
  }

  open func advanceToNextItem() {
    let next = list.withLock { items -> AVPlayerItem? in
      if !items.isEmpty { items.removeFirst() }
      return items.first
    }
    take(next)
  }

  open override func replaceCurrentItem(with item: AVPlayerItem?) {
    list.withLock { items in
      if !items.isEmpty { items.removeFirst() }
      if let item { items.insert(item, at: 0) }
    }
    super.replaceCurrentItem(with: item)
  }

  override func advance(after item: AVPlayerItem) { advanceToNextItem() }
}

/// Plays a range of an item again and again.
// The queue player's notifications drive it. The lock guards the number.
/// - Partly: as `AVPlayer`
open class AVPlayerLooper: NSObject, AVKeyValueObservable, @unchecked Sendable {
  public enum Status: Int, Sendable { case unknown = 0, ready, failed, cancelled }
  public enum ItemOrdering: Int, Sendable { case loopingItemsPrecedeExistingItems = 0, loopingItemsFollowExistingItems }

  public let observationAnchor = AVObservationAnchor()
  private weak var player: AVQueuePlayer?
  private let template: AVPlayerItem
  private let range: CMTimeRange
  private let course = Mutex((count: 0, status: Status.ready, items: [AVPlayerItem]()))
  // The token is set once, in `init`.
  private nonisolated(unsafe) var token: (any NSObjectProtocol)?

  /// - Parameters:
  ///   - player: the player, whose queue should be empty.
  ///   - itemToLoop: the item that is played again and again.
  ///   - loopRange: the range that is played; the invalid one for all of the item.
  public init(player: AVQueuePlayer, templateItem itemToLoop: AVPlayerItem, timeRange loopRange: CMTimeRange = .invalid) {
    (self.player, template, range) = (player, itemToLoop, loopRange)
    super.init()
    let items = [round(), round()]
    course.withLock { $0.items = items }
    unsafe token = NotificationCenter.default.addObserver(forName: .AVPlayerItemDidPlayToEndTime, object: nil, queue: nil) {
      [weak self] note in self?.ended(note.object as? AVPlayerItem)
    }
    for item in items { player.insert(item, after: nil) }
  }

  public convenience init(player: AVQueuePlayer, templateItem itemToLoop: AVPlayerItem) {
    self.init(player: player, templateItem: itemToLoop, timeRange: .invalid)
  }

  deinit { if let token = unsafe token { NotificationCenter.default.removeObserver(token) } }

  /// The number of times that the range was played to its end.
  open var loopCount: Int { course.withLock(\.count) }
  open var status: Status { course.withLock(\.status) }
  open var error: (any Error)? { template.error }
  open var loopingPlayerItems: [AVPlayerItem] { course.withLock(\.items) }

  /// Ends with the round that is played.
  open func disableLooping() {
    course.withLock { $0.status = .cancelled }
    tellChange()
  }

  private func round() -> AVPlayerItem {
    let item = AVPlayerItem(asset: template.asset, automaticallyLoadedAssetKeys: template.automaticallyLoadedAssetKeys)
    (item.videoComposition, item.audioMix) = (template.videoComposition, template.audioMix)
    if range.isValid, range.start.isNumeric {
      item.clock.time = range.start
      item.forwardPlaybackEndTime = range.end
    } else {
      item.forwardPlaybackEndTime = template.forwardPlaybackEndTime
    }
    return item
  }

  private func ended(_ item: AVPlayerItem?) {
    guard let item, loopingPlayerItems.contains(where: { $0 === item }) else { return }
    course.withLock { $0.count += 1 }
    if status == .ready {
      let next = round()
      course.withLock { course in
        course.items.removeAll { $0 === item }
        course.items.append(next)
      }
      player?.insert(next, after: nil)
    } else {
      let left = course.withLock { course in
        defer { course.items = [] }
        return course.items.filter { $0 !== item }
      }
      for item in left { player?.remove(item) }
    }
    tellChange()
  }
}
