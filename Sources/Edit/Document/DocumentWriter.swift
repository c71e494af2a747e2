internal import Formats
internal import JSON
internal import MediaTime
internal import Timeline

/// Writes a timeline as a document of version 1. Usual values are left out.
///
/// - Precondition: every number in the timeline is finite.
struct DocumentWriter {
  private let timeline: Timeline
  let duration: MediaTime

  init(_ timeline: Timeline) {
    self.timeline = timeline
    duration = timeline.composition.duration
  }

  func document() -> JSONValue {
    .object([
      "spool": .integer(1),
      "assets": unlessEmpty(timeline.assets) { assets in
        .object(assets.map { .init(key: $0.rawValue, value: asset($1, timeline.treatment(of: $0))) })
      },
      "compositions": unlessEmpty(timeline.compositions) { compositions in
        .object(
          compositions.map { id, nested in
            .init(key: id.rawValue, value: DocumentWriter(timeline.edit(of: nested)).nestedComposition())
          })
      },
      "composition": .object(["tracks": .array(timeline.composition.tracks.map(track))]),
      "videoComposition": timeline.videoComposition.map(videoComposition),
      "layers": unlessEmpty(timeline.layers) { .array($0.map(layer)) },
      "captions": unlessEmpty(timeline.captions) { .array($0.map(captions)) },
      "audioMix": unlessEmpty(timeline.audioMix.inputParameters) { .array($0.map(audioMixInput)) },
      "export": export(timeline.export),
    ])
  }

  private func asset(_ asset: Asset, _ treatment: AssetTreatment) -> JSONValue {
    let usual = AssetTreatment()
    let (path, url, data): (String?, String?, String?) =
      switch asset {
      case .file(let path): (path, nil, nil)
      case .remote(let url): (nil, url.text, nil)
      case .embedded(let data): (nil, nil, data.text)
      }
    return .object([
      "path": path.map(JSONValue.string), "url": url.map(JSONValue.string), "data": data.map(JSONValue.string),
      "kind": treatment.font == nil ? nil : .string(AssetKind.font.rawValue), "face": treatment.font.flatMap(face),
      "damage": treatment.damage == usual.damage ? nil : .string(treatment.damage.rawValue),
      "interlace": treatment.interlace == usual.interlace ? nil : .string(treatment.interlace.rawValue),
    ])
  }

  private func face(_ choice: FontChoice) -> JSONValue? {
    switch choice {
    case .only: nil
    case .number(let number): .integer(number)
    case .name(let name): .string(name)
    }
  }

  private func nestedComposition() -> JSONValue {
    .object([
      "tracks": .array(timeline.composition.tracks.map(track)),
      "videoComposition": timeline.videoComposition.map(videoComposition),
      "layers": unlessEmpty(timeline.layers) { .array($0.map(layer)) },
      "captions": unlessEmpty(timeline.captions) { .array($0.map(captions)) },
      "audioMix": unlessEmpty(timeline.audioMix.inputParameters) { .array($0.map(audioMixInput)) },
    ])
  }

  // MARK: - Composition

  private func track(_ track: CompositionTrack) -> JSONValue {
    var segments: [JSONValue] = []
    var end = MediaTime.zero
    for (source, mapping) in track.clips {
      segments.append(segment(source, mapping, after: end))
      end = mapping.target.end
    }
    return .object([
      "id": .string(track.id.rawValue), "media": .string(track.media.rawValue), "segments": .array(segments),
      "crossfade": unless(track.crossfade, .zero, time),
    ])
  }

  private func segment(_ source: SegmentSource, _ mapping: TimeMapping, after end: MediaTime) -> JSONValue {
    let (asset, composition, position): (AssetID?, CompositionID?, Int) =
      switch source {
      case .asset(let id, let position): (id, nil, position)
      case .composition(let id): (nil, id, 0)
      }
    return .object([
      "asset": asset.map { .string($0.rawValue) },
      "composition": composition.map { .string($0.rawValue) },
      "source": mapping.curve == nil ? range(mapping.source) : nil,
      "at": unless(mapping.target.start, end, time),
      "duration": mapping.curve == nil ? unless(mapping.target.duration, mapping.source.duration, time) : nil,
      "sourceTrack": unless(position, 0, JSONValue.integer),
      "reversed": unless(mapping.isReversed, false, JSONValue.bool),
      "timeMap": mapping.curve.map(timeMap),
    ])
  }

