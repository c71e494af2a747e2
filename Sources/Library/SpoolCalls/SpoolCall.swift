internal import FoundationEssentials
internal import Glibc
internal import Linux
internal import Subprocess
internal import Synchronization

/// A call of the program `spool`, which does for the library what takes a farm, a decoder or a font.
package struct SpoolCall: Sendable {
  /// The programs that can be called.
  package enum Program: Sendable {
    case spool
    /// This process's own one, which takes over as `spool` where it is started so (`SpoolHost`).
    case own

    func path(_ environment: [String: String]) throws(CallFailure) -> String {
      switch self {
      case .spool: try ProgramSearch(environment).program()
      case .own: "/proc/self/exe"
      }
    }
  }

  package var arguments: [String]
  /// The database of the farm that is called, as a PostgreSQL URL; nil for the one that SPOOL_DATABASE names, if any. It goes with the
  /// environment, because everybody on this machine can read arguments, and a URL may hold a password.
  package var farm: String?
  package var program: Program

  package init(_ arguments: [String], farm: String? = nil, program: Program = .spool) {
    (self.arguments, self.farm, self.program) = (arguments, farm, program)
  }

  /// The variables that a call gets beside those of this process, or in place of them. Tests set them.
  private static let added = Mutex<[String: String]>([:])

  package static func surround(with variables: [String: String]) {
    added.withLock { $0 = variables }
  }

  /// Adds the variables that are not there yet, and leaves those that are.
  package static func surround(alsoWith variables: [String: String]) {
    added.withLock { $0.merge(variables) { present, _ in present } }
  }

  static var environment: [String: String] {
    ProcessInfo.processInfo.environment.merging(added.withLock(\.self)) { $1 }
  }

  /// The database of the farm that SPOOL_DATABASE names; nil where it names none.
  package static var namedFarm: String? {
    let name = environment["SPOOL_DATABASE"] ?? ""
    return name.isEmpty ? nil : name
  }

  /// Runs the call to its end.
  ///
  /// - Parameters:
  ///   - line: is given each line of standard output as it comes.
  ///   - isWanted: asked ten times a second. When it is false, the program is told to end in good order, as by ^C.
  /// - Throws: a `CallFailure` unless the program ends with exit code 0.
  package func run(isWanted: () -> Bool = { true }, line: (String) -> Void) throws(CallFailure) {
    let environment = Self.environment.merging(farm.map { ["SPOOL_DATABASE": $0] } ?? [:]) { $1 }
    let program = try program.path(environment)
    let command = Command(program, arguments, environment: environment, output: .pipe, errorOutput: .pipe)
    var last = ""
    let ended: (status: ExitStatus, complaints: String)
    do {
      ended = try Self.follow(ChildProcess(command), isWanted: isWanted) {
        last = $0
        line($0)
      }
    } catch { throw CallFailure(error.description) }
    guard !ended.status.isSuccess else { return }
    throw CallFailure(ended.status, record: last, complaints: ended.complaints)
  }

  /// Runs the call and returns its standard output, which is one line.
  package func output() throws(CallFailure) -> String {
    var said = ""
    try run { said += $0 }
    return said
  }

  private static func follow(
    _ child: ChildProcess, isWanted: () -> Bool, line: (String) -> Void
  ) throws(SubprocessError) -> (ExitStatus, String) {
    var words = ProgramWords(of: child)
    var isTold = false
    while true {
      let status = try child.poll()
      try words.read(line)
      // Descendants may hold the pipes open for longer. What the program itself wrote was there when it ended.
      if let status { return (status, words.complaints) }
      if !isTold, !isWanted() {
        child.signal(SIGINT)
        isTold = true
      }
      guard Readiness.waitToRead([child.exitDescriptor] + words.open, within: .milliseconds(100)) != nil else {
        throw SubprocessError("poll", errno)
      }
    }
  }
}

/// The search for the program `spool`: the one that SPOOL_PROGRAM names, else one beside this program, else one in PATH.
struct ProgramSearch {
  let environment: [String: String]

  init(_ environment: [String: String]) { self.environment = environment }

  func program() throws(CallFailure) -> String {
    if let named = environment["SPOOL_PROGRAM"], !named.isEmpty {
      guard Self.isProgram(named) else { throw CallFailure("\(named): SPOOL_PROGRAM names no program") }
      return named
    }
    // Without the link, the program is looked for in PATH alone.
    let own = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
    let folders =
      [String(FilePath.parts(of: own).folder)] + (environment["PATH"] ?? "").split(separator: ":").map(String.init)
    for folder in folders where folder.hasPrefix("/") {
      // A program that runs itself would never come to an end.
      if Self.isProgram("\(folder)/spool"), "\(folder)/spool" != own { return "\(folder)/spool" }
    }
    throw CallFailure(
      "the program 'spool' is not found: it is not beside this program and not in PATH, and SPOOL_PROGRAM is not set")
  }

  private static func isProgram(_ path: String) -> Bool {
    var facts = stat()
    let isFound = unsafe stat(path, &facts) == 0 && access(path, X_OK) == 0
    return isFound && facts.st_mode & S_IFMT == S_IFREG
  }
}
