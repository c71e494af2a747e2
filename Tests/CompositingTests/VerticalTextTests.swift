import Drawing
import FarmTesting
import Formats
import Glibc
import SyntheticFonts
import Testing
import Timeline

/// Tests of vertical texts.
@Suite struct `Vertical lines`: DrawsRichText {
  let book = FontBook()
  private static let frame = Rect(20, 20, 600, 320)

  private func vertical(
    _ runs: [TextContent.Run], _ mode: WritingMode = .verticalRightToLeft, _ change: (inout TextContent) -> Void = { _ in }
  ) -> TextContent {
    text(runs) { text in
      (text.fonts, text.writingMode, text.language) = (["IPAPGothic"], mode, "ja")
      change(&text)
    }
  }

  private func letters(_ text: TextContent, in frame: Rect = Self.frame) throws -> TextLetters {
    try LettersDrawing(text, in: frame, lowerThird: false, fonts: book).letters
  }

  private func combined(_ string: String) -> TextContent.Run {
    var run = run(string)
    run.isCombined = true
    return run
  }

  // MARK: - Lines

  @Test func `run from the top down, and follow each other to the left or to the right`() throws {
    // An em of IPAPGothic is as high as its line: 40 pixels.
    let frames = try letters(vertical([run("一二\n三")])).letters.map(\.frame)
    #expect(frames.map(\.x) == [580, 580, 540] && frames.map(\.y) == [20, 60, 20])
    #expect(frames.allSatisfy { abs($0.width - 40) < 0.1 && abs($0.height - 40) < 0.1 })
    let other = try letters(vertical([run("一二\n三")], .verticalLeftToRight)).letters.map(\.frame)
    #expect(other.map(\.x) == [20, 20, 60] && other.map(\.y) == [20, 60, 20])
  }

  @Test(arguments: [(TextContent.Alignment.left, 20.0), (.center, 140), (.right, 260)])
  func `are aligned along the height of their frame`(alignment: TextContent.Alignment, top: Double) throws {
    let frames = try letters(vertical([run("一二")]) { $0.alignment = alignment }).letters.map(\.frame)
    #expect(frames.map(\.y) == [top, top + 40])
  }

  @Test func `stand in the frame as its width allows`() throws {
    func left(_ alignment: TextContent.VerticalAlignment, _ mode: WritingMode) throws -> Double {
      try letters(vertical([run("一")], mode) { $0.verticalAlignment = alignment }).letters[0].frame.x
    }
    #expect(try [.top, .middle, .bottom].map { try left($0, .verticalRightToLeft) } == [580, 300, 20])
    #expect(try [.top, .middle, .bottom].map { try left($0, .verticalLeftToRight) } == [20, 300, 580])
  }

  @Test func `are broken at the frame's height, cut, and made smaller`() throws {
    let (long, frame) = ([run("一二三四五六七八九十")], Rect(20, 20, 200, 130))
    #expect(try letters(vertical(long), in: frame).lines.count == 4)
    let cut = try letters(vertical(long) { $0.maxLines = 2 }, in: frame)
    #expect(cut.lines.count == 2 && cut.letters.count == 6)
    let small = try letters(vertical(long) { ($0.minimumSize, $0.maxLines) = (5, 2) }, in: frame)
    #expect(small.lines.count == 2 && small.letters.count == 10 && small.letters[0].frame.height < 30)
    let wide = try letters(vertical(long) { $0.truncation = .end }, in: Rect(20, 20, 85, 130))
    #expect(wide.lines.count == 2)
  }

  // MARK: - Letters

  /// A font whose letters are boxes without vertical metrics and forms, 500 wide, from the baseline up. Its ascent is 800, its descent 200.
  private func boxes(_ text: String, _ orientation: TextOrientation = .mixed, height: Int = 100) throws -> Pixels {
    let folder = TemporaryDirectory()
    try SyntheticFont("Boxes", letters: "国、ー「a", height: height).bytes.write(toFile: folder.file("boxes.ttf"))
    let content = vertical([run(text)]) { ($0.fonts, $0.size, $0.orientation) = (["Boxes"], 100, orientation) }
    let book = FontBook(in: try InstalledFonts(folders: [folder.file("")]))
    return Pixels(try PlacedPicture(text: content, in: Rect(20, 20, 100, 300), of: Self.size, fonts: book))
  }

  @Test func `have upright letters in their middle, placed by the ascent where the font has no vertical metrics`() throws {
    for text in ["国", "、"] {
      let (columns, rows) = try bounds(boxes(text))
      // The letter is 600 wide: from 40 to 100 about the middle 70 of a line of 100. Its baseline is at 20 + 80.
      #expect(columns == 45..<95 && rows == 90..<100, "\(text)")
    }
    #expect(try bounds(boxes("国国")).rows == 90..<200)
  }

  @Test func `have turned letters, and brackets without a vertical form`() throws {
    for text in ["a", "ー", "「"] {
      let (columns, rows) = try bounds(boxes(text))
      // The baseline is at the left, a descent from the line's edge, and the box lies to the right of it.
      #expect(columns == 40..<50 && rows == 25..<75, "\(text)")
    }
  }

  @Test(arguments: [("a", TextOrientation.upright), ("「", .upright), ("国", .mixed)])
  func `have upright letters of all scripts where the text says so`(text: String, orientation: TextOrientation) throws {
    let (columns, rows) = try bounds(boxes(text, orientation))
    #expect(columns == 45..<95 && rows == 90..<100)
  }

  @Test func `have letters that are all turned where the text says so`() throws {
    let (columns, rows) = try bounds(boxes("国", .sideways))
    #expect(columns == 40..<50 && rows == 25..<75)
  }

