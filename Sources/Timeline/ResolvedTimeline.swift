package import MediaTime

/// A timeline that was checked against its assets' facts, every default filled in: all that rendering needs to know.
/// Made by `Timeline.resolved(with:)` alone, so whoever holds one holds a renderable edit.
package struct ResolvedTimeline: Hashable, Sendable {
  package let timeline: Timeline
  /// Facts of every asset that the edit uses.
  package let facts: [AssetID: AssetFacts]
  /// Nil when the edit has no picture.
  package let videoComposition: VideoComposition?
  /// The output's colour, nothing unknown.
  package let color: ColorTags
  /// The part of the composition that is exported.
  package let exportRange: MediaTimeRange
  /// Nil when the edit has no sound.
  package let audio: AudioCodecSettings?

  init(
    timeline: Timeline, facts: [AssetID: AssetFacts], videoComposition: VideoComposition?, color: ColorTags,
    exportRange: MediaTimeRange, audio: AudioCodecSettings?
  ) {
    (self.timeline, self.facts, self.videoComposition) = (timeline, facts, videoComposition)
    (self.color, self.exportRange, self.audio) = (color, exportRange, audio)
  }

  /// Frames of the movie: `ceil(duration / frameDuration)`; zero without a picture.
  package var frameCount: Int {
    get throws(TimeError) {
      guard let videoComposition else { return 0 }
      return Int(try exportRange.duration.coveringUnits(of: videoComposition.frameDuration))
    }
  }

  /// Samples of the movie's sound at its own rate: `duration * rate`, to the nearest sample; zero without sound.
  package var sampleCount: Int64 {
    get throws(TimeError) {
      guard let audio else { return 0 }
      return try exportRange.duration.samples(at: audio.sampleRate)
    }
  }

  /// The track of the container that a segment plays.
  ///
  /// - Precondition: the segment belongs to this timeline.
  package func sourceTrack(_ source: SegmentSource, media: MediaKind) -> TrackFacts {
    guard let facts = facts[source.asset] else { preconditionFailure("asset \(source.asset) was not resolved") }
    return facts.playableTracks(media)[source.trackPosition]
  }
}
