internal import FoundationEssentials
internal import Glibc
internal import Subprocess

/// A server that a killed run left behind, as its postmaster.pid tells.
struct PostgreSQLClusterLeftover {
  private let processID: pid_t
  private let process: ProcessHandle

  /// nil when no server runs on the data: a stale file is PostgreSQL's own to judge and remove.
  init?(data: String) {
    // No file, no server.
    guard let text = try? String(contentsOfFile: "\(data)/postmaster.pid", encoding: .utf8),
      let first = text.split(separator: "\n").first, let processID = pid_t(first), processID > 1
    else { return nil }
    // No process of that number, no server.
    guard let process = try? ProcessHandle(processID) else { return nil }
    (self.process, self.processID) = (process, processID)
    // The number may be another process's by now: only a server has the data as its working directory.
    let directory = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(processID)/cwd")
    guard directory == data else { return nil }
  }

  /// Stops it: fast shutdown, then immediate, then by force. Each step has its bound in milliseconds.
  func stop() throws(PostgreSQLClusterError) {
    for (signal, bound) in [(SIGINT, 30_000), (SIGQUIT, 5_000), (SIGKILL, 5_000)] as [(Int32, Int32)] {
      guard process.signal(signal) else { return }
      var exit = pollfd(fd: process.exitDescriptor, events: Int16(POLLIN), revents: 0)
      if unsafe poll(&exit, 1, bound) == 1 { return }
    }
    throw PostgreSQLClusterError(
      at: "process \(processID)", "a database server left over from an earlier run cannot be stopped")
  }
}
