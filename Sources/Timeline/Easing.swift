/// How a value moves from one keyframe to the next (CAMediaTimingFunction): a cubic Bézier curve from (0, 0) to (1, 1) over
/// time and progress.
///
/// Worked out by additions and multiplications alone, in a fixed order: the same bits on every machine.
package enum Easing: Hashable, Sendable {
  case linear
  /// The curve's two control points. Times lie in 0...1, so that there is one progress for each time; progress may
  /// overshoot.
  case bezier(x1: Double, y1: Double, x2: Double, y2: Double)

  package static let easeIn = Easing.bezier(x1: 0.42, y1: 0, x2: 1, y2: 1)
  package static let easeOut = Easing.bezier(x1: 0, y1: 0, x2: 0.58, y2: 1)
  package static let easeInOut = Easing.bezier(x1: 0.42, y1: 0, x2: 0.58, y2: 1)

  /// Those that documents have names for.
  package static let named: [(name: String, easing: Easing)] = [
    ("linear", .linear), ("easeIn", .easeIn), ("easeOut", .easeOut), ("easeInOut", .easeInOut),
  ]

  /// Halvings until neighbouring numbers remain: a parameter in 1/2...1 has 53 bits, and a smaller one is as near as that.
  private static let halvings = 54

  /// The progress at `time`, both 0 at the keyframe and 1 at the next one.
  package func progress(at time: Double) -> Double {
    guard case .bezier(let x1, let y1, let x2, let y2) = self, time > 0, time < 1 else { return time }
    var (low, high) = (0.0, 1.0)
    for _ in 0..<Self.halvings {
      let middle = (low + high) / 2
      if Self.curve(x1, x2, at: middle) < time { low = middle } else { high = middle }
    }
    return Self.curve(y1, y2, at: high)
  }

  /// 3 (1 - u)² u a + 3 (1 - u) u² b + u³.
  private static func curve(_ a: Double, _ b: Double, at u: Double) -> Double {
    let rest = 1 - u
    return 3 * rest * rest * u * a + 3 * rest * u * u * b + u * u * u
  }
}
