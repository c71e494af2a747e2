import Formats
import Testing
import Timeline

@Suite struct `A path in SVG's words` {
  private func path(_ text: String) throws -> VectorPath { try VectorPath(svg: text, atMost: 100) }

  @Test(arguments: [
    ("M1 2", "M 1 2"), ("m1,2", "M 1 2"), ("M 1 2 3 4 5 6", "M 1 2 L 3 4 L 5 6"), ("m 1 2 3 4 5 6", "M 1 2 L 4 6 L 9 12"),
    ("M1 2 H5 V9 h-1 v-2", "M 1 2 L 5 2 L 5 9 L 4 9 L 4 7"), ("M0 0L1 1ZL2 0", "M 0 0 L 1 1 Z L 2 0"),
    ("M 5 5 L 9 9 z l 1 0", "M 5 5 L 9 9 Z L 6 5"), ("M-1-2.5.5.5", "M -1 -2.5 L 0.5 0.5"),
    ("M0 0 C 1 2 3 4 5 6 S 7 8 9 10", "M 0 0 C 1 2 3 4 5 6 C 7 8 7 8 9 10"),
    ("M1 1 c 1 0 1 0 2 2 s 1 1 2 2", "M 1 1 C 2 1 2 1 3 3 C 4 5 4 4 5 5"), ("M0 0 S 1 1 2 2", "M 0 0 C 0 0 1 1 2 2"),
    ("M0 0 Q 3 0 3 3", "M 0 0 C 2 0 3 1 3 3"), ("M0 0 Q 3 0 6 0 T 12 0", "M 0 0 C 2 0 4 0 6 0 C 8 0 10 0 12 0"),
    ("M 1e2 -2E-1", "M 100 -0.2"), ("M0 0 A 0 5 0 0 1 4 4", "M 0 0 L 4 4"), ("M2 2 a 5 5 0 0 1 0 0 l 1 1", "M 2 2 L 3 3"),
  ])
  func `is read with every command, absolute and relative`(_ text: String, _ plain: String) throws {
    #expect(try path(text).svg == plain)
    #expect(try path(plain).svg == plain)
  }

  /// The points of an arc, four on each of its curves.
  private func points(_ path: VectorPath) -> [Point] {
    var (points, current) = ([Point](), Point.zero)
    for element in path.elements {
      guard case .curve(let first, let second, let end) = element else {
        if case .move(let point) = element { current = point }
        continue
      }
      for step in 1...4 {
        let u = Double(step) / 4
        let shares = [(1 - u) * (1 - u) * (1 - u), 3 * (1 - u) * (1 - u) * u, 3 * (1 - u) * u * u, u * u * u]
        let all = zip([current, first, second, end], shares)
        points.append(Point(all.reduce(0) { $0 + $1.0.x * $1.1 }, all.reduce(0) { $0 + $1.0.y * $1.1 }))
      }
      current = end
    }
    return points
  }

  // The four arcs of SVG 1.1's picture of the flags, by the centre of their circle and the way round.
  @Test(arguments: [(0, 1, Point(0, 10), 90.0), (0, 0, Point(10, 0), 90), (1, 1, Point(10, 0), 270), (1, 0, Point(0, 10), 270)])
  func `has arcs by SVG's two flags`(_ large: Int, _ sweep: Int, _ centre: Point, _ angle: Double) throws {
    // From (0, 0) to (10, 10) with a radius of 10.
    let arc = try path("M0 0A10 10 0 \(large) \(sweep) 10 10")
    #expect(arc.elements.count == 1 + Int(angle / 90))
    let points = points(arc)
    for point in points {
      let (x, y) = (point.x - centre.x, point.y - centre.y)
      #expect(abs((x * x + y * y).squareRoot() - 10) < 0.003, "\(point)")
    }
    #expect(points.last == Point(10, 10))
    // Clockwise as seen: the cross product of two steps is positive, because y grows downwards.
    let (first, second) = (points[0], points[1])
    let cross = (first.x - centre.x) * (second.y - centre.y) - (first.y - centre.y) * (second.x - centre.x)
    #expect((cross > 0) == (sweep == 1))
  }

  @Test func `has turned ellipses, enlarged where they do not reach`() throws {
    // Half an ellipse of radii 20 and 10, turned by 90 degrees, from (0, 0) down to (0, 40).
    for point in points(try path("M0 0 A 20 10 90 0 1 0 40")) {
      let (x, y) = (point.x / 10, (point.y - 20) / 20)
      #expect(abs(x * x + y * y - 1) < 0.001, "\(point)")
      #expect(point.x > -1e-9)
    }
    // A radius of 1 does not reach from -5 to 5, so it becomes 5.
    for point in points(try path("M-5 0 A 1 1 0 0 1 5 0")) {
      #expect(abs((point.x * point.x + point.y * point.y).squareRoot() - 5) < 0.003)
    }
  }

  @Test(arguments: [
    ("", "there is nothing in the path, at the end"), ("L 1 2", "a path begins with M, at ' 1 2'"),
    ("1 2", "a command was expected, one of M L H V C S Q T A Z, at '1 2'"), ("M 1", "a number was expected, at the end"),
    ("M 1 2 L 3", "a number was expected, at the end"), ("M 1 2 X", "a number was expected, at 'X'"),
    ("M 1 2 Z 3 4", "a command was expected, one of M L H V C S Q T A Z, at '3 4'"),
    ("M 1 2 A 1 1 0 2 0 3 3", "a flag was expected, 0 or 1, at '2 0 3 3'"),
    ("M 1e9 0", "1e9 is not in -1000000...1000000, at '1e9 0'"), ("M nan 0", "a number was expected, at 'nan 0'"),
    ("M 1 --2", "a number was expected, at '--2'"),
    ("M 900000 0 l 900000 0", "the path leads out of -1000000...1000000, at the end"),
  ])
  func `that is none is refused where it breaks off`(_ text: String, _ reason: String) {
    let fault = #expect(throws: VectorPath.Fault.self) { try path(text) }
    #expect(fault?.reason == reason)
  }

  @Test func `has no more elements than it may`() throws {
    let hundred = "M 0 0" + String(repeating: " 1 1", count: 99)
    #expect(try path(hundred).elements.count == 100)
    let fault = #expect(throws: VectorPath.Fault.self) { try path(hundred + " 2 2") }
    #expect(fault?.reason == "the path has more than 100 elements, at the end")
  }
}
