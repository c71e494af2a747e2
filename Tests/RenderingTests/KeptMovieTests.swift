import FarmTesting
import Glibc
import Messages
import Rendering
import Scenes
import Testing

/// Movies that lie at their place already (decision 0250).
@Suite struct `A movie that is rendered again` {
  private static func document(_ title: String = "one", type: String = "mp4", export: String = "") -> String {
    """
    {"spool": 1, "assets": {"a": {"path": "a.mp4"}},
     "composition": {"tracks": [
       {"id": "A", "media": "video", "segments": [{"asset": "a", "source": {"start": "0", "duration": "2"}, "at": "0"}]}]},
     "videoComposition": {"renderSize": [96, 64], "frameDuration": "1/25"},
     "export": {"fileType": "\(type)", "video": {"codec": "h264", "crf": 23}, "metadata": {"title": "\(title)"}\(export)}}
    """
  }

  private func workshop(isCaching: Bool = true) throws -> Workshop {
    let workshop = Workshop()
    if isCaching { workshop.cache = SegmentCache(of: workshop.store, .own) }
    try workshop.clip("a.mp4", frameCount: 60)
    return workshop
  }

  /// The number of the file behind a path, and the count of its names.
  private func file(_ path: String) throws -> (inode: UInt, names: UInt) {
    var status = stat()
    try #require(unsafe lstat(path, &status) == 0)
    return (UInt(status.st_ino), UInt(status.st_nlink))
  }

  @discardableResult
  private func render(_ document: String, in workshop: Workshop, type: String = "mp4") throws -> FileProof {
    _ = try workshop.movie(of: workshop.edit(document), borders: [0, 25], output: "m.\(type)")
    return try #require(workshop.published)
  }

  @Test(arguments: ["mp4", "mov", "mkv"])
  func `unchanged, is the file that lies there, under its one name`(type: String) throws {
    let workshop = try workshop()
    let document = Self.document(type: type)
    let first = try render(document, in: workshop, type: type)
    let before = try file(workshop.file("m.\(type)"))
    let second = try render(document, in: workshop, type: type)
    let after = try file(workshop.file("m.\(type)"))
    #expect(workshop.chunks.map(\.isFound) == [true, true])
    #expect(second == first)
    #expect(after.inode == before.inode && after.names == 1)
    #expect(hidden(in: workshop).contains("m.\(type)") && !hidden(in: workshop).contains { $0.hasSuffix(".part") })
  }

  /// The names beside the movie.
  private func hidden(in workshop: Workshop) -> [String] {
    guard let listing = unsafe opendir(workshop.file(".")) else { return [] }
    defer { unsafe closedir(listing) }
    var names: [String] = []
    while let entry = unsafe readdir(listing) {
      names.append(
        unsafe withUnsafeBytes(of: entry.pointee.d_name) { unsafe String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) })
    }
    return names
  }

  @Test func `is joined again where somebody changed the file`() throws {
    let workshop = try workshop()
    let first = try render(Self.document(), in: workshop)
    let whole = try [UInt8](contentsOf: workshop.file("m.mp4"))
    var bytes = whole
    bytes[bytes.count / 2] ^= 1
    try bytes.write(toFile: workshop.file("m.mp4"))
    let second = try render(Self.document(), in: workshop)
    #expect(workshop.chunks.map(\.isFound) == [true, true])
    #expect(second.byteDigest == first.byteDigest)
    #expect(try [UInt8](contentsOf: workshop.file("m.mp4")) == whole)
  }

  @Test func `is joined again where it changed, or was taken away`() throws {
    let workshop = try workshop()
    let first = try render(Self.document(), in: workshop)
    let before = try file(workshop.file("m.mp4"))
    let changed = try render(Self.document("two"), in: workshop)
    #expect(workshop.chunks.map(\.isFound) == [true, true])
    #expect(changed.byteDigest != first.byteDigest)
    #expect(try file(workshop.file("m.mp4")).inode != before.inode)
    try #require(unsafe unlink(workshop.file("m.mp4")) == 0)
    #expect(try render(Self.document("two"), in: workshop).byteDigest == changed.byteDigest)
  }

  @Test func `is joined again where nothing is to be found, and where still pictures come beside it`() throws {
    for (isCaching, export) in [(false, ""), (true, #", "poster": {}"#)] {
      let workshop = try workshop(isCaching: isCaching)
      let first = try render(Self.document(export: export), in: workshop)
      let before = try file(workshop.file("m.mp4"))
      #expect(try render(Self.document(export: export), in: workshop).byteDigest == first.byteDigest)
      #expect(try file(workshop.file("m.mp4")).inode != before.inode)
    }
  }

  @Test func `is the file that was lent, in another folder, where nothing changed`() throws {
    let workshop = try workshop()
    let first = try render(Self.document(), in: workshop)
    let (movie, before) = (workshop.file("m.mp4"), try file(workshop.file("m.mp4")))
    try #require(unsafe mkdir(workshop.file("other"), 0o755) == 0)
    let lent = SegmentStore.lentPart(output: workshop.file("other/m.mp4"), job: workshop.job)
    try #require(unsafe link(movie, lent) == 0)
    _ = try workshop.movie(of: workshop.edit(Self.document()), borders: [0, 25], output: "other/m.mp4")
    let after = try file(workshop.file("other/m.mp4"))
    #expect(after.inode == before.inode && after.names == 2)
    #expect(try #require(workshop.published).byteDigest == first.byteDigest)
    #expect(unsafe access(lent, F_OK) != 0)
  }

  @Test func `unchanged, is not joined while it is rendered`() throws {
    let workshop = try workshop()
    try render(Self.document(), in: workshop)
    func outcome(_ document: String) throws -> EarlyJoin.Outcome {
      let order = try workshop.order(
        .picture(FrameRange(first: 0, count: 25)), AttemptKey(task: 9, attempt: 1), of: workshop.edit(document), output: "m.mp4")
      return try EarlyJoin(order: order, store: workshop.store).run()
    }
    #expect(try outcome(Self.document()) == .unchanged)
    #expect(try outcome(Self.document(type: "mp4", export: #", "fragmentInterval": 1"#)) == .unsuited)
    try #require(unsafe unlink(workshop.file("m.mp4")) == 0)
    // Somebody joins it, so this process does not wait for its segments.
    let lock = workshop.store.path("\(workshop.job)/0/0.joining")
    try [UInt8]().write(toFile: lock)
    #expect(try outcome(Self.document()) == .taken)
  }
}
