import Captions
import Formats
import MediaTime
import Testing
import Timeline

/// Cues as WebVTT files. What is written is read again by the reader of such files, which was tried on others' files.
@Suite struct `WebVTT that is written` {
  private func range(_ from: String, _ to: String) throws -> MediaTimeRange {
    try MediaTimeRange(start: MediaTime(parsing: from), end: MediaTime(parsing: to))
  }

  private func cue(_ text: String, _ from: String = "1", _ to: String = "2", _ change: (inout CaptionCue) -> Void = { _ in })
    throws -> CaptionCue
  {
    var cue = CaptionCue(try range(from, to), text)
    change(&cue)
    return cue
  }

  private func again(_ cues: [CaptionCue], _ writer: WebVTTWriter = .init(place: .lowerThird)) throws -> CaptionFile {
    try CaptionFile(writer.text(of: cues), .vtt)
  }

  @Test func `has times to the nearest millisecond, and escaped texts`() throws {
    let cues = [
      try cue("a < b & c --> d", "1/3", "0.7"), try cue("two\n\nlines\r\nand <i>", "0.5", "360000"),
      try cue("never", "3", "7501/2500"),
    ]
    #expect(
      WebVTTWriter(place: .lowerThird).text(of: cues) == """
        WEBVTT

        00:00:00.333 --> 00:00:00.700
        a &lt; b &amp; c --&gt; d

        00:00:00.500 --> 100:00:00.000
        two
        &nbsp;
        lines
        and &lt;i&gt;

        """)
    let read = try again(cues)
    #expect(read.remarks == [] && read.cues.map(\.text) == ["a < b & c --> d", "two\n\u{a0}\nlines\nand <i>"])
    #expect(try read.cues.map(\.range) == [range("0.333", "0.7"), range("0.5", "360000")])
  }

  @Test func `keeps places, widths and regions`() throws {
    var region = CaptionCue.Region()
    (region.width, region.lines, region.anchor, region.scroll) = (0.405, 2, Point(0.25, 1), .up)
    let cues = [
      try cue("top") { ($0.place, $0.align) = (.top, .left) }, try cue("third line") { ($0.place, $0.line) = (.top, 2) },
      try cue("last but one") { ($0.place, $0.line) = (.bottom, 1) }, try cue("bottom") { $0.place = .bottom },
      try cue("point") {
        ($0.place, $0.align, $0.position, $0.width, $0.makesRoom) = (.middle, .right, Point(0.9, 0.12345), 0.5, true)
      },
      try cue("along") { ($0.place, $0.line, $0.along) = (.bottom, 2, 0.25) },
      try cue("region") { $0.region = region }, try cue("along a region") { ($0.region, $0.along) = (region, 0.25) },
      try cue("縦") { ($0.writingMode, $0.place) = (.verticalRightToLeft, .right) },
      try cue("左") { ($0.writingMode, $0.place, $0.line) = (.verticalLeftToRight, .right, 3) },
      try cue("点") {
        ($0.writingMode, $0.place, $0.align, $0.position) = (.verticalRightToLeft, .left, .left, Point(0.1, 0.2))
        $0.makesRoom = true
      },
    ]
    let read = try again(cues)
    #expect(read.remarks == [])
    #expect(read.cues == cues)
    // What stands in the middle is laid at that point.
    var middle = try again([cue("middle") { $0.place = .middle }]).cues
    #expect(middle[0].position == Point(0.5, 0.5))
    (middle[0].position, middle[0].makesRoom) = (nil, false)
    #expect(try middle == [cue("middle") { $0.place = .middle }])
    // A track's own place and alignment count for cues that say none.
    let writer = WebVTTWriter(place: .top, mode: .verticalRightToLeft, align: .right)
    let own = try again([cue("上") { $0.place = .right }], writer).cues
    #expect(own.map(\.writingMode) == [.verticalRightToLeft] && own.map(\.align) == [.right])
  }

  @Test func `keeps looks of cues and of their parts, ruby, and the times of words`() throws {
    func look(_ change: (inout CaptionCue.Span.Look) -> Void) -> CaptionCue.Span.Look {
      var look = CaptionCue.Span.Look()
      change(&look)
      return look
    }
    let cues = [
      try cue("bold red") { ($0.weight, $0.color) = (700, RGBAColor(1, 0, 0)) },
      try cue("one two <three> 歌") { cue in
        cue.spans = [
          .init(0..<3, look { $0.isItalic = true }), .init(4..<7, look { ($0.weight, $0.isUnderlined) = (700, true) }),
          .init(8..<15, look { ($0.color, $0.isStruckThrough) = (RGBAColor(0, 128 / 255, 1, alpha: 51 / 255), true) }),
          .init(16..<19, look { ($0.ruby, $0.language) = ("うた", "ja") }),
        ]
      },
      try cue("la le lu") {
        $0.words = [
          .init(MediaTime(seconds: 1), "la"), .init(MediaTime(milliseconds: 1250), "le"),
          .init(MediaTime(milliseconds: 1500), "lu"),
        ]
        $0.spans = [.init(3..<8, look { $0.isItalic = true })]
      },
    ]
    let text = WebVTTWriter(place: .lowerThird).text(of: cues)
    #expect(text.contains("::cue(.color-0080ff33) { color: #0080ff33 }"))
    #expect(text.contains("<lang ja><ruby>歌<rt>うた</rt></ruby></lang>") && text.contains("<c.color-ff0000><b>bold red</b></c>"))
    #expect(text.contains("la <i><00:00:01.250>le <00:00:01.500>lu</i>"))
    let read = try CaptionFile(text, .vtt)
    #expect(read.remarks == [])
    #expect(read.cues == cues)
  }

  @Test func `has words only at rising times within the cue`() throws {
    let words = try ["1", "1", "1.2", "1.2001", "2"].map { try MediaTime(parsing: $0) }
    let cue = try cue("a b c d e") { cue in
      cue.words = zip(words, ["a", "b", "c", "d", "e"]).map { .init($0, $1) }
    }
    #expect(WebVTTWriter().text(of: [cue]).contains("a b <00:00:01.200>c d e"))
  }
}
