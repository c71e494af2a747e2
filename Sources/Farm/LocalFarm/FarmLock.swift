internal import Glibc
internal import Linux

/// The right to run the farm of a data folder: a lock (flock) on its file `lock`. The kernel drops the lock when the process
/// ends, in whatever way. The file says who holds it.
package final class FarmLock {
  /// The process that runs the farm.
  package struct Holder: Hashable, Sendable {
    package var processID: Int32
    /// The connection string of the farm's database.
    package var database: String

    package init(processID: Int32, database: String) { (self.processID, self.database) = (processID, database) }
  }

  private let file: LockedFile

  private init(_ file: LockedFile) { self.file = file }

  /// - Returns: nil when another process holds the lock.
  package static func take(_ directory: DataDirectory) throws(LocalFarmError) -> FarmLock? {
    let file: LockedFile
    do throws(OwnPlace.Distrust) {
      file = LockedFile(owning: try OwnPlace.openFile(directory.lock, mode: 0o644))
    } catch { throw LocalFarmError(error) }
    if flock(file.number, LOCK_EX | LOCK_NB) == 0 { return FarmLock(file) }
    guard errno == EWOULDBLOCK else { throw .file(directory.lock, errno) }
    return nil
  }

  /// Writes into the file who runs the farm and how its database is reached, so that others can read it.
  package func announce(_ holder: Holder, in directory: DataDirectory) throws(LocalFarmError) {
    let text = Array("\(holder.processID)\n\(holder.database)\n".utf8)
    let code = ftruncate(file.number, 0) == 0 ? SystemCall.write(text, to: file.number, at: 0) : errno
    guard code == 0 else { throw .file(directory.lock, code) }
  }

  /// The process that runs the farm of the data folder at `path` now; nil when there is none, or it has not announced itself yet.
  package static func runningFarm(of path: String) throws(LocalFarmError) -> Holder? {
    let file = path + "/lock"
    let opened: Int32?
    // The file must be this user's own: another user could have written the address of his own database there.
    do throws(OwnPlace.Distrust) { opened = try OwnPlace.openToRead(file) } catch { throw LocalFarmError(error) }
    guard let descriptor = opened else { return nil }
    // A shared lock can be taken only while nobody runs the farm. It is given back at once.
    defer { LockedFile.close(descriptor) }
    if flock(descriptor, LOCK_SH | LOCK_NB) == 0 { return nil }
    guard errno == EWOULDBLOCK else { throw .file(file, errno) }
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = unsafe pread(descriptor, &bytes, bytes.count, 0)
    guard count >= 0 else { throw .file(file, errno) }
    let lines = String(decoding: bytes.prefix(count), as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
    guard lines.count >= 3, let processID = Int32(lines[0]) else { return nil }
    return Holder(processID: processID, database: String(lines[1]))
  }
}
