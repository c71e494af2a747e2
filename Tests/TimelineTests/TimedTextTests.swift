import Captions
import Formats
import MediaTime
import Testing

/// Tests of the times, styles and regions of TTML and IMSC files, and of what is told as lost.
@Suite struct `Timed text` {
  private func file(_ body: String, head: String = "", root: String = "") throws -> CaptionFile {
    try CaptionFile(
      """
      <tt xmlns="http://www.w3.org/ns/ttml" xmlns:tts="http://www.w3.org/ns/ttml#styling"
          xmlns:ttp="http://www.w3.org/ns/ttml#parameter" \(root)>
      <head>\(head)</head><body>\(body)</body></tt>
      """, .ttml)
  }

  /// The only cue of a paragraph with attributes.
  private func cue(_ attributes: String, text: String = "x", head: String = "", root: String = "") throws -> CaptionCue {
    let file = try file(#"<div><p begin="1s" end="2s" \#(attributes)>\#(text)</p></div>"#, head: head, root: root)
    #expect(file.remarks == [])
    try #require(file.cues.count == 1)
    return file.cues[0]
  }

  private func isNear(_ point: Point?, _ x: Double, _ y: Double) -> Bool {
    point.map { abs($0.x - x) < 1e-9 && abs($0.y - y) < 1e-9 } ?? false
  }

  private static let green = RGBAColor(0, 1, 0)

  // MARK: - Times

  @Test(arguments: [
    ("", "01:00:00:15", "3600.5"), (#"ttp:timeBase="smpte""#, "01:00:00:15", "3600.5"),
    (#"ttp:frameRateMultiplier="1000 1001""#, "01:00:00:00", "3600"),
    // 108,000 labels of 1001/30000 s each.
    (#"ttp:timeBase="smpte" ttp:frameRateMultiplier="1000 1001""#, "01:00:00:00", "18018/5"),
    (#"ttp:timeBase="smpte" ttp:frameRateMultiplier="1000:1001""#, "01:00:00", "18018/5"),
    // With dropped labels an hour has 107,892.
    (#"ttp:timeBase="smpte" ttp:dropMode="dropNTSC" ttp:frameRateMultiplier="1000 1001""#, "01:00:00:00", "8999991/2500"),
    (#"ttp:timeBase="smpte" ttp:dropMode="dropNTSC" ttp:frameRateMultiplier="1000 1001""#, "00:01:00:02", "3003/50"),
    (#"ttp:timeBase="smpte" ttp:frameRateMultiplier="1000 1001""#, "10s", "10"),
  ])
  func `labels of frames are later than clocks where their rate is broken`(root: String, label: String, time: String) throws {
    let file = try file(
      #"<div><p begin="\#(label)" end="20000s">x</p></div>"#, root: #"ttp:frameRate="30" \#(root)"#)
    #expect(try file.cues.map(\.range.start) == [MediaTime(parsing: time)] && file.remarks == [])
  }

  @Test func `a paragraph without times is there while its spans are`() throws {
    let file = try file(
      """
      <div><p><span begin="2s" end="3s">one</span> <span begin="3s" dur="2s">two</span></p>
      <p region="other">first <span begin="1s" end="4s">then</span></p><p>never</p></div>
      """)
    #expect(file.cues.map(\.text) == ["first then", "one two"] && file.remarks.count == 1)
    #expect(
      try file.cues.map(\.range) == [
        MediaTimeRange(start: .zero, duration: MediaTime(4)), MediaTimeRange(start: MediaTime(2), duration: MediaTime(3)),
      ])
    #expect(try file.cues[1].words.map(\.time) == [MediaTime(2), MediaTime(3)])
  }

  // MARK: - Styles

  @Test func `styles refer to each other, and regions hand theirs on`() throws {
    let head = """
      <styling><style xml:id="base" tts:color="lime" tts:fontWeight="bold"/><style xml:id="name" style="base" tts:fontStyle="italic"/>
      <style xml:id="red" tts:color="red"/></styling>
      <layout><region xml:id="r" style="base" tts:textAlign="right"><style tts:color="blue"/></region>
      <region xml:id="own" tts:color="lime"><style tts:color="blue"/></region></layout>
      """
    let named = try cue(#"style="name""#, head: head)
    #expect(named.color == Self.green && named.weight == 700 && named.spans.map(\.look.isItalic) == [true])
    #expect(try cue(#"style="name red""#, head: head).color == RGBAColor(1, 0, 0))
    // What the region's own styles say goes before what it refers to, and what the paragraph says before both.
    let inRegion = try cue(#"region="r""#, head: head)
    #expect(inRegion.color == RGBAColor(0, 0, 1) && inRegion.weight == 700 && inRegion.align == .right)
    #expect(try cue(#"region="r" style="red""#, head: head).color == RGBAColor(1, 0, 0))
    #expect(try cue(#"region="own""#, head: head).color == Self.green)
  }

  @Test func `lines under and through letters are handed on one by one`() throws {
    let text = #"a<span tts:textDecoration="lineThrough">b<span tts:textDecoration="noUnderline">c</span></span>"#
    let looks = try cue(#"tts:textDecoration="underline""#, text: text).spans.map(\.look)
    #expect(looks.map(\.isUnderlined) == [true, true, false] && looks.map(\.isStruckThrough) == [false, true, true])
  }

  @Test func `what is hidden is not shown`() throws {
    #expect(try cue("", text: #"a<span tts:visibility="hidden">b<span tts:visibility="visible">c</span></span>"#).text == "ac")
    #expect(try cue("", text: #"a<span tts:display="none">b<span tts:visibility="visible">c</span></span>"#).text == "a")
    #expect(try cue("", text: #"a<span tts:opacity="0">b</span>"#).text == "a")
    let head = #"<layout><region xml:id="r" tts:display="none"/></layout>"#
    #expect(try file(#"<div><p region="r" begin="1s" end="2s">x</p></div>"#, head: head).cues == [])
  }

  @Test(arguments: [
    ("", "start", CaptionAlignment.left), ("", "end", .right), (#"tts:direction="rtl""#, "start", .right),
    (#"tts:direction="rtl""#, "end", .left), (#"tts:direction="rtl""#, "center", .center),
  ])
  func `the start of a line is where reading begins`(more: String, align: String, side: CaptionAlignment) throws {
    #expect(try cue(#"tts:textAlign="\#(align)" \#(more)"#).align == side)
  }

  // MARK: - Regions

  @Test(arguments: [
    (#"tts:origin="10% 20%" tts:extent="80% 60%""#, 0.5, 0.2, 0.8),
    (#"tts:origin="128px 72px" tts:extent="640px 72px""#, 0.35, 0.1, 0.5),
    (#"tts:origin="8c 3c" tts:extent="16c 3c""#, 0.5, 0.2, 0.5),
    (#"tts:origin="10rw 20rh" tts:extent="50rw 20rh""#, 0.35, 0.2, 0.5),
    (#"tts:position="center bottom" tts:extent="80% 20%""#, 0.5, 0.8, 0.8),
    (#"tts:position="bottom" tts:extent="80% 20%""#, 0.5, 0.8, 0.8),
    (#"tts:position="top right" tts:extent="50% 20%""#, 0.75, 0.0, 0.5),
    (#"tts:position="25% 50%" tts:extent="60% 20%""#, 0.4, 0.4, 0.6),
  ])
  func `a region lies where its lengths say, and its lines are as long`(
    attributes: String, x: Double, y: Double, width: Double
  ) throws {
    let cue = try cue(
      #"region="r" tts:textAlign="center""#, head: #"<layout><region xml:id="r" \#(attributes)/></layout>"#,
      root: #"tts:extent="1280px 720px""#)
    #expect(isNear(cue.position, x, y) && abs((cue.width ?? 0) - width) < 1e-9 && cue.place == .top, "\(cue)")
  }

  @Test func `a paragraph stands at the side of its region that it names itself`() throws {
    let head =
      #"<layout><region xml:id="r" tts:origin="10% 20%" tts:extent="80% 60%" tts:displayAlign="after" tts:textAlign="right"/></layout>"#
    let left = try cue(#"region="r" tts:textAlign="left""#, head: head)
    #expect(isNear(left.position, 0.1, 0.8) && left.align == .left && left.place == .bottom)
    let right = try cue(#"region="r""#, head: head)
    #expect(isNear(right.position, 0.9, 0.8) && right.align == .right)
    // Nobody says a side: the middle, whatever the track's style says.
    let middle = try cue(#"region="r""#, head: head.replacing(#" tts:textAlign="right""#, with: ""))
    #expect(isNear(middle.position, 0.5, 0.8) && middle.align == .center)
  }

  @Test func `paragraphs of a region follow each other while they are shown together`() throws {
    let head = #"<layout><region xml:id="r" tts:origin="10% 20%" tts:extent="80% 60%"/><region xml:id="s"/></layout>"#
    let file = try file(
      """
      <div><p region="r" begin="1s" end="4s" tts:color="lime">one</p><p region="s" begin="1s" end="4s">beside</p>
      <p region="r" begin="2s" end="3s">two <span tts:fontStyle="italic">lines</span></p><p region="r" begin="5s" end="6s">later</p>
      <p region="r" begin="5s" end="5s">never</p></div>
      """, head: head)
    let cues = file.cues.filter { $0.position != nil }
    #expect(cues.map(\.text) == ["one", "one\ntwo lines", "one", "never", "later"])
    #expect(try cues.map(\.range.start) == ([1, 2, 3, 5, 5] as [Int64]).map { try MediaTime($0) })
    #expect(try cues.prefix(3).map(\.range.end) == ([2, 3, 4] as [Int64]).map { try MediaTime($0) })
    #expect(cues[0].color == Self.green && cues[1].color == nil && cues[2].color == Self.green)
    #expect(cues[1].spans.map(\.bytes) == [0..<3, 8..<13] && cues[1].spans.map(\.look.color) == [Self.green, nil])
    #expect(cues[1].spans[1].look.isItalic && file.cues.contains { $0.text == "beside" })
    #expect(file.remarks.count == 1)
  }

  @Test func `paragraphs that cannot be one text make room for each other`() throws {
    let head = #"<layout><region xml:id="r" tts:origin="10% 20%" tts:extent="80% 60%"/></layout>"#
    func cues(_ paragraphs: String) throws -> [CaptionCue] {
      let file = try file("<div>\(paragraphs)</div>", head: head)
      #expect(file.remarks == [])
      return file.cues
    }
    let two = try cues(
      #"<p region="r" begin="1s" end="4s" tts:textAlign="left">a</p><p region="r" begin="1s" end="4s" tts:textAlign="right">b</p>"#
    )
    #expect(two.map(\.text) == ["a", "b"] && two.map(\.makesRoom) == [true, true])
    let many = try cues((0..<17).map { #"<p region="r" begin="1s" end="\#($0 + 2)s">\#($0)</p>"# }.joined())
    #expect(many.count == 17 && many.allSatisfy(\.makesRoom))
    #expect(try cues(#"<p region="r" begin="1s" end="4s">a</p>"#).map(\.makesRoom) == [false])
  }

  @Test func `words of a paragraph are marked while it is the first of its region`() throws {
    let words = #"<span begin="0s">la</span> <span begin="2s">lo</span>"#
    let file = try file(#"<div><p begin="1s" end="5s">\#(words)</p><p begin="2s" end="4s">la</p></div>"#)
    #expect(file.cues.map(\.text) == ["la lo", "la lo\nla", "la lo"] && file.remarks.count == 1)
    let times = try ([[1, 2], [2, 3], [4, 4]] as [[Int64]]).map { try $0.map { try MediaTime($0) } }
    #expect(file.cues.map { $0.words.map(\.time) } == times)
  }

  @Test(
    arguments: [
      ("ja", "ja"), ("zh-Hant-TW", "zh-Hant"), ("zh-HK", "zh-Hant"), ("zh-cn", "zh-Hans"), ("ko-KR", "ko"), ("zh", nil),
      ("en", nil), ("", nil),
    ] as [(String, String?)])
  func `a language counts where it decides how Han characters are drawn`(tag: String, language: String?) throws {
    #expect(try cue("", root: #"xml:lang="\#(tag)""#).language == language)
    #expect(try cue(#"xml:lang="ja""#, root: #"xml:lang="\#(tag)""#).language == "ja")
  }

  @Test func `a region's paragraphs are shown only while it is there`() throws {
    let head =
      #"<layout><region xml:id="r1" begin="0s" end="10s"/><region xml:id="r2" begin="10s" dur="10s"/></layout>"#
    let file = try file(
      """
      <div region="r1"><p>a</p></div><div region="r2"><p begin="5s" end="15s">b</p><p begin="16s" end="25s">c</p><p begin="1s" end="9s">d</p></div>
      """, head: head)
    #expect(file.cues.map(\.text) == ["a", "b", "c"])
    #expect(try file.cues.map(\.range.start) == [MediaTime(0), MediaTime(10), MediaTime(16)])
    #expect(try file.cues.map(\.range.end) == [MediaTime(10), MediaTime(15), MediaTime(20)])
    #expect(file.remarks.count == 1 && file.remarks[0].message.contains("not there"))
  }

  @Test func `elements of a sequence follow each other`() throws {
    let file = try file(
      """
      <div begin="1s" timeContainer="seq"><p dur="2s">a</p><p begin="1s" end="3s">b<br/></p><p dur="1s">c</p></div>
      <div><p begin="20s" end="30s" timeContainer="seq"><span dur="1s">la </span><span begin="1s" dur="2s">lo</span></p></div>
      """)
    #expect(file.remarks == [] && file.cues.map(\.text) == ["a", "b", "c", "la lo"])
    #expect(try file.cues.map(\.range.start) == [MediaTime(1), MediaTime(4), MediaTime(6), MediaTime(20)])
    #expect(try file.cues.map(\.range.end) == [MediaTime(3), MediaTime(6), MediaTime(7), MediaTime(30)])
    #expect(try file.cues[3].words.map(\.time) == [MediaTime(20), MediaTime(22)])
    #expect(try file.cues[3].words.map(\.end) == [MediaTime(21), MediaTime(24)])
  }

  @Test func `a part of a paragraph has a language of its own`() throws {
    let text = #"骨<span xml:lang="ja">骨<span>骨</span></span>骨<span xml:lang="zh-CN">骨</span>"#
    let cue = try cue(#"xml:lang="zh-Hans""#, text: text)
    #expect(cue.language == "zh-Hans" && cue.spans.map(\.bytes) == [3..<9] && cue.spans.map(\.look.language) == ["ja"])
    let head = #"<layout><region xml:id="r"/></layout>"#
    let two = try file(
      #"<div><p region="r" begin="1s" end="2s" xml:lang="ja">骨</p><p region="r" begin="1s" end="2s" xml:lang="zh-TW">骨</p></div>"#,
      head: head)
    #expect(two.cues.count == 1 && two.cues[0].language == nil && two.cues[0].spans.map(\.look.language) == ["ja", "zh-Hant"])
  }

  @Test func `a direction is that of the paragraph, and a part may be embedded in it`() throws {
    #expect(try cue("").direction == nil && cue(#"tts:direction="rtl""#).direction == .rightToLeft)
    #expect(try cue(#"tts:direction="ltr""#).direction == .leftToRight)
    func text(_ span: String, _ own: String = "") throws -> String { try cue(own, text: "<span \(span)>a</span>b").text }
    #expect(try text(#"tts:direction="rtl" tts:unicodeBidi="embed""#) == "\u{202b}a\u{202c}b")
    #expect(try text(#"tts:unicodeBidi="embed""#, #"tts:direction="rtl""#) == "\u{202b}a\u{202c}b")
    #expect(try text(#"tts:direction="ltr" tts:unicodeBidi="bidiOverride""#) == "\u{202d}a\u{202c}b")
    #expect(try text(#"tts:direction="rtl" tts:unicodeBidi="isolate""#) == "\u{2067}a\u{2069}b")
    #expect(try text(#"tts:direction="rtl""#) == "ab" && text("", #"tts:unicodeBidi="embed""#) == "ab")
    #expect(try text("", #"tts:direction="rtl" tts:unicodeBidi="bidiOverride""#) == "\u{202e}ab\u{202c}")
    let empty = try file(#"<div><p begin="1s" end="2s"><span tts:unicodeBidi="embed"> </span></p></div>"#)
    #expect(empty.cues == [] && empty.remarks.count == 1)
    let head = #"<layout><region xml:id="r" tts:direction="rtl"/></layout>"#
    let apart = try file(
      #"<div><p region="r" begin="1s" end="2s">a</p><p region="r" begin="1s" end="2s" tts:direction="ltr">b</p></div>"#,
      head: head)
    #expect(apart.cues.map(\.text) == ["a", "b"] && apart.cues.map(\.direction) == [.rightToLeft, .leftToRight])
  }

  // MARK: - What is lost

  @Test func `each style that captions do not have is told once, where it stands first`() throws {
    let file = try file(
      """
      <div>
      <p begin="1s" end="2s" tts:fontSize="80%" tts:backgroundColor="black">a</p>
      <p begin="2s" end="3s" tts:fontSize="90%" tts:textOutline="black 2px" tts:opacity="0.5">b</p>
      <p begin="3s" end="4s" tts:backgroundColor="transparent" tts:wrapOption="wrap"><set tts:color="red"/><set tts:color="red"/>c</p>
      </div>
      """, head: #"<layout><region xml:id="r" tts:origin="1em 2em" tts:extent="auto"/></layout>"#)
    #expect(file.cues.count == 3)
    let told = file.remarks.map { "\($0.line): \($0.message.split(separator: " ").first ?? "")" }
    #expect(told.sorted() == ["3: origin", "4: backgroundColor", "4: fontSize", "5: opacity", "5: textOutline", "6: <set>"])
  }

  @Test func `a chain of styles stays as small as the styles that are known`() throws {
    let styles = (1...4000).map { #"<style xml:id="s\#($0)" style="s\#($0 - 1)" x\#($0)="1"/>"# }.joined()
    let head = #"<styling><style xml:id="s0" tts:color="lime"/>\#(styles)</styling>"#
    #expect(try cue(#"style="s4000""#, head: head).color == Self.green)
  }
}
