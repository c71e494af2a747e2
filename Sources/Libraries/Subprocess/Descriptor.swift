internal import CLinux
internal import Glibc
internal import Linux

/// A file descriptor with one owner. It is closed when the last reference goes. Two threads must not use it at the same time.
package final class Descriptor {
  /// The descriptor's number, valid as long as this object lives.
  package let number: Int32
  private var isReleased = false

  /// Takes ownership of an open descriptor.
  package init(owning number: Int32) { self.number = number }

  deinit { if !isReleased { _ = close(number) } }

  /// Gives up ownership. The descriptor stays open.
  func release() -> Int32 {
    isReleased = true
    return number
  }

  func stopBlocking() throws(SubprocessError) {
    guard fcntl(number, F_SETFL, fcntl(number, F_GETFL) | O_NONBLOCK) == 0 else { throw SubprocessError("fcntl", errno) }
  }

  /// Makes a pipe. Both ends are close-on-exec, and the `near` end does not block.
  static func pipe(nearEndReads: Bool) throws(SubprocessError) -> (near: Descriptor, far: Descriptor) {
    var ends: [Int32] = [-1, -1]
    guard unsafe spool_pipe(&ends) == 0 else { throw SubprocessError("pipe2", errno) }
    let (reading, writing) = (Descriptor(owning: ends[0]), Descriptor(owning: ends[1]))
    let near = nearEndReads ? reading : writing
    try near.stopBlocking()
    return (near, nearEndReads ? writing : reading)
  }

  /// Makes two connected stream sockets (socketpair). Both are close-on-exec and block.
  package static func pair() throws(SubprocessError) -> (Descriptor, Descriptor) { try sockets(SOCK_STREAM) }

  /// Makes two connected sockets (socketpair). Both are close-on-exec.
  static func sockets(_ kind: __socket_type) throws(SubprocessError) -> (Descriptor, Descriptor) {
    var ends: [Int32] = [-1, -1]
    let kind = Int32(kind.rawValue | SOCK_CLOEXEC.rawValue)
    guard unsafe socketpair(AF_UNIX, kind, 0, &ends) == 0 else { throw SubprocessError("socketpair", errno) }
    return (Descriptor(owning: ends[0]), Descriptor(owning: ends[1]))
  }

  /// Another descriptor for the same open file. It is close-on-exec, and its number is at least `lowest`.
  func duplicate(from lowest: Int) throws(SubprocessError) -> Descriptor {
    let copy = fcntl(number, F_DUPFD_CLOEXEC, Int32(lowest))
    guard copy >= 0 else { throw SubprocessError("fcntl", errno) }
    return Descriptor(owning: copy)
  }

  /// A file in memory (memfd_create) that holds `bytes` and is read from its start. Nobody can change its bytes or make it
  /// longer. The limits on a process's memory do not count what is written to such a file, so it must not grow.
  package static func memory(_ bytes: [UInt8]) throws(SubprocessError) -> Descriptor {
    let file = try emptyMemory()
    try file.write(bytes, at: 0)
    try file.seal(isWritable: false)
    // The seal alone protects the file. This descriptor is read-only as well, so that a program can see it.
    let number = unsafe open("/proc/self/fd/\(file.number)", O_RDONLY | O_CLOEXEC)
    guard number >= 0 else { throw SubprocessError("open", errno, "/proc/self/fd") }
    return Descriptor(owning: number)
  }

  /// A file in memory of `byteCount` zeros. Its bytes can be overwritten, but it can never be made longer.
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

  /// The file's bytes from its start, at most `limit` of them (pread). Not for pipes.
  package func contents(limit: Int) throws(SubprocessError) -> [UInt8] {
    var code: Int32 = 0
    let bytes = unsafe [UInt8](unsafeUninitializedCapacity: limit) { buffer, count in
      (count, code) = SystemCall.read(limit) { unsafe pread(number, buffer.baseAddress! + $0, limit - $0, off_t($0)) }
    }
    guard code == 0 else { throw SubprocessError("pread", code) }
    return bytes
  }

  /// The bytes of the file (fstat). Not for pipes.
  package var byteCount: Int64 {
    get throws(SubprocessError) {
      var facts = stat()
      guard unsafe fstat(number, &facts) == 0 else { throw SubprocessError("fstat", errno) }
      return Int64(facts.st_size)
    }
  }

  /// An empty file in a folder, without a name, for reading and writing. It is gone when the last descriptor is closed.
  package static func unnamed(in folder: String) throws(SubprocessError) -> Descriptor {
    // A flag of Linux, O_TMPFILE, does this in one step, but not on every file system.
    let path = "\(folder)/.\(UInt64.random(in: 0 ... .max))"
    let number = unsafe open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard number >= 0 else { throw SubprocessError("open", errno, folder) }
    unsafe unlink(path)
    return Descriptor(owning: number)
  }

  /// Makes the open file this process's standard input (dup2).
  package func becomeStandardInput() throws(SubprocessError) {
    guard dup2(number, STDIN_FILENO) == STDIN_FILENO else { throw SubprocessError("dup2", errno) }
  }

  /// Another number for the same open file, with close-on-exec, which the caller owns.
  package func copy() throws(SubprocessError) -> Int32 { try duplicate(from: 3).release() }

  /// Writes all of the bytes at `offset` (pwrite). Not for pipes.
  package func write(_ bytes: [UInt8], at offset: Int) throws(SubprocessError) {
    let code = SystemCall.write(bytes, to: number, at: Int64(offset))
    guard code == 0 else { throw SubprocessError("pwrite", code) }
  }
}
