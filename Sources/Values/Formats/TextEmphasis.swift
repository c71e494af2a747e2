/// Small marks beside the letters of a text, which emphasize them (CSS's `text-emphasis`).
package struct TextEmphasis: Hashable, Sendable, Encodable {
  package enum Mark: Hashable, Sendable, Encodable {
    /// No marks, in a run of a text that has some.
    case none
    case shape(Shape, isOpen: Bool)
    /// A character of the user's own.
    case character(String)
  }

  package enum Shape: String, Hashable, Sendable, Encodable, CaseIterable { case dot, circle, doubleCircle, triangle, sesame }

  /// The side of the line on which marks stand: above it or below it. At vertical lines that is at their right or their left.
  package enum Side: String, Hashable, Sendable, Encodable, CaseIterable { case over, under }

  package var mark: Mark
  /// The colour of the marks; nil for that of their letters.
  package var color: RGBAColor?
  package var side: Side

  package init(_ mark: Mark, color: RGBAColor? = nil, side: Side = .over) {
    (self.mark, self.color, self.side) = (mark, color, side)
  }

  /// The character that is drawn; nil for none.
  package var string: String? {
    switch mark {
    case .none: nil
    case .character(let string): string
    case .shape(.dot, let isOpen): isOpen ? "\u{25e6}" : "\u{2022}"
    case .shape(.circle, let isOpen): isOpen ? "\u{25cb}" : "\u{25cf}"
    case .shape(.doubleCircle, let isOpen): isOpen ? "\u{25ce}" : "\u{25c9}"
    case .shape(.triangle, let isOpen): isOpen ? "\u{25b3}" : "\u{25b2}"
    case .shape(.sesame, let isOpen): isOpen ? "\u{fe46}" : "\u{fe45}"
    }
  }
}
