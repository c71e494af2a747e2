import FarmTesting
import FoundationEssentials
import Glibc
import Ledger
import LocalFarm
import Messages
import Subprocess
import Testing

/// The program connected as each of the farm's roles.
@Suite struct RoleTests {
  @Test func `a farm whose coordinator and people have their own roles makes a movie, and is steered by its operator`() throws {
    let farm = try RealFarm()
    try SyntheticSource(frameCount: 10).write(to: "\(farm.directory)/clip.mkv", ["-c:v", "libx264", "-qp", "10"])
    try farm.startCoordinator(try farm.login("spool_coordinator"))
    try farm.startWorker("anna")
    try farm.wait("anna is there") { try farm.ledger.workers().count == 1 }
    let (person, staff) = (try farm.login("spool_submitter"), try farm.login("spool_operator"))
    try farm.write("edit.json", Self.edit, mode: 0o644)
    func submit() throws -> String {
      let run = try run(["submit", "edit.json", "-o", "movie.mp4"], farm, person)
      #expect(run.code == 0, Comment(rawValue: run.errorOutput))
      return String(try #require(run.lines.first))
    }
    #expect(try run(["drain"], farm, staff).code == 0)
    let cancelled = try submit()
    #expect(try farm.psql("select submitter from spool.job") == farm.user(of: person))
    #expect(try run(["cancel", cancelled], farm, person).output == "\(cancelled) cancelled\n")
    let job = try submit()
    for verb in ["pause", "resume", "priority"] {
      #expect(try run([verb, job] + (verb == "priority" ? ["3"] : []), farm, staff).code == 0, "\(verb)")
    }
    #expect(try run(["undrain"], farm, staff).code == 0)
    try farm.waitDone(job)
    #expect(try run(["status", job], farm, person).output.contains("state      done"))
  }

  @Test(arguments: [
    ("cancel JOB", "spool_operator"), ("pause JOB", "spool_operator"), ("resume JOB", "spool_operator"),
    ("retry JOB", "spool_operator"), ("priority JOB 3", "spool_operator"), ("quota test --weight 2", "spool_operator"),
    ("quota ben --new", "spool_operator"), ("drain", "spool_operator"), ("undrain", "spool_operator"),
    ("drain anna", "spool_operator"),
    ("submit edit.json -o movie.mp4", "spool_submitter"), ("coordinator --endpoint ipc:///nowhere/farm", "spool_coordinator"),
    ("migrate", "the role that owns it"),
  ])
  func `a viewer who may not do what a verb does is told which role it takes`(line: String, role: String) throws {
    let farm = try RealFarm()
    try SyntheticSource(frameCount: 10).write(to: "\(farm.directory)/clip.mkv", ["-c:v", "libx264", "-qp", "10"])
    try farm.write("edit.json", Self.edit, mode: 0o644)
    let job = try farm.submit(chunks: 1)
    let words = line.split(separator: " ").map { $0 == "JOB" ? job : String($0) }
    let run = try run(words, farm, try farm.login("spool_viewer"))
    #expect(run.code == 77, Comment(rawValue: run.errorOutput))
    // Warnings may come before the error.
    let error = run.errorOutput.split(separator: "\n").first { $0.hasPrefix("error: ") } ?? ""
    #expect(error.hasPrefix("error: database: ") && error.contains(role), Comment(rawValue: run.errorOutput))
    #expect(try farm.ledger.status(job: job)?.state == .queued)
  }

  @Test func `the document of a finished job is not verified by who may not read it`() throws {
    let farm = try RealFarm()
    let job = try farm.submit(chunks: 1)
    try farm.startCoordinator()
    try farm.startWorker("anna")
    try farm.waitDone(job)
    let run = try run(["verify", job], farm, try farm.login("spool_viewer"))
    #expect(run.code == 77 && run.errorOutput.contains("spool_operator"), Comment(rawValue: run.errorOutput))
  }

  @Test(arguments: ["status", "status JOB", "why JOB", "quota", "status --json"])
  func `a viewer sees what there is to see`(line: String) throws {
    let farm = try RealFarm()
    let job = try farm.submit(chunks: 1)
    let words = line.split(separator: " ").map { $0 == "JOB" ? job : String($0) }
    let run = try run(words, farm, try farm.login("spool_viewer"))
    #expect(run.code == 0 && !run.output.isEmpty, Comment(rawValue: run.errorOutput))
  }

  @Test func `a coordinator that may not make the schema says who does`() throws {
    let farm = try RealFarm()
    _ = try farm.psql("drop schema spool cascade")
    let run = try run(["coordinator", "--endpoint", "ipc:///nowhere/farm"], farm, try farm.login("spool_coordinator"))
    #expect(run.code == 77 && run.errorOutput.contains("'spool migrate'"), Comment(rawValue: run.errorOutput))
  }

  @Test func `a coordinator whose parent makes the schema waits for it, and makes none`() throws {
    let farm = try RealFarm(coordinator: ["--schema", "parent"])
    let login = try farm.login("spool_coordinator")
    _ = try farm.psql("drop schema spool cascade")
    try farm.startCoordinator(login)
    usleep(300_000)
    #expect(try farm.psql("select to_regclass('spool.schema_version')") == "")
    try farm.ledger.migrate()
    try farm.wait("it leads") { try farm.psql("select leader from spool.farm_status") == "coordinator" }
  }

  @Test func `renders leave no submitter behind, not even those that were killed`() throws {
    try TemporaryDirectory.with { folder in
      try SyntheticSource(frameCount: 10).write(to: "\(folder)/clip.mkv", ["-c:v", "libx264", "-qp", "10"])
      try Self.edit.write(toFile: "\(folder)/edit.json", atomically: false, encoding: .utf8)
      func render(_ name: String) throws {
        let run = try SpoolProgram.run(["render", "edit.json", "-o", "\(name).mp4", "--data", "data"], folder: folder)
        try #require(run.code == 0, Comment(rawValue: run.errorOutput))
      }
      func inDatabase<Result>(_ body: (PostgreSQLLedger) throws -> Result) throws -> Result {
        let cluster = try PostgreSQLCluster(dataDirectory: "\(folder)/data")
        try cluster.start()
        defer { cluster.stop() }
        return try body(PostgreSQLLedger(url: cluster.connectionString))
      }
      try render("one")
      try inDatabase { ledger throws in
        #expect(try ledger.submitters() == [])
        // A process 1 exists, but it began at another time.
        var orphan = RealFarm.submission("orphan", chunks: 1, output: "\(folder)/orphan.mp4", needs: Capabilities())
        orphan.submitter = "render 1 999999999"
        _ = try ledger.submit(orphan)
      }
      try render("two")
      try inDatabase { ledger throws in
        #expect(try ledger.status(job: "orphan")?.state == .cancelled)
        #expect(try ledger.submitters() == [])
      }
    }
  }

  // MARK: Private parts

  private static let edit = """
    {"spool": 1, "assets": {"a": {"path": "clip.mkv"}}, "composition": {"tracks": [{"id": "V", "media": "video", "segments": [
      {"asset": "a", "source": {"start": "0", "duration": "0.4"}}]}]}}
    """

  private func run(_ words: [String], _ farm: RealFarm, _ database: String) throws -> Completed {
    try SpoolProgram.run(words, folder: farm.directory, environment: ["SPOOL_DATABASE": database])
  }
}

extension RealFarm {
  /// The connection string of the farm's database for a new member of a role.
  fileprivate func login(_ role: String) throws -> String {
    let name = "login_\(UInt64.random(in: 0 ... .max))"
    _ = try psql("create role \(name) login in role \(role)")
    return url.replacing("user=spool", with: "user=\(name)")
  }

  fileprivate func user(of database: String) -> String {
    database.split(separator: " ").first { $0.hasPrefix("user=") }.map { String($0.dropFirst(5)) } ?? ""
  }
}
