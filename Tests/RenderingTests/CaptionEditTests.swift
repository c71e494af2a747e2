import Captions
import Document
import EditFiles
import FarmTesting
import Formats
import FoundationEssentials
import MediaTime
import Scenes
import Testing
import Timeline

/// Captions from files on disk to measured pages and frames.
@Suite struct `Captions of an edit` {
  private let workshop = Workshop()

  private func edit(_ captions: String, seconds: Int = 2) throws -> EditFile {
    if !FileManager.default.fileExists(atPath: workshop.file("a.mp4")) { try workshop.clip("a.mp4", frameCount: 10) }
    try """
    {"spool": 1, "assets": {"a": {"path": "a.mp4"}},
     "composition": {"tracks": [{"id": "v", "media": "video", "segments": [
       {"asset": "a", "source": {"duration": "0.4"}, "duration": "\(seconds)"}]}]},
     "videoComposition": {"renderSize": [160, 90], "frameDuration": "1/5", "color": "bt709",
       "instructions": [{"layerInstructions": []}]},
     "captions": [\(captions)]}
    """.write(toFile: workshop.file("edit.json"))
    return try workshop.editFile()
  }

  private let style = #""style": {"font": "DejaVu Sans", "size": 10}"#

  private func faults(_ captions: String) -> String {
    do {
      _ = try edit(captions)
      return "none"
    } catch EditFileError.captions(_, let faults) {
      return faults.map { ($0.isMissing ? "missing: " : "") + $0.description }.joined()
    } catch { return "\(error)" }
  }

  @Test func `a file's cues travel with the edit, in pages that are not measured again`() throws {
    try "1\n00:00:00,200 --> 00:00:01,800\nOne two three four five six seven eight nine ten eleven twelve\n\nstray\n"
      .write(toFile: workshop.file("a.srt"))
    let file = try edit(#"{"file": "a.srt", "maxLines": 1, \#(style)}"#)
    let cues = try #require(file.edit.timeline.captions.first?.cues)
    #expect(cues.count > 2 && cues.allSatisfy { $0.frame != nil && !$0.text.contains("\n") })
    #expect(cues.map(\.text).joined(separator: " ") == "One two three four five six seven eight nine ten eleven twelve")
    #expect(try cues[0].range.start == MediaTime(1, 5) && cues.last?.range.end == MediaTime(9, 5))
    #expect(zip(cues, cues.dropFirst()).allSatisfy { $0.range.end == $1.range.start })
    #expect(
      file.warnings.filter { $0.kind == .captions }.map(\.description) == [
        "captions[0].file: line 5: belongs to no cue, and is left out: 'stray'"
      ])
    #expect(file.fonts.map(\.family) == ["DejaVu Sans"])
    try file.edit.timeline.canonicalJSON().write(toFile: workshop.file("again.json"))
    #expect(try workshop.editFile(workshop.file("again.json")).edit.timeline == file.edit.timeline)
  }

  @Test func `Han characters alone have the language that other cues tell, also on a second page`() throws {
    let long = "うたを歌う" + String(repeating: "国", count: 22)
    func languages(_ style: String) throws -> [String?] {
      let file = try edit(
        """
        {"maxLines": 1, "style": {"font": "IPAPGothic", "size": 10\(style)}, "cues": [
          {"from": "0", "to": "1", "text": "歌"}, {"from": "1", "to": "2", "text": "\(long)"}]}
        """)
      #expect(file.warnings.filter { $0.kind == .languageUnsaid } == [])
      let cues = file.edit.timeline.captions[0].cues
      try #require(cues.count >= 3 && !(cues.last?.text.contains("う") ?? true))
      return [cues[0], cues[1], cues[cues.count - 1]].map(\.language)
    }
    // The first page of the second cue tells it itself.
    #expect(try languages("") == ["ja", nil, "ja"])
    #expect(try languages(#", "language": "zh-Hant""#) == [nil, nil, nil])
  }

