import FarmTesting
import Subprocess
import Testing

struct ControlGroupTests {
  private static let mounts = """
    24 29 0:22 / /proc rw,nosuid shared:14 - proc proc rw
    30 23 0:26 / /sys/fs/cgroup ro,nosuid shared:9 - tmpfs tmpfs ro,mode=755
    31 30 0:27 / /sys/fs/cgroup/memory rw shared:4 - cgroup cgroup rw,memory
    32 30 0:28 ROOT PLACE rw,nosuid,nodev master:10 propagate_from:2 - cgroup2 cgroup2 rw,nsdelegate
    """

  @Test(
    arguments: [
      // A unit of a machine's systemd.
      ("0::/system.slice/spool-worker.service", "/", "/sys/fs/cgroup", "/sys/fs/cgroup/system.slice/spool-worker.service"),
      // A container with a cgroup namespace of its own.
      ("0::/", "/", "/sys/fs/cgroup", "/sys/fs/cgroup"),
      // A container that sees its part of the machine's hierarchy.
      ("0::/docker/c0ffee/a", "/docker/c0ffee", "/sys/fs/cgroup", "/sys/fs/cgroup/a"),
      ("0::/docker/c0ffee", "/docker/c0ffee", "/sys/fs/cgroup", "/sys/fs/cgroup"),
      ("0::/docker/c0ffee1", "/docker/c0ffee", "/sys/fs/cgroup", nil),
      // A hierarchy of version 2 beside one of version 1.
      ("4:memory:/a\n1:name=systemd:/b\n0::/c", "/", "/sys/fs/cgroup/unified", "/sys/fs/cgroup/unified/c"),
      ("4:memory:/a\n1:name=systemd:/b", "/", "/sys/fs/cgroup/unified", nil),
      // A group outside of what the namespace shows.
      ("0::/../other", "/", "/sys/fs/cgroup", nil),
    ] as [(String, String, String, String?)])
  func `a process's group is where the kernel mounted it`(memberships: String, root: String, place: String, group: String?) {
    let mounts = Self.mounts.replacing("ROOT", with: root).replacing("PLACE", with: place)
    #expect(ControlGroup.own(memberships: memberships, mounts: mounts)?.path == group)
  }

  @Test func `without a mount of version 2 there is no group`() {
    let mounts = Self.mounts.split(separator: "\n").dropLast().joined(separator: "\n")
    #expect(ControlGroup.own(memberships: "0::/", mounts: mounts) == nil)
  }

  @Test(
    arguments: [(["max", "max"], nil), (["max", "100"], 100), (["70", "100"], 70), (["100", "70"], 70)] as [([String], Int?)])
  func `the least limit of a group and those above it counts`(limits: [String], least: Int?) throws {
    let directory = TemporaryDirectory()
    let root = ControlGroup(path: directory.path, makesFiles: true)
    try root.write("memory", to: "cgroup.controllers")
    let group = try limits.reduce(root) { parent, limit in
      let child = try parent.makeChild("a")
      try child.write("memory", to: "cgroup.controllers")
      try child.write(limit, to: "memory.max")
      return child
    }
    #expect(group.memoryLimit == least)
  }

  @Test func `counts are read line by line`() throws {
    let directory = TemporaryDirectory()
    let group = ControlGroup(path: directory.path, makesFiles: true)
    try group.write("low 0\noom 2\noom_kill 11\nstrange\n", to: "memory.events")
    #expect(group.counts(in: "memory.events") == ["low": 0, "oom": 2, "oom_kill": 11])
    #expect(group.counts(in: "missing") == [:])
  }

  @Test func `no file is made in a group of the kernel's`() throws {
    let directory = TemporaryDirectory()
    #expect(throws: SubprocessError("open", 2, "\(directory.path)/memory.max")) {
      try ControlGroup(path: directory.path).write("1", to: "memory.max")
    }
  }
}
