internal import Formats
package import MediaTime
package import Scenes
internal import Timeline

/// The expected cost of each output frame of an edit, in seconds of one core, and the places of its cuts.
///
/// The cost counts as constant between the borders of instructions, segments and layers, and where libass draws a script for some seconds.
/// So the profile grows with the number of borders, not of frames.
package struct CostProfile: Hashable, Sendable {
  package struct Span: Hashable, Sendable {
    package var frames: Range<Int>
    /// The cost of each frame; positive.
    package var secondsPerFrame: Double
    /// The cost that a chunk which starts here has before its first frame: decoding from the keyframes before it.
    package var entrySeconds: Double
    /// Whether none of the sources in the frame before goes on here. The encoder starts afresh at such a cut, so an IDR frame
    /// costs nothing.
    package var startsAtCut: Bool
    /// The place in its content at which the span begins; nil where nobody said.
    package var place: ContentPlace?
    /// Whether packets of a source are copied, which is done in one piece.
    package var isCopied = false

    package init(
      frames: Range<Int>, secondsPerFrame: Double, entrySeconds: Double = 0, startsAtCut: Bool, place: ContentPlace? = nil
    ) {
      (self.frames, self.secondsPerFrame) = (frames, secondsPerFrame)
      (self.entrySeconds, self.startsAtCut, self.place) = (entrySeconds, startsAtCut, place)
    }
  }

  /// A place in a source. It does not depend on where in the movie it is shown.
  package struct ContentPlace: Hashable, Sendable {
    /// A number for the source.
    package var source: UInt64
    /// The output frames from the source's beginning to the place, at the speed at which it is played. It is negative for a source
    /// that is played backwards.
    package var frame: Int

    package init(source: UInt64, frame: Int) { (self.source, self.frame) = (source, frame) }
  }

  /// The spans in frame order. They touch each other, begin at frame 0 and are never empty.
  package let spans: [Span]

  /// - Precondition: the spans touch each other, begin at frame 0, are not empty, and have positive costs.
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
    let contentBorders = Set(try timeline.borderFrames(frameCount))
    let borders = try contentBorders.union(ScriptCost.borders(timeline, frameCount)).sorted()
    let renditions = timeline.renditions
    var spans: [Span] = []
    // Scenes are asked for in the order of their frames, so that those of a span share what is kept.
    let reel = SceneReel(timeline)
    for (first, end) in zip(borders, borders.dropFirst() + [frameCount]) {
      let startsAtCut = first > 0 && contentBorders.contains(first) ? try timeline.isCut(at: first, reel) : false
      let place = try timeline.contentPlace(first..<end, reel)
      // The frame in the middle stands for all: at its ends a fade is invisible.
      let cost = try CostModel.cost(of: reel.scene(at: (first + end) / 2), timeline.timeline.export.video, renditions)
      let scripts = try ScriptCost.perFrame(first..<end, reel)
      spans.append(
        Span(
          frames: first..<end, secondsPerFrame: cost.frame + scripts, entrySeconds: cost.entry, startsAtCut: startsAtCut,
          place: place))
    }
    self.init(spans: timeline.timeline.export.copies.map { Self.copying($0.frames, spans) } ?? spans)
  }

  /// The spans in which each range of copied frames is one of its own.
  private static func copying(_ copied: [Range<Int>], _ spans: [Span]) -> [Span] {
    var (divided, next): ([Span], Int) = ([], 0)
    for span in spans {
      var frame = span.frames.lowerBound
      func part(_ end: Int, from whole: Span) -> Span {
        var part = whole
        part.frames = frame..<end
        part.startsAtCut = whole.startsAtCut && frame == whole.frames.lowerBound
        part.place?.frame += frame - whole.frames.lowerBound
        return part
      }
      while frame < span.frames.upperBound {
        while next < copied.count, copied[next].upperBound <= frame { next += 1 }
        guard next < copied.count, copied[next].lowerBound < span.frames.upperBound else {
          divided.append(part(span.frames.upperBound, from: span))
          break
        }
        if frame < copied[next].lowerBound {
          divided.append(part(copied[next].lowerBound, from: span))
          frame = copied[next].lowerBound
        }
        // A range is of one clip. It stays whole even where a border of the edit, which changes nothing, lies inside.
        if frame == copied[next].lowerBound {
          var copy = part(copied[next].upperBound, from: span)
          (copy.secondsPerFrame, copy.entrySeconds, copy.startsAtCut, copy.isCopied) = (CostModel.perCopiedFrame, 0, true, true)
          divided.append(copy)
        }
        frame = min(copied[next].upperBound, span.frames.upperBound)
      }
    }
    return divided
  }
}

