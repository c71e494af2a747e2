import Glibc
import Subprocess

/// The wish to stop: SIGINT, SIGTERM or SIGHUP, noticed instead of dying of it. Made before any other thread starts.
final class Interruption {
  private let signals: SignalDescriptor

  init() throws(SubprocessError) { signals = try SignalDescriptor([SIGINT, SIGTERM, SIGHUP]) }

  /// Polls readable when a signal waits.
  var descriptor: Int32 { signals.number }

  /// Whether a signal waits to be noticed.
  var isWaiting: Bool {
    var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return unsafe poll(&entry, 1, 0) == 1
  }

  /// Whether a signal came. From then on the next one kills, for a stop that hangs.
  func hasCome() throws(SubprocessError) -> Bool {
    guard try signals.next() != nil else { return false }
    var all = sigset_t()
    unsafe sigfillset(&all)
    unsafe pthread_sigmask(SIG_UNBLOCK, &all, nil)
    return true
  }
}
