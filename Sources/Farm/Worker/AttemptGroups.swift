internal import Glibc
package import Messages
package import Scheduling
package import Subprocess

/// The kernel's control groups (cgroups(7), version 2) below the group that systemd, or the creator of the container, gave to
/// this worker. The worker is in one of them, and each attempt in another.
package struct AttemptGroups: Sendable {
  /// The reason why a worker has no such groups.
  package struct Unavailable: Error, Hashable, Sendable, CustomStringConvertible {
    package let description: String
  }

  /// The process that claims a group.
  package struct Claimant: Sendable {
    package var process: Int32
    package var parent: Int32
    /// Whether the group must bear systemd's mark of delegation. Root can write everywhere, but what systemd has not delegated
    /// belongs to systemd.
    package var needsMark: Bool

    package init(process: Int32, parent: Int32, needsMark: Bool) {
      (self.process, self.parent, self.needsMark) = (process, parent, needsMark)
    }

    package static var thisProcess: Claimant {
      Claimant(
        process: getpid(), parent: getppid(), needsMark: unsafe geteuid() == 0 && access("/run/systemd/system", F_OK) == 0)
    }
  }

  /// The name of the worker's own group. The kernel applies limits to groups only if no process is in the group above them.
  package static let workerGroup = "spool-worker"
  package static let prefix = "attempt-"

  /// The group that was given to this worker. Everything below it is the worker's.
  package let root: ControlGroup
  /// Groups that an earlier, killed worker left and that could not be removed yet. A process that waits for the disk dies late.
  private let left: [ControlGroup]

  /// Takes the group of this process, if it was delegated and holds no other processes. It moves this process into a group below
  /// it, and its parent too if that is in the group (the init of a container). It kills what a killed worker has left there.
  ///
  /// Call it before attempts are started. If it throws, the worker keeps its old limits.
  package init(claiming own: ControlGroup?, for claimant: Claimant = .thisProcess) throws(Unavailable) {
    guard let own else { throw Unavailable(description: "no cgroups of version 2") }
    root = own.name == Self.workerGroup ? own.parent : own
    let controllers = Set((root.read("cgroup.controllers") ?? "").split(separator: " "))
    // Only the root group has no type.
    guard let type = root.read("cgroup.type") else { throw Unavailable(description: "'\(root.path)' is not given away") }
    guard type == "domain" else { throw Unavailable(description: "'\(root.path)' is of type '\(type)'") }
    guard controllers.contains("memory") else { throw Unavailable(description: "'\(root.path)' does not control memory") }
    guard root.isWritable, !claimant.needsMark || root.isMarkedDelegated else {
      throw Unavailable(description: "'\(root.path)' is not given away")
    }
    let others = Set(own.processes + root.processes).subtracting([claimant.process, claimant.parent])
    guard others.isEmpty else { throw Unavailable(description: "'\(root.path)' holds other processes") }
    do throws(SubprocessError) {
      let old = root.children.filter { $0.name.hasPrefix(Self.prefix) }
      for group in old { try group.kill() }
      left = old.filter { !$0.remove() }
      let leaf = try root.makeChild(Self.workerGroup)
      for member in root.processes { try leaf.take(member) }
      try root.write(controllers.contains("pids") ? "+memory +pids" : "+memory", to: "cgroup.subtree_control")
    } catch { throw Unavailable(description: "\(error)") }
  }

  /// The groups of an earlier worker, to be removed once they are empty.
  package func leftGroups() -> [AttemptGroup] { left.map(AttemptGroup.init(left:)) }

  /// A new group for an attempt, whose process joins it.
  package func makeGroup(for key: AttemptKey, memoryBytes: Int?) throws(SubprocessError) -> AttemptGroup {
    try AttemptGroup(root.makeChild("\(Self.prefix)\(key.task)-\(key.attempt)"), memoryBytes: memoryBytes)
  }
}

/// The group of one attempt. Its `deinit` kills all processes in it.
package final class AttemptGroup {
  /// The most processes and threads. An attempt has about ten; a user's compositor may have one for each core.
  package static let mostTasks = 512

  private let group: ControlGroup
  private let memoryBytes: Int?
  package var path: String { group.path }

  fileprivate init(_ group: ControlGroup, memoryBytes: Int?) throws(SubprocessError) {
    (self.group, self.memoryBytes) = (group, memoryBytes)
    do throws(SubprocessError) {
      try group.write(memoryBytes.map { "\($0)" } ?? "max", to: "memory.max")
      // The kernel kills all processes of the group or none, because half an attempt is of no use.
      try group.write("1", to: "memory.oom.group")
      for (file, text) in [("memory.swap.max", "0"), ("pids.max", "\(Self.mostTasks)")] {
        // The first file is missing on machines without swap, the second where processes are not counted.
        do throws(SubprocessError) { try group.write(text, to: file) } catch { guard error.code == ENOENT else { throw error } }
      }
    } catch {
      _ = group.remove()
      throw error
    }
  }

  fileprivate init(left group: ControlGroup) { (self.group, memoryBytes) = (group, nil) }

  deinit {
    kill()
    _ = group.remove()
  }

  /// Sends SIGKILL to all processes of the group.
  package func kill() {
    // The only error possible here is that the group is gone already.
    try? group.kill()
  }

  /// Kills what is left in the group and removes it.
  ///
  /// - Returns: whether the group is gone. Processes that were just killed may still be leaving it.
  package func remove() -> Bool {
    kill()
    return group.remove()
  }

  /// The most memory that the group held, in bytes; nil on kernels before 5.19.
  package var peakMemoryBytes: Int? { group.read("memory.peak").flatMap { Int($0) } }

  /// The limit for which the kernel killed the group; nil when it did not, or for another reason than memory.
  package var shortage: MemoryShortage? {
    let events = group.counts(in: "memory.events")
    guard events["oom_kill", default: 0] > 0 else { return nil }
    if events["oom", default: 0] > 0, let memoryBytes { return .limit(mebibytes: memoryBytes >> 20) }
    return .machine
  }
}
