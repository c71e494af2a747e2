internal import Document
internal import Formats
internal import Media
internal import MediaTime
package import Messages
package import Scenes
internal import Timeline

/// The digest of all of a segment that the edit alone decides, and the sources that the segment shows. With the states of these it makes the key.
///
/// A chunk's content is each frame's scene, but for the paths of tracks, the settings of the picture's encoder and the faces of the texts; in a movie
/// with a target, which is shared out among its chunks, it is the scenes of all frames. A sound's content is all of the edit but its picture.
/// Both have the submitter and the code that runs. A chunk leaves out its place in the movie, and all of the edit that no frame of it shows.
package struct SegmentContent: Hashable {
  /// The digest as 32 lower-case hexadecimal digits.
  package let digest: String
  /// The sources, sorted.
  let assets: [AssetID]

  init(digest: String, assets: [AssetID]) { (self.digest, self.assets) = (digest, assets) }

  private init(_ digest: consuming KeyDigest, _ assets: Set<AssetID>) {
    self.init(digest: digest.text, assets: assets.sorted())
  }

  /// Makes the content of what a work of an edit makes.
  ///
  /// - Parameter reel: gives the edit's scenes; whoever makes the contents of many chunks gives the same one for each.
  /// - Returns: nil where it cannot be named, and for works that make no segment.
  /// - Throws: an error that keeps the work from being done, too.
  package init?(of work: Work, in reel: SceneReel, _ spec: JobSpec, within scope: SegmentCache.Scope) throws {
    let edit = reel.edit
    switch work {
    case .picture(let frames): try self.init(frames, of: reel, spec, within: scope)
    case .sound: try self.init(soundOf: edit, in: nil, spec, within: scope)
    case .soundPart(let part): try self.init(soundOf: edit, in: part.indices, spec, within: scope)
    case .mux, .publish: return nil
    }
  }

  /// Makes the content of a chunk.
  ///
  /// - Returns: nil where a part of it cannot be named: a compositor of the user's own, which may read anything; fonts that nobody chose.
  /// - Throws: an error that keeps the chunk from being rendered, too.
  init?(_ frames: FrameRange, of reel: SceneReel, _ spec: JobSpec, within scope: SegmentCache.Scope) throws {
    let edit = reel.edit
    guard let submitter = scope.submitter(of: spec), let settings = try FrameSettings(of: edit) else { return nil }
    var digest = try KeyDigest("chunk 4", submitter)
    try digest.add(value: settings)
    digest.add("\(frames.count)")
    digest.add("keyframes from \(settings.keyframePhase(of: frames))")
    digest.add("stills of \(try edit.stillOffsets(in: frames))")
    var (assets, drawsText): (Set<AssetID>, Bool) = ([], false)
    var shown = frames.indices
    if let target = edit.timeline.export.video.coding.coder.rateTarget {
      // The chunk's bits depend on all frames of the movie.
      shown = 0..<(try edit.frameCount)
      digest.add("from frame \(frames.first) of \(shown.count)")
      if case .fileSize = target {
        // They depend on its sound, too, and on all that stands in the file.
        digest.add(String(decoding: edit.timeline.canonicalJSON(), as: UTF8.self))
        assets.formUnion(edit.facts.keys)
      }
    }
    let shares = WrittenShares()
    for index in shown {
      let scene = try reel.scene(at: index)
      guard try digest.add(scene, sharing: shares) else { return nil }
      assets.formUnion(scene.assets)
      drawsText = drawsText || scene.drawsText
    }
    if drawsText {
      guard let fonts = spec.fonts else { return nil }
      try digest.add(value: fonts)
      // A text names a font file by its asset alone.
      for (id, treatment) in edit.timeline.treatments.sorted(by: { $0.key < $1.key }) where treatment.font != nil {
        digest.add(id.rawValue)
        try digest.add(value: treatment)
        assets.insert(id)
      }
    }
    self.init(digest, assets)
  }

  /// Makes the content of the sound, or of a part of it.
  ///
  /// - Throws: an error that keeps the sound from being rendered, too.
  init?(soundOf edit: ResolvedTimeline, in part: Range<Int64>?, _ spec: JobSpec, within scope: SegmentCache.Scope) throws {
    if let part {
      try self.init(partOf: edit, part, spec, within: scope)
    } else {
      try self.init(soundOf: edit, spec, within: scope)
    }
  }

  /// Makes the content of the whole sound.
  private init?(soundOf edit: ResolvedTimeline, _ spec: JobSpec, within scope: SegmentCache.Scope) throws {
    guard let submitter = scope.submitter(of: spec), var settings = edit.audio else { return nil }
    settings.copy = .never
    var digest = try KeyDigest("sound 2", submitter)
    var timeline = edit.timeline
    (timeline.videoComposition, timeline.layers, timeline.captions) = (nil, [], [])
    timeline.composition.tracks.removeAll { $0.media == .video }
    (timeline.export.video, timeline.export.renditions) = (.h264(), [])
    (timeline.export.tags, timeline.export.chapters, timeline.export.copies) = (MovieTags(), [], nil)
    (timeline.export.poster, timeline.export.thumbnails, timeline.export.keptTags) = (nil, nil, nil)
    timeline.export.cleanAperture = nil
    (timeline.export.fragmentInterval, timeline.export.timecode, timeline.export.checksum) = (nil, nil, nil)
    (timeline.export.optimizeForNetworkUse, timeline.export.maximumSize, timeline.export.renderScale) = (false, nil, 1)
    // Whether it is to be copied does not change what is encoded.
    timeline.export.audio.copy = .never
    timeline.export.sounds = timeline.export.sounds.map { sound in
      var audio = sound.audio
      audio.copy = .never
      return MovieSound(of: sound.tracks, isDefault: false, audio: audio, loudness: sound.loudness)
    }
    var assets = Set(edit.facts.keys)
    let sources = timeline.composition.tracks.flatMap(\.clips).map(\.source)
    // A nested composition may play anything.
    let playsNested = sources.contains { if case .composition = $0 { true } else { false } }
    if !playsNested {
      assets = Set(sources.compactMap { if case .asset(let asset, _) = $0 { asset } else { nil } })
      timeline.compositions = [:]
    }
    timeline.assets = timeline.assets.filter { assets.contains($0.key) }
    timeline.treatments = timeline.treatments.filter { assets.contains($0.key) }
    digest.add(String(decoding: timeline.canonicalJSON(), as: UTF8.self))
    try digest.add(value: edit.exportRange.start)
    try digest.add(value: edit.exportRange.duration)
    digest.add("\(settings) \(try edit.sampleCount)")
    self.init(digest, assets)
  }

  /// Makes the content of a part of the sound: of what is heard in it, and in what is encoded around it.
  private init?(
    partOf edit: ResolvedTimeline, _ part: Range<Int64>, _ spec: JobSpec, within scope: SegmentCache.Scope
  ) throws {
    guard let submitter = scope.submitter(of: spec) else { return nil }
    var digest = try KeyDigest("sound part 2", submitter)
    var assets: Set<AssetID> = []
    digest.add("\(part)")
    for sound in edit.sounds {
      guard var settings = sound.audio else { return nil }
      settings.copy = .never
      let count = try sound.sampleCount
      // Where a lossy sound ends decides where its blocks begin. The last part knows the end by itself.
      digest.add(settings.codec.isLossless ? "\(settings)" : "\(settings) \(count)")
      let reach = AudioEncoder.reach(of: part, settings, sampleCount: count)
      for span in try sound.soundSpans(SoundMeasures()) where span.samples.overlaps(reach) {
        try digest.add(value: HeardSpan(span, in: reach, sampleRate: settings.sampleRate))
        assets.insert(span.asset)
      }
    }
    for (id, treatment) in edit.timeline.treatments.sorted(by: { $0.key < $1.key }) where assets.contains(id) {
      digest.add(id.rawValue)
      try digest.add(value: treatment)
    }
    self.init(digest, assets)
  }
}

/// A span of sound, with all on which its samples in a part depend: all of the span but what is heard of it behind the part, and the
/// moves of volumes elsewhere.
private struct HeardSpan: Encodable {
  let span: SoundSpan
  let gains: [[GainCurve.Passage]]
  let kinds: [SoundSpan.Volume.Kind]

  init(_ span: SoundSpan, in reach: Range<Int64>, sampleRate: Int32) throws {
    self.span = span.bare(until: reach.upperBound)
    gains = try span.volumes.map { try GainCurve($0, sampleRate: sampleRate).passages(in: span.samples.clamped(to: reach)) }
    kinds = span.volumes.map(\.kind)
  }
}

extension SegmentCache.Scope {
  /// The submitter who counts; nil where one does and nobody is named.
  func submitter(of spec: JobSpec) -> String? { self == .all ? "" : spec.submitter }
}
