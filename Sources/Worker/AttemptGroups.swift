internal import Glibc
package import Messages
package import Scheduling
package import Subprocess

/// The part of the kernel's control groups (cgroups(7), version 2) that was given to this worker, by systemd or by who made its container:
/// the worker itself in a group of it, each attempt in another one.
package struct AttemptGroups: Sendable {
  /// Why a worker does without.
  package struct Unavailable: Error, Hashable, Sendable, CustomStringConvertible {
    package let description: String
  }

  /// Who takes a group.
  package struct Claimant: Sendable {
    package var process: Int32
    package var parent: Int32
    /// Whether a group must bear systemd's mark to be taken: to root everything is writable, and what systemd has not given away
    /// stays systemd's.
    package var needsMark: Bool

    package init(process: Int32, parent: Int32, needsMark: Bool) {
      (self.process, self.parent, self.needsMark) = (process, parent, needsMark)
    }

    package static var thisProcess: Claimant {
      Claimant(
        process: getpid(), parent: getppid(), needsMark: unsafe geteuid() == 0 && access("/run/systemd/system", F_OK) == 0)
    }
  }

  /// Of the worker itself: the kernel has limits only where no process is beside the groups.
  package static let workerGroup = "spool-worker"
  package static let prefix = "attempt-"

  /// What lies below it is this worker's.
  package let root: ControlGroup
  /// What a worker that was killed has left here and could not be removed yet: a process that the disk holds dies late.
  private let left: [ControlGroup]

  /// Takes the group that this process is in, if it is given away and holds nobody else: moves this process, and its parent
  /// when that is there (the init of a container), into a group below it, and ends what a worker that was killed has left there.
  ///
  /// Call it before attempts are started. The worker has its old limits wherever it throws.
  package init(claiming own: ControlGroup?, for claimant: Claimant = .thisProcess) throws(Unavailable) {
    guard let own else { throw Unavailable(description: "no cgroups of version 2") }
    root = own.name == Self.workerGroup ? own.parent : own
    let controllers = Set((root.read("cgroup.controllers") ?? "").split(separator: " "))
    // The root of all has no type.
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

  /// To be removed when nobody is in them any more.
  package func leftGroups() -> [AttemptGroup] { left.map(AttemptGroup.init(left:)) }

  /// For one attempt, whose process joins it.
  package func makeGroup(for key: AttemptKey, memoryBytes: Int?) throws(SubprocessError) -> AttemptGroup {
    try AttemptGroup(root.makeChild("\(Self.prefix)\(key.task)-\(key.attempt)"), memoryBytes: memoryBytes)
  }
}

/// The group of one attempt: its processes end with it.
package final class AttemptGroup {
  /// Processes and threads: an attempt has about ten, a compositor of the user's perhaps one for each core.
  package static let mostTasks = 512

  private let group: ControlGroup
  private let memoryBytes: Int?
  package var path: String { group.path }

  fileprivate init(_ group: ControlGroup, memoryBytes: Int?) throws(SubprocessError) {
    (self.group, self.memoryBytes) = (group, memoryBytes)
    do throws(SubprocessError) {
      try group.write(memoryBytes.map { "\($0)" } ?? "max", to: "memory.max")
      // All of them or none: half an attempt is of no use.
      try group.write("1", to: "memory.oom.group")
      for (file, text) in [("memory.swap.max", "0"), ("pids.max", "\(Self.mostTasks)")] {
        // Where the machine has no swap, or processes are not counted, there is no such file.
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

  /// SIGKILL to all of it.
  package func kill() {
    // It is gone already, or will be: nothing else is refused to whoever made it.
    try? group.kill()
  }

  /// Ends what is left in it. - Returns: whether it is gone; what was killed a moment ago may still be leaving it.
  package func remove() -> Bool {
    kill()
    return group.remove()
  }

  /// The most memory it held at a time; nil on kernels before 5.19.
  package var peakMemoryBytes: Int? { group.read("memory.peak").flatMap { Int($0) } }

  /// What the kernel killed it for; nil when it did not, or not for memory.
  package var shortage: MemoryShortage? {
    let events = group.counts(in: "memory.events")
    guard events["oom_kill", default: 0] > 0 else { return nil }
    if events["oom", default: 0] > 0, let memoryBytes { return .limit(mebibytes: memoryBytes >> 20) }
    return .machine
  }
}
