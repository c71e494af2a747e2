import Formats
import Media

/// Converts a document's colours (sRGB) to code values of the render format (decision 0041).
///
/// In an output of standard range with the primaries of BT.601 or BT.709, R'G'B' go unchanged through matrix and range. Graphics
/// white is then video white, and greys keep their code values, as in editors and players. To wider primaries, R'G'B' go through
/// linear light and back by the same curve. In PQ and HLG white is 203 cd/m2 (BT.2408). In a linear output they become light.
struct GraphicsColor {
  /// Code values before rounding, in the order of the planes. Gray has only the first.
  typealias Codes = (Double, Double, Double)

  private let format: PixelFormat
  private let scale: CodeScale
  private let transfer: ColorTags.Transfer
  /// The map from light of sRGB's primaries to light of the output's; nil where R'G'B' stay unchanged.
  private let toPrimaries: ColorMatrix?

  /// - Parameter picture: the format that the colours are for. Its size does not matter.
  init(_ picture: PictureFormat) {
    let color = picture.color
    (format, scale) = (picture.format, CodeScale(picture))
    let isWide = color.primaries == .bt2020 || color.primaries == .smpte432
    // In standard range the values return through the same curve, also where primaries are wider.
    transfer = picture.isHighRange || color.transfer == .linear ? color.transfer : .srgb
    toPrimaries =
      isWide ? ColorMatrix(from: .bt709, to: color.primaries) : transfer == .srgb ? nil : ColorMatrix(from: .bt709, to: .bt709)
  }

  /// The codes of a colour whose components are 0...1, without alpha.
  func codes(_ red: Double, _ green: Double, _ blue: Double) -> Codes {
    let codes = scale.zero + scale.unit * (scale.fromRGB * values(SIMD3(red, green, blue)))
    return (codes.x, codes.y, codes.z)
  }

  /// The rounded code of each plane.
  func roundedCodes(_ color: RGBAColor) -> [Int] {
    let codes = codes(color.red, color.green, color.blue)
    return [codes.0, codes.1, codes.2].prefix(format.planeCount).map(rounded)
  }

  /// The rounded code of each plane of a colour that lies over an opaque one. Over another one than black their codes are mixed.
  func roundedCodes(_ color: RGBAColor, over ground: RGBAColor) -> [Int] {
    let alpha = color.alpha
    let onBlack = RGBAColor(color.red * alpha, color.green * alpha, color.blue * alpha)
    guard ground != .black else { return roundedCodes(onBlack) }
    func code(_ color: RGBAColor) -> SIMD3<Double> {
      let codes = codes(color.red, color.green, color.blue)
      return SIMD3(codes.0, codes.1, codes.2)
    }
    let mixed = code(onBlack) + (1 - alpha) * (code(ground) - code(.black))
    return [mixed.x, mixed.y, mixed.z].prefix(format.planeCount).map(rounded)
  }

  func rounded(_ code: Double) -> Int { min(max(Int(code.rounded()), 0), (1 << format.bitDepth) - 1) }

  /// The R'G'B' of the output.
  private func values(_ color: SIMD3<Double>) -> SIMD3<Double> {
    guard let toPrimaries else { return color }
    let (srgb, output) = (TransferFunction(transfer: .srgb), TransferFunction(transfer: transfer))
    var light = toPrimaries * SIMD3(srgb.light(color.x), srgb.light(color.y), srgb.light(color.z))
    if transfer == .hlg { light *= TransferFunction.sceneGain(displayLuminance: TransferFunction.luminance(light)) }
    return SIMD3(output.value(light.x), output.value(light.y), output.value(light.z))
  }
}
