internal import CLinux
internal import Glibc
internal import Linux

extension OutputFolder {
  /// A file that is held open, so that it is known again, and can be given names, whatever becomes of its own.
  ///
  /// One owner, one thread.
  package final class HeldFile {
    package let identity: Identity
    /// The number of the file, its size and the time of its last write. A file that was written to has another mark.
    package let mark: String
    fileprivate let descriptor: Int32

    fileprivate init(owning descriptor: Int32, _ status: stat) {
      self.descriptor = descriptor
      identity = Identity(status)
      mark = "\(status.st_dev) \(status.st_ino) \(status.st_size) \(status.st_mtim.tv_sec).\(status.st_mtim.tv_nsec)"
    }

    deinit { close(descriptor) }
  }

  /// Opens a file that is this user's, to which nobody else may write, and that has one name.
  ///
  /// - Returns: nil where there is none.
  package func hold(_ name: String) -> HeldFile? {
    let file = open(name)
    guard file >= 0 else { return nil }
    var status = stat()
    guard unsafe fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_uid == geteuid(), status.st_nlink == 1,
      status.st_mode & 0o022 == 0, spool_has_access_list(file) == 0
    else {
      close(file)
      return nil
    }
    return HeldFile(owning: file, status)
  }

  /// Gives a held file one more name, in this folder. The name must be free.
  ///
  /// - Returns: 0, or `errno`.
  package func link(_ file: HeldFile, as name: String) -> Int32 {
    let path = "/proc/self/fd/\(file.descriptor)"
    return unsafe linkat(AT_FDCWD, path, descriptor, name, AT_SYMLINK_FOLLOW) == 0 ? 0 : errno
  }
}
