internal import CLinux
internal import Glibc

/// Signals that are read from a descriptor (signalfd) instead of being delivered. They are blocked for the calling thread and for
/// the threads that it starts later. Make this object before any other thread starts.
package final class SignalDescriptor {
  private let source: Descriptor

  package init(_ signals: [Int32]) throws(SubprocessError) {
    let number = unsafe spool_signal_descriptor(signals, Int32(signals.count))
    guard number >= 0 else { throw SubprocessError("signalfd", errno) }
    source = Descriptor(owning: number)
  }

  /// A descriptor that polls readable when a signal waits.
  package var number: Int32 { source.number }

  /// The number of the next waiting signal; nil when none waits.
  package func next() throws(SubprocessError) -> Int32? {
    let signal = spool_next_signal(number)
    guard signal >= 0 else { throw SubprocessError("signalfd", errno) }
    return signal == 0 ? nil : signal
  }
}
