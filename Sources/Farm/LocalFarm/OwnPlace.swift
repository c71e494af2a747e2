internal import Glibc
internal import Linux

/// Checks that the folders and files which a farm uses belong to it. A user who owns such a folder, or may write to it, could
/// make the farm do what that user may not. With a link, for example, he could redirect root's farm to another file.
enum OwnPlace {
  /// The reason why a folder or file is not used.
  struct Distrust: Error {
    let path: String
    let reason: String
  }

  /// Checks an existing folder. Other users then cannot change what lies in it.
  ///
  /// - Parameters:
  ///   - account: another user who may own the folder.
  ///   - mayBeSticky: whether a folder with the sticky bit passes, such as /tmp, where users can replace only their own files.
  ///     Everything
  ///     that is used in such a folder must then be checked by itself.
  static func requireFolder(_ path: String, of account: uid_t? = nil, mayBeSticky: Bool = false) throws(Distrust) {
    var facts = stat()
    guard unsafe lstat(path, &facts) == 0 else { throw Distrust(path: path, reason: SystemWords.of(errno)) }
    guard facts.st_mode & S_IFMT != S_IFLNK else { throw link(path) }
    guard facts.st_mode & S_IFMT == S_IFDIR else { throw Distrust(path: path, reason: SystemWords.of(ENOTDIR)) }
    try requireOwner(facts, path, account)
    // A user's own group may have the right to write. Root's folders are not writable for any group.
    let isSticky = mayBeSticky && facts.st_mode & S_ISVTX != 0
    guard isSticky || facts.st_mode & (geteuid() == 0 ? 0o022 : 0o002) == 0 else {
      throw Distrust(path: path, reason: "others may write to it")
    }
  }

  /// Checks the folders above a path. Root uses no path of which another user could replace a part.
  ///
  /// - Parameter path: absolute and without links.
  static func requireAbove(_ path: String) throws(Distrust) {
    guard geteuid() == 0 else { return }
    for above in ["/"] + FilePath.folders(above: path) {
      var facts = stat()
      guard unsafe lstat(above, &facts) == 0 else {
        throw Distrust(path: above, reason: SystemWords.of(errno))
      }
      guard facts.st_uid == 0 else {
        throw Distrust(path: above, reason: "belongs to another user (\(facts.st_uid)), who may exchange what is in it")
      }
      // In folders with the sticky bit, such as /tmp, users can replace only what is their own.
      guard facts.st_mode & 0o022 == 0 || facts.st_mode & S_ISVTX != 0 else {
        throw Distrust(path: above, reason: "others may write to it, and so exchange what is in it")
      }
    }
  }

  /// Opens a file for reading and writing. A missing file is made.
  ///
  /// - Returns: the descriptor, close-on-exec, which the caller must close.
  static func openFile(_ path: String, mode: mode_t, of account: uid_t? = nil) throws(Distrust) -> Int32 {
    try open(path, O_RDWR | O_CREAT, mode: mode, of: account)
  }

  /// Opens an existing file for reading.
  ///
  /// - Returns: the descriptor, which the caller must close; nil when there is no such file.
  static func openToRead(_ path: String) throws(Distrust) -> Int32? {
    guard unsafe access(path, F_OK) == 0 || errno != ENOENT else { return nil }
    return try open(path, O_RDONLY, mode: 0, of: nil)
  }

  private static func open(_ path: String, _ flags: Int32, mode: mode_t, of account: uid_t?) throws(Distrust) -> Int32 {
    // O_NONBLOCK keeps the call from waiting for the other end of a named pipe.
    let descriptor = unsafe Glibc.open(path, flags | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, mode)
    guard descriptor >= 0 else {
      throw errno == ELOOP ? link(path) : Distrust(path: path, reason: SystemWords.of(errno))
    }
    do throws(Distrust) {
      var facts = stat()
      guard unsafe fstat(descriptor, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG else {
        throw Distrust(path: path, reason: "is not a regular file")
      }
      // A file with a second name (a hard link) may be another user's business.
      guard facts.st_nlink == 1 else { throw Distrust(path: path, reason: "has other names, too") }
      try requireOwner(facts, path, account)
    } catch {
      close(descriptor)
      throw error
    }
    return descriptor
  }

  static func requireOwner(_ facts: stat, _ path: String, _ account: uid_t?) throws(Distrust) {
    guard [geteuid(), 0, account].contains(facts.st_uid) else {
      throw Distrust(path: path, reason: "belongs to another user (\(facts.st_uid)), and so may what is in it")
    }
  }

  private static func link(_ path: String) -> Distrust {
    Distrust(path: path, reason: "is a symbolic link, which is not followed")
  }
}

extension LocalFarmError {
  init(_ distrust: OwnPlace.Distrust) { self = .distrusted(distrust.path, distrust.reason) }
}

extension PostgreSQLClusterError {
  init(_ distrust: OwnPlace.Distrust) { self.init(at: distrust.path, distrust.reason, isDistrust: true) }
}
