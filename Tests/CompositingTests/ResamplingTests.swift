import Compositing
import FarmTesting
import Formats
import Media
import Testing
import Timeline

/// A picture whose samples lie on a plane in the geometrical sense. Any correct interpolation restores them exactly, wherever a
/// sample is sited. Values are at luma pixel coordinates, where pixel (0, 0) spans 0...1.
private struct Slope {
  let plane = [(base: 40.03, x: 0.9137, y: 0.7071), (base: 200.71, x: -0.6283, y: -0.4142), (base: 60.37, x: 0.3719, y: 0.8134)]

  func value(_ index: Int, _ x: Double, _ y: Double) -> Double { plane[index].base + plane[index].x * x + plane[index].y * y }

  /// The site of a sample. Luma and full chroma lie in the middle of the pixel; halved chroma lies at the left, and in the middle
  /// of the pair of rows.
  static func site(_ format: PixelFormat, _ index: Int, _ x: Int, _ y: Int) -> (x: Double, y: Double) {
    let shift = format.shift(ofPlane: index)
    return (shift.x == 1 ? Double(2 * x) + 0.5 : Double(x) + 0.5, shift.y == 1 ? Double(2 * y) + 1 : Double(y) + 0.5)
  }

  /// The samples of the picture. They are rounded up or down at random, so that the mean of many is exact.
  func samples(_ format: PixelFormat, _ width: Int, _ height: Int) -> Samples {
    var random = SeededRandom(seed: 17)
    return Samples(format, width, height) { index, x, y in
      let site = Self.site(format, index, x, y)
      let exact = value(index, site.x, site.y) * Double(1 << (format.bitDepth - 8))
      return Int((exact + Double.random(in: 0..<1, using: &random)).rounded(.down))
    }
  }
}

@Suite struct `Scaling and turning` {
  private let slope = Slope()

  /// Compares each sample that no edge touches with the slope's exact value there. The samples of the source are off by up to one
  /// code value. A filter and a rounding add to that. Over a plane the errors cancel out, except what fixed-point filters lose: a
  /// third of a code value. At 12 bits even a shift of a twentieth of a pixel would show more.
  private func check(_ format: PixelFormat, _ map: AffineTransform, crop: Rect? = nil) throws {
    let frame = try Compositor(120, 100, format).frame(
      [Layer(samples: slope.samples(format, 110, 90), crop: crop, transform: map)])
    let back = try #require(map.inverse)
    let inside = crop ?? Rect(0, 0, 110, 90)
    let margin = 5 * max(1, abs(back.a) + abs(back.c))
    for index in 0..<format.planeCount {
      let (columns, rows) = Samples.size(format, 120, 100, index)
      var errors: [Double] = []
      for y in 0..<rows {
        for x in 0..<columns {
          let site = Slope.site(format, index, x, y)
          let (u, v) = back.apply(site.x, site.y)
          guard u > inside.x + margin, v > inside.y + margin, u < inside.maxX - margin, v < inside.maxY - margin else { continue }
          let exact = slope.value(index, u, v) * Double(1 << (format.bitDepth - 8))
          errors.append(Double(frame.at(index, x, y)) - exact)
        }
      }
      #expect(errors.count > 150)
      #expect(errors.map(abs).max() ?? 0 < 2.5, "plane \(index)")
      #expect(abs(errors.reduce(0, +)) / Double(errors.count) < 0.35, "plane \(index)")
    }
  }

  private static let formats = [
    PixelFormat(.yuv420), PixelFormat(.yuv420, bitDepth: 12), PixelFormat(.yuv422, bitDepth: 12),
    PixelFormat(.yuv444, bitDepth: 12),
  ]

  @Test(arguments: formats)
  func `scaling down puts every sample where it belongs`(_ format: PixelFormat) throws {
    try check(format, AffineTransform(0.5, 0, 0, 0.75, 7.3, 11.6))
  }

  @Test(arguments: formats)
  func `scaling up puts every sample where it belongs`(_ format: PixelFormat) throws {
    try check(format, AffineTransform(2.5, 0, 0, 1.7, -60.25, -20.5))
  }

  @Test(arguments: formats)
  func `moving by fractions of a pixel puts every sample where it belongs`(_ format: PixelFormat) throws {
    try check(format, AffineTransform(1, 0, 0, 1, 5.375, 3.7))
  }

  @Test(arguments: formats)
  func `a crop at odd and fractional positions does not move the picture`(_ format: PixelFormat) throws {
    try check(format, AffineTransform(1.25, 0, 0, 1.25, -10, -4), crop: Rect(13, 7.5, 80, 71))
  }

  @Test(arguments: formats)
  func `a rotation by 17 degrees puts every sample where it belongs`(_ format: PixelFormat) throws {
    let (cosine, sine) = (0.9563047559630354, 0.29237170472273677)
    try check(format, AffineTransform(cosine, sine, -sine, cosine, 20, -8))
  }

  @Test(arguments: formats)
  func `a rotation that makes the picture smaller puts every sample where it belongs`(_ format: PixelFormat) throws {
    let (cosine, sine) = (0.9563047559630354 * 0.4, 0.29237170472273677 * 0.4)
    try check(format, AffineTransform(cosine, sine, -sine, cosine, 40, 20))
  }

  @Test(arguments: formats)
  func `a sheared mirror image puts every sample where it belongs`(_ format: PixelFormat) throws {
    try check(format, AffineTransform(-0.9, 0.2, 0.3, 1.1, 95, -10))
  }