  /// The points of a curve. A piece of constant speed is said by the source time at its end, a ramp by the speed there.
  private func timeMap(_ curve: TimeCurve) -> JSONValue {
    let first = curve.pieces[0]
    let start = JSONValue.object([
      "at": time(.zero), "source": time(first.source), "speed": first.isRamp ? fraction(first.speed) : nil,
    ])
    return .array(
      [start]
        + curve.pieces.map { piece in
          .object([
            "at": time(piece.end), "source": piece.isRamp ? nil : time(piece.sourceEnd),
            "speed": piece.isRamp ? fraction(piece.endSpeed) : nil,
          ])
        })
  }

  // MARK: - Video composition

  private func videoComposition(_ composition: VideoComposition) -> JSONValue {
    .object([
      "renderSize": .array([.integer(composition.renderSize.width), .integer(composition.renderSize.height)]),
      "renderScale": unless(composition.renderScale, 1, JSONValue.double),
      "frameDuration": time(composition.frameDuration),
      "color": composition.color.map(colorTags),
      "toneMap": unless(composition.toneMap, .bt2390) { .string($0.rawValue) },
      "blending": unless(composition.blending, .encoded) { .string($0.rawValue) },
      "instructions": .array(composition.instructions.map(instruction)),
    ])
  }

  private func colorTags(_ tags: ColorTags) -> JSONValue {
    if let named = ColorTags.named.first(where: { $0.tags == tags }) { return .string(named.name) }
    return .object([
      "primaries": .string(tags.primaries.rawValue), "transfer": .string(tags.transfer.rawValue),
      "matrix": .string(tags.matrix.rawValue), "range": unless(tags.range, .limited) { .string($0.rawValue) },
    ])
  }

  private func instruction(_ instruction: Instruction) -> JSONValue {
    let (layers, transition, compositor): (JSONValue?, JSONValue?, JSONValue?) =
      switch instruction.content {
      case .layerInstructions(let layers): (unlessEmpty(layers) { .array($0.map(layerInstruction)) }, nil, nil)
      case .transition(let transition): (nil, self.transition(transition), nil)
      case .compositor(let compositor): (nil, nil, self.compositor(compositor))
      }
    return .object([
      "timeRange": range(instruction.timeRange),
      "background": unless(instruction.backgroundColor, timeline.export.video.usualBackground, color),
      "layerInstructions": layers, "transition": transition, "compositor": compositor,
    ])
  }

  /// The layer as an object, or as the track's name alone where the rest is usual.
  func layerInstruction(_ layer: LayerInstruction) -> JSONValue {
    let object = JSONValue.object([
      "track": .string(layer.track.rawValue),
      "gravity": unless(layer.gravity, .none) { .string($0.rawValue) },
      "opacity": envelope(layer.opacity, neutral: 1, JSONValue.double),
      "transform": envelope(layer.transform, neutral: .identity, transform),
      layer.laysCropAlone ? "cropTo" : "crop": envelope(layer.crop, neutral: nil, rect),
    ])
    guard case .object(let members) = object, members.count == 1 else { return object }
    return members[0].value
  }

  private func compositor(_ compositor: CompositorInstruction) -> JSONValue {
    .object([
      "name": .string(compositor.name), "parameters": unless(compositor.parameters, .object([])) { $0 },
      "requiredTracks": .array(compositor.requiredTracks.map { .string($0.rawValue) }),
      "passthrough": compositor.passthrough.map(layerInstruction),
      "containsTweening": unless(compositor.containsTweening, true, JSONValue.bool),
      "enablePostProcessing": unless(compositor.enablePostProcessing, true, JSONValue.bool),
    ])
  }

