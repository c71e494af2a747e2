/// A sound to be muxed, and what the movie says of it.
package struct SoundInput: Hashable, Sendable {
  package var segment: SegmentInput
  /// The language, as a BCP 47 tag; nil where none is stated.
  package var language: String?
  /// The name that players show; nil for none.
  package var title: String?
  /// Whether players play it where nobody chooses.
  package var isDefault: Bool

  package init(_ segment: SegmentInput, language: String? = nil, title: String? = nil, isDefault: Bool = true) {
    (self.segment, self.language, self.title, self.isDefault) = (segment, language, title, isDefault)
  }
}
