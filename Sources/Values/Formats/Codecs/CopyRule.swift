/// Whether packets of sources become packets of the movie, where their pictures or their sound would be those of the edit.
package enum CopyRule: String, Hashable, Sendable, CaseIterable {
  /// All is encoded.
  case never
  /// Whole groups of pictures, and a whole track of sound, are copied where nothing is done to them. All else is encoded.
  case auto
  /// All is copied. An edit of which some cannot be is refused.
  case require
}
