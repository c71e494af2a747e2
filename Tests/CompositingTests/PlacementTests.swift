import Compositing
import FarmTesting
import Formats
import Media
import Testing
import Timeline

/// The filters of ffmpeg that turn a stored picture upright.
private let uprightFilters: [(Orientation, String)] = [
  (.up, "null"), (.mirrored, "hflip"), (.rotated180, "hflip,vflip"), (.flipped, "vflip"),
  (.transposed, "transpose=cclock_flip"), (.rotated90, "transpose=clock"), (.transversed, "transpose=clock_flip"),
  (.rotated270, "transpose=cclock"),
]

@Suite struct `A placed picture` {
  @Test func `that fills the frame as it is goes through without a copy`() throws {
    let layer = Layer(samples: .gradient(.yuv420, 64, 48))
    let picture = SourcePicture(buffer: try layer.samples.buffer(), facts: layer.facts)
    let frame = try Compositor(64, 48).composite(
      Collage(background: .black, pieces: [.picture(picture, layer.placement)]))
    #expect(frame === picture.buffer)
  }

  @Test(arguments: uprightFilters, [PixelFormat(.yuv420), PixelFormat(.yuv444), PixelFormat(.yuv420, bitDepth: 10)])
  func `of any orientation is the permutation of its samples that ffmpeg makes`(
    _ turn: (Orientation, String), _ format: PixelFormat
  ) throws {
    let stored = Samples.gradient(format, 40, 28)
    let (width, height) = turn.0.swapsAxes ? (28, 40) : (40, 28)
    let frame = try Compositor(width, height, format).frame([Layer(samples: stored, orientation: turn.0)])
    #expect(try frame == FFmpegOracle.filtered(stored, turn.1, format, width, height))
  }

  @Test func `turned and cropped is ffmpeg's crop of the turned picture`() throws {
    let stored = Samples.gradient(.yuv420, 64, 48)
    let layer = Layer(
      samples: stored, crop: Rect(8, 20, 32, 40), transform: AffineTransform(1, 0, 0, 1, -8, -20), orientation: .rotated90)
    let frame = try Compositor(32, 40).frame([layer])
    #expect(try frame == FFmpegOracle.filtered(stored, "transpose=clock,crop=32:40:8:20", .yuv420, 32, 40))
  }

