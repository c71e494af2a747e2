internal import CLinux
internal import Glibc

/// A pipe from a process to a child that it starts. The kernel closes the writing end when the parent ends, in whatever way, and
/// the child then ends itself. This is a second way to end with the parent, beside the signal of `endWithParent`. The parent can
/// also send lines over the pipe.
///
/// The child gets `end` and calls `LeashEnd.endProcessWhenCut`.
package final class Leash {
  /// The reading end, for the child.
  package let end: Descriptor
  private let hold: Descriptor

  package init() throws(SubprocessError) {
    let pipe = try Descriptor.pipe(nearEndReads: true)
    (end, hold) = (pipe.near, pipe.far)
    try hold.stopBlocking()
  }

  /// Sends all of the bytes, or none when the child has left too much unread. At most 4096 bytes, because a pipe takes that many
  /// in one piece.
  ///
  /// - Returns: whether the bytes were sent.
  package func send(_ bytes: [UInt8]) throws(SubprocessError) -> Bool {
    precondition(bytes.count <= 4096, "PIPE_BUF of pipe(7)")
    // This process holds the reading end open too, so a write cannot raise SIGPIPE.
    guard unsafe write(hold.number, bytes, bytes.count) < 0 else { return true }
    guard errno == EAGAIN else { throw SubprocessError("write", errno, "the line to a process") }
    return false
  }
}

/// The child's end of a leash.
package struct LeashEnd {
  package let descriptor: Descriptor

  /// - Parameter number: the number of the descriptor in the child.
  package init(owning number: Int32) { descriptor = Descriptor(owning: number) }

  /// The bytes that were sent and not read yet, at most 4096. Empty when there are none, or when reading fails.
  package func read() -> [UInt8] {
    // The sender does not rely on its lines being read, so a failure is not told.
    (try? descriptor.readAvailable(4096)) ?? []
  }

  /// Starts a thread that ends this process as soon as the parent is gone. A copy of the descriptor stays open from then on.
  package func endProcessWhenCut() throws(SubprocessError) {
    // The thread uses the copy as long as the process lives.
    let kept = try descriptor.duplicate(from: 3).release()
    guard spool_end_when_cut(kept) == 0 else { throw SubprocessError("pthread_create", errno) }
  }
}
