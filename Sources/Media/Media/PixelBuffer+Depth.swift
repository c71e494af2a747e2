extension PixelBuffer {
  /// The picture with `bitDepth` bits a component, rounded to nearest, where it has more of them; itself otherwise. Alpha stays. FFmpeg decodes
  /// ProRes 4444 of 10 bits to 12, and PNG keeps 10 bits in 16.
  ///
  /// - Parameter bitDepth: more than 8.
  /// - Throws: `MediaError` `outOfMemory`.
  package func holding(_ bitDepth: Int) throws(MediaError) -> PixelBuffer {
    guard format.bitDepth > bitDepth, bitDepth > 8 else { return self }
    let other = try PixelBuffer(
      format: PixelFormat(format.layout, bitDepth: bitDepth), width: width, height: height, color: color, alpha: alpha)
    // Red, green and blue of full range fill all of the wider codes, so that white stays white. Others are shifted.
    let narrowed = format.layout == .gbr ? SampleScale(from: format.bitDepth, to: bitDepth) : nil
    let (shift, most) = (format.bitDepth - bitDepth, (UInt32(1) << UInt32(bitDepth)) - 1)
    for index in 0..<format.planeCount {
      let (source, target) = unsafe (plane(index), other.plane(index))
      for y in unsafe 0..<source.height {
        let from = unsafe UnsafeMutableRawPointer(source.base + y * source.stride).assumingMemoryBound(to: UInt16.self)
        let into = unsafe UnsafeMutableRawPointer(target.base + y * target.stride).assumingMemoryBound(to: UInt16.self)
        for x in unsafe 0..<source.width {
          if let narrowed {
            unsafe into[x] = narrowed(from[x])
            continue
          }
          unsafe into[x] = UInt16(min((UInt32(from[x]) + (UInt32(1) << UInt32(shift - 1))) >> UInt32(shift), most))
        }
      }
    }
    return other
  }
}
