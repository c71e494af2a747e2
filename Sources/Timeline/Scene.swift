package import MediaTime

/// What one output frame shows: a pure function of the edit and the frame's index (decision D2). Chunk borders,
/// workers and seeking cannot change it.
package struct Scene: Hashable, Sendable {
  package enum Picture: Hashable, Sendable {
    /// Bottommost first; tracks with nothing to show at this time are left out.
    case layers([PlacedPicture])
    /// `progress` in 0...1; a side that has nothing to show is the background alone.
    case transition(Transition.Effect, from: PlacedPicture?, to: PlacedPicture?, progress: Double)
    /// The task of a compositor of the user's own.
    case composed(ComposedPicture)
  }

  /// On the composition's clock.
  package let time: MediaTime
  package let background: RGBAColor
  package let picture: Picture
  /// Positions in `timeline.layers`, bottommost first.
  package let overlays: [Int]

  package init(time: MediaTime, background: RGBAColor, picture: Picture, overlays: [Int]) {
    (self.time, self.background, self.picture, self.overlays) = (time, background, picture, overlays)
  }

  /// The still picture that a wipe of the scene goes by.
  package var wipeMap: AssetID? {
    if case .transition(.wipe(.image(let asset), _), _, _, _) = picture { asset } else { nil }
  }

  /// The source frames that the scene needs.
  package var placedPictures: [PlacedPicture] {
    switch picture {
    case .layers(let layers): layers
    case .transition(_, let from, let to, _): [from, to].compactMap(\.self)
    case .composed(let composed): composed.sources
    }
  }
}

extension Scene.Picture {
  /// Where pictures go, without which of their frames: two scenes that agree in this and in their source frames look alike.
  package var withoutTimes: Scene.Picture {
    switch self {
    case .layers(let layers): .layers(layers.map(\.withoutTime))
    case .transition(let effect, let from, let to, let progress):
      .transition(effect, from: from?.withoutTime, to: to?.withoutTime, progress: progress)
    case .composed: self
    }
  }
}

/// What a compositor is given at one moment.
package struct ComposedPicture: Hashable, Sendable {
  /// Position in `videoComposition.instructions`.
  package let instruction: Int
  /// The source frame of each required track that shows something, in the order of the instruction, as it is: whole, opaque,
  /// from the frame's corner.
  package let sources: [PlacedPicture]
  /// The passthrough track's picture as it is laid into the frame; nil without such a track, or where it shows nothing.
  package let passthrough: PlacedPicture?
}

/// A source frame and where it goes.
package struct PlacedPicture: Hashable, Sendable {
  /// The composition track it comes from.
  package let track: TrackID
  package let source: SegmentSource
  /// On the source's clock; the frame shown is the last one whose time is not after it.
  package let sourceTime: Rational
  /// Played backwards: the frame shown is the last one whose time is before `sourceTime`.
  package let isReversed: Bool
  /// In display-size pixels; nil is the whole picture.
  package let crop: Rect?
  /// From display-size pixels to render pixels.
  package let transform: AffineTransform
  /// 0...1.
  package let opacity: Double

  package init(
    track: TrackID, source: SegmentSource, sourceTime: Rational, isReversed: Bool = false, crop: Rect?,
    transform: AffineTransform, opacity: Double
  ) {
    (self.track, self.source, self.sourceTime, self.isReversed) = (track, source, sourceTime, isReversed)
    (self.crop, self.transform, self.opacity) = (crop, transform, opacity)
  }

  fileprivate var withoutTime: PlacedPicture {
    PlacedPicture(track: track, source: source, sourceTime: Rational(0), crop: crop, transform: transform, opacity: opacity)
  }
}

extension ResolvedTimeline {
  /// The scene of output frame `index`, counted from the start of the exported range.
  ///
  /// - Precondition: the edit has a picture and `index` lies in `0..<frameCount`.
  package func scene(at index: Int) throws(TimeError) -> Scene {
    guard let composition = videoComposition else { preconditionFailure("the edit has no picture") }
    let time = try exportRange.start + composition.frameDuration * Int64(index)
    guard let position = composition.position(at: time) else { preconditionFailure("no instruction at \(time)") }
    var overlays: [Int] = []
    for (index, layer) in timeline.layers.enumerated() where try layer.isSeen(at: time) { overlays.append(index) }
    return try Scene(
      time: time, background: composition.instructions[position].backgroundColor,
      picture: picture(composition.instructions[position], position, at: time), overlays: overlays)
  }

