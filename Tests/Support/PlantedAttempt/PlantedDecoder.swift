import Glibc
import Linux

/// Stands before every decoder of this executable: the executable's own symbol is found before the library's. The name of the
/// medium in the order says which fault it has, as planted-NAME.mp4. Without one it decodes.
@_cdecl("avcodec_send_packet")
public func plantedSendPacket(_ context: OpaquePointer?, _ packet: OpaquePointer?) -> Int32 {
  switch Fault.ofThisAttempt {
  // These come before a byte is decoded, or not in this attempt.
  case nil, .state, .muxReach, .muxCalls: break
  case .crash: unsafe UnsafeMutablePointer<Int>(bitPattern: 8)?.pointee = 1
  case .hang: while true { pause() }
  case .chatter: sayBegunForever()
  case .memory: eatMemory()
  case .disk: fillDisk()
  case .trespass: trespass()
  case .reach: tellReach()
  case .ways: tryOtherWays()
  case .calls: tryAllCalls()
  case .neighbours: tellNeighbours()
  case .slow: usleep(60_000)
  }
  typealias SendPacket = @convention(c) (OpaquePointer?, OpaquePointer?) -> Int32
  return unsafe unsafeBitCast(genuine("avcodec_send_packet"), to: SendPacket.self)(context, packet)
}

enum Fault: String, CaseIterable {
  case crash, hang, chatter, memory, disk, trespass, reach, ways, calls, neighbours, state, slow
  case muxReach = "mux-reach"
  case muxCalls = "mux-calls"

  static let ofThisAttempt = allCases.first { Order.text.contains("/planted-\($0.rawValue).mp4") }
}

/// Says ten times a second that the asset `a` is begun, and never more.
private func sayBegunForever() -> Never {
  let line = Array(#"{"begun":{"asset":"a"}}"#.utf8) + [UInt8(ascii: "\n")]
  while true {
    _ = unsafe write(STDOUT_FILENO, line, line.count)
    usleep(100_000)
  }
}

/// The order on standard input. That is a file in memory, so it can be read again from its start.
enum Order {
  static let text: String = {
    var bytes = [UInt8](repeating: 0, count: 1 << 20)
    let count = unsafe pread(STDIN_FILENO, &bytes, bytes.count, 0)
    return String(decoding: bytes.prefix(max(count, 0)), as: UTF8.self)
  }()

  /// The path of the medium.
  static let medium: String = {
    guard let name = text.firstRange(of: /\/planted-(trespass|reach|ways|neighbours|mux-reach)\.mp4/) else { return "" }
    let start = text[..<name.lowerBound].lastIndex(of: "\"") ?? text.startIndex
    return String(text[text.index(after: start)..<name.upperBound])
  }()

  /// The folder of the medium.
  static var folder: String { FilePath.folder(of: medium) }

  /// The segment store, as the command line says.
  static var store: String { CommandLine.arguments.drop { $0 != "--store" }.dropFirst().first ?? "" }

  static var job: String { text.firstMatch(of: /"job":"([a-z0-9]+)"/).map { String($0.1) } ?? "" }
  static var task: String { text.firstMatch(of: /"task":([0-9]+)/).map { String($0.1) } ?? "" }
  static var isMux: Bool { text.contains(#""work":{"mux":"#) }
}

/// Allocates memory as a decoder does that believes a header and does not check what malloc returns.
private func eatMemory() {
  while true {
    let block = unsafe malloc(16 << 20)
    unsafe memset(block ?? UnsafeMutableRawPointer(bitPattern: 8)!, 1, 16 << 20)
  }
}

/// Fills the one folder that the attempt may write to.
private func fillDisk() {
  let file = unsafe open("\(Order.store)/\(Order.job)/\(Order.task)/full", O_WRONLY | O_CREAT, 0o600)
  let block = [UInt8](repeating: 1, count: 1 << 20)
  while unsafe write(file, block, block.count) > 0 {}
}

/// Tries things that no decoder has to do, tells the outcome of each, and crashes.
private func trespass() {
  let worker = getppid()
  tell("fork", fork())
  tell("execute", unsafe execve("/bin/true", [nil], [nil]))
  tell("internet", socket(AF_INET, Int32(SOCK_DGRAM.rawValue), 0))
  tell("local socket", socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0))
  tell("passwords", unsafe open("/etc/passwd", O_RDONLY))
  tell("worker's environment", unsafe open("/proc/\(worker)/environ", O_RDONLY))
  tell("other media", unsafe open(Order.medium.replacing("trespass", with: "crash"), O_RDONLY))
  tell("writing the source", unsafe open(Order.medium, O_WRONLY))
  tell("emptying the source", unsafe open(Order.medium, O_RDONLY | O_TRUNC))
  tell("source's mode", unsafe chmod(Order.medium, 0o777))
  tell("file elsewhere", unsafe open("/tmp/spool-planted", O_WRONLY | O_CREAT, 0o600))
  tell("signal to the worker", kill(worker, SIGKILL))
  tell("signal by a file", fcntl(STDERR_FILENO, F_SETOWN, worker))
  tell("worker's cores", setCores(worker))
  tell("file in memory", makeMemoryFile())
  tell("own group", setpgid(0, 0))
  tell("user", setuid(65_534))
  abort()
}

func tell(_ what: String, _ result: Int32) {
  let outcome = result >= 0 ? "done" : unsafe String(cString: strerror(errno))
  let line = Array("\(what): \(outcome)\n".utf8)
  _ = unsafe write(STDERR_FILENO, line, line.count)
}

// These GNU extensions are missing in Glibc's module, so they are looked up by dlsym, where nil is RTLD_DEFAULT.

private func setCores(_ process: pid_t) -> Int32 {
  typealias SetAffinity = @convention(c) (pid_t, Int, UnsafeRawPointer) -> Int32
  guard let symbol = unsafe dlsym(nil, "sched_setaffinity") else { abort() }
  var first: UInt64 = 1
  return unsafe unsafeBitCast(symbol, to: SetAffinity.self)(process, 8, &first)
}

private func makeMemoryFile() -> Int32 {
  typealias MakeMemoryFile = @convention(c) (UnsafePointer<CChar>, UInt32) -> Int32
  guard let symbol = unsafe dlsym(nil, "memfd_create") else { abort() }
  return unsafe unsafeBitCast(symbol, to: MakeMemoryFile.self)("planted", 0)
}
