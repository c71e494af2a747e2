internal import Formats
package import MediaTime
internal import Timeline

extension ResolvedTimeline {
  /// The scene of output frame `index`, which counts from the start of the exported range.
  ///
  /// - Precondition: the edit has a picture and `index` lies in `0..<frameCount`.
  package func scene(at index: Int) throws(TimeError) -> Scene { try scene(at: index, keeping: nil) }

  /// The same scene.
  ///
  /// - Parameter kept: what is kept of the edit's other scenes; nil where nothing is.
  func scene(at index: Int, keeping kept: KeptScene?) throws(TimeError) -> Scene {
    let time = try time(ofFrame: index)
    let whole = try scene(at: time, path: [], keeping: kept)
    guard let fields = timeline.export.video.fields, let composition = videoComposition else { return whole }
    // The last frame may begin less than half a frame before the end. Both its fields show its own moment then.
    let later = try time + composition.halfFrame
    let second = later < exportRange.end ? try scene(at: later, path: [], keeping: kept) : whole
    let (size, inner) = (whole.canvas.outputSize, whole.canvas)
    let canvas = Scene.Canvas(
      renderSize: size, outputSize: size, bitDepth: inner.bitDepth, chroma: inner.chroma, color: inner.color,
      toneMap: inner.toneMap, blending: .encoded)
    return Scene(canvas: canvas, background: .black, nodes: [.woven(Scene.Woven(whole, second, fields))])
  }

  /// The time of output frame `index` on the composition's clock.
  ///
  /// - Precondition: the edit has a picture.
  package func time(ofFrame index: Int) throws(TimeError) -> MediaTime {
    guard let composition = videoComposition else { preconditionFailure("the edit has no picture") }
    return try exportRange.start + composition.frameDuration * Int64(index)
  }

  /// The scene of a moment of the composition's clock.
  ///
  /// - Parameters:
  ///   - path: the tracks that lead to the edit.
  ///   - kept: what is kept of this edit's other scenes; nil where nothing is.
  fileprivate func scene(at time: MediaTime, path: [TrackID], keeping kept: KeptScene?) throws(TimeError) -> Scene {
    guard let composition = videoComposition else { preconditionFailure("the edit has no picture") }
    guard let position = composition.position(at: time) else { preconditionFailure("no instruction at \(time)") }
    let instruction = composition.instructions[position]
    let maker = SceneMaker(edit: self, composition: composition, path: path, time: time, kept: kept)
    let layers = timeline.layers.isEmpty && timeline.captions.isEmpty ? [] : try LayerMaker(maker, instruction).nodes
    let isInLayers = kept?.showsVideo(timeline.layers) ?? timeline.layers.showVideo
    var parts = layers
    if instruction.content.isComposed {
      let stills = layers.flatMap(\.wrappedValue)
      parts = [Shared(wrappedValue: try maker.nodes(of: instruction, under: stills, isInLayers: isInLayers))]
    } else if !isInLayers {
      parts.insert(Shared(wrappedValue: try maker.nodes(of: instruction, under: [])), at: 0)
    }
    return Scene(
      kept?.canvas(maker.canvas) ?? Shared(wrappedValue: maker.canvas), background: instruction.backgroundColor, parts)
  }
}

/// Evaluates an edit at one moment.
struct SceneMaker {
  let edit: ResolvedTimeline
  let composition: VideoComposition
  /// The tracks that lead to the edit.
  let path: [TrackID]
  /// The moment on the composition's clock.
  let time: MediaTime
  /// The memory of the edit's other scenes; nil where nothing is kept.
  let kept: KeptScene?

  /// The time from one moment that is drawn to the next: a frame, or a field. A nested composition shows its own frames.
  var momentDuration: MediaTime {
    get throws(TimeError) {
      path.isEmpty && edit.timeline.export.video.fields != nil ? try composition.halfFrame : composition.frameDuration
    }
  }

  var canvas: Scene.Canvas {
    Scene.Canvas(
      renderSize: composition.renderSize, outputSize: composition.outputSize,
      bitDepth: edit.timeline.export.video.bitDepth, chroma: edit.timeline.export.video.chroma,
      hasAlpha: edit.timeline.export.video.hasAlpha, color: edit.color, toneMap: composition.toneMap,
      blending: composition.blending)
  }

