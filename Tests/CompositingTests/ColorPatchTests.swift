import Compositing
import FarmTesting
import Formats
import Media
import Testing
import Timeline

/// A picture with a row of patches in one source colour space. A patch is four luma samples wide, and chroma is not subsampled.
struct Patches {
  var tags: ColorTags
  var depth: Int
  var values: [ColorReference.RGB]

  var format: PixelFormat { PixelFormat(.yuv444, bitDepth: depth) }
  var width: Int { 4 * values.count }

  func codes(_ index: Int) -> [Int] {
    ColorReference.codes(values[index], tags, depth: depth).map { Int($0.rounded()) }
  }

  var picture: Samples {
    let all = values.indices.map(codes)
    return Samples(format, width, 16) { plane, x, _ in all[x / 4][plane] }
  }

  func shown(_ outFormat: PixelFormat, _ color: ColorTags = .bt709, _ toneMap: ToneMap = .bt2390) throws -> Samples {
    try Compositor(renderSize: PixelSize(width, 16), format: outFormat, color: color, toneMap: toneMap)
      .frame([Layer(samples: picture, color: tags)])
  }
}

private typealias RGB = ColorReference.RGB

/// Primaries, secondaries, grays and skin colours in R'G'B' of any encoding: full, three quarters, and pale.
let charted: [ColorReference.RGB] = {
  let corners = [RGB(1, 0, 0), RGB(0, 1, 0), RGB(0, 0, 1), RGB(0, 1, 1), RGB(1, 0, 1), RGB(1, 1, 0)]
  let grays = [0, 0.02, 0.1, 0.25, 0.4, 0.5, 0.58, 0.65, 0.75, 0.9, 1].map { RGB(repeating: $0) }
  let skin = [RGB(0.77, 0.58, 0.5), RGB(0.45, 0.32, 0.27), RGB(0.9, 0.74, 0.67), RGB(0.6, 0.52, 0.5)]
  return corners + corners.map { 0.75 * $0 } + corners.map { 0.4 * $0 + 0.35 } + grays + skin
}()

@Suite struct `A colour patch becomes BT709` {
  private static let colors: [ColorTags] = [
    .bt601Line525, .bt601Line625, .bt709, ColorTags(.bt709, .srgb, .bt709, .limited), .displayP3, .bt2020,
    .bt2020PQ, .bt2020HLG,
  ]

  /// The tolerance is one code value where no component of the output is next to zero, the edge of the gamut. There the curve is
  /// vertical, and the 16 bits of the tables can be seen.
  @Test(arguments: colors, [(8, ColorTags.Range.limited), (8, .full), (10, .limited), (10, .full)])
  func `as the standards' formulas have it`(_ color: ColorTags, _ kind: (depth: Int, range: ColorTags.Range)) throws {
    var tags = color
    tags.range = kind.range
    let patches = Patches(tags: tags, depth: kind.depth, values: charted)
    let frame = try patches.shown(PixelFormat(.yuv444))
    for index in charted.indices {
      let exact = ColorReference.inBT709(patches.codes(index), tags, depth: kind.depth)
      let tolerance = exact.smallest > 0.1 || exact.codes[0] == 16 ? 1.0 : 2.5
      for plane in 0..<3 {
        #expect(
          abs(Double(frame.at(plane, 4 * index + 1, 8)) - exact.codes[plane]) <= tolerance, "\(charted[index]), plane \(plane)")
      }
    }
  }

  @Test(arguments: ToneMap.allCases, [ColorTags.bt2020PQ, .bt2020HLG])
  func `by each tone map, at 10 bits too`(_ toneMap: ToneMap, _ tags: ColorTags) throws {
    var random = SeededRandom(seed: 3)
    let values = (0..<400).map { _ in
      let gray = Double.random(in: 0.2...0.9, using: &random)
      return RGB(gray, gray, gray) + 0.1 * RGB.random(in: -1...1, using: &random)
    }
    let patches = Patches(tags: tags, depth: 10, values: values)
    for depth in [8, 10] {
      let frame = try patches.shown(PixelFormat(.yuv444, bitDepth: depth), .bt709, toneMap)
      var worst = 0.0
      for index in values.indices {
        let exact = ColorReference.inBT709(patches.codes(index), tags, depth: 10, toneMap: toneMap, outDepth: depth)
        guard exact.smallest > 0.1 else { continue }
        for plane in 0..<3 { worst = max(worst, abs(Double(frame.at(plane, 4 * index + 1, 8)) - exact.codes[plane])) }
      }
      #expect(worst <= (depth == 8 ? 0.75 : 1.2), "at \(depth) bits")
    }
  }

  /// ffmpeg has these three curves and applies them in the same way, but it goes on beyond the peak.
  @Test(arguments: [ToneMap.hable, .reinhard, .clip], [ColorTags.bt2020PQ, .bt2020HLG])
  func `as ffmpeg's zscale and tonemap have it`(_ toneMap: ToneMap, _ tags: ColorTags) throws {
    let pale = charted[12...].filter { tags.transfer == .hlg || $0.max() <= 0.65 }
    let patches = Patches(tags: tags, depth: 10, values: pale)
    let format = PixelFormat(.yuv444)
    let filter =
      "setparams=range=tv:color_primaries=bt2020:color_trc=\(tags.transfer.rawValue):colorspace=bt2020nc,"
      + "zscale=transfer=linear:npl=203:agamma=0,format=gbrpf32le,zscale=primaries=bt709:agamma=0,"
      + "tonemap=\(toneMap):desat=0:peak=\(1000.0 / 203),zscale=transfer=bt709:matrix=bt709:range=limited:agamma=0"
    let theirs = try FFmpegOracle.filtered(patches.picture, filter, format, patches.width, 16)
    #expect(try patches.shown(format, .bt709, toneMap).distance(to: theirs) <= 1)
  }
}

