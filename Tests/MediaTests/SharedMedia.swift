import FarmTesting
import Glibc
import Subprocess

/// Footage by others, where the machine has it: in the folder that SPOOL_MEDIA names, else in `shared/media` beside the package.
enum SharedMedia {
  static let folder: String? = {
    let beside = #filePath.split(separator: "/").dropLast(4).map { "/" + $0 }.joined() + "/shared/media"
    let folder = unsafe getenv("SPOOL_MEDIA").map { unsafe String(cString: $0) } ?? beside
    return unsafe access(folder, R_OK | X_OK) == 0 ? folder : nil
  }()

  /// All regular files, in order of their paths.
  static func files() throws -> [String] {
    guard let folder else { return [] }
    let found = try Command("/usr/bin/find", [folder, "-type", "f"]).run(timeoutMilliseconds: 60_000)
    return found?.output.split(separator: "\n").map(String.init).sorted() ?? []
  }
}
