import FarmTesting
import Glibc
import Messages
import Subprocess
import Testing

/// Processes of a worker that wait for their orders.
@Suite(.serialized) struct WaitingAttemptTests {
  @Test func `a worker has a process waiting for each slot, and attempts take them`() throws {
    let (farm, worker) = try Self.farm()
    let waiting = try Self.waiting(2, below: worker, farm)
    let job = try farm.submit(medium: "a.mp4")
    try farm.waitDone(job)
    // The chunk and the sound, or the mux, took these two. Both have ended with their work.
    let left = try ProcessTree().descendants(of: worker).map(\.id)
    #expect(waiting.allSatisfy { !left.contains($0) })
    _ = try Self.waiting(2, below: worker, farm)
    #expect(try farm.psql("select count(*) from spool.attempt where outcome <> 'won'") == "0")
  }

  @Test func `when they are killed, attempts begin without them, and others wait afterwards`() throws {
    let (farm, worker) = try Self.farm()
    for process in try Self.waiting(2, below: worker, farm) { kill(process, SIGKILL) }
    try farm.waitDone(try farm.submit(medium: "a.mp4"))
    _ = try Self.waiting(2, below: worker, farm)
    #expect(try farm.psql("select count(*) from spool.attempt where outcome <> 'won'") == "0")
  }

  @Test func `they end with a worker that is killed`() throws {
    let (farm, worker) = try Self.farm()
    let waiting = try Self.waiting(2, below: worker, farm)
    try farm.kill(farm.workers["anna"])
    try farm.wait("nobody waits any more") {
      let left = try ProcessTree().processes.filter { $0.arguments.count > 1 }.map(\.id)
      return waiting.allSatisfy { !left.contains($0) }
    }
  }

  @Test func `one that gets no order ends in peace, and one that gets nonsense says so`() throws {
    let directory = TemporaryDirectory()
    for (order, words) in [(nil, ""), ("no order\n", "openFiles=100\n"), ("{}", "nonsense")] as [(String?, String)] {
      var line: FileLine? = try FileLine()
      let end = try #require(line?.end)
      var command = SpoolProgram.command([
        "attempt", "--store", directory.path, "--media-root", "/", "--leash", "3", "--order", "4",
      ])
      (command.output, command.errorOutput) = (.null, .null)
      let leash = try Leash()
      let child = try ChildProcess(command, passing: [leash.end, end])
      if let order { try line?.send(.memory(Array(order.utf8)), with: words) }
      line = nil
      #expect(try child.wait() == .exited(order == nil ? 0 : 70))
    }
  }

  @Test func `one joins the group that comes with its order before it reads that`() throws {
    let directory = TemporaryDirectory()
    let group = ControlGroup(path: directory.file("group"), makesFiles: true)
    try #require(unsafe mkdir(group.path, 0o755) == 0)
    try group.write("", to: "cgroup.procs")
    let line = try FileLine()
    var command = SpoolProgram.command([
      "attempt", "--store", directory.path, "--media-root", "/", "--leash", "3", "--order", "4",
    ])
    (command.output, command.errorOutput) = (.null, .null)
    let leash = try Leash()
    let child = try ChildProcess(command, passing: [leash.end, line.end])
    try line.send(.memory(Array("no order\n".utf8)), with: "\n\(group.path)")
    #expect(try child.wait() == .exited(70))
    // Zero is the process that writes it.
    #expect(group.read("cgroup.procs") == "0")
  }

  /// A farm with one worker of two slots that renders, and the worker's process.
  private static func farm() throws -> (farm: RealFarm, worker: Int32) {
    let farm = try RealFarm()
    try SyntheticSource(width: 32, height: 32, frameRate: "25", frameCount: 10)
      .write(to: "\(farm.directory)/a.mp4", ["-c:v", "libx264"])
    try farm.startCoordinator()
    try farm.startWorker("anna", renders: true)
    return (farm, try #require(farm.workers["anna"]).processID)
  }

  private static func waiting(_ count: Int, below worker: Int32, _ farm: RealFarm) throws -> [Int32] {
    var found: [Int32] = []
    try farm.wait("\(count) processes wait") {
      found = try ProcessTree().waiting(below: worker)
      return found.count == count
    }
    return found
  }
}
