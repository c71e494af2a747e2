import Glibc

/// System calls by their numbers. Code that a hostile file has taken over makes them so, with no library in between.
enum SystemCall {
  /// The numbers of the calls that are named here: those of x86-64, and those of all other architectures.
  #if arch(x86_64)
    static let (shmctl, inotifyInit, fanotifyInit, prctl, prlimit, sendmsg) = (31, 294, 300, 157, 302, 46)
    /// Calls that do not return, or only with a signal. The kernel asks no filter about uprobe(2) and uretprobe(2).
    static let endless: Set = [15, 34, 60, 219, 231, 335, 336]
  #else
    static let (shmctl, inotifyInit, fanotifyInit, prctl, prlimit, sendmsg) = (195, 26, 262, 167, 261, 211)
    static let endless: Set = [93, 94, 128, 139]
  #endif
  static let (openTree, setExtendedAttribute, removeExtendedAttribute, openTreeAttribute, setFileAttribute) =
    (428, 463, 466, 467, 469)
  /// An upper bound of the call numbers in use by 2026.
  static let end = 512

  /// Makes a call by syscall(2). Its arguments go in registers, so calling it as a function without variadic arguments is the
  /// same.
  static func make(_ number: Int, _ arguments: (Int, Int, Int, Int, Int), _ sixth: Int = 0) -> Int {
    typealias Call = @convention(c) (Int, Int, Int, Int, Int, Int, Int) -> Int
    guard let symbol = unsafe dlsym(nil, "syscall") else { abort() }
    let (a, b, c, d, e) = arguments
    return unsafe unsafeBitCast(symbol, to: Call.self)(number, a, b, c, d, e, sixth)
  }
}

/// Makes every system call with arguments that none can accept, tells which ones were not refused, and crashes.
func tryAllCalls() -> Never {
  var answered: [String] = []
  for number in 0..<SystemCall.end where !SystemCall.endless.contains(number) {
    let result = SystemCall.make(number, (-1, -1, -1, -1, -1))
    if result >= 0 || (errno != EPERM && errno != ENOSYS) { answered.append("\(number)") }
  }
  let line = Array("answered: \(answered.joined(separator: " "))\n".utf8)
  _ = unsafe write(STDERR_FILENO, line, line.count)
  abort()
}

/// Tries forbidden things that can be done in several ways, and calls that are newer than most lists of calls. It tells the
/// outcome of each, and crashes.
func tryOtherWays() -> Never {
  let source = unsafe strdup(Order.medium)
  let (path, here) = (Int(bitPattern: source), -100)  // AT_FDCWD
  let value: [UInt64] = [UInt64(UInt(bitPattern: source)), 1]  // struct xattr_args: a value and its size
  unsafe value.withUnsafeBytes { value in
    unsafe "user.planted".withCString { name in
      let (name, value) = (Int(bitPattern: name), Int(bitPattern: value.baseAddress))
      tell("attribute", SystemCall.setExtendedAttribute, (here, path, 0, name, value), 16)
      tell("no attribute", SystemCall.removeExtendedAttribute, (here, path, 0, name, 0))
    }
  }
  tell("file's flags", SystemCall.setFileAttribute, (here, path, Int(bitPattern: source), 24, 0))
  tell("tree", SystemCall.openTree, (here, path, 0, 0, 0))
  tell("tree's attributes", SystemCall.openTreeAttribute, (here, path, 0, 0, 0))
  tell("others' memory", SystemCall.shmctl, (1 << 30, 0, 0, 0, 0))
  tell("watching", SystemCall.inotifyInit, (0, 0, 0, 0, 0))
  tell("watching all", SystemCall.fanotifyInit, (0, 0, 0, 0, 0))
  tell("outliving the worker", SystemCall.prctl, (1, 0, 0, 0, 0))  // PR_SET_PDEATHSIG
  tell("dumpable", SystemCall.prctl, (4, 1, 0, 0, 0))  // PR_SET_DUMPABLE
  tell("a thread's name", SystemCall.prctl, (15, path, 0, 0, 0))  // PR_SET_NAME
  let limits = [rlimit(rlim_cur: 1 << 40, rlim_max: 1 << 40)]
  unsafe limits.withUnsafeBytes { tell("limit", SystemCall.prlimit, (0, 9, Int(bitPattern: $0.baseAddress), 0, 0)) }  // RLIMIT_AS
  tell("descriptors for others", SystemCall.sendmsg, (1, path, 0, 0, 0))
  tell("more in a pipe", Int(fcntl(STDERR_FILENO, 1031, 1 << 20)))  // F_SETPIPE_SZ
  tell("lease", Int(fcntl(STDIN_FILENO, 1024, F_RDLCK)))  // F_SETLEASE
  tell("its order", unsafe pwrite(STDIN_FILENO, "x", 1, 1 << 20))
  tell("its order again", writeAgain())
  abort()
}

