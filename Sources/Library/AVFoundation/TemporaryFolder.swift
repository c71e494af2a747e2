/// A folder among the temporary files, which is removed with this object.
final class TemporaryFolder: Sendable {
  let path: String

  /// - Parameter purpose: a word for the folder's name.
  /// - Throws: an `AVError` (`diskFull`) where it cannot be made.
  init(for purpose: String) throws(AVError) {
    path = FileManager.default.temporaryDirectory.appendingPathComponent("spool-\(purpose)-\(UUID().uuidString)").path
    do {
      // The farm may run as another user, who reads what lies here.
      try FileManager.default.createDirectory(
        atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o755])
    } catch { throw AVError(.diskFull, "\(path): cannot be made: \(error)") }
  }

  deinit {
    // What cannot be removed lies in the folder of temporary files.
    try? FileManager.default.removeItem(atPath: path)
  }
}
