import Drawing
import Formats
import Media
import Scenes
import Testing
import Timeline

/// Tests of outlines, gradients, shadows, glows and boxes of texts.
@Suite struct `Letters`: DrawsRichText {
  let book = FontBook()

  private func outlined(_ position: TextContent.Outline.Position, _ width: Double = 4, ruby: Bool = false) throws -> Pixels {
    try drawn(
      text([run("HO", ruby: ruby ? "oo" : nil)], size: 80) {
        $0.outline = .init(color: Self.red, width: width, position: position)
      })
  }

  private func plain(ruby: Bool = false) throws -> Pixels { try drawn(text([run("HO", ruby: ruby ? "oo" : nil)], size: 80)) }

  @Test(arguments: [false, true]) func `are never covered by an outline outside`(ruby: Bool) throws {
    let (plain, outlined) = (try plain(ruby: ruby), try outlined(.outside, ruby: ruby))
    let (old, new) = (try bounds(plain), try bounds(outlined))
    #expect(abs(new.columns.count - old.columns.count - 8) <= 1 && abs(new.rows.count - old.rows.count - 8) <= 1)
    for y in old.rows {
      for x in old.columns where alpha(plain, x, y) == 255 { #expect(outlined.pixel(x, y) == plain.pixel(x, y)) }
    }
  }

  @Test(arguments: [false, true])
  func `keep their shape with an outline inside, and its colour is along their edge`(ruby: Bool) throws {
    let (plain, outlined) = (try plain(ruby: ruby), try outlined(.inside, 2, ruby: ruby))
    let (columns, rows) = try bounds(plain)
    #expect(try bounds(outlined) == (columns, rows))
    var (reds, whites) = (0, 0)
    for y in rows {
      for x in columns {
        #expect(abs(alpha(outlined, x, y) - alpha(plain, x, y)) <= 2)
        guard alpha(plain, x, y) == 255 else { continue }
        // The pixels that have only pixels of the letter around them are not reached by the line.
        let isInner = (-3...3).allSatisfy { dy in (-3...3).allSatisfy { alpha(plain, x + $0, y + dy) == 255 } }
        if isInner { #expect(outlined.pixel(x, y).green == 255) }
        if outlined.pixel(x, y).green == 0 { reds += 1 } else if outlined.pixel(x, y).green == 255 { whites += 1 }
      }
    }
    #expect(reds > 200 && whites > 200)
  }

  @Test func `have half of an outline in the middle on either side`() throws {
    let (plain, outlined) = (try bounds(plain()), try bounds(outlined(.center, 8)))
    #expect(abs(outlined.columns.count - plain.columns.count - 8) <= 1)
  }

  @Test func `have corners as the outline's joins are`() throws {
    func corner(_ join: ShapeContent.LineJoin) throws -> Int {
      let drawing = try drawn(text([run("H")], size: 80) { $0.outline = .init(color: Self.red, width: 10, join: join) })
      let bounds = try bounds(drawing)
      return alpha(drawing, bounds.columns.lowerBound + 1, bounds.rows.lowerBound + 1)
    }
    #expect(try corner(.miter) == 255 && corner(.round) == 0 && corner(.bevel) == 0)
  }

  @Test func `are filled by a gradient across their lines, but for runs with a colour`() throws {
    let drawing = try drawn(
      text([run("HI"), run("H") { $0.color = Self.red }], size: 100) {
        $0.gradient = GradientContent(
          .linear, stops: [.init(0, RGBAColor(0, 0, 0)), .init(1, RGBAColor(0, 1, 1))], start: Point(0.5, 0), end: Point(0.5, 1))
      })
    let bounds = try bounds(drawing)
    let x = bounds.columns.lowerBound + 4
    let greens = bounds.rows.filter { alpha(drawing, x, $0) == 255 }.map { Int(drawing.pixel(x, $0).green) }
    #expect(zip(greens, greens.dropFirst()).allSatisfy { $0 <= $1 })
    // A line of DejaVu Sans is 1.164 em high. Its capitals stand from 0.199 to 0.928 em below the top.
    let top = try #require(greens.first), bottom = try #require(greens.last)
    #expect(abs(top - 255 * 199 / 1164) <= 4 && abs(bottom - 255 * 928 / 1164) <= 4, "\(top) \(bottom)")
    #expect(drawing.pixel(bounds.columns.upperBound - 5, bounds.rows.lowerBound + 20).red == 255)
  }

  @Test func `cast a shadow of their own, also from beyond the picture`() throws {
    let frame = Rect(-200, 20, 300, 100)
    let drawing = try drawn("H", in: frame) {
      $0.shadow = LayerStyle.Shadow(color: Self.red, offset: Point(240, 60), radius: 3)
    }
    let plain = try drawn("H", in: Rect(40, 80, 300, 100))
    let (old, new) = (try bounds(plain), try bounds(drawing))
    #expect(abs(new.columns.lowerBound + new.columns.upperBound - old.columns.lowerBound - old.columns.upperBound) <= 2)
    #expect(new.columns.count > old.columns.count + 6 && new.columns.count <= old.columns.count + 20)
    #expect(drawing.pixel(old.columns.lowerBound + 3, old.rows.lowerBound + 14).green == 0)
  }

  @Test func `glow around them, the stronger the oftener it is laid`() throws {
    func light(_ strength: Int) throws -> Int {
      let drawing = try drawn("I") { $0.glow = .init(color: Self.red, radius: 5, strength: strength) }
      let letter = try bounds(drawn("I"))
      #expect(drawing.pixel(letter.columns.lowerBound + 2, letter.rows.lowerBound + 9).green == 255)
      return alpha(drawing, letter.columns.lowerBound - 6, letter.rows.lowerBound + 12)
    }
    let (one, four) = (try light(1), try light(4))
    #expect(one > 10 && four > one + 20)
  }

  @Test func `look the same on a layer that is turned and moved as on one that stands`() throws {
    let content = text([run("HI")]) {
      ($0.glow, $0.box) = (.init(radius: 4), .init(color: Self.red, padding: Point(6, 2), cornerRadius: 4))
    }
    let drawing = Scene.Drawing(.text(content, inLowerThird: false), size: Point(200, 80))
    let still = Scene.Still(drawing, map: .translation(40, 30), extent: .whole)
    let moved = Pixels(
      try PlacedPicture(still: still, in: Self.size, fonts: book) { asset throws(MediaError) in
        throw MediaError(.internal, at: "\(asset)", "no image was expected")
      })
    let stood = try drawn(content, in: Rect(40, 30, 200, 80))
    let (one, other) = (try bounds(moved), try bounds(stood))
    #expect(one == other)
    for y in one.rows { for x in one.columns { #expect(abs(alpha(moved, x, y) - alpha(stood, x, y)) <= 1) } }
  }

  @Test(arguments: TextContent.Box.Extent.allCases)
  func `have their small texts and marks before the box, too`(extent: TextContent.Box.Extent) throws {
    for side in [TextEmphasis.Side.over, .under] {
      func text(_ box: TextContent.Box?) -> TextContent {
        self.text([run("HHHH", ruby: "o")]) {
          ($0.box, $0.emphasis) = (box, TextEmphasis(.shape(.dot, isOpen: false), side: side))
        }
      }
      let plain = try bounds(drawn(text(nil)))
      let boxed = try drawn(text(.init(color: Self.red, extent: extent)))
      let found = try bounds(boxed)
      #expect(found.rows.lowerBound <= plain.rows.lowerBound && found.rows.upperBound >= plain.rows.upperBound)
      // The small text stands over the middle, and the box reaches as far at its sides.
      for y in [plain.rows.lowerBound, plain.rows.upperBound - 1] {
        #expect(alpha(boxed, found.columns.lowerBound + 1, y) == 255)
      }
    }
  }

  @Test func `stand before a box around the text or around each line`() throws {
    func box(_ extent: TextContent.Box.Extent) throws -> Pixels {
      try drawn("HHHH\nH", in: Rect(100, 50, 400, 200)) {
        $0.color = Self.red
        $0.box = .init(color: RGBAColor(0, 0, 1, alpha: 0.5), padding: Point(10, 20), extent: extent)
      }
    }
    let (whole, lines) = (try box(.text), try box(.lines))
    let (one, other) = (try bounds(whole), try bounds(lines))
    #expect(one == other && one.columns.lowerBound == 90 && one.rows.lowerBound == 30)
    // The second line is shorter. Its box ends earlier, and where both overlap nothing is painted twice.
    #expect(alpha(whole, one.columns.upperBound - 3, one.rows.upperBound - 3) == 128)
    #expect(alpha(lines, one.columns.upperBound - 3, one.rows.upperBound - 3) == 0)
    #expect(one.rows.dropFirst().dropLast().allSatisfy { alpha(lines, 93, $0) == 128 })
  }
}
