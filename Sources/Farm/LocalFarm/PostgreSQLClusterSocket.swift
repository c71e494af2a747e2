internal import Glibc
internal import Linux
internal import Subprocess

/// Chooses the folder of the server's socket, and locks the server's data.
enum PostgreSQLClusterSocket {
  /// The most bytes of a socket's path. The address has 108 bytes with the closing NUL (unix(7)).
  private static let pathLimit = 107

  /// The folder for the socket. It is `home` where that path is short enough and has only characters that libpq and the server's
  /// list of folders take. Otherwise it is a private folder elsewhere, and the link `home/socket` points to it, so that the next
  /// run can remove it when this run is killed.
  static func directory(
    in home: String, port: Int, _ account: PostgreSQLClusterAccount
  ) throws(PostgreSQLClusterError) -> String {
    let link = "\(home)/socket"
    removeTarget(of: link, account)
    let isPlain = home.utf8.allSatisfy { byte in
      (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20) || (UInt8(ascii: "-")...UInt8(ascii: "9")).contains(byte)
        || byte == UInt8(ascii: "_")
    }
    if isPlain, "\(home)/.s.PGSQL.\(port)".utf8.count <= pathLimit { return home }
    let runtime = unsafe getenv("XDG_RUNTIME_DIR").map { unsafe String(cString: $0) } ?? "/tmp"
    let parent = account.isOther ? "/tmp" : runtime
    var template = Array("\(parent)/spool-XXXXXX".utf8CString)
    guard unsafe mkdtemp(&template) != nil else {
      throw PostgreSQLClusterError(
        at: parent, "no directory for a socket can be made: \(SystemWords.of(errno))")
    }
    let made = unsafe template.withUnsafeBufferPointer { unsafe String(cString: $0.baseAddress!) }
    try account.makePrivateDirectory(made)
    guard unsafe symlink(made, link) == 0 else {
      let reason = SystemWords.of(errno)
      unsafe rmdir(made)
      throw PostgreSQLClusterError(at: link, "cannot be made: \(reason)")
    }
    return made
  }

  /// Locks a file for as long as the result lives, at most as long as this process.
  static func lock(_ path: String) throws(PostgreSQLClusterError) -> LockedFile {
    let number: Int32
    do throws(OwnPlace.Distrust) {
      number = try OwnPlace.openFile(path, mode: 0o600)
    } catch { throw PostgreSQLClusterError(error) }
    let file = LockedFile(owning: number)
    guard flock(number, LOCK_EX | LOCK_NB) == 0 else {
      throw PostgreSQLClusterError(at: path, "the data directory is in use by another spool")
    }
    return file
  }

  /// Removes what an earlier run left: the link, and the folder to which it points. The folder is gone already where that run
  /// ended in order, or where the machine has cleared its temporary files since.
  private static func removeTarget(of link: String, _ account: PostgreSQLClusterAccount) {
    var target = [CChar](repeating: 0, count: Int(PATH_MAX))
    guard unsafe readlink(link, &target, target.count - 1) > 0 else { return }
    unsafe unlink(link)
    let directory = unsafe target.withUnsafeBufferPointer { unsafe String(cString: $0.baseAddress!) }
    // A folder that is not the server's stays, and so does one that is not empty.
    guard (try? OwnPlace.requireFolder(directory, of: account.user)) != nil else { return }
    for file in [".s.PGSQL.5432", ".s.PGSQL.5432.lock"] { unsafe unlink("\(directory)/\(file)") }
    unsafe rmdir(directory)
  }
}
