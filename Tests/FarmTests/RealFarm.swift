import FarmTesting
import Glibc
import Ledger
import LocalFarm
import Messages
import Subprocess
import Testing

/// A farm of real processes in a folder of its own: a PostgreSQL server, and the program's coordinator and workers over `ipc://`.
/// By default a shell script performs the attempts; it proves what it was ordered without rendering. Everything ends with this
/// object.
///
/// It belongs to the thread of its test, which waits without giving the thread up.
final class RealFarm {
  let directory: String
  let ledger: PostgreSQLLedger
  private(set) var coordinator: ChildProcess?
  /// The second coordinator, which leads when the first does not.
  private(set) var deputy: ChildProcess?
  private(set) var workers: [String: ChildProcess] = [:]
  private let database: String
  /// The server of its own; nil when the database is on the server that all tests share.
  private let cluster: PostgreSQLCluster?
  private let lease: String
  private let coordinatorArguments: [String]
  private let workerArguments: [String]
  /// The program that performs attempts; by default the script.
  var attemptProgram: String

  /// The connection string of its database for libpq.
  var url: String { database }
  var endpoint: String { "ipc://\(directory)/farm" }
  private var deputyEndpoint: String { "ipc://\(directory)/deputy" }

  /// - Parameters:
  ///   - attemptSeconds: the seconds that each attempt takes.
  ///   - hasOwnServer: whether it has a server of its own, which tests need to restart it.
  init(
    attemptSeconds: String = "0.05", lease: String = "3", hasOwnServer: Bool = false, coordinator: [String] = [],
    worker: [String] = []
  ) throws {
    self.lease = lease
    var template = Array("/tmp/spool-farm-XXXXXX".utf8CString)
    try #require(unsafe mkdtemp(&template) != nil)
    directory = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    // The database's own user must be able to enter the folder.
    try #require(unsafe chmod(directory, 0o711) == 0)
    cluster = hasOwnServer ? try PostgreSQLCluster(dataDirectory: directory) : nil
    try cluster?.start()
    database = try cluster?.connectionString ?? TestCluster.shared.get().makeDatabase()
    ledger = PostgreSQLLedger(url: database)
    try ledger.migrate()
    (coordinatorArguments, workerArguments) = (coordinator, worker)
    attemptProgram = "\(directory)/attempt"
    try write("attempt", Self.script(seconds: attemptSeconds), mode: 0o755)
    try write("starts", "", mode: 0o666)
  }

  deinit {
    (coordinator, deputy, workers) = (nil, nil, [:])
    // Attempts of a worker that a test has killed may still be ending. Each leads a group of its own.
    for process in read("starts").split(separator: "\n").compactMap({ pid_t($0) }) where process > 1 {
      Glibc.kill(-process, SIGKILL)
    }
    cluster?.stop()
    _ = try? Command("/bin/rm", ["-rf", directory]).run(timeoutMilliseconds: 30_000)  // /tmp is cleared by others
  }

  // MARK: Processes

  /// Starts the coordinator.
  ///
  /// - Parameters:
  ///   - database: the connection string of its database; by default as the owner.
  ///   - endpoint: the endpoint; by default the farm's own.
  ///   - openFiles: the most descriptors that it may have.
  func startCoordinator(_ database: String? = nil, at endpoint: String? = nil, openFiles: Int? = nil) throws {
    coordinator = try startCoordinator(
      at: endpoint ?? self.endpoint, database ?? self.database, log: "coordinator", openFiles: openFiles)
  }

  func startDeputy() throws { deputy = try startCoordinator(at: deputyEndpoint, database, log: "deputy") }

  /// Starts the coordinator with its own path to the database, which `loseDatabase` removes.
  func startCoordinatorApart() throws {
    let host = try #require(database.split(separator: " ").first { $0.hasPrefix("host=") }).dropFirst(5).filter { $0 != "'" }
    let apart = "\(directory)/apart"
    try #require(unsafe mkdir(apart, 0o700) == 0)
    try #require(unsafe symlink("\(host)/.s.PGSQL.5432", "\(apart)/.s.PGSQL.5432") == 0)
    coordinator = try startCoordinator(
      at: endpoint, database.replacing("host='\(host)'", with: "host='\(apart)'"), log: "coordinator")
  }

  func loseDatabase() throws {
    try #require(unsafe unlink("\(directory)/apart/.s.PGSQL.5432") == 0)
    let ended = try psql(
      "select count(pg_terminate_backend(pid)) from pg_stat_activity where application_name = 'spool coordinator coordinator' "
        + "and datname = current_database()")
    #expect(ended == "1")
  }

  private func startCoordinator(
    at endpoint: String, _ database: String, log: String, openFiles: Int? = nil
  ) throws -> ChildProcess {
    try spool(
      ["coordinator", "--name", log, "--database", database, "--endpoint", endpoint, "--lease", lease] + coordinatorArguments,
      log: log, openFiles: openFiles)
  }

