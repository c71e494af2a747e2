import Captions
import Formats
import MediaTime
import Testing

/// Tests of the places that caption files state for their cues, lines, sides and regions, and of ruby.
@Suite struct `Places in caption files` {
  private func cue(_ settings: String, text: String = "x", head: String = "") throws -> (cue: CaptionCue, remarks: [String]) {
    let file = try CaptionFile("WEBVTT\n\n\(head)00:01.000 --> 00:02.000 \(settings)\n\(text)\n", .vtt)
    return (try #require(file.cues.first), file.remarks.map(\.message))
  }

  @Test(arguments: [
    ("line:0", CaptionPlace.top, nil as Int?), ("line:4", .top, 4), ("line:-1", .bottom, nil), ("line:-3", .bottom, 2),
    ("vertical:rl line:0", .right, nil), ("vertical:rl line:2", .right, 2), ("vertical:rl line:-2", .left, 1),
    ("vertical:lr line:1", .left, 1), ("vertical:lr line:-1", .right, nil), ("vertical:rl", .left, nil),
    ("vertical:lr", .right, nil),
    ("line:500", .top, 99),
  ])
  func `WebVTT's lines are counted from an edge`(settings: String, place: CaptionPlace, line: Int?) throws {
    let (cue, remarks) = try cue(settings)
    #expect(cue.place == place && cue.line == line && cue.position == nil && remarks == [])
    #expect(
      cue.writingMode
        == (settings.hasPrefix("vertical:rl") ? .verticalRightToLeft : settings.hasPrefix("v") ? .verticalLeftToRight : nil))
  }

  @Test func `WebVTT's shares lay a vertical cue at a point`() throws {
    let (right, _) = try cue("vertical:rl line:90%,end position:10% align:start size:50%")
    #expect(right.position == Point(0.9, 0.1) && right.place == .right && right.align == .left && right.width == 0.5)
    #expect(try cue("vertical:lr line:20%").cue.position == Point(0.2, 0.5))
    // Without a share of its own across the lines a cue stands there as others do, and makes room for them.
    let (beside, _) = try cue("vertical:lr position:20%")
    #expect(beside.along == 0.2 && beside.position == nil && beside.place == .right)
    let (counted, remarks) = try cue("line:5 position:20% align:left")
    #expect(counted.along == 0.2 && counted.line == 5 && counted.place == .top && remarks == [])
    let (alone, _) = try cue("position:80%")
    #expect(alone.along == 0.8 && alone.place == nil && alone.position == nil)
    #expect(try cue("vertical:up").remarks == ["not used, or not exactly: vertical:up"])
  }

  /// The box is as long as `size` says, as far as there is room on the sides of its position, and the text is set to a side of the box (WebVTT,
  /// section 7.2).
  @Test(arguments: [
    ("position:10%,line-left align:left", 0.1, nil as Double?), ("position:10%,line-left align:center size:60%", 0.4, 0.6),
    ("position:10%,line-left", 0.55, 0.9), ("position:10%,line-left align:right size:50%", 0.6, 0.5),
    ("position:80%,line-right align:left size:60%", 0.2, 0.6), ("position:50%,center align:right size:40%", 0.7, 0.4),
    ("position:30%,center align:left", 0, 0.6), ("position:80%,end align:middle size:20%", 0.7, 0.2),
  ])
  func `WebVTT's position is that of the point of the box that is named with it`(
    settings: String, along: Double, width: Double?
  ) throws {
    let (cue, remarks) = try cue(settings)
    #expect(abs((cue.along ?? -1) - along) < 1e-9 && remarks == [])
    #expect(cue.width.map { abs($0 - (width ?? -1)) < 1e-9 } ?? (width == nil))
    let (laid, _) = try self.cue("line:20% \(settings)")
    #expect(abs((laid.position?.x ?? -1) - along) < 1e-9 && laid.position?.y == 0.2)
    #expect(try self.cue("position:10%,beside").remarks == ["not used, or not exactly: position:10%,beside"])
  }

