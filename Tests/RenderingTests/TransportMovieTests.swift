import FarmTesting
import Rendering
import Scenes
import Testing

/// Transport streams, which begin with the priming of their sound and do not say where it ends, as they are verified.
@Suite struct `A transport stream that is verified` {
  private let workshop = Workshop()

  private func edit(_ codec: String, sampleRate: Int, seconds: String = "1.6", heard: String = "1.6") throws -> ResolvedTimeline {
    try workshop.edit(
      """
      {"spool": 1, "assets": {"v": {"path": "v.mkv"}, "s": {"path": "s.wav"}}, "composition": {"tracks": [
        {"id": "V", "media": "video", "segments": [{"asset": "v", "source": {"start": "0", "duration": "\(seconds)"}}]},
        {"id": "S", "media": "audio", "segments": [{"asset": "s", "source": {"start": "0", "duration": "\(heard)"}}]}]},
       "export": {"fileType": "mpegts", "audio": {"codec": "\(codec)", "sampleRate": \(sampleRate)}, "video": {"speed": "veryfast"}}}
      """)
  }

  private func faults(of movie: String, _ edit: ResolvedTimeline) throws -> [String] {
    try MovieVerification(of: movie, against: edit, policy: workshop.policy) { _ in }.faults
  }

  @Test(arguments: [("aac", 48_000), ("mp3", 48_000), ("ac3", 48_000), ("eac3", 48_000), ("aac", 22_050)])
  func `is right with its priming, and wrong where frames or sound are missing`(codec: String, sampleRate: Int) throws {
    try workshop.clip("v.mkv", frameCount: 60)
    try MediaTools.ffmpeg(["-f", "lavfi", "-i", "sine=440:sample_rate=\(sampleRate):duration=3", workshop.file("s.wav")])
    let edit = try edit(codec, sampleRate: sampleRate)
    let movie = try workshop.movie(of: edit, borders: [0, 15], output: "m.ts")
    #expect(try faults(of: movie, edit) == [])
    let longer = try faults(of: movie, self.edit(codec, sampleRate: sampleRate, seconds: "1.64", heard: "1.64"))
    #expect(longer.contains("it has 40 frames instead of 41"), "\(longer)")
    let louder = try faults(of: movie, self.edit(codec, sampleRate: sampleRate, seconds: "1.6", heard: "1.8"))
    #expect(louder.contains { $0.contains(" samples instead of ") }, "\(louder)")
  }
}
