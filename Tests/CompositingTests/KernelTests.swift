import Compositing
import FarmTesting
import Formats
import Testing

/// Widths near those of vector units, with heights and bit depths for each kind of sample.
private let shapes = [(1, 1, 8), (7, 3, 8), (31, 2, 8), (65, 5, 8), (13, 4, 10), (33, 3, 16)]

@Suite struct `The kernels` {
  private var random = SeededRandom(seed: 4)

  private mutating func noise(_ width: Int, _ height: Int, _ depth: Int) -> GuardedPlane {
    GuardedPlane(width, height, bytesPerSample: depth > 8 ? 2 : 1) { _, _ in Int.random(in: 0..<1 << depth, using: &random) }
  }

  @Test(arguments: shapes)
  mutating func `a dissolve is within one code value of exact arithmetic`(_ width: Int, _ height: Int, _ depth: Int) {
    for progress in [0.001, 0.25, 1.0 / 3, 0.5, 0.77777, 0.999] {
      let (from, to, out) = (noise(width, height, depth), noise(width, height, depth), noise(width, height, depth))
      out.plane.dissolve(from: from.plane, to: to.plane, weight: Weight(progress))
      for y in 0..<height {
        for x in 0..<width {
          let exact = Double(from[x, y]) * (1 - progress) + Double(to[x, y]) * progress
          #expect(abs(Double(out[x, y]) - exact) <= (depth == 8 ? 0.506 : 1))
        }
      }
      #expect(out.isUntouchedOutside)
    }
  }

  /// The bound is the one that `ByteMixture` derives. It is reached.
  @Test func `a dissolve of bytes is within 0_504 of exact arithmetic for every difference and every weight`() {
    let (from, to) = (Self.differences { max(-$0, 0) }, Self.differences { max($0, 0) })
    let out = GuardedPlane(511, 1, bytesPerSample: 1)
    var (least, most) = (0, 0)
    for weight in 0...65536 {
      out.plane.dissolve(from: from.plane, to: to.plane, weight: Weight(Double(weight) / 65536))
      for x in 0..<511 {
        // The error is in units of 1/65536 of a code value.
        let error = 65536 * (out[x, 0] - from[x, 0]) - (x - 255) * weight
        (least, most) = (min(least, error), max(most, error))
      }
    }
    #expect(least == -33021 && most == 33023)
    #expect(out.isUntouchedOutside)
  }

  /// The differences of the test above stand for all pairs of bytes because of this.
  @Test func `what a dissolve of bytes adds depends on the difference alone`() {
    let pairs = (0..<2).map { side in
      GuardedPlane(256, 256, bytesPerSample: 1) { x, y in side == 0 ? x : y }
    }
    let (from, to) = (Self.differences { max(-$0, 0) }, Self.differences { max($0, 0) })
    let (all, one) = (GuardedPlane(256, 256, bytesPerSample: 1), GuardedPlane(511, 1, bytesPerSample: 1))
    // The step is a prime, so that both parts of the kernel's weight take all their values.
    for weight in stride(from: 1, to: 65536, by: 509) {
      let weight = Weight(Double(weight) / 65536)
      all.plane.dissolve(from: pairs[0].plane, to: pairs[1].plane, weight: weight)
      one.plane.dissolve(from: from.plane, to: to.plane, weight: weight)
      let added = (0..<511).map { one[$0, 0] - from[$0, 0] }
      let isSo = (0..<65536).allSatisfy { pair in
        let (x, y) = (pair % 256, pair / 256)
        return all[x, y] == x + added[y - x + 255]
      }
      #expect(isSo, "at \(weight.rawValue)/65536")
    }
  }

  /// A row with a sample for each possible difference of two bytes.
  private static func differences(_ sample: @escaping (Int) -> Int) -> GuardedPlane {
    GuardedPlane(511, 1, bytesPerSample: 1) { x, _ in sample(x - 255) }
  }

  @Test func `a dissolve between equal pictures changes nothing at any progress`() {
    let side = GuardedPlane(256, 1, bytesPerSample: 1) { x, _ in x }
    let out = GuardedPlane(256, 1, bytesPerSample: 1)
    for step in 0...1024 {
      out.plane.dissolve(from: side.plane, to: side.plane, weight: Weight(Double(step) / 1024))
      #expect((0..<256).allSatisfy { out[$0, 0] == $0 }, "at \(step)/1024")
    }
  }

  @Test(arguments: shapes)
  mutating func `a layer of one opacity is within one code value of exact arithmetic`(
    _ width: Int, _ height: Int, _ depth: Int
  ) {
    for opacity in [0, 0.003, 0.4, 0.9, 1] {
      let (picture, ground) = (noise(width, height, depth), noise(width, height, depth))
      let before = (0..<height).map { y in (0..<width).map { ground[$0, y] } }
      ground.plane.blend(picture.plane, weight: Weight(opacity))
      for y in 0..<height {
        for x in 0..<width {
          let exact = Double(before[y][x]) * (1 - opacity) + Double(picture[x, y]) * opacity
          #expect(abs(Double(ground[x, y]) - exact) <= (depth == 8 ? 0.506 : 1))
        }
      }
      #expect(ground.isUntouchedOutside)
    }
  }

