import CoreFoundation
import Foundation
import Testing

@Suite struct `Objects that are associated` {
  private final class Owner {}
  private final class Value {}
  private nonisolated(unsafe) static var (first, second): (UInt8, UInt8) = (0, 0)

  @Test func `are kept under their keys until they are replaced`() {
    let owner = Owner()
    let value = Value()
    unsafe objc_setAssociatedObject(owner, &Self.first, value, .OBJC_ASSOCIATION_RETAIN)
    unsafe objc_setAssociatedObject(owner, &Self.second, "words", .OBJC_ASSOCIATION_COPY_NONATOMIC)
    #expect(unsafe objc_getAssociatedObject(owner, &Self.first) as? Value === value)
    #expect(unsafe objc_getAssociatedObject(owner, &Self.second) as? String == "words")
    #expect(unsafe objc_getAssociatedObject(Owner(), &Self.first) == nil)
    unsafe objc_setAssociatedObject(owner, &Self.first, nil, .OBJC_ASSOCIATION_RETAIN)
    #expect(unsafe objc_getAssociatedObject(owner, &Self.first) == nil)
    objc_removeAssociatedObjects(owner)
    #expect(unsafe objc_getAssociatedObject(owner, &Self.second) == nil)
  }

  @Test func `are gone when nothing else keeps them, where they were only assigned`() {
    let owner = Owner()
    var value: Value? = Value()
    unsafe objc_setAssociatedObject(owner, &Self.first, value, .OBJC_ASSOCIATION_ASSIGN)
    #expect(unsafe objc_getAssociatedObject(owner, &Self.first) as? Value === value)
    value = nil
    #expect(unsafe objc_getAssociatedObject(owner, &Self.first) == nil)
  }

  @Test func `are let go after their owners, and are never another's`() {
    weak var last: Value?
    for _ in 0..<10_000 {
      let owner = Owner()
      #expect(unsafe objc_getAssociatedObject(owner, &Self.first) == nil)
      let value = Value()
      if last == nil { last = value }
      unsafe objc_setAssociatedObject(owner, &Self.first, value, .OBJC_ASSOCIATION_RETAIN)
    }
    let owners = (0..<1000).map { _ in Owner() }
    for owner in owners { unsafe objc_setAssociatedObject(owner, &Self.first, Value(), .OBJC_ASSOCIATION_RETAIN) }
    #expect(owners.allSatisfy { unsafe objc_getAssociatedObject($0, &Self.first) is Value })
    #expect(last == nil)
  }

  @Test func `have a lock for each object, which one thread may take twice`() async {
    let owner = Owner()
    let counter = Counter()
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<8 {
        group.addTask { for _ in 0..<500 { counter.count() } }
      }
    }
    #expect(counter.value == 4000)
    objc_sync_enter(owner)
    objc_sync_enter(owner)
    #expect(objc_sync_exit(owner) == 0 && objc_sync_exit(owner) == 0)
  }

  // The object's lock guards the number.
  private final class Counter: @unchecked Sendable {
    private(set) var value = 0
    func count() {
      objc_sync_enter(self)
      let seen = value
      objc_sync_enter(self)
      value = seen + 1
      objc_sync_exit(self)
      objc_sync_exit(self)
    }
  }
}

@Suite struct `A serial queue` {
  private actor Place {
    nonisolated let queue = DispatchSerialQueue(label: "place", qos: .userInitiated)
    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe queue.asUnownedSerialExecutor() }
    private(set) var count = 0

    func add() {
      dispatchPrecondition(condition: .onQueue(queue))
      count += 1
    }
    nonisolated func addSynchronously() { queue.sync { assumeIsolated { $0.add() } } }
  }

  @Test func `runs the code of the actor whose executor it is`() async {
    let place = Place()
    await withTaskGroup(of: Void.self) { group in for _ in 0..<100 { group.addTask { await place.add() } } }
    place.addSynchronously()
    #expect(await place.count == 101)
  }
}
