internal import Synchronization

/// A request that a rendering ends. Any thread may make it, and the rendering thread sees it.
package final class Cancellation: Sendable {
  /// The rendering was cancelled.
  package struct Cancelled: Error {}

  private struct State {
    var isCancelled = false
    var handler: (@Sendable () -> Void)?
  }

  private let state = Mutex(State())

  package init() {}

  /// Cancels the rendering. Whatever the rendering waits for is told at once, on this thread.
  package func cancel() {
    let handler = state.withLock { state in
      state.isCancelled = true
      return state.handler
    }
    handler?()
  }

  package func check() throws(Cancelled) {
    if state.withLock({ $0.isCancelled }) { throw Cancelled() }
  }

  /// Starts something and waits for it. `handler` tells it of a cancellation, and may be called before, during and after its
  /// start.
  ///
  /// - Throws: `Cancelled` when the rendering was cancelled before the start or meanwhile.
  func during<Result>(
    _ start: () -> Void, wait: () -> Result, onCancel handler: @escaping @Sendable () -> Void
  ) throws(Cancelled) -> Result {
    try check()
    state.withLock { $0.handler = handler }
    defer { state.withLock { $0.handler = nil } }
    start()
    // A cancellation may have called the handler before there was anything to cancel.
    if state.withLock({ $0.isCancelled }) { handler() }
    let result = wait()
    try check()
    return result
  }
}
