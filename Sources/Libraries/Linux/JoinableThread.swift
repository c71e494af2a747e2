internal import Glibc

/// A thread that runs one function and is joined for its result. Codecs block, so they never run on Swift's cooperative threads.
/// A thread that is not joined runs until the function returns, or until the process ends.
package struct JoinableThread<Result: Sendable>: ~Copyable {
  /// The stack's size in bytes. Codecs keep large arrays on the stack. It is glibc's own default, stated here so that `ulimit -s`
  /// does not change it.
  private static var stackSize: Int { 8 << 20 }

  private let thread: pthread_t
  private let outcome: Outcome<Result>

  /// Starts the thread at once.
  package init(_ body: @escaping @Sendable () -> Result) {
    let outcome = Outcome<Result>()
    let start = Start { outcome.value = body() }
    var attributes = pthread_attr_t()
    unsafe pthread_attr_init(&attributes)
    unsafe pthread_attr_setstacksize(&attributes, Self.stackSize)
    defer { unsafe pthread_attr_destroy(&attributes) }
    var thread = pthread_t()
    let code = unsafe pthread_create(
      &thread, &attributes,
      { argument in
        unsafe Unmanaged<Start>.fromOpaque(argument!).takeRetainedValue().run()
        return nil
      }, Unmanaged.passRetained(start).toOpaque())
    precondition(code == 0, "pthread_create failed with \(code)")
    self.thread = thread
    self.outcome = outcome
  }

  /// Waits for the function to return and gives its result.
  package consuming func join() -> Result {
    pthread_join(thread, nil)
    guard let value = outcome.value else { preconditionFailure("the thread ended without a result") }
    return value
  }
}

/// Runs `body` with all signals blocked. The threads that it starts have them blocked from their first instruction, so that none of
/// them takes a signal that another thread waits for.
package func withoutSignals<Result, Failure>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
  var (all, before) = (sigset_t(), sigset_t())
  unsafe sigfillset(&all)
  unsafe pthread_sigmask(SIG_BLOCK, &all, &before)
  defer { unsafe pthread_sigmask(SIG_SETMASK, &before, nil) }
  return try body()
}

/// The function's result. The thread writes it before it ends, and it is read after the thread was joined. So both never happen
/// at once, and the class is Sendable.
private final class Outcome<Value>: @unchecked Sendable {
  var value: Value?
}

private final class Start {
  let run: () -> Void
  init(_ run: @escaping () -> Void) { self.run = run }
}
