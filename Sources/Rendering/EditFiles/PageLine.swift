internal import Drawing
internal import Formats

/// A line of a caption as it was broken: its bytes in the cue's text, and its own text on a page, where a newline follows it.
struct PageLine {
  /// The bytes in the cue's text, without spaces and newlines at their ends.
  let bytes: Range<Int>
  /// Whether the line is broken at a soft hyphen. A hyphen stands in place of that then.
  private let isHyphenated: Bool
  /// Whether its paragraph runs from right to left, and the line by itself; nil where nothing in it tells.
  private let (isRightToLeft, tellsRightToLeft): (Bool, Bool?)
  /// A mark that is not seen, by which the line runs as its paragraph does; empty where it does so without one.
  private var mark = ""

  /// - Parameters:
  ///   - lines: all lines of the cue.
  ///   - text: the bytes of the cue's text.
  init(_ lines: [CaptionMeasure.Line], _ index: Int, _ text: [UInt8]) {
    let line = lines[index]
    var (start, end) = (line.bytes.lowerBound, line.bytes.upperBound)
    // Between paragraphs there is a newline.
    let isWithinParagraph = index + 1 < lines.count && lines[index + 1].bytes.lowerBound == end
    while start < end, text[start] == 0x20 { start += 1 }
    isHyphenated = isWithinParagraph && Array(text[start..<end].suffix(Self.softHyphen.count)) == Self.softHyphen
    while end > start, text[end - 1] == 0x20 || text[end - 1] == 0x0a { end -= 1 }
    bytes = start..<end
    (isRightToLeft, tellsRightToLeft) = (line.isRightToLeft, String(decoding: text[bytes], as: UTF8.self).tellsRightToLeft)
  }

  private static let softHyphen = Array("\u{AD}".utf8)

  /// The lines of a page, each of which is a paragraph there and runs as it does in the cue.
  static func page(_ lines: [PageLine]) -> [PageLine] {
    // A paragraph that tells nothing runs as the one before it, and the first one from left to right.
    var before = false
    return lines.map { line in
      var line = line
      if line.isRightToLeft != line.tellsRightToLeft ?? before { line.mark = line.isRightToLeft ? "\u{200F}" : "\u{200E}" }
      before = line.isRightToLeft
      return line
    }
  }

  /// The number of bytes of the line's own text.
  var length: Int { mark.utf8.count + (isHyphenated ? bytes.count - Self.softHyphen.count + 1 : bytes.count) }

  /// The line's own text.
  ///
  /// - Parameter text: the bytes of the cue's text.
  func text(_ text: [UInt8]) -> String {
    let line = isHyphenated ? text[bytes].dropLast(Self.softHyphen.count) + [0x2d] : text[bytes]
    return mark + String(decoding: line, as: UTF8.self)
  }

  /// The bytes in the line's own text of a part of the cue's; nil where the line has nothing of it.
  func part(_ range: Range<Int>) -> Range<Int>? {
    let part = range.clamped(to: bytes)
    guard !part.isEmpty else { return nil }
    let hyphen = bytes.upperBound - Self.softHyphen.count
    // The hyphen is one byte.
    func place(_ byte: Int) -> Int {
      mark.utf8.count + (isHyphenated && byte > hyphen ? hyphen + 1 : byte) - bytes.lowerBound
    }
    return place(part.lowerBound)..<place(part.upperBound)
  }
}
