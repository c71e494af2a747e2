import Compositing
import FarmTesting
import Formats
import Media
import Testing
import Timeline

@Suite struct `A frame` {
  private static let sides = (Samples.gradient(.yuv420, 40, 30), Samples(.yuv420, 40, 30) { 60 + 20 * $0 + 3 * $1 - $2 })

  private static let formats = [
    PixelFormat(.yuv420), PixelFormat(.yuv422), PixelFormat(.yuv444, bitDepth: 10), PixelFormat(.gbr),
  ]

  /// Compares `frame` with the exact mixture of `a` and `b`.
  private func expect(_ frame: Samples, mixes a: Samples, _ b: Samples, _ share: Double, within tolerance: Double = 0.51) {
    for plane in 0..<frame.format.planeCount {
      for (got, sides) in zip(frame.planes[plane], zip(a.planes[plane], b.planes[plane])) {
        let exact = Double(sides.0) * (1 - share) + Double(sides.1) * share
        if abs(Double(got) - exact) > tolerance { return #expect(Double(got) == exact, "plane \(plane)") }
      }
    }
  }

  @Test(arguments: formats, [0.1, 0.5, 0.9375])
  func `of a dissolve mixes both sides by the progress`(_ format: PixelFormat, _ progress: Double) throws {
    var random = SeededRandom(seed: 7)
    let sides = (Samples.noise(format, 40, 30, &random), Samples.noise(format, 40, 30, &random))
    let color: ColorTags = format.layout == .gbr ? .srgb : .bt709
    let frame = try Compositor(40, 30, format, color).dissolve(
      Layer(samples: sides.0, color: color), Layer(samples: sides.1, color: color), progress: progress)
    expect(frame, mixes: sides.0, sides.1, progress)
  }

  @Test func `at a dissolve's start is the outgoing picture`() throws {
    let sides = (Samples.gradient(.yuv420, 40, 30), Samples.gradient(.yuv420, 40, 30))
    let frame = try Compositor(40, 30).dissolve(Layer(samples: sides.0), Layer(samples: sides.1), progress: 0)
    #expect(frame == sides.0)
  }

  @Test func `of a dissolve from nothing comes out of the background`() throws {
    let picture = Samples.gradient(.yuv420, 40, 30)
    let compositor = Compositor(40, 30)
    let ground = try compositor.frame([], background: RGBAColor(0.3, 0.6, 0.1))
    let frame = try compositor.dissolve(nil, Layer(samples: picture), progress: 0.25, background: RGBAColor(0.3, 0.6, 0.1))
    expect(frame, mixes: ground, picture, 0.25)
  }

  @Test func `of a dissolve between placed pictures mixes what each would show alone`() throws {
    let small = Layer(samples: .gradient(.yuv420, 20, 16), transform: AffineTransform(1, 0.3, -0.2, 1, 11, 4), opacity: 0.8)
    let large = Layer(samples: .gradient(.yuv420, 80, 60), transform: AffineTransform(0.5, 0, 0, 0.5, 0.5, 0))
    let compositor = Compositor(40, 30)
    let alone = (try compositor.frame([small], background: .white), try compositor.frame([large], background: .white))
    expect(try compositor.dissolve(small, large, progress: 0.4, background: .white), mixes: alone.0, alone.1, 0.4)
  }

  @Test(arguments: formats, [0.003, 0.3, 0.875])
  func `with a translucent layer mixes it with what lies below`(_ format: PixelFormat, _ opacity: Double) throws {
    var random = SeededRandom(seed: 9)
    let pictures = (Samples.noise(format, 40, 30, &random), Samples.noise(format, 40, 30, &random))
    let color: ColorTags = format.layout == .gbr ? .srgb : .bt709
    let frame = try Compositor(40, 30, format, color).frame(
      [Layer(samples: pictures.0, color: color), Layer(samples: pictures.1, color: color, opacity: opacity)])
    expect(frame, mixes: pictures.0, pictures.1, opacity)
  }

  @Test func `shows the layers in order`() throws {
    let bottom = Layer(samples: .gradient(.yuv420, 40, 30))
    let top = Layer(samples: .gradient(.yuv420, 20, 10), transform: AffineTransform(1, 0, 0, 1, 4, 6))
    let frame = try Compositor(40, 30).frame([bottom, top])
    #expect(frame.at(0, 4, 6) == top.samples.at(0, 0, 0))
    #expect(frame.at(0, 23, 15) == top.samples.at(0, 19, 9))
    #expect(frame.at(0, 24, 15) == bottom.samples.at(0, 24, 15))
  }

  @Test(arguments: [
    (RGBAColor(0.8, 0.1, 0.3), "0xCC1A4D"), (RGBAColor(0, 1, 0), "0x00FF00"), (.white, "white"), (.black, "black"),
    (RGBAColor(0.2, 0.4, 0.6), "0x336699"),
  ])
  func `has the background that ffmpeg's color source converts to`(_ color: RGBAColor, _ name: String) throws {
    for (tags, matrix) in [(ColorTags.bt709, "bt709"), (ColorTags.bt601Line525, "bt601")] {
      let frame = try Compositor(32, 32, .yuv420, tags).frame([], background: color)
      let oracle = try FFmpegOracle.generated(
        "color=\(name):size=32x32,format=gbrp", "scale=out_color_matrix=\(matrix):out_range=tv:flags=accurate_rnd", .yuv420, 32,
        32)
      #expect(frame.distance(to: oracle) <= 1)
    }
  }

  @Test func `has a translucent background over black`() throws {
    let compositor = Compositor(16, 16)
    #expect(
      try compositor.frame([], background: RGBAColor(1, 1, 1, alpha: 0.5))
        == compositor.frame([], background: RGBAColor(0.5, 0.5, 0.5)))
  }

