import Timeline

/// Where a wipe's edge stands: what field values it has passed over, and how much.
///
/// In the field's units, 65536 to the whole way. The edge goes further than that by its own width, so that at progress 0
/// all of it lies before the first pixel and at 1 behind the last.
struct WipeFront {
  /// The first value that the edge has not reached.
  private let level: Int32
  /// The width of a passage from none to all; 1 is a hard edge.
  private let softness: Int32
  /// How far the incoming picture is behind the border's outer edge.
  private let border: Int32
  /// 65535 / softness in 16.16 fixed point, rounded up.
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

  /// Where values between these bounds lie.
  func side(low: UInt16, high: UInt16) -> Side {
    if level <= Int32(low) { return .before }
    return level - Int32(high) >= softness + border ? .behind : .across
  }

  /// The shares of the incoming picture, 0...65535.
  @unsafe func weights(_ values: UnsafePointer<UInt16>, into weights: UnsafeMutablePointer<UInt16>, count: Int) {
    unsafe fill(weights, values, level: level &- border, count: count)
  }

  /// The shares of border and incoming picture together.
  @unsafe func outerWeights(_ values: UnsafePointer<UInt16>, into weights: UnsafeMutablePointer<UInt16>, count: Int) {
    unsafe fill(weights, values, level: level, count: count)
  }

  /// Products stay below 2^32: at most softness * slope < 65535 * 65536 + softness.
  @unsafe private func fill(
    _ weights: UnsafeMutablePointer<UInt16>, _ values: UnsafePointer<UInt16>, level: Int32, count: Int
  ) {
    for x in 0..<count {
      let passed = min(max(level &- Int32(truncatingIfNeeded: unsafe values[x]), 0), softness)
      unsafe weights[x] = UInt16(truncatingIfNeeded: (UInt32(truncatingIfNeeded: passed) &* slope) &>> 16)
    }
  }
}