  // MARK: - Sound

  private func audioMixInput(_ input: AudioMixInputParameters) -> JSONValue {
    .object([
      "track": .string(input.track.rawValue), "volume": envelope(input.volume, neutral: 1, JSONValue.double),
      "balance": envelope(input.balance, neutral: 0, JSONValue.double), "mute": unless(input.isMuted, false, JSONValue.bool),
      "solo": unless(input.isSolo, false, JSONValue.bool),
      "preservesPitch": unless(input.preservesPitch, false, JSONValue.bool), "loudness": input.loudness.map(trackLoudness),
      "channels": input.channels.map(channels), "effects": unlessEmpty(input.effects) { .array($0.map(effect)) },
      "duck": input.ducking.map(ducking),
    ])
  }

  /// The channels that are heard: by its number one that is a channel as it is, others by the factors of all.
  private func channels(_ map: ChannelMap) -> JSONValue {
    .array(
      map.rows.map { row in
        !row.isEmpty && row == ChannelMap.row(of: row.count - 1) ? .integer(row.count - 1) : .array(row.map(JSONValue.double))
      })
  }

  private func ducking(_ ducking: Ducking) -> JSONValue {
    .object([
      "under": .array(ducking.under.map { .string($0.rawValue) }),
      "by": unless(ducking.gain, Ducking.usualGain, JSONValue.double), "threshold": ducking.threshold.map(JSONValue.double),
      "attack": unless(ducking.attack, Ducking.usualAttack, time), "lookAhead": unless(ducking.lookAhead, ducking.attack, time),
      "hold": unless(ducking.hold, Ducking.usualHold, time), "release": unless(ducking.release, Ducking.usualRelease, time),
    ])
  }

  // MARK: - Export

  private func export(_ settings: ExportSettings) -> JSONValue? {
    let usual = ExportSettings()
    let (video, usualVideo) = (settings.video, VideoCodecSettings.usual(settings.video.codec))
    return unless(settings, usual) { settings in
      .object([
        "fileType": unless(settings.fileType, usual.fileType) { .string($0.rawValue) },
        "video": unless(video, usual.video) { video in
          own(
            video.coding,
            and: [
              "codec": unless(video.codec, usual.video.codec) { .string($0.rawValue) },
              "bitDepth": unless(video.bitDepth, usualVideo.bitDepth, JSONValue.integer),
              "alpha": unless(video.hasAlpha, false, JSONValue.bool),
              "fields": video.fields.map { .string(FieldWeave.Name($0.order).rawValue) },
              "fieldFilter": video.fields.flatMap { unless($0.filter, .lowPass) { .string($0.rawValue) } },
              "pixelAspectRatio": unless(video.pixelAspect, PixelSize(1, 1)) {
                .array([.integer($0.width), .integer($0.height)])
              },
              "copy": unless(video.copy, .never) { .string($0.rawValue) },
              "masteringDisplay": video.hdrMetadata?.masteringDisplay.map(masteringDisplay),
              "contentLight": video.hdrMetadata?.contentLight.map {
                .object(["maximum": .integer($0.maximum), "frameAverage": .integer($0.frameAverage)])
              },
            ])
        },
        "audio": unless(settings.audio, usual.audio) { audioSettings($0, besides: usual.audio) },
        "sounds": unlessEmpty(settings.sounds) { .array($0.enumerated().map { sound($1, at: $0, in: settings) }) },
        "effects": unlessEmpty(settings.effects) { .array($0.map(effect)) },
        "loudness": settings.loudness.map(loudness),
        "optimizeForNetworkUse": unless(settings.optimizeForNetworkUse, false, JSONValue.bool),
        "fragmentInterval": settings.fragmentInterval.map(time),
        "timecode": settings.timecode.map(timecode),
        "renditions": unlessEmpty(settings.renditions) { .array($0.map { rendition($0, beside: video) }) },
        "renderScale": unless(settings.renderScale, 1, JSONValue.double),
        "maximumSize": settings.maximumSize.map { .array([.integer($0.width), .integer($0.height)]) },
        "timeRange": settings.timeRange.map(range),
        "metadata": settings.tags.isEmpty && settings.keptTags == nil ? nil : metadata(settings.tags, settings.keptTags),
        "chapters": settings.chapters.isEmpty
          ? nil : .array(settings.chapters.map { .object(["at": time($0.start), "title": .string($0.title)]) }),
        "playCount": settings.playCount.map(JSONValue.integer),
        "sequence": settings.sequence.map { names in
          .object(["names": .string(names.pattern), "first": unless(names.first, 0, JSONValue.integer)])
        },
        "cleanAperture": settings.cleanAperture.map { .array([$0.x, $0.y, $0.width, $0.height].map { .integer(Int($0)) }) },
        "poster": settings.poster.map(poster),
        "thumbnails": settings.thumbnails.map(thumbnails),
        "checksum": settings.checksum.map { .string($0.rawValue) },
        "copies": settings.copies.map(copies),
      ])
    }
  }

