internal import CLinux
internal import Glibc

/// Signals as something to poll: blocked for the calling thread (and for threads it starts later) and read from a
/// descriptor (signalfd). Make it before any other thread starts.
package final class SignalDescriptor {
  private let source: Descriptor

  package init(_ signals: [Int32]) throws(SubprocessError) {
    let number = unsafe spool_signal_descriptor(signals, Int32(signals.count))
    guard number >= 0 else { throw SubprocessError("signalfd", errno) }
    source = Descriptor(owning: number)
  }

  /// Polls readable when a signal waits.
  package var number: Int32 { source.number }

  /// The next waiting signal; nil when there is none.
  package func next() throws(SubprocessError) -> Int32? {
    let signal = spool_next_signal(number)
    guard signal >= 0 else { throw SubprocessError("signalfd", errno) }
    return signal == 0 ? nil : signal
  }
}
