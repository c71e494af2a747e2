import Drawing
import FarmTesting
import Formats
import FoundationEssentials
import SyntheticFonts
import Testing
import Timeline

/// Letters, words and lines against ICU's breaks, which `scripts/check-text` writes to the fixture. With `SPOOL_ICU_BREAKS` it is another file.
@Suite struct `Letters, words and lines beside ICU's` {
  private struct Case: Decodable {
    var text: String
    var language: String
    /// The bytes at which letters begin, and before which lines may be broken.
    var letters: [Int]
    var lines: [Int]
  }

  private let directory = TemporaryDirectory()
  private let book: FontBook

  /// All letters are boxes of one font, so that none is missing and none becomes one with another.
  private init() throws {
    let letters = try Self.cases().map(\.text).joined()
    try SyntheticFont("Boxes", letters: letters, height: 600).bytes.write(toFile: directory.file("boxes.ttf"))
    book = FontBook(in: try InstalledFonts(folders: [directory.path]))
  }

  private static func cases() throws -> [Case] {
    let own = "\(#filePath)".split(separator: "/").dropLast().map { "/" + $0 }.joined() + "/Fixtures/icu-breaks.json"
    let path = ProcessInfo.processInfo.environment["SPOOL_ICU_BREAKS"] ?? own
    return try JSONDecoder().decode([Case].self, from: Data(contentsOf: URL(filePath: path)))
  }

  private func content(_ item: Case) -> TextContent {
    var text = TextContent(string: item.text, fonts: ["Boxes"], size: 20)
    text.language = item.language
    return text
  }

  /// The place in the text, for a message: the parts before and after the byte.
  private static func place(_ byte: Int, in text: String) -> String {
    let bytes = Array(text.utf8)
    return "\(String(decoding: bytes[..<byte], as: UTF8.self))|\(String(decoding: bytes[byte...], as: UTF8.self))"
  }

  private static func isSpace(_ byte: Int, in text: String) -> Bool {
    text.unicodeScalars[text.utf8.index(text.startIndex, offsetBy: byte)].properties.isWhitespace
  }

  private func letters(_ item: Case) throws -> [TextLetters.Letter] {
    try LettersDrawing(content(item), in: Rect(0, 0, 4000, 400), lowerThird: false, fonts: book).letters.letters
  }

  private static func scalars(around byte: Int, in text: String) -> (before: Unicode.Scalar, after: Unicode.Scalar) {
    let scalars = text.unicodeScalars
    let index = text.utf8.index(text.startIndex, offsetBy: byte)
    return (scalars[scalars.index(before: index)], scalars[index])
  }

  /// ICU takes the consonants of an Indic conjunct for one letter. For Pango they are two; a font that draws them as one makes them one again.
  /// A soft hyphen, which ICU takes for a letter of its own, comes with the letter before it.
  @Test func `letters are the same, but for conjuncts and soft hyphens`() throws {
    var differences: [String] = []
    let cases = try Self.cases()
    for item in cases {
      let ours = Set(try letters(item).map(\.bytes.lowerBound)).subtracting([0])
      let theirs = Set(item.letters.filter { !Self.isSpace($0, in: item.text) })
      let other = ours.symmetricDifference(theirs).filter {
        let (before, after) = Self.scalars(around: $0, in: item.text)
        return ours.contains($0) ? before != "\u{94d}" : after != "\u{ad}"
      }
      differences += other.sorted().map {
        "\(ours.contains($0) ? "ours" : "ICU") \(item.language): \(Self.place($0, in: item.text))"
      }
    }
    #expect(cases.count > 400)
    #expect(differences.isEmpty, "\(differences.count):\n\(differences.joined(separator: "\n"))")
  }

  /// Three kinds are known. ICU breaks Japanese before small kana and the sign of a long vowel, and Chinese beside quotation marks, as
  /// its locales say; Pango is strict. Pango parts Thai words from what stands beside them without a space; ICU keeps signs with them.
  private static func isKnown(_ byte: Int, isOurs: Bool, _ item: Case) -> Bool {
    let (before, after) = scalars(around: byte, in: item.text)
    func isThai(_ scalar: Unicode.Scalar) -> Bool { 0x0e00...0x0e7f ~= scalar.value }
    if isOurs { return isThai(before) != isThai(after) }
    let small = "ぁぃぅぇぉっゃゅょゎァィゥェォッャュョヮー".unicodeScalars
    if item.language == "ja" { return small.contains(after) }
    return item.language.hasPrefix("zh") && !Set("“”".unicodeScalars).isDisjoint(with: [before, after])
  }

  @Test func `words begin where lines may be broken in scripts without spaces, but for known kinds`() throws {
    var differences: [String] = []
    for item in try Self.cases() {
      let letters = try letters(item)
      for (before, letter) in zip(letters, letters.dropFirst()) {
        let byte = letter.bytes.lowerBound
        let mayBreak = item.lines.contains(byte) && Self.isBesideScriptWithoutSpaces(byte, in: item.text)
        let isNew = Self.isSpace(byte - 1, in: item.text) || mayBreak
        let isOurs = letter.word != before.word
        if isNew != isOurs, !Self.isKnown(byte, isOurs: isOurs, item) {
          differences.append("\(isNew ? "ICU" : "ours") \(item.language): \(Self.place(byte, in: item.text))")
        }
      }
    }
    #expect(differences.isEmpty, "\(differences.count):\n\(differences.joined(separator: "\n"))")
  }

  private static func isBesideScriptWithoutSpaces(_ byte: Int, in text: String) -> Bool {
    let (before, after) = scalars(around: byte, in: text)
    return [before, after].contains { scalar in
      switch scalar.value {
      case 0x0e00...0x0eff, 0x2e80...0x312f, 0x3190...0x9fff, 0xf900...0xfaff, 0xfe30...0xfe4f, 0xff00...0xff9f: true
      default: false
      }
    }
  }

  @Test func `lines are broken where they may be`() throws {
    var differences: Set<String> = []
    var count = 0
    for item in try Self.cases() {
      // Letters are 12 pixels wide. In narrower lines many words are too wide, and broken anywhere.
      for width in stride(from: 160.0, to: 480, by: 20) {
        let lines = try CaptionMeasure.lines(of: content(item), width: width, fonts: book)
        for (line, next) in zip(lines.map(\.bytes), lines.dropFirst().map(\.bytes)) {
          count += 1
          guard !item.lines.contains(next.lowerBound) else { continue }
          // A word that is wider than the line is broken anywhere.
          guard item.lines.contains(where: { line.lowerBound < $0 && $0 <= line.upperBound }) else { continue }
          differences.insert("ours \(item.language): \(Self.place(next.lowerBound, in: item.text))")
        }
      }
    }
    #expect(count > 300)
    #expect(differences.isEmpty, "\(differences.count) of \(count):\n\(differences.sorted().joined(separator: "\n"))")
  }
}
