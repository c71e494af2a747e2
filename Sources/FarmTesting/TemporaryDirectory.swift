internal import Glibc
internal import Subprocess

/// A fresh directory of a test's own, removed with all it holds when its owner lets go.
package final class TemporaryDirectory: Sendable {
  /// Absolute, without a slash at the end.
  package let path: String

  package init() {
    var template = Array("/tmp/spool-test-XXXXXX".utf8CString)
    precondition(unsafe mkdtemp(&template) != nil, "no temporary directory: \(unsafe String(cString: strerror(errno)))")
    path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  package func file(_ name: String) -> String { "\(path)/\(name)" }

  deinit {
    // What cannot be removed stays in /tmp: no reason to fail a test.
    _ = try? Command("/bin/rm", ["-rf", "--", path]).run(timeoutMilliseconds: 10_000)
  }
}
