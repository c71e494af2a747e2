internal import Document
internal import Formats
internal import Media
internal import MediaTime
internal import Messages
internal import Scenes
internal import Timeline

/// The key of a segment: a digest of all that it depends on. Equal keys mean equal frames, or equal samples (decision 0174).
///
/// It is made by exclusion. Of a chunk, all of each frame's scene counts, but for the paths of tracks, and so do the settings of the
/// picture's encoder and the faces of the texts; in a movie with a target, which is shared out among its chunks, those of all frames. Of the sound, all of the edit counts that is not of its picture. Of both, the facts and the
/// content of each source count, the submitter, and the code that runs. What a chunk leaves out is its place in the movie, and all
/// of the edit that no frame of it shows.
struct SegmentKey {
  /// The key as 32 lower-case hexadecimal digits.
  let text: String
  private let states: [AssetID: SourceState]

  /// Makes the key of a chunk.
  ///
  /// - Parameter known: the states of sources, where they are known.
  /// - Returns: nil where a part of what the segment depends on cannot be named: a compositor of the user's own, which may read
  ///   anything; a large file that was changed a moment ago; fonts that nobody chose.
  /// - Throws: an error that keeps the chunk from being rendered, too.
  init?(
    _ frames: FrameRange, of edit: ResolvedTimeline, _ spec: JobSpec, _ policy: SourcePolicy, within scope: SegmentCache.Scope,
    knowing known: [AssetID: SourceState] = [:]
  ) throws {
    guard let submitter = scope.submitter(of: spec), let settings = try FrameSettings(of: edit) else { return nil }
    var digest = try KeyDigest("chunk 3", submitter)
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
    let (reel, shares) = (SceneReel(edit), WrittenShares())
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
    try self.init(digest, assets: assets, of: edit, policy: policy, knowing: known)
  }

  /// Makes the key of the sound, or of a part of it.
  init?(
    soundOf edit: ResolvedTimeline, in part: Range<Int64>?, _ spec: JobSpec, _ policy: SourcePolicy,
    within scope: SegmentCache.Scope
  ) throws {
    if let part {
      try self.init(partOf: edit, part, spec, policy, within: scope)
    } else {
      try self.init(soundOf: edit, spec, policy, within: scope)
    }
  }

