import FarmTesting
import Glibc
import Media
import Testing

@Suite struct HandedFileTests {
  private let directory = TemporaryDirectory()

  @Test func `a medium that was handed over is what it is where it is opened, and is opened nowhere`() throws {
    let path = directory.file("a.mp4")
    try SyntheticSource(width: 64, height: 48, frameCount: 30).write(to: path, ["-c:v", "libx264"])
    let opened = SourcePolicy(roots: [directory.path])
    let expected = try AssetProbe.facts(of: path, policy: opened)
    let descriptor = try opened.descriptor(of: path)
    defer { close(descriptor) }
    try #require(unsafe unlink(path) == 0)
    var handed = SourcePolicy(roots: [])
    handed.hand([path], [descriptor])
    // The file is probed twice, since no reader may move the shared offset.
    for _ in 0..<2 { #expect(try AssetProbe.facts(of: path, policy: handed) == expected) }
    #expect(lseek(descriptor, 0, SEEK_CUR) == 0)
  }

  @Test func `one that became shorter is told, and neither a folder nor an empty file is handed over`() throws {
    let path = directory.file("a.mp4")
    try SyntheticSource(width: 64, height: 48, frameCount: 30).write(to: path, ["-c:v", "libx264"])
    let policy = SourcePolicy(roots: [directory.path])
    let descriptor = try policy.descriptor(of: path)
    defer { close(descriptor) }
    var handed = SourcePolicy(roots: [])
    handed.hand([path], [descriptor])
    try #require(unsafe truncate(path, 100) == 0)
    let error = #expect(throws: MediaError.self) { try AssetProbe.facts(of: path, policy: handed) }
    #expect(error?.kind == .changed && error?.place == path)
    try #require(unsafe truncate(path, 0) == 0)
    for (place, reason) in [
      (path, "is empty"), (directory.path, "is a directory"), ("/etc/hostname", "lies outside the media roots"),
    ] {
      let error = #expect(throws: MediaError.self) { _ = try policy.descriptor(of: place) }
      #expect(error?.kind == .unreadable && error?.reason == reason)
    }
  }
}
