internal import Glibc
internal import Linux
internal import Media
package import Messages

/// The folder in which attempts leave their results. All workers share it.
///
/// A segment is named by its attempt, `<job>/<task>/<attempt>.<extension>`, so two attempts can never write the same file. A file
/// counts as a segment only after its attempt was committed.
package struct SegmentStore: Sendable {
  /// The extension of segment files.
  package static let segmentExtension = SegmentWriter.fileExtension

  /// The folder's path, which is absolute.
  package let root: String

  package init(root: String) { self.root = root }

  /// Whether `text` may be the name of a job's folder: 1 to 32 lower-case letters and digits, as the ledger makes them.
  package static func isJobName(_ text: String) -> Bool {
    1...32 ~= text.utf8.count
      && text.utf8.allSatisfy { UInt8(ascii: "a")...UInt8(ascii: "z") ~= $0 || UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }
  }

  /// Whether `path` may be a movie's path. It must be absolute, name a file and not a folder, have no zero byte, and be at most
  /// 4095 bytes long, as in Linux.
  package static func isOutput(_ path: String) -> Bool {
    path.utf8.first == UInt8(ascii: "/") && path.utf8.last != UInt8(ascii: "/") && !path.utf8.contains(0)
      && path.utf8.count < 4096
  }

  /// The name of an attempt's file, relative to the root.
  ///
  /// - Precondition: `job` is a job's name (`isJobName`).
  package func name(job: String, key: AttemptKey, extension: String) -> String {
    precondition(Self.isJobName(job))
    return "\(job)/\(key.task)/\(key.attempt).\(`extension`)"
  }

  package func path(_ name: String) -> String { "\(root)/\(name)" }

  /// The folder of the file at `path`. It is split at the byte of a slash, since a slash followed by an accent is not a slash as
  /// a `Character`.
  package static func folder(of path: String) -> String {
    guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  /// The name of the file at `path` in its folder. It is split at the byte of a slash, too.
  package static func fileName(of path: String) -> String {
    let start = path.utf8.lastIndex(of: UInt8(ascii: "/")).map { path.utf8.index(after: $0) } ?? path.startIndex
    return String(path[start...])
  }

  /// The hidden file beside the output that a mux attempt writes. It is on the output's own file system, so that one rename gives
  /// it its final name.
  package static func partPath(output: String, job: String, key: AttemptKey) -> String {
    let slash = output.utf8.lastIndex(of: UInt8(ascii: "/")).map { output.utf8.index(after: $0) } ?? output.startIndex
    return "\(output[..<slash]).\(output[slash...]).\(job).\(key.attempt).part"
  }
}

/// The error of a file operation in the store or beside the output.
package struct StoreError: Error, Hashable, Sendable, CustomStringConvertible {
  package var path: String
  /// The operation that failed, such as "create it" or "take this name".
  package var action: String
  /// The value of `errno`.
  package var code: Int32

  package init(path: String, action: String, code: Int32) {
    (self.path, self.action, self.code) = (path, action, code)
  }

  package var reason: String { "cannot \(action): \(SystemWords.of(code))" }
  package var description: String { "\(path): \(reason)" }
}

extension SegmentStore {
  /// Makes the folder of the file at `path`, and those above it.
  func makeFolder(of path: String) throws(StoreError) {
    guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")), slash > path.startIndex else { return }
    let folder = String(path[..<slash])
    guard unsafe access(folder, F_OK) != 0 else { return }
    try makeFolder(of: folder)
    guard unsafe mkdir(folder, 0o777) == 0 || errno == EEXIST else {
      throw StoreError(path: folder, action: "create it", code: errno)
    }
  }
}
