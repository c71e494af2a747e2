internal import FoundationEssentials
internal import Glibc
internal import Subprocess

/// A database server that a killed run left behind, found by its postmaster.pid.
struct PostgreSQLClusterLeftover {
  private let processID: pid_t
  private let process: ProcessHandle

  /// Returns nil when no server runs on the data. PostgreSQL itself judges and removes a stale file.
  init?(data: String) {
    // Without the file there is no server.
    guard let text = try? String(contentsOfFile: "\(data)/postmaster.pid", encoding: .utf8),
      let first = text.split(separator: "\n").first, let processID = pid_t(first), processID > 1
    else { return nil }
    // When no process has that ID, there is no server.
    guard let process = try? ProcessHandle(processID) else { return nil }
    (self.process, self.processID) = (process, processID)
    // Another process may have the ID by now. Only a server has the data as its working folder.
    let directory = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(processID)/cwd")
    guard directory == data else { return nil }
  }

  /// Stops the server: a fast shutdown, then an immediate one, then SIGKILL. Each step has its time limit in milliseconds.
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