  @Test(arguments: uprightFilters)
  func `of a clean aperture is ffmpeg's crop of the stored picture, turned`(_ turn: (Orientation, String)) throws {
    let stored = Samples.gradient(.yuv420, 64, 48)
    let (width, height) = turn.0.swapsAxes ? (32, 40) : (40, 32)
    let layer = Layer(
      samples: stored, orientation: turn.0, displaySize: PixelSize(width, height), cleanAperture: Rect(8, 6, 40, 32))
    let frame = try Compositor(64, 64).frame([layer])
    #expect(
      try frame == FFmpegOracle.filtered(stored, "crop=40:32:8:6,\(turn.1),pad=64:64:0:0:black", .yuv420, 64, 64))
  }

  @Test func `that is cropped and moved by whole chroma cells is ffmpeg's crop and pad`() throws {
    let source = Samples.gradient(.yuv420, 64, 48)
    let layer = Layer(samples: source, crop: Rect(10, 4, 20, 30), transform: AffineTransform(1, 0, 0, 1, 16, 8))
    let frame = try Compositor(64, 48).frame([layer], background: .black)
    #expect(try frame == FFmpegOracle.filtered(source, "crop=20:30:10:4,pad=64:48:26:12:black", .yuv420, 64, 48))
  }

  @Test func `moved by an odd number of pixels keeps its luma`() throws {
    let source = Samples.gradient(.yuv420, 64, 48)
    let frame = try Compositor(64, 48).frame([Layer(samples: source, transform: AffineTransform(1, 0, 0, 1, 3, 5))])
    for y in 0..<48 {
      for x in 0..<64 { #expect(frame.at(0, x, y) == (x < 3 || y < 5 ? 16 : source.at(0, x - 3, y - 5))) }
    }
  }

  @Test func `hanging over every edge shows its middle`() throws {
    let source = Samples.gradient(.yuv420, 96, 80)
    let frame = try Compositor(64, 48).frame([Layer(samples: source, transform: AffineTransform(1, 0, 0, 1, -16, -8))])
    #expect(try frame == FFmpegOracle.filtered(source, "crop=64:48:16:8", .yuv420, 64, 48))
  }

  @Test func `of odd size shows its last column and row`() throws {
    let source = Samples.gradient(.yuv420, 33, 25)
    let frame = try Compositor(64, 48).frame([Layer(samples: source)], background: .white)
    #expect(frame.at(0, 32, 24) == source.at(0, 32, 24))
    #expect((frame.at(0, 33, 24), frame.at(0, 32, 25)) == (235, 235))
    // A quarter of the last chroma cell is covered.
    #expect(abs(Double(frame.at(1, 16, 12)) - (128 * 0.75 + Double(source.at(1, 16, 12)) * 0.25)) <= 1)
  }

  @Test func `halfway over a pixel covers half of it`() throws {
    let white = Samples(PixelFormat(.yuv444), 20, 20) { plane, _, _ in plane == 0 ? 235 : 128 }
    let frame = try Compositor(40, 40, PixelFormat(.yuv444)).frame(
      [Layer(samples: white, transform: AffineTransform(1, 0, 0, 1, 10.5, 10.25))])
    #expect([9, 10, 11, 29, 30, 31].map { frame.at(0, $0, 20) } == [16, 126, 235, 235, 126, 16])
    #expect([9, 10, 11, 29, 30, 31].map { frame.at(0, 20, $0) } == [16, 180, 235, 235, 71, 16])
  }

  @Test func `is cropped before it is scaled`() throws {
    // The picture is white inside the crop and black around it. None of the black may bleed in.
    let inside = (8..<24, 8..<20)
    let source = Samples(.yuv420, 64, 48) { plane, x, y in
      plane > 0 ? 128 : inside.0.contains(x) && inside.1.contains(y) ? 235 : 16
    }
    let enlarged = AffineTransform(1, 0, 0, 1, -8, -8).then(AffineTransform(4, 0, 0, 4, 0, 0))
    let frame = try Compositor(64, 48).frame([Layer(samples: source, crop: Rect(8, 8, 16, 12), transform: enlarged)])
    #expect(frame.planes[0].allSatisfy { $0 == 235 })
  }

  @Test func `with wide pixels is shown at its display size`() throws {
    let source = Samples.gradient(.yuv420, 40, 48)
    let wide = Layer(samples: source, displaySize: PixelSize(80, 48))
    let scaled = Layer(samples: source, transform: AffineTransform(2, 0, 0, 1, 0, 0))
    let compositor = Compositor(80, 48)
    #expect(try compositor.frame([wide]) == compositor.frame([scaled]))
  }

  @Test func `outside the frame, without extent or through a singular map is not seen`() throws {
    let source = Samples.gradient(.yuv420, 32, 32)
    let hidden = [
      Layer(samples: source, transform: AffineTransform(1, 0, 0, 1, 64, 0)),
      Layer(samples: source, transform: AffineTransform(0, 0, 0, 0, 5, 5)),
      Layer(samples: source, transform: AffineTransform(1, 1, 1, 1, 0, 0)),
      Layer(samples: source, transform: AffineTransform(1e-9, 0, 0, 1e-9, 5, 5)),
      Layer(samples: source, crop: Rect(40, 0, 10, 10)),
      Layer(samples: source, opacity: 0),
    ]
    let compositor = Compositor(64, 48)
    #expect(try compositor.frame(hidden, background: .white) == compositor.frame([], background: .white))
  }

  @Test(arguments: 0..<200)
  func `of the background's colour cannot be told from it under any transform`(_ seed: Int) throws {
    var random = SeededRandom(seed: UInt64(seed))
    func number(_ size: Double) -> Double { Double.random(in: -size...size, using: &random) }
    let format = [PixelFormat(.yuv420), PixelFormat(.yuv422), PixelFormat(.yuv444, bitDepth: 10)].randomElement(using: &random)!
    let grey = RGBAColor(0.5, 0.5, 0.5)
    let compositor = Compositor(48, 32, .yuv420)
    let ground = try compositor.frame([], background: grey)
    let code = format.bitDepth == 8 ? (ground.at(0, 0, 0), 128) : (ground.at(0, 0, 0) * 4, 512)
    let size = (Int.random(in: 1...90, using: &random), Int.random(in: 1...90, using: &random))
    let picture = Samples(format, size.0, size.1) { plane, _, _ in plane == 0 ? code.0 : code.1 }
    let scale = [0.01, 0.5, 1, 3, 400].randomElement(using: &random)!
    let upright = random.chance(0.4)
    let layer = Layer(
      samples: picture, crop: random.chance(0.3) ? Rect(number(20), number(20), abs(number(60)), abs(number(60))) : nil,
      transform: AffineTransform(
        number(scale), upright ? 0 : number(scale), upright ? 0 : number(scale), number(scale), number(60), number(40)),
      opacity: random.chance(0.5) ? 1 : abs(number(1)), orientation: Orientation.allCases.randomElement(using: &random)!)
    #expect(try compositor.frame([layer], background: grey) == ground, "\(layer.transform) of \(size) \(format)")
  }
}
