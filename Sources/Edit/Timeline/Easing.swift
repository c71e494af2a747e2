internal import Formats

/// How a value moves from one keyframe to the next (CAMediaTimingFunction): along a cubic Bézier curve from (0, 0) to (1, 1),
/// over time and progress.
///
/// It is computed by additions, multiplications and divisions only, in a fixed order, so that it has the same bits on every
/// machine.
package enum Easing: Hashable, Sendable, Encodable {
  case linear
  /// A curve with these two control points. Their times lie in 0...1, so that each time has one progress. Progress may overshoot.
  case bezier(x1: Double, y1: Double, x2: Double, y2: Double)
  /// A quarter of a sine, from its foot: 1 - cos(t pi / 2). With the other quarter it keeps the power of two sounds that fade into
  /// each other.
  case sineIn
  /// A quarter of a sine, to its top: sin(t pi / 2).
  case sineOut
  /// A spring that is released at the keyframe. At the next keyframe the value is that one's, wherever the spring is.
  case spring(Spring)

  package static let easeIn = Easing.bezier(x1: 0.42, y1: 0, x2: 1, y2: 1)
  package static let easeOut = Easing.bezier(x1: 0, y1: 0, x2: 0.58, y2: 1)
  package static let easeInOut = Easing.bezier(x1: 0.42, y1: 0, x2: 0.58, y2: 1)

  /// The easings that documents have names for.
  package static let named: [(name: String, easing: Easing)] = [
    ("linear", .linear), ("easeIn", .easeIn), ("easeOut", .easeOut), ("easeInOut", .easeInOut), ("sineIn", .sineIn),
    ("sineOut", .sineOut),
  ]

  /// The number of times that the curve parameter's interval is halved. For a parameter in 1/2...1 the two ends are then
  /// neighbouring `Double`s. A smaller parameter is found to the same absolute precision.
  private static let halvings = 54

  /// The progress at `time`. Both are 0 at the keyframe and 1 at the next one.
  ///
  /// - Parameter duration: the seconds between the two.
  package func progress(at time: Double, of duration: Double) -> Double {
    if case .spring(let spring) = self, time > 0, time < 1 { return spring.progress(after: time * duration) }
    return progress(at: time)
  }

  /// The progress at `time` of an easing that is not a spring.
  package func progress(at time: Double) -> Double {
    guard time > 0, time < 1 else { return time }
    switch self {
    case .linear, .spring: return time
    case .sineIn: return 1 - Trigonometry.sineAndCosine(degrees: time * 90).cosine
    case .sineOut: return Trigonometry.sineAndCosine(degrees: time * 90).sine
    case .bezier(let x1, let y1, let x2, let y2):
      var (low, high) = (0.0, 1.0)
      for _ in 0..<Self.halvings {
        let middle = (low + high) / 2
        if Self.curve(x1, x2, at: middle) < time { low = middle } else { high = middle }
      }
      return Self.curve(y1, y2, at: high)
    }
  }

  /// The Bézier polynomial 3 (1 - u)² u a + 3 (1 - u) u² b + u³.
  private static func curve(_ a: Double, _ b: Double, at u: Double) -> Double {
    let rest = 1 - u
    return 3 * rest * rest * u * a + 3 * rest * u * u * b + u * u * u
  }
}
