import Compositing
import FarmTesting
import Formats
import Media
import Testing
import Timeline

@Suite struct `A picture with alpha` {
  private static let (width, height) = (64, 48)
  private static let alphaFormat = PixelBuffer.Alpha.format

  /// A ground, a picture over it, and the picture's alpha in 8 bits.
  private struct Pair {
    let ground: Samples
    let picture: Samples
    let alpha: Samples

    init(_ format: PixelFormat, _ width: Int = 64, _ height: Int = 48, seed: UInt64 = 11) {
      var random = SeededRandom(seed: seed)
      ground = .noise(format, width, height, &random)
      picture = .noise(format, width, height, &random)
      // A third of the pixels are clear, and a third opaque.
      alpha = Samples(PixelFormat(.gray), width, height) { _, _, _ in
        min(max(Int.random(in: -255...510, using: &random), 0), 255)
      }
    }

    /// The alpha as pictures hold it.
    var wide: Samples { Samples(alphaFormat, alpha.width, alpha.height) { _, x, y in alpha.at(0, x, y) * 257 } }

    func layer(_ color: ColorTags, transform: AffineTransform = .identity, opacity: Double = 1, crop: Rect? = nil) -> Layer {
      Layer(samples: picture, alpha: wide, color: color, crop: crop, transform: transform, opacity: opacity)
    }
  }

  private static func color(_ format: PixelFormat) -> ColorTags { format.layout == .gbr ? .srgb : .bt709 }

  private static func merged(_ format: PixelFormat) -> String {
    "[1]format=\(format.layout == .gbr ? "gbrap" : "yuva444p")[c];[c][2]alphamerge[picture]"
  }

  @Test(arguments: [PixelFormat(.yuv444), PixelFormat(.gbr)], [(0, 0), (5, 3), (-7, 21), (64, 0)])
  func `is within a code of ffmpeg's overlay, wherever it is`(_ format: PixelFormat, _ at: (x: Int, y: Int)) throws {
    let pair = Pair(format)
    let layer = pair.layer(Self.color(format), transform: AffineTransform(1, 0, 0, 1, Double(at.x), Double(at.y)))
    let frame = try Compositor(Self.width, Self.height, format, Self.color(format)).frame(
      [Layer(samples: pair.ground, color: Self.color(format)), layer])
    let name = format.layout == .gbr ? "gbrp" : "yuv444"
    let oracle = try FFmpegOracle.composed(
      [pair.ground, pair.picture, pair.alpha],
      "\(Self.merged(format));[0][picture]overlay=x=\(at.x):y=\(at.y):format=\(name)", format, Self.width, Self.height)
    #expect(frame.distance(to: oracle) <= 1)
  }

  @Test(arguments: [PixelFormat(.yuv444), PixelFormat(.yuv444, bitDepth: 10), PixelFormat(.gbr, bitDepth: 16)], [0.3, 1])
  func `is within a code of exact arithmetic in any depth, faded or not`(_ format: PixelFormat, _ opacity: Double) throws {
    let pair = Pair(format)
    let frame = try Compositor(Self.width, Self.height, format, Self.color(format)).frame(
      [Layer(samples: pair.ground, color: Self.color(format)), pair.layer(Self.color(format), opacity: opacity)])
    for plane in 0..<3 {
      for (index, share) in pair.alpha.planes[0].enumerated() {
        let weight = Double(share) / 255 * opacity
        let exact = Double(pair.ground.planes[plane][index]) * (1 - weight) + Double(pair.picture.planes[plane][index]) * weight
        let got = Double(frame.planes[plane][index])
        // A share has 16 bits, as a code of 16 bits has.
        if abs(got - exact) > (format.bitDepth == 16 ? 2 : 1) {
          return #expect(got == exact, "plane \(plane), sample \(index)")
        }
      }
    }
  }

  @Test func `mixed in light is within a code of what ffmpeg mixes in light`() throws {
    let format = PixelFormat(.yuv444)
    let pair = Pair(format)
    // Noise would leave R'G'B'.
    let ground = Samples(format, 64, 48) { plane, x, y in [60 + 2 * y, 110 + x / 2, 140 - x / 2][plane] }
    let picture = Samples(format, 64, 48) { plane, x, y in [200 - 2 * x, 120 + y / 2, 110 + x / 3][plane] }
    let compositor = Compositor(renderSize: PixelSize(64, 48), format: format, color: .bt709, blending: .linear)
    let frame = try compositor.frame([Layer(samples: ground), Layer(samples: picture, alpha: pair.wide)])
    // The filter premultiply does not multiply floats right, so blend multiplies each plane.
    let shares = Samples(PixelFormat(.gbr), 64, 48) { _, x, y in pair.alpha.at(0, x, y) }
    let rest = Samples(PixelFormat(.gbr), 64, 48) { _, x, y in 255 - pair.alpha.at(0, x, y) }
    let light = "zscale=min=709:tin=709:pin=709:rin=tv:t=linear:m=gbr:p=709:r=pc,format=gbrpf32le"
    let oracle = try FFmpegOracle.composed(
      [ground, picture, shares, rest],
      "[0]\(light)[g];[1]\(light)[p];[2]format=gbrpf32le[a];[3]format=gbrpf32le[b];"
        + "[p][a]blend=all_expr='A*B'[pa];[g][b]blend=all_expr='A*B'[gb];"
        + "[pa][gb]blend=all_expr='A+B',zscale=m=709:t=709:p=709:r=tv", format, 64, 48)
    #expect(frame.distance(to: oracle) <= 1)
  }

