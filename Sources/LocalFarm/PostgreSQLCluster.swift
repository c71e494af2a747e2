internal import FoundationEssentials
internal import Glibc
internal import PostgreSQL
package import Subprocess
internal import SystemWords

/// A private PostgreSQL server in the data directory: made at first use, reached over a Unix socket only, ended with its
/// owner however that one dies. Durable: what it acknowledged survives a crash.
///
/// Below the data directory it owns `postgresql/`: `cluster` (PGDATA), `log`, `lock`, and the socket where the path is short
/// enough. Belongs to one thread, which must live as long as the server.
package final class PostgreSQLCluster {
  /// How libpq reaches the server; valid after `start`.
  package var connectionString: String { "host='\(socketDirectory)' port=\(Self.port) user=spool dbname=postgres" }
  /// The same for the guest; for the owner where there is none.
  package var guestConnectionString: String {
    access == nil
      ? connectionString : "host='\(socketDirectory)' port=\(Self.port) user=\(PostgreSQLClusterAccess.role) dbname=postgres"
  }
  /// Whose members reach the server's socket where there is a guest.
  package var group: UInt32 { account.group }
  /// Polls readable when the server has ended; nil while there is none.
  package var exitDescriptor: Int32? { server?.exitDescriptor }

  private let directory: String
  private let account: PostgreSQLClusterAccount
  private let programs: PostgreSQLClusterPrograms
  private let settings: [String: String]
  private let access: PostgreSQLClusterAccess?
  private let patience: StartPatience
  /// Held as long as we live: nobody else starts or stops a server on this data.
  private let lock: Descriptor
  private let socketDirectory: String
  private var server: ChildProcess?

  private var data: String { "\(directory)/cluster" }
  private var log: String { "\(directory)/log" }

  /// Names the socket; no TCP port is opened.
  private static let port = 5432
  /// A server accepts connections once it has replayed up to `max_wal_size` after a crash.
  private static let startLimit = Duration.seconds(60)
  /// For making a cluster: a second by itself, minutes on a machine that is busy. Whoever waits can end it earlier.
  private static let makingLimitMilliseconds: Int32 = 1_800_000
  /// The processes of a server that was killed hold its shared memory for a moment after it; a start within it fails.
  private static let orphanLimit = Duration.seconds(3)
  /// Bytes after which a log is put aside at the next start; one older one is kept.
  private static let logLimit = 8 << 20

  /// Takes the data directory into possession and makes the cluster if there is none; starts nothing.
  /// - Parameters:
  ///   - dataDirectory: it exists.
  ///   - settings: of the server, over ours.
  ///   - guest: another user who may connect, as a coordinator, in the server's group; for root's clusters.
  ///   - patience: of whoever waits for the cluster to be made and started.
  /// - Throws: `.interrupted` when the patience ends; the unfinished cluster is removed then.
  package init(
    dataDirectory: String, settings: [String: String] = [:], guest: Account? = nil, patience: StartPatience = StartPatience()
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
    // There is none before the first start.
    let stored = try? String(contentsOfFile: "\(directory)/cluster/PG_VERSION", encoding: .utf8)
    let version = stored?.split(separator: "\n").first.map(String.init)
    programs = try PostgreSQLClusterPrograms.find(version: version, path: Self.environment["PATH"] ?? "")
    socketDirectory = try PostgreSQLClusterSocket.directory(in: directory, port: Self.port, account)
    (self.settings, self.patience) = (settings, patience)
    if version == nil { try makeCluster() }
  }

  deinit {
    stop()
    if socketDirectory != directory { unsafe rmdir(socketDirectory) }
  }

  /// Starts the server, or starts it again after it ended, and waits until it answers. A server that a killed run left behind
  /// is stopped first.
  /// - Throws: `.interrupted` when the patience ends; nothing runs then.
  package func start() throws(PostgreSQLClusterError) {
    server = nil
    try PostgreSQLClusterLeftover(data: data)?.stop()
    putLogAside()
    let begin = ContinuousClock.now
    while let status = try startOnce(deadline: begin + Self.startLimit) {
      guard ContinuousClock.now < begin + Self.orphanLimit else {
        throw PostgreSQLClusterError(at: log, "the database server ended at its start: \(status)")
      }
      usleep(50_000)  // nothing tells when the orphans are gone
    }
  }

  /// How the server ended, once it has; nil while it runs or none was started.
  package func poll() throws(PostgreSQLClusterError) -> ExitStatus? {
    do { return try server?.poll() } catch { throw PostgreSQLClusterError(at: "postgres", error.description) }
  }

  /// Writes what was committed from memory to the data files and waits until it is there, so that `stop` finds little to
  /// write.
  package func checkpoint() {
    guard server != nil else { return }
    // Nothing is lost where this fails: `stop` does the same.
    _ = try? Connection(url: connectionString, applicationName: "spool stop").run("checkpoint")
  }

  /// Stops the server: sessions are ended, what was committed is on disk. By force if it does not obey within 30 s.
  package func stop() {
    guard let running = server else { return }
    server = nil  // the last reference, which kills what is still there
    running.signal(SIGINT)
    var exit = pollfd(fd: running.exitDescriptor, events: Int16(POLLIN), revents: 0)
    _ = unsafe Glibc.poll(&exit, 1, 30_000)
    _ = try? running.poll()  // only reaps; a failure leaves it to the kill
  }

  // MARK: Private parts

  private static let environment = [
    "PATH": ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin", "LC_ALL": "C", "TZ": "UTC",
  ]

  /// - Returns: nil when the server answers, else how it ended.
  private func startOnce(deadline: ContinuousClock.Instant) throws(PostgreSQLClusterError) -> ExitStatus? {
    // WAL for crash recovery only; fast: one session a process, few tables.
    let ours = [
      "listen_addresses": "", "port": "\(Self.port)", "unix_socket_directories": socketDirectory,
      "unix_socket_permissions": access == nil ? "0700" : "0770",
      "wal_level": "minimal", "max_wal_senders": "0", "max_wal_size": "256MB", "shared_buffers": "64MB", "cluster_name": "spool",
      "log_line_prefix": "%m [%p] %a ", "log_timezone": "UTC", "timezone": "UTC",
    ]
    let options = ours.merging(access?.settings ?? [:]) { $1 }.merging(settings) { $1 }.sorted { $0.key < $1.key }.flatMap {
      ["-c", "\($0.key)=\($0.value)"]
    }
    let child: ChildProcess
    do {
      // SIGINT is PostgreSQL's fast shutdown.
      child = try ChildProcess(
        Command(
          "/usr/bin/setpriv", account.command(signal: "INT", programs.postgres, ["-D", data] + options),
          environment: Self.environment, workingDirectory: directory, output: .file(log), errorOutput: .file(log)))
      while ContinuousClock.now < deadline {
        if try answers() {
          server = child
          return nil
        }
        var exit = pollfd(fd: child.exitDescriptor, events: Int16(POLLIN), revents: 0)
        _ = unsafe Glibc.poll(&exit, 1, 5)
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
    // Refused is what it is until the server is up; the caller's deadline ends the asking.
    guard let connection = try? Connection(url: connectionString, applicationName: "spool start") else { return false }
    if access != nil { try connection.run(PostgreSQLClusterAccess.makeRole) }
    return true
  }

  /// Made under another name first, so that what a killed run left half made is never taken for a cluster. initdb syncs what it wrote
  /// before it ends: no checkpoint would ever do so.
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
      let last = made.errorOutput.split(separator: "\n").suffix(3).joined(separator: "; ")
      throw PostgreSQLClusterError(
        at: directory, "no database can be made here: \(last.isEmpty ? made.status.description : last)")
    }
    guard unsafe rename(fresh, data) == 0 else { throw PostgreSQLClusterError(at: data, SystemWords.of(errno)) }
  }

  /// Removes an unfinished cluster, if there is one. The processes of an initdb that was killed may make another file or two.
  private func remove(_ folder: String) throws(PostgreSQLClusterError) {
    let deadline = ContinuousClock.now + Self.orphanLimit
    while FileManager.default.fileExists(atPath: folder) {
      do {
        try FileManager.default.removeItem(atPath: folder)
      } catch {
        guard ContinuousClock.now < deadline else { throw PostgreSQLClusterError(at: folder, "cannot be removed: \(error)") }
        usleep(50_000)  // nothing tells when they are gone
      }
    }
  }

  private func putLogAside() {
    var facts = stat()
    // When this fails the log only grows on.
    if unsafe stat(log, &facts) == 0, facts.st_size > Self.logLimit { unsafe rename(log, "\(log).old") }
  }
}
