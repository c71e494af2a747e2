import FarmTesting
import FoundationEssentials
import Glibc
import LocalFarm
import PostgreSQL
import Subprocess
import Testing

struct PostgreSQLClusterTests {
  private let directory = TemporaryDirectory()

  init() {
    // When the tests run as root, the server runs as the user postgres, who must be able to enter this folder.
    unsafe chmod(directory.path, 0o711)
  }

  @Test func `it answers on its socket alone, and keeps what it was given from run to run`() throws {
    do {
      let cluster = try makeCluster()
      try cluster.start()
      #expect(try ask(cluster, "select current_setting('listen_addresses') as answer") == "")
      #expect(try ask(cluster, "select current_setting('fsync') as answer") == "on")
      try run(cluster, "create table note (n int); insert into note values (7)")
      cluster.stop()
      #expect(cluster.exitDescriptor == nil)
      #expect(throws: PostgreSQLError.self) { _ = try ask(cluster, "select 1 as answer") }
    }
    let again = try makeCluster()
    try again.start()
    #expect(try ask(again, "select n::text as answer from note") == "7")
  }

  @Test func `killed, it is noticed, started again, and has what was committed`() throws {
    let cluster = try makeCluster()
    try cluster.start()
    try run(cluster, "create table note (n int); insert into note values (7)")
    // Open sessions are the hard case: their processes live on for a moment after the server.
    let session = try Connection(url: cluster.connectionString, applicationName: "test")
    try session.run("begin; insert into note values (8)")
    kill(try serverProcess(), SIGKILL)
    #expect(try isReadable(try #require(cluster.exitDescriptor)))
    #expect(try cluster.poll() == .signalled(SIGKILL))
    try cluster.start()
    #expect(try ask(cluster, "select string_agg(n::text, ',') as answer from note") == "7")
  }

  @Test func `launched, it starts by itself, and is the one that is waited for`() throws {
    let cluster = try makeCluster()
    try cluster.launch()
    #expect(try cluster.exitDescriptor == nil && cluster.poll() == nil)
    let launched = try servedProcess()
    try cluster.start()
    #expect(try serverProcess() == launched)
    #expect(try ask(cluster, "select 1::text as answer") == "1")
  }

  @Test func `launched and killed before anybody waits, it is started once more`() throws {
    let cluster = try makeCluster()
    try cluster.launch()
    kill(try servedProcess(), SIGKILL)
    try cluster.start()
    #expect(try ask(cluster, "select 1::text as answer") == "1")
  }

  @Test func `launched and not wanted, it is stopped`() throws {
    let cluster = try makeCluster()
    try cluster.launch()
    let launched = try servedProcess()
    cluster.stop()
    #expect(kill(launched, 0) == -1 && errno == ESRCH)
    try cluster.start()
    #expect(try ask(cluster, "select 1::text as answer") == "1")
  }

