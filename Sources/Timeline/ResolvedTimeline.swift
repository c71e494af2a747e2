package import MediaTime

/// A timeline that was checked against its assets' facts, every default filled in: all that rendering needs to know.
/// Made by `Timeline.resolved(with:)` alone, so whoever holds one holds a renderable edit.
package struct ResolvedTimeline: Hashable, Sendable {
  package let timeline: Timeline
  /// Facts of every asset that the edit uses, in nested compositions too.
  package let facts: [AssetID: AssetFacts]
  /// Every nested composition that the edit plays, itself or in another, as an edit of its own.
  package let nested: [CompositionID: ResolvedTimeline]
  /// Nil when the edit has no picture.
  package let videoComposition: VideoComposition?
  /// The output's colour, nothing unknown.
  package let color: ColorTags
  /// What the movie says of itself when it is of high dynamic range.
  package let hdrMetadata: HDRMetadata?
  /// The part of the composition that is exported.
  package let exportRange: MediaTimeRange
  /// Nil when the edit has no sound.
  package let audio: AudioCodecSettings?

  init(
    timeline: Timeline, facts: [AssetID: AssetFacts], nested: [CompositionID: ResolvedTimeline],
    videoComposition: VideoComposition?, color: ColorTags, hdrMetadata: HDRMetadata?, exportRange: MediaTimeRange,
    audio: AudioCodecSettings?
  ) {
    (self.timeline, self.facts, self.nested, self.videoComposition) = (timeline, facts, nested, videoComposition)
    (self.color, self.hdrMetadata, self.exportRange, self.audio) = (color, hdrMetadata, exportRange, audio)
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
  /// - Precondition: a segment of this timeline plays it.
  package func track(_ position: Int, of asset: AssetID, media: MediaKind) -> TrackFacts {
    guard let facts = facts[asset] else { preconditionFailure("asset \(asset) was not resolved") }
    return facts.playableTracks(media)[position]
  }

  /// A nested composition as an edit of its own.
  ///
  /// - Precondition: a segment of this timeline plays it.
  package func edit(of composition: CompositionID) -> ResolvedTimeline {
    guard let edit = nested[composition] else { preconditionFailure("composition \(composition) was not resolved") }
    return edit
  }

  /// What the pictures of a segment of this timeline are like.
  package func picture(of source: SegmentSource) -> VideoFacts {
    switch source {
    case .asset(let asset, let position):
      guard case .video(let facts) = track(position, of: asset, media: .video).detail else {
        preconditionFailure("a video segment plays a video track")
      }
      return facts
    case .composition(let id):
      guard let facts = edit(of: id).picture else { preconditionFailure("a video segment plays a picture") }
      return facts
    }
  }

  /// What the edit's own pictures are like; nil when it has none.
  package var picture: VideoFacts? {
    guard let videoComposition else { return nil }
    let (size, duration) = (videoComposition.outputSize, videoComposition.frameDuration)
    let depth = timeline.export.video.bitDepth
    return VideoFacts(
      naturalSize: size, displaySize: size, orientation: .up, pixelAspect: PixelSize(1, 1),
      // A rate that a time cannot hold is as good as unknown.
      nominalFrameRate: Int32(exactly: duration.value).flatMap { try? MediaTime(Int64(duration.timescale), $0) },
      pixelFormat: depth == 8 ? "yuv420p" : "yuv420p\(depth)le", bitDepth: depth, color: color,
      hdrMetadata: hdrMetadata)
  }

  /// The frame that the edit's movie shows at `time`, or just before it; the first before the first, after the last the last.
  ///
  /// - Precondition: the edit has a picture.
  package func frameIndex(at time: Rational, orJustBefore isReversed: Bool) throws(TimeError) -> Int {
    guard let videoComposition else { preconditionFailure("the edit has no picture") }
    let frames = try time / Rational(videoComposition.frameDuration)
    return try min(max(Int(clamping: isReversed ? frames.ceiling - 1 : frames.floor), 0), frameCount - 1)
  }
}
