import FoundationEssentials
import Glibc
import Subprocess

extension OrdinaryUser {
  /// Refuses a user who may not run this program: workers start attempts as that user. Where the program lies need not be open to it, since
  /// it is started by what runs already; its libraries are opened by their paths.
  static func requireProgram(for account: Account) throws(Complaint) {
    for (index, file) in loadedFiles.enumerated() {
      // The first one is the program.
      for place in (index == 0 ? [] : folders(above: file)) + [file] {
        var facts = stat()
        guard unsafe stat(place, &facts) == 0 else { continue }
        let shift: UInt32 = facts.st_uid == account.user ? 6 : facts.st_gid == account.group ? 3 : 0
        let needed: UInt32 = place != file ? 1 : index == 0 ? 5 : 4
        guard facts.st_mode >> shift & needed == needed else {
          throw Complaint(
            place,
            "the user \(account.name), as whom root's farm runs, may not use it, and this program needs it: let others (chmod o+rx), or "
              + "name another user (--user)", ExitCode.noInput)
        }
      }
    }
  }

  /// This program and its libraries, without links, in this order.
  private static var loadedFiles: [String] {
    // Without a name it is not asked about.
    let own = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
    // Without it nothing is asked, and a worker tells what it met.
    let maps = (try? String(contentsOfFile: "/proc/self/maps", encoding: .utf8)) ?? ""
    let files = maps.split(separator: "\n").compactMap { line in line.firstIndex(of: "/").map { String(line[$0...]) } }
    return [own] + Set(files.filter { $0.contains(".so") }).sorted()
  }

  private static func folders(above path: String) -> [String] {
    path.utf8.indices.filter { path.utf8[$0] == UInt8(ascii: "/") }.dropFirst().map { String(path[..<$0]) }
  }
}
