internal import Glibc

/// A bounded queue from one thread to another. The renderer is ahead of the encoder by at most `capacity` frames, so memory does
/// not grow with the edit.
///
/// - The producer calls `put`, and `close` at the end. The consumer calls `take` until nil, or `abandon` when it gives up.
@safe final class Handover<Element: Sendable>: @unchecked Sendable {
  // Sendable: every stored property is read and written only while `mutex` is held.
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>
  private let changed: UnsafeMutablePointer<pthread_cond_t>
  private let capacity: Int
  private var waiting: [Element] = []
  private var isClosed = false
  private var isAbandoned = false

  init(capacity: Int) {
    self.capacity = capacity
    unsafe mutex = .allocate(capacity: 1)
    unsafe changed = .allocate(capacity: 1)
    unsafe pthread_mutex_init(mutex, nil)
    unsafe pthread_cond_init(changed, nil)
  }

  deinit {
    unsafe pthread_cond_destroy(changed)
    unsafe pthread_mutex_destroy(mutex)
    unsafe changed.deallocate()
    unsafe mutex.deallocate()
  }

  /// Waits for room, then adds the element.
  ///
  /// - Returns: false when the consumer has given up, so that no more elements are needed.
  func put(_ element: Element) -> Bool {
    locked {
      while waiting.count >= capacity && !isAbandoned { unsafe pthread_cond_wait(changed, mutex) }
      guard !isAbandoned else { return false }
      waiting.append(element)
      return true
    }
  }

  /// Adds the element if there is room now. Otherwise it is lost.
  func offer(_ element: Element) {
    locked { if waiting.count < capacity { waiting.append(element) } }
  }

  /// Says that no more elements follow.
  func close() {
    locked { isClosed = true }
  }

  /// Waits for the next element. The result is nil when the producer has closed the queue and all elements were taken.
  func take() -> Element? {
    locked {
      while waiting.isEmpty && !isClosed { unsafe pthread_cond_wait(changed, mutex) }
      return waiting.isEmpty ? nil : waiting.removeFirst()
    }
  }

  /// Says that the consumer takes no more. A waiting producer returns.
  func abandon() {
    locked {
      isAbandoned = true
      waiting.removeAll()
    }
  }

  private func locked<Result>(_ body: () -> Result) -> Result {
    unsafe pthread_mutex_lock(mutex)
    defer {
      unsafe pthread_cond_broadcast(changed)
      unsafe pthread_mutex_unlock(mutex)
    }
    return body()
  }
}
