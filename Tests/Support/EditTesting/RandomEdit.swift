import FarmTesting
import Formats
import MediaTime
package import Timeline

/// Random edits with every form of a document. A seed decides them.
package struct RandomEdit {
  private var random: SeededRandom
  /// The numbers of what was added later, so that the rest of each edit stays as it was.
  private var later: SeededRandom

  /// Those of what was added after that.
  private var latest: SeededRandom

  package init(seed: UInt64) {
    (random, later) = (SeededRandom(seed: seed), SeededRandom(seed: seed &+ 1 << 32))
    latest = SeededRandom(seed: seed &+ 2 << 32)
  }

  mutating func lastly<Value>(_ body: (inout RandomEdit) throws -> Value) rethrows -> Value {
    swap(&random, &latest)
    defer { swap(&random, &latest) }
    return try body(&self)
  }

  mutating func apart<Value>(_ body: (inout RandomEdit) throws -> Value) rethrows -> Value {
    swap(&random, &later)
    defer { swap(&random, &later) }
    return try body(&self)
  }

  package mutating func timeline() throws -> Timeline {
    var compositions: [CompositionID: NestedComposition] = [:]
    for index in 0..<int(0...2) {
      // A nested composition plays only earlier ones.
      compositions[CompositionID("n\(index)")] = try nested(playing: compositions)
    }
    let composition = try composition(playing: compositions)
    let pictures = composition.tracks.filter { $0.media == .video }.map(\.id)
    return Timeline(
      assets: [
        AssetID("a"): Asset(path: "a.mp4"), AssetID("b \"é\n"): Asset(path: "../b/歌.png"),
        AssetID("c"): .remote(try MediaURL("https://host/c?d")), AssetID("f"): Asset(path: "f.ttf"),
      ], compositions: compositions,
      composition: composition,
      videoComposition: chance() ? try videoComposition(pictures, composition.duration) : nil,
      layers: try layers(composition.duration), captions: try captions(),
      audioMix: try audioMix(composition), export: try export(composition),
      treatments: [
        AssetID("a"): AssetTreatment(damage: pick([.refuse, .conceal]), interlace: pick([.deinterlace, .never])),
        AssetID("f"): AssetTreatment(font: pick([.only, .number(int(0...255)), .name("Brand \"é\"")])),
      ])
  }

  private mutating func nested(playing compositions: [CompositionID: NestedComposition]) throws -> NestedComposition {
    let composition = try composition(playing: compositions)
    let pictures = composition.tracks.filter { $0.media == .video }.map(\.id)
    return NestedComposition(
      composition: composition, videoComposition: chance() ? try videoComposition(pictures, composition.duration) : nil,
      layers: try layers(composition.duration), audioMix: try audioMix(composition, isNested: true))
  }

  private mutating func audioMix(_ composition: Composition, isNested: Bool = false) throws -> AudioMix {
    let sounds = composition.tracks.filter { $0.media == .audio }.map(\.id)
    return AudioMix(
      try sounds.filter { _ in chance() }.map { track in
        let others = sounds.filter { $0 != track }
        return AudioMixInputParameters(
          track: track, volume: try moving { $0.double(0...16) }, balance: try moving { $0.double(-1...1) }, isMuted: chance(),
          isSolo: chance(), preservesPitch: chance(), ducking: others.isEmpty || chance() ? nil : try ducking(under: others),
          loudness: chance() ? TrackLoudness(integrated: double(-70...0)) : nil,
          channels: apart { $0.chance() ? nil : $0.channelMap() },
          effects: isNested ? [] : try apart { try $0.effects() })
      })
  }

  private mutating func effects() throws -> [SoundEffect] {
    try (0..<int(0...2)).map { _ in
      switch int(0...4) {
      case 0:
        let kind = pick(EqualizerBand.Kind.allCases)
        return .equalizer([
          EqualizerBand(
            kind, frequency: double(10...3_000), gain: kind.hasGain ? double(-48...48) : 0,
            quality: pick([EqualizerBand.usualQuality, double(0.1...100)]))
        ])
      case 1:
        return .compressor(
          Compressor(
            threshold: double(-120...0), ratio: double(1...1000), knee: pick([0, 6, double(0...48)]), attack: try time(0...10),
            release: pick([Compressor.usualRelease, .zero]), makeUpGain: double(-48...48)))
      case 2:
        return .gate(
          Gate(threshold: double(-120...0), range: pick([-60, double(-120...0)]), hold: try time(0...10), release: .zero))
      case 3:
        return .reverb(
          Reverberation(
            decay: pick([Reverberation.usualDecay, try MediaTime(Int64(int(1...30)), 1)]), level: double(-120...24),
            preDelay: pick([.zero, Reverberation.usualPreDelay]), brightness: pick([1, double(0.05...1)])))
      default:
        return .deEsser(DeEsser(frequency: pick([3_000, double(10...3_900)]), threshold: double(-120...0), ratio: double(1...9)))
      }
    }
  }

  private mutating func channelMap() -> ChannelMap {
    ChannelMap((0..<pick([1, 2, 6, 8, 12])).map { _ in chance() ? ChannelMap.row(of: int(0...1)) : [double(-16...16), 0.5] })
  }

  private mutating func ducking(under tracks: [TrackID]) throws -> Ducking {
    Ducking(
      under: tracks.filter { _ in chance() } + [pick(tracks)], gain: pick([0, Ducking.usualGain, double(0...1)]),
      threshold: chance() ? double(0.001...1) : nil, attack: pick([.zero, try time(0...60), Ducking.usualAttack]),
      lookAhead: chance() ? try time(0...60) : nil, hold: pick([Ducking.usualHold, try time(0...60)]),
      release: pick([Ducking.usualRelease, try time(0...60)]))
  }

  private mutating func composition(playing compositions: [CompositionID: NestedComposition]) throws -> Composition {
    var composition = Composition()
    for index in 0..<int(1...4) {
      let media: MediaKind = index == 0 || chance() ? .video : .audio
      try composition.addTrack(TrackID("t\(index)"), media)
      for _ in 0..<int(index == 0 ? 1...5 : 0...5) {
        try addSegment(to: &composition.tracks[index], playing: compositions)
      }
    }
    return composition
  }

  private mutating func addSegment(
    to track: inout CompositionTrack, playing compositions: [CompositionID: NestedComposition]
  ) throws {
    let played = compositions.isEmpty || chance() ? nil : pick(compositions.sorted { $0.key < $1.key })
    let source =
      played.map { SegmentSource.composition($0.key) }
      ?? SegmentSource(asset: AssetID(chance() ? "a" : "b \"é\n"), trackPosition: chance() ? 0 : int(1...3))
    let range =
      try played.map { try part(of: $0.value.composition.duration) }
      ?? MediaTimeRange(start: time(0...100), duration: time(1...100))
    let gap = chance() ? try time(1...50) : .zero
    let start = try track.duration + gap
    if track.media == .video, int(0...4) == 0 {
      return try track.insertFreezeFrame(at: range.start, of: source, at: start, lasting: time(1...100))
    }
    try track.insert(range, of: source, at: start)
    if chance() { try track.reverseTimeRange(MediaTimeRange(start: start, end: track.duration)) }
    guard chance(), try range.duration > MediaTime(1) else { return }
    try track.scaleTimeRange(MediaTimeRange(start: start, end: track.duration), toDuration: time(20...60))
  }

  /// A random part of `duration`, in eighths of it that are rounded to the millisecond.
  private mutating func part(of duration: MediaTime) throws -> MediaTimeRange {
    let eighth = try MediaTime(Int64(duration.seconds * 1000) / 8, 1000)
    return try MediaTimeRange(start: eighth * Int64(int(0...4)), duration: eighth * Int64(int(1...3)))
  }

  private mutating func videoComposition(_ tracks: [TrackID], _ duration: MediaTime) throws -> VideoComposition {
    let half = try MediaTime(Rational(duration) / Rational(2))
    let ranges =
      try chance()
      ? [MediaTimeRange(start: .zero, end: duration)]
      : [MediaTimeRange(start: .zero, end: half), MediaTimeRange(start: half, end: duration)]
    return VideoComposition(
      renderSize: PixelSize(int(8...4_096) * 2, int(8...4_096) * 2), renderScale: pick([1, double(0.01...1)]),
      frameDuration: pick(try [MediaTime(1001, 30_000), MediaTime(1, 25)]),
      color: pick([nil, .bt709, .bt2020PQ, ColorTags(.smpte432, .srgb, .unknown, .full)]),
      toneMap: pick(ToneMap.allCases), blending: pick(Blending.allCases),
      instructions: try ranges.map { Instruction(timeRange: $0, backgroundColor: color(), content: try content(tracks)) })
  }

  private mutating func content(_ tracks: [TrackID]) throws -> Instruction.Content {
    if int(0...5) == 0 { return .compositor(try compositor(tracks)) }
    guard chance() else { return .layerInstructions(try (0..<int(0...3)).map { _ in try layer(tracks) }) }
    return .transition(
      Transition(effect(), from: try layer(tracks), to: try layer(tracks), easing: pick([.linear, .easeInOut])))
  }

  private mutating func compositor(_ tracks: [TrackID]) throws -> CompositorInstruction {
    let passthrough = try layer(tracks)
    return CompositorInstruction(
      name: pick(["curl", "org.example.Curl-2_b"]), requiredTracks: Set(tracks).sorted(),
      passthrough: chance() ? passthrough : nil, containsTweening: chance(), enablePostProcessing: chance())
  }

  private mutating func effect() -> Transition.Effect {
    let edge = Transition.WipeEdge(
      softness: pick([0, double(0...1)]), borderWidth: 0.02, borderColor: color(), isReversed: chance())
    return pick([
      .dissolve, .dip(color()), .motion(pick(Transition.Motion.allCases), pick(Transition.Side.allCases)),
      .zoom(pick(Transition.Zoom.allCases)), .blurDissolve(radius: double(0.001...0.5)),
      .wipe(.smpte(pick(SMPTEWipe.allCases)), chance() ? edge : Transition.WipeEdge()),
      .wipe(.image(AssetID("a")), edge),
    ])
  }

  private mutating func layer(_ tracks: [TrackID]) throws -> LayerInstruction {
    LayerInstruction(
      track: pick(tracks), gravity: pick(Gravity.allCases), opacity: try moving { $0.double(0...1) },
      transform: try moving { AffineTransform(1 + $0.double(0...2), 0, $0.double(0...1), 1, $0.double(-1e6...1e6), 1e-7) },
      crop: try moving { $0.rect() }
    ).laying(cropAlone: chance())
  }

  private mutating func export(_ composition: Composition) throws -> ExportSettings {
    let duration = composition.duration
    var video = VideoCodecSettings.usual(pick(VideoCodec.allCases.filter { ![.gif, .mpeg2, .png, .webp, .tiff].contains($0) }))
    for key in video.coding.coder.keys {
      switch key.form {
      case .number(let range): video.coding.set(key.name, to: .number(max(range.lowerBound, pick([20, 18]))))
      case .word(let words): video.coding.set(key.name, to: .word(pick(words)))
      case .quality: break
      }
    }
    if video.coding.coder.keys.contains(.quality), chance() {
      let measure = pick(QualityTarget.Measure.allCases)
      video.coding.set(QualityTarget.key, to: .quality(QualityTarget(measure, double(measure.range))))
    }
    video.bitDepth = pick(video.coding.coder.bitDepths)
    video.hdrMetadata = HDRMetadata(
      masteringDisplay: chance() ? masteringDisplay() : nil,
      contentLight: chance() ? ContentLight(maximum: int(0...65_535), frameAverage: int(0...400)) : nil)
    let audio = audio(beside: video)
    // MPEG-2 and MXF have few sizes and rates.
    // Neither pieces nor transport streams have a size that can be foreseen.
    let isSized = if case .fileSize? = video.coding.coder.rateTarget { true } else { false }
    let types = FileType.allCases.filter {
      $0 != .mxf && !(isSized && ($0 == .cmaf || $0 == .mpegts)) && video.codec.fileTypes.contains($0)
        && audio.codec.fileTypes.contains($0)
    }
    let type = pick(types)
    var settings = ExportSettings(
      fileType: type, video: video, audio: audio, optimizeForNetworkUse: type.hasMovableIndex && chance(),
      timeRange: chance()
        ? nil : try MediaTimeRange(start: min(time(0...10), MediaTime(Rational(duration) / Rational(2))), duration: time(1...10)))
    settings.renderScale = chance() ? 1 : double(0.01...1)
    settings.loudness = chance() ? LoudnessTarget(integrated: double(-70...0), truePeak: pick([-1, double(-60...0)])) : nil
    let tracks = composition.tracks.filter { $0.media == .audio }.map(\.id)
    try apart { edit in
      if type.holdsSound, edit.chance() { settings.effects = try edit.effects() }
      if type.holdsRenditions, video.coding.coder.rateTarget == nil, video.coding.coder.qualityTarget == nil, edit.chance() {
        settings.renditions = edit.renditions(beside: settings.video)
      }
      if type.holdsSounds, !tracks.isEmpty, edit.chance() { settings.sounds = edit.sounds(of: tracks, settings) }
      if type.hasStills {
        settings.poster = edit.pick([nil, MoviePoster(width: 2 * edit.int(8...4_096))])
        let thumbnails = MovieThumbnails(
          every: MediaTime(seconds: Int64(edit.int(1...3_600))), width: 2 * edit.int(8...320), columns: edit.int(1...20))
        settings.thumbnails = edit.pick([nil, thumbnails])
      }
      if type.holdsCustomTags, edit.chance() { settings.tags.custom = ["org.example.a_b": "x \"é\"", "Take": "7"] }
      if type.holdsPictureLanguage { settings.tags.language = edit.pick([nil, "de", "jpn"]) }
      let isMixed = settings.loudness != nil || !settings.effects.isEmpty || !settings.sounds.isEmpty
      let isSized = if case .fileSize? = settings.video.coding.coder.rateTarget { true } else { false }
      if audio.codec == .aac, [.mp4, .mov].contains(type), settings.fragmentInterval == nil, !isMixed, !isSized {
        settings.audio.copy = edit.pick(CopyRule.allCases)
      }
    }
    return settings
  }

  private mutating func audio(beside video: VideoCodecSettings) -> AudioCodecSettings {
    let sounds = AudioCodec.allCases.filter { !Set($0.fileTypes).isDisjoint(with: video.codec.fileTypes) }
    var audio = AudioCodecSettings.usual(pick(sounds))
    if audio.codec == .pcm { audio.coding = .pcm(PCM(samples: pick(PCM.Samples.allCases))) }
    audio.sampleRate = pick(audio.codec.sampleRates)
    if !audio.codec.isLossless { audio.coding.bitRate = int(48...320) * 1_000 }
    audio.channelLayout = pick([.mono, .stereo])
    audio.fitBitRate()
    return audio
  }

  private mutating func renditions(beside main: VideoCodecSettings) -> [Rendition] {
    (0..<int(1...3)).map { _ in
      let size = PixelSize(2 * int(8...960), 2 * int(8...540))
      var video = main
      if chance() { video.coding.set("crf", to: .number(Double(int(20...40)))) }
      if chance() { video.coding.set("speed", to: .word("fast")) }
      if chance() {
        let rate = Double(int(1...9)) * 1_000_000
        for key in ["maxBitRate", "bufferSize"] { video.coding.set(key, to: .number(rate)) }
      }
      return Rendition(chance() ? .exact(size) : .within(size), video)
    }
  }

  private mutating func sounds(of tracks: [TrackID], _ settings: ExportSettings) -> [MovieSound] {
    let (count, own) = (int(1...3), settings.audio.codec.isLossless ? nil : int(48...320) * 1_000)
    let chosen = settings.fileType.describesSounds ? int(0...count - 1) : 0
    return (0..<count).map { index in
      var audio = settings.audio
      if let own, chance() { audio.coding.bitRate = own }
      if chance() { audio.channelLayout = pick([.mono, .stereo]) }
      audio.fitBitRate()
      return MovieSound(
        of: tracks.filter { _ in chance() } + [pick(tracks)], language: pick([nil, "en", "deu"]),
        title: settings.fileType.describesSounds ? pick([nil, "Ton \"é\""]) : nil, isDefault: index == chosen, audio: audio,
        loudness: chance() ? settings.loudness : LoudnessTarget(integrated: double(-70...0)))
    }
  }

  private mutating func masteringDisplay() -> MasteringDisplay {
    MasteringDisplay(
      red: SIMD2(double(0...1), double(0...1)), green: SIMD2(0.17, 0.797), blue: SIMD2(double(0...1), 0),
      white: SIMD2(0.3127, 0.329), luminance: double(0...1)...double(2...10_000))
  }

  // MARK: - Values

  /// A value over time: nothing, a constant (not the neutral value), or keyframes.
  mutating func moving<Value>(_ value: (inout RandomEdit) -> Value) throws -> Envelope<Value> {
    switch int(0...2) {
    case 0: return Envelope()
    case 1: return Envelope(constant: value(&self))
    default:
      let times = try (0..<int(1...3)).map { _ in try time(1...900) }.sorted()
      let easings: [Easing] = [
        .linear, .easeIn, .easeOut, .easeInOut, .bezier(x1: 0.1, y1: -0.5, x2: 0.25, y2: 1.75),
        .sineIn, .sineOut, .spring(Spring(mass: 2, damping: 7)),
      ]
      return Envelope(times.map { .init($0, value(&self), holds: chance(), easing: pick(easings)) })
    }
  }

  private mutating func time(_ range: ClosedRange<Int64>) throws -> MediaTime {
    let scale = pick([1, 10, 25, 1001] as [Int64])
    return try MediaTime(Int64.random(in: range.lowerBound * scale...range.upperBound * scale, using: &random), Int32(scale))
  }

  mutating func rect() -> Rect { Rect(double(-1e3...1e3), double(-1e3...1e3), double(1...1e3), Double(int(1...1_000))) }

  mutating func color() -> RGBAColor {
    chance() ? RGBAColor(Double(int(0...255)) / 255, 0, 1, alpha: Double(int(0...255)) / 255) : RGBAColor(double(0...1), 0.5, 0)
  }

  mutating func chance() -> Bool { random.chance(0.5) }
  mutating func int(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }
  mutating func double(_ range: ClosedRange<Double>) -> Double { Double.random(in: range, using: &random) }
  mutating func pick<Value>(_ values: [Value]) -> Value { values[Int.random(in: values.indices, using: &random)] }
}

extension LayerInstruction {
  /// The way of laying a crop means nothing without a crop, so it is set only with one.
  fileprivate func laying(cropAlone: Bool) -> LayerInstruction {
    var layer = self
    layer.laysCropAlone = cropAlone && !crop.keyframes.isEmpty
    return layer
  }
}
