import EditTesting
import Captions
import Document
import Formats
import MediaTime
import Scenes
import Testing
import Timeline

/// Scripts that libass draws: what is read of them, and which frames of them are the same.
@Suite struct `Scripts of captions` {
  static let head = """
    [Script Info]
    PlayResX: 640
    [V4+ Styles]
    Format: Name, Fontname, Bold, Italic
    Style: Default,DejaVu Sans,0,0
    Style: Strong,DejaVu Serif,-1,0
    [Events]
    Format: Layer, Start, End, Style, Effect, Text

    """

  static func script(_ events: [String]) throws -> CaptionScript {
    try CaptionScript(head + events.map { "Dialogue: \($0)" }.joined(separator: "\n"))
  }

  private let frames = CaptionScript.Frames(offset: .zero, duration: MediaTime(milliseconds: 40))

  private func moment(_ script: CaptionScript, _ milliseconds: Int64) throws -> CaptionScript.Moment? {
    try script.moment(at: MediaTime(milliseconds: milliseconds), frames)
  }

  private func faults(_ text: String) -> String {
    do {
      _ = try CaptionScript(text)
      return "none"
    } catch { return error.description }
  }

  @Test func `faces and letters are those of styles and tags, without drawings`() throws {
    let script = try Self.script([
      "0,0:00:00.00,0:00:01.00,Default,,a{\\b1}b{\\i1\\fnIPAPGothic}c{\\r}d{\\rStrong}e\\Nf\\{",
      "0,0:00:00.00,0:00:01.00,Strong,,{\\p1}m 0 0{\\p0}{\\fn@Upright\\b300\\bord3\\be1\\blur2}g{\\t(\\fnLate)}h{open",
    ])
    let found = Dictionary(
      uniqueKeysWithValues: script.letters.map { ($0.face, String(String.UnicodeScalarView($0.characters.sorted()))) })
    #expect(
      found == [
        .init("DejaVu Sans"): "ad", .init("DejaVu Sans", weight: 700): "b",
        .init("IPAPGothic", weight: 700, isItalic: true): "c", .init("DejaVu Serif", weight: 700): "ef{",
        .init("Upright", weight: 300): "g", .init("Late", weight: 300): "ehnop{",
      ])
  }

  @Test(arguments: [
    ("{\\pos(1,2)\\c&HFF&\\frz30\\clip(1,2,3,4)\\be1}x", CaptionScript.Change.never, true),
    ("{\\an8\\fad(200,300)}x", .fades(200, 300), false), ("{\\fade(200,300)}x", .always, false),
    ("{\\fad(-1,300)}x", .always, false), ("{\\move(1,2,3,4)}x", .always, true), ("{\\k20}x", .always, false),
    ("{\\ K20}x", .always, false), ("{\\t(\\fs20)}x", .always, true), ("{\\unheard}x", .never, false),
    ("{\\zoom}x", .always, false),
    ("x\\Ny", .never, false), ("{\\org(1,2)}x", .never, true), ("{\\fad(1,2)\\fad(3,4)}x", .always, false),
  ])
  func `what may change while it is shown is known by its tags`(text: String, change: CaptionScript.Change, isPlaced: Bool) throws
  {
    let event = try #require(try Self.script(["0,0:00:00.00,0:00:01.00,Default,,\(text)"]).events.first)
    #expect(event.change == change && event.isPlaced == isPlaced)
    #expect(try Self.script(["0,0:00:00.00,0:00:01.00,Default,Banner;9,\(text)"]).events.first?.change == .always)
  }

  @Test func `frames between which nothing changes have one moment`() throws {
    let script = try Self.script([
      "0,0:00:01.00,0:00:04.00,Default,,{\\pos(1,1)\\fad(500,500)}a", "1,0:00:02.00,0:00:03.00,Default,,b",
      "2,0:00:06.00,0:00:08.00,Default,,{\\k50}c",
    ])
    #expect(try moment(script, 960) == nil && moment(script, 4000) == nil)
    #expect(try moment(script, 1000) != moment(script, 1040))
    #expect(try moment(script, 1520) == moment(script, 1960))
    #expect(try moment(script, 1960) != moment(script, 2000))
    #expect(try moment(script, 2000) == moment(script, 2960) && moment(script, 2960)?.time == 2000)
    #expect(try moment(script, 3480) == moment(script, 1960) && moment(script, 3520)?.time == 3520)
    #expect(try moment(script, 6000) != moment(script, 6040))
  }

  @Test func `events that make room are drawn after those that were there`() throws {
    let script = try Self.script([
      "0,0:00:00.00,0:00:02.00,Default,,a", "0,0:00:01.01,0:00:03.00,Default,,b", "0,0:00:02.50,0:00:04.00,Default,,c",
      "0,0:00:02.50,0:00:04.00,Default,,{\\pos(1,1)}d", "1,0:00:00.00,0:00:04.00,Default,,e",
    ])
    // The last one came when the second was there, and that one when the first was. The second is seen first in a later frame.
    let last = try #require(try moment(script, 3600))
    #expect(last.events == [0, 1, 2, 3, 4] && last.before == [0, 1040, 2520] && last.time == 3000)
    #expect(try moment(script, 500)?.before == [])
    #expect(try moment(script, 2000).map { $0.events == [0, 1, 4] && $0.before == [0, 1040] && $0.time == 2000 } == true)
    let late = CaptionScript.Frames(offset: MediaTime(seconds: 10), duration: MediaTime(milliseconds: 40))
    #expect(try script.moment(at: MediaTime(milliseconds: 13_600), late) == last)
    // However long such a row is, it is looked back at for a while only.
    let row = try Self.script((0..<90).map { "0,0:00:\($0 / 10).\($0 % 10)0,0:00:\(($0 + 2) / 10).\(($0 + 2) % 10)5,Default,,x" })
    #expect(try #require(try moment(row, 8960)).before.count <= CaptionLimits.placedBefore)
  }

  @Test(arguments: [
    ("x", "has no section [Events] with a line \"Format:\""),
    ("[Events]\nFormat: Text, Start, End", "line 2: events have the fields"),
    ("[Events]\nDialogue: 1", "line 2: an event before the line \"Format:\""),
    (
      head + "Dialogue: 0,0:00:00.00,0:00:01.00,Default,,x\n[V4+ Styles]",
      "line 10: a section of styles or properties behind events"
    ),
    (head + "Format: Start, End, Text", "line 9: another \"Format:\" of events"),
    (
      head + String(repeating: "Dialogue: 0,0:00:00.00,0:00:01.00,Default,,x\n", count: CaptionLimits.eventsAtOnce + 1),
      "are shown at one time"
    ),
    (
      "[Script Info]\n" + String(repeating: "a: b\n", count: 60_000) + "[Events]\nFormat: Start, End, Text",
      "has more than 256 KiB"
    ),
  ])
  func `a script that cannot be drawn is refused with its line`(text: String, fault: String) {
    #expect(faults(text).contains(fault), "\(faults(text))")
  }

  @Test func `events that cannot be read are told, and what counts is the same when it is read again`() throws {
    let script = try CaptionScript(
      "\u{feff}; a\r\n[Events]\r\nFormat: Start, End, Style, Text\r\n[v4 styles]\r\nStyle: Default,DejaVu Serif\r\n[Fonts]\r\nfontname: x\r\n"
        + "[events]\r\nComment: 0:00:00.00,0:00:01.00,Default,x\r\nDialogue: 0:00:02.00,0:00:01.00,Default,x\r\n"
        + "Dialogue: soon,0:00:01.00,Default,x\r\nDialogue: 1:00:00.5,1:00:01.05,Default,a, b\r\n")
    #expect(script.remarks.map(\.line) == [6, 10, 11])
    #expect(script.events.map(\.start) == [3_600_050] && script.events.map(\.end) == [3_601_050])
    #expect(script.faces == [.init("DejaVu Serif")])
    let again = try CaptionScript(script.text)
    #expect(again == script && again.faces == script.faces && again.events.count == 1 && again.remarks == [])
  }

  // MARK: - Documents

  private func document(_ captions: String) -> String {
    """
    {"spool": 1, "assets": {"a": {"path": "a.mp4"}}, "composition": {"tracks": [{"id": "A", "media": "video", "segments": [
       {"asset": "a", "source": {"start": "0", "duration": "4"}}]}]},
     "videoComposition": {"renderSize": [160, 90], "frameDuration": "1/25", "color": "bt709",
      "instructions": [{"timeRange": {"start": "0", "duration": "4"}}]}, "captions": [\(captions)]}
    """
  }

  @Test func `a document holds the script, and is written as it is read`() throws {
    let text = #""script": "[Events]\nFormat: Start, End, Text\nDialogue: 0:00:01.00,0:00:02.00,a\n""#
    let edit = try Timeline.parse(Array(document("{\(text), \"offset\": \"-1/2\", \"opacity\": 0.5, \"as\": \"both\"}").utf8))
    let track = try #require(edit.captions.first)
    #expect(try track.script?.offset == MediaTime(-1, 2) && track.showing == .both && track.cues.map(\.text) == ["a"])
    #expect(try track.cues.first?.range.start == MediaTime(1, 2))
    #expect(try Timeline.parse(edit.canonicalJSON()) == edit)
    let nodes = try [0, 12, 13, 37].map { frame in
      try edit.resolved(with: [AssetID("a"): Assets.movie()]).scene(at: frame).nodes
    }
    #expect(nodes[0] == [] && nodes[1] == [] && nodes[2] == nodes[3] && nodes[2].count == 1)
    guard case .still(let still, _) = nodes[2][0], case .script(let script)? = still.drawing.content else {
      Issue.record("the script is a still")
      return
    }
    #expect(still.opacity == 0.5 && script.time == 1000 && script.events == ["Dialogue: 0:00:01.00,0:00:02.00,a"])
  }

  @Test(arguments: [
    (#"{"file": "a.srt", "drawnBy": "libass"}"#, "captions[0].file: libass draws .ass and .ssa alone"),
    (#"{"file": "a.ass", "drawnBy": "mpv"}"#, "captions[0].drawnBy: "),
    (
      #"{"file": "a.ass", "drawnBy": "libass", "style": {"font": "A", "size": 9}}"#,
      "captions[0].style: libass draws the script as it says"
    ),
    (#"{"cues": [], "drawnBy": "libass"}"#, #"captions[0]: needs either "file" or "script""#),
    (#"{"script": "x"}"#, "captions[0].script: has no section [Events]"),
    (#"{"cues": [], "style": {"font": "A", "size": 9}, "opacity": 1}"#, "captions[0].opacity: is that of a script"),
  ])
  func `faults of a document name the place`(captions: String, fault: String) {
    let found = Documents.faults(document(captions))
    #expect(found.contains { $0.hasPrefix(fault) }, "\(found)")
  }

  @Test func `a script without a text for the movie's track is refused, and events without one are told`() throws {
    func faults(_ events: [String], showing: String) throws -> [String] {
      let script = try Self.script(events).text.replacing("\\", with: "\\\\").replacing("\n", with: "\\n")
      return Documents.faults(document("{\"script\": \"\(script)\", \"as\": \"\(showing)\"}"))
    }
    let many = (0...CaptionLimits.cues).map { number in
      let hundredths = { (count: Int) in "0:\(count / 6000):\(count / 100 % 60).\(count / 10 % 10)\(count % 10)" }
      return "0,\(hundredths(number)),\(hundredths(number + 1)),Default,,x"
    }
    let tooMany = "captions[0].as: no track can be made of the script: it has more than 20000 cues"
    #expect(try faults(many, showing: "both") == [tooMany] && faults(many, showing: "picture") == [])
    let drawing = ["0,0:00:00.00,0:00:01.00,Default,,{\\p1}m 0 0 l 9 9{\\p0}"]
    #expect(try faults(drawing, showing: "track") == ["captions[0].as: the script has drawings alone, and no text for a track"])

    let text =
      #""script": "[Events]\nFormat: Start, End, Text\nDialogue: soon,0:00:01.00,a\n"#
      + #"Dialogue: 0:00:00.00,0:00:02.00,{\\p1}m 0 0{\\p0}\nDialogue: 0:00:01.00,0:00:02.00,b\n""#
    let told = ["captions[0]: line 3: the event cannot be read, and is left out: 'Dialogue: soon,0:00:01.00,a'"]
    for (showing, warnings) in [
      ("picture", told), ("both", told + ["captions[0]: 1 of the script's 2 events have no text for a track"]),
    ] {
      let edit = try Timeline.parse(Array(document("{\(text), \"as\": \"\(showing)\"}").utf8))
      let found = try edit.resolved(with: [AssetID("a"): Assets.movie()]).warnings.filter { $0.kind == .captions }
      #expect(found.map(\.description) == warnings)
    }
  }
}