  @Test(arguments: [
    ("align:start", "abc", CaptionAlignment.left), ("align:end", "abc", .right), ("align:start", "- שלום", .right),
    ("align:end", "مرحبا", .left), ("align:left", "שלום", .left), ("align:start", "&lrm;שלום", .left),
    ("align:start", "1 שלום", .right),
    ("vertical:rl align:start", "שלום", .left), ("align:center", "שלום", .center),
  ])
  func `WebVTT's start of a line is where reading begins`(settings: String, text: String, align: CaptionAlignment) throws {
    #expect(try cue(settings, text: text).cue.align == align)
  }

  @Test func `WebVTT's regions have a size, an anchor and a way to scroll`() throws {
    let head = "REGION\nid:fred width:40%\nlines:2\nregionanchor:0%,100% viewportanchor:10%,90% scroll:up\n\n"
    let (cue, remarks) = try cue("region:fred align:left", head: head)
    var region = CaptionCue.Region()
    (region.width, region.lines, region.anchor, region.viewportAnchor, region.scroll) = (
      0.4, 2, Point(0, 1), Point(0.1, 0.9), .up
    )
    #expect(cue.region == region && cue.align == .left && remarks == [])
    // A cue that says its own line, size or direction stands in none.
    for own in ["line:1", "size:50%", "vertical:rl"] { #expect(try self.cue("region:fred \(own)", head: head).cue.region == nil) }
    #expect(try self.cue("region:anna", head: head).remarks == ["not used, or not exactly: region:anna"])
    let wrong = try self.cue("", head: "REGION\nid:a lines:0 scroll:down\n\nREGION\nwidth:20%\n\n").remarks
    #expect(wrong == ["of the region, not used: lines:0 scroll:down", "the region has no id, and no cue can stand in it"])
  }

  @Test func `WebVTT's languages are those of parts`() throws {
    let (cue, remarks) = try cue("", text: "骨 <lang ja>骨 <b>か</b></lang><lang.x zh-hant>骨</lang><lang></lang>")
    #expect(cue.text == "骨 骨 か骨" && remarks == [])
    #expect(cue.spans.map(\.look.language) == ["ja", "ja", "zh-Hant"] && cue.spans.map(\.look.weight) == [nil, 700, nil])
    #expect(try self.cue("", text: "a<lang x_y>b</lang>").remarks == ["not drawn: <lang x_y>"])
  }

  @Test func `WebVTT's ruby stands over what comes before it`() throws {
    let (cue, remarks) = try cue("", text: "a <ruby>漢<rt>かん</rt><b>字</b><rt>じ</ruby>b<ruby>大<rt>おお</ruby>")
    #expect(cue.text == "a 漢字b大" && remarks == [])
    #expect(cue.spans.map(\.look.ruby) == ["かん", "じ", "おお"] && cue.spans.map(\.bytes) == [2..<5, 5..<8, 9..<12])
    #expect(cue.spans[1].look.weight == 700)
    let (plain, told) = try self.cue("", text: "<ruby><rt>か</rt></ruby>x<rt>y</rt>")
    #expect(plain.text == "x" && plain.spans == [] && told.count == 2)
    #expect(try self.cue("", text: "<ruby>a\nb<rt>c</rt></ruby>").remarks.count == 1)
  }

  @Test(arguments: [
    (
      #"tts:writingMode="tbrl" tts:displayAlign="before""#, WritingMode.verticalRightToLeft as WritingMode?, CaptionPlace.right,
      Point(0.9, 0.5)
    ),
    (#"tts:writingMode="tb" tts:displayAlign="after""#, .verticalRightToLeft, .left, Point(0.1, 0.5)),
    (#"tts:writingMode="tblr" tts:displayAlign="before""#, .verticalLeftToRight, .left, Point(0.1, 0.5)),
    (#"tts:writingMode="lrtb" tts:displayAlign="after""#, nil, .bottom, Point(0.5, 0.8)),
    (#"tts:writingMode="tbrl" tts:textAlign="start""#, .verticalRightToLeft, .right, Point(0.9, 0.2)),
  ])
  func `a region of TTML says how lines run`(attributes: String, mode: WritingMode?, place: CaptionPlace, point: Point) throws {
    let file = try CaptionFile(
      """
      <tt xmlns:tts="http://www.w3.org/ns/ttml#styling"><head><layout>
      <region xml:id="r" tts:origin="10% 20%" tts:extent="80% 60%" \(attributes)/></layout></head>
      <body><div><p region="r" begin="1s" end="2s">x</p></div></body></tt>
      """, .ttml)
    let cue = try #require(file.cues.first)
    #expect(cue.writingMode == mode && cue.place == place)
    let found = try #require(cue.position)
    #expect(abs(found.x - point.x) < 1e-9 && abs(found.y - point.y) < 1e-9)
  }

  @Test func `TTML has ruby and combined letters`() throws {
    let file = try CaptionFile(
      """
      <tt xmlns:tts="http://www.w3.org/ns/ttml#styling"><body><div><p begin="1s" end="2s">平<span tts:textCombine="all">12</span>年の<span tts:ruby="container"><span tts:ruby="base">兎</span><span tts:ruby="text">うさぎ</span></span>!</p></div></body></tt>
      """, .ttml)
    let cue = try #require(file.cues.first)
    #expect(cue.text == "平12年の兎!" && file.remarks == [])
    #expect(cue.spans.map(\.look.ruby) == [nil, "うさぎ"] && cue.spans.map(\.look.isCombined) == [true, false])
  }

  @Test func `TTML has marks of emphasis, and tells those that it cannot have`() throws {
    let file = try CaptionFile(
      """
      <tt xmlns:tts="http://www.w3.org/ns/ttml#styling"><body><div><p begin="1s" end="2s">平<span tts:textEmphasis="open dot before red">a</span><span tts:textEmphasis="'※' after">b</span><span tts:textEmphasis="wavy" tts:color="reddish">c</span></p></div></body></tt>
      """, .ttml)
    let cue = try #require(file.cues.first)
    #expect(
      cue.spans.map(\.look.emphasis) == [
        TextEmphasis(.shape(.dot, isOpen: true), color: RGBAColor(1, 0, 0)), TextEmphasis(.character("※"), side: .under),
      ])
    #expect(file.remarks.count == 2)
  }

  @Test(arguments: [
    ("#f80", RGBAColor(1, 136.0 / 255, 0)), ("#ff880080", RGBAColor(1, 136.0 / 255, 0, alpha: 128.0 / 255)),
    ("rgb(255, 0, 51)", RGBAColor(1, 0, 0.2)), ("rgba(255,0,0,0.5)", RGBAColor(1, 0, 0, alpha: 0.5)),
    ("rgb(100% 0% 20% / 50%)", RGBAColor(1, 0, 0.2, alpha: 0.5)), ("hsl(120, 100%, 50%)", RGBAColor(0, 1, 0)),
    ("hsl(-120deg 100% 25%)", RGBAColor(0, 0, 0.5)), ("rebeccapurple", RGBAColor(0.4, 0.2, 0.6)),
  ])
  func `a style sheet has colours in the forms of CSS`(text: String, color: RGBAColor) throws {
    let file = try CaptionFile("WEBVTT\n\nSTYLE\n::cue { color: \(text) }\n\n00:01.000 --> 00:02.000\nx\n", .vtt)
    let found = try #require(file.cues.first?.color)
    func parts(_ color: RGBAColor) -> [Double] { [color.red, color.green, color.blue, color.alpha] }
    #expect(file.remarks == [] && zip(parts(found), parts(color)).allSatisfy { abs($0 - $1) < 1e-9 }, "\(found)")
  }
}
