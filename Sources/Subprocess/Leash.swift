internal import CLinux
internal import Glibc

/// A pipe from a process to one that it starts, which is cut when the first one ends, however it does: a second way to end with one's
/// parent, besides the kernel's signal (`endWithParent`). Lines may be sent along it, too.
///
/// The child gets `end` and calls `LeashEnd.endProcessWhenCut`.
package final class Leash {
  /// The child's.
  package let end: Descriptor
  private let hold: Descriptor

  package init() throws(SubprocessError) {
    let pipe = try Descriptor.pipe(nearEndReads: true)
    (end, hold) = (pipe.near, pipe.far)
    try hold.stopBlocking()
  }

  /// Sends bytes: all of them or, where the child has left too much unread, none (at most 4096, so that the pipe takes them whole).
  ///
  /// - Returns: whether they were sent.
  package func send(_ bytes: [UInt8]) throws(SubprocessError) -> Bool {
    precondition(bytes.count <= 4096, "PIPE_BUF of pipe(7)")
    // Our own reading end is open, so that nobody dies of SIGPIPE.
    guard unsafe write(hold.number, bytes, bytes.count) < 0 else { return true }
    guard errno == EAGAIN else { throw SubprocessError("write", errno, "the line to a process") }
    return false
  }
}

/// The end of a leash that a child has.
package struct LeashEnd {
  package let descriptor: Descriptor

  /// - Parameter number: the child's own.
  package init(owning number: Int32) { descriptor = Descriptor(owning: number) }

  /// What was sent and not read yet; nothing where that cannot be had.
  package func read() -> [UInt8] {
    // Whoever sends knows that it may never be read.
    (try? descriptor.readAvailable(4096)) ?? []
  }

  /// Has a thread of its own end this process when the parent is gone. The descriptor stays open from then on.
  package func endProcessWhenCut() throws(SubprocessError) {
    // The thread needs it as long as the process lives.
    let kept = try descriptor.duplicate(from: 3).release()
    guard spool_end_when_cut(kept) == 0 else { throw SubprocessError("pthread_create", errno) }
  }
}
