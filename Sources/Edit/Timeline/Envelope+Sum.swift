internal import Formats
internal import MediaTime

extension Envelope {
  /// Keyframes that are run through again and again, from the first one's time on.
  package struct Repetition: Hashable, Sendable, Encodable {
    /// The number of passes, at least 1; nil for no end. After the last one the value stays as that one ended.
    package var count: Int64?
    /// Whether each pass starts where the one before it ended: the last keyframe's value is added to it, once for each pass before it
    /// (CAPropertyAnimation's isCumulative, and iterationComposite "accumulate" of the W3C's "Web Animations Level 2").
    package var isCumulative: Bool

    package init(count: Int64?, isCumulative: Bool = false) { (self.count, self.isCumulative) = (count, isCumulative) }
  }

  /// This envelope and those that are added to it, each without the others.
  package var summands: [Envelope] { [with(repetition)] + (additions ?? []) }
}

extension Envelope where Value: Interpolable {
  /// The value with the repetition, and without what is added.
  func repeatedValue(at time: MediaTime, neutral: Value) throws(TimeError) -> Value {
    guard let repetition, let first = keyframes.first, let last = keyframes.last, time > first.time else {
      return try passedValue(at: time, neutral: neutral)
    }
    let (pass, place) = try repetition.place(at: time, from: first.time, to: last.time)
    let value = try passedValue(at: place, neutral: neutral)
    return repetition.isCumulative ? value.adding(last.value, times: pass) : value
  }
}

extension Envelope.Repetition {
  /// The pass at a time after the start, counted from 0, and the time in the first pass that it corresponds to.
  fileprivate func place(
    at time: MediaTime, from start: MediaTime, to end: MediaTime
  ) throws(TimeError) -> (pass: Int64, MediaTime) {
    let length = try Rational(end - start)
    let passed = try Rational(time - start)
    if let count, try passed >= length * Rational(count) { return (count - 1, end) }
    // A pass takes a millionth of a second at least, and no time is above some hours.
    let pass = Int64(clamping: try (passed / length).wholePart)
    return (pass, try MediaTime(Rational(start) + passed - length * Rational(pass)))
  }
}

extension Envelope where Value == Double {
  /// The furthest from 0 that the value comes by its keyframes; nil without any.
  package var furthest: Double? { Self.furthest(summands.compactMap { $0.furthest { abs($0) } }) }
}

extension Envelope where Value == Point {
  /// The furthest from 0 that one of the coordinates comes by its keyframes; nil without any.
  var furthest: Double? { Self.furthest(summands.compactMap { $0.furthest { max(abs($0.x), abs($0.y)) } }) }
}

extension Envelope {
  fileprivate static func furthest(_ parts: [Double]) -> Double? { parts.isEmpty ? nil : parts.reduce(0, +) }

  fileprivate func furthest(_ measure: (Value) -> Double) -> Double? {
    guard let most = keyframes.map({ measure($0.value) }).max(), let last = keyframes.last else { return nil }
    guard let repetition, repetition.isCumulative else { return most }
    let whole = measure(last.value)
    return whole == 0 ? most : repetition.count.map { most + whole * Double($0 - 1) } ?? .infinity
  }

  /// The largest product of a factor of each of the maps that follow each other, at least 1 for those that are added; nil without
  /// keyframes.
  func largestFactor(_ measure: (Value) -> Double) -> Double? {
    var product: Double?
    for part in summands {
      guard let most = part.keyframes.map({ measure($0.value) }).max(), let last = part.keyframes.last else { continue }
      var factor = most
      if let repetition = part.repetition, repetition.isCumulative, measure(last.value) > 1 {
        // Whatever it is, a layer is never drawn as large.
        factor = .infinity
        if let count = repetition.count, count < 64 {
          factor = (1..<count).reduce(most) { factor, _ in factor * measure(last.value) }
        }
      }
      product = product.map { $0 * max(factor, 1) } ?? factor
    }
    return product
  }
}
