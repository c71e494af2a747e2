/// The way in which an object keeps one that is associated with it.
public enum objc_AssociationPolicy: UInt, Sendable {
  /// The object is not kept: once nothing else keeps it, it is nil.
  case OBJC_ASSOCIATION_ASSIGN = 0
  case OBJC_ASSOCIATION_RETAIN_NONATOMIC = 1
  case OBJC_ASSOCIATION_COPY_NONATOMIC = 3
  case OBJC_ASSOCIATION_RETAIN = 769
  case OBJC_ASSOCIATION_COPY = 771
}

/// Associates a value with an object under a key; nil takes it away.
///
/// There is no hook at an object's end here, so that its values are let go a while after it: when others are associated.
///
/// - Parameters:
///   - object: an instance of a class. With other values nothing can be associated.
///   - key: an address, such as that of a static variable.
public func objc_setAssociatedObject(_ object: Any, _ key: UnsafeRawPointer, _ value: Any?, _ policy: objc_AssociationPolicy) {
  guard type(of: object) is AnyClass else { return }
  let kept: Associations.Kept?
  switch policy {
  case .OBJC_ASSOCIATION_ASSIGN: kept = value.map { Associations.Kept(weak: $0 as AnyObject) }
  case .OBJC_ASSOCIATION_COPY, .OBJC_ASSOCIATION_COPY_NONATOMIC:
    kept = value.map { Associations.Kept(($0 as? any NSCopying)?.copy(with: nil) ?? $0) }
  case .OBJC_ASSOCIATION_RETAIN, .OBJC_ASSOCIATION_RETAIN_NONATOMIC: kept = value.map { Associations.Kept($0) }
  }
  Associations.all.set(kept, of: object as AnyObject, UInt(bitPattern: key))
}

/// The value that is associated with an object under a key.
public func objc_getAssociatedObject(_ object: Any, _ key: UnsafeRawPointer) -> Any? {
  guard type(of: object) is AnyClass else { return nil }
  return Associations.all.value(of: object as AnyObject, UInt(bitPattern: key))
}

/// Lets go all that is associated with an object.
public func objc_removeAssociatedObjects(_ object: Any) {
  guard type(of: object) is AnyClass else { return }
  Associations.all.removeAll(of: object as AnyObject)
}

/// Waits until no other thread holds the object's lock, and takes it. One thread may take it several times.
@discardableResult
public func objc_sync_enter(_ obj: Any) -> Int32 {
  guard type(of: obj) is AnyClass else { return 0 }
  Associations.all.lock(of: obj as AnyObject).lock()
  return 0
}

/// Gives the object's lock back, as often as it was taken.
@discardableResult
public func objc_sync_exit(_ obj: Any) -> Int32 {
  guard type(of: obj) is AnyClass else { return 0 }
  Associations.all.lock(of: obj as AnyObject).unlock()
  return 0
}

/// All values that are associated with objects.
// The lock guards all that changes.
private final class Associations: @unchecked Sendable {
  static let all = Associations()

  struct Kept {
    private let strong: Any?
    private weak var weakly: AnyObject?
    init(_ value: Any) { strong = value }
    init(weak value: AnyObject) { (strong, weakly) = (nil, value) }
    var value: Any? { strong ?? weakly }
  }

  /// The values of one object. An object that came later may have the same address, and has none of them.
  private struct Entry {
    weak var owner: AnyObject?
    var values: [UInt: Kept] = [:]
    var lock: NSRecursiveLock?
  }

  private let guarding = NSLock()
  private var entries: [ObjectIdentifier: Entry] = [:]
  /// The number of entries at which those of objects that are gone are let go.
  private var limit = 64

  func value(of owner: AnyObject, _ key: UInt) -> Any? {
    guarding.withLock {
      guard let entry = entries[ObjectIdentifier(owner)], entry.owner === owner else { return nil }
      return entry.values[key]?.value
    }
  }

  func set(_ value: Kept?, of owner: AnyObject, _ key: UInt) { change(owner) { $0.values[key] = value } }

  func removeAll(of owner: AnyObject) { change(owner) { $0.values = [:] } }

  func lock(of owner: AnyObject) -> NSRecursiveLock {
    change(owner) { entry in
      let lock = entry.lock ?? NSRecursiveLock()
      entry.lock = lock
      return lock
    }
  }

  private func change<Result>(_ owner: AnyObject, _ body: (inout Entry) -> Result) -> Result {
    // What is let go may associate other objects at its end, so that it goes after the lock was given back.
    var gone: [Entry] = []
    defer { withExtendedLifetime(gone) {} }
    return guarding.withLock {
      if entries.count >= limit {
        gone = entries.values.filter { $0.owner == nil }
        entries = entries.filter { $0.value.owner != nil }
        limit = max(64, 2 * entries.count)
      }
      let name = ObjectIdentifier(owner)
      let old = entries[name]
      if let old { gone.append(old) }
      var entry = old?.owner === owner ? old ?? Entry(owner: owner) : Entry(owner: owner)
      let result = body(&entry)
      entries[name] = entry
      return result
    }
  }
}

extension NSObject {
  /// Says that a property will change. Nobody observes properties by their names here.
  public func willChangeValue(forKey key: String) {}
  /// Says that a property has changed. Nobody observes properties by their names here.
  public func didChangeValue(forKey key: String) {}
}
