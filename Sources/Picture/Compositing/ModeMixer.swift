import Formats
import Media
import Timeline

/// Mixes pictures with a frame by the modes of the W3C's "Compositing and Blending Level 1", in R'G'B' with 16 bits. Codes are
/// mixed, also where `blending` is linear, as browsers and Core Animation do it.
///
/// One thread at a time. Its memory only saves work.
final class ModeMixer {
  /// The format of the frames.
  let format: PictureFormat
  let compositor: Compositor

  /// - Parameter target: the render format, whose size and colour the frames have.
  init(_ target: PictureFormat, _ toneMap: ToneMap) {
    let color = ColorTags(target.color.primaries, target.color.transfer, .rgb, .full)
    format = PictureFormat(
      width: target.width, height: target.height, format: LightMixture.format, color: color, taggedHeight: target.height)
    compositor = Compositor(mixingModesFor: format, toneMap)
  }

  func finishScene() { compositor.fitter.finishScene() }

  /// The colours that a frame and the pieces, put together, are mixed to. They have the pieces' alpha, with which they are laid over
  /// the frame then.
  func mixed(
    _ pieces: [Collage.Piece], mode: BlendMode, over frame: PixelBuffer, format frameFormat: PictureFormat,
    maps: Collage.WipeMaps
  ) throws(CompositingError) -> PixelBuffer {
    let backdrop = try compositor.fitter.fit(frame, frameFormat, .whole(format))
    let (overBlack, overWhite) = try drawn(pieces, maps)
    let mixed = try PixelBuffer.make(format)
    let shares = try PixelBuffer.makeAlpha(format.width, format.height)
    for y in 0..<format.height {
      let row = unsafe MixedRow(
        black: Triple(overBlack, y), white: Triple(overWhite, y), below: Triple(backdrop, y), mixed: Triple(mixed, y),
        shares: shares.planes[0].row(y))
      for x in 0..<format.width { unsafe row.mix(x, mode) }
    }
    withExtendedLifetime((overBlack, overWhite, backdrop, mixed)) {}
    return mixed.with(PixelBuffer.Alpha(full: shares, chroma: nil))
  }

  /// The pieces over black and over white. The two pictures differ by what shines through, which gives the alpha, and the one over
  /// black is the colour times alpha. They are for reading only.
  func drawn(
    _ pieces: [Collage.Piece], _ maps: Collage.WipeMaps
  ) throws(CompositingError) -> (overBlack: PixelBuffer, overWhite: PixelBuffer) {
    var dark = try compositor.drawn(pieces, on: .black, maps)
    var light = try compositor.drawn(pieces, on: .white, maps)
    return (try dark.finished(), try light.finished())
  }
}

/// A row of the three planes of a picture in R'G'B' of 16 bits.
@unsafe struct Triple {
  private let red: UnsafeMutablePointer<UInt16>
  private let green: UnsafeMutablePointer<UInt16>
  private let blue: UnsafeMutablePointer<UInt16>

  /// - Parameter picture: in the layout of FFmpeg's gbrp: green, blue, red. It must outlive the row.
  @unsafe init(_ picture: PixelBuffer, _ y: Int) {
    let planes = picture.planes
    unsafe (green, blue, red) = (planes[0].row(y), planes[1].row(y), planes[2].row(y))
  }

  @unsafe subscript(x: Int) -> SIMD3<Float> {
    get { unsafe SIMD3(Float(red[x]), Float(green[x]), Float(blue[x])) }
    nonmutating set {
      let codes = newValue.clamped(lowerBound: SIMD3(), upperBound: SIMD3(repeating: 65535)).rounded(.toNearestOrAwayFromZero)
      unsafe (red[x], green[x], blue[x]) = (UInt16(codes.x), UInt16(codes.y), UInt16(codes.z))
    }
  }
}

@unsafe private struct MixedRow {
  let black: Triple
  let white: Triple
  let below: Triple
  let mixed: Triple
  let shares: UnsafeMutablePointer<UInt16>

