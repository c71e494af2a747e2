import FarmTesting
import Formats
import MediaTime
import Rendering
import Scenes
import Testing
import Timeline

/// The channels with which tracks are heard, against arithmetic on samples that tell their channels apart.
@Suite struct `A track's channels` {
  private let workshop = Workshop()
  private static let levels: [Float] = [0.5, 0.25, 0.125, 0.0625, 0.03125, 0.015625]

  /// Writes a source whose channels have constant levels.
  private func source(_ count: Int) throws {
    let sample = Self.levels.prefix(count).flatMap { level in
      (0..<4).map { UInt8(truncatingIfNeeded: level.bitPattern >> (8 * $0)) }
    }
    let bytes = Array(repeatElement(sample, count: 4_800).joined())
    let layout = [1: "mono", 2: "stereo", 6: "5.1"][count] ?? ""
    try MediaTools.ffmpeg(
      [
        "-f", "f32le", "-ar", "48000", "-channel_layout", layout, "-ac", "\(count)", "-i", "-", "-c:a", "pcm_f32le",
        workshop.file("c.wav"),
      ],
      input: bytes)
  }

  private func edit(_ channels: String?, layout: String, segment: String = "") throws -> ResolvedTimeline {
    try workshop.edit(
      """
      {"spool": 1, "assets": {"c": {"path": "c.wav"}}, "composition": {"tracks": [
        {"id": "t", "media": "audio", "segments": [{"asset": "c"\(segment)}]}]},
       "audioMix": [\(channels.map { "{\"track\": \"t\", \"channels\": \($0)}" } ?? "")],
       "export": {"fileType": "wav", "audio": {"codec": "pcm", "channelLayout": "\(layout)"}}}
      """)
  }

  /// The levels of the mix's channels in the middle.
  private func heard(_ channels: String?, layout: String, segment: String = "") throws -> [Float] {
    let mix = try SoundMix(edit: edit(channels, layout: layout, segment: segment), policy: workshop.policy)
    let block = try #require(try mix.next())
    return unsafe block.samples.map { unsafe $0[2_000] }
  }

  @Test(
    arguments: [
      (#"["right"]"#, 2, "stereo", [0.25, 0.25]), (#"["right"]"#, 2, "mono", [0.25]),
      (#"["right", "left"]"#, 2, "stereo", [0.25, 0.5]),
      (#"["left", "left"]"#, 2, "stereo", [0.5, 0.5]), ("[0]", 1, "stereo", [0.5, 0.5]), ("[[0.5, 0.5]]", 2, "mono", [0.375]),
      ("[[1, -1], [0, 1]]", 2, "stereo", [0.25, 0.25]), ("[4]", 6, "5.1", [0, 0, 0.03125, 0, 0, 0]),
      ("[[], [1]]", 2, "stereo", [0, 0.5]), ("[5, 4]", 6, "stereo", [0.015625, 0.03125]),
      ("[5, 4, 3, 2, 1, 0]", 6, "5.1", [0.015625, 0.03125, 0.0625, 0.125, 0.25, 0.5]), ("[1, 0]", 2, "mono", [0.375]),
      ("[[2]]", 1, "stereo", [1, 1]),
    ] as [(String, Int, String, [Float])])
  func `are those that are chosen`(channels: String, count: Int, layout: String, expected: [Float]) throws {
    try source(count)
    let found = try heard(channels, layout: layout)
    #expect(zip(found, expected).allSatisfy { abs($0 - $1) < 1e-7 } && found.count == expected.count, "\(found)")
  }

  @Test(arguments: [1, 2, 6], ["mono", "stereo", "5.1"])
  func `in their own order are heard as if none were chosen`(count: Int, layout: String) throws {
    try source(count)
    let all = "[\((0..<count).map { "\($0)" }.joined(separator: ", "))]"
    let (chosen, usual) = try (heard(all, layout: layout), heard(nil, layout: layout))
    #expect(zip(chosen, usual).allSatisfy { abs($0 - $1) < 1e-7 } && chosen.count == usual.count, "\(chosen) \(usual)")
  }

  @Test func `are chosen backwards and at another speed, too`() throws {
    try source(2)
    for segment in [#", "reversed": true"#, #", "source": {"start": "0", "duration": "0.1"}, "duration": "0.2""#] {
      let found = try heard(#"["right"]"#, layout: "stereo", segment: segment)
      #expect(found.allSatisfy { abs($0 - 0.25) < 1e-4 }, "\(found)")
    }
  }

  @Test func `that a clip has not are refused, with their place`() throws {
    try source(1)
    #expect(throws: (any Error).self) { try edit(#"["right"]"#, layout: "stereo") }
    do { _ = try edit(#"["right"]"#, layout: "stereo") } catch {
      let place = "composition.tracks[0].segments[0]: asset 'c' has one channel, counted from 0, and audioMix chooses number 1"
      #expect("\(error)".contains(place), "\(error)")
    }
  }
}