extension ResolvedTimeline {
  /// The frames at which an instruction, a video segment or a layer begins or ends, in ascending order, with frame 0 first.
  fileprivate func borderFrames(_ frameCount: Int) throws(TimeError) -> [Int] {
    guard let composition = videoComposition else { return [] }
    var times = composition.instructions.map(\.timeRange.start)
    for track in timeline.composition.tracks where track.media == .video { times += track.segments.map(\.timeRange.start) }
    for case let range? in timeline.layers.flatMap(\.all).map(\.layer.timeRange) { times += [range.start, range.end] }
    var frames: Set = [0]
    for time in times where time > exportRange.start && time < exportRange.end {
      // The first frame that is not before the border.
      let frame = try Int((time - exportRange.start).coveringUnits(of: composition.frameDuration))
      if frame < frameCount { frames.insert(frame) }
    }
    return frames.sorted()
  }

  /// The place in its content at which frames begin that show the same sources throughout: that of the bottommost picture.
  fileprivate func contentPlace(_ frames: Range<Int>, _ reel: SceneReel) throws(TimeError) -> CostProfile.ContentPlace {
    guard let picture = try reel.scene(at: frames.lowerBound).pictures.first else { return .init(source: 0, frame: 0) }
    var step = Rational(videoComposition?.frameDuration ?? .oneSecond)
    if frames.count > 1, let next = try reel.scene(at: frames.lowerBound + 1).pictures.first, next.source == picture.source {
      step = try next.time - picture.time
    }
    // A picture that stands still has no place of its own.
    let frame = step.numerator == 0 ? 0 : try (picture.time / step).floor
    return .init(source: "\(picture.source)".stableHash, frame: Int(clamping: frame))
  }

  /// Whether nothing that frame `index - 1` shows goes on in frame `index`.
  fileprivate func isCut(at index: Int, _ reel: SceneReel) throws(TimeError) -> Bool {
    let (before, after) = try (reel.scene(at: index - 1).pictures, reel.scene(at: index).pictures)
    for picture in after {
      for earlier in before where earlier.source == picture.source && earlier.path == picture.path {
        let halfSeconds = try (picture.time - earlier.time) * Rational(2)
        // Half a second apart, pictures of one source look much the same at any speed of playback.
        if halfSeconds >= Rational(-1) && halfSeconds <= Rational(1) { return false }
      }
    }
    return true
  }
}

/// The cost of each kind of work, in seconds of one core. They were measured with x264 and libavcodec on one thread of a server
/// core of the 2020s. A plan depends on their proportions only.
private enum CostModel {
  static let decodePerPixel = 2.7e-9
  /// The cost of FFmpeg's filter bwdif.
  static let deinterlacePerPixel = 1.1e-9
  /// The cost of FFmpeg's filter fieldmatch, and of finding the one picture in five that shows nothing new.
  static let matchPerPixel = 7.5e-9
  /// The cost of converting, scaling or blending one source picture into the frame.
  static let compositePerPixel = 0.5e-9
  /// The cost of a user's compositor in plain Swift, measured with the page curl of the examples.
  static let composePerPixel = 40e-9
  /// The fixed cost of each frame: calls, handing it over, the muxer.
  static let perFrame = 50e-6
  /// The cost of copying a packet.
  static let perCopiedFrame = 100e-6
  /// The frames that a seek decodes on average: keyframes are commonly two seconds apart.
  static let framesBeforeEntry = 30.0

  /// The cost of decoding a picture and of treating its fields.
  static func perPixel(of video: VideoFacts, treatedAs interlace: AssetTreatment.Interlace) -> Double {
    switch interlace {
    case .never: decodePerPixel
    case .deinterlace: decodePerPixel + (video.fieldOrder == nil ? 0 : deinterlacePerPixel)
    // Inverse telecine makes four pictures of film from five frames.
    case .inverseTelecine: (decodePerPixel + matchPerPixel) * (FilmCadence(of: video)?.isPulledDown == true ? 1.25 : 1)
    }
  }

  static func cost(
    of scene: Scene, _ settings: VideoCodecSettings, _ renditions: [Rendition.Sized]
  ) -> (frame: Double, entry: Double) {
    let picture = pictureCost(of: scene)
    var frame = perFrame + scene.canvas.pixels * settings.coding.coder.secondsPerPixel + picture.frame
    // Each rendition is scaled from the whole frame, and encoded by itself.
    for rendition in renditions {
      let pixels = Double(rendition.size.width * rendition.size.height)
      frame += scene.canvas.pixels * compositePerPixel + pixels * rendition.video.coding.coder.secondsPerPixel
    }
    return (frame, picture.entry)
  }

  private static func pictureCost(of scene: Scene) -> (frame: Double, entry: Double) {
    let output = scene.canvas.pixels
    var (frame, entry) = (0.0, 0.0)
    if scene.asksCompositor { frame += output * composePerPixel }
    for picture in scene.pictures {
      // With alpha all is put together twice, in twice the bits.
      frame += output * compositePerPixel * (scene.canvas.hasAlpha ? 4 : 1)
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
