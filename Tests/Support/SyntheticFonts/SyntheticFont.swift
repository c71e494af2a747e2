/// A TrueType font that is made from a few numbers, so that tests need no font of somebody else's: each letter is a box. The tables are
/// those of the OpenType specification.
package struct SyntheticFont {
  package var family: String
  /// The height of each letter's box, in thousandths of an em. A space has none.
  package var letters: [Unicode.Scalar: Int]
  package var weight = 400
  /// Whether it has an axis of weight, 100...900, along which boxes grow by 200 above the usual 400.
  package var isVariable = false
  /// A letter whose outline says that it has more points than there are bytes.
  package var lie: Unicode.Scalar?

  /// The width of a letter, with 50 to the left and right of its box.
  private static let advance = 600

  /// - Parameter height: the height of all letters' boxes.
  package init(_ family: String, letters: String, height: Int) {
    self.family = family
    self.letters = Dictionary(letters.unicodeScalars.map { ($0, height) }) { first, _ in first }
  }

  /// The file.
  package var bytes: [UInt8] { Self.file(tables, at: 0) }

  /// The file without some of its tables.
  package func without(_ tags: String...) -> [UInt8] { Self.file(tables.filter { !tags.contains($0.tag) }, at: 0) }

  /// The file with a strike of bitmaps instead of its outlines. The strike is empty.
  package var dots: [UInt8] {
    let strike =
      Self.long(0x0002_0000) + Self.long(1) + Self.long(56) + Self.long(0) + Self.long(0) + Self.long(0)
      + [UInt8](repeating: 0, count: 24) + Self.shorts(0, letters.count) + [16, 16, 1, 1]
    let bitmaps = [("EBDT", Self.long(0x0002_0000)), ("EBLC", strike)].map { (tag: $0.0, bytes: $0.1) }
    return Self.file(bitmaps + tables.filter { !["glyf", "loca"].contains($0.tag) }, at: 0)
  }

  /// A collection of several fonts in one file.
  package static func collection(_ fonts: [SyntheticFont]) -> [UInt8] {
    var (offsets, files): ([Int], [UInt8]) = ([], [])
    let head = 12 + 4 * fonts.count
    for font in fonts {
      offsets.append(head + files.count)
      files += file(font.tables, at: head + files.count)
    }
    return Array("ttcf".utf8) + long(0x0001_0000) + long(fonts.count) + offsets.flatMap(long) + files
  }

  // MARK: - Tables

  private static func file(_ tables: [(tag: String, bytes: [UInt8])], at start: Int) -> [UInt8] {
    var directory = long(0x0001_0000) + short(tables.count) + short(0) + short(0) + short(0)
    var (data, place): ([UInt8], Int) = ([], start + 12 + 16 * tables.count)
    for (tag, bytes) in tables {
      let padded = bytes + [UInt8](repeating: 0, count: (4 - bytes.count % 4) % 4)
      directory += Array(tag.utf8) + long(0) + long(place) + long(bytes.count)
      data += padded
      place += padded.count
    }
    return directory + data
  }

  /// The letters in the order of their glyphs, which are counted from 1. Glyph 0 stands for those that are missing.
  private var order: [Unicode.Scalar] { letters.keys.sorted() }

  private var tables: [(tag: String, bytes: [UInt8])] {
    let glyphs = [[]] + order.map { $0 == " " ? [] : Self.box(letters[$0] ?? 0, isLie: $0 == lie) }
    let places = glyphs.reduce(into: [0]) { $0.append($0[$0.count - 1] + $1.count) }
    let count = glyphs.count
    var tables = [
      ("OS/2", metrics), ("cmap", characters), ("glyf", glyphs.flatMap(\.self)),
      (
        "head",
        Self.long(0x0001_0000) + Self.long(0x0001_0000) + Self.long(0) + Self.long(0x5f0f_3cf5) + Self.shorts(0, 1000)
          + [UInt8](repeating: 0, count: 16) + Self.shorts(0, 0, Self.advance, 1000, weight >= 700 ? 1 : 0, 8, 2, 1, 0)
      ),
      ("hhea", Self.long(0x0001_0000) + Self.shorts(800, -200, 0, Self.advance, 0, 0, 550, 1, 0, 0, 0, 0, 0, 0, 0, count)),
      ("hmtx", glyphs.flatMap { _ in Self.shorts(Self.advance, 50) }), ("loca", places.flatMap(Self.long)),
      ("maxp", Self.long(0x0001_0000) + Self.shorts(count, 4, 1, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0)), ("name", names),
      ("post", Self.long(0x0003_0000) + [UInt8](repeating: 0, count: 28)),
    ]
    if isVariable { tables += [("fvar", Self.axis), ("gvar", variations(glyphs))] }
    return tables.sorted { $0.0 < $1.0 }.map { (tag: $0.0, bytes: $0.1) }
  }

  private static func box(_ height: Int, isLie: Bool) -> [UInt8] {
    let (left, right) = (50, advance - 50)
    return shorts(1, left, 0, right, height, isLie ? 30_000 : 3, 0) + [1, 1, 1, 1] + shorts(left, 0, right - left, 0)
      + shorts(0, height, 0, -height)
  }

  private var metrics: [UInt8] {
    Self.shorts(4, Self.advance, weight, 5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 50, 300, 0) + [UInt8](repeating: 0, count: 26)
      + Array("test".utf8) + Self.shorts(weight >= 700 ? 0x20 : 0x40, 0x20, 0xffff, 800, -200, 0, 800, 200)
      + Self.long(1) + Self.long(0) + Self.shorts(500, 700, 0, 0x20, 1)
  }

  private var characters: [UInt8] {
    let groups = order.enumerated().flatMap { Self.long(Int($1.value)) + Self.long(Int($1.value)) + Self.long($0 + 1) }
    return Self.shorts(0, 1, 3, 10) + Self.long(12) + Self.shorts(12, 0) + Self.long(16 + groups.count) + Self.long(0)
      + Self.long(order.count) + groups
  }

  private var names: [UInt8] {
    let style = weight >= 700 ? "Bold" : "Regular"
    let texts = [(1, family), (2, style), (4, style == "Bold" ? "\(family) Bold" : family), (6, "Synthetic-\(style)")]
    var (records, strings): ([UInt8], [UInt8]) = ([], [])
    for (number, text) in texts {
      let letters = text.utf16.flatMap { Self.short(Int($0)) }
      records += Self.shorts(3, 1, 0x409, number, letters.count, strings.count)
      strings += letters
    }
    return Self.shorts(0, texts.count, 6 + records.count) + records + strings
  }

  // MARK: - Variations

  private static let axis =
    shorts(1, 0, 16, 2, 1, 20, 0, 8) + Array("wght".utf8) + [100, 400, 900].flatMap { long($0 << 16) } + shorts(0, 2)

  private func variations(_ glyphs: [[UInt8]]) -> [UInt8] {
    // The upper two points of a box move up; after its four points come four that stand for its metrics.
    let moves = [0, 0x87, 0x47].map { UInt8($0) } + Self.shorts(0, 200, 200, 0, 0, 0, 0, 0) + [0]
    let change = Self.shorts(1, 8, moves.count, 0x2000) + moves
    let data = glyphs.map { $0.isEmpty ? [] : change }
    let places = data.reduce(into: [0]) { $0.append($0[$0.count - 1] + $1.count) }
    let tuples = 20 + 4 * places.count
    return Self.shorts(1, 0, 1, 1) + Self.long(tuples) + Self.shorts(glyphs.count, 1) + Self.long(tuples + 2)
      + places.flatMap(Self.long)
      + Self.short(0x4000) + data.flatMap(\.self)
  }

  // MARK: - Numbers

  private static func short(_ value: Int) -> [UInt8] {
    let bits = UInt16(truncatingIfNeeded: value)
    return [UInt8(bits >> 8), UInt8(truncatingIfNeeded: bits)]
  }

  private static func shorts(_ values: Int...) -> [UInt8] { values.flatMap(short) }

  private static func long(_ value: Int) -> [UInt8] { short(value >> 16) + short(value) }
}
