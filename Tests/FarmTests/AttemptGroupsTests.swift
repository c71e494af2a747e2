import FarmTesting
import FoundationEssentials
import Messages
import Scheduling
import Subprocess
import Testing
import Worker

/// Control groups of a worker, on folders that look like groups. scripts/check-control-groups uses the kernel's.
struct AttemptGroupsTests {
  private static let claimant = AttemptGroups.Claimant(process: 100, parent: 1, needsMark: false)
  private static let key = AttemptKey(task: 7, attempt: 2)
  private let directory = TemporaryDirectory()

  /// Makes a folder that looks like a group which systemd has delegated.
  private func makeGroup(
    controllers: String = "cpu memory pids", type: String? = "domain", processes: [Int32] = [100]
  ) throws -> ControlGroup {
    let group = try ControlGroup(path: directory.path, makesFiles: true).makeChild("unit")
    try group.write(controllers, to: "cgroup.controllers")
    if let type { try group.write(type, to: "cgroup.type") }
    try group.write(processes.map { "\($0)\n" }.joined(), to: "cgroup.procs")
    try group.write("", to: "cgroup.subtree_control")
    return group
  }

  @Test(arguments: [("cpu memory pids", "+memory +pids"), ("memory", "+memory")])
  func `the worker moves below its group, which then limits the groups beside it`(controllers: String, enabled: String) throws {
    let unit = try makeGroup(controllers: controllers)
    let groups = try AttemptGroups(claiming: unit, for: Self.claimant)
    #expect(groups.root == unit)
    #expect(unit.children.map(\.name) == ["spool-worker"])
    #expect(unit.children.first?.read("cgroup.procs") == "100")
    #expect(unit.read("cgroup.subtree_control") == enabled)
  }

  @Test(
    arguments: [
      ("cpu pids", "domain", [100], false, "'UNIT' does not control memory"),
      ("memory", nil, [100], false, "'UNIT' is not given away"),
      ("memory", "domain threaded", [100], false, "'UNIT' is of type 'domain threaded'"),
      ("memory", "domain", [100], true, "'UNIT' is not given away"),
      ("memory", "domain", [1, 100, 101], false, "'UNIT' holds other processes"),
    ] as [(String, String?, [Int32], Bool, String)])
  func `a group that is not the worker's alone is left as it is`(
    controllers: String, type: String?, processes: [Int32], needsMark: Bool, reason: String
  ) throws {
    let unit = try makeGroup(controllers: controllers, type: type, processes: processes)
    var claimant = Self.claimant
    claimant.needsMark = needsMark
    let refusal = #expect(throws: AttemptGroups.Unavailable.self) { try AttemptGroups(claiming: unit, for: claimant) }
    #expect(refusal?.description == reason.replacing("UNIT", with: unit.path))
    #expect(unit.children == [])
    #expect(unit.read("cgroup.subtree_control") == "")
  }

  @Test func `without a group there is nothing to take`() {
    let refusal = #expect(throws: AttemptGroups.Unavailable.self) { try AttemptGroups(claiming: nil, for: Self.claimant) }
    #expect(refusal?.description == "no cgroups of version 2")
  }

  @Test func `what a worker that was killed has left is killed by the one that follows it in its group`() throws {
    let unit = try makeGroup(processes: [])
    let (old, left) = (try unit.makeChild("spool-worker"), try unit.makeChild("attempt-7-2"))
    try old.write("100\n1\n", to: "cgroup.procs")
    let foreign = try unit.makeChild("other")
    let groups = try AttemptGroups(claiming: old, for: Self.claimant)
    #expect(groups.root == unit)
    #expect(left.read("cgroup.kill") == "1")
    // A folder with a file in it cannot be removed, like a group with a process in it.
    #expect(groups.leftGroups().map(\.path) == [left.path])
    #expect(foreign.read("cgroup.kill") == nil)
  }

  @Test func `an attempt's group is limited in memory, in swap and in processes, and dies whole`() throws {
    let unit = try makeGroup()
    let group = try AttemptGroups(claiming: unit, for: Self.claimant).makeGroup(for: Self.key, memoryBytes: 512 << 20)
    let made = try #require(unit.children.first { $0.name == "attempt-7-2" })
    #expect(group.path == made.path)
    let files = ["memory.max", "memory.swap.max", "memory.oom.group", "pids.max"].map { made.read($0) }
    #expect(files == ["536870912", "0", "1", "512"])
    group.kill()
    #expect(made.read("cgroup.kill") == "1")
  }

  @Test(arguments: ["attempt", "courier"])
  func `an attempt and its courier join the group before they read their order`(verb: String) throws {
    let group = try makeGroup(processes: [])
    let run = try SpoolProgram.run(
      [verb, "--store", directory.path, "--control-group", group.path] + (verb == "attempt" ? ["--media-root", "/"] : []),
      input: "no order\n")
    // Zero is the process that writes it.
    #expect(run.code == 70 && group.read("cgroup.procs") == "0", "\(run.errorOutput)")
  }

  @Test(
    arguments: [
      ("low 0\nhigh 0\nmax 9\noom 0\noom_kill 0\n", nil), ("oom 1\noom_kill 2\n", .limit(mebibytes: 512)),
      ("oom 0\noom_kill 1\n", .machine), ("", nil),
    ] as [(String, MemoryShortage?)])
  func `the kernel's counts tell whose memory ran out`(events: String, shortage: MemoryShortage?) throws {
    let unit = try makeGroup()
    let group = try AttemptGroups(claiming: unit, for: Self.claimant).makeGroup(for: Self.key, memoryBytes: 512 << 20)
    try ControlGroup(path: group.path, makesFiles: true).write(events, to: "memory.events")
    try ControlGroup(path: group.path, makesFiles: true).write("5242880\n", to: "memory.peak")
    #expect(group.shortage == shortage)
    #expect(group.peakMemoryBytes == 5 << 20)
  }

  @Test func `a group that something still leaves is removed later`() throws {
    let unit = try makeGroup()
    let group = try AttemptGroups(claiming: unit, for: Self.claimant).makeGroup(for: Self.key, memoryBytes: nil)
    #expect(!group.remove(), "the folder is not empty")
    for name in try FileManager.default.contentsOfDirectory(atPath: group.path) {
      try FileManager.default.removeItem(atPath: "\(group.path)/\(name)")
    }
    // Without `makesFiles` nothing creates the files again, as in a group of the kernel.
    #expect(ControlGroup(path: group.path).remove())
    #expect(group.remove(), "gone is gone")
  }
}
