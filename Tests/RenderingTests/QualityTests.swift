import Document
import FarmTesting
import Formats
import FoundationEssentials
import Linux
import Media
import Messages
import Rendering
import Scenes
import Testing
import Timeline

/// Movies whose chunks reach a quality, measured by ffmpeg's own filter against a lossless movie of the same edit.
@Suite struct `A quality that is asked for` {
  private let workshop = Workshop()

  private init() throws {
    // Two seconds that are hard to encode, then two that are easy.
    try MediaTools.ffmpeg([
      "-f", "lavfi", "-i", "mandelbrot=s=160x96:r=25:end_scale=0.05", "-f", "lavfi", "-i", "testsrc=s=160x96:r=25",
      "-filter_complex",
      "[0]trim=end_frame=50,noise=alls=9:allf=t,format=yuv420p[hard];[1]trim=end_frame=50,format=yuv420p[easy];[hard][easy]concat[v]",
      "-map", "[v]", "-c:v", "ffv1", workshop.file("scenes.mkv"),
    ])
  }

  private func edit(_ video: String, type: String = "mp4") throws -> ResolvedTimeline {
    try workshop.edit(
      """
      {"spool": 1, "assets": {"a": {"path": "\(workshop.file("scenes.mkv"))"}},
       "composition": {"tracks": [{"id": "V", "media": "video", "segments": [{"asset": "a"}]}]},
       "videoComposition": {"renderSize": [160, 96], "frameDuration": "1/25"},
       "export": {"fileType": "\(type)", "video": {\(video)}}}
      """)
  }

  /// Renders an edit in chunks, and gives the movie and what each chunk reached.
  private func movie(
    of edit: ResolvedTimeline, borders: [Int], _ output: String
  ) throws -> (path: String, chunks: [PictureProof]) {
    (try workshop.movie(of: edit, borders: borders, output: output), workshop.chunks)
  }

  /// The similarity of each frame of a movie to the lossless one.
  private func similarities(_ movie: String, _ lossless: String) throws -> [Double] {
    let lines = try MediaTools.ffmpeg([
      "-i", movie, "-i", lossless, "-lavfi",
      "[0]settb=1/25,setpts=N[a];[1]settb=1/25,setpts=N[b];[a][b]ssim=stats_file=-", "-f", "null", "-",
    ])
    return try lines.split(whereSeparator: \.isNewline).compactMap { line in
      guard let start = line.firstRange(of: "All:")?.upperBound else { return nil }
      let value: Double = try #require(Double(line[start...].prefix { $0 != " " }))
      return value
    }
  }

  private func mean(_ values: some Collection<Double>) -> Double { values.reduce(0, +) / Double(values.count) }

