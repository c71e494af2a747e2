import Compositing
import FarmTesting
import Formats
import Media
import Testing
import Timeline

#if canImport(Glibc)
  import Glibc
#endif

private typealias RGB = ColorReference.RGB

@Suite struct `Mixed in light, a frame` {
  private static let outputs: [(ColorTags, Int)] = [
    (.bt709, 8), (.bt709, 10), (.displayP3, 8), (.bt2020PQ, 10), (.bt2020HLG, 10), (.bt601Line525, 8),
  ]

  private static let colors: [(RGB, RGB)] = [
    (RGB(1, 0, 0), RGB(0, 1, 0)), (RGB(0, 0, 1), RGB(1, 1, 0)), (RGB(0, 0, 0), RGB(1, 1, 1)),
    (RGB(0.05, 0.05, 0.05), RGB(0, 0, 0)),
    (RGB(0.77, 0.58, 0.5), RGB(0.1, 0.3, 0.25)), (RGB(0.3, 0.9, 0.6), RGB(0.6, 0.2, 0.9)),
  ]

  private static func flat(_ value: RGB, _ color: ColorTags, _ format: PixelFormat) -> Samples {
    let codes = ColorReference.codes(value, color, depth: format.bitDepth)
    return Samples(format, 32, 16) { plane, _, _ in Int(codes[plane].rounded()) }
  }

  private static func compositor(_ color: ColorTags, _ format: PixelFormat) -> Compositor {
    Compositor(renderSize: PixelSize(32, 16), format: format, color: color, blending: .linear)
  }

  /// The codes, not rounded, of the mixture of light of the two sides.
  private static func mixture(_ from: Samples, _ to: Samples, _ share: Double, _ color: ColorTags) -> [Double] {
    let depth = from.format.bitDepth
    let (a, b) = (
      ColorReference.values([0, 1, 2].map { from.at($0, 4, 4) }, color, depth: depth),
      ColorReference.values([0, 1, 2].map { to.at($0, 4, 4) }, color, depth: depth)
    )
    var mixed = RGB()
    for index in 0..<3 {
      let (from, to) = (light(min(max(a[index], 0), 1), color.transfer), light(min(max(b[index], 0), 1), color.transfer))
      mixed[index] = value(from * (1 - share) + to * share, color.transfer)
    }
    return ColorReference.codes(mixed, color, depth: depth)
  }

  // The light of a value by the standards' curves, in any unit.
  private static func light(_ v: Double, _ transfer: ColorTags.Transfer) -> Double {
    switch transfer {
    case .srgb: v <= 0.04045 ? v / 12.92 : pow((v + 0.055) / 1.055, 2.4)
    case .pq:
      pow(max(pow(v, 1 / 78.84375) - 0.8359375, 0) / (18.8515625 - 18.6875 * pow(v, 1 / 78.84375)), 1 / 0.1593017578125)
    case .hlg: v <= 0.5 ? v * v / 3 : (exp((v - 0.55991073) / 0.17883277) + 0.28466892) / 12
    default: pow(v, 2.4)
    }
  }

  private static func value(_ light: Double, _ transfer: ColorTags.Transfer) -> Double {
    var (low, high) = (0.0, 1.0)
    for _ in 0..<60 {
      let middle = (low + high) / 2
      if Self.light(middle, transfer) < light { low = middle } else { high = middle }
    }
    return low
  }

  /// Compares the sample in the middle of the frame.
  private func expect(
    _ frame: Samples, _ codes: [Double], _ comment: String, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    for plane in 0..<3 {
      let shift = frame.format.shift(ofPlane: plane)
      let got = Double(frame.at(plane, 16 >> shift.x, 8 >> shift.y))
      #expect(abs(got - codes[plane]) <= 1, "plane \(plane), \(comment)", sourceLocation: sourceLocation)
    }
  }

  @Test(arguments: outputs, [0.1, 0.5, 0.8])
  func `of a dissolve is within a code of the formulas`(_ output: (color: ColorTags, depth: Int), _ share: Double) throws {
    let format = PixelFormat(.yuv420, bitDepth: output.depth)
    for (a, b) in Self.colors {
      let (from, to) = (Self.flat(a, output.color, format), Self.flat(b, output.color, format))
      let frame = try Self.compositor(output.color, format).dissolve(
        Layer(samples: from, color: output.color), Layer(samples: to, color: output.color), progress: share)
      expect(frame, Self.mixture(from, to, share, output.color), "\(a) to \(b)")
    }
  }

  @Test(arguments: outputs, [0.25, 0.7])
  func `with a translucent layer is too, placed or turned`(_ output: (color: ColorTags, depth: Int), _ opacity: Double) throws {
    let format = PixelFormat(.yuv420, bitDepth: output.depth)
    for transform in [AffineTransform.identity, AffineTransform(1.6, 1, -1, 1.6, -1.6, -20.8)] {
      for (a, b) in Self.colors {
        let (ground, layer) = (Self.flat(a, output.color, format), Self.flat(b, output.color, format))
        let frame = try Self.compositor(output.color, format).frame([
          Layer(samples: ground, color: output.color),
          Layer(samples: layer, color: output.color, transform: transform, opacity: opacity),
        ])
        expect(frame, Self.mixture(ground, layer, opacity, output.color), "\(b) over \(a)")
      }
    }
  }

