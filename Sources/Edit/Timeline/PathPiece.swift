package import Formats

/// A line or a cubic Bézier curve of a path: its two or four points.
package struct PathPiece: Sendable {
  package let points: [Point]
  /// The lengths from the piece's beginning at evenly spaced values of the curve's parameter.
  private let lengths: [Double]

  private static let steps = 64

  /// - Precondition: there are two or four points.
  package init(_ points: [Point]) {
    self.points = points
    let steps = points.count == 2 ? 1 : Self.steps
    var (lengths, last) = ([0.0], points[0])
    for step in 1...steps {
      let next = Self.divided(points, at: Double(step) / Double(steps)).rest[0]
      lengths.append(lengths[step - 1] + Self.distance(last, next))
      last = next
    }
    self.lengths = lengths
  }

  package var length: Double { lengths[lengths.count - 1] }

  /// The points of the part between two lengths from the beginning.
  package func part(from: Double, to: Double) -> [Point] {
    let (first, last) = (parameter(at: from), parameter(at: to))
    let rest = first > 0 ? Self.divided(points, at: first).rest : points
    return last < 1 ? Self.divided(rest, at: (last - first) / (1 - first)).first : rest
  }

  /// The point at a length from the beginning, and the direction there in degrees, clockwise from the right.
  func place(at length: Double) -> (point: Point, degrees: Double) {
    let parameter = parameter(at: length)
    let rest = Self.divided(points, at: parameter).rest
    // At the end nothing of the piece is left, and it goes on as it came. Control points that lie on each other say nothing.
    let way = parameter < 1 ? rest : Self.divided(points, at: parameter).first.reversed().map { Point(-$0.x, -$0.y) }
    guard let next = way.first(where: { Self.distance($0, way[0]) > 1e-9 }) else { return (rest[0], 0) }
    return (rest[0], Trigonometry.degrees(y: next.y - way[0].y, x: next.x - way[0].x))
  }

  /// The curve's parameter, 0...1, at a length from the beginning.
  private func parameter(at length: Double) -> Double {
    guard length > 0 else { return 0 }
    guard length < self.length, let next = lengths.firstIndex(where: { $0 > length }) else { return 1 }
    let (before, after) = (lengths[next - 1], lengths[next])
    return (Double(next - 1) + (length - before) / (after - before)) / Double(lengths.count - 1)
  }

  /// The two parts of a line or a curve on both sides of a parameter's value (de Casteljau).
  private static func divided(_ points: [Point], at value: Double) -> (first: [Point], rest: [Point]) {
    var (level, first, rest) = (points, [points[0]], [points[points.count - 1]])
    while level.count > 1 {
      level = zip(level, level.dropFirst()).map { $0.interpolated(to: $1, progress: value) }
      first.append(level[0])
      rest.insert(level[level.count - 1], at: 0)
    }
    return (first, rest)
  }

  private static func distance(_ one: Point, _ other: Point) -> Double {
    ((other.x - one.x) * (other.x - one.x) + (other.y - one.y) * (other.y - one.y)).squareRoot()
  }
}
