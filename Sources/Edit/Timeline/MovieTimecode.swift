/// The time code of a movie's first frame. The movie counts on from it.
package enum MovieTimecode: Hashable, Sendable {
  /// A label: `HH:MM:SS:FF`, or with a semicolon for drop-frame.
  case label(String)
  /// The label that a source has at the moment that a segment shows in the movie's first frame: of the asset, or, where none is named, of
  /// the first track that has a segment there.
  case source(AssetID?)
}