  @Test func `with a still layer is too`() throws {
    let ground = Self.flat(RGB(0.2, 0.4, 0.6), .bt709, .yuv420)
    let compositor = Self.compositor(.bt709, .yuv420)
    let orange = Pixels(
      x: 0, y: 0, width: 32, height: 16, rgba: (0..<32 * 16).flatMap { _ in [255, 102, 0, 153] as [UInt8] })
    let target = compositor.graphicsFormat
    let layerPicture = try orange.graphics(target.format, opacity: 0.5, in: compositor.renderSize, target.color)
    let frame = try compositor.frame([Layer(samples: ground)], graphics: [layerPicture])
    // The R'G'B' values of graphics count as colours of the picture.
    let layer = Self.flat(RGB(1, 0.4, 0), .bt709, .yuv420)
    expect(frame, Self.mixture(ground, layer, 0.3, .bt709), "orange over blue")
  }

  @Test func `of a soft wipe with a border is too`() throws {
    let (from, to) = (Self.flat(RGB(1, 0, 0), .bt709, .yuv420), Self.flat(RGB(0, 1, 0), .bt709, .yuv420))
    let wide = Transition.WipeEdge(softness: 1)
    let frame = try Self.compositor(.bt709, .yuv420).transition(
      .wipe(.smpte(.barTopToBottom), wide), Layer(samples: from), Layer(samples: to), progress: 0.5)
    // At the centre of row y the edge's share is 1 - (y + 1/2) / 16. A chroma row covers two luma rows.
    let codes = [7, 8].map { Self.mixture(from, to, 1 - (Double($0) + 0.5) / 16, .bt709) }
    #expect(abs(Double(frame.at(0, 9, 7)) - codes[0][0]) <= 1)
    #expect(abs(Double(frame.at(0, 9, 8)) - codes[1][0]) <= 1)

    let bordered = Transition.WipeEdge(softness: 0, borderWidth: 1, borderColor: RGBAColor(0.2, 0.4, 0.6))
    let border = try Self.compositor(.bt709, .yuv420).transition(
      .wipe(.smpte(.barTopToBottom), bordered), Layer(samples: from), Layer(samples: to), progress: 0.5)
    expect(border, Self.mixture(Self.flat(RGB(0.2, 0.4, 0.6), .bt709, .yuv420), to, 0, .bt709), "the border alone")
  }

  @Test(arguments: [3, 5])
  func `of a dissolve is what ffmpeg's zscale and blend make of it`(_ eighths: Int) throws {
    let format = PixelFormat(.yuv444)
    let sides = (
      Samples.gradient(format, 64, 48), Samples(format, 64, 48) { plane, x, y in [60 + 2 * y, 90 + x, 150 - x][plane] }
    )
    let frame = try Compositor(renderSize: PixelSize(64, 48), format: format, color: .bt709, blending: .linear).dissolve(
      Layer(samples: sides.0), Layer(samples: sides.1), progress: Double(eighths) / 8)
    let light = "zscale=min=709:tin=709:pin=709:rin=tv:t=linear:m=gbr:p=709:r=pc,format=gbrpf32le"
    let oracle = try FFmpegOracle.blended(
      sides.0, sides.1, light: light, share: Double(eighths) / 8,
      codes: "zscale=m=709:t=709:p=709:r=tv")
    // One of the two cuts off values outside R'G'B', and the other does not.
    for index in 0..<64 * 48 {
      let both = [sides.0, sides.1].flatMap { side in
        let value = ColorReference.values((0..<3).map { side.planes[$0][index] }, .bt709, depth: 8)
        return [value.x, value.y, value.z]
      }
      guard both.allSatisfy({ (0...1).contains($0) }) else { continue }
      for plane in 0..<3 {
        let (got, expected) = (frame.planes[plane][index], oracle.planes[plane][index])
        if abs(got - expected) > 1 { return #expect(got == expected, "plane \(plane), sample \(index)") }
      }
    }
  }

  @Test func `in which nothing is mixed is the same as ever, sample for sample`() throws {
    var random = SeededRandom(seed: 3)
    let noise = Samples.noise(.yuv420, 32, 16, &random)
    let quarter = Layer(samples: .noise(.yuv420, 16, 8, &random), transform: AffineTransform(1, 0, 0, 1, 4, 6))
    for layers in [[Layer(samples: noise)], [Layer(samples: noise), quarter], []] {
      #expect(
        try Self.compositor(.bt709, .yuv420).frame(layers, background: .white)
          == Compositor(32, 16).frame(layers, background: .white))
    }
    let push = Transition.Effect.motion(.push, .fromLeft)
    let (from, to) = (Layer(samples: noise), Layer(samples: .noise(.yuv420, 32, 16, &random)))
    #expect(
      try Self.compositor(.bt709, .yuv420).transition(push, from, to, progress: 0.5)
        == Compositor(32, 16).transition(push, from, to, progress: 0.5))
    #expect(try Self.compositor(.bt709, .yuv420).dissolve(from, to, progress: 0) == noise)
  }

  @Test func `keeps a flat colour that is laid over itself`() throws {
    for (value, _) in Self.colors {
      let layer = Layer(samples: Self.flat(value, .bt709, .yuv420))
      for effect in [
        Transition.Effect.dissolve, .zoom(.through), .blurDissolve(radius: 0.2), .wipe(.smpte(.eyeVertical), .init()),
      ] {
        let frame = try Self.compositor(.bt709, .yuv420).transition(effect, layer, layer, progress: 0.4)
        #expect(frame.distance(to: layer.samples) <= 1, "\(effect) of \(value)")
      }
    }
  }
}
