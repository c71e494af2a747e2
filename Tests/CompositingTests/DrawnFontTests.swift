import Drawing
import FarmTesting
import Formats
import Glibc
import Testing
import Timeline

/// Tests of the fonts that a text is drawn in: only those that it names, and of these only the files that its job names.
@Suite struct `Fonts` {
  private static let size = PixelSize(640, 360)
  private static let dejavu = "/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf"
  private static let bold = "/usr/share/fonts/truetype/dejavu/DejaVuSans-Bold.ttf"
  private static let gothic = "/usr/share/fonts/opentype/ipafont-gothic/ipagp.ttf"

  private let directory = TemporaryDirectory()

  /// A folder with copies of font files.
  private func folder(_ name: String, _ files: [String], change: (inout [UInt8]) -> Void = { _ in }) throws -> InstalledFonts {
    let folder = directory.file(name)
    try #require(unsafe mkdir(folder, 0o755) == 0)
    for file in files {
      var bytes = try [UInt8](contentsOf: file)
      change(&bytes)
      try bytes.write(toFile: "\(folder)/\(file.split(separator: "/").last ?? "")")
    }
    return try InstalledFonts(folders: [folder])
  }

  private func text(_ string: String, _ fonts: String..., language: String? = nil) -> TextContent {
    TextContent(string: string, fonts: fonts, language: language, size: 48)
  }

  private func drawn(_ text: TextContent, _ book: FontBook = FontBook()) throws -> Pixels {
    Pixels(try PlacedPicture(text: text, in: Rect(20, 20, 600, 300), of: Self.size, fonts: book))
  }

