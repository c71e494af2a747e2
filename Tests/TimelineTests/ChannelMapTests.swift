import EditTesting
import Document
import Formats
import Scenes
import Testing
import Timeline

/// Tests of the channels that documents choose.
@Suite struct `Channels of a track` {
  private func document(_ channels: String, composition: Bool = false) -> String {
    let source = composition ? #"{"composition": "n"}"# : #"{"asset": "a", "source": {"start": "0", "duration": "2"}}"#
    return """
      {"spool": 1, "assets": {"a": {"path": "a.wav"}}, "compositions": {"n": {"tracks": [
        {"id": "i", "media": "audio", "segments": [{"asset": "a", "source": {"start": "0", "duration": "2"}}]}]}},
       "composition": {"tracks": [{"id": "t", "media": "audio", "segments": [\(source)]}]},
       "audioMix": [{"track": "t", "channels": \(channels)}], "export": {"fileType": "wav", "audio": {"codec": "pcm"}}}
      """
  }

  @Test(
    arguments: [
      (#"["right", "left"]"#, [[0, 1], [1]]), ("[3]", [[0, 0, 0, 1]]), ("[[0.5, 0.5, 0]]", [[0.5, 0.5]]),
      ("[[0], [0, 1]]", [[], [0, 1]]),
    ] as [(String, [[Double]])])
  func `are rows of factors`(channels: String, rows: [[Double]]) throws {
    let edit = try Timeline.parse(Array(document(channels).utf8))
    #expect(edit.audioMix.channels(of: TrackID("t"))?.rows == rows)
    let canonical = edit.canonicalJSON()
    #expect(try Timeline.parse(canonical) == edit)
  }

  @Test(arguments: [
    ("[]", "audioMix[0].channels: 0 channels: give 1 (the middle), 2 (left and right), 6 (5.1), 8 (7.1) or 12 (7.1.4)"),
    ("[0, 1, 2]", "audioMix[0].channels: 3 channels: give 1 (the middle), 2 (left and right), 6 (5.1), 8 (7.1) or 12 (7.1.4)"),
    ("[64]", "audioMix[0].channels[0]: 64 is not in 0...63"), ("[[17]]", "audioMix[0].channels[0][0]: 17 is not in -16...16"),
    (#"["middle"]"#, "audioMix[0].channels[0]: 'middle' is not one of left, right"),
    (#""right""#, "audioMix[0].channels: expected an array, found a string"),
  ])
  func `with faults are refused, each with its place`(channels: String, fault: String) {
    let found = Documents.faults(document(channels))
    #expect(found.count == 1 && found[0].hasPrefix(fault), "\(found)")
  }

  @Test func `of a composition are refused: it is mixed already`() throws {
    let edit = try Timeline.parse(Array(document("[0]", composition: true).utf8))
    let error = #expect(throws: DocumentFaults.self) { try edit.resolved(with: [AssetID("a"): Assets.song()]) }
    #expect(
      error?.faults.map(\.description).first?.hasPrefix("composition.tracks[0].segments[0]: the track's channels are chosen")
        == true)
  }
}
