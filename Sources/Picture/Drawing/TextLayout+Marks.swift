import Formats
import Timeline

// Marks that emphasize letters, each beside the middle of its letter.
extension TextLayout {
  /// Lays the marks of all runs beside their letters, in half the size of these. A line gets room for them. Those of letters that have a ruby
  /// at the same side stand beyond it.
  func layMarks(_ text: TextContent, scale: Double) throws(DrawingError) {
    var layouts: [Int: TextLayout] = [:]
    for (index, span) in spans.enumerated() {
      guard let emphasis = span.emphasis else { continue }
      layouts[index] = try TextLayout(text.inset(of: index, .mark(emphasis)), fonts, scale: scale / 2, width: 1_000_000)
    }
    var (above, below) = ([Double](repeating: 0, count: lines.count), [Double](repeating: 0, count: lines.count))
    var marks: [Inset] = []
    let tails = combinedTails
    for index in pieceIndices {
      let (span, line) = unsafe (pieces[index].span, pieces[index].line)
      guard let small = layouts[span], let emphasis = spans[span].emphasis else { continue }
      let ruby = insets.filter { $0.byte == start(of: span) && $0.line == line }.map(\.frame.y).min()
      for (byte, letter) in markedLetters(of: index, without: tails) {
        let (length, depth) = small.flow
        let y = emphasis.side == .over ? min(ruby ?? letter.y, letter.y) - depth : letter.maxY
        let mark = Rect(letter.x + (letter.width - length) / 2, y, length, depth)
        above[line] = max(above[line], lines[line].frame.y - lines[line].above - mark.y)
        below[line] = max(below[line], mark.maxY - lines[line].frame.maxY - lines[line].below)
        marks.append(Inset(layout: small, byte: byte, line: line, frame: mark))
      }
    }
    insets += marks
    part(above: above, below: below)
  }

  /// The letters of a piece that have marks, each with its first byte. What the font draws as one stands in equal parts.
  ///
  /// - Parameter tails: the bytes that have none, because others before them have theirs.
  private func markedLetters(of index: Int, without tails: Set<Int>) -> [(byte: Int, frame: Rect)] {
    var frames: [Int: Rect] = [:]
    for (byte, frame) in clusters(of: index) { frames[byte] = frames[byte].map { Rect(around: [$0, frame]) } ?? frame }
    let starts = frames.keys.sorted()
    let end = bytes(of: index).upperBound
    return starts.enumerated().flatMap { number, start -> [(byte: Int, frame: Rect)] in
      let end = number + 1 < starts.count ? starts[number + 1] : end
      guard let frame = frames[start], !tails.contains(start), start < end else { return [] }
      let letters = string(start..<end)
      let width = frame.width / Double(max(letters.count, 1))
      return letters.enumerated().filter { $1.isEmphasized }.map { place, _ in
        (start, Rect(frame.x + Double(place) * width, frame.y, width, frame.height))
      }
    }
  }
}

extension Character {
  /// Whether the character may have a mark: spaces, controls, punctuation and what parts words have none (CSS Text Decoration 4).
  fileprivate var isEmphasized: Bool {
    guard let scalar = unicodeScalars.first else { return false }
    switch scalar.properties.generalCategory {
    case .spaceSeparator, .lineSeparator, .paragraphSeparator, .control, .format, .unassigned: return false
    case .connectorPunctuation, .dashPunctuation, .openPunctuation, .closePunctuation, .initialPunctuation, .finalPunctuation,
      .otherPunctuation:
      return Self.emphasizedPunctuation.contains(scalar)
    default: return true
    }
  }

  /// Punctuation that stands for a word, such as § and &, in all its forms.
  private static let emphasizedPunctuation: Set<Unicode.Scalar> = [
    "#", "%", "&", "@", "\u{a7}", "\u{b6}", "\u{609}", "\u{60a}", "\u{66a}", "\u{2030}", "\u{2031}", "\u{204a}", "\u{204b}",
    "\u{2053}", "\u{303d}", "\u{fe5f}", "\u{fe60}", "\u{fe6a}", "\u{fe6b}", "\u{ff03}", "\u{ff05}", "\u{ff06}", "\u{ff20}",
  ]
}
