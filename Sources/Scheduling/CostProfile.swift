package import MediaTime
package import Timeline

/// What each output frame of an edit is expected to cost, in seconds of one core, and where its cuts are.
///
/// Between the borders of instructions, segments and overlays the cost is taken as constant, so that the profile is as
/// long as the edit has borders, not frames.
package struct CostProfile: Hashable, Sendable {
  package struct Span: Hashable, Sendable {
    package var frames: Range<Int>
    /// Positive.
    package var secondsPerFrame: Double
    /// What a chunk that starts here spends before its first frame: decoding from the keyframes before it.
    package var entrySeconds: Double
    /// Whether no source of the frame before goes on here: the encoder starts afresh anyway, so an IDR costs nothing.
    package var startsAtCut: Bool

    package init(frames: Range<Int>, secondsPerFrame: Double, entrySeconds: Double = 0, startsAtCut: Bool) {
      (self.frames, self.secondsPerFrame) = (frames, secondsPerFrame)
      (self.entrySeconds, self.startsAtCut) = (entrySeconds, startsAtCut)
    }
  }

  /// Contiguous from frame zero, none empty.
  package let spans: [Span]

  /// - Precondition: contiguous from zero, none empty, costs positive.
  package init(spans: [Span]) {
    var end = 0
    for span in spans {
      precondition(span.frames.lowerBound == end && !span.frames.isEmpty && span.secondsPerFrame > 0)
      end = span.frames.upperBound
    }
    self.spans = spans
  }

  package var frameCount: Int { spans.last?.frames.upperBound ?? 0 }
  package var totalSeconds: Double { spans.reduce(0) { $0 + Double($1.frames.count) * $1.secondsPerFrame } }
}

extension CostProfile {
  package init(of timeline: ResolvedTimeline) throws(TimeError) {
    let frameCount = try timeline.frameCount
    guard frameCount > 0 else {
      self.init(spans: [])
      return
    }
    let borders = try timeline.borderFrames(frameCount)
    var spans: [Span] = []
    for (first, end) in zip(borders, borders.dropFirst() + [frameCount]) {
      // The middle, since a fade is still or already invisible at its ends.
      let cost = try CostModel.cost(of: timeline.scene(at: (first + end) / 2), timeline.timeline.export.video)
      let startsAtCut = first == 0 ? false : try timeline.isCut(at: first)
      spans.append(Span(frames: first..<end, secondsPerFrame: cost.frame, entrySeconds: cost.entry, startsAtCut: startsAtCut))
    }
    self.init(spans: spans)
  }
}

extension ResolvedTimeline {
  /// The frames at which an instruction, a video segment or an overlay begins or ends, ascending, from zero.
  fileprivate func borderFrames(_ frameCount: Int) throws(TimeError) -> [Int] {
    guard let composition = videoComposition else { return [] }
    var times = composition.instructions.map(\.timeRange.start)
    for track in timeline.composition.tracks where track.media == .video { times += track.segments.map(\.timeRange.start) }
    for case let range? in timeline.layers.map(\.timeRange) { times += [range.start, range.end] }
    var frames: Set = [0]
    for time in times where time > exportRange.start && time < exportRange.end {
      // The first frame that is not before the border.
      let frame = try Int((time - exportRange.start).coveringUnits(of: composition.frameDuration))
      if frame < frameCount { frames.insert(frame) }
    }
    return frames.sorted()
  }

  /// Whether nothing that frame `index - 1` shows goes on in frame `index`.
  fileprivate func isCut(at index: Int) throws(TimeError) -> Bool {
    let (before, after) = try (scene(at: index - 1).pictures, scene(at: index).pictures)
    for picture in after {
      for earlier in before where earlier.source == picture.source && earlier.path == picture.path {
        let halfSeconds = try (picture.time - earlier.time) * Rational(2)
        // So near the picture looks much the same, whatever the speed it is played at.
        if halfSeconds >= Rational(-1) && halfSeconds <= Rational(1) { return false }
      }
    }
    return true
  }
}

/// Seconds of one core, measured with x264 and libavcodec on one thread of a 2020s server core. Only their proportions
/// matter to a plan.
private enum CostModel {
  static let decodePerPixel = 2.7e-9
  /// bwdif.
  static let deinterlacePerPixel = 1.1e-9
  /// fieldmatch, and telling which of five pictures shows nothing new.
  static let matchPerPixel = 7.5e-9
  /// Converting, scaling or blending one source picture into the frame.
  static let compositePerPixel = 0.5e-9
  /// A frame of a user's compositor, from frame to frame: what the page curl of the examples takes, in plain Swift.
  static let composePerPixel = 40e-9
  static let ffv1PerPixel = 16e-9
  /// Fixed work for each frame: calls, hand-over, the muxer.
  static let perFrame = 50e-6
  /// Keyframes commonly stand two seconds apart, so a seek decodes one second in the mean.
  static let framesBeforeEntry = 30.0

  static func encodePerPixel(_ settings: VideoCodecSettings) -> Double {
    guard settings.codec == .h264 else { return ffv1PerPixel }
    return switch settings.speed {
    case .ultrafast: 5.5e-9
    case .superfast: 10e-9
    case .veryfast: 18e-9
    case .faster: 24e-9
    case .fast: 29e-9
    case .medium: 33e-9
    case .slow: 50e-9
    case .slower: 100e-9
    case .veryslow: 190e-9
    }
  }

  /// Decoding a picture, and what is made of its fields.
  static func perPixel(of video: VideoFacts, treatedAs interlace: AssetTreatment.Interlace) -> Double {
    switch interlace {
    case .never: decodePerPixel
    case .deinterlace: decodePerPixel + (video.fieldOrder == nil ? 0 : deinterlacePerPixel)
    // Four pictures of film are made of five frames.
    case .inverseTelecine: (decodePerPixel + matchPerPixel) * (FilmCadence(of: video)?.isPulledDown == true ? 1.25 : 1)
    }
  }

  static func cost(of scene: Scene, _ settings: VideoCodecSettings) -> (frame: Double, entry: Double) {
    let picture = pictureCost(of: scene)
    return (perFrame + scene.canvas.pixels * encodePerPixel(settings) + picture.frame, picture.entry)
  }

  private static func pictureCost(of scene: Scene) -> (frame: Double, entry: Double) {
    let output = scene.canvas.pixels
    var (frame, entry) = (0.0, 0.0)
    if scene.asksCompositor { frame += output * composePerPixel }
    for picture in scene.pictures {
      frame += output * compositePerPixel
      switch picture.content {
      case .clip(let clip):
        let pixels = Double(clip.video.naturalSize.width * clip.video.naturalSize.height)
        frame += pixels * perPixel(of: clip.video, treatedAs: clip.treatment.interlace)
        entry += pixels * decodePerPixel * framesBeforeEntry
      case .nested(_, let scene):
        let inner = pictureCost(of: scene)
        frame += inner.frame
        entry += inner.entry
      }
    }
    return (frame, entry)
  }
}

extension Scene.Canvas {
  fileprivate var pixels: Double { Double(renderSize.width * renderSize.height) }
}
