/// Checks that nested compositions do not contain themselves, do not nest too deeply, and do not have too many segments when they
/// are unfolded.
struct NestingCheck {
  private let timeline: Timeline
  private let log: FaultLog
  /// The compositions that are being examined, outermost first.
  private var way: [CompositionID] = []
  /// The depth and the number of unfolded segments of those compositions that were examined.
  private var known: [CompositionID: Extent] = [:]

  private struct Extent {
    var depth = 0
    var segmentCount = 0
  }

  init(_ timeline: Timeline, _ log: FaultLog) { (self.timeline, self.log) = (timeline, log) }

  /// Examines every composition, also those that nothing plays.
  mutating func run() {
    for id in timeline.compositions.keys.sorted() { _ = extent(of: id) }
    let whole = extent(of: timeline.composition)
    if whole.depth > DocumentLimits.nesting {
      log.note("nests \(whole.depth) levels deep; at most \(DocumentLimits.nesting) are accepted", at: .root["composition"])
    }
    if whole.segmentCount > DocumentLimits.unfoldedSegments {
      log.note(
        "has more than \(DocumentLimits.unfoldedSegments) segments when nested compositions are written out",
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
    let extent = extent(of: nested.composition)
    way.removeLast()
    known[id] = extent
    return extent
  }

  private mutating func extent(of composition: Composition) -> Extent {
    var whole = Extent()
    for track in composition.tracks {
      for (source, _) in track.clips {
        whole.segmentCount += 1
        guard case .composition(let id) = source else { continue }
        let inner = extent(of: id)
        whole.depth = max(whole.depth, inner.depth + 1)
        // The exact number does not matter once it is beyond the limit.
        whole.segmentCount = min(whole.segmentCount + inner.segmentCount, DocumentLimits.unfoldedSegments + 1)
      }
    }
    return whole
  }
}
