import Drawing
import Formats
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
