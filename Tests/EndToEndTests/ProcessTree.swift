import FoundationEssentials
import Glibc

/// The processes below one, as /proc tells them.
struct ProcessTree {
  struct Process {
    let id: Int32
    let parent: Int32
    let arguments: [String]
  }

  let processes: [Process]

  /// All processes of the machine, now.
  init() throws {
    processes = try FileManager.default.contentsOfDirectory(atPath: "/proc").compactMap(Int32.init).compactMap { id in
      // A process may end while it is looked at; it is then no more in the tree.
      guard let status = try? Data(contentsOf: URL(filePath: "/proc/\(id)/stat")),
        let line = try? Data(contentsOf: URL(filePath: "/proc/\(id)/cmdline"))
      else { return nil }
      // "pid (name) state ppid": the name may hold blanks and parentheses, what follows the last one does not.
      let fields = String(decoding: status, as: UTF8.self).split(separator: ")").last?.split(separator: " ") ?? []
      guard fields.count > 1, let parent = Int32(fields[1]) else { return nil }
      return Process(id: id, parent: parent, arguments: line.split(separator: 0).map { String(decoding: $0, as: UTF8.self) })
    }
  }

  /// The descendants of a process that `role` names: a verb of the program, or "postgres".
  func descendants(of ancestor: Int32, role: String) -> [Int32] {
    var family: Set<Int32> = [ancestor]
    while true {
      let grown = family.union(processes.filter { family.contains($0.parent) }.map(\.id))
      guard grown.count > family.count else { break }
      family = grown
    }
    return processes.filter { process in
      guard process.id != ancestor, family.contains(process.id) else { return false }
      return role == "postgres"
        ? process.arguments.first?.hasSuffix("/postgres") == true : process.arguments.dropFirst().first == role
    }.map(\.id).sorted()
  }
}
