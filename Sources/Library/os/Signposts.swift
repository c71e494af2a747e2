// Signposts mark times for Instruments, which does not exist here. They are accepted, and nothing is recorded.

public struct OSSignpostType: RawRepresentable, Hashable, Sendable {
  public let rawValue: UInt8
  public init(rawValue: UInt8) { self.rawValue = rawValue }
  public static let event = OSSignpostType(rawValue: 0)
  public static let begin = OSSignpostType(rawValue: 1)
  public static let end = OSSignpostType(rawValue: 2)
}

public struct OSSignpostID: Hashable, Sendable {
  public let rawValue: UInt64
  public init(_ value: UInt64) { rawValue = value }
  public init(log: OSLog) { rawValue = UInt64.random(in: 1..<UInt64.max) }
  public init(log: OSLog, object: AnyObject) { rawValue = UInt64(UInt(bitPattern: ObjectIdentifier(object).hashValue)) }
  public static let exclusive = OSSignpostID(0)
  public static let invalid = OSSignpostID(.max)
  public static let null = OSSignpostID(0)
}

public func os_signpost(
  _ type: OSSignpostType, dso: UnsafeRawPointer? = nil, log: OSLog, name: StaticString, signpostID: OSSignpostID = .exclusive
) {}

public func os_signpost(
  _ type: OSSignpostType, dso: UnsafeRawPointer? = nil, log: OSLog, name: StaticString, signpostID: OSSignpostID = .exclusive,
  _ format: StaticString, _ arguments: any CVarArg...
) {}

public struct OSSignpostIntervalState: Sendable {
  fileprivate init() {}
}

/// - Partly: nothing is recorded
public struct OSSignposter: Sendable {
  public init() {}
  public init(logger: Logger) {}
  public init(subsystem: String, category: String) {}
  public var isEnabled: Bool { false }
  public func makeSignpostID() -> OSSignpostID { OSSignpostID(log: .default) }
  public func beginInterval(_ name: StaticString, id: OSSignpostID = .exclusive) -> OSSignpostIntervalState { .init() }
  public func beginInterval(_ name: StaticString, id: OSSignpostID = .exclusive, _ message: OSLogMessage)
    -> OSSignpostIntervalState
  {
    .init()
  }
  public func endInterval(_ name: StaticString, _ state: OSSignpostIntervalState) {}
  public func endInterval(_ name: StaticString, _ state: OSSignpostIntervalState, _ message: OSLogMessage) {}
  public func emitEvent(_ name: StaticString, id: OSSignpostID = .exclusive) {}
  public func withIntervalSignpost<Result>(
    _ name: StaticString, id: OSSignpostID = .exclusive, around task: () throws -> Result
  ) rethrows -> Result { try task() }
}

/// A value behind a lock.
public final class OSAllocatedUnfairLock<State>: @unchecked Sendable {
  // The lock guards the value.
  fileprivate let gate = NSLock()
  private var value: State

  public init(uncheckedState initialState: State) { value = initialState }
  public convenience init(initialState: State) where State: Sendable { self.init(uncheckedState: initialState) }

  public func withLockUnchecked<Result>(_ body: (inout State) throws -> Result) rethrows -> Result {
    gate.lock()
    defer { gate.unlock() }
    return try body(&value)
  }

  public func withLock<Result: Sendable>(_ body: @Sendable (inout State) throws -> Result) rethrows -> Result {
    try withLockUnchecked(body)
  }
}

extension OSAllocatedUnfairLock where State == Void {
  public convenience init() { self.init(uncheckedState: ()) }
  public func lock() { gate.lock() }
  public func unlock() { gate.unlock() }
  public func withLock<Result: Sendable>(_ body: @Sendable () throws -> Result) rethrows -> Result {
    gate.lock()
    defer { gate.unlock() }
    return try body()
  }
}