  /// Makes the key of the whole sound.
  ///
  /// - Returns: nil where a large file was changed a moment ago.
  /// - Throws: an error that keeps the sound from being rendered, too.
  private init?(soundOf edit: ResolvedTimeline, _ spec: JobSpec, _ policy: SourcePolicy, within scope: SegmentCache.Scope) throws
  {
    guard let submitter = scope.submitter(of: spec), let settings = edit.audio else { return nil }
    var digest = try KeyDigest("sound 1", submitter)
    var timeline = edit.timeline
    (timeline.videoComposition, timeline.layers, timeline.captions) = (nil, [], [])
    timeline.composition.tracks.removeAll { $0.media == .video }
    (timeline.export.video, timeline.export.renditions) = (.h264(), [])
    (timeline.export.tags, timeline.export.chapters, timeline.export.copies) = (MovieTags(), [], nil)
    (timeline.export.poster, timeline.export.thumbnails, timeline.export.keptTags) = (nil, nil, nil)
    timeline.export.cleanAperture = nil
    (timeline.export.fragmentInterval, timeline.export.timecode, timeline.export.checksum) = (nil, nil, nil)
    (timeline.export.optimizeForNetworkUse, timeline.export.maximumSize, timeline.export.renderScale) = (false, nil, 1)
    timeline.export.sounds = timeline.export.sounds.map { sound in
      MovieSound(of: sound.tracks, isDefault: false, audio: sound.audio, loudness: sound.loudness)
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
    try self.init(digest, assets: assets, of: edit, policy: policy)
  }

  /// Makes the key of a part of the sound: of what is heard in it, and in what is encoded around it.
  ///
  /// - Returns: nil where a large file was changed a moment ago.
  /// - Throws: an error that keeps the sound from being rendered, too.
  private init?(
    partOf edit: ResolvedTimeline, _ part: Range<Int64>, _ spec: JobSpec, _ policy: SourcePolicy, within scope: SegmentCache.Scope
  ) throws {
    guard let submitter = scope.submitter(of: spec) else { return nil }
    var digest = try KeyDigest("sound part 1", submitter)
    var assets: Set<AssetID> = []
    digest.add("\(part)")
    for sound in edit.sounds {
      guard let settings = sound.audio else { return nil }
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
    try self.init(digest, assets: assets, of: edit, policy: policy)
  }

  private init?(
    _ digest: consuming KeyDigest, assets: Set<AssetID>, of edit: ResolvedTimeline, policy: SourcePolicy,
    knowing known: [AssetID: SourceState] = [:]
  ) throws {
    let sorted = assets.sorted()
    guard let states = try Self.states(of: sorted, edit, policy, knowing: known) else { return nil }
    for asset in sorted {
      digest.add(asset.rawValue)
      try digest.add(value: edit.facts[asset])
      digest.add(states[asset]?.description ?? "")
    }
    (text, self.states) = (digest.text, states)
  }

  /// Whether all sources are still as they were when the key was made.
  func holds(for edit: ResolvedTimeline, _ policy: SourcePolicy) -> Bool {
    // A source that cannot be read any more is not what it was.
    (try? Self.states(of: states.keys.sorted(), edit, policy)) == states
  }

  private static func states(
    of assets: [AssetID], _ edit: ResolvedTimeline, _ policy: SourcePolicy, knowing known: [AssetID: SourceState] = [:]
  ) throws(MediaError) -> [AssetID: SourceState]? {
    var states: [AssetID: SourceState] = [:]
    for id in assets {
      states[id] = if let state = known[id] { state } else { try state(of: id, edit, policy) }
      if states[id] == nil { return nil }
    }
    return states
  }

  /// The state that a source has now; nil where it cannot be told.
  static func state(of asset: AssetID, _ edit: ResolvedTimeline, _ policy: SourcePolicy) throws(MediaError) -> SourceState? {
    switch edit.timeline.assets[asset] {
    case .file(let path): try policy.state(of: path)
    case .remote(let url): policy.state(of: url)
    case .embedded(let data): try policy.state(of: data)
    case nil: nil
    }
  }

  /// The digest of all that decides the keys of an edit's segments: the document, the facts and the states of all its assets, the faces of its
  /// texts, the submitter, and the code that runs. Equal digests mean equal keys.
  ///
  /// - Returns: nil where a part of that cannot be named.
  static func digest(
    ofAll spec: JobSpec, _ edit: ResolvedTimeline, _ states: [AssetID: SourceState], within scope: SegmentCache.Scope
  ) throws -> String? {
    guard let submitter = scope.submitter(of: spec), states.count == edit.timeline.assets.count else { return nil }
    var digest = try KeyDigest("keys 1", submitter)
    digest.add(spec.document)
    try digest.add(value: spec.facts)
    try digest.add(value: spec.fonts)
    for (asset, state) in states.sorted(by: { $0.key < $1.key }) {
      digest.add(asset.rawValue)
      digest.add(state.description)
    }
    return digest.text
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
  fileprivate func submitter(of spec: JobSpec) -> String? { self == .all ? "" : spec.submitter }
}

/// The digest of a sequence of texts and values, each with its length before it, so that no two sequences look alike.
private struct KeyDigest: ~Copyable {
  private let hasher: ContentHasher

  /// Begins with what every segment depends on.
  ///
  /// - Parameters:
  ///   - kind: the kind of segment, with the version of the way in which its key is made.
  ///   - submitter: whoever finds it again.
  init(_ kind: String, _ submitter: String) throws(MediaError) {
    let program = try RunningProgram.digest()
    hasher = try ContentHasher()
    add(kind)
    add("\(program)")
    add(submitter)
  }

  var text: String { "\(hasher.digest)" }

  mutating func add(_ text: String) { add(bytes: Array(text.utf8)) }

  mutating func add(value: some Encodable) throws { add(bytes: try ValueWriter.bytes(of: value)) }

  /// - Parameter shares: the bytes of what the scene before had in common with this one.
  /// - Returns: false where nothing tells all of what the scene shows.
  mutating func add(_ scene: Scene, sharing shares: WrittenShares) throws -> Bool {
    guard let bytes = try scene.rendition(sharing: shares) else { return false }
    add(bytes: bytes)
    return true
  }

  private mutating func add(bytes: [UInt8]) {
    unsafe withUnsafeBytes(of: UInt64(bytes.count).littleEndian) { unsafe hasher.update($0) }
    unsafe bytes.withUnsafeBytes { unsafe hasher.update($0) }
  }
}
