internal import CLinux
internal import Glibc

/// One process, a child or not, held by a descriptor (pidfd_open(2)). A process ID can be reused for another process; a
/// descriptor always means the same one.
package struct ProcessHandle {
  private let descriptor: Descriptor

  /// Opens the process that has the ID now. A caller that learned the ID earlier must check afterwards that it is the process
  /// meant.
  ///
  /// - Throws: `SubprocessError` with ESRCH when there is no such process.
  package init(_ processID: Int32) throws(SubprocessError) {
    let number = spool_pidfd_open(processID)
    guard number >= 0 else { throw SubprocessError("pidfd_open", errno, "process \(processID)") }
    descriptor = Descriptor(owning: number)
  }

  /// A descriptor that polls readable when the process has ended.
  package var exitDescriptor: Int32 { descriptor.number }

  /// Sends a signal (pidfd_send_signal(2)).
  ///
  /// - Returns: false when the process has ended, or when this process may not signal it.
  package func signal(_ number: Int32) -> Bool { spool_pidfd_send_signal(descriptor.number, number) == 0 }
}