  @Test func `have the vertical forms of a font`() throws {
    let long = try bounds(drawn(vertical([run("ー")])))
    #expect(long.rows.count > 3 * long.columns.count)
    // A comma is at the upper right of its room, not at the lower left.
    let comma = try bounds(drawn(vertical([run("、")])))
    #expect(comma.columns.lowerBound >= 600 && comma.rows.upperBound <= 40)
    let bracket = try bounds(drawn(vertical([run("「")])))
    #expect(bracket.columns.count > bracket.rows.count)
  }

  @Test func `combine letters in the room of one`() throws {
    let laid = try letters(vertical([run("平"), combined("12"), run("年")])).letters
    #expect(laid.map(\.frame.y) == [20, 60, 100] && laid.map(\.bytes) == [0..<3, 3..<5, 5..<8])
    let two = try bounds(drawn(vertical([combined("12")])))
    #expect(two.columns.lowerBound >= 580 && two.columns.upperBound <= 620 && (25..<35).contains(two.rows.count))
    // What is wider than an em is squeezed into it, and no lower.
    let many = try bounds(drawn(vertical([combined("2026")])))
    #expect(many.columns.lowerBound >= 580 && many.columns.upperBound <= 620 && many.columns.count > 34)
    #expect(many.rows.lowerBound == two.rows.lowerBound && abs(many.rows.count - two.rows.count) <= 1)
    // Without it, digits are turned.
    #expect(try bounds(drawn(vertical([run("12")]))).rows.count > 36)
  }

  @Test func `have ruby at their right, and room for it`() throws {
    let plain = try letters(vertical([run("漢字")])).letters.map(\.frame)
    let (bare, read) = (try drawn(vertical([run("漢字")])), try drawn(vertical([run("漢字", ruby: "かんじ")])))
    let frames = try letters(vertical([run("漢字", ruby: "かんじ")])).letters.map(\.frame)
    #expect(frames.map(\.x) == plain.map { $0.x - 20 } && frames.map(\.y) == plain.map(\.y))
    let (left, right) = (try bounds(bare).columns, try bounds(read).columns)
    #expect(left.upperBound - 20 <= 600 && right.upperBound > 602 && right.lowerBound == left.lowerBound - 20)
    #expect(try letters(vertical([run("漢字", ruby: "かんじ")], .verticalLeftToRight)).letters[0].frame.x == 20)
  }

  @Test(arguments: [("ja", true), ("zh-Hant", false)])
  func `are underlined at the side that their language has`(language: String, isRight: Bool) throws {
    let line = vertical([run("一一")]) { ($0.isUnderlined, $0.language) = (true, language) }
    let (columns, rows) = try bounds(drawn(line))
    #expect(rows == 20..<100 && (isRight ? columns.upperBound > 620 : columns.lowerBound < 580))
    let through = try bounds(drawn(vertical([run("　　")]) { $0.isStruckThrough = true })).columns
    #expect(through.contains(600) && through.count < 5)
  }

  @Test(arguments: [WritingMode.verticalRightToLeft, .verticalLeftToRight])
  func `are drawn letter by letter as a whole`(mode: WritingMode) throws {
    let runs = [run("平成"), combined("12"), run("年、Wave「", ruby: nil), run("兎", ruby: "うさぎ"), run("」ー\n東京")]
    let text = vertical(runs, mode) { ($0.color, $0.isUnderlined) = (RGBAColor(1, 0.5, 0), true) }
    let drawing = try LettersDrawing(text, in: Self.frame, lowerThird: false, fonts: book)
    let whole = try drawn(text)
    var sums: [[Int]] = []
    for y in 0..<360 { sums.append((0..<640).map { _ in y - y }) }
    for letter in drawing.letters.letters {
      guard let picture = try drawing.picture(of: letter.bytes, .letters, tints: [], blur: 0, .identity) else { continue }
      let part = Pixels(picture)
      for y in 0..<360 { for x in 0..<640 { sums[y][x] += alpha(part, x, y) } }
    }
    var worst = 0
    for y in 0..<360 { for x in 0..<640 { worst = max(worst, abs(min(sums[y][x], 255) - alpha(whole, x, y))) } }
    #expect(worst < 100, "\(worst)")
    #expect(drawing.letters.isVertical)
  }

  // MARK: - Looks

  @Test func `have boxes, outlines and shadows as other texts have`() throws {
    let box = vertical([run("一二\n三")]) {
      $0.box = TextContent.Box(color: .white, padding: Point(4, 2), extent: .lines)
    }
    let boxed = try drawn(box)
    let (columns, rows) = try bounds(boxed)
    #expect(columns == 536..<624 && rows == 18..<102)
    // The shorter line has a shorter box.
    #expect(alpha(boxed, 560, 90) == 0 && alpha(boxed, 600, 90) == 255)
    let plain = try bounds(drawn(vertical([run("一")])))
    let lined = try bounds(drawn(vertical([run("一")]) { $0.outline = TextContent.Outline(color: .black, width: 5) }))
    #expect(lined.columns.count == plain.columns.count + 10 && lined.rows.count == plain.rows.count + 10)
    let cast = try bounds(
      drawn(vertical([run("一")]) { $0.shadow = LayerStyle.Shadow(color: .black, offset: Point(0, 30), radius: 0) }))
    #expect(cast.rows.upperBound == plain.rows.upperBound + 30 && cast.columns == plain.columns)
  }

  @Test func `do not hide what their fonts lack`() throws {
    let families = Array(try MediaTools.fontFamilies(having: "歌").prefix(3))
    #expect(throws: DrawingError.missingGlyphs(fonts: ["DejaVu Sans"], characters: ["歌"], families: families)) {
      try drawn(vertical([run("a"), combined("歌")]) { $0.fonts = ["DejaVu Sans"] })
    }
  }
}
