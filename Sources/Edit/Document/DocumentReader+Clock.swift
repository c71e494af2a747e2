internal import Formats
internal import JSON
internal import MediaTime
internal import Timeline

/// Reads the clocks of layers.
extension DocumentReader {
  func clock(_ node: DocumentNode) -> LayerClock? {
    guard let object = DocumentObject(.clock, node) else { return nil }
    let usual = LayerClock()
    let begin = object["begin"].map { time($0) } ?? usual.begin
    let offset = object["offset"].map { time($0) } ?? usual.offset
    let speed = object["speed"].map(speed) ?? usual.speed
    let faultsBefore = log.count
    let cycle = cycle(object)
    guard let begin, let offset, let speed, log.count == faultsBefore else { return nil }
    let clock = LayerClock(begin: begin, speed: speed, offset: offset, cycle: cycle)
    // The last time that a driving clock may show, so that every time of this one can be told.
    guard let end = duration, cycle == nil else { return clock }
    return exact(node) { () throws(TimeError) in
      _ = try clock.time(at: end)
      return clock
    }
  }

  /// The speed, which is written like a time: a whole number, or a string with a decimal or a fraction.
  private func speed(_ node: DocumentNode) -> Rational? {
    guard let speed = time(node, .positive).map({ Rational($0) }) else { return nil }
    let range = DocumentLimits.clockSpeed
    guard range.contains(speed.approximation), speed.denominator <= DocumentLimits.clockDenominator else {
      return node.refuse(
        because:
          "is not between \(range.lowerBound) and \(range.upperBound), as a fraction of numbers up to \(DocumentLimits.clockDenominator)"
      )
    }
    return speed
  }

  private func cycle(_ object: DocumentObject) -> LayerClock.Cycle? {
    guard let node = object["duration"] else {
      (object["repeat"] ?? object["autoreverse"])?.note("needs \"duration\": how much of the clock's time is repeated")
      return nil
    }
    let duration = time(node, .positive)
    let autoreverses = object["autoreverse"].map { $0.bool() } ?? false
    var count: Int64? = 1
    if let node = object["repeat"] {
      guard let given = self.count(node) else { return nil }
      count = given.limit
    }
    guard let duration, let autoreverses else { return nil }
    return LayerClock.Cycle(duration: duration, count: count, autoreverses: autoreverses)
  }
}
