internal import Glibc
internal import SystemWords

/// What a farm uses must be its own: whoever else owns a folder or a file, or may write there, could have it do what he may not, by a
/// link, say, where the farm is root's.
enum OwnPlace {
  /// Why a place is not used.
  struct Distrust: Error {
    let path: String
    let reason: String
  }

  /// Checks a folder that is there; what lies in it is safe from others then.
  ///
  /// - Parameters:
  ///   - account: another user whose it may be.
  ///   - mayBeSticky: whether others may write to it where they exchange nothing but what is theirs, as in /tmp: then what is used in it
  ///     is to be looked at by itself.
  static func requireFolder(_ path: String, of account: uid_t? = nil, mayBeSticky: Bool = false) throws(Distrust) {
    var facts = stat()
    guard unsafe lstat(path, &facts) == 0 else { throw Distrust(path: path, reason: SystemWords.of(errno)) }
    guard facts.st_mode & S_IFMT != S_IFLNK else { throw link(path) }
    guard facts.st_mode & S_IFMT == S_IFDIR else { throw Distrust(path: path, reason: SystemWords.of(ENOTDIR)) }
    try requireOwner(facts, path, account)
    // A group of one's own may write where one has it so; root has none.
    let isSticky = mayBeSticky && facts.st_mode & S_ISVTX != 0
    guard isSticky || facts.st_mode & (geteuid() == 0 ? 0o022 : 0o002) == 0 else {
      throw Distrust(path: path, reason: "others may write to it")
    }
  }

  /// Checks the folders above a place: root uses none that somebody else could put another one in the place of.
  ///
  /// - Parameter path: absolute, without links.
  static func requireAbove(_ path: String) throws(Distrust) {
    guard geteuid() == 0 else { return }
    var above = "/"
    for name in path.utf8.split(separator: UInt8(ascii: "/")) {
      var facts = stat()
      guard unsafe lstat(above, &facts) == 0 else {
        throw Distrust(path: above, reason: SystemWords.of(errno))
      }
      guard facts.st_uid == 0 else {
        throw Distrust(path: above, reason: "belongs to another user (\(facts.st_uid)), who may exchange what is in it")
      }
      // In /tmp and the like everybody exchanges what is his own.
      guard facts.st_mode & 0o022 == 0 || facts.st_mode & S_ISVTX != 0 else {
        throw Distrust(path: above, reason: "others may write to it, and so exchange what is in it")
      }
      above += (above == "/" ? "" : "/") + String(decoding: name, as: UTF8.self)
    }
  }

  /// Opens a file for reading and writing, made if it is missing.
  ///
  /// - Returns: the descriptor, which is the caller's, close-on-exec.
  static func openFile(_ path: String, mode: mode_t, of account: uid_t? = nil) throws(Distrust) -> Int32 {
    try open(path, O_RDWR | O_CREAT, mode, account)
  }

  /// The same for a file that is there, to be read. - Returns: nil when it is not.
  static func openToRead(_ path: String) throws(Distrust) -> Int32? {
    guard unsafe access(path, F_OK) == 0 || errno != ENOENT else { return nil }
    return try open(path, O_RDONLY, 0, nil)
  }

  private static func open(_ path: String, _ flags: Int32, _ mode: mode_t, _ account: uid_t?) throws(Distrust) -> Int32 {
    // Not blocking: a named pipe would wait for its other end.
    let descriptor = unsafe Glibc.open(path, flags | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, mode)
    guard descriptor >= 0 else {
      throw errno == ELOOP ? link(path) : Distrust(path: path, reason: SystemWords.of(errno))
    }
    do throws(Distrust) {
      var facts = stat()
      guard unsafe fstat(descriptor, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG else {
        throw Distrust(path: path, reason: "is not a regular file")
      }
      // By a second name it may be anybody's business.
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
  init(_ distrust: OwnPlace.Distrust) { self.init(at: distrust.path, distrust.reason) }
}
