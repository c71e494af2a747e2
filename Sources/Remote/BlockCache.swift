internal import Glibc
package import Media
internal import SystemWords
package import Transfer

/// Blocks of sources behind URLs in a folder of this machine, those that were not used for longest removed first.
///
/// Any number of processes share it, and each may be killed at any moment: a block appears whole under its name; its file says
/// which block of what it is, with a digest, and one that does not hold is fetched again. The folder's files never have more than
/// `limit` bytes: what is about to be written has its file, of its whole length, before, under a lock.
package struct BlockCache: Sendable {
  /// Which block of which content.
  package struct Key: Hashable {
    let url: String
    let version: RemoteVersion
    let number: Int64

    package init(url: String, version: RemoteVersion, number: Int64) {
      (self.url, self.version, self.number) = (url, version, number)
    }

    /// Stands in the file: names alone could be made to collide.
    fileprivate var text: [UInt8] { Array("\n\(url)\n\(version.byteCount)\n\(version.tag)\n\(number)\n".utf8) }
  }

  package let folder: String
  package let limit: Int64

  /// - Parameter limit: bytes of all files, at least some dozen blocks'.
  package init(folder: String, limit: Int64) { (self.folder, self.limit) = (folder, limit) }

  /// Makes the folder, if there is none. Nothing is read or kept before.
  ///
  /// - Throws: `TransferError` `local`, at the folder, when it cannot be made or used, or others may write to it, and so change what
  ///   is rendered.
  package func prepare() throws(TransferError) {
    var path = folder.hasPrefix("/") ? "" : "."
    for part in folder.split(separator: "/") {
      path += "/\(part)"
      guard unsafe mkdir(path, 0o700) == 0 || errno == EEXIST else { throw failure("no cache of media can be made there") }
    }
    var facts = stat()
    guard unsafe stat(folder, &facts) == 0, unsafe access(folder, W_OK | X_OK) == 0 else {
      throw failure("no cache of media can be kept there")
    }
    guard facts.st_uid == geteuid(), facts.st_mode & 0o022 == 0 else {
      throw TransferError(.local, at: folder, "is another user's, or others may write to it: no place for a cache of media")
    }
  }

  /// Nil when it is not there.
  package func bytes(of key: Key) -> [UInt8]? {
    let descriptor = unsafe open(path(key), O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    let (count, text) = (key.version.byteCount(ofBlock: key.number), key.text)
    guard var bytes = Self.read(descriptor, count + text.count + Self.digestLength) else { return nil }
    let digest = Array(bytes.suffix(Self.digestLength))
    bytes.removeLast(Self.digestLength)
    guard digest == Self.digest(bytes), bytes[count...].elementsEqual(text) else { return nil }
    bytes.removeLast(text.count)
    // Used now.
    _ = futimens(descriptor, nil)
    return bytes
  }

  /// Keeps a block, if there is room for it.
  ///
  /// - Returns: whether it is there now.
  package func keep(_ block: [UInt8], of key: Key) -> Bool {
    guard let room = room(for: key) else { return false }
    return keep(block, of: key, in: room)
  }

  /// - Parameter room: for this key; not used again.
  package func keep(_ block: [UInt8], of key: Key, in room: Room) -> Bool {
    var bytes = block + key.text
    bytes += Self.digest(bytes)
    return room.take(bytes, to: path(key))
  }

  /// Makes room for a block, and keeps it as long as the room is held.
  ///
  /// - Returns: nil when there is none.
  package func room(for key: Key) -> Room? {
    reserve(Int64(key.version.byteCount(ofBlock: key.number) + key.text.count + Self.digestLength))
  }

  /// A file without a name of its own yet, as long as it will be, and locked as long as its process lives.
  package final class Room {
    private let descriptor: Int32
    private let path: String
    private var isTaken = false

    fileprivate init?(in folder: String, _ count: Int64) {
      var template = Array("\(folder)/\(BlockCache.part)XXXXXX".utf8CString)
      descriptor = unsafe mkstemp(&template)
      path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
      // A hole, which costs nothing to make.
      guard descriptor >= 0, fcntl(descriptor, F_SETFD, FD_CLOEXEC) == 0, flock(descriptor, LOCK_EX | LOCK_NB) == 0,
        ftruncate(descriptor, off_t(count)) == 0
      else { return nil }
    }

    deinit {
      if descriptor >= 0 { close(descriptor) }
      if descriptor >= 0, !isTaken { unsafe unlink(path) }
    }

    fileprivate func take(_ bytes: [UInt8], to name: String) -> Bool {
      isTaken = unsafe BlockCache.write(bytes, to: descriptor) && rename(path, name) == 0
      return isTaken
    }
  }

  /// Runs `body` while no other process of the machine does.
  ///
  /// - Parameters:
  ///   - patience: how long another one may keep nothing new.
  ///   - waiting: called now and then while another one runs and is not beyond that.
  func alone<Result>(
    patience: Duration, waiting: () -> Void, _ body: () throws(TransferError) -> Result
  ) throws(TransferError) -> Result {
    let lock = unsafe open("\(folder)/.whole", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard lock >= 0 else { throw failure("no file can be made there") }
    defer { close(lock) }
    var (seen, since) = (total, ContinuousClock.now)
    while flock(lock, LOCK_EX | LOCK_NB) != 0 {
      guard errno == EWOULDBLOCK || errno == EINTR else { throw failure("its lock cannot be taken") }
      usleep(100_000)
      let now = total
      if now != seen { (seen, since) = (now, .now) }
      if since.duration(to: .now) < patience { waiting() }
    }
    return try body()
  }

  /// Counts bytes that are about to be written, and makes room for them. Their file is made under the lock, so that whoever counts
  /// the files counts them, too.
  private func reserve(_ count: Int64) -> Room? {
    let lock = unsafe open("\(folder)/\(Self.tally)", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard lock >= 0 else { return nil }
    defer { close(lock) }
    // Held for an instant, but its holder may be stopped: then nothing is kept.
    var tries = 0
    while flock(lock, LOCK_EX | LOCK_NB) != 0 {
      tries += 1
      guard tries < 200 else { return nil }
      usleep(10_000)
    }
    var total = Self.number(in: lock) ?? shrink(to: limit - count)
    if total + count > limit { total = shrink(to: limit - limit / 16 - count) }
    guard total + count <= limit else { return nil }
    total += count
    // Before the file: a process that is killed in between has counted too much, which the next count of the files mends.
    guard unsafe withUnsafeBytes(of: total, { unsafe pwrite(lock, $0.baseAddress, $0.count, 0) == $0.count }) else { return nil }
    return Room(in: folder, count)
  }

  private var total: Int64? {
    let lock = unsafe open("\(folder)/\(Self.tally)", O_RDONLY | O_CLOEXEC)
    guard lock >= 0 else { return nil }
    defer { close(lock) }
    return Self.number(in: lock)
  }

  /// Removes what was not used for longest.
  ///
  /// - Returns: the bytes that are left.
  private func shrink(to goal: Int64) -> Int64 {
    var files = files()
    var total = files.reduce(0) { $0 + $1.byteCount }
    guard total > goal else { return total }
    files.sort { ($0.usedAt, $0.path) < ($1.usedAt, $1.path) }
    for file in files where total > goal && !isHeld(file.path) {
      // Whoever has it open reads on.
      guard unsafe unlink(file.path) == 0 || errno == ENOENT else { continue }
      total -= file.byteCount
    }
    return total
  }

  /// Whether it is room that a living process is about to fill.
  private func isHeld(_ path: String) -> Bool {
    guard path.hasPrefix("\(folder)/\(Self.part)") else { return false }
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    return flock(descriptor, LOCK_SH | LOCK_NB) != 0
  }

  /// Blocks, and what killed processes left of some.
  private func files() -> [(path: String, byteCount: Int64, usedAt: Int64)] {
    guard let listing = unsafe opendir(folder) else { return [] }
    defer { unsafe closedir(listing) }
    var files: [(path: String, byteCount: Int64, usedAt: Int64)] = []
    while let entry = unsafe readdir(listing) {
      let name = unsafe withUnsafeBytes(of: entry.pointee.d_name) {
        unsafe String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
      }
      guard name.hasSuffix(Self.ending) || name.hasPrefix(Self.part) else { continue }
      var facts = stat()
      guard unsafe lstat("\(folder)/\(name)", &facts) == 0 else { continue }
      let usedAt = Int64(facts.st_mtim.tv_sec) * 1_000_000_000 + Int64(facts.st_mtim.tv_nsec)
      files.append(("\(folder)/\(name)", Int64(facts.st_size), usedAt))
    }
    return files
  }

  private func path(_ key: Key) -> String {
    "\(folder)/\(unsafe key.text.withUnsafeBytes { unsafe ContentDigest(of: $0) })\(Self.ending)"
  }

  private func failure(_ what: String) -> TransferError {
    let code = errno
    return TransferError(.local, at: folder, "\(what): \(SystemWords.of(code))")
  }
}

extension BlockCache {
  private static let (ending, part, tally) = (".block", ".part-", ".tally")
  private static let digestLength = 32

  private static func digest(_ bytes: [UInt8]) -> [UInt8] {
    Array(unsafe bytes.withUnsafeBytes { unsafe ContentDigest(of: $0) }.description.utf8)
  }

  /// A file that has exactly so many bytes.
  private static func read(_ descriptor: Int32, _ count: Int) -> [UInt8]? {
    var facts = stat()
    guard unsafe fstat(descriptor, &facts) == 0, facts.st_size == count else { return nil }
    return unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, done in
      while done < count {
        let read = unsafe Glibc.read(descriptor, buffer.baseAddress! + done, count - done)
        guard read > 0 || (read < 0 && errno == EINTR) else { return }
        done += max(read, 0)
      }
    }
  }

  private static func write(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
    var done = 0
    while done < bytes.count {
      let count = unsafe bytes.withUnsafeBytes { unsafe Glibc.write(descriptor, $0.baseAddress! + done, $0.count - done) }
      guard count > 0 || (count < 0 && errno == EINTR) else { return false }
      done += max(count, 0)
    }
    return true
  }

  private static func number(in descriptor: Int32) -> Int64? {
    var number: Int64 = 0
    let count = unsafe withUnsafeMutableBytes(of: &number) { unsafe pread(descriptor, $0.baseAddress, $0.count, 0) }
    return count == 8 ? number : nil
  }
}
