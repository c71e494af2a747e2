import Compositing
import Drawing
import FarmTesting
import Formats
import Media
import Testing
import Timeline

@Suite struct `A layer over the picture` {
  /// A disc with a soft edge. Its colour changes from left to right.
  private static func logo(x: Int, y: Int, _ width: Int = 24, _ height: Int = 20) -> Pixels {
    var rgba: [UInt8] = []
    for row in 0..<height {
      for column in 0..<width {
        let (u, v) = (Double(column) / Double(width - 1) * 2 - 1, Double(row) / Double(height - 1) * 2 - 1)
        let alpha = min(max(1.5 * (1 - (u * u + v * v).squareRoot()), 0), 1)
        rgba += [UInt8(127 + 127 * u), UInt8(200 - 50 * v), 40, UInt8((alpha * 255).rounded())]
      }
    }
    return Pixels(x: x, y: y, width: width, height: height, rgba: rgba)
  }

  /// The codes of a pixel in BT.709, limited range, 8 bits. The pixel has R'G'B' from 0 to 255.
  private static func codes(_ pixel: Pixels.Pixel) -> [Double] {
    let (r, g, b) = (Double(pixel.red) / 255, Double(pixel.green) / 255, Double(pixel.blue) / 255)
    let y = 0.2126 * r + 0.7152 * g + 0.0722 * b
    return [16 + 219 * y, 128 + 224 * (b - y) / 1.8556, 128 + 224 * (r - y) / 1.5748]
  }

  @Test(arguments: [1.0, 0.6], [(10, 8), (11, 7), (-5, -4), (50, 40)])
  func `with soft alpha is within one code value of exact arithmetic over a gradient`(_ opacity: Double, _ at: (Int, Int)) throws
  {
    let format = PixelFormat(.yuv444)
    let (ground, logo) = (Samples.gradient(format, 64, 48), Self.logo(x: at.0, y: at.1))
    let frame = try Compositor(64, 48, format).frame(
      [Layer(samples: ground)], graphics: [logo.graphics(format, opacity: opacity)])
    for y in 0..<48 {
      for x in 0..<64 {
        let isInside = (logo.x..<logo.x + 24).contains(x) && (logo.y..<logo.y + 20).contains(y)
        guard isInside else {
          #expect((0..<3).allSatisfy { frame.at($0, x, y) == ground.at($0, x, y) })
          continue
        }
        let codes = Self.codes(logo.pixel(x, y))
        let share = Double(logo.pixel(x, y).alpha) / 255 * opacity
        for plane in 0..<3 {
          let exact = Double(ground.at(plane, x, y)) * (1 - share) + codes[plane] * share
          #expect(abs(Double(frame.at(plane, x, y)) - exact) <= 1)
        }
      }
    }
  }

