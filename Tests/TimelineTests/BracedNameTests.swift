import EditTesting
import Document
import FarmTesting
import Formats
import MediaTime
import Scenes
import Testing
import Timeline

/// Names in braces in texts with timestamps.
@Suite struct `Names in braces` {
  private func edit(_ layer: String) throws -> [String] {
    let document = """
      {"spool": 1, "assets": {"a": {"path": "a.mov"}},
       "composition": {"tracks": [{"id": "A", "media": "video", "segments": [{"asset": "a", "source": {"start": "0", "duration": "1"}}]}]},
       "videoComposition": {"renderSize": [640, 360], "frameDuration": "1/25", "color": "bt709"},
       "layers": [{"layers": [{\(layer), "font": "DejaVu Sans", "size": 20}], "frame": [0, 0, 640, 360]}]}
      """
    let facts = [AssetID("a"): try Assets.movie()]
    return try Timeline.parse(Array(document.utf8)).resolved(with: facts).warnings.map(\.description)
  }

  @Test func `that are unknown are told, with the nearest one, unless a backslash says that letters are meant`() throws {
    let told = try edit(#""text": ["{time} {timecod}", {"text": " {sourcee} {timecod}"}, " {not a name} {} {"], "timestamp": {}"#)
    #expect(
      told == [
        "layers[0].layers[0].text: '{timecod}' is no name of a number, and is shown as it is written (did you mean 'timecode'?): "
          + #"write \{timecod} where that is meant"#,
        "layers[0].layers[0].text: '{sourcee}' is no name of a number, and is shown as it is written (did you mean 'source'?): "
          + #"write \{sourcee} where that is meant"#,
      ])
    #expect(try edit(#""text": "{time} \\{timecod}", "timestamp": {}"#) == [])
    // Without a timestamp braces are letters.
    #expect(try edit(#""text": "{time} {timecod}""#) == [])
  }

  @Test(arguments: [
    ("{frame}", "12"), ("{{frame}}", "{12}"), (#"\{frame}"#, "{frame}"), (#"\\{frame}"#, #"\12"#),
    (#"\\\{frame} {frame}"#, #"\{frame} 12"#),
    (#"a\b {frame}\"#, #"a\b 12\"#), ("{fram} {frame", "{fram} {frame"), ("歌{frame}。", "歌12。"),
  ])
  func `are filled in, and escaped ones are letters`(text: String, shown: String) throws {
    var content = TextContent(string: text, fonts: ["DejaVu Sans"], size: 20)
    content.timestamp = Timestamp()
    #expect(try at(.init(12, 25), { try content.stamped(at: $0, frameDuration: .init(1, 25)).string }) == shown)
    #expect(content.fields == (shown.contains("12") ? [.frame] : []))
  }
}
