import FoundationEssentials

/// A folder of the test's own.
enum Scratch {
  static func use(_ body: (String) throws -> Void) throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "spool-test-\(UInt64.random(in: 0 ... .max))")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    // Teardown: what cannot be removed is the system's to clean.
    defer { try? FileManager.default.removeItem(at: folder) }
    try body(folder.path)
  }
}