  @Test func `a session that outlives a killed server is ended, and the next one starts`() throws {
    let cluster = try makeCluster()
    try cluster.start()
    try run(cluster, "create table note (n int); insert into note values (7)")
    let session = try Connection(url: cluster.connectionString, applicationName: "test")
    let row = try #require(try session.query(Statement("id", "select pg_backend_pid()::text as answer")).first)
    // A process that is stopped stands for one that computes: neither notices that the server is gone.
    kill(try #require(Int32(row.value("answer") as String)), SIGSTOP)
    kill(try serverProcess(), SIGKILL)
    #expect(try isReadable(try #require(cluster.exitDescriptor)))
    #expect(try cluster.poll() == .signalled(SIGKILL))
    try cluster.start()
    #expect(try ask(cluster, "select n::text as answer from note") == "7")
  }

  @Test func `killed before it answers, it is started once more`() throws {
    let installed = try PostgreSQLClusterPrograms.find(version: nil, path: "")
    let folder = directory.file("programs")
    unsafe mkdir(folder, 0o755)
    let request = "\(folder)/requests/kill"
    unsafe mkdir("\(folder)/requests", 0o777)
    unsafe chmod("\(folder)/requests", 0o777)
    unsafe symlink(installed.initdb, "\(folder)/initdb")
    // The server of the next start after a request is killed when it has its process ID in its data, as others are, and cannot have
    // answered: each connection to it would wait for a minute.
    let program = """
      #!/bin/sh
      if rm '\(request)' 2>/dev/null; then
        '\(installed.postgres)' "$@" -c pre_auth_delay=60 &
        until [ "$(head -n 1 "$2/postmaster.pid" 2>/dev/null)" = $! ]; do sleep 0.01; done
        kill -9 $!
        wait $!
        kill -9 $$
      fi
      exec '\(installed.postgres)' "$@"
      """
    try program.write(toFile: "\(folder)/postgres", atomically: true, encoding: .utf8)
    unsafe chmod("\(folder)/postgres", 0o755)
    let cluster = try PostgreSQLCluster(
      dataDirectory: directory.path, programs: PostgreSQLClusterPrograms(directory: folder))
    try cluster.start()
    try run(cluster, "create table note (n int); insert into note values (7)")
    kill(try serverProcess(), SIGKILL)
    #expect(try isReadable(try #require(cluster.exitDescriptor)))
    #expect(try cluster.poll() == .signalled(SIGKILL))
    try "".write(toFile: request, atomically: true, encoding: .utf8)
    try cluster.start()
    #expect(unsafe access(request, F_OK) != 0, "it was killed once")
    #expect(try ask(cluster, "select n::text as answer from note") == "7")
  }

  /// A server may be killed between making a lock file and writing into it.
  @Test(arguments: ["cluster/postmaster.pid", ".s.PGSQL.5432.lock"])
  func `a lock that a killed server left empty does not keep the next one from starting`(lock: String) throws {
    let cluster = try makeCluster()
    try cluster.start()
    try run(cluster, "create table note (n int); insert into note values (7)")
    kill(try serverProcess(), SIGKILL)
    #expect(try isReadable(try #require(cluster.exitDescriptor)))
    try "".write(toFile: directory.file("postgresql/\(lock)"), atomically: false, encoding: .utf8)
    try cluster.start()
    #expect(try ask(cluster, "select n::text as answer from note") == "7")
  }

  @Test func `a server that a killed run left behind is stopped, and its data goes on`() throws {
    var first: PostgreSQLCluster? = try makeCluster()
    try first?.start()
    try first.map { try run($0, "create table note (n int); insert into note values (7)") }
    let arguments = try commandLine(of: serverProcess())
    first = nil
    let orphan = try startOrphan(arguments)
    let next = try makeCluster()
    try next.start()
    #expect(try orphan.wait().isSuccess, "stopped fast, not by force")
    #expect(try serverProcess() != orphan.processID)
    #expect(try ask(next, "select n::text as answer from note") == "7")
  }

  @Test func `the kernel stops it when the thread that owns it dies`() throws {
    let cluster = try makeCluster()
    try Self.onThreadThatEnds { try cluster.start() }
    #expect(try isReadable(try #require(cluster.exitDescriptor)))
    #expect(try cluster.poll() == .exited(0), "a fast shutdown, not a crash")
  }

  @Test func `one data directory has one owner`() throws {
    let owner = try makeCluster()
    #expect(throws: PostgreSQLClusterError.self) { _ = try makeCluster() }
    withExtendedLifetime(owner) {}
  }

  @Test func `where the path is too long for a socket, it lies elsewhere and goes with its owner`() throws {
    let long = directory.file(String(repeating: "long", count: 30))
    unsafe mkdir(long, 0o711)
    var cluster: PostgreSQLCluster? = try PostgreSQLCluster(dataDirectory: long)
    try cluster?.start()
    let url = try #require(cluster?.connectionString)
    #expect(try cluster.map { try ask($0, "select 'here' as answer") } == "here")
    let socket = try #require(url.split(separator: "'").dropFirst().first.map(String.init))
    #expect(!socket.hasPrefix(directory.path))
    #expect(unsafe access(socket, F_OK) == 0)
    cluster = nil
    #expect(unsafe access(socket, F_OK) != 0)
    // The link to it stays, and leads nowhere: the next one starts all the same, and so does one whose folder another program
    // removed.
    for _ in 0..<2 {
      cluster = try PostgreSQLCluster(dataDirectory: long)
      try cluster?.start()
      #expect(try cluster.map { try ask($0, "select 'again' as answer") } == "again")
      cluster = nil
    }
  }

  @Test func `what a killed run left half made is made again`() throws {
    unsafe mkdir(directory.file("postgresql"), 0o700)
    unsafe mkdir(directory.file("postgresql/cluster.new"), 0o700)
    unsafe mkdir(directory.file("postgresql/cluster.new/base"), 0o700)
    let cluster = try makeCluster()
    try cluster.start()
    #expect(try ask(cluster, "select 'made' as answer") == "made")
  }

  @Test func `who does not wait for it to be made leaves nothing of it, and the next one makes it`() throws {
    let interruption = try Interruption()
    try interruption.come()
    let error = #expect(throws: PostgreSQLClusterError.self) {
      _ = try PostgreSQLCluster(dataDirectory: directory.path, patience: interruption.patience)
    }
    #expect(error == .interrupted)
    for name in ["cluster.new", "cluster"] { #expect(unsafe access(directory.file("postgresql/\(name)"), F_OK) != 0) }
    let next = try makeCluster()
    try next.start()
    #expect(try ask(next, "select 'made' as answer") == "made")
  }

  @Test func `who does not wait for its start leaves no server, and the next start has its data`() throws {
    let interruption = try Interruption()
    do {
      let cluster = try PostgreSQLCluster(dataDirectory: directory.path, patience: interruption.patience)
      try interruption.come()
      let error = #expect(throws: PostgreSQLClusterError.self) { try cluster.start() }
      #expect(error == .interrupted)
      #expect(cluster.exitDescriptor == nil)
      #expect(unsafe access(directory.file("postgresql/cluster/postmaster.pid"), F_OK) != 0)
    }
    let next = try makeCluster()
    try next.start()
    #expect(try ask(next, "select 'started' as answer") == "started")
  }

  @Test(.enabled(if: geteuid() == 0)) func `a folder that the database's user may not enter is named`() throws {
    let (closed, inner) = (directory.file("closed"), directory.file("closed/inner"))
    unsafe mkdir(closed, 0o700)
    unsafe mkdir(inner, 0o711)
    let error = #expect(throws: PostgreSQLClusterError.self) { _ = try PostgreSQLCluster(dataDirectory: inner) }
    #expect(error?.place == closed)
  }

  @Test func `a data directory that is not there is named`() {
    let error = #expect(throws: PostgreSQLClusterError.self) {
      _ = try PostgreSQLCluster(dataDirectory: directory.file("missing"))
    }
    #expect(error?.place == directory.file("missing"))
  }

