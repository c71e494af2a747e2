import Compositing
import Formats
import Media
import Testing

@Suite struct `A movie of another colour than BT709` {
  private static let sources: [ColorTags] = [
    .bt601Line525, .bt601Line625, .bt709, ColorTags(.bt709, .srgb, .bt709, .limited), .displayP3, .bt2020, .bt2020PQ,
    .bt2020HLG,
  ]
  /// The colours of movies, with the bit depths that each may have.
  private static let outputs: [(ColorTags, depths: [Int])] = [
    (.bt601Line525, [8, 10]), (.bt601Line625, [8, 10]), (ColorTags(.bt709, .srgb, .bt709, .limited), [8, 10]),
    (.displayP3, [8, 10]), (.bt2020, [8, 10]), (.bt2020PQ, [10]), (.bt2020HLG, [10]),
  ]
  private static let kinds: [(depth: Int, range: ColorTags.Range)] = [(8, .limited), (8, .full), (10, .limited), (10, .full)]

  private func tagged(_ tags: ColorTags, _ range: ColorTags.Range) -> ColorTags {
    ColorTags(tags.primaries, tags.transfer, tags.matrix, range)
  }

  /// The tolerance is that for BT.709 where no component is next to zero: one code of 8 bits, or 1.2 codes of 10 bits.
  @Test(arguments: outputs, kinds)
  func `has the standards' codes for each source`(
    _ output: (ColorTags, depths: [Int]), _ kind: (depth: Int, range: ColorTags.Range)
  ) throws {
    guard output.depths.contains(kind.depth) else { return }
    let target = tagged(output.0, kind.range)
    for source in Self.sources {
      // The source has at least as many bits as the movie, so that its rounding is not the movie's.
      let patches = Patches(tags: source, depth: 10, values: charted)
      let frame = try patches.shown(PixelFormat(.yuv444, bitDepth: kind.depth), target)
      for index in charted.indices {
        let exact = ColorReference.converted(patches.codes(index), source, depth: 10, to: target, outDepth: kind.depth)
        // Outside the range of HLG each component is cut off by itself.
        guard exact.largest <= 1 else { continue }
        let isInside = exact.smallest > 0.1 || exact.largest < 0.001
        let tolerance = (isInside ? 1.0 : 2.5) * (kind.depth == 8 ? 1 : isInside ? 1.2 : 4)
        for plane in 0..<3 {
          let got = Double(frame.at(plane, 4 * index + 1, 8))
          #expect(
            abs(got - exact.codes[plane]) <= tolerance,
            "\(source) \(charted[index]), plane \(plane): \(got), not \(exact.codes[plane])")
        }
      }
    }
  }

  /// zscale converts by way of linear light in floating point, with zimg's approximations switched off.
  @Test(arguments: outputs, kinds)
  func `is what zscale makes of each source`(
    _ output: (ColorTags, depths: [Int]), _ kind: (depth: Int, range: ColorTags.Range)
  ) throws {
    guard output.depths.contains(kind.depth) else { return }
    let target = tagged(output.0, kind.range)
    // Other tests compare tone maps with ffmpeg.
    for source in Self.sources where !source.isHighRange || target.isHighRange {
      let inside = charted.filter {
        let codes = ColorReference.codes($0, source, depth: 10).map { Int($0.rounded()) }
        let exact = ColorReference.converted(codes, source, depth: 10, to: target, outDepth: kind.depth)
        return exact.smallest > 0.1 && exact.largest <= 1
      }
      let patches = Patches(tags: source, depth: 10, values: inside)
      let format = PixelFormat(.yuv444, bitDepth: kind.depth)
      let filter =
        "setparams=range=tv:color_primaries=\(source.primaries.rawValue):color_trc=\(source.transfer.rawValue):"
        + "colorspace=\(source.matrix.rawValue),zscale=transfer=linear:npl=203:agamma=0,format=gbrpf32le,"
        + "zscale=primaries=\(target.primaries.rawValue):agamma=0,"
        + "zscale=transfer=\(target.transfer.rawValue):matrix=\(target.matrix.rawValue):"
        + "range=\(target.range.rawValue):npl=203:agamma=0"
      let theirs = try FFmpegOracle.filtered(patches.picture, filter, format, patches.width, 16)
      #expect(
        try patches.shown(format, target).distance(to: theirs) <= (kind.depth == 8 ? 1 : 2), "from \(source)")
    }
  }
}
