import FarmTesting
import Formats
import Media
import MediaTime
import Messages
import Rendering
import Scenes
import Testing

@Suite struct `Clips that are damaged, late or of fields` {
  private let workshop = Workshop()

  private func edit(
    _ asset: String, frames: Int, reversed: Bool = false, frameDuration: MediaTime? = nil
  ) throws -> ResolvedTimeline {
    let frame = try frameDuration ?? MediaTime(1, 25)
    let duration = try frame * Int64(frames)
    return try workshop.edit(
      """
      {"spool": 1, "assets": {"a": \(asset)},
       "composition": {"tracks": [{"id": "V", "media": "video", "segments": [
         {"asset": "a", "source": {"start": "0", "duration": "\(duration)"}, "reversed": \(reversed)}]}]},
       "videoComposition": {"renderSize": [160, 120], "frameDuration": "\(frame)", "color": "bt709", "instructions": [
         {"timeRange": {"start": "0", "duration": "\(duration)"}, "background": "#ffffff", "layerInstructions": [{"track": "V", "gravity": "resize"}]}]},
       "export": {"fileType": "mkv", "video": {"codec": "ffv1"}}}
      """)
  }

  /// The digests of the frames of movies of one, three and seven chunks, which must be the same, and the path of the last movie.
  @discardableResult
  private func expectSame(_ edit: ResolvedTimeline) throws -> String {
    let count = try edit.frameCount
    var (digests, last): (Set<String>, String) = ([], "")
    for chunks in [1, 3, 7] {
      let borders = (0..<chunks).map { $0 * count / chunks }
      last = try workshop.movie(of: edit, borders: borders, output: "\(chunks).mkv")
      digests.insert(try MediaTools.ffmpeg(["-i", last, "-f", "framemd5", "-"]))
    }
    #expect(digests.count == 1)
    let result = try MovieVerification(of: last, against: edit, policy: workshop.policy) { _ in }
    #expect(result.faults == [])
    return last
  }

