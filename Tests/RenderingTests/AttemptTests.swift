import FarmTesting
import Media
import Messages
import MediaTime
import Rendering
import Testing
import Timeline

@Suite("Attempts")
struct AttemptTests {
  private static let document = """
    {"spool": 1, "assets": {"a": {"path": "a.mp4"}, "b": {"path": "b.mp4"}},
     "composition": {"tracks": [
       {"id": "A", "media": "video", "segments": [{"asset": "a", "source": {"start": "0.4", "duration": "1.2"}, "at": "0"}]},
       {"id": "B", "media": "video", "segments": [{"asset": "b", "source": {"start": "0", "duration": "1"}, "at": "1"}]}]},
     "videoComposition": {"renderSize": [96, 64], "frameDuration": "1/25", "instructions": [
       {"timeRange": {"start": "0", "duration": "1"}, "layers": [{"track": "A"}]},
       {"timeRange": {"start": "1", "duration": "0.2"}, "transition": {"kind": "dissolve", "from": {"track": "A"}, "to": {"track": "B"}}},
       {"timeRange": {"start": "1.2", "duration": "0.8"}, "layers": [{"track": "B", "gravity": "resizeAspectFill"}]}]},
     "export": {"fileType": "mkv", "video": {"codec": "ffv1"}}}
    """

  @Test("the movie of many chunks has the frames that one renderer composites")
  func manyChunks() throws {
    let workshop = Workshop()
    try workshop.clip("a.mp4", frameCount: 50)
    try workshop.clip("b.mp4", frameRate: "30", frameCount: 40, width: 64, height: 64)
    let edit = try workshop.edit(Self.document)
    let movie = try workshop.movie(of: edit, borders: [0, 1, 7, 26, 27, 49], output: "movie.mkv")

    let renderer = PictureRenderer(edit: edit, policy: workshop.policy)
    let composited = try (0..<edit.frameCount).map { try renderer.frame($0).md5() }
    let decoded = try MediaTools.ffmpeg(["-i", movie, "-f", "framemd5", "-"]).split(separator: "\n")
      .filter { !$0.hasPrefix("#") }.compactMap { $0.split(separator: " ").last.map(String.init) }
    #expect(composited.count == 50)
    #expect(decoded == composited)
  }

  @Test("every frame shows the source frame of its time")
  func sourceFrames() throws {
    let workshop = Workshop()
    try workshop.clip("a.mp4", frameCount: 50)
    try workshop.clip("b.mp4", frameRate: "30", frameCount: 40, width: 64, height: 64)
    let renderer = PictureRenderer(edit: try workshop.edit(Self.document), policy: workshop.policy)
    // Backwards, so that every request seeks.
    for index in (0..<25).reversed() {
      #expect(SyntheticSource.number(in: try renderer.frame(index)) == index + 10)
    }
  }

  @Test("a damaged segment file is named, so that its chunk is rendered again")
  func damagedSegment() throws {
    let workshop = Workshop()
    try workshop.clip("a.mp4", frameCount: 50)
    try workshop.clip("b.mp4", frameRate: "30", frameCount: 40)
    let edit = try workshop.edit(Self.document)
    let first = try workshop.run(.picture(FrameRange(first: 0, count: 20)), task: 1, of: edit, output: "movie.mkv")
    let second = try workshop.run(.picture(FrameRange(first: 20, count: 30)), task: 2, of: edit, output: "movie.mkv")
    try workshop.damage(second)

    let failure = #expect(throws: Failure.self) {
      try workshop.run(.mux(pictures: [first, second], sound: nil), task: 3, of: edit, output: "movie.mkv")
    }
    #expect(failure?.damaged == [second.key])
    #expect(failure?.class == .worker)
  }

  @Test("publishing again after a crash changes nothing")
  func publishedTwice() throws {
    let workshop = Workshop()
    try workshop.clip("a.mp4", frameCount: 50)
    try workshop.clip("b.mp4", frameRate: "30", frameCount: 40)
    let edit = try workshop.edit(Self.document)
    let picture = try workshop.run(.picture(FrameRange(first: 0, count: 50)), task: 1, of: edit, output: "movie.mkv")
    let muxed = try workshop.run(.mux(pictures: [picture], sound: nil), task: 2, of: edit, output: "movie.mkv")
    try workshop.run(.publish(muxed: muxed), task: 3, attempt: 1, of: edit, output: "movie.mkv")
    let once = try FileDigest(of: workshop.file("movie.mkv"))
    try workshop.run(.publish(muxed: muxed), task: 3, attempt: 2, of: edit, output: "movie.mkv")
    #expect(try FileDigest(of: workshop.file("movie.mkv")) == once)
  }

  @Test("a job's name that leads out of the store is refused")
  func unsafeJobName() throws {
    let workshop = Workshop()
    try workshop.clip("a.mp4", frameCount: 50)
    try workshop.clip("b.mp4", frameRate: "30", frameCount: 40)
    let edit = try workshop.edit(Self.document)
    let order = AttemptOrder(
      job: "../../etc", key: AttemptKey(task: 1, attempt: 1), work: .picture(FrameRange(first: 0, count: 1)),
      spec: JobSpec(
        document: String(decoding: edit.timeline.canonicalJSON(), as: UTF8.self), facts: [:], output: "/dev/null",
        overwrites: true, keepsSegments: false))
    var last: AttemptReport?
    AttemptRunner(order: order, store: workshop.store, policy: workshop.policy) { last = $0 }.run()
    guard case .failed(let failure) = last else {
      Issue.record("the attempt was not refused")
      return
    }
    #expect(failure.place == "order")
  }
}
