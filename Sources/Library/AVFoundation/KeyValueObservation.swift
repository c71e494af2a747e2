internal import Synchronization

// Foundation has no key-value observing without Objective-C. These are its names for the properties of players, which tell their
// changes themselves.

/// - Partly: as `NSKeyValueObservation`
public struct NSKeyValueObservingOptions: OptionSet, Hashable, Sendable {
  public let rawValue: UInt
  public init(rawValue: UInt) { self.rawValue = rawValue }
  public static let new = NSKeyValueObservingOptions(rawValue: 1)
  public static let old = NSKeyValueObservingOptions(rawValue: 2)
  /// The handler is called at once, too.
  public static let initial = NSKeyValueObservingOptions(rawValue: 4)
  public static let prior = NSKeyValueObservingOptions(rawValue: 8)
}

/// The kind of a change: properties are set as a whole.
/// - Partly: as `NSKeyValueObservation`
public enum NSKeyValueChange: UInt, Sendable { case setting = 1, insertion, removal, replacement }

/// A change of a property.
/// - Partly: as `NSKeyValueObservation`
public struct NSKeyValueObservedChange<Value> {
  public typealias Kind = NSKeyValueChange
  public var kind: Kind { .setting }
  public let newValue: Value?
  public let oldValue: Value?
  public var indexes: IndexSet? { nil }
  public let isPrior: Bool
}

/// An observation, which ends when it is let go.
// The lock guards the function that ends it.
/// - Partly: `observe(\.x)` (docs/avfoundation.md#observing) of players, items, loopers, player layers, export sessions, readers,
///   writers and their inputs. `prior` calls come after the change, too
public final class NSKeyValueObservation: @unchecked Sendable {
  private let end = Mutex<(@Sendable () -> Void)?>(nil)

  init(_ end: @escaping @Sendable () -> Void) { self.end.withLock { $0 = end } }
  deinit { invalidate() }

  public func invalidate() {
    let end = self.end.withLock { end in
      defer { end = nil }
      return end
    }
    end?()
  }
}

/// The observers of an object.
final class ObserverList: Sendable {
  // The handlers are called by whoever changes the object.
  private struct Observer: @unchecked Sendable {
    let id: Int
    let look: () -> Void
  }

  private let observers = Mutex((next: 0, list: [Observer]()))

  /// - Parameter look: looks whether something changed, and tells it.
  func add(_ look: @escaping () -> Void) -> NSKeyValueObservation {
    let sealed = Observer(id: 0, look: look)
    let id = observers.withLock { observers in
      observers.next += 1
      observers.list.append(Observer(id: observers.next, look: sealed.look))
      return observers.next
    }
    return NSKeyValueObservation { [weak self] in self?.observers.withLock { $0.list.removeAll { $0.id == id } } }
  }

  /// Has all observers look. It is called when something of the object may have changed, outside of all locks.
  func look() { for observer in observers.withLock(\.list) { observer.look() } }
}

/// An object whose properties can be observed, with everything that they lead to: each observer looks when the object says that something
/// changed, and is called where its own value is another one than before.
/// - Partly: as `NSKeyValueObservation`
public protocol AVKeyValueObservable: AnyObject {
  /// The place of the observers. It is this library's own.
  var observationAnchor: AVObservationAnchor { get }
}

/// The observers of an object.
/// - Partly: as `NSKeyValueObservation`
public final class AVObservationAnchor: Sendable {
  let list = ObserverList()
  init() {}
}

extension AVKeyValueObservable {
  /// Calls a handler when a value changes, until the observation is let go. The thread is the one that changes it.
  ///
  /// - Parameters:
  ///   - keyPath: a property, or a way through several, such as `\.currentItem?.status`.
  ///   - options: whether the change has the new and the old value, whether the handler is called at once, and whether it is called twice.
  ///   - changeHandler: is called with the object and the change, once for each value that is another one.
  public func observe<Value>(
    _ keyPath: KeyPath<Self, Value>, options: NSKeyValueObservingOptions = [],
    changeHandler: @escaping (Self, NSKeyValueObservedChange<Value>) -> Void
  ) -> NSKeyValueObservation {
    let seen = SeenValue(self[keyPath: keyPath])
    if options.contains(.initial) {
      let now = options.contains(.new) ? seen.value : nil
      changeHandler(self, NSKeyValueObservedChange(newValue: now, oldValue: nil, isPrior: false))
    }
    return observationAnchor.list.add { [weak self] in
      guard let self, case let now = self[keyPath: keyPath], let before = seen.replace(by: now) else { return }
      let old = options.contains(.old) ? before : nil
      if options.contains(.prior) {
        changeHandler(self, NSKeyValueObservedChange(newValue: nil, oldValue: old, isPrior: true))
      }
      changeHandler(
        self, NSKeyValueObservedChange(newValue: options.contains(.new) ? now : nil, oldValue: old, isPrior: false))
    }
  }

  /// Says that something of the object may have changed.
  func tellChange() { observationAnchor.list.look() }
}

/// The value that an observer saw last.
// The lock guards it.
private final class SeenValue<Value>: @unchecked Sendable {
  private let lock = NSLock()
  private var last: Value

  init(_ value: Value) { last = value }

  var value: Value { lock.withLock { last } }

  /// Takes a value.
  ///
  /// - Returns: the one before; nil where they are equal.
  func replace(by value: Value) -> Value? {
    lock.withLock {
      guard !Self.areEqual(last, value) else { return nil }
      defer { last = value }
      return last
    }
  }

  private static func areEqual(_ one: Any, _ other: Any) -> Bool {
    if let (one, other) = (one, other) as? (any MaybeNothing, any MaybeNothing), one.isNothing || other.isNothing {
      return one.isNothing && other.isNothing
    }
    func equals<Known: Equatable>(_ one: Known) -> Bool { other as? Known == one }
    // Values that cannot be compared count as changed.
    return (one as? any Equatable).map { equals($0) } ?? false
  }
}

private protocol MaybeNothing { var isNothing: Bool { get } }

extension Optional: MaybeNothing {
  fileprivate var isNothing: Bool { self == nil }
}
