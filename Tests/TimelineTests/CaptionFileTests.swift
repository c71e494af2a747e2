import Captions
import Formats
import FoundationEssentials
import MediaTime
import Testing

/// Each format of captions, read from texts of a few lines.
@Suite struct `Caption files` {
  private func read(_ text: String, _ format: CaptionFormat) throws -> CaptionFile { try CaptionFile(text, format) }

  private func range(_ from: String, _ to: String) throws -> MediaTimeRange {
    try MediaTimeRange(start: MediaTime(parsing: from), end: MediaTime(parsing: to))
  }

  @Test func `SubRip has exact times, lines and what holds for a whole cue`() throws {
    let file = try read(
      "1\r\n00:00:01,001 --> 00:00:02,5\r\n<b><font color=\"#ff8000\">One</font></b>\r\n\r\n2\n00:01:00,000 --> 01:00:00.999\n{\\an8}a < b\nTwo &amp;\n",
      .srt)
    try #require(file.cues.count == 2)
    #expect(try file.cues[0].range == range("1.001", "2.5"))
    #expect(file.cues[0].text == "One" && file.cues[0].weight == 700)
    #expect(file.cues[0].color == RGBAColor(1, 128.0 / 255, 0))
    #expect(try file.cues[1].range == range("60", "3600.999"))
    #expect(file.cues[1].text == "a < b\nTwo &amp;")
    #expect(file.cues[1].place == .top && file.cues[1].align == .center)
    #expect(file.remarks == [])
  }

  @Test(arguments: [
    ("1\n00:00:01 -> 00:00:02\nx\n", 0, [1, 2, 3]), ("1\n00:00:61,000 --> 00:02:00,000\nx\n", 0, [2]),
    ("1\n00:00:03,000 --> 00:00:02,000\nx\n", 0, [2]), ("1\n00:00:03,000 --> 00:00:03,000\nx\n", 1, [2]),
    ("1\n00:00:01,000 --> 00:00:02,000\n\n2\n", 0, [2, 4]), ("00:00:01,000 --> 00:00:02,000 X1:10\nx", 1, [1]),
    ("1\n00:00:01,000 --> 00:00:02,000\n<i>x</i>y<font face=a>\n\nz\n", 1, [2, 5]),
    ("1\n99999:00:00,000 --> 99999:00:01,000\nx\n", 0, [2]),
    ("1\n00:00:01,000 --> 2000:00:01,000\nx\n", 0, [2]), ("", 0, []), ("\n\n\n", 0, []),
  ])
  func `what is broken in a SubRip file is a remark at its line`(text: String, cues: Int, lines: [Int]) throws {
    let file = try read(text, .srt)
    #expect(file.cues.count == cues)
    #expect(file.remarks.map(\.line).sorted() == lines, "\(file.remarks)")
  }

  @Test func `cues are sorted by their start, and may overlap`() throws {
    let file = try read(
      "00:00:05,000 --> 00:00:06,000\nc\n\n00:00:01,000 --> 00:00:09,000\na\n\n00:00:01,000 --> 00:00:02,000\nb\n", .srt)
    #expect(file.cues.map(\.text) == ["a", "b", "c"])
  }

  @Test func `WebVTT has settings, voices, classes, entities and times within`() throws {
    let file = try read(
      """
      WEBVTT - a title
      Kind: captions

      NOTE nothing
      to see

      STYLE
      ::cue(v[voice="Ann"]), ::cue(.deep) { font-style: italic; opacity: 0 }

      first
      00:01.000 --> 00:04.000 line:10% position:20% align:start size:50%
      <v.loud Ann>Ah <00:02.500>yes &amp; <c.yellow>no</c>&nbsp;

      01:00:00.000 --> 01:00:01.000 line:0
      <c.lime><b>all</b></c>
      """, .vtt)
    try #require(file.cues.count == 2)
    let first = file.cues[0]
    #expect(try first.range == range("1", "4"))
    #expect(first.text == "Ah yes & no\u{a0}")
    #expect(first.words.map(\.text) == ["Ah", "yes & no\u{a0}"])
    #expect(try first.words.map(\.time) == [MediaTime(seconds: 1), MediaTime(5, 2)])
    #expect(first.position == Point(0.2, 0.1) && first.align == .left && first.place == .top)
    #expect(file.cues[1].place == .top && file.cues[1].weight == 700 && file.cues[1].color == RGBAColor(0, 1, 0))
    #expect(first.width == 0.5 && looks(first) == ["Ah yes & ": "italic", "no": "italic #ffff00", "\u{a0}": "italic"])
    #expect(file.remarks.map(\.line) == [7], "\(file.remarks)")
    #expect(throws: CaptionFault.self) { try read("WEBVTTX\n", .vtt) }
  }

