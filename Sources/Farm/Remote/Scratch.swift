internal import Glibc
internal import Linux
internal import Transfer

/// A temporary folder of one courier on this machine. It is removed with all its content when this object is dropped. The folder
/// of a courier that was killed is removed by the next one.
final class Scratch {
  /// The folder's path, absolute when the folder that contains it is given so.
  let path: String
  /// The descriptor that holds the lock on the folder, which tells others that it is in use. The kernel drops the lock when the
  /// process ends, in whatever way.
  private let lock: Int32

  /// - Parameter folder: the folder in which all couriers of the machine have theirs.
  init(in folder: String) throws(TransferError) {
    Self.removeLeftovers(in: folder)
    var template = Array("\(folder)/\(Self.prefix)XXXXXX".utf8CString)
    guard unsafe mkdtemp(&template) != nil else { throw Self.failure(folder) }
    path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    lock = unsafe open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    // The lock is free, because other couriers lock only what looks left over.
    guard lock >= 0, flock(lock, LOCK_EX) == 0 else { throw Self.failure(path) }
  }

  deinit {
    removeTree(path)
    LockedFile.close(lock)
  }

  /// - Throws: `TransferError` when fewer than `byteCount` bytes are free.
  func requireRoom(for byteCount: Int64) throws(TransferError) {
    var facts = statvfs()
    guard unsafe statvfs(path, &facts) == 0 else { throw Self.failure(path) }
    let free = Int64(clamping: UInt64(facts.f_bavail).multipliedReportingOverflow(by: UInt64(facts.f_frsize)).partialValue)
    guard free >= byteCount else { throw Self.failure(path, "has \(free >> 20) MiB free of the \(byteCount >> 20) needed") }
  }

  /// Makes the folders above a file.
  ///
  /// - Parameter name: the file's path relative to this folder.
  /// - Returns: the file's whole path.
  func path(makingFoldersFor name: String) throws(TransferError) -> String {
    let file = "\(path)/\(name)"
    if let (folder, code) = FilePath.makeFolder(FilePath.folder(of: file), mode: 0o700) {
      throw Self.failure(folder, SystemWords.of(code))
    }
    return file
  }

  private static func failure(_ path: String, _ reason: String? = nil) -> TransferError {
    let code = errno
    return TransferError(.local, at: path, reason ?? SystemWords.of(code))
  }

  private static let prefix = "spool-courier-"

  private static func removeLeftovers(in folder: String) {
    for name in names(in: folder) where name.hasPrefix(prefix) {
      let path = "\(folder)/\(name)"
      let lock = unsafe open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW)
      guard lock >= 0 else { continue }
      // A folder that was made just now may not be locked yet, so a folder younger than a minute is left alone.
      var facts = stat()
      if flock(lock, LOCK_EX | LOCK_NB) == 0, unsafe fstat(lock, &facts) == 0, time(nil) - facts.st_mtim.tv_sec > 60 {
        removeTree(path)
      }
      LockedFile.close(lock)
    }
  }
}

/// Removes a folder with its content, as far as that is possible.
private func removeTree(_ path: String) {
  for name in names(in: path) {
    if unsafe unlink("\(path)/\(name)") != 0 { removeTree("\(path)/\(name)") }
  }
  unsafe rmdir(path)
}

private func names(in folder: String) -> [String] {
  guard let listing = unsafe opendir(folder) else { return [] }
  defer { unsafe closedir(listing) }
  var names: [String] = []
  while let entry = unsafe readdir(listing) {
    names.append(
      unsafe withUnsafeBytes(of: entry.pointee.d_name) { unsafe String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) })
  }
  return names.filter { $0 != "." && $0 != ".." }
}