/// Writes by another descriptor of the same file.
private func writeAgain() -> Int {
  let again = unsafe open("/proc/self/fd/0", O_RDWR)
  return again < 0 ? -1 : unsafe pwrite(again, "x", 1, 1 << 20)
}

private func tell(_ what: String, _ number: Int, _ arguments: (Int, Int, Int, Int, Int), _ sixth: Int = 0) {
  tell(what, SystemCall.make(number, arguments, sixth))
}

private func tell(_ what: String, _ result: Int) { tell(what, result < 0 ? -1 : Int32(clamping: result)) }

/// Tells what this process may have, as the kernel says, which unusual environment variables it sees and which files it holds
/// open, and crashes.
func tellState() -> Never {
  func lines(_ file: String) -> [Substring] {
    var bytes = [UInt8](repeating: 0, count: 1 << 16)
    let descriptor = unsafe open("/proc/self/\(file)", O_RDONLY)
    defer { close(descriptor) }
    let count = unsafe read(descriptor, &bytes, bytes.count)
    return String(decoding: bytes.prefix(max(count, 0)), as: UTF8.self).split { $0 == "\n" || $0 == "\0" }
  }
  let status = lines("status").filter { line in ["NoNewPrivs:", "Seccomp:", "CapEff:", "CapPrm:"].contains { line.hasPrefix($0) }
  }
  let limits = lines("limits").filter { line in
    ["Max core", "Max open files", "Max file size", "Max address space"].contains { line.hasPrefix($0) }
  }
  // The program itself sets SVT_LOG, so that an encoder is silent.
  let harmless: Set = ["PATH", "HOME", "TMPDIR", "LD_LIBRARY_PATH", "SVT_LOG"]
  let others = environmentNames().filter { name in
    !harmless.contains(name) && !["LANG", "LC_", "XDG_", "FONTCONFIG_"].contains { name.hasPrefix($0) }
  }
  let leads = getsid(0) == getpid() && getpgid(0) == getpid()
  let told =
    (status + limits).map { $0.split { " \t".contains($0) }.joined(separator: " ") } + [
      "leads a session: \(leads)", "knows: \(others.joined(separator: " "))", "holds: \(openFiles().joined(separator: " "))",
    ]
  let line = Array((told.joined(separator: "; ") + "\n").utf8)
  _ = unsafe write(STDERR_FILENO, line, line.count)
  abort()
}

/// The names of this process's environment variables. They are read from its memory: who has become another user may not read them
/// in /proc.
private func environmentNames() -> [String] {
  guard let symbol = unsafe dlsym(nil, "environ") else { abort() }
  var entry = unsafe symbol.load(as: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?.self)
  var names: [String] = []
  while let variable = unsafe entry?.pointee {
    names.append(String(unsafe String(cString: variable).prefix { $0 != "=" }))
    unsafe entry = entry?.advanced(by: 1)
  }
  return names
}

/// The open files of this process, each once, however many descriptors it has: files by their names, all else by its kind.
private func openFiles() -> [String] {
  var targets: Set<String> = []
  for descriptor in 0..<1024 {
    var target = [CChar](repeating: 0, count: 4096)
    let count = unsafe readlink("/proc/self/fd/\(descriptor)", &target, target.count)
    if count > 0 { targets.insert(String(decoding: target.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)) }
  }
  return targets.map { target in
    if target.hasPrefix("/memfd:") { return "order" }
    return String(target.contains(":[") ? target.prefix { $0 != ":" } : target.split(separator: "/").last ?? "")
  }.sorted()
}
