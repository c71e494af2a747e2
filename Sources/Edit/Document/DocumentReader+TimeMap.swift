internal import Formats
internal import JSON
internal import MediaTime
internal import Timeline

/// Reads retiming curves of segments.
extension DocumentReader {
  /// A segment that plays along a curve.
  func retimed(
    _ object: DocumentObject, _ map: DocumentNode, playing played: SegmentSource?, _ media: MediaKind?, after end: MediaTime?
  ) -> (SegmentSource, TimeMapping)? {
    for key in ["source", "duration", "reversed"] {
      object[key]?.note("the timeMap says what is played, how long and in which direction: leave it out")
    }
    let start = notOverlapping(object["at"].map { time($0) } ?? end, object, end)
    guard let curve = curve(map), let start, let played else { return nil }
    guard let mapping = exact(map, { () throws(TimeError) in try TimeMapping(along: curve, from: start) }) else { return nil }
    if media == .audio, mapping.source.isEmpty { return map.refuse(because: "sound cannot be held: the source never moves") }
    if let media { check(mapping.source, of: played, media, at: object.node.path, key: "timeMap") }
    return notTooLate(played, mapping, object.node)
  }

  /// The curve through the points; nil after a fault.
  private func curve(_ node: DocumentNode) -> TimeCurve? {
    guard let nodes = node.elements(atMost: DocumentLimits.timePoints) else { return nil }
    guard nodes.count >= 2 else { return node.refuse(because: "needs two points at least: where it begins and where it ends") }
    let points = nodes.compactMap { DocumentObject(.timePoint, $0) }
    guard points.count == nodes.count, let start = beginning(points[0]) else { return nil }
    if let speed = points[0]["speed"], points[1]["speed"] == nil {
      return speed.refuse(because: "the speed up to the next point is constant, since that one says its source: leave it out")
    }
    var (pieces, place): ([TimeCurve.Piece], CurvePlace) = ([], start)
    for point in points.dropFirst() {
      guard let piece = piece(to: point, from: place) else { return nil }
      pieces.append(piece)
      place = CurvePlace(at: piece.end, source: piece.sourceEnd, speed: piece.endSpeed)
    }
    return TimeCurve(pieces)
  }

  /// The place that a curve has reached.
  private struct CurvePlace {
    let at: MediaTime
    let source: MediaTime
    let speed: Rational
  }

  private func beginning(_ point: DocumentObject) -> CurvePlace? {
    guard let at = point["at"].flatMap({ time($0) }) else { return nil }
    guard at == .zero else { return point["at"]?.refuse(because: "the first point is at 0, where the segment begins") }
    guard let source = point["source"] else {
      return point.node.refuse(because: "needs \"source\", the time in the source at which it begins", .missingKey)
    }
    let speed = point["speed"].map { self.speed($0) } ?? Rational(1)
    guard let source = time(source), let speed else { return nil }
    return CurvePlace(at: at, source: source, speed: speed)
  }

  /// The piece up to a point: of constant speed if the point says its source, a ramp if it says its speed.
  private func piece(to point: DocumentObject, from place: CurvePlace) -> TimeCurve.Piece? {
    guard let node = point["at"], let at = time(node) else { return nil }
    guard place.at < at else { return node.refuse(because: "\(at) is not after the previous point's, \(place.at)") }
    switch (point["source"], point["speed"]) {
    case (let node?, nil):
      guard let source = time(node) else { return nil }
      let piece = exact(node) { () throws(TimeError) in
        try TimeCurve.Piece(from: place.at, at: place.source, to: at, at: source)
      }
      guard let piece, isInBounds(piece.speed) else {
        return piece.flatMap { _ in node.refuse(because: "more than \(DocumentLimits.speed) times faster than the source") }
      }
      return piece
    case (nil, let node?):
      guard let speed = speed(node) else { return nil }
      guard speed.numerator.signum() * place.speed.numerator.signum() >= 0 else {
        return node.refuse(because: "the source turns round on the way: put a point with the speed 0 between")
      }
      let piece = exact(node) { () throws(TimeError) in
        try TimeCurve.Piece(from: place.at, at: place.source, speed: place.speed, to: at, speed: speed)
      }
      guard let piece, piece.sourceEnd >= .zero else {
        return piece.flatMap { node.refuse(because: "runs back to \($0.sourceEnd), before the source's beginning") }
      }
      return piece
    default:
      return point.node.refuse(
        because: "needs either \"source\", the time in the source, or \"speed\", to which it changes on the way")
    }
  }

  /// The speed, which may be negative, written like a time.
  private func speed(_ node: DocumentNode) -> Rational? {
    guard let speed = unboundedTime(node).map({ Rational($0) }) else { return nil }
    guard isInBounds(speed) else {
      return node.refuse(because: "is not between -\(DocumentLimits.speed) and \(DocumentLimits.speed)")
    }
    return speed
  }

  private func isInBounds(_ speed: Rational) -> Bool {
    Rational(-DocumentLimits.speed) <= speed && speed <= Rational(DocumentLimits.speed)
  }
}