  private func poster(_ poster: MoviePoster) -> JSONValue {
    .object(["at": poster.time.map(time), "width": poster.width.map(JSONValue.integer)])
  }

  private func thumbnails(_ thumbnails: MovieThumbnails) -> JSONValue {
    .object([
      "interval": unless(thumbnails.interval, MovieThumbnails.usualInterval, time),
      "width": unless(thumbnails.width, MovieThumbnails.usualWidth, JSONValue.integer),
      "columns": unless(thumbnails.columns, MovieThumbnails.usualColumns, JSONValue.integer),
    ])
  }

  private func copies(_ plan: CopyPlan) -> JSONValue {
    .object([
      "frames": .array(plan.frames.map { .array([.integer($0.lowerBound), .integer($0.count)]) }),
      "reorderDepth": unless(plan.reorderDepth, 0, JSONValue.integer),
      "parameterSets": plan.parameterSetID.map(JSONValue.integer), "sound": plan.soundSampleCount.map { .integer(Int($0)) },
      "priming": unless(plan.soundPriming, 0) { .integer(Int($0)) },
    ])
  }

  private func metadata(_ tags: MovieTags, _ kept: KeptTags?) -> JSONValue {
    let texts = MovieTags.Key.allCases.compactMap { key in
      tags.texts[key].map { JSONValue.Member(key: key.rawValue, value: .string($0)) }
    }
    let location = tags.location.map {
      JSONValue.Member(key: "location", value: .array([.double($0.latitude), .double($0.longitude)]))
    }
    let custom = tags.custom.sorted { $0.key < $1.key }.map { JSONValue.Member(key: $0.key, value: .string($0.value)) }
    let others = [
      location, tags.language.map { JSONValue.Member(key: "language", value: .string($0)) },
      custom.isEmpty ? nil : JSONValue.Member(key: "custom", value: .object(custom)),
      kept.map { JSONValue.Member(key: "from", value: .string($0.source.rawValue)) },
      kept.map { JSONValue.Member(key: "keep", value: .array($0.kinds.map { .string($0.rawValue) })) },
    ]
    return .object(texts + others.compactMap(\.self))
  }

  /// The codec's own settings where they are not the usual ones, and those of every codec.
  private func own(_ coding: VideoCoding, and common: KeyValuePairs<String, JSONValue?>) -> JSONValue {
    let own = coding.coder.keys.compactMap { key -> JSONValue.Member? in
      guard let value = coding.value(of: key.name), value != coding.codec.usual.value(of: key.name) else { return nil }
      return switch value {
      case .number(let number): JSONValue.Member(key: key.name, value: .double(number))
      case .word(let word): JSONValue.Member(key: key.name, value: .string(word))
      case .quality(let target):
        JSONValue.Member(key: key.name, value: .object([target.measure.rawValue: .double(target.value)]))
      }
    }
    return .object(own + common.compactMap { key, value in value.map { JSONValue.Member(key: key, value: $0) } })
  }

