internal import FoundationEssentials
internal import Glibc

/// A server that a killed run left behind, as its postmaster.pid tells.
struct PostgreSQLClusterLeftover {
  let processID: pid_t

  /// nil when no server runs on the data: a stale file is PostgreSQL's own to judge and remove.
  init?(data: String) {
    // No file, no server.
    guard let text = try? String(contentsOfFile: "\(data)/postmaster.pid", encoding: .utf8),
      let first = text.split(separator: "\n").first, let processID = pid_t(first), processID > 1
    else { return nil }
    // The number may be another process's by now: only a server has the data as its working directory.
    let directory = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(processID)/cwd")
    guard directory == data else { return nil }
    self.processID = processID
  }

  /// Stops it: fast shutdown, then immediate, then by force. Each step has its bound.
  func stop() throws(PostgreSQLClusterError) {
    for (signal, milliseconds) in [(SIGINT, 30_000), (SIGQUIT, 5_000), (SIGKILL, 5_000)] {
      guard kill(processID, signal) == 0 else { return }
      for _ in 0..<(milliseconds / 10) {
        guard kill(processID, 0) == 0 else { return }
        usleep(10_000)  // not our child, so there is nothing to wait on
      }
    }
    throw PostgreSQLClusterError(at: "process \(processID)", "a database server left over from an earlier run cannot be stopped")
  }
}
