internal import CLinux
internal import Glibc

/// A folder that movies are written in, held open: what is made, named and removed there stays in it, whatever its path comes to mean
/// meanwhile. Links that its names may be are not followed.
///
/// One owner, one thread.
@safe package final class OutputFolder {
  /// As it was given: for messages.
  package let path: String
  private let descriptor: Int32

  /// - Parameters:
  ///   - roots: folders that it must lie below, after links are resolved; none: anywhere.
  ///   - subject: what is to be written there, which errors about its place name.
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
    // Another worker may have that root.
    throw MediaError(.cannotWrite, at: subject, "lies outside the output roots \(roots.joined(separator: ", "))")
  }

  deinit { close(descriptor) }

  /// Means this very folder to this process, as long as this object lives.
  package var openPath: String { "/proc/self/fd/\(descriptor)" }

  /// Opens a folder by the way down from a root that is opened once.
  ///
  /// - Parameter place: its path, without links.
  /// - Returns: nil where it does not lie below the root.
  private static func open(_ place: String, below root: String) throws(MediaError) -> Int32? {
    let top = unsafe Glibc.open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    // A root that does not exist has nothing below it.
    guard top >= 0 else { return nil }
    var target = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = unsafe readlink("/proc/self/fd/\(top)", &target, target.count)
    // Byte by byte, as the kernel does: to Unicode two names may be one, and a slash part of a character.
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

  /// - Returns: -1 and errno where a name on the way is a link by now, or gone.
  private static func descend(from top: Int32, _ below: String) -> Int32 {
    let folder = unsafe spool_open_folder_beneath(top, below)
    // Before Linux 5.6 there is none, and some containers hide it: one step at a time leads no further.
    guard folder < 0, errno == ENOSYS || errno == EPERM else { return folder }
    var reached = dup(top)
    for name in below.utf8.split(separator: UInt8(ascii: "/")) {
      let next = unsafe openat(
        reached, String(decoding: name, as: UTF8.self), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
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
  /// Which file has a name, and its size.
  package struct Identity: Hashable, Sendable {
    package let byteCount: Int64
    private let device: UInt
    private let inode: UInt

    init(_ status: stat) {
      (device, inode, byteCount) = (UInt(status.st_dev), UInt(status.st_ino), Int64(status.st_size))
    }
  }

  /// The file of a name, or the link that it is; nil where there is none.
  package func identity(of name: String) -> Identity? {
    var status = stat()
    return unsafe fstatat(descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0 ? Identity(status) : nil
  }

  /// A new file, to be written; what had the name is removed. - Returns: its descriptor; -1 and errno on failure.
  func create(_ name: String) -> Int32 {
    unsafe unlinkat(descriptor, name, 0)
    return unsafe openat(descriptor, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o666)
  }

  /// A file, to be read. - Returns: its descriptor; -1 and errno on failure.
  func open(_ name: String) -> Int32 {
    unsafe openat(descriptor, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW)
  }

  /// Copies a movie that another user has written into a folder of his own: a new file here, as if it had been written here, its bytes on
  /// the disk.
  ///
  /// - Parameters:
  ///   - source: its folder.
  ///   - user: whose it must be.
  ///   - part: the name here, removed again when that fails.
  ///   - goesOn: called before each mebibyte; what it throws ends the copying.
  /// - Throws: `MediaError`, and what `goesOn` throws.
  package func copy(
    _ name: String, from source: OutputFolder, of user: UInt32, to part: String, goesOn: () throws -> Void
  ) throws {
    let (given, taken) = ("\(source.path)/\(name)", "\(path)/\(part)")
    let from = source.open(name)
    guard from >= 0 else { throw MediaError(-errno, from: "open", at: given) }
    defer { close(from) }
    var status = stat()
    // By a second name it may be anybody's file.
    guard unsafe fstat(from, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_uid == user, status.st_nlink == 1 else {
      throw MediaError(.unreadable, at: given, "is not the file that the farm wrote")
    }
    let to = create(part)
    guard to >= 0 else { throw MediaError(-errno, from: "open", at: taken, while: .writing) }
    defer { close(to) }
    do {
      var rest = Int(status.st_size)
      while rest > 0 {
        try goesOn()
        let count = sendfile(to, from, nil, min(rest, 1 << 20))
        // What was there when the job was done is there no more: nobody but the farm could have taken it.
        guard count != 0 else { throw MediaError(.changed, at: given, "became shorter while it was read") }
        guard count > 0 || errno == EINTR else { throw MediaError(-errno, from: "sendfile", at: taken, while: .writing) }
        rest -= max(0, count)
      }
      guard fsync(to) == 0 else { throw MediaError(-errno, from: "fsync", at: taken, while: .writing) }
    } catch {
      remove(part)
      throw error
    }
  }

  /// Removes a file; nothing happens where that cannot be.
  package func remove(_ name: String) { unsafe unlinkat(descriptor, name, 0) }

  /// Gives a file another name, which another one may have. - Returns: 0, or `errno`.
  package func rename(_ name: String, to other: String) -> Int32 {
    unsafe renameat(descriptor, name, descriptor, other) == 0 ? 0 : errno
  }

  /// Gives a file a second name, which is free. - Returns: 0, or `errno`.
  package func link(_ name: String, as other: String) -> Int32 {
    unsafe linkat(descriptor, name, descriptor, other, 0) == 0 ? 0 : errno
  }

  /// Makes its names durable. - Returns: 0, or `errno`.
  package func sync() -> Int32 {
    // Some network file systems cannot sync a folder (EINVAL); the names are there all the same.
    fsync(descriptor) == 0 || errno == EINVAL ? 0 : errno
  }

  /// The names in it; none where they cannot be listed.
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
