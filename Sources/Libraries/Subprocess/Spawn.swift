internal import CLinux
internal import Glibc

/// A child's three standard streams. The child gets the `far` ends; this process keeps the `near` ends.
struct Streams {
  typealias Ends = (near: Descriptor?, far: Descriptor?)

  let input: Descriptor?
  let output: Ends
  let errorOutput: Ends

  init(_ command: Command) throws(SubprocessError) {
    input =
      switch command.input {
      case .inherited: nil
      case .null: try open("/dev/null", O_RDONLY)
      case .bytes(let bytes): try .memory(bytes)
      }
    output = try Self.ends(command.output)
    errorOutput = try Self.ends(command.errorOutput)
  }

  private static func ends(_ stream: Command.Output) throws(SubprocessError) -> Ends {
    switch stream {
    case .inherited: return (nil, nil)
    case .null: return (nil, try open("/dev/null", O_WRONLY))
    case .file(let path): return (nil, try open(path, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW))
    case .pipe:
      let pipe = try Descriptor.pipe(nearEndReads: true)
      return (pipe.near, pipe.far)
    }
  }
}

private func open(_ path: String, _ flags: Int32) throws(SubprocessError) -> Descriptor {
  let number = unsafe Glibc.open(path, flags | O_CLOEXEC, 0o640)
  guard number >= 0 else { throw SubprocessError("open", errno, path) }
  return Descriptor(owning: number)
}

/// Starts the command with posix_spawn(3).
///
/// - Returns: the process ID of the child, which is not reaped yet.
func spawn(_ command: Command, _ streams: Streams, passing passed: [Descriptor]) throws(SubprocessError) -> Int32 {
  var actions = unsafe posix_spawn_file_actions_t()
  var attributes = posix_spawnattr_t()
  try check("posix_spawn_file_actions_init", unsafe posix_spawn_file_actions_init(&actions))
  defer { unsafe posix_spawn_file_actions_destroy(&actions) }
  try check("posix_spawnattr_init", unsafe posix_spawnattr_init(&attributes))
  defer { unsafe posix_spawnattr_destroy(&attributes) }

  for (target, source) in [streams.input, streams.output.far, streams.errorOutput.far].enumerated() {
    guard let source else { continue }
    try check("posix_spawn_file_actions_adddup2", unsafe posix_spawn_file_actions_adddup2(&actions, source.number, Int32(target)))
  }
  // The descriptors are first copied to numbers above all targets. Otherwise a copy to its target could close another one.
  let passed = try passed.map { descriptor throws(SubprocessError) in try descriptor.duplicate(from: 3 + passed.count) }
  // The copies stay open until the child has them.
  defer { withExtendedLifetime(passed) {} }
  for (index, descriptor) in passed.enumerated() {
    let (source, target) = (descriptor.number, Int32(3 + index))
    try check("posix_spawn_file_actions_adddup2", unsafe posix_spawn_file_actions_adddup2(&actions, source, target))
  }
  if let directory = command.workingDirectory {
    try check("posix_spawn_file_actions_addchdir_np", unsafe spool_spawn_add_chdir(&actions, directory))
  }
  let first = Int32(3 + passed.count)
  try check("posix_spawn_file_actions_addclosefrom_np", unsafe spool_spawn_add_close_from(&actions, first))

  var (none, all) = (sigset_t(), sigset_t())
  unsafe sigemptyset(&none)
  unsafe sigfillset(&all)
  var flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF
  if command.leadsSession {
    flags |= Int32(spool_spawn_leads_session())
  } else if command.leadsProcessGroup {
    flags |= POSIX_SPAWN_SETPGROUP
  }
  try check("posix_spawnattr_setsigmask", unsafe posix_spawnattr_setsigmask(&attributes, &none))
  try check("posix_spawnattr_setsigdefault", unsafe posix_spawnattr_setsigdefault(&attributes, &all))
  try check("posix_spawnattr_setpgroup", unsafe posix_spawnattr_setpgroup(&attributes, 0))
  try check("posix_spawnattr_setflags", unsafe posix_spawnattr_setflags(&attributes, Int16(flags)))

  let environment = command.environment.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
  var processID: Int32 = 0
  let code = unsafe withCStrings([command.executable] + command.arguments) { arguments in
    unsafe withCStrings(environment) { environment in
      unsafe posix_spawn(&processID, command.executable, &actions, &attributes, arguments, environment)
    }
  }
  guard code == 0 else { throw SubprocessError("posix_spawn", code, command.executable) }
  return processID
}

private func check(_ call: String, _ code: Int32) throws(SubprocessError) {
  guard code == 0 else { throw SubprocessError(call, code) }
}

/// Calls `body` with the strings as C's null-terminated array of pointers, which is valid during the call.
private func withCStrings<Result>(
  _ strings: [String], _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>) -> Result
) -> Result {
  var pointers = unsafe strings.map { unsafe strdup($0) } + [nil]
  defer { unsafe pointers.forEach { unsafe free($0) } }
  return unsafe body(&pointers)
}