  @Test(arguments: [0.0, 0.25, 0.6, 1])
  func `that is faded is within one code value of one made with that opacity`(_ opacity: Double) throws {
    let format = PixelFormat(.yuv420)
    let (ground, logo) = (Samples.gradient(format, 64, 48), Self.logo(x: 11, y: 7))
    let faded = try Compositor(64, 48, format).frame(
      [Layer(samples: ground)], graphics: [logo.graphics(format)], fade: opacity)
    let made = try Compositor(64, 48, format).frame(
      [Layer(samples: ground)], graphics: [logo.graphics(format, opacity: opacity)])
    for plane in 0..<3 {
      let (width, height) = plane == 0 ? (64, 48) : (32, 24)
      for y in 0..<height {
        for x in 0..<width { #expect(abs(Int(faded.at(plane, x, y)) - Int(made.at(plane, x, y))) <= 1) }
      }
    }
    if opacity == 0 { #expect(faded.at(0, 20, 16) == ground.at(0, 20, 16)) }
  }

  @Test(arguments: [(10, 8), (11, 7), (0, 0), (-3, 31), (41, 29)])
  func `has the chroma that full resolution would have, filtered at the sample's site`(_ at: (Int, Int)) throws {
    let grey = RGBAColor(0.5, 0.5, 0.5)
    let logo = Self.logo(x: at.0, y: at.1)
    let frame = try Compositor(64, 48).frame([], background: grey, graphics: [logo.graphics(.yuv420)])
    func composited(_ plane: Int, _ x: Int, _ y: Int) -> Double {
      let x = max(x, 0)
      guard (logo.x..<logo.x + 24).contains(x), (logo.y..<logo.y + 20).contains(y) else { return 128 }
      let pixel = logo.pixel(x, y)
      return 128 + (Self.codes(pixel)[plane] - 128) * Double(pixel.alpha) / 255
    }
    for plane in 1...2 {
      for y in 0..<24 {
        for x in 0..<32 {
          let rows = (2 * y...2 * y + 1).map { row in
            (composited(plane, 2 * x - 1, row) + 2 * composited(plane, 2 * x, row) + composited(plane, 2 * x + 1, row)) / 4
          }
          #expect(abs(Double(frame.at(plane, x, y)) - (rows[0] + rows[1]) / 2) <= 1)
        }
      }
    }
  }

  @Test func `in 10 bits is as exact`() throws {
    let format = PixelFormat(.yuv444, bitDepth: 10)
    let (ground, logo) = (Samples.gradient(format, 64, 48), Self.logo(x: 9, y: 9))
    let frame = try Compositor(64, 48, format).frame([Layer(samples: ground)], graphics: [logo.graphics(format)])
    for y in 9..<29 {
      for x in 9..<33 {
        let (pixel, share) = (logo.pixel(x, y), Double(logo.pixel(x, y).alpha) / 255)
        let exact = Double(ground.at(0, x, y)) * (1 - share) + Self.codes(pixel)[0] * 4 * share
        #expect(abs(Double(frame.at(0, x, y)) - exact) <= 1)
      }
    }
  }

  @Test func `without visible pixels costs no copy of the frame`() throws {
    let clear = Pixels(x: 0, y: 0, width: 8, height: 8, rgba: [UInt8](repeating: 0, count: 256))
    let layer = Layer(samples: .gradient(.yuv420, 64, 48))
    let picture = SourcePicture(buffer: try layer.samples.buffer(), facts: layer.facts)
    #expect(try clear.graphics(.yuv420) == nil && Self.logo(x: 64, y: 0).graphics(.yuv420) == nil)
    let frame = try Compositor(64, 48).composite(
      Collage(background: .black, pieces: [.picture(picture, layer.placement)]))
    #expect(frame === picture.buffer)
  }

  @Test func `is drawn on a copy, not on the source`() throws {
    let layer = Layer(samples: .gradient(.yuv420, 64, 48))
    let picture = SourcePicture(buffer: try layer.samples.buffer(), facts: layer.facts)
    let logo = try #require(try Self.logo(x: 4, y: 4).graphics(.yuv420)).piece()
    _ = try Compositor(64, 48).composite(
      Collage(background: .black, pieces: [.picture(picture, layer.placement), logo]))
    #expect(Samples(picture.buffer) == layer.samples)
  }

  @Test(arguments: [
    (ColorTags(.bt2020, .pq, .bt2020nc, .limited), 0.5807), (ColorTags(.bt2020, .hlg, .bt2020nc, .limited), 0.75),
    (ColorTags(.bt2020, .bt2020_10, .bt2020nc, .limited), 1.0), (.bt709, 1.0),
  ])
  func `that is white has the output's graphics white`(_ tags: ColorTags, _ level: Double) throws {
    let format = PixelFormat(.yuv420, bitDepth: 10)
    let white = Pixels(x: 0, y: 0, width: 64, height: 48, rgba: [UInt8](repeating: 255, count: 64 * 48 * 4))
    let frame = try Compositor(64, 48, format, tags).frame([], graphics: [white.graphics(format, in: PixelSize(64, 48), tags)])
    #expect(abs(Double(frame.at(0, 9, 9)) - (64 + 876 * level)) <= 1)
    #expect(abs(frame.at(1, 9, 9) - 512) <= 1 && abs(frame.at(2, 9, 9) - 512) <= 1)
  }
}
