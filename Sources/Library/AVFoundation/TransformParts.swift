internal import Formats
internal import Timeline

/// The parts of a map in space into which Core Animation takes it apart: a scale, then a turn, then a move, then a perspective.
///
/// A map between two others is made of the parts between theirs: numbers along lines, turns along the shortest way (K. Shoemake,
/// "Animating rotation with quaternion curves", 1985).
struct TransformParts: Interpolable {
  var scale: SIMD3<Double>
  /// The turn as a quaternion: x, y, z and the real part.
  var turn: SIMD4<Double>
  var translation: SIMD3<Double>
  /// The term m34.
  var perspective: Double

  private static let small = 1e-9

  /// The parts of a map; nil where it shears, mirrors, or has another perspective than one of m34.
  init?(_ map: CATransform3D) {
    let terms = map.terms.map { Double($0) }
    translation = SIMD3(terms[12], terms[13], terms[14])
    // The fourth column is the third one times m34, apart from its last term.
    let thirds = [terms[2], terms[6], terms[10], terms[14]]
    let fourths = [terms[3], terms[7], terms[11], terms[15] - 1]
    let largest = (0..<3).max { abs(thirds[$0]) < abs(thirds[$1]) } ?? 2
    guard thirds[largest] != 0 else { return nil }
    let depth = fourths[largest] / thirds[largest]
    guard zip(thirds, fourths).allSatisfy({ abs($1 - depth * $0) < Self.small }) else { return nil }
    perspective = depth == 0 ? 0 : depth
    let rows = (0..<3).map { SIMD3(terms[$0 * 4], terms[$0 * 4 + 1], terms[$0 * 4 + 2]) }
    let lengths = rows.map { ($0 * $0).sum().squareRoot() }
    guard lengths.allSatisfy({ $0 > Self.small && $0.isFinite }) else { return nil }
    scale = SIMD3(lengths[0], lengths[1], lengths[2])
    let axes = zip(rows, lengths).map { $0 / $1 }
    let isRectangular = [(0, 1), (0, 2), (1, 2)].allSatisfy { abs((axes[$0.0] * axes[$0.1]).sum()) < 1e-7 }
    let cross = SIMD3(
      axes[0].y * axes[1].z - axes[0].z * axes[1].y, axes[0].z * axes[1].x - axes[0].x * axes[1].z,
      axes[0].x * axes[1].y - axes[0].y * axes[1].x)
    guard isRectangular, (cross * axes[2]).sum() > 0 else { return nil }
    turn = Self.quaternion(of: axes)
  }

  /// The quaternion of a turn, whose matrix has these rows.
  private static func quaternion(of rows: [SIMD3<Double>]) -> SIMD4<Double> {
    let trace = rows[0].x + rows[1].y + rows[2].z
    let squares = [1 + 2 * rows[0].x - trace, 1 + 2 * rows[1].y - trace, 1 + 2 * rows[2].z - trace, 1 + trace]
    let best = squares.indices.max { squares[$0] < squares[$1] } ?? 3
    let four = 2 * squares[best].squareRoot()
    let (a, b, c) = (rows[1].z - rows[2].y, rows[2].x - rows[0].z, rows[0].y - rows[1].x)
    let (d, e, f) = (rows[0].y + rows[1].x, rows[0].z + rows[2].x, rows[1].z + rows[2].y)
    return switch best {
    case 0: SIMD4(four / 4, d / four, e / four, a / four)
    case 1: SIMD4(d / four, four / 4, f / four, b / four)
    case 2: SIMD4(e / four, f / four, four / 4, c / four)
    default: SIMD4(a / four, b / four, c / four, four / 4)
    }
  }

  /// The angles in radians about the axes, where the turn is about one of them; nil for other turns.
  var angles: SIMD3<Double>? {
    let turned = (0..<3).filter { abs(turn[$0]) > Self.small }
    guard turned.count < 2 else { return nil }
    var angles = SIMD3<Double>()
    if let axis = turned.first {
      let angle = 2 * atan2(turn[axis], turn.w)
      angles[axis] = angle > .pi ? angle - 2 * .pi : angle <= -.pi ? angle + 2 * .pi : angle
    }
    return angles
  }