  /// Starts a worker.
  ///
  /// - Parameters:
  ///   - knowsDeputy: whether it knows both coordinators.
  ///   - program: the program; it was built with this test.
  ///   - renders: whether it renders, each time anew, instead of proving what it was ordered.
  ///   - tags: tags besides those that workers always have.
  ///   - environment: variables besides `PATH`.
  ///   - door: the endpoint of a coordinator; by default the farm's own.
  ///   - reuse: the jobs whose segments it finds; by default none.
  func startWorker(
    _ name: String, knowsDeputy: Bool = false, program: String = "spool", renders: Bool = false, tags: [String] = [],
    environment: [String: String] = [:], at door: String? = nil, reuse: String = "none"
  ) throws {
    workers[name] = try spool(
      ["worker", "--connect", door ?? endpoint] + (knowsDeputy ? ["--connect", deputyEndpoint] : []) + [
        "--name", name, "--slots", "2", "--store", directory, "--media-root", directory, "--reuse", reuse,
      ] + (renders ? [] : ["--attempt-program", attemptProgram]) + tags.flatMap { ["--tag", $0] }
        + workerArguments, program: program, environment: environment, log: name)
  }

  /// Starts a console at any free port.
  func startConsole(_ name: String, _ options: [String] = []) throws -> ChildProcess {
    try spool(["console", "--database", database, "--listen", "127.0.0.1:0"] + options, log: name)
  }

  func kill(_ child: ChildProcess?) throws {
    let child = try #require(child)
    child.signal(SIGKILL)
    #expect(try child.wait() == .signalled(SIGKILL))
  }

  /// Stops the server and starts it again.
  func restartDatabase() throws {
    let cluster = try #require(cluster)
    cluster.stop()
    try cluster.start()
  }

  /// Starts a program that was built with this test and is in the same folder.
  private func spool(
    _ arguments: [String], program: String = "spool", environment: [String: String] = [:], log: String, openFiles: Int? = nil
  ) throws -> ChildProcess {
    let folder = try #require(CommandLine.arguments.first).split(separator: "/").dropLast().joined(separator: "/")
    let limited = openFiles.map { ["/usr/bin/prlimit", "--nofile=\($0):\($0)"] } ?? []
    let words = limited + ["/\(folder)/\(program)"] + arguments
    return try ChildProcess(
      Command(
        words[0], Array(words.dropFirst()), environment: environment.merging(["PATH": "/usr/bin:/bin"]) { $1 }, output: .null,
        errorOutput: .file("\(directory)/\(log).log")
      ).endingWithTests())
  }

  /// The output of a verb of the command line, without its last line feed. The verb must succeed.
  func verb(_ arguments: String...) throws -> String {
    let completed = try run(arguments)
    #expect(completed.status.isSuccess, Comment(rawValue: completed.errorOutput))
    return completed.output.trimmingSuffix("\n")
  }

  /// Runs a verb of the command line.
  func run(_ arguments: [String]) throws -> Completed {
    let folder = try #require(CommandLine.arguments.first).split(separator: "/").dropLast().joined(separator: "/")
    let command = Command(
      "/\(folder)/spool", arguments, environment: ["PATH": "/usr/bin:/bin", "SPOOL_DATABASE": database])
    return try #require(try command.run(timeoutMilliseconds: 60_000))
  }

  // MARK: Jobs

  func submit(chunks: Int, needs: Capabilities = Capabilities()) throws -> String {
    let id = JobSubmission.newID()
    return try ledger.submit(Self.submission(id, chunks: chunks, output: "\(directory)/\(id).mp4", needs: needs))
  }

  static func submission(_ id: String, chunks: Int, output: String, needs: Capabilities) -> JobSubmission {
    var tasks = (0..<chunks).map { JobSubmission.Task(kind: .picture, frames: FrameRange(first: 10 * $0, count: 10), cost: 1) }
    tasks += [.init(kind: .sound, cost: 1), .init(kind: .mux, cost: 1), .init(kind: .publish, cost: 1)]
    let spec = JobSpec(document: "{}", facts: [:], output: output, overwrites: false, keepsSegments: false)
    return JobSubmission(id: id, spec: spec, submitter: "test", needs: needs, frameCount: 10 * chunks, tasks: tasks)
  }

