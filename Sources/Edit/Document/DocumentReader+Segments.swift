internal import Formats
internal import JSON
internal import MediaTime
internal import Scenes
internal import Timeline

/// Reads the segments of tracks. A range that the document leaves open is closed by the facts of the assets.
extension DocumentReader {
  /// The segments of a track; nil after a fault, and while something is not known yet.
  func segments(_ node: DocumentNode, _ media: MediaKind?) -> [TrackSegment]? {
    guard let nodes = node.elements(atMost: DocumentLimits.segments) else { return nil }
    var segments: [TrackSegment] = []
    // The end is nil after a segment that could not be read, since the next one's place cannot be judged then.
    var end: MediaTime? = .zero
    var areAll = true
    for node in nodes {
      guard let (source, mapping) = segment(node, media, after: end) else {
        (end, areAll) = (nil, false)
        continue
      }
      if let end, end < mapping.target.start {
        let gap = exact(node) { () throws(TimeError) in try MediaTimeRange(start: end, end: mapping.target.start) }
        segments += gap.map { [.empty($0)] } ?? []
      }
      segments.append(.media(source, mapping))
      end = mapping.target.end
    }
    return areAll ? segments : nil
  }

  private func segment(_ node: DocumentNode, _ media: MediaKind?, after end: MediaTime?) -> (SegmentSource, TimeMapping)? {
    guard let object = DocumentObject(.segment, node) else { return nil }
    let played = played(object)
    if let map = object["timeMap"] { return retimed(object, map, playing: played, media, after: end) }
    let given = object["duration"].map { time($0, .positive) }
    let source = sourceRange(of: object, played, media, lasting: given ?? nil)
    let duration = given ?? source?.duration
    let isReversed = object["reversed"].map { $0.bool() } ?? false
    let start = object["at"].map { time($0) } ?? end
    if let source, let played, let media { check(source, of: played, media, at: node.path) }
    guard let start = notOverlapping(start, object, end), let played, let source, let duration, let isReversed else { return nil }
    let (slow, fast) = (max(source.duration, duration), min(source.duration, duration))
    guard source.isEmpty || exact(node, { () throws(TimeError) in try slow <= fast * DocumentLimits.speed }) == true else {
      return object["duration"]?.refuse(because: "more than \(DocumentLimits.speed) times faster or slower than the source")
    }
    let mapping = exact(node) { () throws(TimeError) in
      try TimeMapping(source: source, target: MediaTimeRange(start: start, duration: duration), isReversed: isReversed)
    }
    return mapping.flatMap { notTooLate(played, $0, node) }
  }

  /// The start of a segment, if it is not before the end of the one before it.
  func notOverlapping(_ start: MediaTime?, _ segment: DocumentObject, _ end: MediaTime?) -> MediaTime? {
    guard let at = segment["at"], let start, let end, start < end else { return start }
    return at.refuse(because: "\(start) overlaps the previous segment, which ends at \(end)")
  }

  func notTooLate(_ played: SegmentSource, _ mapping: TimeMapping, _ node: DocumentNode) -> (SegmentSource, TimeMapping)? {
    guard mapping.target.end <= DocumentLimits.latest else {
      return node.refuse(because: "ends after \(DocumentLimits.hours) hours")
    }
    return (played, mapping)
  }

  /// The asset or the composition that a segment plays.
  private func played(_ object: DocumentObject) -> SegmentSource? {
    let position = object["sourceTrack"].map { $0.integer(in: 0...DocumentLimits.tracks) } ?? 0
    switch (object["asset"], object["composition"]) {
    case (let asset?, nil):
      guard let asset = assetID(asset), let position else { return nil }
      return .asset(asset, trackPosition: position)
    case (nil, let composition?):
      object["sourceTrack"]?.note("a composition has one picture and one sound, and no tracks to choose from")
      return compositionID(composition).map { .composition($0) }
    default: return object.node.refuse(because: "needs either \"asset\" or \"composition\"")
    }
  }

