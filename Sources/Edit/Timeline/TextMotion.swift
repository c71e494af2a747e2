package import Formats
package import MediaTime

/// The motion of a text's parts while it is shown: how it comes, goes, moves in between, and which words are marked when.
package struct TextMotion: Hashable, Sendable, Encodable {
  package var entrance: TextAnimation?
  package var exit: TextAnimation?
  /// The animation that is repeated while the text is shown.
  package var loop: TextAnimation?
  package var mark: Mark?

  /// The marks of words at their times.
  package struct Mark: Hashable, Sendable, Encodable {
    package struct Word: Hashable, Sendable, Encodable {
      /// The word's bytes in the text, in UTF-8.
      package let bytes: Range<Int>
      package let range: MediaTimeRange

      package init(_ bytes: Range<Int>, _ range: MediaTimeRange) { (self.bytes, self.range) = (bytes, range) }
    }

    package var highlight: CaptionTrack.Highlight
    /// The words in the order of the text.
    package var words: [Word]

    package init(_ highlight: CaptionTrack.Highlight, _ words: [Word]) { (self.highlight, self.words) = (highlight, words) }
  }

  package init(
    entrance: TextAnimation? = nil, exit: TextAnimation? = nil, loop: TextAnimation? = nil, mark: Mark? = nil
  ) {
    (self.entrance, self.exit, self.loop, self.mark) = (entrance, exit, loop, mark)
  }

  /// The animations, each with the key that documents have for it.
  package var animations: [(key: String, animation: TextAnimation)] {
    [("in", entrance), ("out", exit), ("loop", loop)].compactMap { key, animation in animation.map { (key, $0) } }
  }

  /// The smallest of the units that move.
  package var finestUnit: TextAnimation.Unit {
    let units = (animations.map(\.animation) + [mark?.highlight.animation].compactMap(\.self)).map(\.unit)
    return TextAnimation.Unit.allCases.first { units.contains($0) } ?? .text
  }

  /// Whether a text surely rests at a moment, however many units it has. What is not sure is found out by laying the text out.
  ///
  /// - Parameter most: a number that its units do not exceed.
  package func rests(at time: MediaTime, in range: MediaTimeRange, most: Int) throws(TimeError) -> Bool {
    guard loop == nil, mark == nil else { return false }
    let (elapsed, rest) = try (Rational(time) - Rational(range.start), Rational(range.end) - Rational(time))
    if let entrance, try elapsed < entrance.length(of: most) { return false }
    if let exit, try rest <= exit.length(of: most) { return false }
    return true
  }
}

/// The letters of a text that was laid out, in the order of reading, with their places.
package struct TextLetters: Hashable, Sendable {
  package struct Letter: Hashable, Sendable {
    /// The letter's bytes in the text, with those of spaces after it.
    package let bytes: Range<Int>
    /// The rectangle of its advance and its line's height, in the layer's pixels.
    package let frame: Rect
    /// The numbers of its word and its line, without gaps from zero.
    package let word: Int
    package let line: Int
    package let isRightToLeft: Bool

    package init(bytes: Range<Int>, frame: Rect, word: Int, line: Int, isRightToLeft: Bool = false) {
      (self.bytes, self.frame, self.word, self.line, self.isRightToLeft) = (bytes, frame, word, line, isRightToLeft)
    }
  }

  package let letters: [Letter]
  /// The frames of the lines that have letters.
  package let lines: [Rect]
  /// Whether the lines run from the top down.
  package let isVertical: Bool

  package init(_ letters: [Letter], lines: [Rect], isVertical: Bool = false) {
    (self.letters, self.lines, self.isVertical) = (letters, lines, isVertical)
  }

  /// The number of the unit that a letter belongs to.
  func unit(_ kind: TextAnimation.Unit, of index: Int) -> Int {
    switch kind {
    case .grapheme: index
    case .word: letters[index].word
    case .line: letters[index].line
    case .text: 0
    }
  }

  /// The frames of all units of a kind.
  func units(_ kind: TextAnimation.Unit) -> [Rect] {
    var frames: [Rect] = []
    for index in letters.indices {
      let (unit, frame) = (unit(kind, of: index), letters[index].frame)
      if unit == frames.count { frames.append(frame) } else { frames[unit] = frames[unit].union(frame) }
    }
    return frames
  }
}

extension Rect {
  /// The smallest rectangle around both.
  func union(_ other: Rect) -> Rect {
    let (left, top) = (min(x, other.x), min(y, other.y))
    return Rect(left, top, max(maxX, other.maxX) - left, max(maxY, other.maxY) - top)
  }
}
