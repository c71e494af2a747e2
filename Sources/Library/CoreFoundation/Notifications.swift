extension NotificationCenter {
  /// The notifications of a name, as they are posted from now on.
  public func notifications(named name: Notification.Name, object: AnyObject? = nil) -> Notifications {
    Notifications(self, name, object)
  }

  /// Notifications, one after the other. They are observed as long as somebody waits for them.
  public final class Notifications: AsyncSequence, @unchecked Sendable {
    // All is constant. A center may be used by all threads, and the object is compared alone.
    public typealias Element = Notification
    private let center: NotificationCenter
    private let name: Notification.Name
    private let object: AnyObject?

    fileprivate init(_ center: NotificationCenter, _ name: Notification.Name, _ object: AnyObject?) {
      (self.center, self.name, self.object) = (center, name, object)
    }

    public func makeAsyncIterator() -> AsyncStream<Notification>.Iterator {
      let (stream, continuation) = AsyncStream.makeStream(of: Notification.self)
      let observer = Observer(
        center, center.addObserver(forName: name, object: object, queue: nil) { continuation.yield(SentNotification($0).value) })
      continuation.onTermination = { _ in observer.end() }
      return stream.makeAsyncIterator()
    }
  }

  /// A notification on its way to those who wait.
  // Its poster hands it on, as to every observer.
  private struct SentNotification: @unchecked Sendable {
    let value: Notification
    init(_ value: Notification) { self.value = value }
  }

  /// The registration with a center.
  // All is constant, and a center may be used by all threads.
  private final class Observer: @unchecked Sendable {
    private let center: NotificationCenter
    private let token: any NSObjectProtocol
    init(_ center: NotificationCenter, _ token: any NSObjectProtocol) { (self.center, self.token) = (center, token) }
    func end() { center.removeObserver(token) }
  }
}

extension Progress {
  /// The seconds that are left, as the program that makes progress says; nil where it does not.
  public var estimatedTimeRemaining: TimeInterval? {
    get { (userInfo[.estimatedTimeRemainingKey] as? NSNumber)?.doubleValue }
    set { setUserInfoObject(newValue.map { NSNumber(value: $0) }, forKey: .estimatedTimeRemainingKey) }
  }
}
