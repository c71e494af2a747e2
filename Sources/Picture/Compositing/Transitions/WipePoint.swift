/// A point of a wipe's frame, and the size of the frame. Units are pixels; the origin is the top left corner.
///
/// Coordinates and sides are halves of whole numbers, so that turning and mirroring are exact: wipes that mirror each other do so
/// in every pixel. Only IEEE's basic operations are used, which give the same bits on every machine.
struct WipePoint {
  var x: Double
  var y: Double
  var width: Double
  var height: Double

  init(_ x: Double, _ y: Double, width: Double, height: Double) {
    (self.x, self.y, self.width, self.height) = (x, y, width, height)
  }

  /// The position from left to right, 0...1.
  var u: Double { x / width }
  /// The position from top to bottom, 0...1.
  var v: Double { y / height }
  /// The position from left to right, -1...1.
  var a: Double { (2 * x - width) / width }
  /// The position from top to bottom, -1...1.
  var b: Double { (2 * y - height) / height }

  // MARK: - Symmetries

  /// The mirrored point. A shape's value there is the value that the shape's mirror image has here.
  var mirrored: WipePoint { WipePoint(width - x, y, width: width, height: height) }
  var flipped: WipePoint { WipePoint(x, height - y, width: width, height: height) }
  var transposed: WipePoint { WipePoint(y, x, width: height, height: width) }

  /// The turned point. A shape's value there is the value that the shape has here after it is turned clockwise by `quarters`
  /// quarter turns.
  func turned(_ quarters: Int) -> WipePoint {
    (0..<quarters).reduce(self) { point, _ in WipePoint(point.y, point.width - point.x, width: point.height, height: point.width)
    }
  }

  var isInUpperHalf: Bool { 2 * y < height }
  /// The point in the upper half that this one equals or mirrors, where the lower half is the upper one's mirror image.
  var foldedUp: WipePoint { isInUpperHalf ? self : flipped }
  /// The point in the left half that this one equals or mirrors, where the right half is the left one's mirror image.
  var foldedLeft: WipePoint { 2 * x < width ? self : mirrored }
  /// The point in the left half that this one equals or becomes by a half turn, where the right half is the left one after a half
  /// turn.
  var turnedLeft: WipePoint { 2 * x < width ? self : turned(2) }
  /// The point in the upper half, taken as a frame of its own, which the lower half mirrors.
  var upperBox: WipePoint { WipePoint(x, foldedUp.y, width: width, height: height / 2) }
  /// The point in the half of the height where it lies, taken as a frame of its own.
  var inHalfOfHeight: WipePoint { WipePoint(x, isInUpperHalf ? y : y - height / 2, width: width, height: height / 2) }
  var inHalfOfWidth: WipePoint { WipePoint(2 * x < width ? x : x - width / 2, y, width: width / 2, height: height) }

  // MARK: - Directions

  var fromCenter: Direction { Direction(x: x - width / 2, y: y - height / 2) }
  /// The direction from the middle of the top edge.
  var fromTop: Direction { Direction(x: x - width / 2, y: y) }
  var fromTopLeft: Direction { Direction(x: x, y: y) }

  /// The value of a wipe by two hands, at the top left and the bottom right corner. Each turns from its horizontal edge to the
  /// diagonal between the corners.
  var sweptToDiagonal: Double {
    let near = u >= v ? self : turned(2)
    return (near.fromTopLeft.turn - 0.25) / (Direction(x: width, y: height).turn - 0.25)
  }

  // MARK: - Saws, snakes and water

  /// The number of teeth across the frame's height.
  private static let teeth = 6.0
  /// The depth of the teeth, as a share of the width.
  private static let toothDepth = 0.1
  /// The number of a snake's rows, of cells at a spiral's side (an even number), and of a waterfall's columns.
  private static let rows = 8.0
  /// The lead of a falling column over the next one, as a share of its whole fall.
  private static let lead = 0.25

  /// The value of a bar from left to right whose edge is a saw.
  var sawed: Double {
    let tooth = abs(2 * (v * Self.teeth - (v * Self.teeth).rounded(.down)) - 1)
    return (u + Self.toothDepth * tooth) / (1 + Self.toothDepth)
  }

  /// The value of rows from the top down, every other one from the right.
  var snake: Double {
    let row = (v * Self.rows).rounded(.down)
    return (row + (row.truncatingRemainder(dividingBy: 2) == 0 ? u : mirrored.u)) / Self.rows
  }

  /// The value of diagonals from the top left corner, every other one upwards.
  var diagonalSnake: Double {
    let distance = u + v
    let band = (distance * Self.rows).rounded(.down)
    let (low, high) = (max(distance - 1, 0), min(distance, 1))
    let way = (u - low) / (high - low)
    return (band + (band.truncatingRemainder(dividingBy: 2) == 0 ? way : 1 - way)) / (2 * Self.rows)
  }

  /// The value of a spiral from the top left corner, clockwise, ring by ring of cells. Each cell takes the same time.
  var spiral: Double {
    let cells = Self.rows
    let ring = (min(min(u, mirrored.u), min(v, flipped.v)) * cells).rounded(.down)
    let side = cells - 2 * ring
    let (column, row) = (u * cells - ring, v * cells - ring)
    let edge = side - 1
    let way =
      if row < 1 && column < edge { column } else if column >= edge && row < edge {
        edge + row
      } else if row >= edge && column >= 1 {
        2 * edge + (side - column)
      } else { 3 * edge + (side - row) }
    return (cells * cells - side * side + way) / (cells * cells)
  }

  /// The value of columns that fall one after another, the leftmost first.
  var waterfall: Double {
    let column = (u * Self.rows).rounded(.down)
    return (column * Self.lead + v) / ((Self.rows - 1) * Self.lead + 1)
  }
}

/// A direction and a distance in pixels; y grows downwards.
struct Direction {
  var x: Double
  var y: Double

  /// The direction as a share of a whole turn, clockwise from twelve o'clock, in 0..<1.
  var turn: Double {
    let quarter = quarterTurn
    if x >= 0 { return y < 0 ? quarter : 0.5 - quarter }
    return y >= 0 ? 0.5 + quarter : 1 - quarter
  }

  /// The angle to the vertical axis, upwards or downwards: 0...1 for 0...90 degrees.
  var offVertical: Double { 4 * quarterTurn }

  /// The angle to the vertical axis, 0...0.25 of a turn.
  private var quarterTurn: Double {
    let (across, along) = (abs(x), abs(y))
    if across == 0 && along == 0 { return 0 }
    return across <= along ? Self.arcTurn(across / along) : 0.25 - Self.arcTurn(along / across)
  }

  /// The arc tangent of a ratio of 0...1 in turns, to within 2e-7 of a turn. It is not libm's, whose last bit differs between
  /// machines. It is Taylor's series around 0. The upper part is brought to small arguments by atan r = 45° + atan((r - 1) / (r +
  /// 1)).
  private static func arcTurn(_ ratio: Double) -> Double {
    if ratio > 0.4142135623730951 { return 0.125 + series((ratio - 1) / (ratio + 1)) }
    return series(ratio)
  }

  private static func series(_ z: Double) -> Double {
    let s = z * z
    let sum = 1 - s * (1.0 / 3 - s * (1.0 / 5 - s * (1.0 / 7 - s * (1.0 / 9 - s * (1.0 / 11 - s / 13)))))
    return z * sum * 0.15915494309189535
  }
}

extension Double {
  /// The share of the way between two blades of a wheel, in 0..<1, that this turn has gone. `count` is the number of blades.
  func blade(of count: Double) -> Double { self * count - (self * count).rounded(.down) }
}
