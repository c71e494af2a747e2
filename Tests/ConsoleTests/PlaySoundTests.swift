import FarmTesting
import FoundationEssentials
import Messages
import Testing

@Suite(.serialized) struct `A sound in parts, while it is rendered` {
  /// Four minutes of sound alone, which is mixed and encoded in four parts.
  private static let document: String = {
    let segments = (0..<63).map {
      #"{"asset": "clip", "source": {"start": "0", "duration": "3.8"}, "at": "\#(Double($0 * 38) / 10)"}"#
    }
    return """
      {"spool": 1, "assets": {"clip": {"path": "clip.mkv"}},
       "composition": {"tracks": [{"id": "sound", "media": "audio", "segments": [\(segments.joined(separator: ", "))]}]},
       "export": {"fileType": "m4a", "audio": {"codec": "aac"}}}
      """
  }()

  private func samples(_ place: String, _ bench: PlayBench) throws -> [UInt8] {
    let raw = "\(bench.console.folder)/samples.raw"
    try MediaTools.ffmpeg(["-i", place, "-map", "0:a:0", "-f", "f32le", raw], isStrict: true)
    return Array(try Data(contentsOf: URL(filePath: raw)))
  }

  @Test func `a piece is there once its part is, and who waits for it has that part made first`() throws {
    let bench = try PlayBench(document: Self.document, output: "sound.m4a")
    let first = try #require(bench.claim().first)
    #expect(first.work == .soundPart(SampleRange(first: 0, count: 960_384)))
    try bench.finish(first)
    for piece in 0..<4 { #expect(try bench.get("play/sound/\(piece).m4s?hold=100").status == 200, "\(piece)") }
    for piece in [4, 14, 40] { #expect(try bench.get("play/sound/\(piece).m4s?hold=0").status == 503, "\(piece)") }
    let last = try #require(bench.claim().last)
    #expect(last.work == .soundPart(SampleRange(first: 7_680_896, count: 3_810_304)))
    try bench.finish(last)
    #expect(try bench.get("play/sound/28.m4s?hold=100").status == 200)
    try bench.finishAll()
    let (heard, expected) = try (samples(bench.address("play.m3u8"), bench), samples(bench.movie, bench))
    // FFmpeg 5.1 does not leave out the priming of a movie in fragments.
    #expect(expected.count == 8 * 11_491_200 && heard.count >= expected.count && heard.suffix(expected.count) == expected[...])
    // Times go on where the part before ended, whichever piece is fetched first.
    let packets = try MediaTools.ffmpeg([
      "-copyts", "-i", bench.address("play.m3u8"), "-map", "0:a:0", "-c", "copy", "-f", "framecrc", "-",
    ])
    let times = packets.split(separator: "\n").filter { !$0.hasPrefix("#") }
      .compactMap { Int($0.split(separator: ",")[2].trimmingPrefix { $0 == " " }) }
    #expect(times.count > 11_000 && zip(times, times.dropFirst()).allSatisfy { $1 - $0 == 1024 })
  }
}
