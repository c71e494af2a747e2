import Ledger
import PostgreSQL

/// Roles for one test. All databases of a server share them, and they disappear with the server.
struct Logins {
  /// The connection string of the database's superuser.
  let url: String

  struct Login {
    let name: String
    let url: String

    func job(_ id: String, chunks: Int = 1, priority: Int = 0) -> JobSubmission {
      var submission = Bench.submission(id, chunks: chunks, priority: priority)
      submission.submitter = name
      return submission
    }
  }

  /// Makes a role that may connect; it becomes a member of `role` if one is given.
  func new(_ role: String?) throws -> Login {
    let name = "login_\(UInt64.random(in: 0 ... .max))"
    let connection = try Connection(url: url, applicationName: "test")
    try connection.run("create role \(name) login")
    if let role { try connection.run("grant \(role) to \(name)") }
    return Login(name: name, url: url.replacing("user=spool", with: "user=\(name)"))
  }
}