  // MARK: - Instructions

  /// The nodes of an instruction, with the layers over it.
  ///
  /// - Parameter isInLayers: whether the layers show the instruction's content themselves.
  func nodes(
    of instruction: Instruction, under stills: [Scene.Node], isInLayers: Bool = false
  ) throws(TimeError) -> [Scene.Node] {
    if isInLayers, !instruction.content.isComposed { return stills }
    switch instruction.content {
    case .layerInstructions(let layers):
      var nodes: [Scene.Node] = []
      for layer in layers.reversed() { nodes += try self.nodes(of: layer) }
      return nodes + stills
    case .transition(let transition):
      let progress = transition.progress(at: try instruction.timeRange.progress(at: time))
      return try [
        .transition(transition.effect, from: nodes(of: transition.from), to: nodes(of: transition.to), progress: progress)
      ] + stills
    case .compositor(let compositor):
      return [
        .composed(
          Scene.Composed(
            statement: compositor.statement(in: instruction.timeRange), time: time, frameDuration: composition.frameDuration,
            content: try content(of: compositor, in: instruction.timeRange), stills: stills,
            isInLayers: isInLayers))
      ]
    }
  }

  private func content(
    of compositor: CompositorInstruction, in range: MediaTimeRange
  ) throws(TimeError) -> Scene.Composed.Content {
    var sources: [Scene.Composed.Source] = []
    for track in compositor.requiredTracks {
      if let (picture, _) = try placed(LayerInstruction(track: track)) { sources.append(.init(track: track, picture: picture)) }
    }
    if let layer = compositor.passthrough, sources.map(\.track) == [layer.track], let (picture, placement) = try placed(layer) {
      return .passthrough(placement.opacity > 0 ? [.picture(picture, placement)] : [])
    }
    return .request(sources, progress: try range.progress(at: time))
  }

  // MARK: - Layers

  /// The layer's node; none where nothing of the layer can be seen.
  private func nodes(of layer: LayerInstruction) throws(TimeError) -> [Scene.Node] {
    guard let (picture, placement) = try placed(layer), placement.opacity > 0 else { return [] }
    return [.picture(picture, placement)]
  }

  /// The layer's picture and its placement; nil where the track shows nothing, or its crop leaves nothing. The opacity may be 0.
  private func placed(_ layer: LayerInstruction) throws(TimeError) -> (Scene.Picture, Scene.Placement)? {
    guard let (picture, whole) = try shown(on: layer.track) else { return nil }
    let crop = try layer.crop.rect(at: time)
    // An easing that overshoots may shrink a crop to nothing, or further.
    if let crop, crop.width <= 0 || crop.height <= 0 { return nil }
    let gravity = layer.gravity.placement(
      of: layer.laysCropAlone ? crop ?? whole : whole, in: Rect(composition.renderSize))
    let placement = try Scene.Placement(
      crop: crop, transform: gravity.then(layer.transform.value(at: time, neutral: .identity)),
      opacity: min(max(layer.opacity.value(at: time, neutral: 1), 0), 1))
    return (picture, placement)
  }

  /// The picture that a track shows, and its rectangle in display-size pixels; nil where it shows nothing.
  func shown(on track: TrackID) throws(TimeError) -> (picture: Scene.Picture, whole: Rect)? {
    guard case .media(let source, let mapping)? = edit.timeline.composition.track(track)?.segment(at: time) else { return nil }
    let sourceTime = try mapping.sourceTime(at: time)
    let isReversed = try mapping.isReversed(at: time)
    guard try edit.isShown(source, at: sourceTime, orJustBefore: isReversed) else { return nil }
    return (try picture(of: source, on: track, at: sourceTime, isReversed), Rect(edit.picture(of: source).displaySize))
  }

