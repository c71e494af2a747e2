internal import Glibc

extension ControlGroup {
  /// The control group of this process; nil where there is no hierarchy of version 2, or where this process cannot see its place
  /// in it.
  package static func own() -> ControlGroup? {
    guard let memberships = wholeText(of: "/proc/self/cgroup"), let mounts = wholeText(of: "/proc/self/mountinfo") else {
      return nil
    }
    return own(memberships: memberships, mounts: mounts)
  }

  /// - Parameters:
  ///   - memberships: the text of `/proc/self/cgroup` (cgroups(7)).
  ///   - mounts: the text of `/proc/self/mountinfo` (proc(5)).
  package static func own(memberships: String, mounts: String) -> ControlGroup? {
    guard let line = memberships.split(separator: "\n").first(where: { $0.hasPrefix("0::/") }) else { return nil }
    let group = line.dropFirst(3)
    // The group lies above the root of this process's cgroup namespace.
    guard !group.hasPrefix("/..") else { return nil }
    for mount in mounts.split(separator: "\n") {
      let fields = mount.split(separator: " ")
      guard let dash = fields.firstIndex(of: "-"), dash >= 6, dash + 1 < fields.count, fields[dash + 1] == "cgroup2" else {
        continue
      }
      let (root, place) = (fields[3] == "/" ? "" : fields[3], fields[4])
      guard group == root || group.hasPrefix(root + "/") else { continue }
      let below = group.dropFirst(root.count)
      return ControlGroup(path: String(place + (below == "/" ? "" : below)))
    }
    return nil
  }

  /// The lowest memory limit of this group and the groups above it that this process can see, in bytes; nil when none has a
  /// limit.
  package var memoryLimit: Int? {
    var (limit, group): (Int?, ControlGroup) = (nil, self)
    // The root of the hierarchy has a list of controllers, but no limit.
    while group.read("cgroup.controllers") != nil {
      if let own = group.read("memory.max").flatMap({ Int($0) }) { limit = min(limit ?? own, own) }
      group = group.parent
    }
    return limit
  }

  /// The counts in a file whose lines are such as "oom_kill 3". Empty when the file cannot be read.
  package func counts(in file: String) -> [Substring: Int] {
    let text = read(file) ?? ""
    return text.split(separator: "\n").reduce(into: [:]) { counts, line in
      let words = line.split(separator: " ")
      guard words.count == 2, let count = Int(words[1]) else { return }
      counts[words[0]] = count
    }
  }
}
