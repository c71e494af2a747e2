/// Frames with two quantizers beside each other, so that all together have any average (decision 0209).
package enum QuantizerMix {
  /// The quantizer of a frame.
  ///
  /// A frame has a place between 0 and 1, which its number alone decides: a multiple of the golden ratio. It gets the coarser quantizer where the place
  /// is below the average's fraction. So frames in a row, and each third one, get both in their proportion, and a coarser average leaves no frame finer.
  ///
  /// - Parameters:
  ///   - average: from 1 to 1000.
  ///   - index: the number of the frame in the movie; not negative.
  package static func quantizer(_ average: Double, ofFrame index: Int64) -> Int32 {
    let place = Double(UInt32(truncatingIfNeeded: UInt64(index) &* golden)) / 0x1p32
    let whole = average.rounded(.down)
    return Int32(whole) + (place < average - whole ? 1 : 0)
  }

  /// 2^32 divided by the golden ratio, odd.
  private static let golden: UInt64 = 2_654_435_769
}