  @Test func `a cue that is broken at a soft hyphen shows a hyphen there, in its words and parts, too`() throws {
    let file = try edit(
      """
      {"as": "both", \(style), "cues": [{"from": "0", "to": "2",
        "text": ["Donau\\u00addampf\\u00adschiff\\u00ad", {"text": "fahrts\\u00adgesell", "underline": true}, "\\u00adschaft"],
        "words": [{"at": "0", "text": "Donau\\u00addampf\\u00adschiff\\u00adfahrts\\u00ad"}, {"at": "1", "text": "gesell\\u00adschaft"}]}]}
      """)
    let cue = try #require(file.edit.timeline.captions[0].cues.first)
    let text = "Donau\u{AD}dampf\u{AD}schiff\u{AD}fahrts-\ngesell\u{AD}schaft"
    #expect(cue.text == text)
    let bytes = Array(text.utf8)
    #expect(cue.spans.map { String(decoding: bytes[$0.bytes], as: UTF8.self) } == ["fahrts-", "gesell"])
    #expect(cue.words.map(\.text) == ["Donau\u{AD}dampf\u{AD}schiff\u{AD}fahrts-", "gesell\u{AD}schaft"])
    // A soft hyphen at the end of a paragraph, or before a space, is no place at which a line was broken.
    let plain = try edit(#"{\#(style), "cues": [{"from": "0", "to": "2", "text": "Silben\u00ad\nund mehr\u00ad"}]}"#)
    #expect(plain.edit.timeline.captions[0].cues.map(\.text) == ["Silben\u{AD}\nund mehr\u{AD}"])
  }

  @Test func `a cue's lines run as their paragraph does, also on a second page`() throws {
    func texts(_ text: String, _ keys: String = "") throws -> [String] {
      let file = try edit(#"{\#(style), "maxLines": 2, "cues": [{"from": "0", "to": "2", "text": "\#(text)"\#(keys)}]}"#)
      return file.edit.timeline.captions[0].cues.map(\.text)
    }
    // The line with Latin letters alone would run from left to right by itself.
    let hebrew = "שלום לכם אנשים טובים מאוד"
    #expect(try texts("\(hebrew) international.") == ["\(hebrew)\n\u{200F}international."])
    #expect(try texts("\(hebrew) international.", #", "direction": "rtl""#) == ["\(hebrew)\ninternational."])
    #expect(try texts("International people of \(hebrew)") == ["International people of שלום\n\u{200E}לכם אנשים טובים מאוד"])
    // Paragraphs of their own run as they do by themselves.
    #expect(try texts("\(hebrew)\\ninternational.") == ["\(hebrew)\ninternational."])
    let pages = try texts("\(hebrew)\\n\(hebrew) international.")
    #expect(pages == ["\(hebrew)\n\(hebrew)", "\u{200F}international."])
  }

  @Test func `files are read below the media roots, in the encoding that is declared`() throws {
    try [UInt8]([0x5b, 0x30, 0x30, 0x3a, 0x30, 0x30, 0x5d, 0x63, 0x61, 0x66, 0xe9]).write(toFile: workshop.file("a.lrc"))
    #expect(faults(#"{"file": "a.lrc", \#(style)}"#).contains("declare its encoding"))
    let read = try edit(#"{"file": "a.lrc", "encoding": "windows-1252", \#(style)}"#)
    #expect(read.edit.timeline.captions[0].cues.map(\.text) == ["café"])
    let cyrillic = try edit(#"{"file": "a.lrc", "encoding": "windows-1251", \#(style)}"#)
    #expect(cyrillic.edit.timeline.captions[0].cues.map(\.text) == ["cafй"])
    #expect(faults(#"{"file": "a.lrc", "encoding": "shift_jis", \#(style)}"#).contains("is not in shift_jis"))
    #expect(faults(#"{"file": "/etc/passwd.srt", \#(style)}"#).contains("missing: "))
    #expect(faults(#"{"file": "none.srt", \#(style)}"#).contains("missing: "))
    #expect(faults(#"{"file": "a.mp4", \#(style)}"#).contains("ends with .srt"))
    try [UInt8](repeating: 0x0a, count: CaptionLimits.byteCount + 1).write(toFile: workshop.file("large.srt"))
    #expect(faults(#"{"file": "large.srt", \#(style)}"#).contains("is larger than 8 MiB"))
  }

  @Test func `cues that are shown together do not lie on each other, and words have places`() throws {
    let file = try edit(
      """
      {"place": "bottom", \(style), "highlight": {"color": "#ffff00"}, "cues": [
        {"from": "0", "to": "2", "text": "lower"},
        {"from": "1", "to": "2", "text": "upper one", "words": [{"at": "1", "text": "upper"}, {"at": "1.5", "text": "one"}]}]}
      """)
    let cues = file.edit.timeline.captions[0].cues
    let (lower, upper) = (try #require(cues[0].frame), try #require(cues[1].frame))
    #expect(upper.maxY <= lower.y && lower.maxY <= 90 * 0.95 + 1)
    let words = cues[1].words.compactMap(\.frame)
    #expect(words.count == 2 && words[0].maxX <= words[1].x && words[1].maxX <= upper.maxX + 1 && words[0].x >= upper.x - 1)
    #expect(try file.edit.scene(at: 5) == file.edit.scene(at: 6))
    #expect(try file.edit.scene(at: 7).nodes != file.edit.scene(at: 8).nodes)
  }

  @Test func `captions further down the list make room for those before them`() throws {
    func frames(_ second: String, padding: Int = 0) throws -> [[Rect]] {
      let file = try edit(
        """
        {"place": "bottom", \(style), "cues": [{"from": "0.5", "to": "1.5", "text": "one"}, {"from": "1.6", "to": "2", "text": "late"}]},
        {"place": "bottom", "padding": \(padding), \(style), "cues": [\(second)]}
        """)
      #expect(file.warnings.filter { $0.kind == .captions } == [])
      return file.edit.timeline.captions.map { $0.cues.compactMap(\.frame) }
    }
    // A cue that is shown before, while and after the other one.
    for times in [
      #""from": "0", "to": "0.6""#, #""from": "0.6", "to": "1""#, #""from": "1", "to": "1.6""#, #""from": "0", "to": "2""#,
    ] {
      let found = try frames(#"{\#(times), "text": "eins"}"#, padding: 3)
      #expect(abs(found[1][0].maxY + 3 - found[0][0].y) <= 0.25, "\(times)")
    }
    let apart = try frames(#"{"from": "0", "to": "0.5", "text": "eins"}, {"from": "1.5", "to": "1.6", "text": "zwei"}"#)
    #expect(apart[1].map(\.maxY) == [apart[0][0].maxY, apart[0][0].maxY])
    // The same text at the same time is laid over the other on purpose.
    #expect(try frames(#"{"from": "0.5", "to": "1.5", "text": "one"}"#) == [apart[0], [apart[0][0]]])
    // A text at a point stays there, unless it makes room.
    let point = #"{"from": "0", "to": "2", "text": "eins", "position": [0.5, 0.95]"#
    #expect(try frames("\(point)}")[1] == [apart[1][0]])
    let moved = try frames(#"\#(point), "makesRoom": true}"#)
    #expect(abs(moved[1][0].maxY - moved[0][0].y) <= 0.25)
    let top = try frames(#"{"from": "0", "to": "2", "text": "eins", "place": "top"}"#)
    #expect(top[1][0].y < 10)
  }

  @Test func `vertical cues stand at a side, and a later one further in`() throws {
    let style = #""style": {"font": "IPAPGothic", "size": 10, "writingMode": "vertical-rl", "language": "ja"}"#
    let file = try edit(
      """
      {\(style), "highlight": {"color": "#ffff00"}, "cues": [
        {"from": "0", "to": "1", "text": "雨天決行", "words": [{"at": "0", "text": "雨天"}, {"at": "0.5", "text": "決行"}]},
        {"from": "0.5", "to": "1", "text": "雪"}, {"from": "1", "to": "2", "text": "左", "place": "left", "align": "left"},
        {"from": "1", "to": "2", "text": "横", "writingMode": "horizontal-tb", "place": "bottom"},
        {"from": "1", "to": "2", "text": "一二三四五六七八九十一二三四五六七八九十"}]}
      """)
    let cues = file.edit.timeline.captions[0].cues
    let frames = cues.compactMap(\.frame)
    // A margin of a twentieth is left at each side. Lines are 10 pixels wide, and letters 10 high.
    #expect(frames[0] == Rect(142, 25, 10, 40) && frames[1] == Rect(132, 40, 10, 10))
    #expect(cues[0].words.map(\.frame) == [Rect(142, 25.5, 10, 20), Rect(142, 45.5, 10, 20)])
    #expect(frames[2] == Rect(8, 4.5, 10, 10) && frames[3] == Rect(75, 75.5, 10, 10))
    // A line holds eight letters, and a page two lines.
    #expect(cues.dropFirst(4).map(\.text) == ["一二三四五六七八\n九十一二三四五六", "七八九十"] && frames[4] == Rect(132, 5, 20, 80))
    try file.edit.timeline.canonicalJSON().write(toFile: workshop.file("again.json"))
    #expect(try workshop.editFile(workshop.file("again.json")).edit.timeline == file.edit.timeline)
  }

  @Test func `lines are counted from an edge, as far as the picture has room`() throws {
    let file = try edit(
      """
      {\(style), "cues": [
        {"from": "0", "to": "0.1", "text": "a", "place": "top"}, {"from": "0.1", "to": "0.2", "text": "a", "place": "top", "line": 2},
        {"from": "0.2", "to": "0.3", "text": "a", "place": "bottom"}, {"from": "0.3", "to": "0.4", "text": "a", "place": "bottom", "line": 2},
        {"from": "0.4", "to": "0.5", "text": "a\\nb", "place": "bottom", "line": 1}, {"from": "0.5", "to": "0.6", "text": "a", "place": "top", "line": 90}]}
      """)
    let frames = file.edit.timeline.captions[0].cues.compactMap(\.frame)
    let step = frames[0].height
    #expect(frames[0].y == 4.5 && abs(frames[1].y - 4.5 - 2 * step) < 0.3)
    #expect(abs(frames[2].maxY - 85.5) < 0.3 && abs(frames[3].maxY - (85.5 - 2 * step)) < 0.3)
    // Of two lines the first one keeps its distance: both are the last two of the picture.
    #expect(abs(frames[4].maxY - 85.5) < 0.3 && abs(frames[5].maxY - 85.5) < 0.3)
  }

  @Test func `cues of a region stand on each other, and make room for those that come`() throws {
    try """
    WEBVTT

    REGION
    id:r width:50% lines:2 regionanchor:0%,100% viewportanchor:25%,90% scroll:up

    00:00.000 --> 00:01.800 region:r
    one

    00:00.800 --> 00:01.800 region:r
    two

    00:01.200 --> 00:02.000 region:r
    three
    """.write(toFile: workshop.file("r.vtt"))
    let file = try edit(#"{"file": "r.vtt", \#(style)}"#)
    let cues = file.edit.timeline.captions[0].cues
    let step = try #require(cues[0].frame).height
    // The region is half as wide as the picture, two lines high, and its lower left corner is at (40, 81).
    let clip = try #require(cues[0].clip)
    #expect(clip.x == 40 && clip.width == 80 && abs(clip.maxY - 81) < 0.01 && abs(clip.height - 2 * step) < 0.01)
    #expect(cues.allSatisfy { $0.clip == clip && $0.region == nil })
    #expect(cues.map(\.scrolls.count) == [2, 2, 1])
    #expect(try cues[0].scrolls[0].range == MediaTimeRange(start: MediaTime(4, 5), duration: MediaTime(433, 1000)))
    #expect(cues.flatMap(\.scrolls).allSatisfy { abs($0.distance - step) < 0.01 })
    // The first cue is alone at first; the others come from below.
    #expect(abs((cues[0].frame?.maxY ?? 0) - 81) < 0.01 && abs((cues[1].frame?.y ?? 0) - 81) < 0.01)
    // A frame in which nothing moves differs from one in which something does.
    #expect(try file.edit.scene(at: 1) == file.edit.scene(at: 2))
    #expect(try file.edit.scene(at: 4).nodes != file.edit.scene(at: 5).nodes)
    try file.edit.timeline.canonicalJSON().write(toFile: workshop.file("again.json"))
    #expect(try workshop.editFile(workshop.file("again.json")).edit.timeline == file.edit.timeline)
  }

  @Test func `cues of a region that does not scroll jump, and sink when one below goes`() throws {
    let file = try edit(
      """
      {\(style), "cues": [
        {"from": "0", "to": "2", "text": "one", "region": {"lines": 3}}, {"from": "0.4", "to": "1", "text": "two", "region": {"lines": 3}}]}
      """)
    let cues = file.edit.timeline.captions[0].cues
    let step = try #require(cues[0].frame).height
    #expect(cues[0].scrolls.map { ($0.distance / step).rounded() } == [1, -1] && cues[1].scrolls == [])
    #expect(cues[0].scrolls.allSatisfy { $0.range.isEmpty } && cues[0].frame?.maxY == cues[1].frame?.maxY)
    #expect(
      faults(#"{"cues": [{"from": "0", "to": "1", "text": "a", "region": {}, "line": 2}], \#(style)}"#).contains(
        "stands where the region"))
  }

  @Test func `files say places of vertical captions as if their lines were turned`() throws {
    try "1\n00:00:00,200 --> 00:00:01,800\n{\\an8}雨\n".write(toFile: workshop.file("v.srt"))
    let style = #""style": {"font": "IPAPGothic", "size": 10, "writingMode": "vertical-rl"}"#
    let file = try edit(#"{"file": "v.srt", \#(style)}"#)
    #expect(file.edit.timeline.captions[0].cues[0].frame?.x == 142)
  }

  @Test func `a cue stands above all pages that it is shown with`() throws {
    let long = "One two three four five six seven eight nine ten eleven twelve thirteen fourteen"
    let file = try edit(
      #"{"place": "bottom", "maxLines": 1, \#(style), "cues": [{"from": "0", "to": "2", "text": "\#(long)"}, {"from": "0.1", "to": "2", "text": "x"}]}"#
    )
    let cues = file.edit.timeline.captions[0].cues
    let last = try #require(cues.first { $0.text == "x" }?.frame)
    let pages = cues.filter { $0.text != "x" }.compactMap(\.frame)
    #expect(pages.count > 1 && pages.allSatisfy { last.maxY <= $0.y })
  }

  @Test func `a missing character is a fault`() {
    #expect(faults(#"{"cues": [{"from": "0", "to": "1", "text": "歌"}], \#(style)}"#).contains("cue 1, at 0 s"))
  }

  @Test func `five thousand cues are measured once, and found quickly`() throws {
    let cues = (0..<5000).map { #"{"from": "\#($0)/2500", "to": "\#($0 + 1)/2500", "text": "Cue number \#($0)"}"# }
    let clock = ContinuousClock()
    var file: EditFile?
    let measuring = try clock.measure { file = try self.edit(#"{"cues": [\#(cues.joined(separator: ","))], \#(style)}"#) }
    let edit = try #require(file).edit
    let finding = try clock.measure { for _ in 0..<100 { for frame in 0..<10 { _ = try edit.scene(at: frame) } } }
    #expect(try edit.scene(at: 5).nodes.count == 1)
    print("5,000 cues: \(measuring) to read and measure, \(finding / 1000) for a scene")
  }
}
