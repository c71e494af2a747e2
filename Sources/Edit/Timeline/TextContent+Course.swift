package import Formats
package import MediaTime

extension TextContent {
  /// The parts of a text's look that change over time. One without keyframes stays as it is. Runs with a size or a colour of their own
  /// keep it.
  package struct Course: Hashable, Sendable, Encodable {
    /// The size in pixels per em (fontSize of CATextLayer).
    package var size = Envelope<Double>()
    /// The colour of the letters (foregroundColor of CATextLayer).
    package var color = Envelope<RGBAColor>()

    package init() {}
  }

  /// The text at `time`, whose size and colour stay as they are.
  package func settled(at time: @autoclosure () -> MediaTime) throws(TimeError) -> TextContent {
    guard course != Course() else { return self }
    var text = self
    text.course = Course()
    text.color = try course.color.heldValue(at: time(), neutral: color).bounded
    return text.sized(try course.size.heldValue(at: time(), neutral: size))
  }

  /// The text in another size. One that an easing takes beyond the bounds of sizes stays within them.
  package func sized(_ size: Double) -> TextContent {
    var text = self
    let bounds = DocumentLimits.fontSize
    text.size = min(max(size, minimumSize ?? bounds.lowerBound), bounds.upperBound)
    return text
  }

  /// The sizes between which the text's own lies at any time.
  package var sizes: ClosedRange<Double> {
    let sizes = course.size.keyframes.isEmpty ? [size] : course.size.valuesOnTheWay.map { sized($0).size }
    return sizes.reduce(.infinity, min)...sizes.reduce(0, max)
  }
}

extension LayerGeometry {
  /// The least and the largest width and height that the layer has at any time; nil without a frame.
  package var extremes: (least: Point, largest: Point)? {
    guard let frame else { return nil }
    let sizes = bounds.keyframes.isEmpty ? [Point(frame.width, frame.height)] : bounds.valuesOnTheWay
    func most(_ side: (Point) -> Double, _ choose: (Double, Double) -> Double) -> Double {
      sizes.dropFirst().reduce(side(sizes[0])) { choose($0, side($1)) }
    }
    return (Point(most(\.x, min), most(\.y, min)), Point(most(\.x, max), most(\.y, max)))
  }
}

extension Envelope where Value: Interpolable {
  /// Values that the envelope takes: those at its keyframes, some between, where an easing may go beyond them, and the last one of
  /// keyframes that are repeated.
  ///
  /// - Precondition: there are keyframes.
  fileprivate var valuesOnTheWay: [Value] {
    var times = Set(summands.flatMap { $0.keyframes.map(\.time) })
    let parts: Int64 = 16
    for part in summands {
      guard let first = part.keyframes.first?.time, let last = part.keyframes.last?.time else { continue }
      for (one, next) in zip(part.keyframes, part.keyframes.dropFirst()) where one.time < next.time && !one.holds {
        // A time that does not fit is left out: the keyframes themselves do.
        for step in 1..<parts { (try? one.time + (next.time - one.time).divided(step, of: parts)).map { _ = times.insert($0) } }
      }
      // The same holds for the end of the last pass.
      if let count = part.repetition?.count, let end = try? first + (last - first) * count { times.insert(end) }
    }
    // Times of an envelope that was read do not overflow.
    return times.sorted().compactMap { try? heldValue(at: $0, neutral: keyframes[0].value) }
  }
}

extension MediaTime {
  /// So many parts of the time.
  fileprivate func divided(_ part: Int64, of parts: Int64) throws(TimeError) -> MediaTime {
    try MediaTime(Rational(self) * Rational(Int128(part), over: Int128(parts)))
  }
}
