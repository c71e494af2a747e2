import FarmTesting
import Glibc
import Media
import Testing

/// Files of another user that are taken (decision 0078).
@Suite struct `a file that is taken` {
  private let theirs = TemporaryDirectory()
  private let ours = TemporaryDirectory()
  private let bytes = [UInt8]((0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 7 >> 3) })

  /// Writes the other user's file. The user is this one, so that the test needs no rights.
  private func write() throws -> String {
    let path = theirs.file("movie")
    try #require(writeFile(path, bytes))
    return path
  }

  private func writeFile(_ path: String, _ bytes: [UInt8]) -> Bool {
    guard let file = unsafe fopen(path, "w") else { return false }
    defer { unsafe fclose(file) }
    return unsafe fwrite(bytes, 1, bytes.count, file) == bytes.count && chmod(path, 0o600) == 0
  }

  private func take() throws {
    try OutputFolder(ours.path, for: ours.path)
      .take("movie", from: OutputFolder(theirs.path, for: theirs.path), of: geteuid(), to: "part", goesOn: {})
  }

  private func facts(_ path: String) -> stat {
    var status = stat()
    #expect(unsafe stat(path, &status) == 0)
    return status
  }

  @Test func `becomes this user's without being copied, with the mode of a new file`() throws {
    let path = try write()
    let inode = facts(path).st_ino
    try take()
    #expect(try [UInt8](contentsOf: ours.file("part")) == bytes)
    let new = unsafe open(ours.file("new"), O_CREAT | O_WRONLY | O_CLOEXEC, 0o666)
    defer { close(new) }
    let (taken, mode) = (facts(ours.file("part")), facts(ours.file("new")).st_mode)
    #expect(taken.st_mode == mode)
    // A mask that lets others write has the file copied.
    #expect(mode & 0o022 != 0 || taken.st_ino == inode)
  }

  /// Somebody who has it open could write to it after it was examined.
  @Test func `is copied while somebody has it open for writing`() throws {
    let path = try write()
    let open = unsafe Glibc.open(path, O_WRONLY | O_CLOEXEC)
    defer { close(open) }
    try take()
    #expect(facts(ours.file("part")).st_ino != facts(path).st_ino)
    #expect(unsafe Glibc.write(open, "changed", 7) == 7)
    #expect(try [UInt8](contentsOf: ours.file("part")) == bytes)
  }

  @Test func `is refused where it has a second name`() throws {
    let path = try write()
    #expect(unsafe link(path, theirs.file("second")) == 0)
    #expect(throws: MediaError.self) { try take() }
    #expect(unsafe access(ours.file("part"), F_OK) != 0)
  }
}
