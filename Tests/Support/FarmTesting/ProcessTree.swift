internal import FoundationEssentials

/// The processes of the machine, as /proc lists them.
package struct ProcessTree {
  package struct Process {
    package let id: Int32
    package let parent: Int32
    package let arguments: [String]

    /// Whether the process is an attempt's that has no order yet. It closes the socket as soon as it has one.
    package var waitsForOrder: Bool {
      guard let place = arguments.firstIndex(of: "--order"), place + 1 < arguments.count else { return false }
      // The descriptor is gone, or the process.
      let line = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(id)/fd/\(arguments[place + 1])")
      return line?.hasPrefix("socket:") ?? false
    }
  }

  package let processes: [Process]

  /// Reads all processes of the machine.
  package init() throws {
    processes = try FileManager.default.contentsOfDirectory(atPath: "/proc").compactMap(Int32.init).compactMap { id in
      // A process may end while it is being read. It is then left out.
      guard let status = try? Data(contentsOf: URL(filePath: "/proc/\(id)/stat")),
        // The process may also end between the two reads.
        let line = try? Data(contentsOf: URL(filePath: "/proc/\(id)/cmdline"))
      else { return nil }
      // The format is "pid (name) state ppid". The name may hold spaces and parentheses; after the last parenthesis there are
      // none.
      let fields = String(decoding: status, as: UTF8.self).split(separator: ")").last?.split(separator: " ") ?? []
      guard fields.count > 1, let parent = Int32(fields[1]) else { return nil }
      return Process(id: id, parent: parent, arguments: line.split(separator: 0).map { String(decoding: $0, as: UTF8.self) })
    }
  }

  /// The descendants of a process that have a role: a verb of the program, or "postgres". A process that waits for its order has none yet.
  package func descendants(of ancestor: Int32, role: String) -> [Int32] {
    descendants(of: ancestor).filter { process in
      role == "postgres"
        ? process.arguments.first?.hasSuffix("/postgres") == true
        : process.arguments.dropFirst().first == role && !process.waitsForOrder
    }.map(\.id).sorted()
  }

  /// The descendants of a process that wait for the order of an attempt.
  package func waiting(below ancestor: Int32) -> [Int32] {
    descendants(of: ancestor).filter(\.waitsForOrder).map(\.id).sorted()
  }

  /// The processes that it started, those that they started, and so on, as long as the parents in between live.
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
