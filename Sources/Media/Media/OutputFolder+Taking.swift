internal import CLinux
internal import Glibc
internal import Linux

/// Files of another user that become this one's.
extension OutputFolder {
  /// Takes a movie that another user wrote into a folder of his own. The file itself becomes this user's where that is safe and both
  /// folders lie on one file system: then no byte is copied. Otherwise a copy is made. Either way it has the owner, the group and
  /// the mode of a new file in this folder, and its bytes are on the disk at the end. It keeps its old name beside the new one until
  /// the other user's folder is removed.
  ///
  /// - Parameters are as those of `copy`.
  /// - Throws: as `copy`.
  package func take(
    _ name: String, from source: OutputFolder, of user: UInt32, to part: String, goesOn: () throws -> Void
  ) throws {
    let (from, status) = try source.openGiven(name, of: user)
    defer { close(from) }
    try goesOn()
    if adopt(from, as: part, status) { return }
    try copy(from, status, named: "\(source.path)/\(name)", to: part, goesOn: goesOn)
  }

  /// Makes an open file this user's, and gives it a name here.
  ///
  /// A process of the other user may still have it open for writing, or may open it until the file's owner has changed. After that
  /// nobody can open it for writing but this user, and the kernel gives a lease for reading only where nobody has it open for writing
  /// (fcntl(2), `F_SETLEASE`).
  ///
  /// - Returns: false where a copy has to be made. Nothing stands under `part` then.
  private func adopt(_ file: Int32, as part: String, _ given: stat) -> Bool {
    // An empty file shows which owner, group and mode a new file has here.
    let model = create(part)
    guard model >= 0 else { return false }
    defer { close(model) }
    remove(part)
    var status = stat()
    // Files in folders with access lists have one, too, which is not set here. A file that others may write to has no safe moment.
    guard unsafe fstat(model, &status) == 0, status.st_dev == given.st_dev, spool_has_access_list(model) == 0,
      status.st_mode & 0o022 == 0,
      fchown(file, status.st_uid, status.st_gid) == 0, fchmod(file, status.st_mode & 0o777) == 0, spool_has_writer(file) == 0,
      fsync(file) == 0
    else { return false }
    return unsafe linkat(AT_FDCWD, "/proc/self/fd/\(file)", descriptor, part, AT_SYMLINK_FOLLOW) == 0
  }
}
