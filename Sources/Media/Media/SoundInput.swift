/// A sound to be muxed, and what the movie says of it.
package struct SoundInput: Hashable, Sendable {
  /// Its segments, in order; at least one.
  package var segments: [SegmentInput]
  /// The language, as a BCP 47 tag; nil where none is stated.
  package var language: String?
  /// The name that players show; nil for none.
  package var title: String?
  /// Whether players play it where nobody chooses.
  package var isDefault: Bool

  package init(_ segments: [SegmentInput], language: String? = nil, title: String? = nil, isDefault: Bool = true) {
    precondition(!segments.isEmpty, "a sound has a segment")
    (self.segments, self.language, self.title, self.isDefault) = (segments, language, title, isDefault)
  }

  /// The number of its samples, a channel.
  var sampleCount: Int64 { segments.reduce(0) { $0 + $1.facts.length } }
}
