import Drawing
import FarmTesting
import Formats
import SyntheticFonts
import Testing
import Timeline

/// Tests of how a text is broken into lines, cut and made smaller.
@Suite struct `Lines`: DrawsRichText {
  let book = FontBook()
  private let words = "HHH HH HHHH H HHH HH HHH HHHH HH HH H HHH HHHH HH"

  @Test(arguments: 1...4) func `are at most as many as asked for, and the last ends with an ellipsis`(count: Int) throws {
    let frame = Rect(20, 20, 260, 320)
    let cut = try drawn(words, in: frame) { $0.maxLines = count }
    #expect(try bands(drawn(words, in: frame)).count > 4)
    // The drawing is that of some beginning with an ellipsis, and the next longer one has a line more.
    let kept = try #require(
      try (1..<words.count).first { kept in
        guard words.dropLast(words.count - kept).last != " " else { return false }
        return try drawn(words.prefix(kept) + "…", in: frame) == cut
      })
    func lines(_ kept: Int) throws -> Int { try bands(drawn("\(words.prefix(kept))\u{2060}H", in: frame)).count }
    #expect(try bands(cut).last.map { $0.count } == bands(cut).first?.count)
    #expect(try lines(kept) == count && lines(kept + 4) == count + 1)
  }

  @Test func `are cut in the middle and at the start too, and not where all fits`() throws {
    let frame = Rect(20, 20, 200, 50)
    func cut(_ truncation: TextContent.Truncation) throws -> Pixels {
      try drawn("HHHHHHHHHHHHIIIIIIIIIIIIIIII", in: frame) { ($0.truncation, $0.maxLines) = (truncation, 1) }
    }
    func isOne(of candidates: [String], _ drawing: Pixels) throws -> Bool {
      try candidates.contains { try drawn($0, in: frame) == drawing }
    }
    let text = "HHHHHHHHHHHHIIIIIIIIIIIIIIII"
    #expect(try isOne(of: (1..<28).map { text.prefix($0) + "…" }, cut(.end)))
    #expect(try isOne(of: (1..<28).map { "…" + text.suffix($0) }, cut(.start)))
    #expect(try isOne(of: (1..<28).map { text.prefix($0 - $0 / 2) + "…" + text.suffix($0 / 2) }, cut(.middle)))
    #expect(try drawn("HI", in: frame) { ($0.truncation, $0.maxLines) = (.middle, 1) } == drawn("HI", in: frame))
  }

  @Test func `are cut where the frame ends, one at least being left`() throws {
    func lines(_ height: Double) throws -> Int {
      try bands(drawn(words, in: Rect(20, 20, 260, height)) { $0.truncation = .end }).count
    }
    // A line of DejaVu Sans is 1.164 em high: 46.6 pixels.
    #expect(try lines(10) == 1 && lines(92) == 1 && lines(94) == 2 && lines(140) == 3)
    #expect(throws: DrawingError.doesNotFitFrame(text: "HHH")) {
      try drawn("HHH", in: Rect(20, 20, 5, 100)) { $0.maxLines = 1 }
    }
  }

  @Test func `shrink until they fit, and no further than they may`() throws {
    let frame = Rect(100, 50, 200, 60)
    let small = try bounds(drawn(words, in: frame) { $0.minimumSize = 5 })
    #expect(small.columns.lowerBound >= 100 && small.columns.upperBound <= 300)
    #expect(small.rows.lowerBound >= 50 && small.rows.upperBound <= 110)
    // Capitals of 40 pixels per em are 29 pixels high; those of half the size 15.
    let one = try bands(drawn("HHHHHHHH", in: frame) { ($0.minimumSize, $0.maxLines) = (5, 1) })
    #expect(one.count == 1 && (17..<29).contains(one[0].count))
    #expect(try drawn("HI", in: frame) { $0.minimumSize = 5 } == drawn("HI", in: frame))
    #expect(throws: DrawingError.doesNotFitFrame(text: words)) { try drawn(words, in: frame) { $0.minimumSize = 30 } }
    let least = try bands(drawn(words, in: frame) { ($0.minimumSize, $0.truncation) = (20, .end) })
    #expect(least.count == 2 && abs(least[0].count - 15) <= 1)
  }

  @Test func `that are justified are all as wide as the frame, but for the last`() throws {
    let drawing = try drawn(words, in: Rect(20, 20, 300, 320)) { $0.alignment = .justify }
    let ends = try bands(drawing).map { try columns(drawing, in: $0) }
    #expect(ends.count > 3)
    for end in ends.dropLast() {
      #expect(abs(end.lowerBound - ends[0].lowerBound) <= 1 && abs(end.upperBound - ends[0].upperBound) <= 1)
    }
    #expect(ends[0].upperBound >= 312 && ends[0].upperBound <= 320)
    #expect(try #require(ends.last).upperBound < 300)
  }

  @Test func `are not broken where they must not be, and anywhere where they may`() throws {
    let frame = Rect(20, 20, 110, 300)
    #expect(try bands(drawn("HH HHH", in: frame) { $0.wrapping = .none }).count == 1)
    // Three letters and no more stand in a line, also where a word would have gone into the next one whole.
    let letters = try drawn("HHHIHHH HHH", in: frame) { $0.wrapping = .character }
    #expect(try bands(letters).count == bands(drawn("HHHIHHH HHH", in: frame)).count || bands(letters).count == 4)
    #expect(try columns(letters, in: bands(letters)[1]).count > 70)
  }

  @Test func `stand to the same sides of the frame without being broken`() throws {
    for (alignment, place) in [(TextContent.Alignment.left, 100), (.center, 200), (.right, 300)] {
      let drawing = try drawn("HHHH\nH", in: Rect(100, 20, 200, 300)) { ($0.wrapping, $0.alignment) = (.none, alignment) }
      let second = try columns(drawing, in: bands(drawing)[1])
      let found =
        switch alignment {
        case .left, .justify: second.lowerBound
        case .center: (second.lowerBound + second.upperBound) / 2
        case .right: second.upperBound
        }
      #expect(abs(found - place) <= 5, "\(alignment)")
    }
  }

  @Test func `have the height that is asked for, in pixels`() throws {
    for height in [36.0, 47, 80] {
      let bands = try bands(drawn("H\nH\nH") { $0.lineHeight = height })
      #expect(bands.count == 3 && abs(Double(bands[2].lowerBound - bands[0].lowerBound) - 2 * height) <= 1, "\(bands)")
    }
  }

  @Test func `have space between words, which comes to that between letters`() throws {
    func width(_ words: Double, _ letters: Double) throws -> Int {
      try bounds(drawn("HH HH HH") { ($0.wordSpacing, $0.letterSpacing) = (words, letters) }).columns.count
    }
    let plain = try width(0, 0)
    #expect(abs(try width(15, 0) - plain - 30) <= 1)
    #expect(abs(try width(15, 4) - plain - 30 - 28) <= 1)
  }

  @Test func `broken at a soft hyphen end with a hyphen, and all others do not show it`() throws {
    let narrow = Rect(20, 20, 130, 300)
    #expect(try drawn("HHH\u{AD}HHH", in: narrow) == drawn("HHH\u{2010}\nHHH", in: narrow))
    #expect(try drawn("HHH\u{AD}HHH") == drawn("HHHHHH"))
    // A line ends early enough for its hyphen to have room.
    let narrower = Rect(20, 20, 121, 300)
    #expect(try drawn("HH\u{AD}HH\u{AD}HH", in: narrower) == drawn("HH\u{2010}\nHHHH", in: narrower))
    // Runs and a word that is too wide for its line beside it change nothing.
    let runs = [run("HHH\u{AD}H") { $0.color = Self.red }, run("HHHHHHH") { $0.color = Self.red }]
    #expect(try bands(drawn(text(runs), in: narrow)).count == 3)
    #expect(try drawn(text(runs), in: narrow) == drawn("HHH\u{2010}\nHHHH\nHHHH", in: narrow) { $0.color = Self.red })
    // Pango alone, which has hyphens of its own.
    let alone = PangoAlone.ink(markup: "<span font='DejaVu Sans 40px'>HHH\u{AD}HHH</span>", width: 130)
    let bounds = try bounds(drawn("HHH\u{AD}HHH", in: narrow))
    #expect(abs(alone.width - Double(bounds.columns.count)) <= 2 && abs(alone.height - Double(bounds.rows.count)) <= 2)
  }

  @Test func `broken at a soft hyphen need a hyphen in their font`() throws {
    let folder = TemporaryDirectory()
    try SyntheticFont("Boxes", letters: "ab", height: 100).bytes.write(toFile: folder.file("boxes.ttf"))
    let book = FontBook(in: try InstalledFonts(folders: [folder.file("")]))
    // Letters are 60 wide.
    let content = text([run("ab\u{AD}ab")], size: 100) { $0.fonts = ["Boxes"] }
    func drawn(width: Double) throws {
      _ = try PlacedPicture(text: content, in: Rect(20, 20, width, 300), of: Self.size, fonts: book)
    }
    #expect(throws: DrawingError.missingGlyphs(fonts: ["Boxes"], characters: ["-"], families: [])) { try drawn(width: 150) }
    #expect(throws: Never.self) { try drawn(width: 300) }
  }

  @Test(arguments: ["abc שלום.", "שלום abc.", "1. abc", "שלום!", "(abc) 12", "abc\nשלום."])
  func `run as it is said, like with marks of direction`(string: String) throws {
    func marked(_ mark: String) -> String { string.split(separator: "\n").map { mark + $0 }.joined(separator: "\n") }
    #expect(try drawn(string) { $0.direction = .rightToLeft } == drawn(marked("\u{200F}")))
    #expect(try drawn(string) { $0.direction = .leftToRight } == drawn(marked("\u{200E}")))
    #expect(try drawn(string) { $0.direction = .automatic } == drawn(string))
  }

  @Test(arguments: [TextContent.Truncation.start, .middle, .end])
  func `that are cut run as the whole text does`(truncation: TextContent.Truncation) throws {
    func cut(_ string: String, _ direction: TextDirection) throws -> Pixels {
      try drawn(string, in: Rect(20, 20, 200, 50)) { ($0.truncation, $0.maxLines, $0.direction) = (truncation, 1, direction) }
    }
    let (hebrew, latin) = ("שלום לכם HHHH HHHH HHH.", "HHHH HHHH HHH שלום לכם.")
    #expect(try cut(hebrew, .automatic) == cut(hebrew, .rightToLeft) && cut(latin, .automatic) == cut(latin, .leftToRight))
    #expect(try cut(hebrew, .automatic) != cut(hebrew, .leftToRight))
  }

  @Test(arguments: TextDirection.allCases) func `stand to the same sides whichever way they run`(direction: TextDirection) throws
  {
    for string in ["HHHH HH", "שלום"] {
      for alignment in [TextContent.Alignment.left, .center, .right] {
        let columns = try bounds(drawn(string) { ($0.direction, $0.alignment) = (direction, alignment) }).columns
        switch alignment {
        case .left: #expect(columns.lowerBound < 30)
        case .right: #expect(columns.upperBound > 610)
        default: #expect(abs(columns.lowerBound + columns.upperBound - 640) <= 6)
        }
      }
    }
  }

  @Test func `go on at tabs`() throws {
    let drawing = try drawn("I\tI\nIII\tI") { $0.tabs = [120] }
    let bands = try bands(drawing)
    for band in bands {
      let last = try columns(drawing, in: band).upperBound
      #expect((140...152).contains(last), "\(last)")
    }
  }

  @Test func `that Pango cannot count are refused, and take no memory`() {
    let long = String(repeating: "M", count: 16_000)
    for alignment in TextContent.Alignment.allCases {
      #expect(throws: DrawingError.tooFar) {
        try drawn(long) { ($0.size, $0.wrapping, $0.alignment) = (4_096, .none, alignment) }
      }
    }
    #expect(throws: DrawingError.tooFar) { try drawn(long) { $0.size = 4_096 } }
    #expect(throws: Never.self) { try drawn(long) { ($0.size, $0.minimumSize, $0.truncation) = (4_096, 4, .end) } }
  }
}
