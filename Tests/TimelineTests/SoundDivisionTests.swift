import EditTesting
import Document
import Formats
import Scenes
import Testing
import Timeline

/// The parts of a sound of fifteen minutes, by its codec.
@Suite struct `The division of sound` {
  @Test(arguments: [
    ("flac", "flac", [300, 600]), ("wav", "pcm", [300, 600]),
    ("m4a", "aac", [20] + [Int64](stride(from: 80, through: 800, by: 80))), ("mp3", "mp3", []),
  ])
  func `has longer parts where encoding takes nothing away, and a short first one where players begin with it`(
    fileType: String, codec: String, seconds: [Int64]
  ) throws {
    let segment = #"{"asset": "a", "source": {"start": "0", "duration": "9"}}"#
    let text = """
      {"spool": 1, "assets": {"a": {"path": "a.m4a"}}, "composition": {"tracks": [
        {"id": "t", "media": "audio", "segments": [\([String](repeating: segment, count: 100).joined(separator: ", "))]}]},
       "export": {"fileType": "\(fileType)", "audio": {"codec": "\(codec)"}}}
      """
    let edit = try Timeline.parse(Array(text.utf8)).resolved(with: [AssetID("a"): Assets.song()])
    let division = try SoundDivision(of: edit)
    guard case .parts(let parts) = division else {
      #expect(seconds.isEmpty && division == .whole(.codec(.mp3)), "\(division)")
      return
    }
    // A border stands at a whole block of the codec, which lasts less than a tenth of a second.
    let borders = parts.dropFirst().map { Double($0.lowerBound) / 48_000 }
    #expect(borders.count == seconds.count)
    #expect(zip(borders, seconds).allSatisfy { abs($0 - Double($1)) < 0.1 }, "\(borders)")
    #expect(parts.first?.lowerBound == 0 && parts.last?.upperBound == 900 * 48_000)
  }
}