  @Test func `damage is concealed alike by any number of chunks, and the movie tells of it`() throws {
    try MediaTools.ffmpeg([
      "-f", "lavfi", "-i", "testsrc2=s=160x120:r=25,noise=alls=12:all_seed=5", "-frames:v", "70", "-c:v", "libx264",
      "-preset", "veryfast", "-g", "20", "-bf", "2", workshop.file("a.mp4"),
    ])
    var bytes = try [UInt8](contentsOf: workshop.file("a.mp4"))
    let start = bytes.count * 2 / 5
    bytes.replaceSubrange(start..<start + 2000, with: [UInt8](repeating: 0, count: 2000))
    try bytes.write(toFile: workshop.file("a.mp4"))
    #expect {
      try workshop.run(
        .picture(FrameRange(first: 0, count: 70)), task: 1, of: self.edit(#"{"path": "a.mp4"}"#, frames: 70), output: "x.mkv")
    } throws: { error in
      (error as? Failure)?.class == .content && "\(error)".contains("(asset 'a'): the file is damaged: from")
    }
    let edit = try self.edit(#"{"path": "a.mp4", "damage": "conceal"}"#, frames: 70)
    let movie = try expectSame(edit)
    let comments = try (1...7).filter { [1, 3, 7].contains($0) }.map {
      try AssetProbe.facts(of: workshop.file("\($0).mkv"), policy: workshop.policy).comment
    }
    let result = try MovieVerification(of: movie, against: edit, policy: workshop.policy) { _ in }
    #expect(result.concealed.count == 1 && (1..<60).contains(result.concealed[0].frames))
    #expect(Set(comments) == [result.concealed.sentence])
    // The place of the damage is the same for any division into chunks, because what results tell about it adds up.
    for size in [70, 10] {
      let proofs = try stride(from: 0, to: 70, by: size).map { first in
        try workshop.run(
          .picture(FrameRange(first: first, count: size)), task: Int64(1000 + first + size), of: edit, output: "x.mkv"
        ).proof
      }
      #expect([Concealment].sum(proofs.flatMap(\.concealed)) == result.concealed, "chunks of \(size)")
    }
    let span = try #require(result.concealed[0].frameSpan)
    #expect(span.end - span.first >= Int64(result.concealed[0].frames) && span.end <= 70)
  }

  @Test func `damaged sound is told with its place in the movie`() throws {
    try MediaTools.ffmpeg([
      "-f", "lavfi", "-i", "anoisesrc=d=6:r=48000:seed=3", "-ac", "1", "-c:a", "aac", "-b:a", "128k", workshop.file("s.mp4"),
    ])
    var bytes = try [UInt8](contentsOf: workshop.file("s.mp4"))
    let start = bytes.count / 2
    bytes.replaceSubrange(start..<start + 1500, with: [UInt8](repeating: 0, count: 1500))
    try bytes.write(toFile: workshop.file("s.mp4"))
    let edit = try workshop.edit(
      """
      {"spool": 1, "assets": {"s": {"path": "s.mp4", "damage": "conceal"}},
       "composition": {"tracks": [{"id": "S", "media": "audio", "segments": [
         {"asset": "s", "at": "10", "source": {"start": "0", "duration": "5"}}]}]},
       "export": {"fileType": "mkv", "audio": {"sampleRate": 48000}}}
      """)
    let mix = try SoundMix(edit: edit, policy: workshop.policy)
    while try mix.next() != nil {}
    let concealed = try #require(mix.concealed.first)
    let span = try #require(concealed.sampleSpan)
    // On the clip's own clock the damage lies between 2 s and 4 s.
    #expect(span.first >= 12 * 48_000 && span.end <= 14 * 48_000 && span.end - span.first >= concealed.samples)
    #expect(concealed.frameSpan == nil && concealed.frames == 0)
  }

  @Test func `fields become the same pictures in any number of chunks`() throws {
    try MediaTools.ffmpeg([
      "-f", "lavfi", "-i", "testsrc2=s=160x120:r=50", "-vf", "tinterlace=interleave_top", "-frames:v", "50", "-c:v", "libx264",
      "-g", "12", "-bf", "2", "-flags", "+ilme+ildct", "-x264-params", "tff=1", workshop.file("a.mp4"),
    ])
    _ = try expectSame(self.edit(#"{"path": "a.mp4"}"#, frames: 50))
  }

  @Test(arguments: [false, true])
  func `film gets its frames back in any number of chunks, forwards and backwards`(reversed: Bool) throws {
    try SyntheticSource(width: 160, height: 128, frameRate: "24000/1001", frameCount: 100).write(
      to: workshop.file("a.mp4"),
      [
        "-vf", "telecine=pattern=23", "-c:v", "libx264", "-qp", "8", "-g", "15", "-bf", "2", "-flags", "+ilme+ildct",
        "-x264-params", "tff=1",
      ])
    let asset = #"{"path": "a.mp4", "interlace": "inverseTelecine"}"#
    let edit = try self.edit(asset, frames: 100, reversed: reversed, frameDuration: MediaTime(1001, 24_000))
    try expectSame(edit)
    let renderer = PictureRenderer(edit: edit, policy: workshop.policy)
    let numbers = try (0..<100).map { SyntheticSource.number(in: try renderer.frame($0)) }
    #expect(numbers == (reversed ? (0..<100).reversed() : Array(0..<100)))
  }

  @Test(arguments: ["mkv", "mpg", "ts"])
  func `film whose pictures repeat fields is the same in any number of chunks`(_ container: String) throws {
    let path = workshop.file("a.\(container)")
    try SoftTelecine(between: 2, frameCount: 104).write(to: [path], elementary: workshop.file("a.m2v"))
    let asset = #"{"path": "a.\#(container)", "interlace": "inverseTelecine"}"#
    let edit = try self.edit(asset, frames: 100, frameDuration: MediaTime(1001, 24_000))
    try expectSame(edit)
    let renderer = PictureRenderer(edit: edit, policy: workshop.policy)
    #expect(try (0..<100).map { SyntheticSource.number(in: try renderer.frame($0)) } == Array(0..<100))
  }

  @Test(arguments: [false, true])
  func `a picture that starts late shows the background until its first frame`(reversed: Bool) throws {
    try workshop.clip("a.mp4", frameCount: 25)
    try MediaTools.ffmpeg([
      "-itsoffset", "1", "-i", workshop.file("a.mp4"), "-f", "lavfi", "-t", "2", "-i", "sine", "-c:v", "copy", "-c:a", "flac",
      workshop.file("late.mkv"),
    ])
    let renderer = PictureRenderer(
      edit: try self.edit(#"{"path": "late.mkv"}"#, frames: 50, reversed: reversed), policy: workshop.policy)
    // White in each of the 32 blocks is a number that no frame has.
    let numbers = try (0..<50).map { SyntheticSource.number(in: try renderer.frame($0)) }
    let shown = [Int](repeating: 0xffff_ffff, count: 25) + Array(0..<25)
    #expect(numbers == (reversed ? shown.reversed() : shown))
  }
}