  private func lossless() throws -> String {
    try workshop.movie(of: edit(#""codec": "ffv1""#, type: "mkv"), borders: [0], output: "lossless.mkv")
  }

  @Test(arguments: [
    (#""codec": "h264", "speed": "veryfast""#, "mp4", 0.25, 0.95), (#""codec": "hevc", "speed": "ultrafast""#, "mp4", 0.25, 0.93),
    (#""codec": "vp9", "speed": "veryfast""#, "webm", 1, 0.95), (#""codec": "av1", "speed": "ultrafast""#, "mp4", 1, 0.94),
  ])
  func `is reached in each chunk, and would not be with the next setting`(
    video: String, type: String, step: Double, wanted: Double
  ) throws {
    let lossless = try lossless()
    let borders = [0, 50]
    let made = try movie(
      of: edit(video + #", "quality": {"ssim": \#(wanted)}"#, type: type), borders: borders, "movie.\(type)")
    let target = try #require(workshop.muxed?.target)
    let found = try similarities(made.path, lossless)
    try #require(found.count == 100)
    let chosen = try made.chunks.map { try #require($0.quality) }
    for (chunk, range) in zip(chosen, [0..<50, 50..<100]) {
      let reached = mean(found[range])
      #expect(reached >= wanted - 1e-4, "\(chunk.words)")
      #expect(abs(chunk.reached - reached) < 1e-4, "\(chunk.words) and not \(reached)")
      #expect(!chunk.isMissed && chunk.asked == wanted && chunk.measure == .ssim && chunk.tries > 1)
      // One setting alone, the next coarser one. The coarsest of all has none.
      guard chunk.crf + step <= (step == 1 ? 63 : 51) else { continue }
      let coarser = try edit(video + #", "crf": \#(chunk.crf + step)"#, type: type)
      let other = try workshop.movie(of: coarser, borders: borders, output: "coarser.\(type)")
      #expect(mean(try similarities(other, lossless)[range]) < wanted, "\(chunk.words)")
    }
    // The two halves need different settings.
    #expect(chosen[0].crf != chosen[1].crf)
    #expect(target == TargetMeasure(chosen) && !target.isMissed && target.warning == nil)
  }

  @Test func `is reached by XPSNR, too`() throws {
    let made = try movie(
      of: edit(#""codec": "h264", "speed": "veryfast", "quality": {"xpsnr": 36}"#), borders: [0, 50], "movie.mp4")
    for chunk in made.chunks {
      let quality = try #require(chunk.quality)
      // A quarter of a step is some tenths of a decibel.
      #expect(quality.measure == .xpsnr && 36..<37 ~= quality.reached, "\(quality.words)")
    }
  }

  @Test func `gives the same bytes each time, whatever lies beside the chunk`() throws {
    let edit = try edit(#""codec": "h264", "speed": "veryfast", "quality": {"ssim": 0.95}"#)
    let borders = [0, 14, 28, 42, 56, 70, 84]
    let all = try movie(of: edit, borders: borders, "movie.mp4").chunks
    // The same plan is worked on in another order, and by other attempts.
    for (index, first) in borders.enumerated().reversed() {
      let frames = FrameRange(first: first, count: (borders + [100])[index + 1] - first)
      let again = try workshop.run(.picture(frames), task: 50 + Int64(index), attempt: 2, of: edit, output: "other.mp4")
      #expect(again.proof.file.byteDigest == all[index].segment.file.byteDigest)
      guard case .picture(let proof) = again.proof else {
        Issue.record("no picture")
        return
      }
      #expect(proof.quality == all[index].quality)
    }
    // All chunks have the same parameter sets, with whatever setting.
    #expect(Set(all.map(\.segment.parameterSetDigest)).count == 1)
    #expect(Set(all.compactMap(\.quality?.crf)).count > 1)
  }

  @Test func `that no setting reaches is told, and the movie has the best that there is`() throws {
    let edit = try edit(#""codec": "h264", "speed": "ultrafast", "quality": {"ssim": 0.9999}"#)
    let made = try movie(of: edit, borders: [0], "movie.mp4")
    let quality = try #require(made.chunks[0].quality)
    #expect(quality.isMissed && quality.crf == 1 && quality.reached < 0.9999, "\(quality.words)")
    let target = try #require(workshop.muxed?.target)
    #expect(target.isMissed)
    #expect(try #require(target.warning).contains("no setting"))
    #expect(try MovieVerification(of: made.path, against: edit, policy: workshop.policy, floor: 0) { _ in }.faults == [])
  }

  @Test func `keeps within a bound of the rate`() throws {
    let video = #""codec": "h264", "speed": "veryfast", "quality": {"ssim": 0.99}, "maxBitRate": 200000"#
    let edit = try edit(video)
    let made = try movie(of: edit, borders: [0, 50], "movie.mp4")
    let counts = try MediaTools.ffprobe(["-select_streams", "v", "-show_entries", "packet=size", "-of", "csv=p=0", made.path])
      .split(whereSeparator: \.isNewline).map { try #require(Double($0.prefix { $0 != "," })) }
    var bucket = LeakyBucket(RateCap(maxBitRate: 200_000, bufferSize: 400_000), frameSeconds: 0.04)
    for count in counts { bucket.take(byteCount: Int(count)) }
    #expect(!bucket.hasLacked)
    #expect(try #require(made.chunks[0].quality).isMissed)
  }

  @Test func `leaves no other file beside a chunk`() throws {
    let edit = try edit(#""codec": "h264", "speed": "veryfast", "quality": {"ssim": 0.95}"#)
    let chunk = try workshop.run(.picture(FrameRange(first: 0, count: 30)), task: 1, of: edit, output: "movie.mp4")
    let path = workshop.store.path(chunk.proof.file.path)
    let folder = String(path[..<(try #require(path.lastIndex(of: "/")))])
    let names = try FileManager.default.contentsOfDirectory(atPath: folder)
    #expect(names.filter { $0.hasSuffix(".try") } == [])
  }
}
