internal import Synchronization

/// A folder among the temporary files, which is removed with this object, and at the latest when the program ends by `exit` or from its main
/// function: programs end in the callback of their export, while other objects live.
final class TemporaryFolder: Sendable {
  let path: String

  /// The folders that are there. None is forgotten before it is removed.
  private static let living = Mutex<Set<String>>([])
  /// The process that removes them at its end. A child that was forked from it and ends by `exit` removes nothing.
  private static let owner: pid_t = {
    atexit { TemporaryFolder.removeAll() }
    return getpid()
  }()

  /// - Parameter purpose: a word for the folder's name.
  /// - Throws: an `AVError` (`diskFull`) where it cannot be made.
  init(for purpose: String) throws(AVError) {
    _ = Self.owner
    let path = FileManager.default.temporaryDirectory.appendingPathComponent("spool-\(purpose)-\(UUID().uuidString)").path
    self.path = path
    _ = Self.living.withLock { $0.insert(path) }
    do {
      // The farm may run as another user, who reads what lies here.
      try FileManager.default.createDirectory(
        atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o755])
    } catch {
      _ = Self.living.withLock { $0.remove(path) }
      throw AVError(.diskFull, "\(path): cannot be made: \(error)")
    }
  }

  deinit {
    // What cannot be removed lies in the folder of temporary files.
    try? FileManager.default.removeItem(atPath: path)
    let path = path
    _ = Self.living.withLock { $0.remove(path) }
  }

  private static func removeAll() {
    guard getpid() == owner else { return }
    // Another thread may end a folder's life just now; what it removed is not there, which is no fault.
    for path in living.withLock({ $0 }) { try? FileManager.default.removeItem(atPath: path) }
  }
}
