internal import Synchronization

// Foundation has no key-value observing without Objective-C. These are its names for the properties of players, which tell their
// changes themselves.

public struct NSKeyValueObservingOptions: OptionSet, Hashable, Sendable {
  public let rawValue: UInt
  public init(rawValue: UInt) { self.rawValue = rawValue }
  public static let new = NSKeyValueObservingOptions(rawValue: 1)
  public static let old = NSKeyValueObservingOptions(rawValue: 2)
  /// The handler is called at once, too.
  public static let initial = NSKeyValueObservingOptions(rawValue: 4)
  public static let prior = NSKeyValueObservingOptions(rawValue: 8)
}

/// A change of a property.
public struct NSKeyValueObservedChange<Value> {
  public let newValue: Value?
  public let oldValue: Value?
  public var isPrior: Bool { false }
}

/// An observation, which ends when it is let go.
// The lock guards the function that ends it.
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
  // The handler is called by whoever changes the property.
  private struct Observer: @unchecked Sendable {
    let id: Int
    let path: AnyKeyPath
    let tell: (Any?, Any?) -> Void
  }

  private let observers = Mutex((next: 0, list: [Observer]()))

  func add(_ path: AnyKeyPath, _ tell: @escaping (Any?, Any?) -> Void) -> NSKeyValueObservation {
    let sealed = Observer(id: 0, path: path, tell: tell)
    let id = observers.withLock { observers in
      observers.next += 1
      observers.list.append(Observer(id: observers.next, path: sealed.path, tell: sealed.tell))
      return observers.next
    }
    return NSKeyValueObservation { [weak self] in self?.observers.withLock { $0.list.removeAll { $0.id == id } } }
  }

  func tell(_ path: AnyKeyPath, old: Any?, new: Any?) {
    for observer in observers.withLock(\.list) where observer.path == path { observer.tell(old, new) }
  }
}

/// An object of which some properties can be observed: those that its page names.
public protocol AVKeyValueObservable: AnyObject {
  /// The place of the observers. It is this library's own.
  var observationAnchor: AVObservationAnchor { get }
}

/// The observers of an object.
public final class AVObservationAnchor: Sendable {
  let list = ObserverList()
  init() {}
}

extension AVKeyValueObservable {
  /// Calls a handler when a property changes, until the observation is let go.
  public func observe<Value>(
    _ keyPath: KeyPath<Self, Value>, options: NSKeyValueObservingOptions = [],
    changeHandler: @escaping (Self, NSKeyValueObservedChange<Value>) -> Void
  ) -> NSKeyValueObservation {
    if options.contains(.initial) {
      changeHandler(
        self, NSKeyValueObservedChange(newValue: options.contains(.new) ? self[keyPath: keyPath] : nil, oldValue: nil))
    }
    return observationAnchor.list.add(keyPath) { [weak self] old, new in
      guard let self else { return }
      changeHandler(
        self,
        NSKeyValueObservedChange(
          newValue: options.contains(.new) ? new as? Value : nil, oldValue: options.contains(.old) ? old as? Value : nil))
    }
  }

  func tell<Value>(_ keyPath: KeyPath<Self, Value>, old: Value, new: Value) {
    observationAnchor.list.tell(keyPath, old: old, new: new)
  }
}
