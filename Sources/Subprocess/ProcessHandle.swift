internal import CLinux
internal import Glibc

/// One process, a child or not, by a descriptor (pidfd_open(2)): unlike its number, that never comes to mean another one.
package struct ProcessHandle {
  private let descriptor: Descriptor

  /// The process that has the number now: who learned the number earlier looks afterwards whether it is the one meant.
  ///
  /// - Throws: with ESRCH when there is none.
  package init(_ processID: Int32) throws(SubprocessError) {
    let number = spool_pidfd_open(processID)
    guard number >= 0 else { throw SubprocessError("pidfd_open", errno, "process \(processID)") }
    descriptor = Descriptor(owning: number)
  }

  /// Polls readable when the process has ended.
  package var exitDescriptor: Int32 { descriptor.number }

  /// Sends a signal (pidfd_send_signal(2)).
  /// - Returns: false when it has ended, or may not be signalled by us.
  package func signal(_ number: Int32) -> Bool { spool_pidfd_send_signal(descriptor.number, number) == 0 }
}
