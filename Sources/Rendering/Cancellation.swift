internal import Synchronization

/// The wish that a rendering ends: said from any thread, heard by the one that renders.
package final class Cancellation: Sendable {
  /// The rendering was cancelled.
  package struct Cancelled: Error {}

  private struct State {
    var isCancelled = false
    var handler: (@Sendable () -> Void)?
  }

  private let state = Mutex(State())

  package init() {}

  /// Cancels. What the rendering waits for is told at once, on this thread.
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

  /// Starts something and waits for it; `handler` is what tells it of a cancellation, before, during and after its start.
  ///
  /// - Throws: `Cancelled` when it was cancelled meanwhile, or before it was started.
  func during<Result>(
    _ start: () -> Void, wait: () -> Result, onCancel handler: @escaping @Sendable () -> Void
  ) throws(Cancelled) -> Result {
    try check()
    state.withLock { $0.handler = handler }
    defer { state.withLock { $0.handler = nil } }
    start()
    // A cancellation may have come before what it is about was there.
    if state.withLock({ $0.isCancelled }) { handler() }
    let result = wait()
    try check()
    return result
  }
}
