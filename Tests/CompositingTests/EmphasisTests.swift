import Drawing
import FarmTesting
import Formats
import Glibc
import SyntheticFonts
import Testing
import Timeline

/// Tests of the marks beside letters.
@Suite struct `Marks of emphasis`: DrawsRichText {
  /// A font whose letters are boxes, 500 wide and 100 high in a room of 600, from the baseline up. Its ascent is 800, its descent 200.
  let book: FontBook
  private let folder = TemporaryDirectory()

  init() throws {
    try SyntheticFont("Boxes", letters: "ab国、 •◦﹅x", height: 100).bytes.write(toFile: folder.file("boxes.ttf"))
    book = FontBook(in: try InstalledFonts(folders: [folder.file("")]))
  }

  private func content(_ runs: [TextContent.Run], _ emphasis: TextEmphasis, _ mode: WritingMode = .horizontal) -> TextContent {
    text(runs) { ($0.fonts, $0.size, $0.emphasis, $0.writingMode) = (["Boxes"], 100, emphasis, mode) }
  }

  private static let dot = TextEmphasis(.shape(.dot, isOpen: false))

  @Test func `stand over the middle of their letters, and move the lines down`() throws {
    let plain = try drawn(content([run("a\na")], TextEmphasis(.none)))
    #expect(try bands(plain) == [90..<100, 190..<200])
    // A mark is half as large. Its line is 50 high, with its baseline at 40.
    let marked = try drawn(content([run("a\na")], Self.dot))
    #expect(try bands(marked) == [55..<60, 140..<150, 205..<210, 290..<300])
    // The letter's room is from 20 to 80.
    #expect((alpha(marked, 36, 57), alpha(marked, 39, 57), alpha(marked, 61, 57), alpha(marked, 64, 57)) == (0, 255, 255, 0))
  }

  @Test func `stand under their letters where the text says so`() throws {
    let marked = try drawn(content([run("a\na")], TextEmphasis(.shape(.dot, isOpen: false), side: .under)))
    #expect(try bands(marked) == [90..<100, 155..<160, 240..<250, 305..<310])
  }

  @Test(arguments: [(WritingMode.verticalRightToLeft, 595.0, 520.0), (.verticalLeftToRight, 145, 70)])
  func `stand at the right of vertical lines`(mode: WritingMode, mark: Double, letter: Double) throws {
    let marked = try drawn(content([run("国")], Self.dot, mode))
    let (columns, rows) = try bounds(marked)
    // The letter is 50 wide about the middle of its line of 100, and the mark 25 about that of its own of 50.
    #expect(columns == Int(letter) - 25..<Int((mark + 12.5).rounded(.up)) && rows == 80..<100)
    #expect(alpha(marked, Int(mark), 82) == 255 && alpha(marked, Int(letter), 82) == 0 && alpha(marked, Int(letter), 95) == 255)
  }

  @Test func `are left out of spaces and punctuation, and of runs that have none`() throws {
    func marks(_ runs: [TextContent.Run]) throws -> Int {
      let drawing = try drawn(content(runs, Self.dot))
      return (20..<600).filter { alpha(drawing, $0, 57) > 128 && alpha(drawing, $0 - 1, 57) <= 128 }.count
    }
    #expect(try marks([run("ab")]) == 2 && marks([run("a 国、b")]) == 3)
    #expect(try marks([run("a"), run("b") { $0.emphasis = TextEmphasis(.none) }, run("a")]) == 2)
  }

  @Test func `have colours and characters of their own`() throws {
    let red = try drawn(content([run("a")], TextEmphasis(.character("x"), color: Self.red)))
    let (mark, letter) = (red.pixel(50, 57), red.pixel(50, 145))
    #expect(mark.red == 255 && mark.green == 0 && letter.green == 255)
  }

  @Test func `that a font lacks are an error that names them`() throws {
    #expect(throws: DrawingError.self) { try drawn(content([run("a")], TextEmphasis(.character("y")))) }
  }

  @Test func `stand above ruby`() throws {
    let marked = try drawn(content([run("a", ruby: "b")], Self.dot))
    #expect(try bands(marked) == [55..<60, 105..<110, 190..<200])
  }

  @Test func `go with their letters`() throws {
    let letters = try LettersDrawing(content([run("ab")], Self.dot), in: Rect(20, 20, 600, 320), lowerThird: false, fonts: book)
    let one = Pixels(try letters.picture(of: 1..<2, .letters, tints: [], blur: 0, .identity))
    #expect(try bounds(one).columns.lowerBound >= 80 && bands(one) == [55..<60, 140..<150])
  }
}
