extension Raster {
  /// Blurs a mask by a Gaussian, of which three boxes in each direction are nearly one.
  ///
  /// - Parameter deviation: the Gaussian's standard deviation in pixels.
  func blur(deviation: Double) {
    guard deviation > 0.3 else { return }
    // The width of three equal boxes with the Gaussian's variance (Kovesi, "Fast Almost-Gaussian Filtering").
    let radius = max(1, Int((((12 * deviation * deviation / 3 + 1).squareRoot() - 1) / 2).rounded()))
    let (width, height, stride) = (width, height, stride)
    unsafe withBytes { bytes in
      let pixels = unsafe bytes.assumingMemoryBound(to: UInt8.self)
      for _ in 0..<3 {
        for y in 0..<height { unsafe Self.box(pixels + y * stride, step: 1, count: width, radius) }
        for x in 0..<width { unsafe Self.box(pixels + x, step: stride, count: height, radius) }
      }
    }
  }

  /// Replaces each sample by the mean of those around it. Beyond the ends all is clear.
  private static func box(_ line: UnsafeMutablePointer<UInt8>, step: Int, count: Int, _ radius: Int) {
    let samples = (0..<count).map { unsafe Int(line[$0 * step]) }
    let width = 2 * radius + 1
    var sum = samples.prefix(radius).reduce(0, +)
    for index in 0..<count {
      if index + radius < count { sum += samples[index + radius] }
      if index > radius { sum -= samples[index - radius - 1] }
      unsafe line[index * step] = UInt8((sum + width / 2) / width)
    }
  }
}