  private func masteringDisplay(_ display: MasteringDisplay) -> JSONValue {
    func point(_ point: SIMD2<Double>) -> JSONValue { .array([.double(point.x), .double(point.y)]) }
    return .object([
      "red": point(display.red), "green": point(display.green), "blue": point(display.blue), "white": point(display.white),
      "luminance": .array([.double(display.luminance.lowerBound), .double(display.luminance.upperBound)]),
    ])
  }

  // MARK: - Values

  func time(_ time: MediaTime) -> JSONValue { .string(time.description) }

  func range(_ range: MediaTimeRange) -> JSONValue {
    .object(["start": time(range.start), "duration": time(range.duration)])
  }

  func rect(_ rect: Rect) -> JSONValue { .array([rect.x, rect.y, rect.width, rect.height].map(JSONValue.double)) }

  func transform(_ map: AffineTransform) -> JSONValue {
    .array([map.a, map.b, map.c, map.d, map.tx, map.ty].map(JSONValue.double))
  }

  func color(_ color: RGBAColor) -> JSONValue {
    let components = [color.red, color.green, color.blue] + (color.alpha == 1 ? [] : [color.alpha])
    let bytes = components.map { (0...1).contains($0) ? Int($0 * 255 + 0.5) : 0 }
    guard zip(bytes, components).allSatisfy({ Double($0) / 255 == $1 }) else { return .array(components.map(JSONValue.double)) }
    return .string("#" + bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined())
  }

  func envelope<Value>(_ envelope: Envelope<Value>, neutral: Value?, _ write: (Value) -> JSONValue) -> JSONValue? {
    guard let first = envelope.keyframes.first, envelope != neutral.map({ Envelope(constant: $0) }) else { return nil }
    if envelope == Envelope(constant: first.value) { return write(first.value) }
    guard envelope.additions != nil || envelope.repetition != nil else {
      let keyframes = keyframes(envelope, write)
      return envelope.isCubic ? .object(["keyframes": keyframes, "calculation": .string("cubic")]) : keyframes
    }
    let summands = envelope.summands.enumerated().map { curve($1, isAdditive: $0 > 0, write) }
    return summands.count == 1 ? summands[0] : .array(summands)
  }

  private func keyframes<Value>(_ envelope: Envelope<Value>, _ write: (Value) -> JSONValue) -> JSONValue {
    .array(
      envelope.keyframes.map { keyframe in
        .object([
          "at": time(keyframe.time), "value": write(keyframe.value), "hold": unless(keyframe.holds, false, JSONValue.bool),
          "easing": unless(keyframe.easing, .linear, easing),
        ])
      })
  }

  private func curve<Value>(_ envelope: Envelope<Value>, isAdditive: Bool, _ write: (Value) -> JSONValue) -> JSONValue {
    .object([
      "keyframes": keyframes(envelope, write), "calculation": envelope.isCubic ? .string("cubic") : nil,
      "repeat": envelope.repetition.map { $0.count.map { .integer(Int($0)) } ?? .string("forever") },
      "cumulative": unless(envelope.repetition?.isCumulative ?? false, false, JSONValue.bool),
      "additive": unless(isAdditive, false, JSONValue.bool),
    ])
  }

  func easing(_ easing: Easing) -> JSONValue {
    if let named = Easing.named.first(where: { $0.easing == easing }) { return .string(named.name) }
    if case .spring(let spring) = easing { return self.spring(spring) }
    guard case .bezier(let x1, let y1, let x2, let y2) = easing else { preconditionFailure("linear has a name") }
    return .array([x1, y1, x2, y2].map(JSONValue.double))
  }

  func unless<Value: Equatable>(_ value: Value, _ usual: Value, _ write: (Value) -> JSONValue) -> JSONValue? {
    value == usual ? nil : write(value)
  }

  func unlessEmpty<Values: Collection>(_ values: Values, _ write: (Values) -> JSONValue) -> JSONValue? {
    values.isEmpty ? nil : write(values)
  }
}
