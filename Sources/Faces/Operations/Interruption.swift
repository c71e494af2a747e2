internal import Glibc
internal import Linux
package import Subprocess

/// Notices SIGINT, SIGTERM and SIGHUP, which then do not end the process. Make it before any other thread starts.
package final class Interruption {
  private let signals: SignalDescriptor

  package init() throws(SubprocessError) { signals = try SignalDescriptor([SIGINT, SIGTERM, SIGHUP]) }

  /// A descriptor that polls readable when a signal waits.
  var descriptor: Int32 { signals.number }

  /// Waits that long for a signal.
  ///
  /// - Returns: whether one waits to be read.
  func wait(_ time: Duration) -> Bool {
    Readiness.waitToRead([descriptor], within: time)
    return isWaiting
  }

  /// Whether a signal waits to be read.
  var isWaiting: Bool { Readiness.canRead(descriptor) }

  /// Whether a signal has come. When one has, signals are unblocked, so that the next one ends the process even if stopping
  /// hangs.
  func hasCome() throws(SubprocessError) -> Bool {
    guard try signals.next() != nil else { return false }
    var all = sigset_t()
    unsafe sigfillset(&all)
    unsafe pthread_sigmask(SIG_UNBLOCK, &all, nil)
    return true
  }
}