  /// Mixes a pixel.
  @inline(__always)
  @unsafe func mix(_ x: Int, _ mode: BlendMode) {
    let (source, through) = unsafe (black[x], white[x])
    let share = min(max(1 - ((through - source) / 65535).sum() / 3, 0), 1)
    unsafe shares[x] = UInt16((share * 65535).rounded())
    guard share > 0 else { return unsafe mixed[x] = below[x] }
    let color = (source / (share * 65535)).clamped(lowerBound: SIMD3(), upperBound: SIMD3(repeating: 1))
    unsafe mixed[x] = mode.mixed(below[x] / 65535, color) * 65535
  }
}

extension BlendMode {
  /// The mixture B(Cb, Cs) of a colour with the one below it. All components are in 0...1 (W3C, chapters 9.1 and 9.2). The sum of `plusLighter`
  /// is that of opaque colours: of others, `ModeMixer.sum` makes it.
  ///
  /// It needs additions, multiplications, divisions and square roots only, which have the same bits on every machine.
  package func mixed(_ below: SIMD3<Float>, _ source: SIMD3<Float>) -> SIMD3<Float> {
    switch self {
    case .hue: return source.withSaturation(below.saturation).withLuminosity(below.luminosity)
    case .saturation: return below.withSaturation(source.saturation).withLuminosity(below.luminosity)
    case .color: return source.withLuminosity(below.luminosity)
    case .luminosity: return below.withLuminosity(source.luminosity)
    default: return SIMD3(mixed(below.x, source.x), mixed(below.y, source.y), mixed(below.z, source.z))
    }
  }

  /// The mixture of one component with the one below it.
  private func mixed(_ below: Float, _ source: Float) -> Float {
    switch self {
    case .multiply: below * source
    case .screen: below + source - below * source
    case .overlay: BlendMode.hardLight.mixed(source, below)
    case .darken: min(below, source)
    case .lighten: max(below, source)
    case .colorDodge: below == 0 ? 0 : source >= 1 ? 1 : min(1, below / (1 - source))
    case .colorBurn: below >= 1 ? 1 : source <= 0 ? 0 : 1 - min(1, (1 - below) / source)
    case .hardLight: source <= 0.5 ? below * 2 * source : Self.screen.mixed(below, 2 * source - 1)
    case .softLight: Self.soft(below, source)
    case .difference: abs(below - source)
    case .exclusion: below + source - 2 * below * source
    case .plusLighter: min(1, below + source)
    case .normal, .hue, .saturation, .color, .luminosity: source
    }
  }

  private static func soft(_ below: Float, _ source: Float) -> Float {
    guard source > 0.5 else { return below - (1 - 2 * source) * below * (1 - below) }
    let curve = below <= 0.25 ? ((16 * below - 12) * below + 4) * below : below.squareRoot()
    return below + (2 * source - 1) * (curve - below)
  }
}

extension SIMD3<Float> {
  fileprivate var luminosity: Float { 0.3 * x + 0.59 * y + 0.11 * z }

  fileprivate var saturation: Float { self.max() - self.min() }

  /// The colour with another luminosity, cut to 0...1 towards its own grey.
  fileprivate func withLuminosity(_ luminosity: Float) -> SIMD3<Float> {
    var color = self + (luminosity - self.luminosity)
    let (grey, least, most) = (color.luminosity, color.min(), color.max())
    let level = SIMD3(repeating: grey)
    if least < 0 { color = level + (color - level) * (grey / (grey - least)) }
    if most > 1 { color = level + (color - level) * ((1 - grey) / (most - grey)) }
    return color
  }

  /// The colour with another saturation.
  fileprivate func withSaturation(_ saturation: Float) -> SIMD3<Float> {
    let (least, most) = (self.min(), self.max())
    return most > least ? (self - least) * (saturation / (most - least)) : SIMD3()
  }
}