  @Test func `does not depend on the frames made before it`() throws {
    let layers = [
      Layer(samples: .gradient(.yuv420, 50, 50), transform: AffineTransform(0.7, 0, 0, 0.7, 3, 2)),
      Layer(samples: .gradient(PixelFormat(.yuv422), 30, 30), transform: AffineTransform(0.7, 0.1, 0, 0.7, 3, 2), opacity: 0.5),
    ]
    let used = Compositor(40, 30)
    for step in 0..<40 {
      _ = try used.frame([Layer(samples: .gradient(.yuv420, 20 + step, 20), transform: AffineTransform(1.1, 0, 0, 1, 0, 0))])
    }
    #expect(try used.frame(layers) == Compositor(40, 30).frame(layers))
  }

  @Test func `leaves its sources as they were`() throws {
    let layers = [
      Layer(samples: .gradient(.yuv420, 40, 30)),
      Layer(samples: .gradient(.yuv420, 40, 30), transform: AffineTransform(0.5, 0.2, 0, 0.5, 3, 2), opacity: 0.5),
    ]
    let buffers = try layers.map { try $0.samples.buffer() }
    let pieces = zip(layers, buffers).map { layer, buffer in
      Collage.Piece.picture(SourcePicture(buffer: buffer, facts: layer.facts), layer.placement)
    }
    _ = try Compositor(40, 30).composite(Collage(background: .black, pieces: pieces))
    #expect(buffers.map { Samples($0) } == layers.map(\.samples))
  }

  @Test func `shows nothing of what lies below a transition, and draws what lies over it`() throws {
    let below = Layer(samples: .gradient(.yuv420, 40, 30), opacity: 0.5)
    let over = Layer(samples: .gradient(.yuv420, 10, 8), transform: AffineTransform(1, 0, 0, 1, 4, 6))
    let transition = try Collage.Piece.transition(
      .dissolve, from: [Layer(samples: Self.sides.0).piece()], to: [Layer(samples: Self.sides.1).piece()], progress: 0.25)
    func frame(_ pieces: [Collage.Piece]) throws -> Samples {
      Samples(try Compositor(40, 30).composite(Collage(background: .white, pieces: pieces)))
    }
    let alone = try frame([transition])
    #expect(try frame([below.piece(), transition]) == alone)
    #expect(try frame([transition, over.piece()]) == Compositor(40, 30).frame([Layer(samples: alone), over]))
  }

  @Test func `of a transition mixes what its sides would show alone, whatever they are made of`() throws {
    let inner = try Collage.Piece.transition(
      .motion(.push, .fromLeft), from: [Layer(samples: Self.sides.1).piece()], to: [], progress: 0.5)
    let small = try Layer(samples: .gradient(.yuv420, 20, 16), opacity: 0.5).piece()
    let compositor = Compositor(40, 30)
    func frame(_ pieces: [Collage.Piece]) throws -> Samples {
      Samples(try compositor.composite(Collage(background: .white, pieces: pieces)))
    }
    let (from, to) = (try [Layer(samples: Self.sides.0).piece(), small], [inner, small])
    let mixed = try frame([.transition(.dissolve, from: from, to: to, progress: 0.4)])
    expect(mixed, mixes: try frame(from), try frame(to), 0.4)
  }
}