  @Test func `SubRip's cues need no empty line between them, and no spaces about the arrow`() throws {
    let file = try read(
      """
      1
      00:00:01,000 --> 00:00:02,000
      one
      1984
      2
      00:00:02,000-->00:00:03,000
      two --> three
      00:00:03,000 -->00:00:04,000 X1:1 X2:2
      four
      """, .srt)
    #expect(file.cues.map(\.text) == ["one\n1984", "two --> three", "four"])
    #expect(try file.cues.map(\.range.start) == [MediaTime(1), MediaTime(2), MediaTime(3)])
    #expect(file.remarks.map(\.line) == [8])
  }

  @Test func `WebVTT that is a piece of a stream is told`() throws {
    let file = try read("WEBVTT\nX-TIMESTAMP-MAP=LOCAL:00:00:00.000,MPEGTS:900000\n\n00:01.000 --> 00:02.000\nx\n", .vtt)
    #expect(file.cues.count == 1 && file.remarks.map(\.line) == [2])
  }

  /// Each word with its times in seconds.
  private func spoken(_ text: String, _ format: CaptionFormat) throws -> [String] {
    try #require(try read(text, format).cues.first).words.map { word in
      "\(word.text) \(word.time.seconds)" + (word.end.map { "...\($0.seconds)" } ?? "")
    }
  }

  @Test func `words end where a time without a text follows, or where they say it`() throws {
    let lyrics = "[00:10.00]<00:10.00>Hello <00:11.00>you<00:11.50>\n[00:20.00]x\n"
    #expect(try spoken(lyrics, .lrc) == ["Hello 10.0", "you 11.0...11.5"])
    #expect(try spoken("[00:10.00]<00:10.50>la<00:11.00> <00:12.00>lo\n", .lrc) == ["la 10.5...11.0", "lo 12.0"])
    let events = "[Events]\nFormat: Start, End, Text\nDialogue: 0:00:01.00,0:00:09.00,"
    #expect(try spoken(events + "{\\k50}la {\\k25} {\\kf100}lo\n", .ass) == ["la 1.0...1.5", "lo 1.75...2.75"])
    // A syllable that lasts longer than its event ends with it.
    #expect(try spoken(events + "{\\k5000}la\n", .ass) == ["la 1.0"])
    #expect(
      try spoken("WEBVTT\n\n00:01.000 --> 00:09.000\nla <00:02.000>lo<00:03.000>\n", .vtt) == ["la 1.0", "lo 2.0...3.0"])
    let spans = #"<span begin="0s" end="1s">la</span> <span begin="2s">lo</span><span begin="3s" end="9s">lu</span>"#
    #expect(
      try spoken("<tt><body><div><p begin='1s' end='9s'>\(spans)</p></div></body></tt>", .ttml)
        == ["la 1.0...2.0", "lo 3.0", "lu 4.0"])
  }

  @Test func `lyrics end where the next line begins, and words have times`() throws {
    let file = try read(
      "[ti:Song]\n[offset:500]\n[00:10.50][00:20.00]La la\n[00:12.00]<00:12.00>One <00:12.75>two\n[00:14]\nstray\n", .lrc)
    #expect(file.cues.map(\.text) == ["La la", "One two", "La la"])
    #expect(try file.cues.map(\.range) == [range("10", "11.5"), range("11.5", "13.5"), range("19.5", "24.5")])
    #expect(file.cues[1].words.map(\.text) == ["One", "two"])
    #expect(try file.cues[1].words.map(\.time) == [MediaTime(23, 2), MediaTime(49, 4)])
    #expect(file.remarks.map(\.line) == [6])
  }

  private static let substation = """
    [Script Info]
    PlayResX: 1000
    PlayResY: 500

    [V4+ Styles]
    Format: Name, Fontname, Fontsize, PrimaryColour, Bold, Italic, Alignment
    Style: Default,Arial,20,&H00FFFFFF,0,0,2
    Style: Sign,Arial,20,&H000000FF,-1,0,7

    [Events]
    Format: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text
    Comment: 0,0:00:00.00,0:00:01.00,Default,,0,0,0,,unseen
    Dialogue: 0,0:00:01.01,0:00:02.00,Default,,0,0,0,,One,\\Ntwo\\h{\\i1}
    Dialogue: 0,0:00:02.00,0:00:03.00,Sign,,0,0,0,,{\\pos(250,100)\\fad(100,200)\\t(0,5,\\frz30)}red
    Dialogue: 0,0:00:03.00,0:00:05.00,Default,,0,0,0,,{\\k50}la{\\k25\\an9}lo {\\c&H00FF00&}lu{\\p1}m 0 0
    """

  @Test func `SubStation has styles, places, fades and karaoke`() throws {
    let file = try read(Self.substation, .ass)
    try #require(file.cues.count == 3)
    #expect(try file.cues[0].range == range("1.01", "2"))
    #expect(file.cues[0].text == "One,\ntwo\u{a0}" && file.cues[0].place == nil && file.cues[0].color == nil)
    let sign = file.cues[1]
    #expect(sign.color == RGBAColor(1, 0, 0) && sign.weight == 700)
    #expect(sign.position == Point(0.25, 0.2) && sign.place == .top && sign.align == .left)
    #expect(try sign.fadeIn == MediaTime(1, 10) && sign.fadeOut == MediaTime(1, 5))
    #expect(file.cues[2].words.map(\.text) == ["la", "lo lu"])
    #expect(try file.cues[2].words.map(\.time) == [MediaTime(seconds: 3), MediaTime(7, 2)])
    #expect(file.cues[2].place == .top && file.cues[2].align == .right)
    #expect(looks(file.cues[2]) == ["lu": "#00ff00"])
    #expect(file.remarks.map(\.line) == [7, 14, 15], "\(file.remarks)")
    #expect(throws: CaptionFault.self) { try read("no sections", .ass) }
  }

  /// The parts of a cue that have looks of their own, in words.
  private func looks(_ cue: CaptionCue) -> [String: String] {
    let bytes = Array(cue.text.utf8)
    var looks: [String: String] = [:]
    for span in cue.spans {
      var words: [String] = []
      if let weight = span.look.weight { words.append("\(weight)") }
      if span.look.isItalic { words.append("italic") }
      if span.look.isUnderlined { words.append("underlined") }
      if span.look.isStruckThrough { words.append("struck") }
      if let color = span.look.color { words.append("#" + hex(color.red) + hex(color.green) + hex(color.blue)) }
      looks[String(decoding: bytes[span.bytes], as: UTF8.self)] = words.joined(separator: " ")
    }
    return looks
  }

  private func hex(_ component: Double) -> String {
    let value = Int((component * 255).rounded())
    return (value < 16 ? "0" : "") + String(value, radix: 16)
  }

  @Test func `parts of a cue keep their looks, without the spaces that are left out`() throws {
    let tags = try read(
      "00:00:01,000 --> 00:00:02,000\n<i> One </i>\n<b>t<u>w</u>o</b> <font color=red>é<s>z</s></font>\n", .srt)
    #expect(tags.cues[0].text == "One\ntwo éz" && tags.remarks == [])
    #expect(
      looks(tags.cues[0]) == [
        "One\n": "italic", "t": "700", "w": "700 underlined", "o": "700", "é": "#ff0000", "z": "struck #ff0000",
      ]
        || looks(tags.cues[0]) == [
          "One": "italic", "t": "700", "w": "700 underlined", "o": "700", "é": "#ff0000", "z": "struck #ff0000",
        ])
    let whole = try read("00:00:01,000 --> 00:00:02,000\n<b><i>all</i></b>\n", .srt).cues[0]
    #expect(whole.weight == 700 && looks(whole) == ["all": "italic"])
    let overrides = try read(
      Self.substation.replacing(
        "One,\\Ntwo", with: "{\\move(0,0,1000,500,100,600)}a{\\b1}b{\\b0}{\\i1}c{\\u1\\1c&H0000FF&}d{\\r}e"), .ass
    ).cues[0]
    #expect(overrides.text == "abcde\u{a0}")
    #expect(looks(overrides) == ["b": "700", "c": "italic", "d": "italic underlined #ff0000"])
    #expect(overrides.position == Point(0, 0) && overrides.move?.to == Point(1, 1))
    #expect(try overrides.move?.range == range("1.11", "1.61"))
    let outside = try read(Self.substation.replacing("One,\\Ntwo", with: "{\\move(-40,100,1200,100)}a"), .ass)
    #expect(outside.remarks.contains { $0.message == "(-40.0, 100.0) lies outside of the picture: its nearest edge is taken" })
  }

  @Test func `timed text has clocks, offsets, frames and regions`() throws {
    let file = try read(
      """
      <?xml version="1.0"?>
      <tt xmlns="http://www.w3.org/ns/ttml" xmlns:ttp="http://www.w3.org/ns/ttml#parameter" ttp:frameRate="30"
          ttp:frameRateMultiplier="1000 1001" ttp:tickRate="10000000">
        <head><styling><style xml:id="s" tts:color="#00ff00" tts:fontWeight="bold"/></styling>
          <layout><region xml:id="r" tts:origin="10% 20%" tts:extent="80% 30%" tts:textAlign="center"/></layout></head>
        <body begin="1s"><div>
          <p begin="00:00:01:15" end="00:00:03.5" region="r">One<br/>  two &#233; </p>
          <p begin="20000000t" dur="500ms" style="s"><span begin="0ms">la</span> <span begin="100ms">lo</span></p>
        </div></body>
      </tt>
      """, .ttml)
    try #require(file.cues.count == 2)
    #expect(file.cues.map(\.text) == ["One\ntwo é", "la lo"])
    #expect(try file.cues[0].range.start == MediaTime(seconds: 2) + MediaTime(15 * 1001, 30_000))
    #expect(try file.cues[0].range.end == MediaTime(9, 2))
    #expect(file.cues[0].position == Point(0.5, 0.2) && file.cues[0].place == .top)
    #expect(try file.cues[1].range == range("3", "3.5"))
    #expect(file.cues[1].color == RGBAColor(0, 1, 0) && file.cues[1].weight == 700)
    #expect(try file.cues[1].words.map(\.time) == [MediaTime(seconds: 3), MediaTime(31, 10)])
  }

  @Test(arguments: [
    "<!DOCTYPE tt [<!ENTITY a \"aaaa\">]><tt/>", "<tt>&a;</tt>", "<tt><p></tt></p>", "<tt", "<tt/><tt/>", "text", "<tt a=1/>", "",
    "<tt a=\"1\" a=\"2\"/>", "<html/>", String(repeating: "<tt>", count: 100),
  ])
  func `a text that is no simple XML is refused`(text: String) {
    #expect(throws: CaptionFault.self) { try read(text, .ttml) }
  }

  @Test func `a file has at most so many cues, and remarks are counted`() throws {
    let cue = "00:00:01,000 --> 00:00:02,000\nx\n\n"
    #expect(throws: CaptionFault.self) { try read(String(repeating: cue, count: CaptionLimits.cues + 1), .srt) }
    let broken = try read(String(repeating: "x\n", count: 1000), .srt)
    #expect(broken.remarks.count == CaptionLimits.remarks && broken.omittedRemarks == 1000 - CaptionLimits.remarks)
  }

  @Test(
    arguments: [
      (Array("é".utf8), "é"), ([0xef, 0xbb, 0xbf, 0x61], "a"), ([0xff, 0xfe, 0xe9, 0], "é"), ([0xfe, 0xff, 0, 0xe9], "é"),
      ([0xe9], nil), ([0xff, 0xfe, 0, 0, 0x61, 0, 0, 0], nil), ([0xff, 0xfe, 0xe9], nil), ([], ""), ([0x83, 0x41], nil),
    ] as [([UInt8], String?)])
  func `an encoding is detected only where it is certain`(bytes: [UInt8], text: String?) {
    #expect(CaptionText.decoded(bytes) == text)
  }

  /// Files of other projects, where they are at hand. Each is read, or refused with a reason.
  @Test func `real files are read`() throws {
    guard let folder = ProcessInfo.processInfo.environment["SPOOL_CAPTION_FILES"] else { return }
    var count = 0
    for name in try FileManager.default.subpathsOfDirectory(atPath: folder).sorted() {
      guard let format = CaptionFormat(fileName: name) else { continue }
      guard let text = CaptionText.decoded([UInt8](try Data(contentsOf: URL(filePath: "\(folder)/\(name)")))) else {
        print("\(name): another encoding")
        continue
      }
      do throws(CaptionFault) {
        let file = try CaptionFile(text, format)
        let remarks = file.remarks.count + file.omittedRemarks
        if !name.contains("vttjs") { print("\(name): \(file.cues.count) cues, \(remarks) remarks") }
        count += 1
      } catch { print("\(name): \(error)") }
    }
    #expect(count > 0)
  }
}
