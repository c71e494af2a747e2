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
  /// The extension of a muxed movie that goes to S3. Until it is published it lies among the segments.
  package static let movieExtension = "movie"
  /// The extension of the still pictures of such a movie.
  package static let stillsExtension = "stills"

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
    FilePath.isAbsolute(path) && path.utf8.last != UInt8(ascii: "/") && !path.utf8.contains(0)
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

  /// A file or a folder that is written under a hidden name beside the output, before it gets its own one.
  package enum Part: Hashable, Sendable {
    case movie
    /// The folder that the movie becomes.
    case folder
    case checksum
    /// The still pictures that come beside the movie.
    case stills
    /// The file of captions, or of a still picture, with this number.
    case captions(Int)
    /// A file that may be the movie (`lentPart`).
    case lent

    fileprivate var mark: String {
      switch self {
      case .movie: ""
      case .folder: "pictures."
      case .checksum: "checksum."
      case .stills: "stills."
      case .captions(let number): "captions\(number)."
      case .lent: "lent."
      }
    }
  }

  /// The hidden file beside the output that a mux attempt writes. It is on the output's own file system, so that one rename gives
  /// it its final name.
  package static func partPath(output: String, job: String, key: AttemptKey, of part: Part = .movie) -> String {
    let (folder, name) = FilePath.parts(of: output)
    return "\(folder).\(name).\(job).\(part.mark)\(key.attempt).part"
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
    if let (folder, code) = FilePath.makeFolder(FilePath.folder(of: path), mode: 0o777) {
      throw StoreError(path: folder, action: "create it", code: code)
    }
  }
}
