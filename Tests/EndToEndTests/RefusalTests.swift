import FarmTesting
import Glibc
import LocalFarm
import PostgreSQL
import Subprocess
import Testing

/// Tests of conditions that make a running job fail, and of databases and endpoints that are not a farm's.
@Suite struct `Refusals` {
  private let directory = TemporaryDirectory()

  init() throws {
    #expect(unsafe chmod(directory.path, 0o755) == 0)
    try SyntheticSource(width: 320, height: 240, frameCount: 50).write(
      to: directory.file("clip.mkv"), ["-vf", "noise=alls=60:allf=t", "-c:v", "ffv1"])
    try document(seconds: "2").write(toFile: directory.file("edit.json"))
  }

  @Test func `a source that vanishes while it is rendered is named`() throws {
    // Root's render goes on to its end.
    try document(seconds: getuid() == 0 ? "10" : "100").write(toFile: directory.file("edit.json"))
    let run = try render(then: { #expect(unsafe unlink(directory.file("clip.mkv")) == 0) })
    guard getuid() != 0 else {
      // Root's render opened the source for its farm, so it stays readable.
      #expect(run.code == 0 && run.complaints == [], "\(run.errorOutput)")
      return
    }
    #expect(run.code == 66)
    #expect(run.complaints == ["error: \(directory.file("clip.mkv")): No such file or directory"])
    // Another machine might have the file, so the task is tried four more times before the job fails.
    let log = String(decoding: try [UInt8](contentsOf: directory.file("data/log/coordinator.log")), as: UTF8.self)
    #expect(log.split(separator: "\n").count { $0.contains("failed ") && $0.contains("verdict=retries") } >= 4, "\(log)")
    expectNothingLeft()
  }

  @Test func `a folder is tried without a name in it, so that a killed render leaves none`() throws {
    try TemporaryDirectory.with { folder in
      var (before, after) = (stat(), stat())
      try #require(unsafe stat(folder, &before) == 0)
      let trial = unsafe open(folder, 0o20000000 | O_DIRECTORY | O_WRONLY | O_CLOEXEC, 0o600)
      guard trial >= 0 else { return }  // This file system has no files without names.
      close(trial)
      let run = try SpoolProgram.run("render", "\(folder)/none.json", "-o", "\(folder)/movie.mp4")
      #expect(run.code == 66)
      // A name that came and went would have changed the folder's time.
      try #require(unsafe stat(folder, &after) == 0)
      #expect(before.st_mtim.tv_sec == after.st_mtim.tv_sec && before.st_mtim.tv_nsec == after.st_mtim.tv_nsec)
    }
  }

  @Test func `a name that is taken while the movie is made stays its owner's`() throws {
    try document(seconds: "10").write(toFile: directory.file("edit.json"))
    let movie = directory.file("movie.mkv")
    // This happens at once, since the movie itself takes the name a second later.
    let run = try render(["--no-overwrite"], when: "submitted") { try "precious".write(toFile: movie) }
    #expect(run.code == 73)
    #expect(run.complaints == ["error: \(movie): cannot take this name: File exists"])
    #expect(try [UInt8](contentsOf: movie) == Array("precious".utf8))
    #expect(unsafe unlink(movie) == 0)
    expectNothingLeft()
  }

  @Test(.enabled("only root mounts", { try SpoolProgram.runsWithMounts }))
  func `a full disk is named, where the movie goes and where the farm works`() throws {
    // The movie of 16 MB fits on neither disk: a farm's database takes 40 MB of the larger one.
    try document(seconds: "6").write(toFile: directory.file("edit.json"))
    #expect(unsafe mkdir(directory.file("disk"), 0o755) == 0)
    for (size, output, data, place) in [
      ("1m", "disk/movie.mkv", "data", directory.file("disk/.movie.mkv.")),
      ("50m", "movie.mkv", "disk", directory.file("disk") + ": "),
    ] {
      let run = try SpoolProgram.run(
        ["render", "edit.json", "-o", output, "--data", data], mounting: ["-o", "mode=755,size=\(size)", "tmpfs", "disk"],
        folder: directory.path, closing: "find disk \(Self.leftovers)")
      #expect(run.code == 73)
      #expect(run.complaints.contains { $0.hasPrefix("error: " + place) }, "\(run.errorOutput)")
      #expect(run.output == "", "left on the disk")
      expectNothingLeft()
    }
  }

  @Test func `a farm that others use ends with its render, on SIGTERM too`() throws {
    try document(seconds: "100").write(toFile: directory.file("edit.json"))
    let run = try render(
      then: {
        try document(seconds: "1").write(toFile: directory.file("short.json"))
        let second = try SpoolProgram.run(
          "submit", "short.json", "-o", "second.mkv", "--priority", "9", folder: directory.path,
          environment: ["SPOOL_DATA": directory.file("data")])
        guard getuid() != 0 else {
          // Root's farm makes movies only for renders by root, which fetch them.
          #expect(second.code == 73 && second.errorOutput.contains("no worker of the farm may write it"), "\(second.errorOutput)")
          return
        }
        #expect(second.code == 0, "\(second.errorOutput)")
        let cancelled = try SpoolProgram.run(
          ["cancel", String(second.output.dropLast())], environment: ["SPOOL_DATA": directory.file("data")])
        #expect(cancelled.code == 0, "\(cancelled.errorOutput)")
      }, thenSignal: SIGTERM)
    #expect(run.code == 130 && run.complaints == [])
    expectNothingLeft()
  }

  @Test func `a job that there is not, and one that has ended`() throws {
    let (database, _, coordinator) = try startCoordinator()
    defer { coordinator.signal(SIGTERM) }
    func spool(_ arguments: String...) throws -> Completed {
      try SpoolProgram.run(arguments, folder: directory.path, environment: ["SPOOL_DATABASE": database])
    }
    for verb in ["status", "cancel", "verify"] {
      let run = try spool(verb, "nosuchjob")
      #expect(run.code == 66 && run.errorOutput.hasPrefix("error: nosuchjob: no such job"), "\(run.errorOutput)")
    }
    let job = String(try spool("submit", "edit.json", "-o", "movie.mkv").output.dropLast())
    #expect(try spool("cancel", job).output == "\(job) cancelled\n")
    #expect(try spool("cancel", job).code == 0)
    let verified = try spool("verify", job)
    #expect(verified.code == 66 && verified.errorOutput == "error: \(job): the job has no finished movie: it is cancelled\n")
  }

  @Test func `a medium outside the worker's roots fails the job, which cannot be cancelled then`() throws {
    let (database, endpoint, coordinator) = try startCoordinator()
    #expect(unsafe mkdir(directory.file("store"), 0o755) == 0 && mkdir(directory.file("media"), 0o755) == 0)
    var command = SpoolProgram.command([
      "worker", "--connect", endpoint, "--store", directory.file("store"), "--media-root", directory.file("media"),
    ])
    (command.output, command.errorOutput) = (.null, .null)
    let worker = try ChildProcess(command)
    defer { for process in [worker, coordinator] { process.signal(SIGTERM) } }
    func spool(_ arguments: String...) throws -> Completed {
      try SpoolProgram.run(arguments, folder: directory.path, environment: ["SPOOL_DATABASE": database])
    }
    let job = String(try spool("submit", "edit.json", "-o", "movie.mkv", "--chunk-frames", "50").output.dropLast())
    let deadline = ContinuousClock.now + .seconds(180)
    var status = try spool("status", job)
    while !status.output.contains("state      failed"), ContinuousClock.now < deadline {
      usleep(200_000)
      status = try spool("status", job)
    }
    #expect(status.lines.contains("failure    \(directory.file("clip.mkv")): lies outside the media roots"), "\(status.output)")
    #expect(status.lines.contains("retries    4"), "\(status.output)")
    let cancelled = try spool("cancel", job)
    #expect(cancelled.code == 1 && cancelled.errorOutput == "error: \(job): has ended: failed\n")
  }

  @Test func `a database that is not the farm's is told apart from one that cannot be reached`() throws {
    let cluster = try TestCluster.shared.get()
    let (empty, foreign) = (try cluster.makeDatabase(), try cluster.makeDatabase())
    let made = try #require(
      try Command(
        "/usr/bin/psql", ["-d", foreign, "-qc", "create schema spool create table yarn (length int)"], environment: [:]
      )
      .run(timeoutMilliseconds: 10_000))
    try #require(made.status == .exited(0), "\(made.errorOutput)")
    for verb in [["status"], ["cancel", "x"], ["submit", "edit.json", "-o", "movie.mkv"]] {
      for database in [empty, foreign] {
        let run = try SpoolProgram.run(verb + ["--database", database], folder: directory.path)
        #expect(run.code == 69)
        #expect(
          run.errorOutput
            == "error: database: there is no Spool schema in this database; `spool coordinator` or `spool migrate` makes it\n")
      }
      let away = try SpoolProgram.run(verb + ["--database", "host=/nowhere dbname=farm"], folder: directory.path)
      #expect(away.code == 69 && away.errorOutput.hasPrefix("error: database: connection to server "), "\(away.errorOutput)")
    }
    let coordinator = try SpoolProgram.run(
      "coordinator", "--database", foreign, "--endpoint", "ipc://\(directory.file("farm"))")
    #expect(coordinator.code == 69)
    #expect(
      coordinator.errorOutput
        == "error: database: its schema \"spool\" is not this program's: give the farm a database of its own\n")
  }

  @Test func `a farm's data of another version are refused with their folder, and made anew once it is away`() throws {
    #expect(try SpoolProgram.run(["render", "edit.json", "-o", "first.mkv", "--data", "data"], folder: directory.path).code == 0)
    let arguments = ["render", "edit.json", "-o", "movie.mkv", "--data", "data"]
    do {
      let cluster = try PostgreSQLCluster(dataDirectory: directory.file("data"))
      try cluster.start()
      let connection = try Connection(url: cluster.connectionString, applicationName: "test")
      try connection.run("update spool.schema_version set version = 24")
    }
    let run = try SpoolProgram.run(arguments, folder: directory.path)
    #expect(run.code == 69)
    #expect(run.complaints.count == 1)
    #expect(run.complaints.first?.contains("schema version 24") == true, "\(run.errorOutput)")
    #expect(run.complaints.first?.contains("data are in \(directory.file("data"));") == true, "\(run.errorOutput)")
    #expect(unsafe rename(directory.file("data"), directory.file("old")) == 0)
    #expect(try SpoolProgram.run(arguments, folder: directory.path).code == 0)
  }

  @Test func `an endpoint that is taken is refused, and what stands there stays`() throws {
    let database = try TestCluster.shared.get().makeDatabase()
    let (socketFile, file) = (directory.file("farm"), directory.file("precious"))
    let listener = try listen(at: socketFile)
    defer { close(listener) }
    try "precious".write(toFile: file)
    for (endpoint, reason) in [
      ("ipc://" + socketFile, "Address already in use"),
      ("ipc://" + file, "a file that is no socket stands there"),
      ("ipc:///nowhere/farm", "No such file or directory"),
      ("tcp://192.0.2.1:7400", "this machine has no such address"),
    ] {
      let run = try SpoolProgram.run("coordinator", "--database", database, "--insecure", "--endpoint", endpoint)
      #expect(run.code == 69 && run.errorOutput == "error: \(endpoint): cannot be listened at: \(reason)\n", "\(run.errorOutput)")
    }
    #expect(try [UInt8](contentsOf: file) == Array("precious".utf8))
  }

  // MARK: - Tools

  /// An edit with the clip stretched to `seconds`.
  private func document(seconds: String) -> String {
    """
    {"spool": 1, "assets": {"clip": {"path": "clip.mkv"}},
     "composition": {"tracks": [{"id": "picture", "media": "video", "segments": [
       {"asset": "clip", "source": {"start": "0", "duration": "2"}, "duration": "\(seconds)"}]}]},
     "export": {"fileType": "mkv", "video": {"codec": "ffv1"}}}
    """
  }

  /// Renders `edit.json` to `movie.mkv`. Once its output contains the word `moment`, it calls `act` and then sends `signal`.
  private func render(
    _ options: [String] = [], when moment: String = "running", then act: () throws -> Void, thenSignal signal: Int32? = nil
  ) throws -> Completed {
    let arguments = ["render", "edit.json", "-o", "movie.mkv", "--data", "data", "--chunk-frames", "10", "--json"]
    var command = SpoolProgram.command(arguments + options, folder: directory.path)
    (command.output, command.errorOutput) = (.pipe, .pipe)
    let child = try ChildProcess(command)
    var (output, errors) = (
      TailReader(try #require(child.output), limit: 1 << 20), TailReader(try #require(child.errorOutput), limit: 1 << 20)
    )
    var hasActed = false
    let deadline = ContinuousClock.now + .seconds(180)
    while try child.poll() == nil, ContinuousClock.now < deadline {
      try output.read()
      if !hasActed, output.text.contains("\"\(moment)\"") {
        try act()
        if let signal { child.signal(signal) }
        hasActed = true
      }
      var entry = pollfd(fd: child.exitDescriptor, events: Int16(POLLIN), revents: 0)
      _ = unsafe poll(&entry, 1, 10)
    }
    try output.read()
    try errors.read()
    try #require(hasActed, "the job ended before it was seen \(moment): \(output.text) \(errors.text)")
    return Completed(status: try #require(child.status), output: output.text, errorOutput: errors.text)
  }

  /// The terms for find(1): movies, parts of movies, and segments, but for those that are kept to be found again.
  private static let leftovers =
    "! -path '*/segments/_cache*' \\( -name '*movie*' ! -name movies -o -path '*/segments/*' -o -path '*/movies/*' \\)"

  /// Expects no movie, no part of one, no segment and no process.
  private func expectNothingLeft() {
    #expect(throws: Never.self) {
      let find = Command("/bin/sh", ["-c", "find '\(directory.path)' \(Self.leftovers)"], environment: ["PATH": "/usr/bin:/bin"])
      let files = try #require(try find.run(timeoutMilliseconds: 10_000))
      #expect(files.output == "")
      #expect(try ProcessTree().processes.allSatisfy { process in !process.arguments.contains { $0.contains(directory.path) } })
    }
  }

  /// Starts a coordinator on a fresh database, and returns when workers can connect.
  private func startCoordinator() throws -> (database: String, endpoint: String, process: ChildProcess) {
    let (database, endpoint) = (try TestCluster.shared.get().makeDatabase(), "ipc://\(directory.file("farm"))")
    var command = SpoolProgram.command(["coordinator", "--database", database, "--endpoint", endpoint])
    (command.output, command.errorOutput) = (.null, .null)
    let process = try ChildProcess(command)
    let deadline = ContinuousClock.now + .seconds(20)
    while unsafe access(directory.file("farm"), F_OK) != 0, ContinuousClock.now < deadline {
      try #require(try process.poll() == nil, "the coordinator ended")
      usleep(10_000)
    }
    return (database, endpoint, process)
  }

  private func listen(at path: String) throws -> Int32 {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: path.utf8) }
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    let bound = unsafe withUnsafePointer(to: address) { address in
      unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    try #require(bound == 0 && Glibc.listen(descriptor, 1) == 0)
    return descriptor
  }
}

extension Completed {
  /// The lines of standard error that report errors.
  fileprivate var complaints: [String] {
    errorOutput.split(separator: "\n").filter { $0.hasPrefix("error: ") }.map(String.init)
  }
}
