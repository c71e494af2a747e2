internal import Glibc
internal import Synchronization

/// The bytes of media whose files have lost their names, copied once for all jobs of one object: a maker of pictures asks for hundreds, and each
/// is a job. The copies go with this object.
final class LentFiles: Sendable {
  private struct Copies {
    /// The folder of the copies; nil before the first one.
    var folder: TemporaryFolder?
    /// The copies' paths, with the files that they are of.
    var made: [(file: KeptFile, path: String)] = []
  }

  private let copies = Mutex(Copies())

  /// Gives a file another name: the copy's own, where the file system allows that, else one of another copy.
  ///
  /// - Parameter path: a path at which there is nothing.
  /// - Throws: an `AVError` where the file's bytes cannot be had, else an error of Foundation's.
  func lend(_ file: KeptFile, at path: String) throws {
    let copy = try copies.withLock { copies in
      if let known = copies.made.first(where: { $0.file === file }) { return known.path }
      let folder = try copies.folder ?? TemporaryFolder(for: "lent")
      let made = "\(folder.path)/\(copies.made.count)"
      try file.copy(to: made)
      copies.folder = folder
      copies.made.append((file, made))
      return made
    }
    if unsafe link(copy, path) != 0 { try file.copy(to: path) }
  }
}
