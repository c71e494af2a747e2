internal import Glibc
internal import Linux

/// The account that the database server runs as: this process's own or, when that is root, "postgres", because PostgreSQL refuses
/// root.
struct PostgreSQLClusterAccount {
  let user: uid_t
  let group: gid_t
  /// Whether the account is not this process's own.
  let isOther: Bool
  /// Whether members of the account's group may enter its folders. False when the account is this process's own.
  let letsGroupIn: Bool

  static func current(letsGroupIn: Bool = false) throws(PostgreSQLClusterError) -> PostgreSQLClusterAccount {
    guard geteuid() == 0 else {
      return PostgreSQLClusterAccount(user: geteuid(), group: getegid(), isOther: false, letsGroupIn: false)
    }
    // getpwnam is not thread-safe. The entry is copied at once, and nothing else here reads the password file.
    guard let entry = unsafe getpwnam("postgres") else {
      throw PostgreSQLClusterError(at: "user postgres", "is missing; PostgreSQL does not run as root, so root needs it")
    }
    return unsafe PostgreSQLClusterAccount(
      user: entry.pointee.pw_uid, group: entry.pointee.pw_gid, isOther: true, letsGroupIn: letsGroupIn)
  }

  /// A command line for setpriv that runs `program` as this account. The kernel sends it `signal` when this process dies.
  func command(signal: String, _ program: String, _ arguments: [String]) -> [String] {
    let identity = isOther ? ["--reuid=\(user)", "--regid=\(group)", "--init-groups"] : []
    return identity + ["--pdeathsig", signal, "--", program] + arguments
  }

  /// Makes a folder that only this account may enter, and its group where `letsGroupIn` is set. An existing folder is checked.
  func makePrivateDirectory(_ path: String) throws(PostgreSQLClusterError) {
    guard unsafe mkdir(path, 0o700) == 0 || errno == EEXIST else { throw failed("cannot be made", path) }
    do throws(OwnPlace.Distrust) {
      try OwnPlace.requireFolder(path, of: user)
    } catch { throw PostgreSQLClusterError(error) }
    // This opens the folder that was checked, because a link is refused.
    let descriptor = unsafe open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    guard descriptor >= 0 else { throw failed("cannot be opened", path) }
    defer { close(descriptor) }
    guard !isOther || fchown(descriptor, user, group) == 0 else { throw failed("cannot be given to the user postgres", path) }
    guard fchmod(descriptor, letsGroupIn ? 0o710 : 0o700) == 0 else { throw failed("cannot be made private", path) }
  }

  /// Checks that this account can reach `path` through all folders above it.
  ///
  /// - Parameter path: absolute and without links.
  func requireTraversable(_ path: String) throws(PostgreSQLClusterError) {
    guard isOther else { return }
    for above in FilePath.folders(above: path) {
      var facts = stat()
      guard unsafe stat(above, &facts) == 0 else { throw failed("cannot be looked at", above) }
      let bit: mode_t = facts.st_uid == user ? S_IXUSR : facts.st_gid == group ? S_IXGRP : S_IXOTH
      guard facts.st_mode & bit != 0 else {
        throw PostgreSQLClusterError(
          at: above,
          "the user postgres, as which the database runs, may not enter this folder: choose another data directory, or chmod o+x it"
        )
      }
    }
  }

  private func failed(_ what: String, _ path: String) -> PostgreSQLClusterError {
    PostgreSQLClusterError(at: path, "\(what): \(SystemWords.of(errno))")
  }
}
