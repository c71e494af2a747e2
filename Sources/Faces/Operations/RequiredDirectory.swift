internal import Glibc
internal import Linux

/// Checks a folder.
///
/// - Parameters:
///   - mode: the access that is needed, as access(2) takes it.
///   - exit: the exit class of the `Complaint` when the folder is missing, is not a folder or cannot be accessed.
package func requireDirectory(_ path: String, _ mode: Int32, else exit: ExitClass) throws(Complaint) {
  var facts = stat()
  guard unsafe stat(path, &facts) == 0 else { throw Complaint(path, SystemWords.of(errno), exit) }
  guard facts.st_mode & S_IFMT == S_IFDIR else { throw Complaint(path, "is not a directory", exit) }
  guard unsafe access(path, mode) == 0 else { throw Complaint(path, SystemWords.of(errno), exit) }
}
