internal import FoundationEssentials
internal import Glibc
internal import Linux
internal import Subprocess

/// The processes that a database server left running: the server itself, where only its owner was killed, or those of its
/// sessions, where it was killed itself. A server starts only when none of them is left, because they hold its shared memory.
struct PostgreSQLClusterLeftover {
  /// Absolute path of PGDATA, without links. Every process of a server has it as its working folder, and no other process has.
  let data: String

  /// Stops the server if it still runs: a fast shutdown, then an immediate one. Then kills each process that is left. A killed
  /// session loses nothing, because the next start replays what was committed.
  ///
  /// The caller holds the lock on the data, so that no other server starts meanwhile.
  ///
  /// - Throws: when a process does not end.
  func stop() throws(PostgreSQLClusterError) {
    if let server, end(server, [(SIGINT, 30_000), (SIGQUIT, 5_000)]) { return }
    for process in processes() where !end(process.handle, [(SIGKILL, 10_000)]) {
      throw PostgreSQLClusterError(
        at: "process \(process.id)", "a process left over from an earlier database server cannot be stopped")
    }
  }

  /// The server that postmaster.pid names; nil when it does not run. PostgreSQL itself judges and removes a stale file.
  private var server: ProcessHandle? {
    // Without the file there is no server.
    guard let text = try? String(contentsOfFile: "\(data)/postmaster.pid", encoding: .utf8),
      let first = text.split(separator: "\n").first, let id = Int32(first), id > 1
    else { return nil }
    return process(id)
  }

  private func processes() -> [(id: Int32, handle: ProcessHandle)] {
    // Without /proc nothing is found, and PostgreSQL itself says what is in its way.
    let ids = ((try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []).compactMap(Int32.init)
    return ids.compactMap { id in process(id).map { (id, $0) } }
  }

  /// The process of that ID if it is one of the server's.
  private func process(_ id: Int32) -> ProcessHandle? {
    // The handle comes first: from then on the ID's meaning cannot change unnoticed.
    // A process that has ended has neither handle nor folder.
    guard let handle = try? ProcessHandle(id),
      // Another user's process may have the ID by now. Its folder cannot be read.
      let folder = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(id)/cwd"), folder == data
    else { return nil }
    return handle
  }

  /// Sends each signal and waits up to its milliseconds.
  ///
  /// - Returns: whether the process has ended.
  private func end(_ process: ProcessHandle, _ steps: [(signal: Int32, milliseconds: Int32)]) -> Bool {
    steps.contains { signal, milliseconds in
      guard process.signal(signal) else { return true }
      return Readiness.canRead(process.exitDescriptor, within: .milliseconds(milliseconds))
    }
  }
}
