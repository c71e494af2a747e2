import Formats
import Glibc
import Scenes
import Testing
import Timeline

@Suite struct `A layer with a shadow`: DrawsLayers {
  @Test func `casts a shadow of its form, moved and blurred`() throws {
    let sharp = try drawn(box(10, 10) { $0.shadow = .init(color: Self.blue, offset: Point(20, 5), radius: 0) })
    #expect(sharp.pixel(5, 5) == Pixels.Pixel(red: 255, green: 0, blue: 0, alpha: 255))
    #expect(sharp.pixel(25, 10) == Pixels.Pixel(red: 0, green: 0, blue: 255, alpha: 255))
    #expect(alpha(sharp, 15, 10) == 0 && alpha(sharp, 25, 4) == 0)
    let soft = try drawn(
      box(20, 20) { $0.shadow = .init(color: RGBAColor(0, 0, 1, alpha: 0.5), offset: .zero, radius: 3) }, .translation(20, 14))
    // An edge that is blurred by a Gaussian has half its alpha at the edge itself, and 0.159 of it a deviation further.
    #expect(abs(alpha(soft, 40, 24) - Int(255 * 0.5 * 0.434)) <= 4)
    #expect(abs(alpha(soft, 43, 24) - Int(255 * 0.5 * 0.122)) <= 4)
    #expect(alpha(soft, 30, 24) == 255 && soft.pixel(30, 24).red == 255)
  }

  @Test(arguments: [0.5, 1, 1.5, 2, 3, 8, 20])
  func `casts a shadow as soft as a Gaussian`(_ radius: Double) throws {
    var shadow = Scene.Drawing.Look()
    shadow.background = RGBAColor(1, 0, 0)
    shadow.shadow = .init(color: Self.blue, offset: Point(0, 100), radius: radius)
    let drawing = try drawn(Scene.Drawing(nil, size: Point(200, 200), look: shadow), .translation(32, -176))
    // Far from the other edges, the alpha over the left edge is the Gaussian's integral.
    for x in 0..<64 where abs(Double(x) + 0.5 - 32) < 2.5 * radius {
      let expected = 255 * (1 + erf((Double(x) + 0.5 - 32) / radius / 2.0.squareRoot())) / 2
      // Below half a pixel, samples of the curve stand for its integral.
      #expect(abs(Double(alpha(drawing, x, 44)) - expected) < (radius < 1 ? 15 : 8), "radius \(radius), column \(x)")
    }
  }

  @Test func `casts a shadow that is stretched with it`() throws {
    func edges(_ map: AffineTransform) throws -> (across: Int, down: Int) {
      let drawing = try drawn(
        box(8, 8) { $0.shadow = .init(color: Self.blue, offset: .zero, radius: 2) }, map.then(.translation(32, 24)), .whole)
      let (x, y) = (Int(map.apply(8, 4).x) + 32, Int(map.apply(4, 8).y) + 24)
      return (
        (0..<12).count { alpha(drawing, x + $0, Int(map.apply(8, 4).y) + 24) > 12 },
        (0..<12).count { alpha(drawing, Int(map.apply(4, 8).x) + 32, y + $0) > 12 }
      )
    }
    let (plain, wide) = (try edges(.identity), try edges(.scale(2, 0.5)))
    #expect(plain.across == plain.down && wide.across >= 2 * plain.across - 2 && wide.down <= plain.down / 2 + 1)
  }

  @Test func `casts its shadow in its own directions, also from outside of the frame`() throws {
    let shadow = LayerStyle.Shadow(color: Self.blue, offset: Point(20, 0), radius: 0)
    let turned = try drawn(
      box(10, 10) { $0.shadow = shadow }, AffineTransform.rotation(degrees: 90).then(.translation(30, 4)))
    #expect(alpha(turned, 25, 29) == 255 && turned.pixel(25, 29).blue == 255)
    let outside = try drawn(box(10, 10) { $0.shadow = shadow }, .translation(-15, 10))
    #expect(alpha(outside, 8, 15) == 255)
    // The blur is the same at the frame's edge as elsewhere.
    func edge(_ x: Double) throws -> [Int] {
      let drawing = try drawn(
        box(10, 20) { $0.shadow = .init(color: Self.blue, offset: .zero, radius: 4) }, .translation(x, 12))
      return (0..<6).map { alpha(drawing, Int(x) + 10 + $0, 22) }
    }
    #expect(try edge(-8) == edge(20))
  }
}