  @Test func `a server that cannot start says where its log is`() throws {
    let cluster = try PostgreSQLCluster(dataDirectory: directory.path, settings: ["shared_buffers": "nonsense"])
    let error = #expect(throws: PostgreSQLClusterError.self) { try cluster.start() }
    #expect(error?.place == directory.file("postgresql/log"))
    #expect(error?.description.contains("nonsense") == true, "and what stands there")
  }

  @Test func `a database that cannot be made says what ended a process of it, which initdb does not say last`() throws {
    let installed = try PostgreSQLClusterPrograms.find(version: nil, path: "")
    let folder = directory.file("programs")
    unsafe mkdir(folder, 0o755)
    unsafe symlink(installed.postgres, "\(folder)/postgres")
    let program = """
      #!/bin/sh
      echo '2026-11-30 12:00:00.000 UTC [7] PANIC:  could not write to file "pg_wal/1": No space left on device' >&2
      echo 'Aborted\nchild process exited with exit code 134\ninitdb: removing data directory "cluster.new"' >&2
      exit 1
      """
    try program.write(toFile: "\(folder)/initdb", atomically: true, encoding: .utf8)
    unsafe chmod("\(folder)/initdb", 0o755)
    let error = #expect(throws: PostgreSQLClusterError.self) {
      _ = try PostgreSQLCluster(dataDirectory: directory.path, programs: PostgreSQLClusterPrograms(directory: folder))
    }
    #expect(error?.description.hasSuffix(#"made here: could not write to file "pg_wal/1": No space left on device"#) == true)
  }

  // MARK: Private parts

  /// An interruption of a caller who waits, as a pair of connected descriptors.
  private struct Interruption {
    private let ends: (Descriptor, Descriptor)

    init() throws { ends = try Descriptor.pair() }

    var patience: StartPatience { StartPatience(interruption: ends.0.number) }

    func come() throws { try #require(unsafe write(ends.1.number, "!", 1) == 1) }
  }

  @Test(.enabled("needs root") { geteuid() == 0 })
  func `a guest of root's is a coordinator and no more, and reaches the server in its group alone`() throws {
    let nobody = try #require(Account("nobody"))
    let cluster = try PostgreSQLCluster(dataDirectory: directory.path, guest: nobody)
    try cluster.start()
    func ask(_ role: String, inGroup group: UInt32, _ query: String) throws -> String {
      let host = cluster.connectionString.split(separator: " ")[0].dropFirst(6).dropLast()
      let words = [
        "--reuid=\(nobody.user)", "--regid=\(group)", "--clear-groups", "/usr/bin/psql", "-XAtw", "-h", String(host), "-U", role,
        "-d",
        "postgres", "-c", query,
      ]
      // psql complains of a working folder that it may not enter, and root's own folders are such.
      let command = Command("/usr/bin/setpriv", words, environment: ["LC_ALL": "C"], workingDirectory: "/")
      let done = try #require(try command.run(timeoutMilliseconds: 20_000))
      return done.output + done.errorOutput
    }
    let asked =
      "select current_user, rolsuper, pg_has_role('spool_coordinator', 'member') from pg_roles where rolname = current_user"
    #expect(try ask("spool_local", inGroup: cluster.group, asked) == "spool_local|f|t\n")
    #expect(try ask("spool", inGroup: cluster.group, asked).contains("authentication failed"))
    #expect(try ask("spool_local", inGroup: nobody.group, asked).contains("Permission denied"))
    // Root still owns everything, also after the next start.
    for _ in 0..<2 {
      _ = try Connection(url: cluster.connectionString, applicationName: "test")
      cluster.stop()
      try cluster.start()
    }
  }

  private func makeCluster() throws -> PostgreSQLCluster { try PostgreSQLCluster(dataDirectory: directory.path) }

  private func ask(_ cluster: PostgreSQLCluster, _ sql: String) throws -> String {
    let connection = try Connection(url: cluster.connectionString, applicationName: "test")
    return try #require(try connection.query(Statement("ask", sql)).first).value("answer")
  }

  private func run(_ cluster: PostgreSQLCluster, _ sql: String) throws {
    try Connection(url: cluster.connectionString, applicationName: "test").run(sql)
  }

  private func isReadable(_ descriptor: Int32) throws -> Bool {
    var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return unsafe poll(&entry, 1, 20_000) == 1
  }

  /// The process ID of the server, from the server's own file.
  private func serverProcess() throws -> pid_t {
    let text = try #require(try output("/bin/cat", [directory.file("postgresql/cluster/postmaster.pid")]))
    return try #require(text.split(separator: "\n").first.flatMap { pid_t($0) })
  }

  /// The process of a server that writes down its number soon.
  private func servedProcess() throws -> pid_t {
    for _ in 0..<1000 {
      if unsafe access(directory.file("postgresql/cluster/postmaster.pid"), F_OK) == 0, let process = try? serverProcess() {
        return process
      }
      usleep(10_000)
    }
    return try serverProcess()
  }

  private func commandLine(of process: pid_t) throws -> [String] {
    try #require(try output("/bin/cat", ["/proc/\(process)/cmdline"])).split(separator: "\0").map(String.init)
  }

  private func output(_ program: String, _ arguments: [String]) throws -> String? {
    try Command(program, arguments).run(timeoutMilliseconds: 10_000)?.output
  }

  /// Starts a server as if by a run that was then killed, but without a parent whose death would end it.
  private func startOrphan(_ arguments: [String]) throws -> ChildProcess {
    let identity = geteuid() == 0 ? ["--reuid=postgres", "--regid=postgres", "--init-groups"] : []
    let orphan = try ChildProcess(
      Command("/usr/bin/setpriv", identity + ["--"] + arguments, output: .null, errorOutput: .null))
    let socket = directory.file("postgresql/.s.PGSQL.5432")
    while unsafe access(socket, F_OK) != 0 {
      #expect(try orphan.poll() == nil)
      usleep(5_000)  // nothing tells when a socket appears
    }
    return orphan
  }

  private static func onThreadThatEnds(_ body: @escaping () throws -> Void) throws {
    let box = Box(body)
    var thread = pthread_t()
    let code = unsafe pthread_create(
      &thread, nil,
      { argument in
        let box = unsafe Unmanaged<Box>.fromOpaque(argument!).takeUnretainedValue()
        box.result = Result { try box.body() }
        return nil
      }, Unmanaged.passUnretained(box).toOpaque())
    try #require(code == 0)
    pthread_join(thread, nil)
    try #require(box.result).get()
  }

  private final class Box {
    let body: () throws -> Void
    var result: Result<Void, any Error>?

    init(_ body: @escaping () throws -> Void) { self.body = body }
  }
}
