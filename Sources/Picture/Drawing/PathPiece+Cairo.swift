internal import CPango
import Formats
import Timeline

extension PathPiece {
  /// The pieces of a path of Cairo's.
  static func pieces(of path: UnsafeMutablePointer<cairo_path_t>) -> [PathPiece] {
    var (pieces, current, start) = ([PathPiece](), Point.zero, Point.zero)
    var index = 0
    while unsafe index < Int(path.pointee.num_data) {
      let header = unsafe path.pointee.data[index].header
      func point(_ number: Int) -> Point {
        unsafe Point(path.pointee.data[index + number].point.x, path.pointee.data[index + number].point.y)
      }
      switch header.type {
      case CAIRO_PATH_MOVE_TO:
        current = point(1)
        start = current
      case CAIRO_PATH_LINE_TO:
        pieces.append(PathPiece([current, point(1)]))
        current = point(1)
      case CAIRO_PATH_CURVE_TO:
        pieces.append(PathPiece([current, point(1), point(2), point(3)]))
        current = point(3)
      default:
        pieces.append(PathPiece([current, start]))
        current = start
      }
      index += Int(header.length)
    }
    return pieces
  }
}
