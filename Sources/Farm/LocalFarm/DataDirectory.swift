internal import Glibc
internal import Linux
package import Subprocess

/// The folder in which a private farm keeps its database, its segment files and its logs. Only the farm's user can use it. It
/// belongs to one farm at a time (`FarmLock`).
package struct DataDirectory: Hashable, Sendable {
  /// The folder's absolute path, without links.
  package let path: String
  /// The account as which the farm's processes run when the caller is root. Root then owns what the farm does not write. Nil: the
  /// farm runs as its caller.
  package let account: Account?

  /// - Parameter account: the account of the farm's processes, which owns what they write.
  /// - Throws: `LocalFarmError.directory` when the folder cannot be made or is not a folder. `distrusted` when the folder, or
  ///   something
  ///   that is used in it, does not belong to this user alone.
  package init(making path: String, for account: Account? = nil) throws(LocalFarmError) {
    self.account = account
    // When we are root, the database's server is another user. It passes through the folder to its own.
    try Self.make(path, mode: geteuid() == 0 ? 0o711 : 0o700)
    guard let real = unsafe realpath(path, nil) else { throw .directory(path, errno) }
    defer { unsafe free(real) }
    self.path = unsafe String(cString: real)
    do throws(OwnPlace.Distrust) {
      try OwnPlace.requireAbove(self.path)
      try OwnPlace.requireFolder(self.path, mayBeSticky: true)
    } catch { throw LocalFarmError(error) }
    // Only the farm's user may enter: the segments may be of unreleased movies.
    try Self.makeOwn(segments, of: account)
    try Self.makeOwn(logs)
    guard account != nil else { return }
    try Self.makeOwn(cache, of: account)
    try Self.makeOwn(media, mode: 0o755)
    try Self.makeOwn(movies, mode: 0o755)
    try Self.makeOwn(brought)
  }

  /// The data folder when the user names none: `$SPOOL_DATA`; else `/var/lib/spool` for root; else a folder below
  /// `$XDG_DATA_HOME` or `~/.local/share`. Nil when none of these is known.
  package static func standard(environment: [String: String], isRoot: Bool) -> String? {
    func given(_ name: String) -> String? { environment[name].flatMap { $0.isEmpty ? nil : $0 } }
    if let path = given("SPOOL_DATA") { return path }
    if isRoot { return "/var/lib/spool" }
    if let home = given("XDG_DATA_HOME"), home.hasPrefix("/") { return home + "/spool" }
    return given("HOME").map { $0 + "/.local/share/spool" }
  }

  /// Whether there is a database at `path` already, so that a farm there makes none.
  package static func holdsDatabase(_ path: String) -> Bool { unsafe access("\(path)/postgresql/cluster", F_OK) == 0 }

  package var segments: String { Self.segments(in: path) }
  /// The folder of the segments of a farm whose data are at `path`.
  package static func segments(in path: String) -> String { path + "/segments" }
  package var logs: String { path + "/log" }
  /// The folder in which root's farm keeps blocks of media behind URLs.
  package var cache: String { path + "/cache" }
  /// The folder in which root's farm gets its media: it has one socket for each job, under the job's name.
  package var media: String { path + "/media" }
  /// The folder in which root's farm writes movies: it has one folder for each job, under the job's name. Root takes the movie
  /// from there.
  package var movies: String { path + "/movies" }
  /// The folder in which root writes down which movies it has brought to their places.
  package var brought: String { path + "/brought" }
  /// The file in which renders write down what the parts of their movies are like.
  package var sketches: String { path + "/sketches" }
  var lock: String { path + "/lock" }

  /// Whether the disk has less free space than a database needs to work: 16 MiB, the size of one segment of PostgreSQL's
  /// write-ahead log.
  package var isFull: Bool { freeMebibytes.map { $0 < 16 } ?? false }

  /// - Throws: `LocalFarmError.noRoom` when there is no database and a new one would not fit. PostgreSQL's own message would not
  ///   name the
  ///   disk.
  func requireRoomForDatabase() throws(LocalFarmError) {
    // The unit is MiB. initdb writes 40 MB, and a first job needs some more.
    let needed = 48
    guard !Self.holdsDatabase(path), let free = freeMebibytes, free < needed else { return }
    throw .noRoom(path, free: free, needed: needed)
  }

  /// The free space in MiB; nil when the file system does not tell.
  private var freeMebibytes: Int? {
    var facts = statvfs()
    guard unsafe statvfs(path, &facts) == 0 else { return nil }
    return Int(clamping: (UInt64(facts.f_bavail) * UInt64(facts.f_frsize)) >> 20)
  }

  /// Makes or checks the folder of the farm's sockets, which only this user may enter (the database has its own). A socket's path
  /// may have 107 bytes. When the data folder's path is too long, the sockets are elsewhere, in a folder whose name is made from
  /// that path.
  func makeSocketDirectory(environment: [String: String]) throws(LocalFarmError) -> String {
    let near = path + "/run"
    guard near.utf8.count + Self.longestSocketName > 107 else {
      try Self.makeOwn(near, of: account)
      return near
    }
    let parent = environment["XDG_RUNTIME_DIR"].flatMap { $0.hasPrefix("/") && $0.utf8.count < 60 ? $0 : nil } ?? "/tmp"
    let far = "\(parent)/spool-\(getuid())-\(String(Self.digest(path), radix: 36))"
    // The owner of the folder controls its sockets. In /tmp, another user may have made the folder first, so it is checked.
    try Self.makeOwn(far, of: account)
    return far
  }

  /// The length in bytes of the longest name that a farm gives a socket, with its slash.
  private static let longestSocketName = "/coordinator".utf8.count

  /// Makes a folder for one user, or checks the one that is there, and sets its mode.
  ///
  /// - Parameter account: the user; nil for the caller.
  package static func makeOwn(_ path: String, of account: Account? = nil, mode: UInt32 = 0o700) throws(LocalFarmError) {
    guard unsafe mkdir(path, 0o700) == 0 || errno == EEXIST else { throw .directory(path, errno) }
    do throws(OwnPlace.Distrust) { try OwnPlace.requireFolder(path, of: account?.user) } catch { throw LocalFarmError(error) }
    // This opens the folder that was checked, because a link is refused.
    let descriptor = unsafe open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    guard descriptor >= 0 else { throw .directory(path, errno) }
    defer { close(descriptor) }
    if let account, fchown(descriptor, account.user, account.group) != 0 { throw .directory(path, errno) }
    guard fchmod(descriptor, mode) == 0 else { throw .directory(path, errno) }
  }

  private static func make(_ path: String, mode: mode_t) throws(LocalFarmError) {
    // The mode is set again because the umask may have taken bits from it: other users of the farm pass through this folder.
    if unsafe mkdir(path, mode) == 0, unsafe chmod(path, mode) == 0 { return }
    if errno == ENOENT, let parent = FilePath.folders(above: path).last {
      try make(parent, mode: mode)
      if unsafe mkdir(path, mode) == 0, unsafe chmod(path, mode) == 0 { return }
    }
    guard errno == EEXIST else { throw .directory(path, errno) }
    var facts = stat()
    guard unsafe stat(path, &facts) == 0 else { throw .directory(path, errno) }
    guard facts.st_mode & S_IFMT == S_IFDIR else { throw .directory(path, ENOTDIR) }
  }

  /// The 64-bit FNV-1a hash. It only makes names for folders and protects nothing.
  private static func digest(_ text: String) -> UInt64 {
    text.utf8.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
  }
}