  private func picture(_ instruction: Instruction, _ position: Int, at time: MediaTime) throws(TimeError) -> Scene.Picture {
    switch instruction.content {
    case .layers(let layers):
      var placed: [PlacedPicture] = []
      for layer in layers.reversed() {
        if let picture = try place(layer, at: time), picture.opacity > 0 { placed.append(picture) }
      }
      return .layers(placed)
    case .transition(let transition):
      return try .transition(
        transition.effect, from: place(transition.from, at: time), to: place(transition.to, at: time),
        progress: transition.progress(at: instruction.timeRange.progress(at: time)))
    case .compositor(let compositor):
      var sources: [PlacedPicture] = []
      for track in compositor.requiredTracks {
        if let picture = try place(LayerInstruction(track: track), at: time) { sources.append(picture) }
      }
      let passthrough = if let layer = compositor.passthrough { try place(layer, at: time) } else { PlacedPicture?.none }
      return .composed(ComposedPicture(instruction: position, sources: sources, passthrough: passthrough))
    }
  }

  private func place(_ layer: LayerInstruction, at time: MediaTime) throws(TimeError) -> PlacedPicture? {
    guard let videoComposition, let track = timeline.composition.track(layer.track),
      case .media(let source, let mapping)? = track.segment(at: time)
    else { return nil }
    let sourceTime = try mapping.sourceTime(at: time)
    guard try isShown(source, at: sourceTime, orJustBefore: mapping.isReversed) else { return nil }
    let crop = try layer.crop.rect(at: time)
    // An easing that overshoots may take a crop beyond nothing.
    if let crop, crop.width <= 0 || crop.height <= 0 { return nil }
    let whole = Rect(picture(of: source).displaySize)
    let gravity = layer.gravity.placement(
      of: layer.laysCropAlone ? crop ?? whole : whole, in: Rect(videoComposition.renderSize))
    return try PlacedPicture(
      track: layer.track, source: source, sourceTime: sourceTime, isReversed: mapping.isReversed, crop: crop,
      transform: gravity.then(layer.transform.value(at: time, neutral: .identity)),
      opacity: min(max(layer.opacity.value(at: time, neutral: 1), 0), 1))
  }
}

extension ResolvedTimeline {
  /// Whether a source has a picture at `time` of its own clock, or just before it: a track that starts late has none until
  /// its first, as if an empty edit came before it. A first picture that is late by less than its own length counts as on
  /// time: that much is how containers round, and what sound is put earlier for its priming.
  private func isShown(_ source: SegmentSource, at time: Rational, orJustBefore isReversed: Bool) throws(TimeError) -> Bool {
    guard case .asset(let asset, let position) = source else { return true }
    let track = track(position, of: asset, media: .video)
    let start = track.timeRange.start
    guard start > .zero, case .video(let video) = track.detail else { return true }
    if let rate = video.nominalFrameRate, try Rational(start) * Rational(rate) < Rational(1) { return true }
    return isReversed ? time > Rational(start) : time >= Rational(start)
  }
}

extension VideoComposition {
  /// The position of the instruction in force at `time`; past the last one's end (a final frame that the duration cuts short never
  /// starts there) nil. Binary search: edits have thousands of instructions.
  package func position(at time: MediaTime) -> Int? {
    var (low, high) = (0, instructions.count)
    while low < high {
      let middle = (low + high) / 2
      if instructions[middle].timeRange.end <= time { low = middle + 1 } else { high = middle }
    }
    guard low < instructions.count, instructions[low].timeRange.contains(time) else { return nil }
    return low
  }
}

extension Envelope<Rect> {
  /// The crop in force at `time`, nil when there is none.
  fileprivate func rect(at time: MediaTime) throws(TimeError) -> Rect? {
    guard let span = try span(at: time) else { return nil }
    return span.progress == 0 ? span.from : span.from.interpolated(to: span.to, progress: span.progress)
  }
}
