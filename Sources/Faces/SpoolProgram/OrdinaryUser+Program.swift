import FoundationEssentials
import Glibc
import Linux
import Operations
import Subprocess

extension OrdinaryUser {
  /// Refuses a user who may not run this program, because workers start attempts as that user. The program's folders need not be
  /// open to him, since running processes start it again by /proc/self/exe. Its libraries are opened by their paths.
  static func requireProgram(for account: Account) throws(Complaint) {
    for (index, file) in loadedFiles.enumerated() {
      // The first file is the program.
      for place in (index == 0 ? [] : FilePath.folders(above: file)) + [file] {
        var facts = stat()
        guard unsafe stat(place, &facts) == 0 else { continue }
        let shift: UInt32 = facts.st_uid == account.user ? 6 : facts.st_gid == account.group ? 3 : 0
        let needed: UInt32 = place != file ? 1 : index == 0 ? 5 : 4
        guard facts.st_mode >> shift & needed == needed else {
          throw Complaint(
            place,
            "the user \(account.name), as whom root's farm runs, may not use it, and this program needs it: let others (chmod o+rx), or "
              + "name another user (--user)", .noInput)
        }
      }
    }
  }

  /// The program, then its libraries, by their real paths.
  private static var loadedFiles: [String] {
    // When the program's own path cannot be read, it is not checked.
    let own = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
    // When the list cannot be read, no library is checked, and a worker reports what fails.
    let maps = (try? String(contentsOfFile: "/proc/self/maps", encoding: .utf8)) ?? ""
    let files = maps.split(separator: "\n").compactMap { line in line.firstIndex(of: "/").map { String(line[$0...]) } }
    return [own] + Set(files.filter { $0.contains(".so") }).sorted()
  }
}
