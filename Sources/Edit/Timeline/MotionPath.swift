internal import Formats
internal import MediaTime

/// A way along which a layer moves (the path of a CAKeyframeAnimation of the position, paced).
package struct MotionPath: Hashable, Sendable {
  /// The way, in the coordinates of what the layer stands on. Lines between its parts do not count.
  package var path: VectorPath
  /// The share of the way's length that is behind the layer, 0...1.
  package var progress: Envelope<Double>
  /// Whether the layer turns with the way: to the right is as it stands (rotationMode `auto`).
  package var rotates: Bool

  package init(_ path: VectorPath, progress: Envelope<Double>, rotates: Bool = false) {
    (self.path, self.progress, self.rotates) = (path, progress.held(), rotates)
  }

  /// The place on the way at `time`, and the direction in which it goes on there, in degrees clockwise from the right.
  func place(at time: @autoclosure () -> MediaTime) throws(TimeError) -> (Point, Double) {
    let share = try min(max(progress.heldValue(at: time(), neutral: 0), 0), 1)
    let pieces = path.pieces
    guard let last = pieces.last(where: { $0.length > 0 }) else { return (pieces.first?.points[0] ?? .zero, 0) }
    var rest = share * pieces.reduce(0) { $0 + $1.length }
    for piece in pieces where piece.length > 0 {
      if rest < piece.length { return piece.place(at: rest) }
      rest -= piece.length
    }
    return last.place(at: last.length)
  }
}

extension VectorPath {
  /// The lines and curves of the path.
  package var pieces: [PathPiece] {
    var (pieces, current, start) = ([PathPiece](), Point.zero, Point.zero)
    for element in elements {
      switch element {
      case .move(let point): (current, start) = (point, point)
      case .line(let point):
        pieces.append(PathPiece([current, point]))
        current = point
      case .curve(let first, let second, let end):
        pieces.append(PathPiece([current, first, second, end]))
        current = end
      case .close:
        pieces.append(PathPiece([current, start]))
        current = start
      }
    }
    return pieces
  }
}
