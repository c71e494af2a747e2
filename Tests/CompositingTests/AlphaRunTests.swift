import Compositing
import Drawing
import FarmTesting
import Formats
import Media
import Testing

/// The runs of a plane of alpha, by which a layer is laid only where it covers something.
@Suite struct `The runs of alpha` {
  private var random = SeededRandom(seed: 251)

  /// Alpha with clear, opaque and translucent stretches of all lengths up to 80.
  private mutating func alpha(_ width: Int, _ height: Int) throws -> (picture: PixelBuffer, samples: GuardedPlane) {
    let samples = GuardedPlane(width, height, bytesPerSample: 2)
    for y in 0..<height {
      var x = 0
      while x < width {
        let (kind, end) = (Int.random(in: 0..<3, using: &random), x + Int.random(in: 1...80, using: &random))
        for place in x..<min(end, width) {
          samples[place, y] = kind == 0 ? 0 : kind == 1 ? 65535 : Int.random(in: 1..<65535, using: &random)
        }
        x = end
      }
    }
    let picture = try PixelBuffer.Alpha.plane(width, height)
    let plane = unsafe picture.plane(0)
    let target = unsafe Plane(
      base: UnsafeMutableRawPointer(plane.base), stride: plane.stride, width: width, height: height, bytesPerSample: 2)
    target.copy(samples.plane)
    withExtendedLifetime(picture) {}
    return (picture, samples)
  }

  @Test mutating func `hold all samples that are not clear, and mark as opaque only what is`() throws {
    let (picture, samples) = try alpha(1000, 20)
    let runs = AlphaRuns(of: picture)
    #expect(runs.starts.count == 21 && runs.starts[20] == runs.runs.count)
    for y in 0..<20 {
      var covered = Set<Int>()
      var last = 0
      for run in runs.runs[runs.starts[y]..<runs.starts[y + 1]] {
        let columns = Int(run.start)..<Int(run.end)
        #expect(columns.lowerBound >= last && !columns.isEmpty)
        last = columns.upperBound
        if run.isOpaque { #expect(columns.allSatisfy { samples[$0, y] == 65535 }) }
        covered.formUnion(columns)
      }
      #expect((0..<1000).allSatisfy { covered.contains($0) || samples[$0, y] == 0 })
    }
    // Stretches are 40 samples long in the mean, and a third of them is clear.
    let clear = 20_000 - runs.runs.reduce(0) { $0 + Int($1.end - $1.start) }
    #expect(clear > 2000)
    let opaque = runs.runs.filter(\.isOpaque)
    #expect(!opaque.isEmpty)
  }

  @Test(arguments: [8, 10, 16], [1, 0.6])
  mutating func `change nothing of what is laid, nor of a part of it`(_ depth: Int, _ opacity: Double) throws {
    let (width, height) = (333, 9)
    let (picture, alpha) = try alpha(width, height)
    let runs = AlphaRuns(of: picture)
    let source = GuardedPlane(width, height, bytesPerSample: depth > 8 ? 2 : 1) { _, _ in
      Int.random(in: 0..<1 << depth, using: &random)
    }
    for (columns, rows) in [(0..<333, 0..<9), (40..<290, 2..<8), (100..<101, 8..<9)] {
      let grounds = (0..<2).map { _ in
        GuardedPlane(columns.count, rows.count, bytesPerSample: depth > 8 ? 2 : 1) { x, y in (x * 7 + y * 31) % (1 << depth) }
      }
      let (part, shares) = (source.plane.part(columns: columns, rows: rows), alpha.plane.part(columns: columns, rows: rows))
      grounds[0].plane.blend(part, alpha: shares, opacity: opacity)
      grounds[1].plane.blend(
        part, alpha: shares, covered: AlphaRuns.Part(runs, columns: columns, rows: rows), opacity: opacity)
      let isSame = (0..<rows.count).allSatisfy { y in
        (0..<columns.count).allSatisfy { grounds[0][$0, y] == grounds[1][$0, y] }
      }
      #expect(isSame, "columns \(columns), rows \(rows)")
      #expect(grounds[0].isUntouchedOutside && grounds[1].isUntouchedOutside)
    }
  }

  @Test func `come with a drawn layer, in luma and chroma`() throws {
    // A dot at each end of a clear line.
    var rgba = [UInt8](repeating: 0, count: 400 * 2 * 4)
    for place in [0, 399, 400, 799] { rgba[place * 4 + 3] = 255 }
    let drawing = try PlacedPicture(x: 10, y: 10, width: 400, height: 2, rgba: rgba)
    let made = try #require(
      try PlacedPicture(
        graphics: drawing, opacity: 1, renderSize: PixelSize(640, 360), format: .yuv420, color: .bt709))
    let alpha = try #require(made.picture.alpha)
    for plane in 0..<3 {
      let runs = try #require(alpha.runs(ofPlane: plane))
      #expect(runs.runs.reduce(0) { $0 + Int($1.end - $1.start) } <= 8, "plane \(plane)")
      #expect(!runs.runs.isEmpty)
    }
  }
}