  /// Submits, with the program, a short edit of a medium in the farm's folder.
  ///
  /// - Parameter movie: the movie's path; by default a file beside the medium.
  func submit(medium: String, to movie: String? = nil, _ options: [String] = []) throws -> String {
    try write(
      "edit.json",
      """
      {"spool": 1, "assets": {"a": {"path": "\(medium)"}}, "composition": {"tracks": [{"id": "V", "media": "video", "segments": [
        {"asset": "a", "source": {"start": "0", "duration": "0.4"}}]}]}}
      """, mode: 0o644)
    let run = try SpoolProgram.run(
      ["submit", "edit.json", "-o", movie ?? "\(medium).movie.mp4", "--chunk-frames", "10"] + options, folder: directory,
      environment: ["SPOOL_DATABASE": database])
    try #require(run.code == 0, Comment(rawValue: run.errorOutput))
    return try #require(run.lines.first.map(String.init))
  }

  /// Checks every few milliseconds until `condition` holds. The ledger may be away meanwhile.
  func wait(_ what: String, seconds: Int = 60, until condition: () throws -> Bool) throws {
    let deadline = ContinuousClock.now + .seconds(seconds)
    while ContinuousClock.now < deadline {
      do {
        if try condition() { return }
      } catch LedgerError.unavailable {}
      usleep(5000)
    }
    Issue.record("waited \(seconds) s in vain: \(what)\n\(logs)")
    throw Expired()
  }
  struct Expired: Error {}

  func waitDone(_ job: String) throws {
    try wait("job \(job) is done") { [.done, .failed, .cancelled].contains(try ledger.status(job: job)?.state) }
    #expect(try ledger.status(job: job)?.state == .done, Comment(rawValue: logs))
  }

  /// The process ids of the attempts that were started so far, in order.
  func attemptProcesses() throws -> [pid_t] { read("starts").split(separator: "\n").compactMap { pid_t($0) } }

  /// The output of a query by psql, which shares no code with the ledger.
  func psql(_ query: String) throws -> String {
    let psql = Command("/usr/bin/psql", [database, "-At", "-c", query], environment: ["PATH": "/usr/bin:/bin"])
    let completed = try #require(try psql.run(timeoutMilliseconds: 20_000))
    #expect(completed.status.isSuccess, Comment(rawValue: completed.errorOutput))
    return completed.output.trimmingSuffix("\n")
  }

  // MARK: Files

  func write(_ name: String, _ text: String, mode: mode_t) throws {
    let descriptor = unsafe open("\(directory)/\(name)", O_WRONLY | O_CREAT | O_TRUNC, mode)
    try #require(descriptor >= 0)
    defer { close(descriptor) }
    try #require(unsafe Glibc.write(descriptor, text, text.utf8.count) == text.utf8.count)
  }

  func read(_ name: String) -> String {
    let descriptor = unsafe open("\(directory)/\(name)", O_RDONLY)
    guard descriptor >= 0 else { return "" }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: 1 << 20)
    let count = unsafe Glibc.read(descriptor, &bytes, bytes.count)
    return String(decoding: bytes.prefix(max(count, 0)), as: UTF8.self)
  }

  func hasFolder(_ name: String) -> Bool { unsafe access("\(directory)/\(name)", F_OK) == 0 }

  private var logs: String {
    (["coordinator", "deputy"] + workers.keys.sorted()).map { "\($0):\n\(read("\($0).log"))" }.joined(separator: "\n")
  }

  /// The script of an attempt as docs/protocol.md describes it, which ends with its worker as attempts do. Its last line depends
  /// on the order alone.
  private static func script(seconds: String) -> String {
    """
    #!/usr/bin/env -S /usr/bin/setpriv --pdeathsig KILL /bin/sh
    cd "$(dirname "$0")"
    echo $$ >> starts
    pause() { setpriv --pdeathsig KILL sleep "$1"; }
    order=$(cat)
    head=${order%%,\\"spec\\"*}
    key=$(echo "$head" | sed 's/.*"key":{"attempt":\\([0-9]*\\),"task":\\([0-9]*\\)}.*/\\2-\\1/')
    frames=$(echo "$order" | sed -n 's/.*"work":{"picture":{"_0":\\({[^}]*}\\)}}.*/,"frames":\\1/p')
    digest=$(echo "$key" | md5sum | cut -c 1-32)
    kind=$(echo "$order" | sed 's/.*"work":{"\\([a-z]*\\)".*/\\1/')
    segment=",\\"contentDigest\\":\\"$digest\\",\\"parameterSetDigest\\":\\"$digest\\""
    case $kind in
      picture) facts=$segment$frames ;;
      sound) facts="$segment,\\"sampleCount\\":1" ;;
      *) facts= ;;
    esac
    echo '{"progress":{"done":1,"total":2}}'
    pause \(seconds)
    proof="{\\"kind\\":\\"$kind\\",\\"file\\":\\"$key\\",\\"byteCount\\":1,\\"byteDigest\\":\\"$digest\\"$facts}"
    echo "{\\"finished\\":{\\"_0\\":$proof}}"
    """
  }
}

extension String {
  fileprivate func trimmingSuffix(_ suffix: Character) -> String { String(reversed().drop { $0 == suffix }.reversed()) }
}
