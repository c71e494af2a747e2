import FarmTesting
import FoundationEssentials
import Glibc
import Subprocess
import Testing

/// The health of real processes, as those see it who start them.
@Suite(.serialized) struct `The health of a farm's processes` {
  private let directory = TemporaryDirectory()

  private func started(_ arguments: [String], _ log: String) throws -> (process: ChildProcess, port: String) {
    var command = SpoolProgram.command(arguments + ["--health", "0"])
    (command.output, command.errorOutput) = (.null, .file(directory.file(log)))
    let process = try ChildProcess(command)
    while try process.poll() == nil {
      let told = (try? String(contentsOfFile: directory.file(log), encoding: .utf8)) ?? ""
      if let port = told.firstMatch(of: /event=health \S+ port=(\d+)\n/)?.1 { return (process, String(port)) }
      usleep(10_000)
    }
    throw Ended()
  }

  private struct Ended: Error {}

  private func answer(_ port: String, _ question: String = "ready") throws -> Int32? {
    try SpoolProgram.run("health", port, "--is", question).code
  }

  @Test func `a coordinator and a worker are ready when they can work, and still end in order`() throws {
    let (database, endpoint) = (try TestCluster.shared.get().makeDatabase(), "ipc://\(directory.file("farm"))")
    for name in ["store", "media"] { try #require(unsafe mkdir(directory.file(name), 0o755) == 0) }
    let (worker, door) = try started(
      ["worker", "--connect", endpoint, "--store", directory.file("store"), "--media-root", directory.file("media")], "worker")
    defer { worker.signal(SIGKILL) }
    #expect(try answer(door, "alive") == 0 && answer(door) == 1, "nobody serves the worker yet")
    let (coordinator, desk) = try started(["coordinator", "--database", database, "--endpoint", endpoint], "coordinator")
    defer { coordinator.signal(SIGKILL) }
    while try coordinator.poll() == nil, try answer(desk, "leads") != 0 {}
    #expect(try answer(desk) == 0 && answer(desk, "alive") == 0)
    while try worker.poll() == nil, try answer(door) != 0 {}
    #expect(try worker.poll() == nil && answer(door, "leads") == 1)
    // The store is gone for the worker.
    try #require(unsafe rename(directory.file("store"), directory.file("elsewhere")) == 0)
    while try worker.poll() == nil, try answer(door) == 0 {}
    #expect(try worker.poll() == nil && answer(door, "alive") == 0)
    for process in [worker, coordinator] { process.signal(SIGTERM) }
    #expect(try worker.wait() == .exited(0) && coordinator.wait() == .exited(0))
    let log = try String(contentsOfFile: directory.file("coordinator"), encoding: .utf8)
    #expect(log.contains("event=stopped"))
    #expect(try answer(desk) == 69)
  }
}
