internal import FoundationEssentials

/// The processes below one, as /proc tells them.
package struct ProcessTree {
  package struct Process {
    package let id: Int32
    package let parent: Int32
    package let arguments: [String]
  }

  package let processes: [Process]

  /// All processes of the machine, now.
  package init() throws {
    processes = try FileManager.default.contentsOfDirectory(atPath: "/proc").compactMap(Int32.init).compactMap { id in
      // A process may end while it is looked at; it is then no more in the tree.
      guard let status = try? Data(contentsOf: URL(filePath: "/proc/\(id)/stat")),
        // It may end between the two.
        let line = try? Data(contentsOf: URL(filePath: "/proc/\(id)/cmdline"))
      else { return nil }
      // "pid (name) state ppid": the name may hold blanks and parentheses, what follows the last one does not.
      let fields = String(decoding: status, as: UTF8.self).split(separator: ")").last?.split(separator: " ") ?? []
      guard fields.count > 1, let parent = Int32(fields[1]) else { return nil }
      return Process(id: id, parent: parent, arguments: line.split(separator: 0).map { String(decoding: $0, as: UTF8.self) })
    }
  }

  /// The descendants of a process that `role` names: a verb of the program, or "postgres".
  package func descendants(of ancestor: Int32, role: String) -> [Int32] {
    descendants(of: ancestor).filter { process in
      role == "postgres"
        ? process.arguments.first?.hasSuffix("/postgres") == true : process.arguments.dropFirst().first == role
    }.map(\.id).sorted()
  }

  /// All that it started, and all that these started, as far as their parents still live.
  package func descendants(of ancestor: Int32) -> [Process] {
    var family: Set<Int32> = [ancestor]
    while true {
      let grown = family.union(processes.filter { family.contains($0.parent) }.map(\.id))
      guard grown.count > family.count else { break }
      family = grown
    }
    return processes.filter { $0.id != ancestor && family.contains($0.id) }
  }
}