  @Test func `a character that the named font lacks is not taken from another, but told with the fonts that have it`() throws {
    let families = Array(try MediaTools.fontFamilies(having: "歌詞").prefix(3))
    #expect(!families.isEmpty)
    #expect(
      throws: DrawingError.missingGlyphs(fonts: ["DejaVu Sans"], characters: ["歌", "詞"], families: families)
    ) { try drawn(text("a歌詞歌", "DejaVu Sans")) }
    let error = DrawingError.missingGlyphs(fonts: ["A", "B"], characters: ["歌"], families: ["C"])
    #expect(
      error.description
        == "none of the fonts 'A', 'B' has '歌' (U+6B4C): put one that has it into the list of fonts, such as 'C'")
  }

  @Test func `each character is drawn in the first font of the list that has it`() throws {
    let (latin, han) = ("Aa", "歌詞")
    let (sans, gothic) = (try drawn(text(latin, "DejaVu Sans")), try drawn(text(latin, "IPAPGothic")))
    #expect(sans != gothic)
    #expect(try drawn(text(latin, "DejaVu Sans", "IPAPGothic")) == sans)
    #expect(try drawn(text(latin, "IPAPGothic", "DejaVu Sans")) == gothic)
    // Both lists find these characters in the same font.
    let alone = try drawn(text(han, "IPAPGothic"))
    #expect(try drawn(text(han, "DejaVu Sans", "IPAPGothic")) == alone)
    #expect(try drawn(text(han, "IPAPGothic", "DejaVu Sans")) == alone)
  }

  @Test func `each font of a list must be installed`() {
    #expect(throws: DrawingError.fontNotInstalled("No Such Font", near: nil)) {
      try drawn(text("a", "DejaVu Sans", "No Such Font"))
    }
    #expect(throws: DrawingError.fontNotInstalled("DejaVu Snas", near: "DejaVu Sans")) { try drawn(text("a", "DejaVu Snas")) }
    // A file is no family, though it is installed.
    #expect(throws: DrawingError.self) { try drawn(text("a", Self.dejavu)) }
  }

  @Test(arguments: [
    "a\u{200D}b", "a\u{200B}b\u{2060}c\u{FEFF}", "❤\u{FE0F}", "a\u{2028}b\u{2029}c\r\nd\te", "a\u{A0}b\u{2003}c\u{3000}d",
    "co\u{AD}op", "\u{202B}a\u{202C}\u{200E}", "e\u{301}", "😀",
  ])
  func `what nobody sees is not missed`(string: String) throws { _ = try drawn(text(string, "DejaVu Sans")) }

  @Test func `a sequence of emoji is drawn as its font has it, and what the font lacks of it is told`() {
    #expect(throws: DrawingError.missingGlyphs(fonts: ["DejaVu Sans"], characters: ["👨", "👧"], families: [])) {
      try drawn(text("👨\u{200D}👧", "DejaVu Sans"))
    }
  }

  @Test func `a language has its own forms of letters, where the font has them`() throws {
    // In Northern Sami this letter looks like a large n, elsewhere like an N with a hook.
    let usual = try drawn(text("Ŋ", "DejaVu Sans"))
    #expect(try drawn(text("Ŋ", "DejaVu Sans", language: "se")) != usual)
    #expect(try drawn(text("Ŋ", "DejaVu Sans", language: "en")) == usual)
  }

  @Test func `the very file that is named is used, and another one of the same family is not`() throws {
    // A font that is looked up by its name alone may give other pixels.
    let word = text("word", "DejaVu Sans")
    let (regular, onlyBold) = (try folder("regular", [Self.dejavu]), try folder("bold", [Self.bold]))
    let expected = try drawn(word, FontBook(in: regular))
    #expect(try drawn(word, FontBook(in: onlyBold)) != expected)

    let faces = try FontBook(in: regular).faces(of: [word])
    let face = try #require(faces.first)
    let byteCount = try [UInt8](contentsOf: Self.dejavu).count
    #expect(faces.count == 1 && face.name == "DejaVu Sans" && face.byteCount == Int64(byteCount))
    #expect(try drawn(word, FontBook(faces, in: regular)) == expected)
    #expect(throws: DrawingError.fontElsewhere(face)) { try drawn(word, FontBook(faces, in: onlyBold)) }
    // The file is found among others, under any name, by its content.
    #expect(try drawn(word, FontBook(faces)) == expected)
  }

  @Test func `a file of the same size and names, of which one byte differs, is another one`() throws {
    let word = text("word", "DejaVu Sans")
    let faces = try FontBook(in: try folder("whole", [Self.dejavu])).faces(of: [word])
    let changed = try folder("changed", [Self.dejavu]) { $0[$0.count / 2] ^= 1 }
    #expect(throws: Never.self) { try drawn(word, FontBook(in: changed)) }
    #expect(throws: DrawingError.fontElsewhere(try #require(faces.first))) { try drawn(word, FontBook(faces, in: changed)) }
  }

  @Test func `a file that is replaced while it is used is told`() throws {
    let (word, installed) = (text("word", "DejaVu Sans"), try folder("live", [Self.dejavu]))
    let book = FontBook(try FontBook(in: installed).faces(of: [word]), in: installed)
    _ = try drawn(word, book)
    // Packages are installed in this way: another file takes the name.
    let (path, other) = (directory.file("live/DejaVuSans.ttf"), directory.file("other"))
    try [UInt8](contentsOf: Self.bold).write(toFile: other)
    try #require(unsafe rename(other, path) == 0)
    #expect(throws: DrawingError.fontUnreadable(path, "changed while it was used")) { try drawn(word, book) }
  }

  @Test func `faces are named once for each family and weight, by the file's content`() throws {
    let book = FontBook()
    var heavy = text("a", "DejaVu Sans", "IPAPGothic")
    heavy.weight = 700
    let faces = try book.faces(of: [text("a", "DejaVu Sans"), text("b", "DejaVu Sans"), heavy])
    #expect(faces.map(\.name) == ["DejaVu Sans", "DejaVu Sans Bold", "IPAPGothic"])
    #expect(faces.map(\.weight) == [400, 700, 700])
    #expect(Set(faces.map(\.digest)).count == 3)
    // A face that is not bold is drawn in bold strokes for a bold text.
    var light = heavy
    light.weight = 400
    #expect(try drawn(light, FontBook(try FontBook().faces(of: [light]))) != drawn(heavy, FontBook(faces)))
  }

  @Test func `more fonts than a job may name are refused`() {
    let texts = (0...FontFace.mostOfEdit).map { number in
      var text = text("a", "DejaVu Sans")
      text.weight = 100 + number
      return text
    }
    #expect(throws: DrawingError.tooManyFonts(limit: FontFace.mostOfEdit)) { try FontBook().faces(of: texts) }
  }
}