  /// Whether two maps are turned by half a turn against each other, so that both ways are as short.
  func isOpposite(to other: TransformParts) -> Bool { abs((turn * other.turn).sum()) < 1e-6 }

  var matrix: Transform3D {
    let (x, y, z, w) = (turn.x, turn.y, turn.z, turn.w)
    let rows = [
      SIMD3(1 - 2 * (y * y + z * z), 2 * (x * y + z * w), 2 * (x * z - y * w)) * scale.x,
      SIMD3(2 * (x * y - z * w), 1 - 2 * (x * x + z * z), 2 * (y * z + x * w)) * scale.y,
      SIMD3(2 * (x * z + y * w), 2 * (y * z - x * w), 1 - 2 * (x * x + y * y)) * scale.z, translation,
    ]
    let terms = rows.enumerated().flatMap { [$1.x, $1.y, $1.z, $1.z * perspective + ($0 == 3 ? 1 : 0)] }
    return Transform3D(terms.map { $0 == 0 ? 0 : $0 })
  }

  func interpolated(to other: TransformParts, progress: Double) -> TransformParts {
    if progress == 0 { return self }
    var between = self
    between.scale = scale + (other.scale - scale) * progress
    between.translation = translation + (other.translation - translation) * progress
    between.perspective = perspective.interpolated(to: other.perspective, progress: progress)
    let cosine = (turn * other.turn).sum()
    let end = cosine < 0 ? -other.turn : other.turn
    let angle = acos(min(abs(cosine), 1))
    if angle > 1e-6 {
      let sine = sin(angle)
      between.turn = turn * (sin((1 - progress) * angle) / sine) + end * (sin(progress * angle) / sine)
    }
    return between
  }

  /// The parts have no distance that would pace them.
  func distance(to other: TransformParts) -> Double { self == other ? 0 : 1 }
}

extension CATransform3D {
  /// Whether the way to another map leads along lines, term by term: only the place changes, or the scale of the same view.
  func isTermwise(to other: CATransform3D) -> Bool {
    let (one, two) = (terms, other.terms)
    let isSame = { (places: [Int]) in places.allSatisfy { abs(one[$0] - two[$0]) < 1e-9 } }
    if isSame([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 15]) { return true }
    let isUpright = [self, other].allSatisfy { map in
      (map.m12, map.m13, map.m14, map.m21, map.m23, map.m24) == (0, 0, 0, 0, 0, 0) && (map.m31, map.m32) == (0, 0)
        && map.m11 >= 0 && map.m22 >= 0
    }
    return isUpright && isSame([10, 11, 14, 15])
  }

  /// The map as documents have it, in the same coordinates.
  var document: Transform3D { Transform3D(terms.map { $0 == 0 ? 0 : Double($0) }) }
}

extension Transform3D {
  static func translation(_ x: Double, _ y: Double, _ z: Double) -> Transform3D {
    Transform3D([1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, x, y, z, 1])
  }

  /// The map in coordinates that are turned over.
  var turnedOver: Transform3D {
    Transform3D(terms.enumerated().map { ($0 / 4 == 1) != ($0 % 4 == 1) && $1 != 0 ? -$1 : $1 })
  }

  /// The map of the plane z = 0 into one that lies as deep everywhere, and its depth; nil for a plane that is slanted.
  var flat: (map: Formats.AffineTransform, depth: Double)? {
    let weight = terms[15]
    guard [2, 3, 6, 7].allSatisfy({ terms[$0] == 0 }), weight > 0 else { return nil }
    let parts = [0, 1, 4, 5, 12, 13].map { terms[$0] / weight }
    return (Formats.AffineTransform(parts[0], parts[1], parts[2], parts[3], parts[4], parts[5]), terms[14] / weight)
  }
}