  /// Checks a range against its source before a music bed cuts it. A range that the document names must exist, heard or not.
  ///
  /// - Parameter key: the key of the segment that says the range.
  func check(
    _ range: MediaTimeRange, of source: SegmentSource, _ media: MediaKind, at path: JSONPath, key: String = "source"
  ) {
    switch source {
    case .asset(let asset, let position):
      if let facts = facts[asset] { SegmentCheck(log).check(range, of: asset, facts, track: position, media, at: path, key: key) }
    case .composition(let id):
      if let length = nesting[id] { SegmentCheck(log).check(range, of: id, lasting: length, at: path, key: key) }
    }
  }

  // MARK: - Ranges

  /// The range that is played. A start that is left out is zero. A duration that is left out lasts to the source's end.
  ///
  /// - Parameter duration: the segment's own duration; nil where it has none or a faulty one.
  private func sourceRange(
    of segment: DocumentObject, _ played: SegmentSource?, _ media: MediaKind?, lasting duration: MediaTime?
  ) -> MediaTimeRange? {
    guard let node = segment["source"] else {
      guard let played, let end = end(of: played, from: .zero, segment, lasting: duration) else { return nil }
      return exact(segment.node) { () throws(TimeError) in try MediaTimeRange(start: .zero, end: end) }
    }
    guard let object = DocumentObject(.sourceRange, node) else { return nil }
    let start = object["start"].map { time($0) } ?? .zero
    guard let durationNode = object["duration"] else {
      guard let start, let played, let end = end(of: played, from: start, segment, lasting: duration) else { return nil }
      guard start < end else {
        return object["start"]?.refuse(because: "\(start) is not before the end of \(name(of: played)), which lasts \(end)")
      }
      return exact(node) { () throws(TimeError) in try MediaTimeRange(start: start, end: end) }
    }
    // A source range without duration is a single moment. Only a picture can be held at one, and only for a stated duration.
    let mayBeHeld = segment["duration"] != nil && media != .audio
    guard let length = time(durationNode, mayBeHeld ? .nonNegative : .positive), let start else { return nil }
    return exact(node) { () throws(TimeError) in try MediaTimeRange(start: start, duration: length) }
  }

  /// The end of a range that does not state it; nil after a fault, and while it is not known yet.
  private func end(
    of source: SegmentSource, from start: MediaTime, _ segment: DocumentObject, lasting duration: MediaTime?
  ) -> MediaTime? {
    switch source {
    case .composition(let id):
      if nesting.isCircular(id) {
        return segment.node.refuse(because: "composition '\(id)' contains itself, so that it has no end")
      }
      guard let end = nesting[id] else { return nil }  // The composition has faults, or is not known yet.
      return checkedEnd(end, of: source, segment)
    case .asset(let id, _):
      guard let facts = facts[id] else {
        log.leaveUnjudged(segment.node.path)
        return nil
      }
      guard !facts.isStillPicture else { return stillEnd(of: source, from: start, segment, lasting: duration) }
      guard let end = facts.clipDuration else {
        return segment.node.refuse(
          because: "asset '\(id)' does not say how long it lasts: give source, with its duration", .missingKey)
      }
      return checkedEnd(end, of: source, segment)
    }
  }

  /// The end of a still picture's range. A still picture lasts as long as it is shown.
  private func stillEnd(
    of source: SegmentSource, from start: MediaTime, _ segment: DocumentObject, lasting duration: MediaTime?
  ) -> MediaTime? {
    guard let node = segment["duration"] else {
      return segment.node.refuse(
        because: "\(name(of: source)) is a still picture, which lasts as long as it is shown: give duration", .missingKey)
    }
    guard let duration else { return nil }
    return exact(node) { () throws(TimeError) in try start + duration }
  }

  /// The end of the source. A segment with a duration and no source is refused: a part of the clip may be meant, or all of it at
  /// another speed.
  private func checkedEnd(_ end: MediaTime, of source: SegmentSource, _ segment: DocumentObject) -> MediaTime? {
    guard let node = segment["duration"], segment["source"] == nil else { return end }
    return node.refuse(
      because: "a part of \(name(of: source)), or all of it at another speed? For a part give source its duration, "
        + "for another speed give \"source\": {\"start\": \"0\"} too")
  }

  private func name(of source: SegmentSource) -> String {
    switch source {
    case .asset(let id, _): "asset '\(id)'"
    case .composition(let id): "composition '\(id)'"
    }
  }
}
