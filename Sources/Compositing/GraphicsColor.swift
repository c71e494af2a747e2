import Media
import Timeline

/// What document colours (sRGB) are in the render format's code values.
///
/// To an output of standard dynamic range with BT.601's or BT.709's primaries, R'G'B' go as they are through matrix and
/// range: graphics white is video white and greys keep their code values, as editors and players agree. To wider primaries
/// they go through linear light, and back by the same curve. To PQ and HLG white is 203 cd/m2 (BT.2408); linear stays linear.
struct GraphicsColor {
  /// Code values before rounding, in the order of the planes; gray has the first alone.
  typealias Codes = (Double, Double, Double)

  private let format: PixelFormat
  private let scale: CodeScale
  private let transfer: ColorTags.Transfer
  /// From light of sRGB's primaries; nil where R'G'B' go as they are.
  private let toPrimaries: ColorMatrix?

  /// - Parameter picture: What the colours are for; its size does not matter.
  init(_ picture: PictureFormat) {
    let color = picture.color
    (format, scale) = (picture.format, CodeScale(picture))
    let isWide = color.primaries == .bt2020 || color.primaries == .smpte432
    // A curve of standard range is not changed on the way through wider primaries.
    transfer = picture.isHighRange || color.transfer == .linear ? color.transfer : .srgb
    toPrimaries =
      isWide ? ColorMatrix(from: .bt709, to: color.primaries) : transfer == .srgb ? nil : ColorMatrix(from: .bt709, to: .bt709)
  }

  /// The codes of a colour whose components are 0...1; alpha does not count.
  func codes(_ red: Double, _ green: Double, _ blue: Double) -> Codes {
    let codes = scale.zero + scale.unit * (scale.fromRGB * values(SIMD3(red, green, blue)))
    return (codes.x, codes.y, codes.z)
  }

  /// The codes of each plane, rounded.
  func roundedCodes(_ color: RGBAColor) -> [Int] {
    let codes = codes(color.red, color.green, color.blue)
    return [codes.0, codes.1, codes.2].prefix(format.planeCount).map(rounded)
  }

  func rounded(_ code: Double) -> Int { min(max(Int(code.rounded()), 0), (1 << format.bitDepth) - 1) }

  /// The output's R'G'B'.
  private func values(_ color: SIMD3<Double>) -> SIMD3<Double> {
    guard let toPrimaries else { return color }
    let (srgb, output) = (TransferFunction(transfer: .srgb), TransferFunction(transfer: transfer))
    var light = toPrimaries * SIMD3(srgb.light(color.x), srgb.light(color.y), srgb.light(color.z))
    if transfer == .hlg { light *= TransferFunction.sceneGain(displayLuminance: TransferFunction.luminance(light)) }
    return SIMD3(output.value(light.x), output.value(light.y), output.value(light.z))
  }
}
