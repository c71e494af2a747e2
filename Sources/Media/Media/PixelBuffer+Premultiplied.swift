package import Formats

extension PixelBuffer {
  /// The picture with straight colours: those that its samples have where nothing of black or white is mixed into them. It is the
  /// picture itself where they are straight already. Where alpha is 0 nothing can be known of them, and they become black.
  ///
  /// - Parameter form: the form of the colours in this picture.
  /// - Throws: `MediaError` `outOfMemory`.
  package func straightened(from form: AlphaForm) throws(MediaError) -> PixelBuffer {
    guard form != .straight, let alpha else { return self }
    let made = try PixelBuffer(format: format, width: width, height: height, color: color, alpha: alpha)
    let top = (1 << format.bitDepth) - 1
    for index in 0..<format.planeCount {
      let (source, target) = unsafe (plane(index), made.plane(index))
      let (black, matte) = (code(ofWhite: false, index), code(ofWhite: form == .premultipliedWithWhite, index))
      for row in unsafe 0..<source.height {
        let shares = unsafe alpha.samples(ofPlane: index).words(row)
        let (from, to) = unsafe (source.base + row * source.stride, target.base + row * target.stride)
        if format.bytesPerSample == 1 {
          for x in unsafe 0..<source.width {
            unsafe to[x] = UInt8(Self.straight(Int(from[x]), shares[x], matte, black: black, top: top))
          }
        } else {
          let (from, to) = unsafe (words(row, ofPlane: index), made.words(row, ofPlane: index))
          for x in unsafe 0..<source.width {
            unsafe to[x] = UInt16(Self.straight(Int(from[x]), shares[x], matte, black: black, top: top))
          }
        }
      }
    }
    return made
  }

  /// The picture with black where it is clear; itself where it is opaque. A palette has one colour for all that is clear.
  ///
  /// - Precondition: a picture with alpha is in R'G'B' of 8 bits.
  /// - Throws: `MediaError` `outOfMemory`.
  package func hidingClear() throws(MediaError) -> PixelBuffer {
    guard let alpha else { return self }
    precondition(format == PixelFormat(.gbr))
    let made = try PixelBuffer(format: format, width: width, height: height, color: color, alpha: alpha)
    for index in 0..<format.planeCount {
      let (source, target) = unsafe (plane(index), made.plane(index))
      for y in 0..<height {
        let shares = unsafe alpha.full.words(y)
        let (from, to) = unsafe (source.base + y * source.stride, target.base + y * target.stride)
        for x in 0..<width { unsafe to[x] = shares[x] == 0 ? 0 : from[x] }
      }
    }
    return made
  }

  /// The code of which `code` is the mixture with `matte` by `alpha`, to the nearest.
  private static func straight(_ code: Int, _ alpha: UInt16, _ matte: Int, black: Int, top: Int) -> Int {
    guard alpha > 0 else { return black }
    let (distance, share) = ((code - matte) * Int(Alpha.opaque), Int(alpha))
    let quotient = (abs(distance) + share / 2) / share
    return min(max(matte + (distance < 0 ? -quotient : quotient), 0), top)
  }

  /// The code of black, or of white, in plane `index`.
  private func code(ofWhite isWhite: Bool, _ index: Int) -> Int {
    let step = 1 << (format.bitDepth - 8)
    if format.layout != .gbr, index > 0 { return 128 * step }
    return color.range == .full ? (isWhite ? 256 * step - 1 : 0) : (isWhite ? 235 : 16) * step
  }
}
