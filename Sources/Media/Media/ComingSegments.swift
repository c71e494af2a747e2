/// The segments of a movie that are still made while its first ones are joined (docs/decisions/0206-joining-runs-beside-the-chunks.md).
package struct ComingSegments {
  /// The tracks in the order of the movie: the picture, then the sounds.
  package let tracks: [ComingTrack]

  package init(_ tracks: [ComingTrack]) { self.tracks = tracks }
}

/// The segments of a track that are still made.
package struct ComingTrack {
  /// The length of the whole track, in frames or in samples a channel.
  package let length: Int64
  /// Waits for the segment that begins at a frame or sample, and gives it. What it throws ends the joining.
  package let next: (_ position: Int64) throws -> SegmentInput
  /// The segment that begins at a frame or sample, if it is there already. It is read ahead, and `next` may give another one.
  package let ready: (_ position: Int64) -> SegmentInput?

  package init(
    length: Int64, next: @escaping (_ position: Int64) throws -> SegmentInput,
    ready: @escaping (_ position: Int64) -> SegmentInput? = { _ in nil }
  ) {
    (self.length, self.next, self.ready) = (length, next, ready)
  }
}
