/// Whether packets of sources become packets of the movie, where their pictures would be those of the edit.
package enum CopyRule: String, Hashable, Sendable, CaseIterable {
  /// All pictures are encoded.
  case never
  /// Whole groups of pictures are copied where nothing is done to them. All others are encoded.
  case auto
  /// All pictures are copied. An edit of which some cannot be is refused.
  case require
}