  @Test(arguments: shapes)
  mutating func `a layer with an alpha plane is within one code value of exact arithmetic`(
    _ width: Int, _ height: Int, _ depth: Int
  ) {
    let (picture, ground, alpha) = (noise(width, height, depth), noise(width, height, depth), noise(width, height, 16))
    (alpha[0, 0], alpha[width - 1, height - 1]) = (0, 65535)
    let before = (0..<height).map { y in (0..<width).map { ground[$0, y] } }
    ground.plane.blend(picture.plane, alpha: alpha.plane)
    for y in 0..<height {
      for x in 0..<width {
        let share = Double(alpha[x, y]) / 65535
        let exact = Double(before[y][x]) * (1 - share) + Double(picture[x, y]) * share
        #expect(abs(Double(ground[x, y]) - exact) <= (depth == 8 ? 0.53 : 0.501))
      }
    }
    #expect(ground[width - 1, height - 1] == picture[width - 1, height - 1])
    #expect(ground.isUntouchedOutside)
  }

  @Test(arguments: shapes)
  func `a fill sets the samples and nothing else`(_ width: Int, _ height: Int, _ depth: Int) {
    let plane = GuardedPlane(width, height, bytesPerSample: depth > 8 ? 2 : 1)
    plane.plane.fill(with: (1 << depth) - 3)
    #expect((0..<width * height).allSatisfy { plane[$0 % width, $0 / width] == (1 << depth) - 3 })
    #expect(plane.isUntouchedOutside)
  }

  @Test(arguments: [(1, 1), (5, 3), (67, 130), (128, 65)], [8, 10])
  mutating func `turning twice by 90 degrees is turning by 180`(_ size: (Int, Int), _ depth: Int) {
    let (width, height) = size
    let (picture, half) = (noise(width, height, depth), noise(width, height, depth))
    let (once, twice) = (noise(height, width, depth), noise(width, height, depth))
    once.plane.turn(picture.plane, .rotated90)
    twice.plane.turn(once.plane, .rotated90)
    half.plane.turn(picture.plane, .rotated180)
    #expect((0..<width * height).allSatisfy { twice[$0 % width, $0 / width] == half[$0 % width, $0 / width] })
    #expect(once.isUntouchedOutside && twice.isUntouchedOutside && half.isUntouchedOutside)
  }

  @Test(arguments: [(-20.3, 11.0), (0.4, 0.4), (12.6, -7.2)])
  mutating func `a warp touches neither what lies outside its planes nor what it does not cover`(_ x: Double, _ y: Double) throws
  {
    let (picture, ground) = (noise(40, 30, 8), GuardedPlane(61, 47, bytesPerSample: 1) { _, _ in 7 })
    let map = AffineTransform(0.8, 0.6, -0.6, 0.8, x, y)
    let geometry = PlaneWarp(fromGround: try #require(map.inverse), shown: Rect(0, 0, 40, 30), cell: (1, 1))
    ground.plane.warp(picture.plane, geometry, bitDepth: 8, weight: .all)
    #expect(ground.isUntouchedOutside)
    for row in 0..<47 {
      for column in 0..<61 {
        let (u, v) = try #require(map.inverse).apply(Double(column) + 0.5, Double(row) + 0.5)
        if u < -1 || v < -1 || u > 41 || v > 31 { #expect(ground[column, row] == 7) }
      }
    }
  }

  @Test(arguments: [(1, 1, 8), (9, 4, 8), (40, 33, 8), (37, 29, 10), (21, 3, 16)], [0.0, 0.3, 1.0, 2.75, 60])
  mutating func `a blur is the mean over a pyramid`(_ shape: (Int, Int, Int), _ reach: Double) {
    let (width, height, depth) = shape
    let picture = noise(width, height, depth)
    /// One box filter in exact arithmetic. It is applied twice, one after the other.
    func box(_ row: [Double], _ reach: Double) -> [Double] {
      let whole = Int(reach)
      func at(_ x: Int) -> Double { row[min(max(x, 0), row.count - 1)] }
      return row.indices.map { x in
        let inside = (x - whole...x + whole).reduce(0.0) { $0 + at($1) }
        return (inside + (reach - Double(whole)) * (at(x - whole - 1) + at(x + whole + 1))) / (1 + 2 * reach)
      }
    }
    var exact = (0..<height).map { y in (0..<width).map { Double(picture[$0, y]) } }
    for _ in 0..<2 {
      exact = exact.map { box($0, reach / 2) }
      for x in 0..<width {
        for (y, value) in box(exact.map { $0[x] }, reach / 2).enumerated() { exact[y][x] = value }
      }
    }
    picture.plane.blur(reach: (reach, reach), bitDepth: depth)
    for y in 0..<height {
      for x in 0..<width { #expect(abs(Double(picture[x, y]) - exact[y][x]) <= (depth == 16 ? 3 : 0.6)) }
    }
    #expect(picture.isUntouchedOutside)
  }
}
