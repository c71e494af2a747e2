import Glibc
import Testing
import ZeroMQ

/// The keys of a coordinator and of one worker, in a folder of their own.
final class KeyFolder {
  private let directory: String

  init(_ server: CurveKeyPair, _ worker: CurveKeyPair) throws {
    var template = Array("/tmp/spool-keys-XXXXXX".utf8CString)
    try #require(unsafe mkdtemp(&template) != nil)
    directory = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    try server.write(secretKeyFile: path("server"))
    try worker.write(secretKeyFile: path("worker"))
    try write("server.pub", "\(server.public)\n")
    try write("allowed", "\(worker.public) anna\n")
  }

  deinit {
    for name in ["server", "worker", "server.pub", "allowed"] { unsafe unlink(path(name)) }
    unsafe rmdir(directory)
  }

  func path(_ name: String) -> String { "\(directory)/\(name)" }

  func write(_ name: String, _ text: String) throws {
    let descriptor = unsafe open(path(name), O_WRONLY | O_CREAT | O_TRUNC, 0o600)
    try #require(descriptor >= 0)
    defer { close(descriptor) }
    try #require(unsafe Glibc.write(descriptor, text, text.utf8.count) == text.utf8.count)
  }
}
