import FarmTesting
import Media
import Messages
import Rendering
import Scenes
import Testing

@Suite struct `Segments of a job that are found together` {
  private static let chunks = (0..<6).map { FrameRange(first: $0 * 10, count: 10) }
  private static func document(seconds: String) -> String {
    """
    {"spool": 1, "assets": {"a": {"path": "a.mp4"}, "s": {"path": "s.wav"}},
     "composition": {"tracks": [
       {"id": "A", "media": "video", "segments": [{"asset": "a", "source": {"start": "0", "duration": "\(seconds)"}, "at": "0"}]},
       {"id": "S", "media": "audio", "segments": [{"asset": "s", "source": {"start": "0", "duration": "\(seconds)"}, "at": "0"}]}]},
     "videoComposition": {"renderSize": [96, 64], "frameDuration": "1/25"}}
    """
  }

  private let workshop = Workshop()
  private var cache: SegmentCache { SegmentCache(of: workshop.store, .own) }

  /// Renders a movie of the first three chunks and its sound, so that they are kept.
  private func rendered() throws -> (ResolvedTimeline, [Winner<Proof>]) {
    workshop.cache = cache
    try workshop.clip("a.mp4", frameCount: 60)
    try MediaTools.ffmpeg(["-f", "lavfi", "-i", "sine=440:duration=3", "-c:a", "pcm_s16le", workshop.file("s.wav")])
    let edit = try workshop.edit(Self.document(seconds: "1.2"))
    let works = Self.chunks[0..<3].map { Work.picture($0) } + [.sound]
    let parts = try works.enumerated().map { try workshop.run($1, task: 10 + Int64($0), of: edit, output: "m.mp4") }
    _ = try workshop.run(.mux(of: parts), task: 20, of: edit, output: "m.mp4")
    return (edit, parts)
  }

  private func recall(_ edit: ResolvedTimeline, submitter: String = "ada") throws -> SegmentRecall {
    let order = workshop.order(
      .picture(Self.chunks[0]), AttemptKey(task: 100, attempt: 1), of: edit, output: "m.mp4", submitter: submitter)
    return try SegmentRecall(order: order, store: workshop.store, policy: workshop.policy, cache: cache, threads: 3)
  }

  private func questions(_ works: [Work]) -> [RecallQuestion] {
    works.enumerated().map { RecallQuestion(key: AttemptKey(task: 100 + Int64($0), attempt: 1), work: $1) }
  }

  /// The answers in the order of their tasks.
  private func answers(_ recall: inout SegmentRecall, _ works: [Work]) -> [Proof?] {
    recall.answers(to: questions(works)).sorted { $0.key < $1.key }.map(\.proof)
  }

  @Test func `have the bytes, the digests and the keys that they had, and lie under the attempts' names`() throws {
    let (edit, parts) = try rendered()
    var recall = try recall(edit)
    let found = answers(&recall, Self.chunks[0..<3].map { Work.picture($0) } + [.sound])
    #expect(found.compactMap(\.self).count == 4)
    for (was, now) in zip(parts, found.compactMap(\.self)) {
      #expect(now.isFound && now.key == was.proof.key && now.file.byteDigest == was.proof.file.byteDigest)
      #expect(now.frames == was.proof.frames)
      #expect(try FileDigest(of: workshop.store.path(now.file.path)).hash == was.proof.file.byteDigest)
    }
    #expect(found[1]?.file.path == "\(workshop.job)/101/1.nut")
    // An attempt's own process says the same.
    let alone = try workshop.run(.picture(Self.chunks[2]), task: 200, of: edit, output: "m.mp4")
    #expect(alone.proof.isFound && alone.proof.key == found[2]?.key)
  }

  @Test func `are those of a longer edit that shows the same, and the others have to be made`() throws {
    _ = try rendered()
    var recall = try recall(workshop.edit(Self.document(seconds: "2.4")))
    let found = answers(&recall, Self.chunks.map { Work.picture($0) } + [.sound])
    #expect(found.map { $0 != nil } == [true, true, true, false, false, false, false])
  }

  @Test func `are not found where a medium changed between two questions, nor by others, nor damaged`() throws {
    let (edit, parts) = try rendered()
    var (recall, foreign) = (try recall(edit), try recall(edit, submitter: "bob"))
    let works = Self.chunks[0..<3].map { Work.picture($0) }
    #expect(answers(&foreign, works) == [nil, nil, nil])
    let key = try #require(parts[1].proof.key)
    let kept = try #require(cache.path(of: key))
    var bytes = try [UInt8](contentsOf: kept)
    bytes[bytes.count / 2] ^= 1
    try bytes.write(toFile: kept)
    #expect(answers(&recall, works).map { $0 != nil } == [true, false, true])
    try SyntheticSource(width: 96, height: 64, frameRate: "25", frameCount: 60)
      .write(to: workshop.file("a.mp4"), ["-c:v", "libx264", "-qp", "0", "-g", "12", "-bf", "2"])
    #expect(answers(&recall, works) == [nil, nil, nil])
    #expect(answers(&recall, [.sound]).map { $0 != nil } == [true])
  }

  @Test func `are asked for in lines that fit what carries them`() throws {
    let key = AttemptKey(task: .max, attempt: .max)
    let works: [Work] = [
      .picture(FrameRange(first: .max / 2, count: .max / 2)), .soundPart(SampleRange(first: .max / 2, count: .max / 2)), .sound,
    ]
    for work in works {
      let question = RecallQuestion(key: key, work: work)
      let line = try question.line()
      #expect(try RecallQuestion(line: String(decoding: line.dropLast(), as: UTF8.self)) == question)
    }
    let answer = RecallAnswer(key: key, proof: .sample(of: .picture))
    #expect(try RecallAnswer(line: String(decoding: answer.line().dropLast(), as: UTF8.self)) == answer)
    #expect(throws: WireError.self) { try RecallQuestion(line: "{}") }
  }
}
