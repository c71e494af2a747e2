public let NSEC_PER_SEC: UInt64 = 1_000_000_000
public let NSEC_PER_MSEC: UInt64 = 1_000_000
public let NSEC_PER_USEC: UInt64 = 1000
public let USEC_PER_SEC: UInt64 = 1_000_000

/// A queue that runs one block after the other, as a DispatchQueue does that is not made with `.concurrent`.
public typealias DispatchSerialQueue = DispatchQueue

extension DispatchQueue {
  /// The executor of an actor whose code runs on this queue.
  ///
  /// - Precondition: the queue runs one block after the other, and lives as long as the actor.
  public func asUnownedSerialExecutor() -> UnownedSerialExecutor {
    if let executor = getSpecific(key: QueueExecutor.key) { return unsafe executor.asUnownedSerialExecutor() }
    // Two threads may both get here. The first executor must stay, because an actor may have it already.
    let executor = QueueExecutor.making.withLock {
      if let executor = getSpecific(key: QueueExecutor.key) { return executor }
      let executor = QueueExecutor(self)
      setSpecific(key: QueueExecutor.key, value: executor)
      return executor
    }
    return unsafe executor.asUnownedSerialExecutor()
  }
}

/// The executor that a queue keeps for actors.
// The queue is never replaced, and guards itself.
private final class QueueExecutor: SerialExecutor, @unchecked Sendable {
  static let key = DispatchSpecificKey<QueueExecutor>()
  static let making = NSLock()
  private unowned let queue: DispatchQueue

  init(_ queue: DispatchQueue) { self.queue = queue }

  func enqueue(_ job: UnownedJob) {
    queue.async { unsafe job.runSynchronously(on: self.asUnownedSerialExecutor()) }
  }

  func asUnownedSerialExecutor() -> UnownedSerialExecutor { unsafe UnownedSerialExecutor(ordinary: self) }

  func checkIsolated() { dispatchPrecondition(condition: .onQueue(queue)) }
}