  @Test(arguments: [(0.5, 0.5), (1.7, 1.3), (0.37, 0.61)])
  func `is scaled as zimg scales what ffmpeg premultiplies`(_ scale: (x: Double, y: Double)) throws {
    let (format, words) = (PixelFormat(.gbr), PixelFormat(.gbr, bitDepth: 16))
    // Nothing overshoots the range of codes, where ffmpeg would cut it off.
    var random = SeededRandom(seed: 5)
    let picture = Samples(format, 64, 48) { _, _, _ in Int.random(in: 80...170, using: &random) }
    let alpha = Samples(Self.alphaFormat, 64, 48) { _, _, _ in Int.random(in: 26_000...40_000, using: &random) }
    let (width, height) = (Int((64 * scale.x).rounded()), Int((48 * scale.y).rounded()))
    let map = AffineTransform(Double(width) / 64, 0, 0, Double(height) / 48, 0, 0)
    let ground = Samples(format, width, height) { plane, x, y in (37 * plane + 5 * x + 3 * y) % 256 }
    let frame = try Compositor(width, height, format, .srgb).frame(
      [Layer(samples: ground, color: .srgb), Layer(samples: picture, alpha: alpha, color: .srgb, transform: map)])
    let scaling = "zscale=w=\(width):h=\(height):filter=bicubic:param_a=0:param_b=0.5"
    let deep = Samples(words, 64, 48) { picture.at($0, $1, $2) * 257 }
    let multiplied = try FFmpegOracle.composed([deep, alpha], "[0][1]premultiply,\(scaling)", words, width, height)
    let shares = try FFmpegOracle.composed([alpha], "[0]\(scaling)", Self.alphaFormat, width, height)
    for plane in 0..<3 {
      for index in 0..<width * height {
        let share = Double(shares.planes[0][index]) / 65535
        let exact = Double(ground.planes[plane][index]) * (1 - share) + Double(multiplied.planes[plane][index]) / 257
        let got = Double(frame.planes[plane][index])
        if abs(got - exact) > 1 { return #expect(got == exact, "plane \(plane), sample \(index)") }
      }
    }
  }

  private static let maps = [
    AffineTransform.identity, AffineTransform(0.5, 0, 0, 0.5, 3, 5), AffineTransform(1.4, 0, 0, 1.7, -10.3, -8.9),
    AffineTransform(0, 1, -1, 0, 50, -3), AffineTransform(0.8, 0.5, -0.5, 0.8, 20, -4),
    AffineTransform(0.3, 0.2, -0.2, 0.3, 20, 8),
  ]

  /// Clear pixels are green, and all others red. Nothing green may be seen over a red ground.
  @Test(arguments: maps, [Blending.encoded, .linear])
  func `shows nothing of its clear pixels' colours, however it is laid`(_ map: AffineTransform, _ blending: Blending) throws {
    let disc = Samples(Self.alphaFormat, 64, 48) { _, x, y in
      let distance = (Double((x - 30) * (x - 30) + (y - 25) * (y - 25))).squareRoot()
      return Int(65535 * min(max((18 - distance) / 3, 0), 1))
    }
    let red = [0: 0, 1: 0, 2: 200]
    let picture = Samples(PixelFormat(.gbr), 64, 48) { plane, x, y in
      disc.at(0, x, y) > 0 ? red[plane]! : [255, 0, 0][plane]
    }
    let srgb = ColorTags(.bt709, .srgb, .bt709, .limited)
    for format in [PixelFormat(.yuv420), PixelFormat(.yuv422, bitDepth: 10), PixelFormat(.yuv444)] {
      let compositor = Compositor(renderSize: PixelSize(64, 48), format: format, color: srgb, blending: blending)
      let background = RGBAColor(200.0 / 255, 0, 0)
      let ground = try compositor.frame([], background: background)
      for orientation in [Orientation.up, .rotated90] {
        let layer = Layer(samples: picture, alpha: disc, color: .srgb, transform: map, orientation: orientation)
        let frame = try compositor.frame([layer], background: background)
        let far = (0..<3).map { plane in zip(frame.planes[plane], ground.planes[plane]).map { abs($0 - $1) }.max() ?? 0 }
        #expect(far.allSatisfy { $0 <= 1 }, "\(format), \(orientation): \(far)")
      }
    }
  }

  @Test(arguments: [PixelFormat(.yuv420), PixelFormat(.yuv422), PixelFormat(.yuv444, bitDepth: 10)], maps)
  func `that is all half clear is the same as an opaque one with half the opacity`(
    _ format: PixelFormat, _ map: AffineTransform
  ) throws {
    let half = Samples(Self.alphaFormat, 64, 48) { _, _, _ in 32768 }
    let (ground, picture) = (Layer(samples: .gradient(format, 64, 48)), Samples.gradient(format, 64, 48))
    let compositor = Compositor(64, 48, format)
    let crop = Rect(4.5, 3, 40, 41.25)
    let clear = try compositor.frame([ground, Layer(samples: picture, alpha: half, crop: crop, transform: map)])
    let faded = try compositor.frame([ground, Layer(samples: picture, crop: crop, transform: map, opacity: 0.5)])
    #expect(clear.distance(to: faded) <= 1)
  }

  @Test(arguments: Orientation.allCases)
  func `is turned with its alpha, sample for sample`(_ orientation: Orientation) throws {
    let format = PixelFormat(.yuv420)
    let pair = Pair(format, 32, 32)
    let turned = Layer(samples: pair.picture, alpha: pair.wide, orientation: orientation)
    let opaque = Layer(samples: pair.picture, orientation: orientation)
    let mask = Layer(
      samples: Samples(format, 32, 32) { plane, x, y in plane == 0 ? pair.alpha.at(0, x, y) : 128 }, orientation: orientation)
    let compositor = Compositor(32, 32, format)
    let (frame, picture, shares) = try (
      compositor.frame([Layer(samples: pair.ground), turned]), compositor.frame([opaque]), compositor.frame([mask])
    )
    for index in 0..<32 * 32 {
      let share = Double(shares.planes[0][index]) / 255
      let exact = Double(pair.ground.planes[0][index]) * (1 - share) + Double(picture.planes[0][index]) * share
      if abs(Double(frame.planes[0][index]) - exact) > 1 { return #expect(Double(frame.planes[0][index]) == exact) }
    }
  }

  @Test func `does not hide what lies below it, and shows the background where nothing does`() throws {
    let clear = Samples(Self.alphaFormat, 40, 30) { _, x, _ in x < 20 ? 0 : 65535 }
    let (below, above) = (Samples.gradient(.yuv420, 40, 30), Samples(.yuv420, 40, 30) { _, x, y in 50 + x + y })
    let frame = try Compositor(40, 30).frame([Layer(samples: below), Layer(samples: above, alpha: clear)])
    #expect(frame.at(0, 3, 3) == below.at(0, 3, 3) && frame.at(0, 30, 3) == above.at(0, 30, 3))
    let alone = try Compositor(40, 30).frame([Layer(samples: above, alpha: clear)], background: .white)
    #expect(alone.at(0, 3, 3) == 235 && alone.at(0, 30, 3) == above.at(0, 30, 3))
  }

  @Test func `stands in a transition over the background on its side`() throws {
    let pair = Pair(.yuv420, 40, 30)
    let (layer, other) = (pair.layer(.bt709), Layer(samples: .gradient(.yuv420, 40, 30)))
    let compositor = Compositor(40, 30)
    let alone = try compositor.frame([layer], background: .white)
    #expect(
      try compositor.dissolve(layer, other, progress: 0.3, background: .white)
        == compositor.dissolve(Layer(samples: alone), other, progress: 0.3))
  }

  @Test func `that is opaque throughout looks the same as one without alpha`() throws {
    let full = Samples(Self.alphaFormat, 40, 30) { _, _, _ in 65535 }
    let picture = Samples.gradient(.yuv420, 40, 30)
    for map in [AffineTransform.identity, AffineTransform(0.7, 0, 0, 0.8, 2, 1), AffineTransform(1, 0.3, -0.2, 1, 1, 4)] {
      let with = try Compositor(40, 30).frame([Layer(samples: picture, alpha: full, transform: map)])
      let without = try Compositor(40, 30).frame([Layer(samples: picture, transform: map)])
      #expect(with.distance(to: without) <= 1)
    }
  }

  @Test func `is the only kind that is drawn: one without alpha that fills the frame is the frame itself`() throws {
    let layer = Layer(samples: .gradient(.yuv420, 40, 30))
    let buffer = try layer.buffer()
    #expect(buffer.alpha == nil)
    let piece = Collage.Piece.picture(SourcePicture(buffer: buffer, facts: layer.facts), layer.placement)
    #expect(try Compositor(40, 30).composite(Collage(background: .black, pieces: [piece])) === buffer)
  }
}
