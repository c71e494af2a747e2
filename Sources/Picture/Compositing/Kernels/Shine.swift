import Media

extension Plane {
  /// Fills this plane of alpha from the luma of a frame over black and over white: what does not shine through is covered.
  ///
  /// - Parameter range: the distance of white's code from black's, in samples of 16 bits.
  /// - Precondition: the planes have one shape.
  /// - Returns: the least alpha.
  func fillAlpha(_ dark: Plane, _ light: Plane, range: Int) -> UInt16 {
    precondition(hasSameShape(as: dark) && hasSameShape(as: light) && bytesPerSample == 2)
    let opaque = Int(PixelBuffer.Alpha.opaque)
    var least = PixelBuffer.Alpha.opaque
    for y in 0..<height {
      let (out, below, above) = unsafe (row(y, as: UInt16.self), dark.row(y, as: UInt16.self), light.row(y, as: UInt16.self))
      for x in 0..<width {
        let through = unsafe min(max(Int(above[x]) - Int(below[x]), 0), range)
        let share = UInt16((opaque * (range - through) + range / 2) / range)
        least = min(least, share)
        unsafe out[x] = share
      }
    }
    return least
  }
}
