internal import Captions
internal import Formats
internal import JSON
internal import MediaTime
internal import Timeline

/// Reads the places of cues in lines and regions.
extension DocumentReader {
  /// Reads the point at which a cue is laid, or its place along the lines alone.
  func readPosition(_ object: DocumentObject, _ cue: inout CaptionCue) {
    guard let node = object["position"] else { return }
    if case .number = node.value {
      cue.along = node.number(in: 0...1)
    } else {
      cue.position = node.numbers(["x", "y"], in: 0...1).map { Point($0[0], $0[1]) }
    }
  }

  /// - Parameter mode: the way in which the cue's lines run.
  func readRegion(_ object: DocumentObject, _ cue: inout CaptionCue, _ mode: WritingMode) {
    cue.line = object["line"].flatMap { $0.integer(in: CaptionLimits.line) }
    if cue.position != nil { object["line"]?.note("counts from an edge: leave \"position\" out") }
    cue.region = object["region"].flatMap(region)
    let fixed = (cue.along == nil ? ["position"] : []) + ["line", "place", "move"]
    for key in fixed where cue.region != nil && object[key] != nil {
      object[key]?.note("a cue of a region stands where the region has it")
    }
    if mode.isVertical { object["region"]?.note("a region has horizontal lines") }
    cue.clip = object["clip"].flatMap(rect)
    cue.scrolls = object["scrolls"].flatMap(scrolls) ?? []
  }

  private func region(_ node: DocumentNode) -> CaptionCue.Region? {
    guard let object = DocumentObject(.captionRegion, node) else { return nil }
    var region = CaptionCue.Region()
    func point(_ key: String, _ usual: Point) -> Point? {
      guard let node = object[key] else { return usual }
      return node.numbers(["x", "y"], in: 0...1).map { Point($0[0], $0[1]) }
    }
    let width = object["width"].map { $0.number(in: DocumentLimits.captionWidth) } ?? region.width
    let lines = object["lines"].map { $0.integer(in: CaptionLimits.regionLines) } ?? region.lines
    let (anchor, viewport) = (point("regionAnchor", region.anchor), point("viewportAnchor", region.viewportAnchor))
    let scroll = object["scroll"].map { $0.choice(CaptionCue.Region.Scrolling.self) } ?? region.scroll
    guard let width, let lines, let anchor, let viewport, let scroll else { return nil }
    (region.width, region.lines, region.anchor, region.viewportAnchor) = (width, lines, anchor, viewport)
    region.scroll = scroll
    return region
  }

  private func scrolls(_ node: DocumentNode) -> [CaptionCue.Scroll]? {
    guard let nodes = node.elements(atMost: CaptionLimits.scrolls) else { return nil }
    var scrolls: [CaptionCue.Scroll] = []
    for node in nodes {
      guard let object = DocumentObject(.captionScroll, node), let from = object["from"].flatMap({ time($0) }),
        let until = object["until"].flatMap({ time($0) }), let up = object["up"]?.number(in: DocumentLimits.coordinate)
      else { return nil }
      guard from <= until, scrolls.last.map({ $0.range.start <= from }) ?? true else {
        return node.refuse(because: "begins at \(from), after its end or before the one before")
      }
      guard let range = exact(node, { () throws(TimeError) in try MediaTimeRange(start: from, end: until) }) else { return nil }
      scrolls.append(CaptionCue.Scroll(range, up))
    }
    return scrolls
  }
}
