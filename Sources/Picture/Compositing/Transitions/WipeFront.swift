import Timeline

/// The position of a wipe's edge: the field values that it has passed over, and by how much.
///
/// Units are those of the field, in which the whole way is 65536. The edge goes further than that by its own width. So at
/// progress 0 it lies wholly before the first pixel, and at 1 wholly behind the last.
struct WipeFront {
  /// The first value that the edge has not reached.
  private let level: Int32
  /// The width over which a share goes from none to all; 1 is a hard edge.
  private let softness: Int32
  /// The distance from the border's outer edge to the incoming picture.
  private let border: Int32
  /// The value 65535 / softness in 16.16 fixed point, rounded up.
  private let slope: UInt32

  init(_ edge: Transition.WipeEdge, progress: Double) {
    let soft = (edge.softness * 65535).rounded()
    softness = Int32(max(soft, 1))
    border = Int32((edge.borderWidth * 65535).rounded())
    level = Int32((progress * (65536 + soft + Double(border))).rounded())
    slope = (65535 << 16 + UInt32(softness) - 1) / UInt32(softness)
  }

  var hasBorder: Bool { border > 0 }

  enum Side { case before, behind, across }

  /// The side of the edge on which values between these bounds lie.
  func side(low: UInt16, high: UInt16) -> Side {
    if level <= Int32(low) { return .before }
    return level - Int32(high) >= softness + border ? .behind : .across
  }

  /// Writes the shares of the incoming picture, 0...65535.
  @unsafe func weights(_ values: UnsafePointer<UInt16>, into weights: UnsafeMutablePointer<UInt16>, count: Int) {
    unsafe fill(weights, values, level: level &- border, count: count)
  }

  /// Writes the shares of border and incoming picture together, 0...65535.
  @unsafe func outerWeights(_ values: UnsafePointer<UInt16>, into weights: UnsafeMutablePointer<UInt16>, count: Int) {
    unsafe fill(weights, values, level: level, count: count)
  }

  /// Writes the shares for an edge at `level`. Products stay below 2^32: they are at most softness * slope < 65535 * 65536 +
  /// softness.
  @unsafe private func fill(
    _ weights: UnsafeMutablePointer<UInt16>, _ values: UnsafePointer<UInt16>, level: Int32, count: Int
  ) {
    for x in 0..<count {
      let passed = min(max(level &- Int32(truncatingIfNeeded: unsafe values[x]), 0), softness)
      unsafe weights[x] = UInt16(truncatingIfNeeded: (UInt32(truncatingIfNeeded: passed) &* slope) &>> 16)
    }
  }
}
