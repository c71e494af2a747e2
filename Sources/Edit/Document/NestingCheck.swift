internal import Formats
internal import JSON
internal import Timeline

/// Checks that nested compositions do not contain themselves, do not nest too deeply, and do not have too many segments or show
/// too many pictures in one frame when they are unfolded.
struct NestingCheck {
  private let timeline: Timeline
  private let log: FaultLog
  /// The compositions that are being examined, outermost first.
  private var way: [CompositionID] = []
  /// The extents of those compositions that were examined.
  private var known: [CompositionID: Extent] = [:]

  private struct Extent {
    var depth = 0
    /// The number of unfolded segments.
    var segmentCount = 0
    /// The most pictures of media that one frame may show, those of nested frames included.
    var pictureCount = 0
  }

  init(_ timeline: Timeline, _ log: FaultLog) { (self.timeline, self.log) = (timeline, log) }

  /// Examines every composition, also those that nothing plays.
  mutating func run() {
    for id in timeline.compositions.keys.sorted() { _ = extent(of: id) }
    let whole = extent(of: timeline.composition, timeline.videoComposition, timeline.layers)
    if whole.depth > DocumentLimits.nesting {
      log.note("nests \(whole.depth) levels deep; at most \(DocumentLimits.nesting) are accepted", at: .root["composition"])
    }
    if whole.segmentCount > DocumentLimits.unfoldedSegments {
      log.note(
        "has more than \(DocumentLimits.unfoldedSegments) segments when nested compositions are written out",
        at: .root["composition"])
    }
    if whole.pictureCount > DocumentLimits.framePictures {
      log.note(
        "shows more than \(DocumentLimits.framePictures) pictures in one frame when nested compositions are written out",
        at: .root["composition"])
    }
  }

  private mutating func extent(of id: CompositionID) -> Extent {
    if let known = known[id] { return known }
    if let start = way.firstIndex(of: id) {
      let circle = (way[start...] + [id]).map { "'\($0)'" }.joined(separator: " > ")
      log.note("contains itself: \(circle)", at: .root["compositions"][id.rawValue])
      return Extent()
    }
    guard let nested = timeline.compositions[id] else { return Extent() }
    way.append(id)
    let extent = extent(of: nested.composition, nested.videoComposition, nested.layers)
    way.removeLast()
    known[id] = extent
    return extent
  }

  private mutating func extent(
    of composition: Composition, _ videoComposition: VideoComposition?, _ layers: [Layer]
  ) -> Extent {
    var whole = Extent()
    // The most pictures that each track of pictures may show at one moment.
    var pictures: [TrackID: Int] = [:]
    for track in composition.tracks {
      for (source, _) in track.clips {
        whole.segmentCount += 1
        if track.media == .video { pictures[track.id] = max(pictures[track.id] ?? 0, 1) }
        guard case .composition(let id) = source else { continue }
        let inner = extent(of: id)
        if track.media == .video { pictures[track.id] = max(pictures[track.id] ?? 0, inner.pictureCount) }
        whole.depth = max(whole.depth, inner.depth + 1)
        // The exact number does not matter once it is beyond the limit.
        whole.segmentCount = min(whole.segmentCount + inner.segmentCount, DocumentLimits.unfoldedSegments + 1)
      }
    }
    // Without instructions one track is shown.
    let shown = videoComposition?.instructions.map { $0.tracks.reduce(0) { $0 + (pictures[$1] ?? 0) } } ?? []
    let ofInstructions = shown.max() ?? pictures.values.max() ?? 0
    // A video layer shows all that the instruction in force shows.
    let moving = layers.movingContents.map { content in
      switch content.source {
      case .track(let track): pictures[track] ?? 0
      case .video: ofInstructions
      case .asset: 1
      }
    }
    whole.pictureCount = min(ofInstructions + moving.reduce(0, +), DocumentLimits.framePictures + 1)
    return whole
  }
}