  @Test(arguments: [
    PixelFormat(.yuv420), PixelFormat(.yuv420, bitDepth: 10), PixelFormat(.yuv420, bitDepth: 16), PixelFormat(.yuv422),
    PixelFormat(.gbr),
  ])
  func `scaling alone gives the same samples on any vector units`(_ format: PixelFormat) throws {
    var random = SeededRandom(seed: 23)
    let color: ColorTags = format.layout == .gbr ? .srgb : .bt709
    func picture(_ width: Int, _ height: Int) -> PictureFormat {
      PictureFormat(width: width, height: height, format: format, color: color, taggedHeight: height)
    }
    func check(_ width: Int, _ height: Int, _ region: Rect, to size: (width: Int, height: Int)) throws {
      let source = Samples.noise(format, width, height, &random)
      let route = ScalingGraph.Route(source: picture(width, height), region: region, target: picture(size.width, size.height))
      let graphs = try ScalingGraph.Units.allCases.map { try ScalingGraph(route, units: $0) } + [ScalingGraph(route)]
      let results = try graphs.map { graph in
        let result = try Samples(format, size.width, size.height) { _, _, _ in 0 }.buffer(color)
        try graph.convert(source.buffer(color), into: result)
        return Samples(result)
      }
      #expect(results.allSatisfy { $0 == results[0] }, "\(width)x\(height) to \(size)")
    }
    for size in [(148, 86), (334, 196), (222, 64), (90, 130), (700, 46)] {
      try check(222, 130, Rect(1.25, 0.5, 219, 128.25), to: size)
    }
    // With AVX-512, zimg up to 3.0.5 takes wrong pixels here, where letters become half as large.
    try check(70, 32, Rect(-1.1456422348103632, -1.9189757324892462, 72.139632515743159, 32.978102426751079), to: (36, 16))
    try check(128, 50, Rect(-2.9050080788146353, -0.24858347674687761, 131.91242643561125, 53.589364250274244), to: (64, 26))
    try check(148, 70, Rect(-1.1493191438722947, -2.4933864335624119, 152.52330550974958, 74.200764873335828), to: (74, 36))
  }

  @Test(arguments: [8, 10, 12, 16])
  func `a rotation is the bilinear mixture of the four nearest samples`(_ bitDepth: Int) throws {
    let format = PixelFormat(.yuv444, bitDepth: bitDepth)
    // Up to 12 bits, intermediate results also hold a part of the fraction of a sample: two bits at 12 bits a sample, and more at
    // fewer. Above 12 bits the error comes from the places, which are known to 1/65536 of a sample in each direction.
    let tolerance = 0.5 + (bitDepth > 12 ? 2 : Double(1 << bitDepth) / 8192)
    let (cosine, sine) = (0.9563047559630354, 0.29237170472273677)
    let map = AffineTransform(cosine, sine, -sine, cosine, 12, -5)
    // The picture is far from smooth, so that a shift of a hundredth of a pixel would show.
    let source = Samples(format, 50, 40) { plane, x, y in
      (20 + (x * 37 + y * 59 + x * y * 11 + plane * 71) % 200) << (bitDepth - 8)
    }
    let frame = try Compositor(60, 50, format).frame([Layer(samples: source, transform: map)])
    let back = try #require(map.inverse)
    for plane in 0..<3 {
      for y in 0..<50 {
        for x in 0..<60 {
          let (px, py) = back.apply(Double(x) + 0.5, Double(y) + 0.5)
          guard px > 1.5, py > 1.5, px < 48.5, py < 38.5 else { continue }
          let (u, v) = (px - 0.5, py - 0.5)
          let (left, top) = (Int(u.rounded(.down)), Int(v.rounded(.down)))
          let (fx, fy) = (u - Double(left), v - Double(top))
          let above = Double(source.at(plane, left, top)) * (1 - fx) + Double(source.at(plane, left + 1, top)) * fx
          let below = Double(source.at(plane, left, top + 1)) * (1 - fx) + Double(source.at(plane, left + 1, top + 1)) * fx
          #expect(abs(Double(frame.at(plane, x, y)) - above * (1 - fy) - below * fy) <= tolerance)
        }
      }
    }
  }

  @Test func `a fine pattern that is turned and made smaller becomes its mean`() throws {
    let format = PixelFormat(.yuv444)
    let stripes = Samples(format, 160, 160) { plane, x, _ in plane == 0 ? (x.isMultiple(of: 2) ? 16 : 216) : 128 }
    let (cosine, sine) = (0.9563047559630354 * 0.25, 0.29237170472273677 * 0.25)
    let frame = try Compositor(40, 40, format).frame(
      [Layer(samples: stripes, transform: AffineTransform(cosine, sine, -sine, cosine, 6, -4))])
    for y in 14..<26 {
      for x in 14..<26 { #expect(abs(frame.at(0, x, y) - 116) <= 2) }
    }
  }

  @Test func `a picture turned by an angle has an edge without steps`() throws {
    let white = Samples(PixelFormat(.yuv444), 60, 60) { plane, _, _ in plane == 0 ? 235 : 128 }
    let (cosine, sine) = (0.9563047559630354, 0.29237170472273677)
    let map = AffineTransform(cosine, sine, -sine, cosine, 25, 5)
    let frame = try Compositor(90, 90, PixelFormat(.yuv444)).frame([Layer(samples: white, transform: map)])
    let covered = frame.planes[0].reduce(0.0) { $0 + Double($1 - 16) / 219 }
    #expect(abs(covered - 3600) < 4)
  }
}
