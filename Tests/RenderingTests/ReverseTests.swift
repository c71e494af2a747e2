import FarmTesting
import Media
import MediaTime
import Rendering
import Scenes
import Testing

@Suite struct `Backwards and held` {
  private let workshop = Workshop()

  private func edit(_ segments: String, frameDuration: String = "1/25", sound: String = "") throws -> ResolvedTimeline {
    try workshop.edit(
      """
      {"spool": 1, "assets": {"a": {"path": "a.mp4"}\(sound.isEmpty ? "" : #", "s": {"path": "s.wav"}"#)},
       "composition": {"tracks": [{"id": "V", "media": "video", "segments": [\(segments)]}
         \(sound.isEmpty ? "" : #", {"id": "S", "media": "audio", "segments": [\#(sound)]}"#)]},
       "videoComposition": {"renderSize": [96, 64], "frameDuration": "\(frameDuration)"},
       "export": {"fileType": "mkv", "video": {"codec": "ffv1"}, "audio": {"codec": "pcm"}}}
      """)
  }

  private func numbers(_ edit: ResolvedTimeline) throws -> [Int] {
    let renderer = PictureRenderer(edit: edit, policy: workshop.policy)
    return try (0..<edit.frameCount).map { SyntheticSource.number(in: try renderer.frame($0)) }
  }

  @Test func `a reversed range shows its frames from the last to the first`() throws {
    try workshop.clip("a.mp4", frameCount: 50)
    let range = #""asset": "a", "source": {"start": "0.4", "duration": "1.2"}"#
    #expect(try numbers(edit("{\(range)}")) == Array(10..<40))
    #expect(try numbers(edit(#"{\#(range), "reversed": true}"#)) == (10..<40).reversed())
    // At half the speed each frame is shown twice.
    #expect(
      try numbers(edit(#"{\#(range), "reversed": true, "duration": "2.4"}"#)) == (10..<40).reversed().flatMap { [$0, $0] })
  }

  @Test func `a range that begins and ends within frames mirrors what is seen of them`() throws {
    try workshop.clip("a.mp4", frameCount: 50)
    let range = #""asset": "a", "source": {"start": "0.41", "duration": "0.06"}"#
    let forwards = try numbers(edit("{\(range)}", frameDuration: "1/100"))
    #expect(forwards == [10, 10, 10, 11, 11, 11])
    #expect(try numbers(edit(#"{\#(range), "reversed": true}"#, frameDuration: "1/100")) == forwards.reversed())
  }

  @Test func `a moment is held`() throws {
    try workshop.clip("a.mp4", frameCount: 50)
    #expect(
      try numbers(edit(#"{"asset": "a", "source": {"start": "1", "duration": "0"}, "duration": "0.4"}"#))
        == [Int](repeating: 25, count: 10))
  }

  @Test func `reversed sound has the samples of the forward one from the last to the first`() throws {
    try workshop.clip("a.mp4", frameCount: 50)
    // The sound has another rate than the movie, and is longer than what is read in one piece.
    try MediaTools.ffmpeg([
      "-f", "lavfi", "-i", "aevalsrc='0.4*sin(2*PI*(200+9*t)*t)|0.4*sin(2*PI*(300+5*t)*t)':s=44100:d=50", workshop.file("s.wav"),
    ])
    let clip = #"{"asset": "a", "source": {"start": "0", "duration": "1"}}"#
    func samples(_ segment: String) throws -> [[Float]] {
      let mix = try SoundMix(edit: edit(clip, sound: segment), policy: workshop.policy)
      var channels: [[Float]] = [[], []]
      while let block = try mix.next() {
        for channel in 0..<2 { unsafe channels[channel] += block.samples[channel] }
      }
      return channels
    }
    let range = #""asset": "s", "source": {"start": "1", "duration": "48"}"#
    let forwards = try samples("{\(range)}")
    let backwards = try samples(#"{\#(range), "reversed": true}"#)
    #expect(forwards[0].count == 48 * 48_000)
    for channel in 0..<2 { #expect(backwards[channel] == forwards[channel].reversed()) }
  }
}
