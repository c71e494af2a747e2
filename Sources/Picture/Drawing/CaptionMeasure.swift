internal import CPango
internal import CTextTurn
package import Formats
package import Timeline

/// Measures captions with the fonts that they are drawn in.
package enum CaptionMeasure {
  /// A line of a text.
  package struct Line {
    /// Its bytes in UTF-8. A line's newline belongs to none.
    package let bytes: Range<Int>
    /// Whether it stands in a paragraph that runs from right to left.
    package let isRightToLeft: Bool
  }

  /// The lines of a text that break at a length.
  ///
  /// - Throws: `DrawingError` when a font or a character is missing.
  package static func lines(of text: TextContent, width: Double, fonts book: FontBook) throws(DrawingError) -> [Line] {
    spool_take_text_turn()
    defer { spool_give_text_turn() }
    let layout = try TextLayout(text, book.fonts(for: text), scale: 1, width: width)
    try layout.requireGlyphs(book)
    return layout.measuredLines
  }

  /// The size of a text whose lines break at a length, and the rectangles of parts of it: from where lines begin, and from the first line's
  /// outer side; in a vertical text, from the left side of the text.
  ///
  /// - Parameter parts: ranges of the text's bytes in UTF-8, each within one line.
  package static func block(
    of text: TextContent, width: Double, parts: [Range<Int>], fonts book: FontBook
  ) throws(DrawingError) -> (size: Point, parts: [Rect]) {
    spool_take_text_turn()
    defer { spool_give_text_turn() }
    let layout = try TextLayout(text, book.fonts(for: text), scale: 1, width: width)
    let size = layout.size
    return (Point(size.width, size.height), parts.map(layout.rect))
  }
}

extension TextLayout {
  fileprivate var measuredLines: [CaptionMeasure.Line] {
    unsafe (0..<pango_layout_get_line_count(layout)).compactMap { number in
      guard let line = unsafe pango_layout_get_line_readonly(layout, number) else { return nil }
      let (start, length) = unsafe (line.pointee.start_index, line.pointee.length)
      return CaptionMeasure.Line(
        bytes: Int(start)..<Int(start + length),
        isRightToLeft: unsafe pango_layout_line_get_resolved_direction(line) == PANGO_DIRECTION_RTL)
    }
  }

  /// The rectangle of a part of the text.
  fileprivate func rect(of part: Range<Int>) -> Rect {
    guard !part.isEmpty else { return Rect(0, 0, 0, 0) }
    guard !mode.isVertical, insets.isEmpty else { return placedRect(of: part) }
    var (first, last) = (PangoRectangle(), PangoRectangle())
    unsafe pango_layout_index_to_pos(layout, Int32(part.lowerBound), &first)
    unsafe pango_layout_index_to_pos(layout, Int32(part.upperBound - 1), &last)
    // A width is negative where the text runs from right to left.
    let edges = [first.x, first.x + first.width, last.x, last.x + last.width]
    let (left, right) = (edges.min() ?? 0, edges.max() ?? 0)
    let (top, bottom) = (min(first.y, last.y), max(first.y + first.height, last.y + last.height))
    func pixels(_ units: Int32) -> Double { Double(units) / Double(PANGO_SCALE) }
    return Rect(pixels(left), pixels(top), pixels(right - left), pixels(bottom - top))
  }

  /// The same where Pango does not know the lines' places.
  private func placedRect(of part: Range<Int>) -> Rect {
    var rects: [Rect] = []
    for index in pieceIndices {
      let line = unsafe lines[pieces[index].line].frame
      for (byte, frame) in clusters(of: index) where part.contains(byte) {
        rects.append(Rect(frame.x, line.y, frame.width, line.height))
      }
    }
    return seen(Rect(around: rects))
  }
}
