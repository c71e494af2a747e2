package import Formats
package import MediaTime
package import Timeline

/// A timeline that was checked against its assets' facts, with every default filled in. It holds all that rendering needs to
/// know. Only `Timeline.resolved(with:)` makes one, so every value of this type can be rendered.
package struct ResolvedTimeline: Hashable, Sendable {
  package internal(set) var timeline: Timeline
  /// The facts of every asset that the edit uses, in nested compositions too.
  package let facts: [AssetID: AssetFacts]
  /// The nested compositions, each as an edit of its own. All that the edit plays are here, also those that it plays through
  /// another one. There may be more.
  package let nested: [CompositionID: ResolvedTimeline]
  /// How the tracks' pictures become one; nil when the edit has no picture.
  package internal(set) var videoComposition: VideoComposition?
  /// The output's colour. No tag is unknown.
  package let color: ColorTags
  /// The metadata that the movie carries when it is of high dynamic range.
  package let hdrMetadata: HDRMetadata?
  /// The part of the composition that is exported.
  package let exportRange: MediaTimeRange
  /// The sound's settings; nil when the edit has no sound. Where the movie has several `sounds`, each has its own.
  package let audio: AudioCodecSettings?

  init(
    timeline: Timeline, facts: [AssetID: AssetFacts], nested: [CompositionID: ResolvedTimeline],
    videoComposition: VideoComposition?, color: ColorTags, hdrMetadata: HDRMetadata?, exportRange: MediaTimeRange,
    audio: AudioCodecSettings?
  ) {
    (self.timeline, self.facts, self.nested, self.videoComposition) = (timeline, facts, nested, videoComposition)
    (self.color, self.hdrMetadata, self.exportRange, self.audio) = (color, hdrMetadata, exportRange, audio)
  }

  /// The encoders that the movie needs and that a build of FFmpeg may lack.
  package var optionalEncoders: [String] {
    timeline.export.optionalEncoders(hasPicture: videoComposition != nil, hasSound: audio != nil)
  }

  /// The number of frames in the movie: `ceil(duration / frameDuration)`; zero without a picture.
  package var frameCount: Int {
    get throws(TimeError) {
      guard let videoComposition else { return 0 }
      return Int(try exportRange.duration.coveringUnits(of: videoComposition.frameDuration))
    }
  }

  /// The number of samples in the movie's sound, at its own rate: `duration * rate`, to the nearest sample; zero without sound.
  package var sampleCount: Int64 {
    get throws(TimeError) {
      guard let audio else { return 0 }
      return try exportRange.duration.samples(at: audio.sampleRate)
    }
  }

  /// The sounds of the movie, in the order of its tracks, each as an edit with that sound alone. Without sound there is none, and one,
  /// which is the edit itself, where the export names none.
  package var sounds: [ResolvedTimeline] {
    guard audio != nil else { return [] }
    guard !timeline.export.sounds.isEmpty else { return [self] }
    let tracks = timeline.composition.tracks.filter { $0.media == .audio }.map(\.id)
    return timeline.export.sounds.map { sound in
      var own = timeline
      // Tracks that are not heard stay: the edit is as long as with them.
      own.audioMix = timeline.audioMix.hearing(sound.tracks, of: tracks)
      (own.export.sounds, own.export.audio, own.export.loudness) = ([], sound.audio, sound.loudness)
      return ResolvedTimeline(
        timeline: own, facts: facts, nested: nested, videoComposition: videoComposition, color: color, hdrMetadata: hdrMetadata,
        exportRange: exportRange, audio: sound.audio)
    }
  }

  /// The place among `sounds` of the one that players play where nobody chooses.
  package var defaultSound: Int { timeline.export.sounds.firstIndex(where: \.isDefault) ?? 0 }

  /// The facts of the track that a segment plays.
  ///
  /// - Parameter position: the track's position among the asset's playable tracks of its kind.
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

  /// The facts of the pictures that a segment of this timeline plays.
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

  /// The size of a still picture as it is seen.
  func pictureSize(of asset: AssetID) -> PixelSize? {
    for track in facts[asset]?.tracks ?? [] { if case .video(let video) = track.detail { return video.displaySize } }
    return nil
  }

  /// The facts of the edit's own pictures; nil when it has none.
  package var picture: VideoFacts? {
    guard let videoComposition else { return nil }
    let (size, duration) = (videoComposition.outputSize, videoComposition.frameDuration)
    let (depth, chroma) = (timeline.export.video.bitDepth, timeline.export.video.chroma)
    return VideoFacts(
      naturalSize: size, displaySize: size, orientation: .up, pixelAspect: PixelSize(1, 1),
      // A rate that a time cannot hold counts as unknown.
      nominalFrameRate: Int32(exactly: duration.value).flatMap { try? MediaTime(Int64(duration.timescale), $0) },
      pixelFormat: chroma.pixelFormat(bitDepth: depth), bitDepth: depth, color: color,
      hdrMetadata: hdrMetadata)
  }

  /// The index of the frame that the edit's movie shows at `time`, or just before it when the movie is played backwards. Before
  /// the first frame it is the first one, and after the last frame the last one.
  ///
  /// - Precondition: the edit has a picture.
  package func frameIndex(at time: Rational, orJustBefore isReversed: Bool) throws(TimeError) -> Int {
    guard let videoComposition else { preconditionFailure("the edit has no picture") }
    let frames = try time / Rational(videoComposition.frameDuration)
    return try min(max(Int(clamping: isReversed ? frames.ceiling - 1 : frames.floor), 0), frameCount - 1)
  }
}
