import FarmTesting
import FoundationEssentials
import Glibc
import Ledger
import LocalFarm
import Messages
import PostgreSQL
import Scheduling
import Subprocess
import Testing

/// A schema's owner without special rights: no superuser, and not allowed to create roles.
struct OwnerTests {
  @Test func `an owner that may make no roles has a farm without them, is told so, and grants them once they are there`() throws {
    try TemporaryDirectory.with { folder in
      let cluster = try PostgreSQLCluster(dataDirectory: folder)
      try cluster.start()
      defer { cluster.stop() }
      let superuser = try Connection(url: cluster.connectionString, applicationName: "test")
      try superuser.run("create role studio login")
      try superuser.run("create database farm owner studio")
      let url = cluster.connectionString.replacing("dbname=postgres", with: "dbname=farm").replacing(
        "user=spool", with: "user=studio")
      let owner = PostgreSQLLedger(url: url)
      var reports: [String] = []
      try owner.migrate { reports.append($0.description) }
      let all = RolesTests.roles.joined(separator: " ")
      #expect(reports == ["event=lacks_roles roles=\"\(all)\""])
      _ = try owner.submit(Bench.submission("job"))
      #expect(try owner.change(job: "job", .prioritise(3)) == true && owner.cancel(job: "job") == [])
      try owner.require(role: "spool_coordinator", "to give out a farm's work")
      try superuser.run("create role spool_viewer login; create role spool_coordinator login")
      #expect(try owner.grantRoles() == "spool_submitter spool_any_submitter spool_operator")
      let viewer = PostgreSQLLedger(url: url.replacing("user=studio", with: "user=spool_viewer"))
      #expect(try viewer.jobs(limit: 1).map(\.id) == ["job"])
      // A role that is not the owner may not migrate.
      let refusal = "to make or change the schema takes the role that owns it ('spool migrate'): "
      #expect {
        try viewer.grantRoles()
      } throws: { error in
        guard case .forbidden(let reason) = error as? LedgerError else { return false }
        return reason.hasPrefix(refusal)
      }
    }
  }
}

/// The file deploy/database/roles.sql, which makes the roles and the database of the shipped setup.
struct ShippedRolesTests {
  @Test func `the shipped roles have passwords from files, are nobody special, and are enough for a farm`() throws {
    try TemporaryDirectory.with { folder in
      let cluster = try PostgreSQLCluster(dataDirectory: folder)
      try cluster.start()
      defer { cluster.stop() }
      let names = ["spool_owner", "spool_coordinator", "spool_submitter", "spool_operator", "spool_viewer"]
      for name in names { try "secret of \(name)".write(toFile: "\(folder)/\(name)", atomically: false, encoding: .utf8) }
      // A second run keeps what is there.
      for _ in 0..<2 { try run(cluster.connectionString, secrets: folder) }
      let superuser = try Connection(url: cluster.connectionString, applicationName: "test")
      let special = Statement(
        "special",
        """
        select count(*) filter (where rolsuper or rolcreaterole or rolcreatedb or rolreplication or rolbypassrls) as special,
          count(*) filter (where rolcanlogin and rolpassword like 'SCRAM-SHA-256$%') as login,
          (select rolpassword is null from pg_authid where rolname = 'spool') as superuser_lacks_one
        from pg_authid where rolname like 'spool\\_%'
        """)
      let row = try superuser.query(special)[0]
      #expect(try row.value("special") == 0 && row.value("login") == 5 && row.value("superuser_lacks_one") == true)
      func url(_ role: String) -> String {
        cluster.connectionString.replacing("dbname=postgres", with: "dbname=spool").replacing("user=spool", with: "user=\(role)")
      }
      try PostgreSQLLedger(url: url("spool_owner")).migrate()
      var submission = Bench.submission("job")
      submission.submitter = "spool_submitter"
      _ = try PostgreSQLLedger(url: url("spool_submitter")).submit(submission)
      #expect(try PostgreSQLLedger(url: url("spool_viewer")).jobs(limit: 9).count == 1)
      #expect(try PostgreSQLLedger(url: url("spool_coordinator")).lead(Candidate(name: "c", epoch: "c")) == .leads(term: 1))
      #expect(try PostgreSQLLedger(url: url("spool_operator")).cancel(job: "job") == [])
      for name in names {
        let connection = try Connection(url: url(name), applicationName: "test")
        for attack in [
          "copy (select 1) to program 'true'", "copy spool.pace from program 'id'", "select pg_read_file('/etc/passwd')",
        ] {
          #expect("\(name): \(attack)") {
            try connection.run(attack)
          } throws: { ($0 as? PostgreSQLError)?.kind == .statement(.insufficientPrivilege) }
        }
      }
      try superuser.run("create role stranger login")
      #expect(throws: LedgerError.self) { _ = try PostgreSQLLedger(url: url("stranger")).jobs(limit: 1) }
    }
  }

  private func run(_ url: String, secrets: String) throws {
    let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../deploy/database/roles.sql")
      .standardized.path
    let psql = Command(
      "/usr/bin/psql", ["-XAt", "-v", "secrets=\(secrets)", "-f", file, url], environment: ["PATH": "/usr/bin:/bin"])
    let completed = try #require(try psql.run(timeoutMilliseconds: 30_000))
    #expect(completed.status.isSuccess, Comment(rawValue: completed.errorOutput))
  }
}
