internal import Glibc
package import Subprocess

/// Where a private farm keeps what it must not lose: its database, its segment files and its logs, for its user alone. Belongs
/// to one farm at a time (`FarmLock`).
package struct DataDirectory: Hashable, Sendable {
  /// Absolute.
  package let path: String
  /// As whom the farm runs where its caller is root, who keeps what the farm does not write; nil: as the caller.
  package let account: Account?

  /// - Parameter account: whose the farm's processes are to be, and what they write.
  /// - Throws: `LocalFarmError.directory` when it cannot be made or is not a directory, `distrusted` when it, or what is to be used in
  ///   it, is not this user's alone.
  package init(making path: String, for account: Account? = nil) throws(LocalFarmError) {
    self.account = account
    // The database's server, another user when we are root, passes through to its own folder.
    try Self.make(path, mode: geteuid() == 0 ? 0o711 : 0o700)
    guard let real = unsafe realpath(path, nil) else { throw .directory(path, errno) }
    defer { unsafe free(real) }
    self.path = unsafe String(cString: real)
    do throws(OwnPlace.Distrust) {
      try OwnPlace.requireAbove(self.path)
      try OwnPlace.requireFolder(self.path, mayBeSticky: true)
    } catch { throw LocalFarmError(error) }
    // Nobody else's: what lies here may be unreleased.
    try Self.makeOwn(segments, of: account)
    try Self.makeOwn(logs)
    guard account != nil else { return }
    try Self.makeOwn(cache, of: account)
    try Self.makeOwn(media, mode: 0o755)
    try Self.makeOwn(movies, mode: 0o755)
  }

  /// Where the data lies unless the user says: `$SPOOL_DATA`, else root's in `/var/lib/spool`, else below
  /// `$XDG_DATA_HOME` or `~/.local/share`; nil when none of these is known.
  package static func standard(environment: [String: String], isRoot: Bool) -> String? {
    func given(_ name: String) -> String? { environment[name].flatMap { $0.isEmpty ? nil : $0 } }
    if let path = given("SPOOL_DATA") { return path }
    if isRoot { return "/var/lib/spool" }
    if let home = given("XDG_DATA_HOME"), home.hasPrefix("/") { return home + "/spool" }
    return given("HOME").map { $0 + "/.local/share/spool" }
  }

  /// Whether there is a database at `path`, so that a farm there makes none.
  package static func holdsDatabase(_ path: String) -> Bool { unsafe access("\(path)/postgresql/cluster", F_OK) == 0 }

  package var segments: String { path + "/segments" }
  package var logs: String { path + "/log" }
  /// Where the farm of root's keeps blocks of media behind URLs.
  package var cache: String { path + "/cache" }
  /// Where the farm of root's is handed media: a socket for each job, under its name.
  package var media: String { path + "/media" }
  /// Where the farm of root's writes movies: a folder for each job, under its name, from which root takes the movie.
  package var movies: String { path + "/movies" }
  var lock: String { path + "/lock" }

  /// Whether its disk has no room left for a database to work in: less than a PostgreSQL WAL segment (16 MiB).
  package var isFull: Bool { freeMebibytes.map { $0 < 16 } ?? false }

  /// - Throws: `LocalFarmError.noRoom` when a new database would not fit; what PostgreSQL says then does not name the disk.
  func requireRoomForDatabase() throws(LocalFarmError) {
    // initdb writes 40 MB, and a first job needs some more.
    let needed = 48
    guard !Self.holdsDatabase(path), let free = freeMebibytes, free < needed else { return }
    throw .noRoom(path, free: free, needed: needed)
  }

  /// Nil when the file system does not tell.
  private var freeMebibytes: Int? {
    var facts = statvfs()
    guard unsafe statvfs(path, &facts) == 0 else { return nil }
    return Int(clamping: (UInt64(facts.f_bavail) * UInt64(facts.f_frsize)) >> 20)
  }

  /// A directory of this user alone for the farm's sockets (the database has its own), made if it is missing. A socket's path is limited to 107
  /// bytes, so a long data path has its sockets elsewhere, under a name made from that path.
  func makeSocketDirectory(environment: [String: String]) throws(LocalFarmError) -> String {
    let near = path + "/run"
    guard near.utf8.count + Self.longestSocketName > 107 else {
      try Self.makeOwn(near, of: account)
      return near
    }
    let parent = environment["XDG_RUNTIME_DIR"].flatMap { $0.hasPrefix("/") && $0.utf8.count < 60 ? $0 : nil } ?? "/tmp"
    let far = "\(parent)/spool-\(getuid())-\(String(Self.digest(path), radix: 36))"
    // Whoever owns the directory owns the sockets in it: in /tmp another user may have been quicker.
    try Self.makeOwn(far, of: account)
    return far
  }

  /// Bytes of the longest name that a farm gives a socket, with its slash.
  private static let longestSocketName = "/coordinator".utf8.count

  /// Makes a folder for one user alone, or checks the one that is there.
  ///
  /// - Parameter account: nil: this user.
  package static func makeOwn(_ path: String, of account: Account? = nil, mode: UInt32 = 0o700) throws(LocalFarmError) {
    guard unsafe mkdir(path, 0o700) == 0 || errno == EEXIST else { throw .directory(path, errno) }
    do throws(OwnPlace.Distrust) { try OwnPlace.requireFolder(path, of: account?.user) } catch { throw LocalFarmError(error) }
    // The very folder that was looked at, since a link is refused.
    let descriptor = unsafe open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    guard descriptor >= 0 else { throw .directory(path, errno) }
    defer { close(descriptor) }
    if let account, fchown(descriptor, account.user, account.group) != 0 { throw .directory(path, errno) }
    guard fchmod(descriptor, mode) == 0 else { throw .directory(path, errno) }
  }

  private static func make(_ path: String, mode: mode_t) throws(LocalFarmError) {
    // Whatever the umask leaves: other users of the farm pass through.
    if unsafe mkdir(path, mode) == 0, unsafe chmod(path, mode) == 0 { return }
    if errno == ENOENT, let parent = parent(of: path) {
      try make(parent, mode: mode)
      if unsafe mkdir(path, mode) == 0, unsafe chmod(path, mode) == 0 { return }
    }
    guard errno == EEXIST else { throw .directory(path, errno) }
    var facts = stat()
    guard unsafe stat(path, &facts) == 0 else { throw .directory(path, errno) }
    guard facts.st_mode & S_IFMT == S_IFDIR else { throw .directory(path, ENOTDIR) }
  }

  private static func parent(of path: String) -> String? {
    guard let last = path.lastIndex(where: { $0 != "/" }), let slash = path[...last].lastIndex(of: "/"), slash > path.startIndex
    else { return nil }
    return String(path[..<slash])
  }

  /// FNV-1a, 64 bits: names a directory, guards nothing.
  private static func digest(_ text: String) -> UInt64 {
    text.utf8.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
  }
}
