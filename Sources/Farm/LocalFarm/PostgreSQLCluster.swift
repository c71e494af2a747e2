internal import FoundationEssentials
internal import Glibc
internal import Linux
internal import PostgreSQL
package import Subprocess

/// A private PostgreSQL server in the data folder. Its cluster is made at first use. It is reached over a Unix socket only and
/// ends with its owner, in whatever way the owner ends. What it has acknowledged survives a crash.
///
/// In the data folder it owns `postgresql/` with `cluster` (PGDATA), `log`, `lock` and, where the path is short enough, the
/// socket. Use it from one thread, which must live as long as the server.
package final class PostgreSQLCluster {
  /// The libpq connection string of the server. It is valid after `start`.
  package var connectionString: String { "host='\(socketDirectory)' port=\(Self.port) user=spool dbname=postgres" }
  /// The connection string for the guest; for the owner where there is no guest.
  package var guestConnectionString: String {
    access == nil
      ? connectionString : "host='\(socketDirectory)' port=\(Self.port) user=\(PostgreSQLClusterAccess.role) dbname=postgres"
  }
  /// The server's group. Where there is a guest, the group's members reach the server's socket.
  package var group: UInt32 { account.group }
  /// A descriptor that polls readable when the server has ended; nil while there is none.
  package var exitDescriptor: Int32? { server?.exitDescriptor }

  private let directory: String
  private let account: PostgreSQLClusterAccount
  private let programs: PostgreSQLClusterPrograms
  private let settings: [String: String]
  private let access: PostgreSQLClusterAccess?
  private let patience: StartPatience
  /// The lock on the data, held as long as this object lives. No other process starts or stops a server on the same data.
  private let lock: LockedFile
  private let socketDirectory: String
  private var server: ChildProcess?
  /// The server that was launched, for which nobody waited yet, and the bytes that its log had before.
  private var launched: (child: ChildProcess, logged: Int)?

  private var data: String { "\(directory)/cluster" }
  private var log: String { "\(directory)/log" }

  /// The port number is part of the socket's name. No TCP port is opened.
  private static let port = 5432
  /// The time for one start. After a crash, the server accepts connections only once it has replayed up to `max_wal_size` of its
  /// log.
  private static let startLimit = Duration.seconds(60)
  /// The time for making a cluster: about a second on an idle machine, but minutes on a busy one. The patience may end it
  /// earlier.
  private static let makingLimitMilliseconds: Int32 = 1_800_000
  /// The times that a server is started in a row. Whatever kills the one that runs may kill the next one before it answers.
  private static let mostStarts = 5
  /// The time in which an unfinished cluster's removal is tried again.
  private static let removalLimit = Duration.seconds(3)
  /// The size in bytes above which a log is put aside at the next start. One older log is kept.
  private static let logLimit = 8 << 20

  /// Locks the data folder and makes the cluster if there is none. Does not start the server.
  ///
  /// - Parameters:
  ///   - dataDirectory: an existing folder.
  ///   - settings: settings of the server, which override the ones made here.
  ///   - programs: the server's programs; nil finds those that are installed.
  ///   - guest: another user who may connect as a coordinator and is in the server's group. For clusters of root.
  ///   - patience: how long the caller waits for the cluster to be made and started.
  /// - Throws: `.interrupted` when the patience ends. The unfinished cluster is then removed.
  package init(
    dataDirectory: String, settings: [String: String] = [:], programs: PostgreSQLClusterPrograms? = nil, guest: Account? = nil,
    patience: StartPatience = StartPatience()
  ) throws(PostgreSQLClusterError) {
    guard let resolved = unsafe realpath(dataDirectory, nil) else {
      throw PostgreSQLClusterError(at: dataDirectory, SystemWords.of(errno))
    }
    let home = unsafe String(cString: resolved)
    unsafe free(resolved)
    directory = home + "/postgresql"
    account = try PostgreSQLClusterAccount.current(letsGroupIn: guest != nil)
    try account.requireTraversable(directory)
    try account.makePrivateDirectory(directory)
    access = try guest.map { guest throws(PostgreSQLClusterError) in try PostgreSQLClusterAccess(of: guest, in: home) }
    lock = try PostgreSQLClusterSocket.lock("\(directory)/lock")
    // Before the first start there is no such file.
    let stored = try? String(contentsOfFile: "\(directory)/cluster/PG_VERSION", encoding: .utf8)
    let version = stored?.split(separator: "\n").first.map(String.init)
    if let programs {
      self.programs = programs
    } else {
      self.programs = try .find(version: version, path: Self.environment["PATH"] ?? "")
    }
    socketDirectory = try PostgreSQLClusterSocket.directory(in: directory, port: Self.port, account)
    (self.settings, self.patience) = (settings, patience)
    if version == nil { try makeCluster() }
  }

  deinit {
    stop()
    if socketDirectory != directory { unsafe rmdir(socketDirectory) }
  }

  /// Begins to start the server, also after it has ended, and waits for nothing; `start` does. What an earlier server left running is
  /// stopped first: the server of a killed run, or the sessions of a killed server.
  package func launch() throws(PostgreSQLClusterError) {
    guard launched == nil else { return }
    server = nil
    putLogAside()
    launched = try launchedAnew()
  }

  private func launchedAnew() throws(PostgreSQLClusterError) -> (child: ChildProcess, logged: Int) {
    try PostgreSQLClusterLeftover(data: data).stop()
    removeEmptyLocks()
    let logged = logLength
    return (try child(), logged)
  }

  /// Starts the server where `launch` did not, and waits until it answers.
  ///
  /// - Throws: `.interrupted` when the patience ends. No server runs then.
  package func start() throws(PostgreSQLClusterError) {
    try launch()
    let deadline = ContinuousClock.now + Self.startLimit
    for number in 1... {
      let next = if let launched { launched } else { try launchedAnew() }
      launched = nil
      guard let status = try wait(for: next.child, deadline: deadline) else { return }
      guard number < Self.mostStarts else {
        let reason = complaint(after: next.logged) ?? status.description
        throw PostgreSQLClusterError(at: log, "the database server ended at its start: \(reason)")
      }
      usleep(100_000)  // what ended it, such as too little memory, may be over soon
    }
  }

  /// How the server ended; nil while it runs, or when none was started.
  package func poll() throws(PostgreSQLClusterError) -> ExitStatus? {
    do { return try server?.poll() } catch { throw PostgreSQLClusterError(at: "postgres", error.description) }
  }

  /// Writes committed data from memory to the data files and waits until it is there, so that `stop` has little left to write.
  package func checkpoint() {
    guard server != nil else { return }
    // Nothing is lost when this fails: `stop` writes the same data.
    _ = try? Connection(url: connectionString, applicationName: "spool stop").run("checkpoint")
  }

  /// Stops the server. Its sessions are ended, and all that was committed is on disk. A server that has not ended after 30 s is
  /// killed.
  package func stop() {
    guard let running = server ?? launched?.child else { return }
    launched = nil
    server = nil  // this drops the last reference at the end, which kills a server that still runs
    running.signal(SIGINT)
    Readiness.waitToRead([running.exitDescriptor], within: .seconds(30))
    _ = try? running.poll()  // only reaps it; when this fails, the dropped reference kills it
  }

  // MARK: Private parts

  /// Removes the lock files that a server left empty, because it was killed between making and writing them. PostgreSQL takes each for that of a
  /// server which is about to start, and starts no other. No server of this data runs here, and nobody else starts one.
  private func removeEmptyLocks() {
    for file in ["\(data)/postmaster.pid", "\(socketDirectory)/.s.PGSQL.\(Self.port).lock"] {
      var facts = stat()
      if unsafe lstat(file, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG, facts.st_size == 0 { unsafe unlink(file) }
    }
  }

  private static let environment = [
    "PATH": ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin", "LC_ALL": "C", "TZ": "UTC",
  ]

  private func child() throws(PostgreSQLClusterError) -> ChildProcess {
    // The write-ahead log is for crash recovery only. The settings suit one session a process and few tables.
    let ours = [
      "listen_addresses": "", "port": "\(Self.port)", "unix_socket_directories": socketDirectory,
      "unix_socket_permissions": access == nil ? "0700" : "0770",
      "wal_level": "minimal", "max_wal_senders": "0", "max_wal_size": "256MB", "shared_buffers": "64MB", "cluster_name": "spool",
      "log_line_prefix": "%m [%p] %a ", "log_timezone": "UTC", "timezone": "UTC",
    ]
    let options = ours.merging(access?.settings ?? [:]) { $1 }.merging(settings) { $1 }.sorted { $0.key < $1.key }.flatMap {
      ["-c", "\($0.key)=\($0.value)"]
    }
    do {
      // SIGINT makes PostgreSQL shut down fast: it ends all sessions first.
      return try ChildProcess(
        Command(
          "/usr/bin/setpriv", account.command(signal: "INT", programs.postgres, ["-D", data] + options),
          environment: Self.environment, workingDirectory: directory, output: .file(log), errorOutput: .file(log)))
    } catch {
      throw PostgreSQLClusterError(at: programs.postgres, error.description)
    }
  }

  /// - Returns: nil when the server answers, else how it ended.
  private func wait(for child: ChildProcess, deadline: ContinuousClock.Instant) throws(PostgreSQLClusterError) -> ExitStatus? {
    do {
      while ContinuousClock.now < deadline {
        if try answers() {
          server = child
          return nil
        }
        Readiness.waitToRead([child.exitDescriptor], within: .milliseconds(5))
        if let status = try child.poll() { return status }
        guard !patience.isOver else { break }
      }
    } catch let error as SubprocessError {
      throw PostgreSQLClusterError(at: programs.postgres, error.description)
    } catch {
      throw PostgreSQLClusterError(at: programs.postgres, "the role of the farm's coordinator cannot be made: \(error)")
    }
    if patience.isOver {
      server = child
      stop()
      throw .interrupted
    }
    throw PostgreSQLClusterError(at: log, "the database server does not answer within \(Self.startLimit)")
  }

  private func answers() throws -> Bool {
    // Connections are refused until the server is up. The caller's deadline ends the waiting.
    guard let connection = try? Connection(url: connectionString, applicationName: "spool start") else { return false }
    if access != nil { try connection.run(PostgreSQLClusterAccess.makeRole) }
    return true
  }

  /// Makes the cluster under another name first, so that a half-made one of a killed run is never taken for a whole one. initdb
  /// syncs its files before it ends.
  private func makeCluster() throws(PostgreSQLClusterError) {
    let fresh = "\(data).new"
    try remove(fresh)
    let arguments = [
      "-D", fresh, "-U", "spool", "--auth-local=trust", "--auth-host=reject", "--encoding=UTF8", "--locale=C", "--data-checksums",
      "--no-instructions",
    ]
    let made: Completed?
    let begin = ContinuousClock.now
    var isSaid = false
    do {
      made = try Command(
        "/usr/bin/setpriv", account.command(signal: "KILL", programs.initdb, arguments), environment: Self.environment,
        workingDirectory: directory
      ).run(timeoutMilliseconds: Self.makingLimitMilliseconds) {
        if !isSaid, ContinuousClock.now - begin > StartPatience.silence {
          patience.notice("making the database in \(directory) ...")
          isSaid = true
        }
        return !patience.isOver
      }
    } catch {
      throw PostgreSQLClusterError(at: programs.initdb, error.description)
    }
    guard let made else {
      try remove(fresh)
      if patience.isOver { throw .interrupted }
      throw PostgreSQLClusterError(at: programs.initdb, "did not end within \(Self.makingLimitMilliseconds / 60_000) minutes")
    }
    guard made.status.isSuccess else {
      let words = Self.complaint(in: made.errorOutput) ?? made.status.description
      throw PostgreSQLClusterError(at: directory, "no database can be made here: \(words)")
    }
    guard unsafe rename(fresh, data) == 0 else { throw PostgreSQLClusterError(at: data, SystemWords.of(errno)) }
  }

  /// Removes an unfinished cluster if there is one. The processes of a killed initdb may still make a file or two, so this is
  /// tried again.
  private func remove(_ folder: String) throws(PostgreSQLClusterError) {
    let deadline = ContinuousClock.now + Self.removalLimit
    while FileManager.default.fileExists(atPath: folder) {
      do {
        try FileManager.default.removeItem(atPath: folder)
      } catch {
        guard ContinuousClock.now < deadline else { throw PostgreSQLClusterError(at: folder, "cannot be removed: \(error)") }
        usleep(50_000)  // nothing tells when they are gone
      }
    }
  }

  /// The complaint of initdb: the error that ended a process of the server, which initdb does not repeat at its end, or else its last
  /// lines; nil when it said nothing.
  private static func complaint(in output: String) -> String? {
    let lines = output.split(separator: "\n")
    if let line = fatal(lines) { return line }
    return lines.isEmpty ? nil : lines.suffix(3).joined(separator: "; ")
  }

  /// The last of the lines that says why a process of the server ended, without what stands before the reason.
  private static func fatal(_ lines: [Substring]) -> String? {
    let line = lines.last { $0.contains(" FATAL:  ") || $0.contains(" PANIC:  ") }
    return line?.split(separator: ":  ", maxSplits: 1).last.map(String.init)
  }

  /// The last error in the server's log that ended a process of it; nil when there is none.
  ///
  /// - Parameter length: the bytes of the log that earlier servers wrote.
  private func complaint(after length: Int) -> String? {
    // A log that cannot be read is no reason to hide how the server ended.
    guard let bytes = try? Data(contentsOf: URL(filePath: log)) else { return nil }
    let lines = String(decoding: bytes.dropFirst(length), as: UTF8.self).split(separator: "\n")
    return Self.fatal(lines)
  }

  /// The log's length in bytes; 0 where there is none yet.
  private var logLength: Int {
    var facts = stat()
    return unsafe stat(log, &facts) == 0 ? Int(facts.st_size) : 0
  }

  private func putLogAside() {
    // When this fails, the log only goes on growing.
    if logLength > Self.logLimit { unsafe rename(log, "\(log).old") }
  }
}
