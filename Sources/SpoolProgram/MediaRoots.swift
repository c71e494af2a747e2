import Glibc
import Media

/// Where the media of an edit may lie. Who renders for himself may read what he may read; who renders for others says
/// where their media are.
enum MediaRoots {
  static let help = "A directory that media may be read from, links resolved; '/' unless given."

  /// - Throws: a `Complaint` about a root that is none: a file system that is not mounted, say.
  static func policy(_ roots: [String]) throws(Complaint) -> SourcePolicy {
    for root in roots { try requireDirectory(root, R_OK | X_OK, else: ExitCode.noInput) }
    return SourcePolicy(roots: roots.isEmpty ? ["/"] : roots)
  }
}

/// Where workers may write movies.
enum OutputRoots {
  static let help = "A directory that movies may be written below, links resolved; anywhere unless given."
}

/// - Parameters:
///   - mode: what must be allowed there, as access(2) takes it.
///   - code: that of the `Complaint` about one that is missing, no directory or not accessible.
func requireDirectory(_ path: String, _ mode: Int32, else code: Int32) throws(Complaint) {
  var facts = stat()
  guard unsafe stat(path, &facts) == 0 else { throw Complaint(path, unsafe String(cString: strerror(errno)), code) }
  guard facts.st_mode & S_IFMT == S_IFDIR else { throw Complaint(path, "is not a directory", code) }
  guard unsafe access(path, mode) == 0 else { throw Complaint(path, unsafe String(cString: strerror(errno)), code) }
}
