package import Formats

/// An outline of lines and cubic Bézier curves, in the coordinates of a layer.
package struct VectorPath: Hashable, Sendable, Encodable {
  package enum Element: Hashable, Sendable, Encodable {
    case move(Point)
    case line(Point)
    /// A curve to `to` with two control points.
    case curve(Point, Point, to: Point)
    case close
  }

  package var elements: [Element]

  package init(_ elements: [Element]) { self.elements = elements }

  /// The path in SVG's words, with absolute coordinates.
  package var svg: String {
    func text(_ point: Point) -> String { "\(Self.text(point.x)) \(Self.text(point.y))" }
    return elements.map { element in
      switch element {
      case .move(let point): "M \(text(point))"
      case .line(let point): "L \(text(point))"
      case .curve(let first, let second, let end): "C \(text(first)) \(text(second)) \(text(end))"
      case .close: "Z"
      }
    }.joined(separator: " ")
  }

  private static func text(_ value: Double) -> String {
    abs(value) < 1e15 && value == value.rounded() ? "\(Int64(value))" : "\(value)"
  }
}

extension VectorPath {
  /// Whether two paths consist of the same lines and curves, apart from their points.
  package func isOfKind(of other: VectorPath) -> Bool {
    elements.count == other.elements.count
      && zip(elements, other.elements).allSatisfy { one, other in
        switch (one, other) {
        case (.move, .move), (.line, .line), (.curve, .curve), (.close, .close): true
        default: false
        }
      }
  }

  /// The path with each of its points changed.
  package func map(_ change: (Point) -> Point) -> VectorPath {
    VectorPath(
      elements.map { element in
        switch element {
        case .move(let point): .move(change(point))
        case .line(let point): .line(change(point))
        case .curve(let first, let second, let end): .curve(change(first), change(second), to: change(end))
        case .close: .close
        }
      })
  }

  /// The points of the path, with those that control its curves.
  package var points: [Point] {
    elements.flatMap { element -> [Point] in
      switch element {
      case .move(let point), .line(let point): [point]
      case .curve(let first, let second, let end): [first, second, end]
      case .close: []
      }
    }
  }
}

extension VectorPath: Interpolable {
  /// Interpolates point by point. A path of another kind stays until it is replaced.
  package func interpolated(to other: VectorPath, progress: Double) -> VectorPath {
    func between(_ one: Point, _ other: Point) -> Point { one.interpolated(to: other, progress: progress) }
    return VectorPath(
      zip(elements, other.elements).map { one, other in
        switch (one, other) {
        case (.move(let a), .move(let b)): .move(between(a, b))
        case (.line(let a), .line(let b)): .line(between(a, b))
        case (.curve(let a, let b, let c), .curve(let d, let e, let f)): .curve(between(a, d), between(b, e), to: between(c, f))
        default: one
        }
      } + elements.dropFirst(other.elements.count))
  }

  package func distance(to other: VectorPath) -> Double { zip(points, other.points).reduce(0) { $0 + $1.0.distance(to: $1.1) } }
}
