import Glibc
import Linux
import Synchronization
import Testing

@Suite struct `Threads without signals` {
  /// Runs `body` on a thread that has no signal blocked. Those of the tests may have.
  private func unblocked(_ body: @escaping @Sendable () -> [Bool]) -> [Bool] {
    JoinableThread {
      var none = sigset_t()
      unsafe sigemptyset(&none)
      unsafe pthread_sigmask(SIG_SETMASK, &none, nil)
      return body()
    }.join()
  }

  private static func blocks(_ signal: Int32) -> Bool {
    var mask = sigset_t()
    unsafe pthread_sigmask(SIG_BLOCK, nil, &mask)
    return unsafe sigismember(&mask, signal) == 1
  }

  @Test func `have all signals blocked from their beginning, and whoever starts them has not`() {
    let signals = [SIGTERM, SIGINT, SIGHUP, SIGUSR1]
    let blocked = unblocked {
      withoutSignals { JoinableThread { signals.map(Self.blocks) }.join() } + signals.map(Self.blocks)
    }
    #expect(blocked == [true, true, true, true, false, false, false, false])
  }

  @Test func `an error leaves them as they were`() {
    struct Failure: Error {}
    let blocked = unblocked {
      // The error is all that is asked for.
      let isThrown = (try? withoutSignals { () throws(Failure) in throw Failure() }) == nil
      return [isThrown, Self.blocks(SIGTERM)]
    }
    #expect(blocked == [true, false])
  }
}
