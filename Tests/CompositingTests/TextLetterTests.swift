import Drawing
import Formats
import Testing
import Timeline

/// Tests of how a laid out text is cut into letters, and drawn in parts.
@Suite struct `The letters of texts`: DrawsRichText {
  let book = FontBook()
  private static let frame = Rect(20, 20, 600, 320)

  private func drawing(_ string: String, fonts: [String] = ["DejaVu Sans"], _ change: (inout TextContent) -> Void = { _ in })
    throws
    -> LettersDrawing
  {
    var text = text([run(string)], change)
    text.fonts = fonts
    return try LettersDrawing(text, in: Self.frame, lowerThird: false, fonts: book)
  }

  /// The letters of a text, as the strings that they are.
  private func letters(_ string: String, fonts: [String] = ["DejaVu Sans"]) throws -> [String] {
    let bytes = Array(string.utf8)
    return try drawing(string, fonts: fonts).letters.letters.map { String(decoding: bytes[$0.bytes], as: UTF8.self) }
  }

  private func hasFont(_ family: String) -> Bool { (try? letters("a", fonts: [family])) != nil }

  @Test func `are what a reader counts, and what the font draws as one`() throws {
    #expect(try letters("ab c") == ["a", "b ", "c"])
    #expect(try letters("e\u{301}x") == ["e\u{301}", "x"])
    // DejaVu Sans has a ligature of these letters, and one of lam and alef.
    #expect(try letters("office") == ["o", "ffi", "c", "e"])
    #expect(try letters("\u{633}\u{644}\u{627}\u{645}") == ["\u{633}", "\u{644}\u{627}", "\u{645}"])
    #expect(try letters("一\n二", fonts: ["IPAPGothic"]) == ["一\n", "二"])
    // A soft hyphen goes with the letter before it, and so does the hyphen that is seen at the end of a line.
    #expect(try letters("ab\u{AD}c") == ["a", "b\u{AD}", "c"])
  }

  @Test func `of other scripts stay whole`() throws {
    if hasFont("Noto Sans Devanagari") {
      #expect(try letters("नमस्ते", fonts: ["Noto Sans", "Noto Sans Devanagari"]) == ["न", "म", "स्ते"])
    }
    if hasFont("Noto Color Emoji") {
      #expect(try letters("👩‍👩‍👧👍🏽a", fonts: ["DejaVu Sans", "Noto Color Emoji"]) == ["👩‍👩‍👧", "👍🏽", "a"])
    }
  }

  @Test func `have words by spaces, or where a line may be broken`() throws {
    func words(_ string: String, _ fonts: [String] = ["DejaVu Sans"]) throws -> [Int] {
      try drawing(string, fonts: fonts).letters.letters.map(\.word)
    }
    #expect(try words("one well-known") == [0, 0, 0] + [Int](repeating: 1, count: 10))
    #expect(try words("東京、雨。", ["IPAPGothic"]) == [0, 1, 1, 2, 2])
    let rightToLeft = try drawing("אב גד").letters.letters
    #expect(rightToLeft.map(\.isRightToLeft) == [true, true, true, true])
    #expect(zip(rightToLeft, rightToLeft.dropFirst()).allSatisfy { $1.frame.x < $0.frame.x })
    #expect(try drawing("a\nbc").letters.letters.map(\.line) == [0, 1, 1])
  }

  @Test(arguments: ["Wave Tofu AVA", "\u{645}\u{631}\u{62d}\u{628}\u{627}", "ab\nשלום"])
  func `drawn one by one are the whole text`(string: String) throws {
    let drawing = try drawing(string) { ($0.color, $0.isUnderlined) = (RGBAColor(1, 0.5, 0), true) }
    let whole = Pixels(try drawing.picture(of: nil, .letters, tints: [], blur: 0, .identity))
    let parts = try drawing.letters.letters.map {
      Pixels(try drawing.picture(of: $0.bytes, .letters, tints: [], blur: 0, .identity))
    }
    var (worst, total) = (0, 0)
    for y in 0..<Self.size.height {
      for x in 0..<Self.size.width {
        let (all, sum) = (alpha(whole, x, y), parts.reduce(0) { $0 + alpha($1, x, y) })
        let laid = 255 - parts.reduce(255) { $0 * (255 - alpha($1, x, y)) / 255 }
        total += all
        // Edges that touch cover a pixel together. Those of letters that are joined lie over each other.
        worst = max(worst, min(abs(all - min(sum, 255)), abs(all - laid)))
      }
    }
    #expect(total > 10_000 && worst <= 60, "differs by \(worst) of 255")
  }

  @Test func `are tinted, blurred and drawn in tiers`() throws {
    let drawing = try drawing("H") { text in
      text.color = RGBAColor(1, 0, 0)
      text.outline = TextContent.Outline(color: RGBAColor(0, 1, 0), width: 5)
      text.shadow = LayerStyle.Shadow(color: .black, offset: Point(30, 0), radius: 0)
    }
    #expect(drawing.tiers == [.shadow, .outline, .letters])
    func picture(_ tier: LettersDrawing.Tier, _ tints: [TextTint] = [], blur: Double = 0) throws -> Pixels {
      Pixels(try drawing.picture(of: 0..<1, tier, tints: tints, blur: blur, .identity))
    }
    let (letters, blue) = (try picture(.letters), try picture(.letters, [TextTint(RGBAColor(0, 0, 1), share: 0.5)]))
    let (x, y) = (26, 45)
    #expect(letters.pixel(x, y).red == 255 && blue.pixel(x, y).red == 128 && blue.pixel(x, y).blue == 128)
    #expect(try bounds(picture(.outline)).columns.lowerBound == bounds(letters).columns.lowerBound - 5)
    #expect(try bounds(picture(.shadow)).columns.lowerBound == bounds(letters).columns.lowerBound + 25)
    #expect(
      try picture(.whole)
        == Pixels(
          PlacedPicture(
            text: text([run("H")]) { text in
              (text.color, text.outline) = (RGBAColor(1, 0, 0), TextContent.Outline(color: RGBAColor(0, 1, 0), width: 5))
            }, in: Self.frame, of: Self.size, fonts: book)))
    let soft = try picture(.letters, blur: 4)
    #expect(try bounds(soft).columns.count > bounds(letters).columns.count + 12)
    // A blur moves light, and loses none of it.
    func sum(_ picture: Pixels) -> Int {
      (0..<120).reduce(0) { sum, y in (0..<120).reduce(sum) { $0 + alpha(picture, $1, y) } }
    }
    #expect(abs(sum(soft) - sum(letters)) * 50 < sum(letters))
  }
}