@Suite struct `High dynamic range` {
  @Test(arguments: [ColorTags.bt2020PQ, .bt2020HLG])
  func `that stays what it is stays as it is`(_ tags: ColorTags) throws {
    let format = PixelFormat(.yuv420, bitDepth: 10)
    let picture = Samples.gradient(format, 64, 32)
    #expect(try Compositor(64, 32, format, tags).frame([Layer(samples: picture, color: tags)]) == picture)
  }

  /// BT.2408 puts the white of graphics at 58 % of PQ and 75 % of HLG.
  @Test(arguments: [(ColorTags.bt2020PQ, 0.5807), (.bt2020HLG, 0.75)])
  func `has standard white at 203 candelas`(_ tags: ColorTags, _ level: Double) throws {
    let format = PixelFormat(.yuv420, bitDepth: 10)
    let white = Samples(format, 32, 32) { plane, _, _ in plane == 0 ? 940 : 512 }
    let frame = try Compositor(32, 32, format, tags).frame([Layer(samples: white)])
    #expect(abs(Double(frame.at(0, 9, 9)) - (64 + 876 * level)) <= 1)
    #expect((1...2).allSatisfy { frame.at($0, 9, 9) == 512 })
  }

  @Test func `goes from HLG to PQ and back`() throws {
    let values = charted[12...].filter { $0.max() < 0.95 && $0.min() > 0.05 }
    let patches = Patches(tags: .bt2020HLG, depth: 10, values: values)
    let asPQ = try patches.shown(patches.format, .bt2020PQ)
    let back = try Compositor(patches.width, 16, patches.format, .bt2020HLG).frame([Layer(samples: asPQ, color: .bt2020PQ)])
    #expect(back.distance(to: patches.picture) <= 2)
  }

  @Test func `gray stays gray, and brighter stays brighter, under every tone map`() throws {
    let values = (0...100).map { RGB(repeating: Double($0) / 100) }
    for tags in [ColorTags.bt2020PQ, .bt2020HLG] {
      for toneMap in ToneMap.allCases {
        let frame = try Patches(tags: tags, depth: 10, values: values).shown(PixelFormat(.yuv444, bitDepth: 10), .bt709, toneMap)
        let luma = values.indices.map { frame.at(0, 4 * $0 + 1, 8) }
        #expect(zip(luma, luma.dropFirst()).allSatisfy { $0 <= $1 })
        #expect(luma.first == 64 && luma.last == 940)
        #expect(frame.planes[1...].joined().allSatisfy { $0 == 512 })
      }
    }
  }

  /// The widths do not fill whole vectors, and both sides are 4:2:0.
  @Test(arguments: [2, 6, 14, 18, 514, 1030])
  func `of any width is converted to its last column`(_ width: Int) throws {
    let format = PixelFormat(.yuv420, bitDepth: 10)
    let picture = Samples(format, width, 4) { plane, _, _ in [600, 500, 530][plane] }
    let frame = try Compositor(width, 4).frame([Layer(samples: picture, color: .bt2020PQ)])
    let exact = ColorReference.inBT709([600, 500, 530], .bt2020PQ, depth: 10).codes
    for plane in 0..<3 { #expect(frame.planes[plane].allSatisfy { abs(Double($0) - exact[plane]) <= 1 }) }
  }
}
