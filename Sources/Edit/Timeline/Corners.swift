package import Formats

/// The radii of a rectangle's corners, in pixels, clockwise from the top left.
package struct Corners: Hashable, Sendable, Encodable, ExpressibleByFloatLiteral, ExpressibleByIntegerLiteral {
  package var topLeft: Double
  package var topRight: Double
  package var bottomRight: Double
  package var bottomLeft: Double

  package init(_ topLeft: Double, _ topRight: Double, _ bottomRight: Double, _ bottomLeft: Double) {
    (self.topLeft, self.topRight, self.bottomRight, self.bottomLeft) = (topLeft, topRight, bottomRight, bottomLeft)
  }

  /// Makes four corners of one radius.
  package init(_ radius: Double) { self.init(radius, radius, radius, radius) }

  package init(floatLiteral value: Double) { self.init(value) }

  package init(integerLiteral value: Int) { self.init(Double(value)) }

  package var all: [Double] { [topLeft, topRight, bottomRight, bottomLeft] }

  /// The one radius of all corners; nil where they differ.
  package var uniform: Double? { all.allSatisfy { $0 == topLeft } ? topLeft : nil }

  /// The corners in a rectangle of `size`. None is below 0. Where two on a side are longer than it, all are made smaller in the same
  /// measure, as in CSS ("Backgrounds and Borders Level 3", 5.5).
  package func fitted(in size: Point) -> Corners {
    let bounded = map { max($0, 0) }
    let sides = [
      (size.x, bounded.topLeft + bounded.topRight), (size.x, bounded.bottomLeft + bounded.bottomRight),
      (size.y, bounded.topLeft + bounded.bottomLeft), (size.y, bounded.topRight + bounded.bottomRight),
    ]
    let share = sides.reduce(1.0) { $1.1 > $1.0 ? min($0, $1.0 / $1.1) : $0 }
    // A radius of half a side is exactly that.
    if let radius = bounded.uniform { return Corners(min(radius, size.x / 2, size.y / 2)) }
    return share < 1 ? bounded.map { $0 * share } : bounded
  }

  /// The corners of the rectangle that lies `distance` pixels further inside.
  package func inset(by distance: Double) -> Corners { map { max($0 - distance, 0) } }

  private func map(_ change: (Double) -> Double) -> Corners {
    Corners(change(topLeft), change(topRight), change(bottomRight), change(bottomLeft))
  }
}

extension Corners: Interpolable {
  package func interpolated(to other: Corners, progress: Double) -> Corners {
    func between(_ corner: KeyPath<Corners, Double>) -> Double {
      self[keyPath: corner].interpolated(to: other[keyPath: corner], progress: progress)
    }
    return Corners(between(\.topLeft), between(\.topRight), between(\.bottomRight), between(\.bottomLeft))
  }

  package func distance(to other: Corners) -> Double { [Double].distance(all, other.all) }
}
