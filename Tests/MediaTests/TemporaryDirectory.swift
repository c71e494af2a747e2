import FoundationEssentials
import Glibc

/// A directory of one test's own, removed with all it holds when the test lets it go.
final class TemporaryDirectory {
  let path: String

  init() throws {
    var name = Array("/tmp/spool-test-XXXXXX".utf8CString)
    guard unsafe mkdtemp(&name) != nil else { throw ToolFailure("mkdtemp: errno \(errno)") }
    path = String(decoding: name.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  deinit {
    // Teardown: what cannot be removed stays in /tmp, and fails no test.
    try? FileManager.default.removeItem(atPath: path)
  }

  func path(_ name: String) -> String { "\(path)/\(name)" }

  /// The names of what it holds.
  func entries() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: path).sorted() }
}
