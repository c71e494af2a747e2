import Drawing
import Formats
import Testing
import Timeline

@Suite struct `Text` {
  private static let frame = PixelSize(640, 360)

  private func drawn(
    _ string: String, font: String = "DejaVu Sans", size: Double = 40, in frame: Rect? = nil,
    _ change: (inout TextContent) -> Void = { _ in }
  ) throws -> Pixels {
    var text = TextContent(string: string, fonts: [font], size: size)
    change(&text)
    return Pixels(
      try PlacedPicture(
        text: text, in: frame ?? Rect(Self.frame), lowerThird: frame == nil, of: Self.frame, fonts: FontBook()))
  }

  private func bounds(_ drawing: Pixels) throws -> (columns: Range<Int>, rows: Range<Int>) {
    try #require(try drawing.visibleBounds(in: Self.frame))
  }

  private func ink(_ drawing: Pixels) -> Int {
    stride(from: 3, to: drawing.rgba.count, by: 4).reduce(0) { $0 + Int(drawing.rgba[$1]) }
  }

  @Test(arguments: [
    "No Such Font", "sans-serif", "Sans", "", "DejaVu Sans, No Such Font",
    // fontconfig and Pango would take these names for files, patterns and sizes.
    "/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf", "file:///usr/share/fonts/truetype/dejavu/DejaVuSans.ttf",
    "../../etc/passwd",
    "DejaVu Sans:file=/etc/passwd", ":file=/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf", "DejaVu Sans 40", "DejaVu Sans Bold",
  ])
  func `in a font that is not installed is refused by name`(_ font: String) {
    #expect {
      try drawn("Hello", font: font)
    } throws: { error in if case DrawingError.fontNotInstalled(font, _) = error { true } else { false } }
  }

  @Test(arguments: [
    "<b>A</b>", "<span font='DejaVu Sans 300' foreground='#0000'>A</span>", "<img src='file:///etc/passwd'/>", "&amp;", "&#65;",
    "<!DOCTYPE x [<!ENTITY y SYSTEM 'file:///etc/passwd'>]>&y;",
  ])
  func `that looks like markup is drawn as it is written`(_ string: String) throws {
    // Marks make glyphs of their own. So the text has less ink when one of them is taken out.
    let whole = try ink(drawn(string, size: 8))
    for mark in "<>&;'/" where string.contains(mark) {
      var less = string
      less.remove(at: try #require(string.firstIndex(of: mark)))
      #expect(try ink(drawn(less, size: 8)) < whole, "\(mark)")
    }
  }

  @Test func `with characters that no font has is refused, each of them named once`() {
    #expect(
      throws: DrawingError.missingGlyphs(fonts: ["DejaVu Sans"], characters: ["\u{10FFFD}", "\u{10FFF0}"], families: [])
    ) {
      try drawn("a\u{10FFFD}b\u{10FFF0}\u{10FFFD}")
    }
  }

  @Test func `stands centred in the lower third`() throws {
    let bounds = try bounds(drawn("HOH"))
    #expect(abs(bounds.columns.lowerBound + bounds.columns.upperBound - 640) <= 2)
    #expect(bounds.rows.lowerBound >= 240 && bounds.rows.upperBound <= 342)
    // The capitals of DejaVu Sans are 0.729 em high.
    #expect((29...31).contains(bounds.rows.count))
  }

  @Test func `is drawn in its colour`() throws {
    let drawing = try drawn("■", size: 80) { $0.color = RGBAColor(0.2, 0.4, 1, alpha: 0.6) }
    let bounds = try bounds(drawing)
    let middle = drawing.pixel(
      (bounds.columns.lowerBound + bounds.columns.upperBound) / 2, (bounds.rows.lowerBound + bounds.rows.upperBound) / 2)
    #expect(middle.alpha == 153)
    for (got, exact) in [(middle.red, 51), (middle.green, 102), (middle.blue, 255)] { #expect(abs(Int(got) - exact) <= 1) }
  }

  @Test func `in a Japanese font is drawn by that font`() throws {
    let (gothic, sans) = (try drawn("Spool", font: "IPAPGothic"), try drawn("Spool"))
    #expect(gothic != sans)
    #expect(try ink(drawn("歌詞", font: "IPAPGothic")) > 0)
  }

  @Test func `without a frame shrinks until it fits two lines`() throws {
    let long = String(repeating: "many words ", count: 20)
    let drawing = try drawn(long, size: 60)
    let bounds = try bounds(drawing)
    #expect(bounds.columns.lowerBound >= 32 && bounds.columns.upperBound <= 608)
    #expect(bounds.rows.lowerBound >= 240 && bounds.rows.upperBound <= 342)
    // The text has two lines, so exactly one gap of clear rows is wide enough to lie between lines.
    let clear = bounds.rows.filter { y in bounds.columns.allSatisfy { drawing.pixel($0, y).alpha == 0 } }
    #expect(clear == Array((clear.first ?? 0)..<(clear.first ?? 0) + clear.count))
    #expect(bounds.rows.count > 12)
  }

  @Test func `that cannot fit the lower third is refused`() {
    let endless = String(repeating: "x", count: 3000)
    #expect(throws: DrawingError.doesNotFit(text: endless)) { try drawn(endless) }
  }

  @Test func `in a frame wraps at its width and stands from its top`() throws {
    let frame = Rect(100.5, 50, 200, 60)
    let one = try bounds(drawn("word", size: 30, in: frame) { $0.alignment = .left })
    let many = try bounds(drawn("word word word word word word", size: 30, in: frame) { $0.alignment = .left })
    #expect(many.rows.lowerBound == one.rows.lowerBound && one.rows.lowerBound >= 50)
    #expect(many.columns.lowerBound >= 100 && many.columns.upperBound <= 301)
    #expect(many.rows.count > 2 * one.rows.count)
  }

  @Test(arguments: ["مرحبا", "مرحبا\nHIH", "HIH\nمرحبا بالعالم"])
  func `is aligned to the same sides in scripts from right to left`(_ string: String) throws {
    let frame = Rect(100, 50, 400, 160)
    let left = try drawn(string, in: frame) { $0.alignment = .left }
    let right = try drawn(string, in: frame) { $0.alignment = .right }
    let center = try bounds(drawn(string, in: frame) { $0.alignment = .center })
    #expect(try (100...106).contains(bounds(left).columns.lowerBound))
    #expect(try (494...500).contains(bounds(right).columns.upperBound))
    #expect(abs(center.columns.lowerBound + center.columns.upperBound - 600) <= 12)
    // Each line has ink near the side to which the text is aligned.
    for (drawing, columns) in [(left, 100..<130), (right, 470..<500)] {
      let rows = try bounds(drawing).rows
      let lines = string.split(separator: "\n").count
      for line in 0..<lines {
        let part = rows.lowerBound + rows.count * line / lines..<rows.lowerBound + rows.count * (line + 1) / lines
        #expect(part.contains { y in columns.contains { drawing.pixel($0, y).alpha > 0 } })
      }
    }
  }

  @Test func `breaks a word that is too wide for its line without a hyphen`() throws {
    // The text has one letter, and three of them fill a line. A hyphen would show as ink that is not as high as the letters.
    let frame = Rect(100, 20, 110, 300)
    let drawing = try drawn("HHHHHHHH", in: frame) { $0.alignment = .left }
    let whole = try ink(drawn("H", in: frame) { $0.alignment = .left })
    #expect(abs(ink(drawing) - 8 * whole) < whole / 10)
    #expect(try bounds(drawing).rows.count > 60)
  }

  @Test func `is aligned left and right in its frame`() throws {
    let frame = Rect(100, 50, 300, 60)
    let left = try bounds(drawn("HIH", in: frame) { $0.alignment = .left })
    let right = try bounds(drawn("HIH", in: frame) { $0.alignment = .right })
    #expect((100...106).contains(left.columns.lowerBound))
    #expect((394...400).contains(right.columns.upperBound))
  }

  @Test func `grows heavier with its weight`() throws {
    #expect(try Double(ink(drawn("weight") { $0.weight = 700 })) > 1.2 * Double(ink(drawn("weight"))))
  }

  @Test func `grows in proportion with its size, without hinting`() throws {
    let (small, large) = (try bounds(drawn("Proportion", size: 20)), try bounds(drawn("Proportion", size: 80)))
    #expect(abs(Double(large.columns.count) / Double(small.columns.count) - 4) < 0.1)
  }

  @Test func `that is empty or blank draws nothing`() throws {
    for string in ["", "  ", "\n"] { #expect(try drawn(string).visibleBounds(in: Self.frame) == nil) }
  }

  @Test func `outside the picture draws nothing`() throws {
    #expect(try drawn("gone", in: Rect(700, 10, 100, 100)).visibleBounds(in: Self.frame) == nil)
  }
}
