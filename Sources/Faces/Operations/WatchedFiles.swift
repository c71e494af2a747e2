internal import Glibc
internal import Linux

/// The files that an edit is made from, as they were at one moment. Looking again tells which have changed.
struct WatchedFiles {
  /// The facts of a file that change when its content does.
  private struct Mark: Hashable {
    let device: UInt64
    let number: UInt64
    let byteCount: Int64
    let seconds: Int
    let nanoseconds: Int
  }

  /// The marks of the files by their paths; nil for a file that is not there.
  private let marks: [String: Mark?]

  /// - Parameter paths: the paths of files. Those that are read through no file, such as URLs, are left out.
  init(_ paths: some Sequence<String>) {
    let files = paths.filter { !$0.contains("://") && $0 != "-" }
    marks = Dictionary(files.map { ($0, Self.mark($0)) }) { first, _ in first }
  }

  private init(_ marks: [String: Mark?]) { self.marks = marks }

  var count: Int { marks.count }

  func joined(with other: WatchedFiles) -> WatchedFiles { WatchedFiles(marks.merging(other.marks) { first, _ in first }) }

  /// The paths of the files that are not as they were, in the order of their names.
  var changed: [String] { marks.filter { Self.mark($0.key) != $0.value }.keys.sorted() }

  /// The same files as they are now.
  var now: WatchedFiles { WatchedFiles(marks.keys) }

  private static func mark(_ path: String) -> Mark? {
    var facts = stat()
    guard unsafe stat(path, &facts) == 0 else { return nil }
    return Mark(
      device: UInt64(facts.st_dev), number: UInt64(facts.st_ino), byteCount: Int64(facts.st_size),
      seconds: facts.st_mtim.tv_sec, nanoseconds: facts.st_mtim.tv_nsec)
  }
}
