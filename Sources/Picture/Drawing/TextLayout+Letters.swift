internal import CPango
import Formats
import Timeline

// A laid out text, letter by letter. Letters are never shaped apart: a part of a text is drawn with the glyphs that the whole text
// has there, at their places.
extension TextLayout {
  /// Calls with the glyphs of a piece, of which only those of the part that is drawn are visible. It does not call where the part
  /// has none of them.
  func withGlyphs(of index: Int, _ body: (UnsafeMutablePointer<PangoGlyphString>) -> Void) {
    let piece = unsafe pieces[index]
    guard let glyphs = unsafe piece.run.pointee.glyphs, let item = unsafe piece.run.pointee.item?.pointee else { return }
    guard let part else { return unsafe body(glyphs) }
    let (start, length) = (unsafe Int(item.offset), unsafe Int(item.length))
    guard part.overlaps(start..<start + length), let copy = unsafe pango_glyph_string_copy(glyphs) else { return }
    defer { unsafe pango_glyph_string_free(copy) }
    for number in unsafe 0..<Int(copy.pointee.num_glyphs)
    where unsafe !part.contains(start + Int(copy.pointee.log_clusters[number])) {
      // An empty glyph keeps its width, so all others stay in their places.
      unsafe copy.pointee.glyphs[number].glyph = spool_PANGO_GLYPH_EMPTY
    }
    unsafe body(copy)
  }

  /// The rectangle that the part of a piece draws on.
  func ink(of index: Int) -> Rect {
    let piece = unsafe pieces[index]
    guard part != nil else { return unsafe piece.ink }
    var bounds = Rect(0, 0, 0, 0)
    guard let font = unsafe piece.run.pointee.item?.pointee.analysis.font else { return bounds }
    unsafe withGlyphs(of: index) { glyphs in
      var ink = PangoRectangle()
      unsafe pango_glyph_string_extents(glyphs, font, &ink, nil)
      bounds = unsafe Rect(
        piece.x + Self.pixels(ink.x), piece.y + Self.pixels(ink.y), Self.pixels(ink.width), Self.pixels(ink.height))
    }
    return bounds
  }

  /// The rectangle of a piece's height, and of the advance of its part that is drawn.
  func frame(of index: Int) -> Rect {
    let piece = unsafe pieces[index]
    guard let part else { return unsafe piece.frame }
    return unsafe clusters(of: index).filter { part.contains($0.byte) }.map(\.frame).reduce(nil) { all, next in
      all.map { Rect(around: [$0, next]) } ?? next
    } ?? Rect(piece.frame.x, piece.frame.y, 0, piece.frame.height)
  }

  /// The glyphs of a piece, each with the first byte of the characters that it stands for.
  func clusters(of index: Int) -> [(byte: Int, frame: Rect)] {
    let piece = unsafe pieces[index]
    guard let glyphs = unsafe piece.run.pointee.glyphs?.pointee, let item = unsafe piece.run.pointee.item?.pointee else {
      return []
    }
    var x = unsafe piece.frame.x
    return unsafe (0..<Int(glyphs.num_glyphs)).map { number in
      let width = unsafe Self.pixels(glyphs.glyphs[number].geometry.width)
      defer { x += width }
      return unsafe (
        Int(item.offset) + Int(glyphs.log_clusters[number]), Rect(x, piece.frame.y, width, piece.frame.height)
      )
    }
  }

  /// The bytes of a piece in the text.
  func bytes(of index: Int) -> Range<Int> {
    guard let item = unsafe pieces[index].run.pointee.item?.pointee else { return 0..<0 }
    return unsafe Int(item.offset)..<Int(item.offset) + Int(item.length)
  }

  /// A part of the text.
  ///
  /// - Precondition: the bytes lie in it.
  func string(_ bytes: Range<Int>) -> String {
    let text = unsafe UnsafeRawPointer(pango_layout_get_text(layout) + bytes.lowerBound)
    return unsafe String(decoding: UnsafeRawBufferPointer(start: text, count: bytes.count), as: UTF8.self)
  }

  // MARK: - Letters

