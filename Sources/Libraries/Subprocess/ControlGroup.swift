internal import CLinux
internal import Glibc
internal import Linux

/// A control group in the kernel's hierarchy of version 2 (cgroups(7)). It is a folder whose files the kernel makes.
package struct ControlGroup: Hashable, Sendable {
  package let path: String
  /// Whether this type makes the group's files itself. True in tests only, where groups are ordinary folders.
  private let makesFiles: Bool

  package init(path: String, makesFiles: Bool = false) { (self.path, self.makesFiles) = (path, makesFiles) }

  package var name: String { FilePath.name(of: path) }

  /// The group that contains this one.
  package var parent: ControlGroup { ControlGroup(path: String(path.dropLast(name.count + 1)), makesFiles: makesFiles) }

  /// The group of that name inside this one. It is made when it is missing.
  package func makeChild(_ name: String) throws(SubprocessError) -> ControlGroup {
    let child = ControlGroup(path: "\(path)/\(name)", makesFiles: makesFiles)
    guard unsafe mkdir(child.path, 0o755) == 0 || errno == EEXIST else { throw SubprocessError("mkdir", errno, child.path) }
    return child
  }

  /// The groups directly inside this one; empty when they cannot be listed.
  package var children: [ControlGroup] {
    guard let folder = unsafe opendir(path) else { return [] }
    defer { unsafe closedir(folder) }
    var children: [ControlGroup] = []
    while let entry = unsafe readdir(folder) {
      let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) {
        unsafe $0.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
      }
      guard unsafe entry.pointee.d_type == UInt8(DT_DIR), !name.hasPrefix(".") else { continue }
      children.append(ControlGroup(path: "\(path)/\(name)", makesFiles: makesFiles))
    }
    return children
  }

  /// The text of one of the group's files, without the line feed at its end; nil when the file is missing or may not be read.
  package func read(_ file: String) -> String? { wholeText(of: "\(path)/\(file)") }

  package func write(_ text: String, to file: String) throws(SubprocessError) {
    let path = "\(path)/\(file)"
    let descriptor = unsafe open(path, O_WRONLY | O_CLOEXEC | (makesFiles ? O_CREAT | O_TRUNC : 0), 0o600)
    guard descriptor >= 0 else { throw SubprocessError("open", errno, path) }
    defer { close(descriptor) }
    guard unsafe Glibc.write(descriptor, text, text.utf8.count) == text.utf8.count else {
      throw SubprocessError("write", errno, path)
    }
  }

  /// Whether this process may make groups inside this one, move processes into them and limit them.
  package var isWritable: Bool {
    ["", "/cgroup.procs", "/cgroup.subtree_control"].allSatisfy { unsafe access(path + $0, W_OK) == 0 }
  }

  /// Whether systemd has marked the group as delegated (Delegate=).
  package var isMarkedDelegated: Bool { unsafe spool_has_delegation_mark(path) != 0 }

  /// The IDs of the processes in the group, in this process's own PID namespace.
  package var processes: [Int32] { read("cgroup.procs")?.split(separator: "\n").compactMap { Int32($0) } ?? [] }

  /// Moves a process with all its threads into the group. The ID 0 means this process.
  package func take(_ process: Int32) throws(SubprocessError) { try write("\(process)", to: "cgroup.procs") }

  /// Sends SIGKILL to all processes in the group and in the groups inside it. Needs Linux 5.14.
  package func kill() throws(SubprocessError) { try write("1", to: "cgroup.kill") }

  /// Removes the group unless a process or another group is in it.
  ///
  /// - Returns: whether the group is gone.
  package func remove() -> Bool { unsafe rmdir(path) == 0 || errno == ENOENT }
}

/// The whole text of a small file of the kernel's, without the line feed at its end; nil when it cannot be read.
func wholeText(of path: String) -> String? {
  let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
  guard descriptor >= 0 else { return nil }
  defer { close(descriptor) }
  var (bytes, block): ([UInt8], [UInt8]) = ([], [UInt8](repeating: 0, count: 1 << 16))
  // 16 MiB is more than the list of all mounts of a machine takes.
  while bytes.count < 16 << 20 {
    let count = SystemCall.uninterrupted { unsafe read(descriptor, &block, block.count) }
    guard count >= 0 else { return nil }
    if count == 0 { break }
    bytes += block.prefix(count)
  }
  return String(decoding: bytes.last == UInt8(ascii: "\n") ? bytes.dropLast() : bytes[...], as: UTF8.self)
}
