import Glibc
import Linux

/// Tells who this process is and what its user can reach where nothing else contains it, and crashes.
func tellReach() -> Never {
  let folder = Order.folder
  let data = FilePath.folder(of: Order.store)
  tell("root's user", seteuid(0))
  tell("root's group", setegid(0))
  tell("passwords", unsafe open("/etc/shadow", O_RDONLY))
  tell("medium by its path", unsafe open(Order.medium, O_RDONLY))
  tell("file beside it", unsafe open("\(folder)/secret", O_RDONLY))
  tell("writing beside it", unsafe open("\(folder)/planted", O_WRONLY | O_CREAT, 0o600))
  tell("writing the medium", writeHandedMedium())
  tell("data directory", unsafe open("\(data)/planted", O_WRONLY | O_CREAT, 0o600))
  tell("other movies", unsafe open("\(data)/movies/planted", O_WRONLY | O_CREAT, 0o600))
  tell("farm's lock", unsafe open("\(data)/lock", O_RDWR))
  tell("logs", unsafe open("\(data)/log", O_RDONLY))
  tell("database", connect("\(data)/postgresql/.s.PGSQL.5432"))
  tell("worker's memory", unsafe open("/proc/\(getppid())/mem", O_RDWR))
  tell("worker's environment", unsafe open("/proc/\(getppid())/environ", O_RDONLY))
  abort()
}

/// Writes to the medium by each descriptor of a regular file of root's.
private func writeHandedMedium() -> Int32 {
  var code = ENOENT
  for descriptor in Int32(3)..<64 {
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_uid == 0 else { continue }
    if unsafe pwrite(descriptor, "x", 1, 0) == 1 { return 0 }
    if unsafe open("/proc/self/fd/\(descriptor)", O_WRONLY) >= 0 { return 0 }
    code = errno
  }
  errno = code
  return -1
}

private func connect(_ path: String) -> Int32 {
  var address = sockaddr_un()
  address.sun_family = sa_family_t(AF_UNIX)
  unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: path.utf8.prefix(107)) }
  let made = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
  return unsafe withUnsafePointer(to: &address) { address in
    unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
      unsafe connect(made, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
    }
  }
}
