import FarmTesting
import Glibc
import Media
import MediaTime
import Rendering
import Scenes
import Testing

/// Segments that fade into each other, against the closed form: sources that are constant show each gain.
@Suite struct `A crossfade` {
  private let workshop = Workshop()

  private init() throws {
    // 0.25 up to 5 s, and 0.5 from then on, up to 10 s.
    try MediaTools.ffmpeg([
      "-f", "lavfi", "-i", "aevalsrc='0.25+0.25*gte(n,240000)':s=48000:d=10", "-c:a", "pcm_f32le", workshop.file("s.wav"),
    ])
    try workshop.clip("v.mkv", frameCount: 250)
  }

  private func edit(_ segments: String, crossfade: String = "0.5", bed: String = "", export: String = "") throws
    -> ResolvedTimeline
  {
    let picture = #"{"id": "V", "media": "video", "segments": [{"asset": "v"}]}"#
    return try workshop.edit(
      """
      {"spool": 1, "assets": {"s": {"path": "s.wav"}, "v": {"path": "v.mkv"}}, "composition": {"tracks": [\(picture),
        {"id": "S", "media": "audio", "crossfade": "\(crossfade)", \(bed) "segments": [\(segments)]}]},
       "export": {"fileType": "mkv", \(export) "audio": {"codec": "pcm", "channelLayout": "mono"}}}
      """)
  }

  private func samples(_ edit: ResolvedTimeline) throws -> [Float] {
    let mix = try SoundMix(edit: edit, policy: workshop.policy)
    var samples: [Float] = []
    while let block = try mix.next() { unsafe samples += Array(block.samples[0]) }
    return samples
  }

  private func clip(_ start: Int, _ more: String = "") -> String {
    #"{"asset": "s", "source": {"start": "\#(start)", "duration": "2"}\#(more)}"#
  }

  @Test(arguments: ["", #", "reversed": true"#])
  func `is two quarters of a sine, sample by sample`(direction: String) throws {
    let mixed = try samples(edit(clip(1, direction) + "," + clip(7, direction)))
    for index in 0..<4 * 48_000 {
      let x = Double(index - 96_000) / 24_000
      let expected = x < 0 ? 0.25 : x < 1 ? 0.25 * cos(x * .pi / 2) + 0.5 * sin(x * .pi / 2) : 0.5
      guard abs(Double(mixed[index]) - expected) < 1e-6 else {
        Issue.record("sample \(index): \(mixed[index]), not \(expected)")
        return
      }
    }
    // A part has the samples of the whole.
    let part = try samples(
      edit(clip(1, direction) + "," + clip(7, direction), export: #""timeRange": {"start": "2.25", "duration": "1"},"#))
    #expect(part == Array(mixed[108_000..<156_000]))
  }

  @Test func `joins the rounds of a loop, and a gap is none`() throws {
    // From 4 s to 6 s the source changes in the middle, so each joint goes from 0.5 to 0.25. A round is half a second shorter.
    let mixed = try samples(edit(clip(4), bed: #""bed": "loop","#))
    #expect(mixed.count == 480_000)
    for index in [0, 40_000, 60_000, 71_999, 72_000, 78_000, 84_000, 95_000, 97_000, 125_000, 144_000, 150_000] {
      let (round, place) = (index / 72_000, index % 72_000)
      let x = Double(place) / 24_000
      let own = place < 48_000 ? 0.25 : 0.5
      let expected = round > 0 && x < 1 ? 0.5 * cos(x * .pi / 2) + 0.25 * sin(x * .pi / 2) : own
      #expect(abs(Double(mixed[index]) - expected) < 1e-6, "sample \(index): \(mixed[index]), not \(expected)")
    }
    let apart = try samples(edit(clip(1) + "," + clip(7, #", "at": "3""#)))
    #expect(apart[95_999] == 0.25 && apart[96_000..<144_000].allSatisfy { $0 == 0 } && apart[144_000] == 0.5)
  }

  @Test(arguments: [
    (
      #"{"asset": "s", "source": {"start": "8", "duration": "2"}}"#,
      "segment 0 goes on for the crossfade up to 10.5 of its source, which ends at 10"
    ),
    (
      #"{"asset": "s", "source": {"start": "0", "duration": "2"}, "reversed": true}"#,
      "segment 0 goes on for the crossfade back to before the beginning of its source"
    ),
    (#"{"asset": "s", "source": {"start": "1", "duration": "0.25"}}"#, "segment 0 is shorter than the crossfade"),
    (
      #"{"asset": "s", "timeMap": [{"at": "0", "source": "1"}, {"at": "2", "speed": 2}]}"#,
      "segment 0 follows a timeMap, which says nothing of what comes after it: give it a source"
    ),
  ])
  func `that has nothing to fade is refused`(first: String, fault: String) throws {
    let error = #expect(throws: (any Error).self) { try edit(first + "," + clip(7)) }
    #expect(
      "\(error.map { "\($0)" } ?? "")".contains("composition.tracks[1].crossfade: \(fault)"), "\(error.map { "\($0)" } ?? "")")
  }
}
