import Compositing
import Formats
import Media
import Testing
import Timeline

/// The equations of BT.601 and BT.709, as the standards print them.
private enum Standard {
  static func yuv(_ r: Double, _ g: Double, _ b: Double, _ matrix: ColorTags.Matrix) -> (y: Double, u: Double, v: Double) {
    let y = matrix == .bt709 ? 0.2126 * r + 0.7152 * g + 0.0722 * b : 0.299 * r + 0.587 * g + 0.114 * b
    return matrix == .bt709 ? (y, (b - y) / 1.8556, (r - y) / 1.5748) : (y, (b - y) / 1.772, (r - y) / 1.402)
  }

  static func codes(_ color: (y: Double, u: Double, v: Double), _ range: ColorTags.Range, _ depth: Int) -> [Double] {
    let (top, scale) = (Double((1 << depth) - 1), Double(1 << (depth - 8)))
    return range == .full
      ? [color.y * top, color.u * top + 128 * scale, color.v * top + 128 * scale]
      : [(16 + 219 * color.y) * scale, (128 + 224 * color.u) * scale, (128 + 224 * color.v) * scale]
  }
}

@Suite struct `A source of another colour` {
  private static let colors = [
    (1.0, 0.0, 0.0), (0.1, 0.8, 0.3), (0.5, 0.5, 0.5), (0.2, 0.1, 0.9), (1.0, 1.0, 1.0), (0.0, 0.0, 0.0),
  ]

  /// The codes of a flat picture that is converted from one format to another, and the exact codes by the standard.
  private func shown(
    _ rgb: (Double, Double, Double), _ format: PixelFormat, _ tags: ColorTags, _ outFormat: PixelFormat, _ outTags: ColorTags
  ) throws -> (got: [Int], exact: [Double]) {
    let codes =
      format.layout == .gbr
      ? [rgb.1, rgb.2, rgb.0].map { $0 * Double((1 << format.bitDepth) - 1) }
      : Standard.codes(Standard.yuv(rgb.0, rgb.1, rgb.2, tags.matrix), tags.range, format.bitDepth)
    let picture = Samples(format, 16, 16) { plane, _, _ in min(Int(codes[plane].rounded()), (1 << format.bitDepth) - 1) }
    let frame = try Compositor(16, 16, outFormat, outTags).frame([Layer(samples: picture, color: tags)])
    return (
      (0..<outFormat.planeCount).map { frame.at($0, 4, 4) },
      Standard.codes(Standard.yuv(rgb.0, rgb.1, rgb.2, outTags.matrix), outTags.range, outFormat.bitDepth)
    )
  }

  private func expect(_ result: (got: [Int], exact: [Double]), within tolerance: Double) {
    for (got, exact) in zip(result.got, result.exact) { #expect(abs(Double(got) - exact) <= tolerance) }
  }

  @Test(arguments: colors)
  func `goes from BT.601's matrix to BT.709's`(_ rgb: (Double, Double, Double)) throws {
    let old = ColorTags(.bt709, .bt709, .smpte170m, .limited)
    // The source's own rounding counts twice in the worst direction of the matrix.
    expect(try shown(rgb, .yuv420, old, .yuv420, .bt709), within: 1.6)
  }

  @Test(arguments: colors)
  func `goes from full range to limited`(_ rgb: (Double, Double, Double)) throws {
    let full = ColorTags(.bt709, .bt709, .bt709, .full)
    expect(try shown(rgb, .yuv420, full, .yuv420, .bt709), within: 1)
  }

  @Test(arguments: colors)
  func `goes from 10 bits to 8 and from 4:2:2 to 4:2:0`(_ rgb: (Double, Double, Double)) throws {
    expect(try shown(rgb, PixelFormat(.yuv422, bitDepth: 10), .bt709, .yuv420, .bt709), within: 0.7)
  }

  @Test(arguments: colors)
  func `goes from RGB to YUV, its planes in the right order`(_ rgb: (Double, Double, Double)) throws {
    let tags = ColorTags(.bt709, .bt709, .rgb, .full)
    expect(try shown(rgb, PixelFormat(.gbr), tags, .yuv420, .bt709), within: 1)
  }

  @Test func `goes from gray to YUV without colour`() throws {
    let frame = try Compositor(16, 16).frame([Layer(samples: Samples(PixelFormat(.gray), 16, 16) { _, _, _ in 90 })])
    #expect((0..<3).map { frame.at($0, 3, 3) } == [90, 128, 128])
  }

  @Test func `tagged by another name of the same thing is not converted`() throws {
    let picture = Samples.gradient(.yuv420, 32, 32)
    let line525 = ColorTags(.smpte170m, .smpte170m, .smpte170m, .limited)
    let sameThing = ColorTags(.smpte170m, .bt709, .bt470bg, .limited)
    #expect(try Compositor(32, 32, .yuv420, line525).frame([Layer(samples: picture, color: sameThing)]) == picture)
  }

  @Test func `without tags is taken for BT.601 when it is small`() throws {
    let picture = Samples.gradient(.yuv420, 32, 32)
    let unknown = ColorTags(.unknown, .unknown, .unknown, .limited)
    #expect(try Compositor(32, 32, .yuv420, .bt601Line525).frame([Layer(samples: picture, color: unknown)]) == picture)
  }
}
