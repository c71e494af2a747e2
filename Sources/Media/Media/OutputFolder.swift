internal import CLinux
internal import Formats
internal import Glibc
internal import Linux

/// A folder that movies are written in, held open. Files are made, renamed and removed in this very folder, even where its path
/// comes to mean another one. File names in it that are symbolic links are not followed.
///
/// One owner, one thread. See docs/decisions/0077-movies-in-folders-held-open.md.
@safe package final class OutputFolder {
  /// The path as it was given, for messages.
  package let path: String
  let descriptor: Int32

  /// - Parameters:
  ///   - roots: the folder must lie below one of these, after links are resolved. None: it may lie anywhere.
  ///   - subject: the file that is to be written there. The error for a folder outside the roots names it.
  /// - Throws: `MediaError` `cannotWrite`.
  package init(_ path: String, below roots: [String] = [], for subject: String) throws(MediaError) {
    self.path = path
    guard !roots.isEmpty else {
      descriptor = unsafe Glibc.open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
      guard descriptor >= 0 else { throw MediaError(-errno, from: "open", at: path, while: .writing) }
      return
    }
    guard let resolved = unsafe realpath(path, nil) else {
      throw MediaError(-errno, from: "realpath", at: path, while: .writing)
    }
    defer { unsafe free(resolved) }
    let place = unsafe String(cString: resolved)
    for root in roots {
      guard let found = try Self.open(place, below: root) else { continue }
      descriptor = found
      return
    }
    // The kind is `cannotWrite`, since another worker may have a root for this folder.
    throw MediaError(.cannotWrite, at: subject, "lies outside the output roots \(roots.joined(separator: ", "))")
  }

  /// - Parameter descriptor: an open folder.
  init(owning descriptor: Int32, at path: String) { (self.path, self.descriptor) = (path, descriptor) }

  deinit { close(descriptor) }

  /// A path of this very folder for this process, valid as long as this object lives.
  package var openPath: String { "/proc/self/fd/\(descriptor)" }

  /// Opens a folder step by step from a root that is opened once.
  ///
  /// - Parameter place: the folder's path, without links.
  /// - Returns: a descriptor; nil where the folder does not lie below the root.
  private static func open(_ place: String, below root: String) throws(MediaError) -> Int32? {
    let top = unsafe Glibc.open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    // A root that does not exist has nothing below it.
    guard top >= 0 else { return nil }
    var target = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = unsafe readlink("/proc/self/fd/\(top)", &target, target.count)
    // Paths are compared byte by byte, as the kernel does. Unicode may take two names for one, or a slash for a part of a
    // character.
    var start = target.prefix(max(count, 0)).map(UInt8.init(bitPattern:))
    guard count > 0, place.utf8.starts(with: start) else {
      close(top)
      return nil
    }
    if place.utf8.count == start.count { return top }
    defer { close(top) }
    if start.last != UInt8(ascii: "/") { start.append(UInt8(ascii: "/")) }
    guard place.utf8.starts(with: start) else { return nil }
    let below = String(decoding: place.utf8.dropFirst(start.count), as: UTF8.self)
    let folder = descend(from: top, below)
    guard folder >= 0 else { throw MediaError(-errno, from: "openat2", at: place, while: .writing) }
    return folder
  }

  /// - Returns: a descriptor; -1 with errno where a name on the way has become a link, or is gone.
  private static func descend(from top: Int32, _ below: String) -> Int32 {
    let folder = unsafe spool_open_folder_beneath(top, below)
    // Linux before 5.6 lacks the call (openat2), and some containers forbid it. Going down one folder at a time is as safe.
    guard folder < 0, errno == ENOSYS || errno == EPERM else { return folder }
    var reached = dup(top)
    for name in FilePath.names(in: below) {
      let next = unsafe openat(reached, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
      let code = errno
      close(reached)
      guard next >= 0 else {
        errno = code
        return -1
      }
      reached = next
    }
    return reached
  }
}

extension OutputFolder {
  /// The identity and size of the file behind a name.
  package struct Identity: Hashable, Sendable {
    package let byteCount: Int64
    private let device: UInt
    private let inode: UInt

    init(_ status: stat) {
      (device, inode, byteCount) = (UInt(status.st_dev), UInt(status.st_ino), Int64(status.st_size))
    }
  }

  /// The file `name`, or the symbolic link itself if it is one; nil where there is none.
  package func identity(of name: String) -> Identity? {
    var status = stat()
    return unsafe fstatat(descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0 ? Identity(status) : nil
  }

  /// Creates a file for writing. An existing file of that name is removed.
  ///
  /// - Returns: its descriptor; -1 with errno on failure.
  func create(_ name: String) -> Int32 {
    unsafe unlinkat(descriptor, name, 0)
    return unsafe openat(descriptor, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o666)
  }

  /// Opens a file for reading.
  ///
  /// - Returns: its descriptor; -1 with errno on failure.
  func open(_ name: String) -> Int32 {
    unsafe openat(descriptor, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW)
  }

  /// Copies a movie that another user wrote into a folder of his own. The copy is a new file in this folder, and its bytes are on
  /// the disk at the end.
  ///
  /// - Parameters:
  ///   - source: the other user's folder.
  ///   - user: the user id that must own the movie; nil where anybody may, because its digest is compared.
  ///   - part: the name of the copy; it is removed again when copying fails.
  ///   - goesOn: called before each mebibyte. What it throws ends the copying.
  /// - Throws: `MediaError`, and what `goesOn` throws.
  package func copy(
    _ name: String, from source: OutputFolder, of user: UInt32?, to part: String, goesOn: () throws -> Void
  ) throws {
    let (from, status) = try source.openGiven(name, of: user)
    defer { close(from) }
    try copy(from, status, named: "\(source.path)/\(name)", to: part, goesOn: goesOn)
  }

  /// Opens a file of another user's.
  ///
  /// - Returns: its descriptor, which the caller closes, and the facts about it.
  /// - Throws: `MediaError` where it is no file of that user's with one name.
  func openGiven(_ name: String, of user: UInt32?) throws(MediaError) -> (descriptor: Int32, status: stat) {
    let given = "\(path)/\(name)"
    let from = open(name)
    guard from >= 0 else { throw MediaError(-errno, from: "open", at: given) }
    var status = stat()
    // A file with a second name (hard link) may be anybody's file.
    guard unsafe fstat(from, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
      user == nil || status.st_uid == user && status.st_nlink == 1
    else {
      close(from)
      throw MediaError(.unreadable, at: given, "is not the file that the farm wrote")
    }
    return (from, status)
  }

  /// Copies an open file.
  ///
  /// - Parameter given: the file's path, for messages.
  /// - Throws: as `copy` by name.
  func copy(_ from: Int32, _ status: stat, named given: String, to part: String, goesOn: () throws -> Void) throws {
    let taken = "\(path)/\(part)"
    let to = create(part)
    guard to >= 0 else { throw MediaError(-errno, from: "open", at: taken, while: .writing) }
    defer { close(to) }
    do {
      var rest = Int(status.st_size)
      while rest > 0 {
        try goesOn()
        let count = SystemCall.uninterrupted { sendfile(to, from, nil, min(rest, 1 << 20)) }
        // The movie was whole when its job was done, and only the farm could have shortened it.
        guard count != 0 else { throw MediaError(.changed, at: given, "became shorter while it was read") }
        guard count > 0 else { throw MediaError(-errno, from: "sendfile", at: taken, while: .writing) }
        rest -= count
      }
      guard fsync(to) == 0 else { throw MediaError(-errno, from: "fsync", at: taken, while: .writing) }
    } catch {
      remove(part)
      throw error
    }
  }

  /// Removes a file, or a folder of files. A failure is ignored.
  package func remove(_ name: String) {
    guard unsafe unlinkat(descriptor, name, 0) != 0, errno == EISDIR else { return }
    // A folder that cannot be opened is left.
    guard let folder = try? folder(name) else { return }
    for file in folder.names { unsafe unlinkat(folder.descriptor, file, 0) }
    unsafe unlinkat(descriptor, name, AT_REMOVEDIR)
  }

  /// Renames a file, and replaces one that has the new name.
  ///
  /// - Returns: 0, or `errno`.
  package func rename(_ name: String, to other: String) -> Int32 {
    unsafe renameat(descriptor, name, descriptor, other) == 0 ? 0 : errno
  }

  /// Gives a file a second name, which must be free.
  ///
  /// - Returns: 0, or `errno`.
  package func link(_ name: String, as other: String) -> Int32 {
    unsafe linkat(descriptor, name, descriptor, other, 0) == 0 ? 0 : errno
  }

  /// Waits until the folder's names are on the disk.
  ///
  /// - Returns: 0, or `errno`.
  package func sync() -> Int32 {
    // Some network file systems cannot sync a folder (EINVAL). The names are there all the same.
    fsync(descriptor) == 0 || errno == EINVAL ? 0 : errno
  }

  /// The names in the folder; none where it cannot be listed.
  package var names: [String] {
    let copy = unsafe openat(descriptor, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard copy >= 0, let listing = unsafe fdopendir(copy) else { return [] }
    defer { unsafe closedir(listing) }
    var names: [String] = []
    while let entry = unsafe readdir(listing) {
      names.append(
        unsafe withUnsafeBytes(of: entry.pointee.d_name) { unsafe String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) })
    }
    return names
  }
}