  /// The picture of an asset that a layer plays at `time` of its clock, and its rectangle in display-size pixels. It stands still
  /// before its first picture.
  func played(_ asset: AssetID, at time: MediaTime, loops: Bool) throws(TimeError) -> (picture: Scene.Picture, whole: Rect) {
    let track = edit.track(0, of: asset, media: .video)
    let length = Rational(track.timeRange.end)
    var place = Rational(max(time, .zero))
    if loops, length > Rational(0) {
      place = try place - length * Rational((place / length).wholePart, over: 1)
    }
    let clip = clip(asset, 0)
    // No track of an edit has such a name, so the layer has a reader of its own.
    let path = path + [TrackID("\u{0}\(asset)")]
    return (
      Scene.Picture(.clip(clip), path: path, time: max(place, Rational(track.timeRange.start))), Rect(clip.video.displaySize)
    )
  }

  private func clip(_ asset: AssetID, _ position: Int) -> Scene.Clip {
    let source = SegmentSource.asset(asset, trackPosition: position)
    let facts =
      kept?.facts(of: source, of: edit) ?? Shared(wrappedValue: edit.picture(of: source))
    return Scene.Clip(asset, trackPosition: position, facts, treatment: edit.timeline.treatment(of: asset))
  }

  /// The frame of an instruction as a scene of its own, without layers.
  func video(of instruction: Instruction) throws(TimeError) -> Scene {
    let canvas = Scene.Canvas(
      renderSize: canvas.renderSize, outputSize: canvas.renderSize, bitDepth: canvas.bitDepth, chroma: canvas.chroma,
      hasAlpha: canvas.hasAlpha, color: canvas.color, toneMap: canvas.toneMap, blending: canvas.blending)
    return Scene(canvas: canvas, background: instruction.backgroundColor, nodes: try nodes(of: instruction, under: []))
  }

  private func picture(
    of source: SegmentSource, on track: TrackID, at time: Rational, _ isReversed: Bool
  ) throws(TimeError) -> Scene.Picture {
    let path = path + [track]
    switch source {
    case .asset(let asset, let position):
      return Scene.Picture(.clip(clip(asset, position)), path: path, time: time, isReversed: isReversed)
    case .composition(let id):
      let nested = edit.edit(of: id)
      let index = try nested.frameIndex(at: time, orJustBefore: isReversed)
      let scene = try nested.scene(at: nested.time(ofFrame: index), path: path, keeping: kept?.nested(id))
      return Scene.Picture(.nested(id, scene), path: path, time: time, isReversed: isReversed)
    }
  }
}

extension ResolvedTimeline {
  /// Whether a source has a picture at `time` of its own clock, or just before it. A track that starts late has no picture before
  /// its first one, as if it began with a gap. A first picture that is late by less than its own length counts as being on time:
  /// containers round by that much, and sound may be put earlier by that much for its priming.
  fileprivate func isShown(_ source: SegmentSource, at time: Rational, orJustBefore isReversed: Bool) throws(TimeError) -> Bool {
    guard case .asset(let asset, let position) = source else { return true }
    let track = track(position, of: asset, media: .video)
    let start = track.timeRange.start
    guard start > .zero, case .video(let video) = track.detail else { return true }
    if let rate = video.nominalFrameRate, try Rational(start) * Rational(rate) < Rational(1) { return true }
    return isReversed ? time > Rational(start) : time >= Rational(start)
  }
}

extension Instruction.Content {
  /// Whether a compositor of the user's own makes the frame.
  fileprivate var isComposed: Bool { if case .compositor = self { true } else { false } }
}

extension VideoComposition {
  /// The position of the instruction in force at `time`. It is nil before the first instruction and after the last one. No frame
  /// starts after the last one, since a frame that the edit's end cuts short still starts before that end. The search is binary,
  /// since edits have thousands of instructions.
  package func position(at time: MediaTime) -> Int? {
    let position = instructions.partitioningIndex { $0.timeRange.end > time }
    guard position < instructions.count, instructions[position].timeRange.contains(time) else { return nil }
    return position
  }
}

extension Envelope<Rect> {
  /// The crop in force at `time`; nil when there is none.
  fileprivate func rect(at time: MediaTime) throws(TimeError) -> Rect? {
    guard let span = try span(at: time) else { return nil }
    return span.progress == 0 ? span.from : span.from.interpolated(to: span.to, progress: span.progress)
  }
}
