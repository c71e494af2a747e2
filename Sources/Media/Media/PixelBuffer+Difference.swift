extension PixelBuffer {
  /// The width and height of a block, in samples.
  private static let block = 16

  /// The largest difference from another picture in any square of 2 x 2 blocks, of 16 x 16 samples each. The difference is the
  /// sum of the absolute differences of the samples of the first plane. FFmpeg's decimate finds repeated pictures by the same
  /// measure: movement in a small part of the picture counts as much as movement in all of it.
  ///
  /// - Returns: the sum; `Int.max` for pictures of different format or size.
  func largestDifference(from other: PixelBuffer) -> Int {
    guard format == other.format, width == other.width, height == other.height else { return .max }
    let columns = (width + Self.block - 1) / Self.block
    var (above, largest) = ([Int](repeating: 0, count: columns), 0)
    for top in stride(from: 0, to: height, by: Self.block) {
      let sums =
        format.bytesPerSample == 1 ? sums(of: UInt8.self, other, top, columns) : sums(of: UInt16.self, other, top, columns)
      for column in 0..<columns {
        let beside = column > 0 ? above[column - 1] + sums[column - 1] : 0
        largest = max(largest, above[column] + sums[column] + beside)
      }
      above = sums
    }
    return largest
  }

  /// The sum of absolute differences of each block in the row of blocks that begins at line `top`.
  private func sums<Sample: FixedWidthInteger & UnsignedInteger>(
    of type: Sample.Type, _ other: PixelBuffer, _ top: Int, _ columns: Int
  ) -> [Int] {
    let (mine, its) = unsafe (plane(0), other.plane(0))
    var sums = [Int](repeating: 0, count: columns)
    for row in top..<min(top + Self.block, height) {
      let one = unsafe UnsafeRawPointer(mine.base + row * mine.stride).assumingMemoryBound(to: type)
      let two = unsafe UnsafeRawPointer(its.base + row * its.stride).assumingMemoryBound(to: type)
      for column in 0..<columns {
        var sum: Int32 = 0
        for x in column * Self.block..<min((column + 1) * Self.block, width) {
          sum &+= unsafe abs(Int32(truncatingIfNeeded: one[x]) &- Int32(truncatingIfNeeded: two[x]))
        }
        sums[column] += Int(sum)
      }
    }
    return sums
  }
}
