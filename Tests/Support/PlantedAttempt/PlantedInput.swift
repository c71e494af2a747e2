import Glibc

// These functions stand before those by which FFmpeg opens a file, or is given one that is open: a medium, a segment, a movie. No
// byte of a file has been read before. The signatures have raw pointers in place of FFmpeg's types.

@_cdecl("avio_open2")
public func plantedOpen(
  _ context: UnsafeMutableRawPointer?, _ url: UnsafePointer<CChar>?, _ flags: Int32, _ interruption: UnsafeRawPointer?,
  _ options: UnsafeMutableRawPointer?
) -> Int32 {
  Fault.actBeforeFirstByte(reads: flags & 1 != 0)  // AVIO_FLAG_READ
  typealias Open =
    @convention(c) (
      UnsafeMutableRawPointer?, UnsafePointer<CChar>?, Int32, UnsafeRawPointer?, UnsafeMutableRawPointer?
    ) -> Int32
  return unsafe unsafeBitCast(genuine("avio_open2"), to: Open.self)(context, url, flags, interruption, options)
}

@_cdecl("avio_alloc_context")
public func plantedContext(
  _ buffer: UnsafeMutableRawPointer?, _ size: Int32, _ isWritten: Int32, _ opaque: UnsafeMutableRawPointer?,
  _ read: UnsafeRawPointer?, _ write: UnsafeRawPointer?, _ seek: UnsafeRawPointer?
) -> UnsafeMutableRawPointer? {
  Fault.actBeforeFirstByte(reads: isWritten == 0)
  typealias Allocate =
    @convention(c) (
      UnsafeMutableRawPointer?, Int32, Int32, UnsafeMutableRawPointer?, UnsafeRawPointer?, UnsafeRawPointer?, UnsafeRawPointer?
    ) -> UnsafeMutableRawPointer?
  let allocate = unsafe unsafeBitCast(genuine("avio_alloc_context"), to: Allocate.self)
  return unsafe allocate(buffer, size, isWritten, opaque, read, write, seek)
}

/// The library's own function, before which one of this executable stands.
func genuine(_ name: String) -> UnsafeMutableRawPointer {
  // The address -1 is RTLD_NEXT, which Glibc's module lacks.
  guard let found = unsafe dlsym(UnsafeMutableRawPointer(bitPattern: -1), name) else { abort() }
  return unsafe found
}

extension Fault {
  /// Has the faults that come before a byte of any file is read.
  ///
  /// - Parameter reads: whether the file that is being opened is read. The thread that encodes opens its segment beside the thread
  ///   that opens the medium, and whichever is first must not decide what an attempt is seen to hold.
  static func actBeforeFirstByte(reads: Bool) {
    switch ofThisAttempt {
    case .state where reads: tellState()
    case .muxReach where Order.isMux: tellMuxReach()
    case .muxCalls where Order.isMux: tryAllCalls()
    default: break
    }
  }
}

/// Tells what an attempt at a chunk reaches of others' files below its store, its media root and its output root, and crashes.
func tellNeighbours() -> Never {
  let (job, other) = ("\(Order.store)/\(Order.job)", "\(Order.store)/other/1/1.nut")
  tell("own folder", unsafe open("\(job)/\(Order.task)/planted", O_WRONLY | O_CREAT, 0o600))
  tell("job's folder", unsafe open("\(job)/planted", O_WRONLY | O_CREAT, 0o600))
  tell("store", unsafe open(Order.store, O_RDONLY))
  tell("another job", unsafe open(other, O_RDONLY))
  tell("writing it", unsafe open(other, O_WRONLY))
  tell("removing it", unsafe unlink(other))
  tell("another movie", unsafe open("\(Order.folder)/movies/other.mp4", O_RDONLY))
  tell("a movie of its own", unsafe open("\(Order.folder)/movies/planted", O_WRONLY | O_CREAT, 0o600))
  tellKey()
  abort()
}

/// Tells what an attempt that muxes reaches, and crashes.
private func tellMuxReach() -> Never {
  let job = "\(Order.store)/\(Order.job)"
  tell("job's segments", unsafe open(job, O_RDONLY))
  tell("writing beside them", unsafe open("\(job)/planted", O_WRONLY | O_CREAT, 0o600))
  tell("another job", unsafe open("\(Order.store)/other/1/1.nut", O_RDONLY))
  tell("medium", unsafe open(Order.medium, O_RDONLY))
  tell("movie's folder", unsafe open("\(Order.folder)/movies/planted", O_WRONLY | O_CREAT, 0o600))
  tell("folder above", unsafe open("\(Order.folder)/planted", O_WRONLY | O_CREAT, 0o600))
  tellKey()
  tell("passwords", unsafe open("/etc/passwd", O_RDONLY))
  tell("internet", socket(AF_INET, Int32(SOCK_DGRAM.rawValue), 0))
  tell("fork", fork())
  tell("user", setuid(65_534))
  abort()
}

/// Tells what can be done with a worker's key that lies below its media root.
private func tellKey() {
  let key = "\(Order.folder)/worker.key"
  tell("key", unsafe open(key, O_RDONLY))
  tell("writing the key", unsafe open(key, O_WRONLY))
  tell("removing the key", unsafe unlink(key))
  tell("key's mode", unsafe chmod(key, 0o666))
}
