internal import CLinux
internal import Glibc

/// A line to a child process that waits for one file. The file goes over it as an open descriptor, with some words, so it may be of any length
/// and nobody waits until it is read.
package final class FileLine {
  /// The most bytes of the words.
  package static let mostWords = 4096

  /// The end for the child, to be taken by `FileLine.receive`.
  package let end: Descriptor
  private let near: Descriptor

  package init() throws(SubprocessError) { (near, end) = try Descriptor.sockets(SOCK_SEQPACKET) }

  /// Sends the file. It is called once; the line takes one message whether or not it is read.
  ///
  /// - Throws: `SubprocessError`, also when the child is gone and this process has dropped `end`.
  package func send(_ file: Descriptor, with words: String) throws(SubprocessError) {
    // A message without a byte would look like the end of the line.
    let bytes = Array(words.utf8) + [0]
    precondition(bytes.count <= Self.mostWords, "longer words do not fit")
    guard unsafe spool_send_descriptor(near.number, bytes, bytes.count, file.number) == 0 else {
      throw SubprocessError("sendmsg", errno, "the line to a process")
    }
  }

  /// Waits for the file, in the child.
  ///
  /// - Parameter line: the child's end.
  /// - Returns: nil when the other end was closed before anything was sent.
  /// - Throws: `SubprocessError`, also when this process may not open another file.
  package static func receive(over line: Descriptor) throws(SubprocessError) -> (file: Descriptor, words: String)? {
    var bytes = [UInt8](repeating: 0, count: mostWords)
    var number: Int32 = -1
    let count = unsafe spool_receive_descriptor(line.number, &bytes, bytes.count, &number)
    let file = number < 0 ? nil : Descriptor(owning: number)
    guard count >= 0 else { throw SubprocessError("recvmsg", errno) }
    guard count > 0 else { return nil }
    // The kernel drops a descriptor when this process has reached its limit of open files.
    guard let file else { throw SubprocessError("recvmsg", EMFILE) }
    return (file, String(decoding: bytes.prefix(count - 1), as: UTF8.self))
  }
}
