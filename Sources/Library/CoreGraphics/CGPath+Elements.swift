/// A part of an outline. Its points are valid during the call that gives it.
@unsafe public struct CGPathElement {
  public var type: CGPathElementType
  /// The points: one of a move and a line, two of a quadratic curve, three of a cubic one, none of a close.
  public var points: UnsafeMutablePointer<CGPoint>

  public init(type: CGPathElementType, points: UnsafeMutablePointer<CGPoint>) {
    unsafe (self.type, self.points) = (type, points)
  }
}

extension CGPath {
  /// Calls `block` for each part of the outline, in order. Quadratic curves come as the cubic ones that they are kept as.
  public func applyWithBlock(_ block: (UnsafePointer<CGPathElement>) -> Void) {
    for part in parts {
      // A close has no points. One is there all the same, so that the pointer leads somewhere.
      var (type, points): (CGPathElementType, [CGPoint]) =
        switch part {
        case .move(let point): (.moveToPoint, [point])
        case .line(let point): (.addLineToPoint, [point])
        case .curve(let first, let second, let end): (.addCurveToPoint, [first, second, end])
        case .close: (.closeSubpath, [.zero])
        }
      unsafe points.withUnsafeMutableBufferPointer { buffer in
        guard let first = buffer.baseAddress else { return }
        var element = unsafe CGPathElement(type: type, points: first)
        unsafe withUnsafePointer(to: &element) { unsafe block($0) }
      }
    }
  }
}
