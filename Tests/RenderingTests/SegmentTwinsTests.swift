import Document
import FarmTesting
import Formats
import Messages
import Rendering
import Scenes
import Testing
import Timeline

@Suite struct `Twins of segments` {
  /// The parts of the edit's document that tests change.
  private struct Edit {
    /// The starts of the one-second clips that follow each other.
    var starts = ["0", "1"]
    /// The second from which on the layer is shown.
    var from = "1.2"
    var color = "#ff0000"
    var crf = 23
    var asset = "a.mp4"
    var volume = "1"

    var document: String {
      let pictures = starts.map { #"{"asset": "a", "source": {"start": "\#($0)", "duration": "1"}}"# }
      return """
        {"spool": 1, "assets": {"a": {"path": "\(asset)"}, "tone": {"path": "tone.wav"}},
         "composition": {"tracks": [{"id": "V", "media": "video", "segments": [\(pictures.joined(separator: ", "))]},
           {"id": "A", "media": "audio", "segments": [{"asset": "tone", "source": {"start": "0", "duration": "2"}}]}]},
         "audioMix": [{"track": "A", "volume": \(volume)}],
         "videoComposition": {"renderSize": [96, 64], "frameDuration": "1/25"},
         "layers": [{"shape": "rectangle", "frame": [4, 4, 80, 20], "fillColor": "\(color)", "from": "\(from)"}],
         "export": {"fileType": "mp4", "video": {"codec": "h264", "crf": \(crf)}, "audio": {"codec": "aac"}}}
        """
    }
  }

  private let workshop = Workshop()
  private static let first = Work.picture(FrameRange(first: 0, count: 25))
  private static let second = Work.picture(FrameRange(first: 25, count: 25))

  init() throws {
    try workshop.clip("a.mp4", frameCount: 60)
    try workshop.clip("b.mp4", frameCount: 55)
    try MediaTools.ffmpeg(["-f", "lavfi", "-i", "sine=frequency=440:sample_rate=48000:duration=3", workshop.file("tone.wav")])
  }

  private func spec(_ edit: Edit, submitter: String? = "ana") throws -> JobSpec {
    let resolved = try workshop.edit(edit.document)
    let facts = Dictionary(uniqueKeysWithValues: resolved.facts.map { ($0.key.rawValue, $0.value) })
    return JobSpec(
      document: String(decoding: resolved.timeline.canonicalJSON(), as: UTF8.self), facts: facts, fonts: [], output: "/m.mp4",
      overwrites: true, keepsSegments: false, submitter: submitter)
  }

  private func twins(
    of works: [Work] = [first, second, .sound], in edit: Edit, among running: [Work] = [first, second, .sound]
  ) throws -> [Int?] {
    let twins = try SegmentTwins(of: spec(edit), in: spec(Edit()))
    let found = try twins.twins(of: works, among: running)
    #expect(try twins.twins(of: works, among: running, threads: 3) == found)
    return found
  }

  @Test func `a part has a twin where all that it shows is the same`() throws {
    #expect(try twins(in: Edit()) == [0, 1, 2])
    // Only what runs is looked at.
    #expect(try twins(in: Edit(), among: [.sound, Self.second]) == [nil, 1, 0])
    #expect(try twins(in: Edit(), among: []) == [nil, nil, nil])
    #expect(try twins(in: Edit(color: "#0000ff")) == [0, nil, 2])
    #expect(try twins(in: Edit(volume: "0.5")) == [0, 1, nil])
    #expect(try twins(in: Edit(crf: 30)) == [nil, nil, 2])
  }

  @Test func `its place in the movie does not matter, but its length does`() throws {
    var moved = Edit()
    (moved.starts, moved.from) = (["0.2", "0", "1"], "2.2")
    #expect(try twins(of: [Self.first, Self.second], in: moved, among: [Self.first]) == [nil, 0])
    let halves = [Work.picture(FrameRange(first: 0, count: 12)), .picture(FrameRange(first: 12, count: 13))]
    #expect(try twins(of: halves, in: Edit(), among: [Self.first]) == [nil, nil])
  }

  @Test func `media of another name are other media, and submitters have no twins in common`() throws {
    #expect(try twins(in: Edit(asset: "b.mp4")) == [nil, nil, 2])
    for (mine, theirs) in [("ana", "ben"), (nil, nil)] as [(String?, String?)] {
      let twins = try SegmentTwins(of: spec(Edit(), submitter: mine), in: spec(Edit(), submitter: theirs))
      #expect(try twins.twins(of: [Self.first, .sound], among: [Self.first, .sound]) == [nil, nil])
    }
    // The file has the same name, and something else in it.
    var changed = try spec(Edit())
    changed.facts["a"] = try spec(Edit(asset: "b.mp4")).facts["a"]
    let others = try SegmentTwins(of: spec(Edit()), in: changed)
    #expect(try others.twins(of: [Self.first, .sound], among: [Self.first, .sound]) == [nil, 1])
  }
}
