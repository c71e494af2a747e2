/// The way in which the lines of a text run and follow each other, in CSS's words.
package enum WritingMode: String, Hashable, Sendable, Encodable, CaseIterable {
  case horizontal = "horizontal-tb"
  /// Lines from the top down. The first one is at the right, as in Japanese and Chinese.
  case verticalRightToLeft = "vertical-rl"
  /// Lines from the top down. The first one is at the left, as in Mongolian.
  case verticalLeftToRight = "vertical-lr"

  package var isVertical: Bool { self != .horizontal }

  /// The side of a rectangle along which lines run, and the one across them.
  package func length(of rect: Rect) -> Double { isVertical ? rect.height : rect.width }
  package func depth(of rect: Rect) -> Double { isVertical ? rect.width : rect.height }
}
