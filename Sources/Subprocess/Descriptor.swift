internal import CLinux
internal import Glibc

/// A file descriptor with one owner: closed when the last reference goes. Not for use by two threads at once.
package final class Descriptor {
  /// Valid as long as this object lives.
  package let number: Int32
  private var isReleased = false

  /// Takes ownership of an open descriptor.
  package init(owning number: Int32) { self.number = number }

  deinit { if !isReleased { _ = close(number) } }

  /// Gives up ownership: it stays open.
  func release() -> Int32 {
    isReleased = true
    return number
  }

  func stopBlocking() throws(SubprocessError) {
    guard fcntl(number, F_SETFL, fcntl(number, F_GETFL) | O_NONBLOCK) == 0 else { throw SubprocessError("fcntl", errno) }
  }

  /// A pipe whose ends are close-on-exec; the `near` end does not block.
  static func pipe(nearEndReads: Bool) throws(SubprocessError) -> (near: Descriptor, far: Descriptor) {
    var ends: [Int32] = [-1, -1]
    guard unsafe spool_pipe(&ends) == 0 else { throw SubprocessError("pipe2", errno) }
    let (reading, writing) = (Descriptor(owning: ends[0]), Descriptor(owning: ends[1]))
    let near = nearEndReads ? reading : writing
    try near.stopBlocking()
    return (near, nearEndReads ? writing : reading)
  }

  /// Two connected sockets (socketpair), each close-on-exec and blocking.
  package static func pair() throws(SubprocessError) -> (Descriptor, Descriptor) {
    var ends: [Int32] = [-1, -1]
    let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
    guard unsafe socketpair(AF_UNIX, kind, 0, &ends) == 0 else { throw SubprocessError("socketpair", errno) }
    return (Descriptor(owning: ends[0]), Descriptor(owning: ends[1]))
  }

  /// Another descriptor of the same, close-on-exec, whose number is at least `lowest`.
  func duplicate(from lowest: Int) throws(SubprocessError) -> Descriptor {
    let copy = fcntl(number, F_DUPFD_CLOEXEC, Int32(lowest))
    guard copy >= 0 else { throw SubprocessError("fcntl", errno) }
    return Descriptor(owning: copy)
  }

  /// A file in memory that holds `bytes`, ready to be read from its start (memfd_create). Nobody can change it, nor make it longer: no
  /// limit on memory would count what is written to it.
  package static func memory(_ bytes: [UInt8]) throws(SubprocessError) -> Descriptor {
    let file = try emptyMemory()
    try file.write(bytes, at: 0)
    try file.seal(isWritable: false)
    // Sealed it is safe; this end of it says so, too.
    let number = unsafe open("/proc/self/fd/\(file.number)", O_RDONLY | O_CLOEXEC)
    guard number >= 0 else { throw SubprocessError("open", errno, "/proc/self/fd") }
    return Descriptor(owning: number)
  }

  /// A file in memory of so many zeros, to be written over and never made longer.
  package static func memory(byteCount: Int) throws(SubprocessError) -> Descriptor {
    let file = try emptyMemory()
    guard ftruncate(file.number, off_t(byteCount)) == 0 else { throw SubprocessError("ftruncate", errno) }
    try file.seal(isWritable: true)
    return file
  }

  private static func emptyMemory() throws(SubprocessError) -> Descriptor {
    let number = unsafe spool_memory_file("spool")
    guard number >= 0 else { throw SubprocessError("memfd_create", errno) }
    return Descriptor(owning: number)
  }

  private func seal(isWritable: Bool) throws(SubprocessError) {
    guard spool_seal(number, isWritable ? 1 : 0) == 0 else { throw SubprocessError("memfd_create", errno) }
  }

  /// As many bytes as there are from its start, `limit` at most (pread); not for pipes.
  package func contents(limit: Int) throws(SubprocessError) -> [UInt8] {
    var code: Int32 = 0
    let bytes = unsafe [UInt8](unsafeUninitializedCapacity: limit) { buffer, count in
      while count < limit {
        let read = unsafe pread(number, buffer.baseAddress! + count, limit - count, off_t(count))
        if read < 0, errno == EINTR { continue }
        code = read < 0 ? errno : 0
        guard read > 0 else { return }
        count += read
      }
    }
    guard code == 0 else { throw SubprocessError("pread", code) }
    return bytes
  }

  /// Writes all of them (pwrite); not for pipes.
  package func write(_ bytes: [UInt8], at offset: Int) throws(SubprocessError) {
    var written = 0
    while written < bytes.count {
      let count = unsafe bytes.withUnsafeBytes {
        unsafe pwrite(number, $0.baseAddress! + written, $0.count - written, off_t(offset + written))
      }
      guard count > 0 || errno == EINTR else { throw SubprocessError("pwrite", errno) }
      written += max(count, 0)
    }
  }
}
