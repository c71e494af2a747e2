import Drawing
import FarmTesting
import Formats
import Glibc
import Testing
import Timeline

/// Tests of texts with runs: their fonts, styles, ruby and languages.
@Suite struct `Runs`: DrawsRichText {
  let book = FontBook()

  /// A change of a run, as Pango's markup states it and as Spool does.
  private static let changes: [(attribute: String, style: TextContent.Style)] = [
    (#"weight="bold""#, style { $0.weight = 700 }), (#"size="80pt""#, style { $0.size = 80 }),
    (#"font_family="IPAPGothic""#, style { $0.fonts = ["IPAPGothic"] }),
    (#"letter_spacing="5120""#, style { $0.letterSpacing = 5 }), (#"rise="20480""#, style { $0.baselineOffset = 20 }),
    (#"font_features="kern=0""#, style { $0.features = ["kern": 0] }),
  ]

  private static func style(_ change: (inout TextContent.Style) -> Void) -> TextContent.Style {
    var style = TextContent.Style()
    change(&style)
    return style
  }

  @Test(arguments: Self.changes.indices) func `take the place that Pango alone gives them`(index: Int) throws {
    let (attribute, style) = Self.changes[index]
    let markup = #"<span font_family="DejaVu Sans" size="40pt">HAVE <span \#(attribute)>HOPE</span></span>"#
    let expected = PangoAlone.ink(markup: markup)
    let drawing = try bounds(drawn(text([run("HAVE "), TextContent.Run("HOPE", style)])))
    #expect(abs(Double(drawing.columns.count) - expected.width) < 2.5, "\(expected)")
    #expect(abs(Double(drawing.rows.count) - expected.height) < 2.5, "\(expected)")
  }

  @Test func `have colours of their own, and are otherwise drawn as one text`() throws {
    let whole = try drawn("HHHH")
    let parts = try drawn(text([run("HH"), run("HH") { $0.color = Self.red }]))
    let bounds = try bounds(whole)
    #expect(try bounds == self.bounds(parts))
    let middle = (bounds.columns.lowerBound + bounds.columns.upperBound) / 2
    for y in bounds.rows {
      for x in bounds.columns where parts.pixel(x, y).alpha == 255 {
        #expect(parts.pixel(x, y).green == (x < middle ? 255 : 0))
      }
    }
  }

  @Test func `are broken into lines together, in any script`() throws {
    // Hebrew and Arabic stand from right to left beside Latin letters, and kana take their own font.
    let mixed = text([run("Shalom "), run("שלום ") { $0.language = "he" }, run("مرحبا ") { $0.color = Self.red }, run("かな")]) {
      $0.fonts = ["DejaVu Sans", "IPAPGothic"]
    }
    #expect(try bands(drawn(mixed)).count == 1)
    #expect(try bands(drawn(mixed, in: Rect(20, 20, 190, 300))).count >= 2)
  }

  @Test func `do not borrow letters from the fonts of other runs`() throws {
    let (song, ka) = (try MediaTools.fontFamilies(having: "歌"), try MediaTools.fontFamilies(having: "か"))
    #expect(throws: DrawingError.missingGlyphs(fonts: ["DejaVu Sans"], characters: ["歌"], families: Array(song.prefix(3)))) {
      try drawn(text([run("a歌"), run("詞") { $0.fonts = ["IPAPGothic"] }]))
    }
    #expect(throws: DrawingError.missingGlyphs(fonts: ["DejaVu Sans"], characters: ["か"], families: Array(ka.prefix(3)))) {
      try drawn(text([run("a", ruby: "か"), run("詞") { $0.fonts = ["IPAPGothic"] }]))
    }
  }

  @Test func `name a face for each family, weight, slant and width that they ask for`() throws {
    let mixed = text([
      run("a"), run("b") { $0.weight = 700 }, run("c") { $0.slant = .italic },
      run("d") { $0.fonts = ["IPAPGothic"] }, run("e") { $0.weight = 700 },
    ])
    let faces = try book.faces(of: [mixed])
    #expect(faces.map(\.family) == ["DejaVu Sans", "DejaVu Sans", "DejaVu Sans", "IPAPGothic"])
    #expect(faces.map(\.weight) == [400, 700, 400, 400] && faces.map(\.variant) == [nil, nil, "italic", nil])
    // A job that names these faces draws the same.
    let named = Pixels(try PlacedPicture(text: mixed, in: Rect(20, 20, 600, 320), of: Self.size, fonts: FontBook(faces)))
    #expect(try named == drawn(mixed))
    #expect(throws: DrawingError.fontNotNamed("IPAPGothic")) {
      try PlacedPicture(text: mixed, in: Rect(20, 20, 600, 320), of: Self.size, fonts: FontBook(Array(faces.dropLast())))
    }
  }

  @Test func `are slanted where their font has no slanted face`() throws {
    func slope(_ drawing: Pixels) throws -> Int {
      let (_, rows) = try bounds(drawing)
      let (upper, lower) = (rows.lowerBound..<rows.lowerBound + 4, rows.upperBound - 4..<rows.upperBound)
      return try columns(drawing, in: upper).lowerBound - columns(drawing, in: lower).lowerBound
    }
    for font in ["DejaVu Sans", "IPAPGothic"] {
      let upright = try slope(drawn("l") { $0.fonts = [font] })
      let slanted = try slope(drawn("l") { ($0.fonts, $0.slant) = ([font], .italic) })
      #expect(slanted >= upright + 3, "\(font)")
    }
  }

  @Test func `set axes of variable fonts alone`() {
    #expect(throws: DrawingError.notVariable(font: "DejaVu Sans")) { try drawn("a") { $0.axes = ["wght": 500] } }
  }

  @Test func `are underlined and struck through, and no place is painted twice`() throws {
    func half(_ text: inout TextContent) { text.color = RGBAColor(1, 1, 1, alpha: 0.5) }
    let plain = try drawn("gAg", half)
    let lined = try drawn("gAg") { text in
      half(&text)
      (text.isUnderlined, text.isStruckThrough) = (true, true)
    }
    let (old, new) = (try bounds(plain), try bounds(lined))
    #expect(new.columns.count >= old.columns.count)
    var rows: [Int] = []
    for y in new.rows {
      for x in new.columns { #expect(128 >= alpha(lined, x, y) && alpha(lined, x, y) >= alpha(plain, x, y) - 1) }
      // A line reaches through the gap between the letters too.
      if new.columns.dropFirst(2).dropLast(2).allSatisfy({ alpha(lined, $0, y) > 100 }) { rows.append(y) }
    }
    #expect(rows.count >= 2 && rows.last.map { $0 - rows[0] } ?? 0 > 5, "\(rows)")
  }

  @Test func `with a language have that language's forms`() throws {
    let usual = try drawn(text([run("Ŋ"), run("Ŋ")]))
    let sami = try drawn(text([run("Ŋ"), run("Ŋ") { $0.language = "se" }]))
    #expect(try usual != sami && usual == drawn(text([run("Ŋ"), run("Ŋ") { $0.language = "en" }])))
  }

  // MARK: - Ruby

  @Test(arguments: [("HHHH", "oo"), ("H", "oooooo"), ("HH", "o")])
  func `with ruby have it centred over them`(base: String, ruby: String) throws {
    let drawing = try drawn(text([run("I"), run(base, ruby: ruby), run("I")]), in: Rect(20, 20, 600, 300))
    let bands = try bands(drawing)
    #expect(bands.count == 2)
    let (above, all) = (try columns(drawing, in: bands[0]), try columns(drawing, in: bands[1]))
    // The text is the same read from either side, so its middle is the base's.
    #expect(abs(above.lowerBound + above.upperBound - all.lowerBound - all.upperBound) <= 2, "\(above) \(all)")
    // The letters beside the base stand aside of a ruby that is wider than it.
    #expect(all.lowerBound < above.lowerBound && all.upperBound > above.upperBound)
    // It is half as high as a small letter of the base's size.
    let letter = try bounds(drawn("o")).rows.count
    #expect(abs(bands[0].count * 2 - letter) <= 2)
  }

  @Test func `with ruby make room above their own line only`() throws {
    func rows(_ ruby: String?) throws -> [Range<Int>] {
      try bands(drawn(text([run("HH\nHH\n"), run("HH", ruby: ruby), run("\nHH")], size: 20)))
    }
    let (without, with) = (try rows(nil), try rows("oo"))
    #expect(without.count == 4 && with.count == 5)
    #expect(with[0] == without[0] && with[1] == without[1])
    let room = with[3].lowerBound - without[2].lowerBound
    #expect((8...16).contains(room) && with[4].lowerBound - without[3].lowerBound == room)
  }

  @Test func `with ruby are not broken, and refused where they are wider than a line`() throws {
    let words = text([run("HHHH "), run("HH HH", ruby: "o")])
    #expect(try bands(drawn(words, in: Rect(20, 20, 260, 300))).count == 3)
    #expect(throws: DrawingError.rubyBroken(base: "HH HH")) { try drawn(words, in: Rect(20, 20, 100, 300)) }
  }

  // MARK: - Harm

  @Test func `with overrides of direction are drawn as they say, and no other way`() throws {
    #expect(try drawn("\u{202E}HAL\u{202C}") == drawn("LAH"))
    let deep = String(repeating: "\u{202E}\u{2067}\u{202A}", count: 1_000) + "HAL"
    #expect(try bands(drawn(deep)).count == 1)
    // An override ends with its paragraph.
    #expect(try drawn("\u{202E}HAL\nHAL") == drawn("LAH\nHAL"))
  }

  @Test func `are as many as a document may have`() throws {
    let many = (0..<1_000).map { index in
      run(index.isMultiple(of: 2) ? "ab " : "c ") { $0.weight = index.isMultiple(of: 3) ? 700 : 400 }
    }
    #expect(try bands(drawn(text(many, size: 8))).count > 5)
  }

  private static let emoji = "/usr/share/fonts/truetype/noto/NotoColorEmoji.ttf"

  @Test(.enabled(if: unsafe access(Self.emoji, R_OK) == 0, "Noto Color Emoji is not installed"))
  func `of colour emoji are drawn in colour and in their size`() throws {
    let drawing = try drawn("😀") { $0.fonts = ["DejaVu Sans", "Noto Color Emoji"] }
    let bounds = try bounds(drawing)
    #expect((36...52).contains(bounds.columns.count) && (36...52).contains(bounds.rows.count))
    let middle = drawing.pixel(
      (bounds.columns.lowerBound + bounds.columns.upperBound) / 2, bounds.rows.lowerBound + bounds.rows.count / 4)
    #expect(middle.red > 200 && middle.blue < 120)
  }
}