  /// The letters that are seen, in the order of reading. A letter is what Pango takes for one place of a cursor, or more where a font
  /// draws several such as one.
  var letters: TextLetters {
    var found: [Int: (frame: Rect, line: Int, isRightToLeft: Bool)] = [:]
    for index in pieceIndices {
      let piece = unsafe pieces[index]
      let isRightToLeft = unsafe (piece.run.pointee.item?.pointee.analysis.level ?? 0) & 1 == 1
      for (byte, frame) in clusters(of: index) {
        let all = found[byte].map { Rect(around: [$0.frame, frame]) } ?? frame
        found[byte] = unsafe (all, piece.line, isRightToLeft)
      }
    }
    let (characters, tails) = (characters, combinedTails)
    var letters: [TextLetters.Letter] = []
    var frames: [(number: Int, frame: Rect)] = []
    var (word, isAfterSpace) = (-1, true)
    for (index, character) in characters.enumerated() {
      let next = index + 1 < characters.count ? characters[index + 1].byte : textLength
      if character.isSpace {
        // A space goes with the letter before it.
        isAfterSpace = true
        if let last = letters.popLast() { letters.append(last.extended(to: next)) }
        continue
      }
      guard let place = found[character.byte], !tails.contains(character.byte),
        character.beginsLetter || isAfterSpace || letters.isEmpty
      else {
        // A mark on the letter before, or a part of what the font draws as one with it.
        if let last = letters.popLast() {
          letters.append(last.extended(to: next, found[character.byte]?.frame))
        }
        continue
      }
      if isAfterSpace || character.mayBreakBefore { word += 1 }
      isAfterSpace = false
      if frames.last?.number != place.line { frames.append((place.line, lines[place.line].frame)) }
      letters.append(
        TextLetters.Letter(
          bytes: character.byte..<next, frame: place.frame, word: word, line: frames.count - 1,
          isRightToLeft: place.isRightToLeft))
    }
    return TextLetters(letters.map { $0.placed(seen) }, lines: frames.map { seen($0.frame) }, isVertical: mode.isVertical)
  }

  private struct Character {
    let byte: Int
    let isSpace: Bool
    /// Whether a cursor may stand before it.
    let beginsLetter: Bool
    /// Whether a line may be broken before it, in a script that parts words without spaces.
    let mayBreakBefore: Bool
  }

  private var textLength: Int { unsafe String(cString: pango_layout_get_text(layout)).utf8.count }

  private var characters: [Character] {
    var count: Int32 = 0
    guard let attributes = unsafe pango_layout_get_log_attrs_readonly(layout, &count) else { return [] }
    let text = unsafe String(cString: pango_layout_get_text(layout))
    var (byte, characters): (Int, [Character]) = (0, [])
    var before: Unicode.Scalar?
    for (index, scalar) in text.unicodeScalars.enumerated() where index < Int(count) {
      let attribute = unsafe attributes[index]
      let isWritten = before.map(\.isOfScriptWithoutSpaces) ?? false || scalar.isOfScriptWithoutSpaces
      characters.append(
        Character(
          byte: byte, isSpace: attribute.is_white != 0 || scalar.properties.isWhitespace,
          // A soft hyphen goes with the letter before it, also where it is seen.
          beginsLetter: attribute.is_cursor_position != 0 && scalar != "\u{AD}",
          mayBreakBefore: isWritten && attribute.is_line_break != 0))
      byte += UTF8.width(scalar)
      before = scalar
    }
    return characters
  }
}

extension TextLetters.Letter {
  /// The letter with more bytes, and with the frame of what they draw.
  fileprivate func extended(to end: Int, _ more: Rect? = nil) -> TextLetters.Letter {
    TextLetters.Letter(
      bytes: bytes.lowerBound..<end, frame: more.map { Rect(around: [frame, $0]) } ?? frame, word: word, line: line,
      isRightToLeft: isRightToLeft)
  }
}

extension TextLetters.Letter {
  /// The letter in another place.
  func placed(_ place: (Rect) -> Rect) -> TextLetters.Letter {
    TextLetters.Letter(bytes: bytes, frame: place(frame), word: word, line: line, isRightToLeft: isRightToLeft)
  }
}

extension Unicode.Scalar {
  /// Whether the character belongs to a script that is written without spaces between words: Thai, Lao, Myanmar, Khmer, and those of
  /// East Asia but Hangul.
  fileprivate var isOfScriptWithoutSpaces: Bool {
    switch value {
    case 0x0e00...0x0eff, 0x1000...0x109f, 0x1780...0x17ff, 0x19e0...0x19ff, 0x2e80...0x312f, 0x3190...0x9fff, 0xa9e0...0xa9ff,
      0xaa60...0xaa7f, 0xf900...0xfaff, 0xfe30...0xfe4f, 0xff00...0xff9f, 0x1aff0...0x1b16f, 0x20000...0x3ffff:
      true
    default: false
    }
  }
}
