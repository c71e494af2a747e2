internal import Glibc
internal import Subprocess

/// A new directory for one test. It is removed with everything in it when the object is freed.
package final class TemporaryDirectory: Sendable {
  /// The absolute path, without a slash at the end.
  package let path: String

  package init() {
    var template = Array("/tmp/spool-test-XXXXXX".utf8CString)
    precondition(unsafe mkdtemp(&template) != nil, "no temporary directory: \(unsafe String(cString: strerror(errno)))")
    path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  package func file(_ name: String) -> String { "\(path)/\(name)" }

  deinit {
    // A directory that cannot be removed stays in /tmp. That is no reason to fail a test.
    _ = try? Command("/bin/rm", ["-rf", "--", path]).run(timeoutMilliseconds: 10_000)
  }
}

extension TemporaryDirectory {
  /// Runs `body` in a new directory that lives as long as the call. Other users may enter it, because the private database may
  /// run as another user.
  package static func with<Result>(_ body: (_ path: String) throws -> Result) throws -> Result {
    let directory = TemporaryDirectory()
    precondition(unsafe chmod(directory.path, 0o755) == 0, "the directory is ours")
    return try withExtendedLifetime(directory) { try body(directory.path) }
  }
}
