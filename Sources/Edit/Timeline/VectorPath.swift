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
