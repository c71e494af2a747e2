import FarmTesting
import Glibc
import Media
import Messages
import Rendering
import Scenes
import Testing

@Suite struct `Keys that were made before` {
  private static func document(_ title: String = "one", seconds: Int = 2, start: String = "0") -> String {
    """
    {"spool": 1, "assets": {"a": {"path": "a.mp4"}},
     "composition": {"tracks": [
       {"id": "A", "media": "video", "segments": [{"asset": "a", "source": {"start": "\(start)", "duration": "\(seconds)"}, "at": "0"}]}]},
     "videoComposition": {"renderSize": [96, 64], "frameDuration": "1/25"},
     "export": {"fileType": "mp4", "metadata": {"title": "\(title)"}}}
    """
  }

  private static let halves = [FrameRange(first: 0, count: 25), FrameRange(first: 25, count: 25)]
  private let workshop = Workshop()
  private var cache: SegmentCache { SegmentCache(of: workshop.store, .own) }
  private var folder: String { workshop.store.path("_cache/keys") }

  init() throws { try workshop.clip("a.mp4", frameCount: 60) }

  /// Renders an edit that ends with the first half, so that this half is kept.
  ///
  /// - Returns: its key.
  private func render() throws -> String {
    workshop.cache = cache
    let edit = try workshop.edit(Self.document(seconds: 1))
    let chunk = try workshop.run(.picture(Self.halves[0]), task: 10, of: edit, output: "m.mp4")
    _ = try workshop.run(.mux(of: [chunk]), task: 11, of: edit, output: "m.mp4")
    guard case .picture(let proof) = chunk.proof else { throw Failure(.bug, at: "picture", "is of another kind") }
    return try #require(proof.key)
  }

  private func found(_ document: String = document(), _ chunks: [FrameRange] = halves, threads: Int = 2) throws -> [Bool] {
    let edit = try workshop.edit(document)
    let spec = workshop.order(.picture(Self.halves[0]), AttemptKey(task: 1, attempt: 1), of: edit, output: "m.mp4").spec
    return try cache.found(chunks, sounds: [], of: edit, spec, workshop.policy, threads: threads).pictures
  }

  private func tables() throws -> [String] {
    guard let listing = unsafe opendir(folder) else { return [] }
    defer { unsafe closedir(listing) }
    var names: [String] = []
    while let entry = unsafe readdir(listing) {
      let name = unsafe withUnsafeBytes(of: entry.pointee.d_name) { bytes in
        unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      if name.hasSuffix(".json") { names.append(name) }
    }
    return names.sorted()
  }

  private func lines(of table: String) throws -> [String] {
    try String(decoding: [UInt8](contentsOf: "\(folder)/\(table)"), as: UTF8.self).split(separator: "\n").map(String.init)
  }

  @Test func `are read again where nothing changed, and a line that was damaged is none`() throws {
    #expect(try found() == [false, false])
    #expect(unsafe access(workshop.store.path("_cache"), F_OK) != 0, "a plan makes no folder where nothing was kept")
    _ = try render()
    let before = try tables()
    for threads in [1, 2, 3] { #expect(try found(threads: threads) == [true, false]) }
    let table = try #require(Set(tables()).subtracting(before).first)
    #expect(try tables().count == before.count + 1)
    #expect(try lines(of: table).count == 2, "the first plan made both, and the others read them")
    let first = try #require(lines(of: table).first { $0.contains("\"0+25\"") })
    // The table is believed, so it is read: a line of another edit, whose first half differs, changes the answer.
    let mine = before + [table]
    #expect(try found(Self.document(start: "0.4")) == [false, false])
    let other = try #require(Set(tables()).subtracting(mine).first)
    let foreign = try #require(lines(of: other).first { $0.contains("\"0+25\"") })
    try foreign.write(toFile: "\(folder)/\(table)")
    #expect(try found() == [false, false])
    // Whatever does not have its digest is made anew, and so is what is no line.
    let content = try #require(first.firstRange(of: "\"content\":\"")?.upperBound)
    var damaged = first
    damaged.replaceSubrange(content...content, with: damaged[content] == "0" ? "1" : "0")
    for text in [damaged, String(first.dropLast(9)), "{", "\(damaged)\n\(first.dropFirst(4))"] {
      try text.write(toFile: "\(folder)/\(table)")
      #expect(try found() == [true, false], "\(text)")
      #expect(try lines(of: table).contains(first))
    }
    #expect(try found(Self.document(), [FrameRange(first: 10, count: 25), Self.halves[1]]) == [false, false])
  }

  @Test func `are noted by the attempts, before anybody plans`() throws {
    _ = try render()
    let table = try #require(tables().first)
    #expect(try tables() == [table] && lines(of: table).count == 1)
    #expect(try found(Self.document(seconds: 1), [Self.halves[0]]) == [true])
    #expect(try tables() == [table] && lines(of: table).count == 1)
  }

  @Test func `are made anew where a document changed, and where a medium did although no frame is looked at`() throws {
    _ = try render()
    #expect(try found() == [true, false])
    let before = try tables()
    #expect(try found(Self.document("two")) == [true, false])
    #expect(try tables().count == before.count + 1)
    try SyntheticSource(width: 96, height: 64, frameRate: "25", frameCount: 60)
      .write(to: workshop.file("a.mp4"), ["-c:v", "libx264", "-qp", "0", "-g", "12", "-bf", "2"])
    #expect(try found() == [false, false])
  }

  @Test func `stay for the last 64 edits`() throws {
    _ = try render()
    #expect(try found() == [true, false])
    let first = try tables()
    for number in 0..<70 {
      try "{}".write(toFile: "\(folder)/\(number).json")
      var times = [timeval(tv_sec: 1_000_000 + number, tv_usec: 0), timeval(tv_sec: 1_000_000 + number, tv_usec: 0)]
      unsafe utimes("\(folder)/\(number).json", &times)
    }
    #expect(try found(Self.document("two")) == [true, false])
    let left = try tables()
    #expect(left.count == 64 && first.allSatisfy(left.contains))
    #expect(!left.contains("7.json") && left.contains("69.json"))
  }
}
