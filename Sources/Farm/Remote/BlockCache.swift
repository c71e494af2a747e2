internal import Glibc
internal import Linux
package import Media
package import Transfer

/// A cache on this machine's disk for blocks of sources behind URLs. The blocks that were not used for longest are removed first.
///
/// Any number of processes share it, and each may be killed at any moment. A block appears whole under its name. Its file says
/// which block of which source it is and has a digest; a block whose file does not match is fetched again. The folder's files
/// never have more than `limit` bytes in all: before a block is written, a file of its whole length is reserved under a lock.
package struct BlockCache: Sendable {
  /// Names one block of one version of a source.
  package struct Key: Hashable {
    let url: String
    let version: RemoteVersion
    let number: Int64

    package init(url: String, version: RemoteVersion, number: Int64) {
      (self.url, self.version, self.number) = (url, version, number)
    }

    /// The key as it stands in the file. A name alone could be made to collide with another one.
    fileprivate var text: [UInt8] { Array("\n\(url)\n\(version.byteCount)\n\(version.tag)\n\(number)\n".utf8) }
  }

  package let folder: String
  package let limit: Int64

  /// - Parameter limit: the most bytes that all files may have; room for some dozen blocks at least.
  package init(folder: String, limit: Int64) { (self.folder, self.limit) = (folder, limit) }

  /// Makes the folder if it is missing. Call it before any block is read or kept.
  ///
  /// - Throws: `TransferError` `local` with the folder as its place when the folder cannot be made or used. Also when it belongs
  ///   to another user or others may write to it: they could change what is rendered.
  package func prepare() throws(TransferError) {
    if let (_, code) = FilePath.makeFolder(folder, mode: 0o700) {
      throw failure("no cache of media can be made there", code)
    }
    var facts = stat()
    guard unsafe stat(folder, &facts) == 0, unsafe access(folder, W_OK | X_OK) == 0 else {
      throw failure("no cache of media can be kept there")
    }
    guard facts.st_uid == geteuid(), facts.st_mode & 0o022 == 0 else {
      throw TransferError(.local, at: folder, "is another user's, or others may write to it: no place for a cache of media")
    }
  }

  /// The block's bytes; nil when the cache does not have it.
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
    // The file's time of change says when the block was last used.
    _ = futimens(descriptor, nil)
    return bytes
  }

  /// Keeps a block if there is room for it.
  ///
  /// - Returns: whether the block is in the cache now.
  package func keep(_ block: [UInt8], of key: Key) -> Bool {
    guard let room = room(for: key) else { return false }
    return keep(block, of: key, in: room)
  }

  /// - Parameter room: the room that was reserved for this key. It can be used once.
  package func keep(_ block: [UInt8], of key: Key, in room: Room) -> Bool {
    var bytes = block + key.text
    bytes += Self.digest(bytes)
    return room.take(bytes, to: path(key))
  }

  /// Reserves room for a block, for as long as the returned object lives.
  ///
  /// - Returns: nil when there is no room.
  package func room(for key: Key) -> Room? {
    reserve(Int64(key.version.byteCount(ofBlock: key.number) + key.text.count + Self.digestLength))
  }

  /// A file for a block, without its final name yet. It has its final length, and it is locked as long as its process lives.
  package final class Room {
    private let descriptor: Int32
    private let path: String
    private var isTaken = false

    fileprivate init?(in folder: String, _ count: Int64) {
      var template = Array("\(folder)/\(BlockCache.part)XXXXXX".utf8CString)
      descriptor = unsafe mkstemp(&template)
      path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
      // The file is a hole: it takes no space on the disk yet.
      guard descriptor >= 0, fcntl(descriptor, F_SETFD, FD_CLOEXEC) == 0, flock(descriptor, LOCK_EX | LOCK_NB) == 0,
        ftruncate(descriptor, off_t(count)) == 0
      else { return nil }
    }

    deinit {
      if descriptor >= 0 { LockedFile.close(descriptor) }
      if descriptor >= 0, !isTaken { unsafe unlink(path) }
    }

    fileprivate func take(_ bytes: [UInt8], to name: String) -> Bool {
      isTaken = unsafe BlockCache.write(bytes, to: descriptor) && rename(path, name) == 0
      return isTaken
    }
  }

  /// Runs `body` while no other process of this machine runs one.
  ///
  /// - Parameters:
  ///   - patience: how long another process may keep nothing new before `waiting` is no longer called.
  ///   - waiting: called about every 100 ms while another process runs and has not used up its patience.
  func alone<Result>(
    patience: Duration, waiting: () -> Void, _ body: () throws(TransferError) -> Result
  ) throws(TransferError) -> Result {
    let lock = unsafe open("\(folder)/.whole", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard lock >= 0 else { throw failure("no file can be made there") }
    defer { LockedFile.close(lock) }
    var (seen, since) = (total, ContinuousClock.now)
    while SystemCall.uninterrupted({ flock(lock, LOCK_EX | LOCK_NB) }) != 0 {
      guard errno == EWOULDBLOCK else { throw failure("its lock cannot be taken") }
      usleep(100_000)
      let now = total
      if now != seen { (seen, since) = (now, .now) }
      if since.duration(to: .now) < patience { waiting() }
    }
    return try body()
  }

  /// Counts bytes that are about to be written, and makes room for them. The file is made under the lock, so that every process
  /// that counts the files counts it too.
  private func reserve(_ count: Int64) -> Room? {
    let lock = unsafe open("\(folder)/\(Self.tally)", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard lock >= 0 else { return nil }
    defer { LockedFile.close(lock) }
    // The lock is held only for an instant, but its holder may be stopped. After about 2 s this gives up, and the block is not
    // kept.
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
    // The sum is written before the file is made. A process that is killed in between leaves a sum that is too high; the next
    // count of the files corrects it.
    guard unsafe withUnsafeBytes(of: total, { unsafe pwrite(lock, $0.baseAddress, $0.count, 0) == $0.count }) else { return nil }
    return Room(in: folder, count)
  }

  private var total: Int64? {
    let lock = unsafe open("\(folder)/\(Self.tally)", O_RDONLY | O_CLOEXEC)
    guard lock >= 0 else { return nil }
    defer { close(lock) }
    return Self.number(in: lock)
  }

  /// Removes the files that were not used for longest until at most `goal` bytes are left.
  ///
  /// - Returns: the number of bytes that are left.
  private func shrink(to goal: Int64) -> Int64 {
    var files = files()
    var total = files.reduce(0) { $0 + $1.byteCount }
    guard total > goal else { return total }
    files.sort { ($0.usedAt, $0.path) < ($1.usedAt, $1.path) }
    for file in files where total > goal && !isHeld(file.path) {
      // A process that has the file open can read on.
      guard unsafe unlink(file.path) == 0 || errno == ENOENT else { continue }
      total -= file.byteCount
    }
    return total
  }

  /// Whether the file is room that a living process has reserved.
  private func isHeld(_ path: String) -> Bool {
    guard path.hasPrefix("\(folder)/\(Self.part)") else { return false }
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
    guard descriptor >= 0 else { return false }
    defer { LockedFile.close(descriptor) }
    return flock(descriptor, LOCK_SH | LOCK_NB) != 0
  }

  /// All blocks, and the reserved files, with those that killed processes left.
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

  private func failure(_ what: String, _ code: Int32 = errno) -> TransferError {
    TransferError(.local, at: folder, "\(what): \(SystemWords.of(code))")
  }
}

extension BlockCache {
  private static let (ending, part, tally) = (".block", ".part-", ".tally")
  private static let digestLength = 32

  private static func digest(_ bytes: [UInt8]) -> [UInt8] {
    Array(unsafe bytes.withUnsafeBytes { unsafe ContentDigest(of: $0) }.description.utf8)
  }

  /// The file's bytes; nil when it does not have exactly `count` bytes.
  private static func read(_ descriptor: Int32, _ count: Int) -> [UInt8]? {
    var facts = stat()
    guard unsafe fstat(descriptor, &facts) == 0, facts.st_size == count else { return nil }
    return unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, done in
      done = SystemCall.read(count) { unsafe Glibc.read(descriptor, buffer.baseAddress! + $0, count - $0) }.count
    }
  }

  private static func write(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
    SystemCall.write(bytes, to: descriptor) == 0
  }

  private static func number(in descriptor: Int32) -> Int64? {
    var number: Int64 = 0
    let count = unsafe withUnsafeMutableBytes(of: &number) { unsafe pread(descriptor, $0.baseAddress, $0.count, 0) }
    return count == 8 ? number : nil
  }
}
