import EditTesting
import Document
import Formats
import MediaTime
import Scenes
import Testing
import Timeline

/// Tests of what a document states without effect.
@Suite struct `Warnings` {
  private func warnings(_ old: String = "", _ new: String = "", _ facts: [AssetID: AssetFacts]? = nil) throws -> [String] {
    #expect(old.isEmpty || Documents.opening.contains(old), "the document has no \(old)")
    let document = old.isEmpty ? Documents.opening : Documents.opening.replacing(old, with: new)
    let edit = try Timeline.parse(Array(document.utf8)).resolved(with: facts ?? Assets.opening())
    return edit.warnings.map(\.description)
  }

  @Test func `an edit that shows all that it says has none`() throws {
    #expect(try warnings() == [])
  }

  @Test func `tell of what is said of sound that nobody hears`() throws {
    #expect(
      try warnings(#""preset": "highest","#, #""preset": "highest", "loudness": "podcast","#) == [])
    let quiet =
      #"{"spool": 1, "assets": {"bikes": {"path": "b"}}, "composition": {"tracks": [{"id": "A", "media": "video", "segments": ["#
      + #"{"asset": "bikes", "source": {"start": "2", "duration": "6"}}]}]}, "export": {"loudness": "podcast"}}"#
    let edit = try Timeline.parse(Array(quiet.utf8)).resolved(with: Assets.opening())
    #expect(edit.warnings.map(\.description) == ["export.loudness: the edit has no sound to bring to a loudness"])
    let second =
      #"{"id": "S", "media": "audio", "segments": [{"asset": "song", "source": {"start": "12.5", "duration": "10"}, "at": "0"}]}"#
    let voice = #"{"id": "voice", "media": "audio", "segments": []}, "#
    let muted = Documents.opening.replacing(second, with: voice + second)
      .replacing(#""audioMix": [{"track": "S", "#, with: #""audioMix": [{"track": "S", "duck": {"under": ["voice"]}, "#)
    #expect(
      try Timeline.parse(Array(muted.utf8)).resolved(with: Assets.opening()).warnings.map(\.description)
        == ["audioMix: track 'S' yields to tracks that are never heard"])
  }

  @Test func `tell of lines that lie on each other`() throws {
    let told = "layers[1].lineHeight: 1.2 is in pixels, so lines lie on each other: a multiple is said by \"lineSpacing\""
    #expect(try warnings(#""size": 48"#, #""size": 48, "lineHeight": 1.2"#) == [told])
    #expect(try warnings(#""size": 48"#, #""size": 48, "lineHeight": 1.2, "wrap": "none""#) == [])
    #expect(try warnings(#""size": 48"#, #""size": 48, "lineHeight": 12"#) == [])
  }

  private static let text = #""size": 48, "from": "1", "to": "4""#
  private static let outside = "layers[1]: is never seen: it lies outside of the picture, which is 1280x720"
  private static let faded = "layers[1]: is never seen: its opacity is 0 throughout"

  @Test(arguments: [
    (#""size": 48, "from": "10", "to": "14""#, "layers[1]: is never seen: it begins at 10, and the edit ends at 10"),
    (#""size": 48, "frame": [1280, 0, 100, 100]"#, outside), (#""size": 48, "frame": [-100, 0, 100, 100]"#, outside),
    (#""size": 48, "frame": [0, 720, 100, 100]"#, outside), (#""size": 48, "opacity": 0"#, faded),
    (#""size": 48, "opacity": [{"at": "1", "value": 0}, {"at": "2", "value": 0}]"#, faded),
    (#""size": 48, "from": "1", "to": "4", "opacity": [{"at": "4", "value": 0}, {"at": "5", "value": 1}]"#, faded),
    (#""size": 48, "opacity": [{"at": "1", "value": 0, "hold": true}, {"at": "10", "value": 1}]"#, faded),
    (##""size": 48, "color": "#ff000000""##, "layers[1]: is never seen: its color is wholly transparent"),
  ])
  func `tell of a layer that no frame shows`(new: String, warning: String) throws {
    #expect(try warnings(Self.text, new) == [warning])
  }

  @Test(arguments: [
    #""size": 48, "from": "9", "to": "14""#, #""size": 48, "frame": [1279, 719, 100, 100]"#,
    #""size": 48, "frame": [0, -900, 100, 100]"#,
    #""size": 48, "opacity": [{"at": "9", "value": 0}, {"at": "11", "value": 1}]"#,
    #""size": 48, "from": "1", "to": "4", "opacity": [{"at": "2", "value": 0.1}, {"at": "3", "value": 0}]"#,
  ])
  func `do not tell of one that some frame may show`(new: String) throws {
    #expect(try warnings(Self.text, new) == [])
  }

  @Test func `tell of an image outside of the picture, and of what nothing uses`() throws {
    #expect(
      try warnings(
        #"{"image": "logo", "frame": [24, 24, 96, 96], "opacity": 0.9}"#, #"{"image": "logo", "frame": [24, -96, 96, 96]}"#)
        == ["layers[0]: is never seen: it lies outside of the picture, which is 1280x720"])
    #expect(
      try warnings(#"{"image": "logo", "frame": [24, 24, 96, 96], "opacity": 0.9}, "#, "") == [
        "assets.logo: nothing plays or shows it"
      ])
    let unplayed = #""composition": {"#
    let nested =
      #""compositions": {"x": {"tracks": [{"id": "V", "media": "video", "segments": [{"asset": "bikes", "source": {"start": "0", "duration": "1"}}]}]}}, "composition": {"#
    #expect(try warnings(unplayed, nested) == ["compositions.x: nothing plays it"])
  }

  @Test func `tell of a track that no instruction shows`() throws {
    #expect(
      try warnings(#""transition": {"kind": "dissolve", "from": "A", "to": "B"}"#, #""layerInstructions": ["A"]"#) == [])
    let alone = Documents.opening.replacing(#""track": "B""#, with: #""track": "A""#)
      .replacing(#""transition": {"kind": "dissolve", "from": "A", "to": "B"}"#, with: #""layerInstructions": ["A"]"#)
    let edit = try Timeline.parse(Array(alone.utf8)).resolved(with: Assets.opening())
    #expect(
      edit.warnings.map(\.description) == [
        "composition.tracks[1]: track 'B' is never seen: no instruction and no layer names it (without instructions the first video track is shown)"
      ])
  }
}
