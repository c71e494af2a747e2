import Drawing
import Formats
import Media
import Scenes
import Testing
import Timeline

/// Layers as they are drawn: their rectangle, shapes, gradients, shadows, masks and what stands on them.
@Suite struct `A layer`: DrawsLayers {
  // MARK: - The rectangle

  @Test func `fills its rectangle where its map puts it`() throws {
    let drawing = try drawn(box(10, 6), .translation(20, 8))
    for y in 0..<48 {
      for x in 0..<64 { #expect(alpha(drawing, x, y) == (20..<30 ~= x && 8..<14 ~= y ? 255 : 0), "\(x), \(y)") }
    }
    let turned = try drawn(box(10, 6), AffineTransform.rotation(degrees: 90).then(.translation(40, 8)))
    for y in 0..<48 {
      for x in 0..<64 { #expect(alpha(turned, x, y) == (34..<40 ~= x && 8..<18 ~= y ? 255 : 0), "\(x), \(y)") }
    }
  }

  @Test func `covers pixels in part at edges between them`() throws {
    let drawing = try drawn(box(10, 6), .translation(20.5, 8.25))
    #expect(abs(alpha(drawing, 20, 10) - 128) <= 1 && abs(alpha(drawing, 30, 10) - 128) <= 1)
    #expect(abs(alpha(drawing, 25, 8) - 191) <= 1 && abs(alpha(drawing, 25, 14) - 64) <= 1)
    let tilted = try drawn(box(20, 10), AffineTransform.rotation(degrees: 30).then(.translation(20, 10)))
    #expect(abs(area(tilted) - 200) < 1)
  }

  @Test func `outside the frame is not drawn`() throws {
    #expect(try pixels(box(10, 6), .translation(64, 0)) == nil)
    #expect(try pixels(box(10, 6), .scale(0, 1)) == nil)
    #expect(try pixels(Scene.Drawing(nil, size: Point(9, 9))) == nil)
    let corner = try drawn(box(1e6, 1e6), .translation(-1000, 40))
    #expect(corner.width == 64 && corner.height == 8)
  }

  @Test func `is refused where it reaches too far to be counted in pixels`() throws {
    let far = Scene.Drawing(
      nil, size: Point(9, 9), parts: [.init(box(9, 9), map: .identity), .init(box(9, 9), map: .translation(3e6, 0))])
    #expect(throws: DrawingError.tooFar) { try pixels(far) }
    #expect(throws: DrawingError.tooFar) { try pixels(box(1e6, 9), .scale(3, 1)) }
    var cut = Scene.Drawing.Look()
    cut.clips = true
    #expect(throws: DrawingError.tooFar) { try pixels(Scene.Drawing(nil, size: Point(9, 9), look: cut, parts: far.parts)) }
  }

  @Test func `that moves is drawn as a whole, up to the largest picture`() throws {
    let drawing = try drawn(box(100, 80), .scale(2, 2), .whole)
    #expect((drawing.x, drawing.y, drawing.width, drawing.height) == (0, 0, 200, 160))
    #expect(throws: DrawingError.tooLarge(PixelSize(20_000, 8))) { try pixels(box(20_000, 8), .identity, .whole) }
    #expect(throws: DrawingError.tooLarge(PixelSize(10_000, 10_000))) { try pixels(box(10_000, 10_000), .identity, .whole) }
  }

  @Test func `has round corners, and a border inside them`() throws {
    let round = try drawn(box(40, 30) { $0.cornerRadius = 10 })
    #expect(abs(area(round) - (1200 - (4 - Double.pi) * 100)) < 1)
    #expect(alpha(round, 0, 0) == 0 && alpha(round, 3, 2) > 100 && alpha(round, 10, 0) == 255)
    let bordered = try drawn(
      box(40, 30) { ($0.cornerRadius, $0.borderWidth, $0.borderColor) = (10, 4, Self.blue) })
    #expect(bordered.width == 40 && bordered.height == 30)
    #expect(bordered.pixel(20, 1) == Pixels.Pixel(red: 0, green: 0, blue: 255, alpha: 255))
    #expect(bordered.pixel(20, 4) == Pixels.Pixel(red: 255, green: 0, blue: 0, alpha: 255))
    #expect(bordered.pixel(36, 15) == Pixels.Pixel(red: 0, green: 0, blue: 255, alpha: 255))
    // A border that is wider than the rectangle fills it.
    let full = try drawn(box(8, 6) { ($0.borderWidth, $0.borderColor) = (5, Self.blue) })
    #expect(full.pixel(4, 3) == Pixels.Pixel(red: 0, green: 0, blue: 255, alpha: 255))
  }

  // MARK: - Shapes and gradients

  @Test func `has shapes, filled by their rule`() throws {
    let ellipse = try drawn(shape(.ellipse, Point(40, 20)) { $0.fillColor = Self.red })
    #expect(abs(area(ellipse) - .pi * 20 * 10) < 1)
    let two = try VectorPath(svg: "M0 0 H30 V30 H0 Z M10 10 H20 V20 H10 Z", atMost: 99)
    let whole = try drawn(shape(.path(two), Point(9, 9)) { $0.fillColor = Self.red })
    let hole = try drawn(
      shape(.path(two), Point(9, 9)) { ($0.fillColor, $0.fillRule) = (Self.red, .evenOdd) })
    #expect(abs(area(whole) - 900) < 0.01 && abs(area(hole) - 800) < 0.01)
  }

  @Test(arguments: [
    (Scene.Drawing.Span.whole, 60.0), (.init(0, 0.5), 30), (.init(0.25, 0.5), 15), (.init(0.5, 0.5), 0), (.init(0.75, 0.25), 0),
    (.init(0.1, 0.9), 48),
  ])
  func `has strokes along a part of their outline`(_ span: Scene.Drawing.Span, _ length: Double) throws {
    // Two lines of 40 and 20 pixels, each a part of the path of its own.
    let path = try VectorPath(svg: "M 2 4 h 40 M 2 20 h 20", atMost: 9)
    let drawing = try pixels(
      shape(.path(path), Point(9, 9), stroked: span) { ($0.strokeColor, $0.lineWidth) = (Self.red, 4) })
    #expect(abs((drawing.map(area) ?? 0) - length * 4) < 0.1)
    if span == .init(0.25, 0.5), let drawing { #expect(alpha(drawing, 16, 4) == 0 && alpha(drawing, 18, 4) == 255) }
  }

  @Test func `has dashes, caps and joins`() throws {
    let line = try VectorPath(svg: "M 4 10 h 40", atMost: 9)
    func area(_ change: (inout ShapeContent) -> Void) throws -> Double {
      self.area(
        try drawn(
          shape(.path(line), Point(9, 9)) {
            ($0.strokeColor, $0.lineWidth) = (Self.red, 6)
            change(&$0)
          }))
    }
    #expect(try abs(area { $0.dash = [4, 6] } - 4 * 4 * 6) < 0.1)
    #expect(try abs(area { ($0.dash, $0.dashPhase) = ([4, 6], 2) } - (2 + 4 * 3 + 2) * 6) < 0.1)
    #expect(try abs(area { $0.lineCap = .square } - 46 * 6) < 0.1)
    #expect(try abs(area { $0.lineCap = .round } - (240 + .pi * 9)) < 0.5)
    let corner = try VectorPath(svg: "M 10 30 V 10 H 30", atMost: 9)
    func join(_ join: ShapeContent.LineJoin) throws -> Double {
      self.area(
        try drawn(
          shape(.path(corner), Point(9, 9)) { ($0.strokeColor, $0.lineWidth, $0.lineJoin) = (Self.red, 6, join) }))
    }
    // The lines without their common square, and what the join fills of its corner of 9 pixels.
    let lines = 240.0 - 9
    #expect(try abs(join(.miter) - (lines + 9)) < 0.1)
    #expect(try abs(join(.bevel) - (lines + 4.5)) < 0.3)
    #expect(try abs(join(.round) - (lines + 9 * .pi / 4)) < 0.3)
  }

  @Test func `has gradients between its colours' places`() throws {
    let stops = [GradientContent.Stop(0, .black), .init(0.25, .black), .init(0.75, .white), .init(1, .white)]
    let linear = GradientContent(.linear, stops: stops, start: Point(0, 0), end: Point(1, 0))
    let drawing = try drawn(Scene.Drawing(.gradient(linear), size: Point(64, 8)))
    for x in 0..<64 {
      let expected = min(max((Double(x) + 0.5) / 64 * 2 - 0.5, 0), 1) * 255
      #expect(abs(Double(drawing.pixel(x, 4).red) - expected) <= 1.5, "column \(x)")
    }
    let ring = GradientContent(.radial, stops: [.init(0, .white), .init(1, .black)], start: Point(0.5, 0.5), end: Point(1, 1))
    let radial = try drawn(Scene.Drawing(.gradient(ring), size: Point(64, 32)))
    #expect(radial.pixel(32, 16).red > 245 && radial.pixel(0, 0).red == 0)
    #expect(abs(Int(radial.pixel(48, 16).red) - Int(radial.pixel(32, 24).red)) < 9, "an ellipse of the layer's proportions")
  }

  @Test func `has gradients of its own proportions`() throws {
    let diagonal = GradientContent(.linear, stops: [.init(0, .black), .init(1, .white)], start: Point(0, 0), end: Point(1, 1))
    let drawing = try drawn(Scene.Drawing(.gradient(diagonal), size: Point(64, 16)))
    // The stripes of one colour run along the other diagonal of the rectangle.
    for (x, y) in [(0, 0), (63, 15), (63, 0), (0, 15), (32, 8), (16, 4)] {
      let expected = ((Double(x) + 0.5) / 64 + (Double(y) + 0.5) / 16) / 2 * 255
      #expect(abs(Double(drawing.pixel(x, y).red) - expected) <= 1.5, "\(x), \(y)")
    }
  }

  @Test func `has ellipses that begin at their right, and go round clockwise`() throws {
    let quarter = try drawn(
      shape(.ellipse, Point(40, 40), stroked: .init(0, 0.25)) { ($0.strokeColor, $0.lineWidth) = (Self.red, 2) },
      .translation(4, 4))
    #expect(alpha(quarter, 38, 38) > 0, "the arc from the right to the bottom")
    #expect(alpha(quarter, 38, 9) == 0 && alpha(quarter, 9, 38) == 0 && alpha(quarter, 9, 9) == 0)
    #expect(abs(area(quarter) - 2 * 20 * .pi / 2) < 0.5)
  }

  @Test func `has no spikes where a curve is cut short`() throws {
    let curve = try VectorPath(svg: "M 30 30 q -42.7 -31.1 22 15.1", atMost: 9)
    func drawing(_ end: Double) throws -> Pixels {
      try drawn(
        shape(.path(curve), Point(9, 9), stroked: .init(0, end)) { ($0.strokeColor, $0.lineWidth) = (Self.red, 4) })
    }
    let (whole, part) = (try drawing(1), try drawing(0.999))
    for y in 0..<48 { for x in 0..<52 { #expect(abs(alpha(whole, x, y) - alpha(part, x, y)) <= 40, "\(x), \(y)") } }
  }

  // MARK: - Parts

  @Test func `adds what stands on it, times its alpha, up to white`() throws {
    let (below, above) = (RGBAColor(0.8, 0.4, 0.2), RGBAColor(0.6, 0.6, 0.9, alpha: 0.5))
    for (opacity, expected) in [(1.0, [1, 0.7, 0.65]), (0.5, [0.95, 0.55, 0.425])] {
      let parts = [
        Scene.Drawing.Part(box(8, 8, below), map: .identity),
        .init(box(8, 8, above), map: .identity, opacity: opacity, blendMode: .plusLighter),
      ]
      let pixel = try drawn(Scene.Drawing(nil, size: Point(8, 8), parts: parts)).pixel(4, 4)
      for (found, sum) in zip([pixel.red, pixel.green, pixel.blue], expected) { #expect(abs(Double(found) - sum * 255) < 2.5) }
      #expect(pixel.alpha == 255)
    }
  }

  @Test(arguments: BlendMode.allCases.filter { $0 != .plusLighter })
  func `mixes what stands on it by the W3C's formulas`(_ mode: BlendMode) throws {
    let (below, above) = (RGBAColor(0.8, 0.4, 0.2), RGBAColor(0.3, 0.6, 0.9, alpha: 0.5))
    let parts = [
      Scene.Drawing.Part(box(8, 8, below), map: .identity), .init(box(8, 8, above), map: .identity, blendMode: mode),
    ]
    let pixel = try drawn(Scene.Drawing(nil, size: Point(8, 8), parts: parts)).pixel(4, 4)
    let mixed = Self.blended(mode, [0.8, 0.4, 0.2], [0.3, 0.6, 0.9])
    for (found, (backdrop, mix)) in zip([pixel.red, pixel.green, pixel.blue], zip([0.8, 0.4, 0.2], mixed)) {
      #expect(abs(Double(found) - (backdrop * 0.5 + mix * 0.5) * 255) < 2.5, "\(mode)")
    }
    #expect(pixel.alpha == 255)
  }

  /// The mix of an opaque backdrop and an opaque source (Compositing and Blending Level 1, 9 and 10).
  private static func blended(_ mode: BlendMode, _ cb: [Double], _ cs: [Double]) -> [Double] {
    func each(_ mix: (Double, Double) -> Double) -> [Double] { zip(cb, cs).map(mix) }
    func hardLight(_ b: Double, _ s: Double) -> Double { s <= 0.5 ? b * 2 * s : b + (2 * s - 1) - b * (2 * s - 1) }
    switch mode {
    case .normal: return cs
    case .multiply: return each { $0 * $1 }
    case .screen: return each { $0 + $1 - $0 * $1 }
    case .overlay: return each { hardLight($1, $0) }
    case .darken: return each(min)
    case .lighten: return each(max)
    case .colorDodge: return each { $0 == 0 ? 0 : $1 >= 1 ? 1 : min(1, $0 / (1 - $1)) }
    case .colorBurn: return each { $0 >= 1 ? 1 : $1 <= 0 ? 0 : 1 - min(1, (1 - $0) / $1) }
    case .hardLight: return each(hardLight)
    case .softLight:
      return each { b, s in
        let d = b <= 0.25 ? ((16 * b - 12) * b + 4) * b : b.squareRoot()
        return s <= 0.5 ? b - (1 - 2 * s) * b * (1 - b) : b + (2 * s - 1) * (d - b)
      }
    case .difference: return each { abs($0 - $1) }
    case .exclusion: return each { $0 + $1 - 2 * $0 * $1 }
    case .hue: return luminosity(of: cb, saturation(of: cb, on: cs))
    case .saturation: return luminosity(of: cb, saturation(of: cs, on: cb))
    case .color: return luminosity(of: cb, cs)
    case .luminosity: return luminosity(of: cs, cb)
    case .plusLighter: return each { min(1, $0 + $1) }
    }
  }

  private static func luminosity(_ color: [Double]) -> Double { 0.3 * color[0] + 0.59 * color[1] + 0.11 * color[2] }

  private static func luminosity(of one: [Double], _ other: [Double]) -> [Double] {
    let shift = luminosity(one) - luminosity(other)
    let moved = other.map { $0 + shift }
    let (middle, low, high) = (luminosity(moved), moved.min() ?? 0, moved.max() ?? 0)
    return moved.map { value in
      var value = value
      if low < 0 { value = middle + (value - middle) * middle / (middle - low) }
      if high > 1 { value = middle + (value - middle) * (1 - middle) / (high - middle) }
      return value
    }
  }

  private static func saturation(of one: [Double], on other: [Double]) -> [Double] {
    let (low, high) = (other.min() ?? 0, other.max() ?? 0)
    let wanted = (one.max() ?? 0) - (one.min() ?? 0)
    return other.map { high > low ? ($0 - low) * wanted / (high - low) : 0 }
  }

  @Test(arguments: BlendMode.allCases)
  func `keeps its colour where nothing is below, whatever its mode`(_ mode: BlendMode) throws {
    let part = Scene.Drawing.Part(
      box(8, 8, RGBAColor(0.6, 0.4, 0.2)), map: .identity, opacity: 0.6, blendMode: mode)
    let pixel = try drawn(Scene.Drawing(nil, size: Point(8, 8), parts: [part])).pixel(4, 4)
    #expect(pixel.alpha == 153)
    for (found, expected) in zip([pixel.red, pixel.green, pixel.blue], [153, 102, 51]) {
      #expect(abs(Int(found) - expected) <= 1, "\(mode)")
    }
  }

  @Test func `is mixed with its siblings alone`() throws {
    let inner = Scene.Drawing(
      nil, size: Point(8, 8),
      parts: [.init(box(8, 8, .white), map: .identity), .init(box(8, 8, Self.red), map: .identity, blendMode: .multiply)])
    let open = Scene.Drawing(
      nil, size: Point(8, 8), parts: [.init(box(8, 8, Self.red), map: .identity, blendMode: .multiply)])
    for (part, expected) in [(inner, 0), (open, 0)] {
      let ground = box(8, 8, Self.blue)
      let drawing = try drawn(
        Scene.Drawing(nil, size: Point(8, 8), look: ground.look, parts: [.init(part, map: .identity)]))
      #expect(drawing.pixel(4, 4) == Pixels.Pixel(red: 255, green: 0, blue: UInt8(expected), alpha: 255))
    }
  }

  @Test func `is laid with its opacity as one, with what stands on it`() throws {
    let both = Scene.Drawing(
      nil, size: Point(20, 20),
      parts: [.init(box(20, 20, Self.red), map: .identity), .init(box(10, 20, Self.blue), map: .identity)])
    let ground = Scene.Drawing(nil, size: Point(20, 20), parts: [.init(both, map: .identity, opacity: 0.5)])
    let drawing = try drawn(ground)
    #expect(drawing.pixel(5, 5) == Pixels.Pixel(red: 0, green: 0, blue: 255, alpha: 128), "no red shines through")
    #expect(drawing.pixel(15, 5) == Pixels.Pixel(red: 255, green: 0, blue: 0, alpha: 128))
  }

  @Test func `cuts off what stands on it, if it masks to its bounds`() throws {
    let part = Scene.Drawing.Part(box(40, 40, Self.blue), map: .translation(10, 10))
    var look = Scene.Drawing.Look()
    let open = try drawn(Scene.Drawing(nil, size: Point(20, 20), look: look, parts: [part]))
    #expect(alpha(open, 30, 30) == 255)
    (look.clips, look.cornerRadius) = (true, 8)
    let cut = try drawn(Scene.Drawing(nil, size: Point(20, 20), look: look, parts: [part]))
    #expect(alpha(cut, 30, 30) == 0 && alpha(cut, 15, 15) == 255 && alpha(cut, 19, 19) == 0)
    #expect(abs(area(cut) - (100 - (1 - Double.pi / 4) * 64)) < 1)
  }

  @Test func `is seen as much as its mask is opaque`() throws {
    let fade = GradientContent(
      .linear, stops: [.init(0, RGBAColor(1, 1, 1, alpha: 0)), .init(1, .white)], start: Point(0, 0), end: Point(1, 0))
    let mask = Scene.Drawing.Part(Scene.Drawing(.gradient(fade), size: Point(64, 20)), map: .translation(0, 10), opacity: 0.5)
    var look = Scene.Drawing.Look()
    look.background = Self.red
    let drawing = try drawn(Scene.Drawing(nil, size: Point(64, 48), look: look, mask: mask))
    for x in 0..<64 {
      #expect(abs(Double(alpha(drawing, x, 20)) - (Double(x) + 0.5) / 64 * 127.5) < 2, "column \(x)")
      #expect(alpha(drawing, x, 9) == 0 && alpha(drawing, x, 30) == 0)
    }
    let nothing = Scene.Drawing.Part(Scene.Drawing(nil, size: Point(9, 9)), map: .identity)
    #expect(try pixels(Scene.Drawing(nil, size: Point(64, 48), look: look, mask: nothing)) == nil)
  }

  // MARK: - Text

  @Test func `has texts with outlines, spacing and a place in their frame`() throws {
    func text(_ change: (inout TextContent) -> Void) throws -> Pixels {
      var content = TextContent(string: "HI", fonts: ["DejaVu Sans"], size: 16, color: Self.red, alignment: .left)
      change(&content)
      let drawing = Scene.Drawing(.text(content, inLowerThird: false), size: Point(60, 44))
      return try drawn(drawing, .translation(2, 2))
    }
    func rows(_ drawing: Pixels) throws -> Range<Int> { try #require(try drawing.visibleBounds(in: Self.frame)).rows }
    func columns(_ drawing: Pixels) throws -> Range<Int> { try #require(try drawing.visibleBounds(in: Self.frame)).columns }
    let plain = try text { _ in }
    let outlined = try text { $0.outline = .init(color: Self.blue, width: 2) }
    #expect(try columns(outlined).lowerBound == columns(plain).lowerBound - 2)
    #expect(try rows(outlined).count == rows(plain).count + 4)
    #expect(area(outlined) > area(plain) * 1.7)
    let (x, y) = (try columns(plain).lowerBound, try rows(plain).lowerBound)
    #expect(outlined.pixel(x - 1, y + 3).blue == 255 && outlined.pixel(x + 1, y + 3).red == 255)
    let spaced = try text { $0.letterSpacing = 5 }
    #expect(try columns(spaced).upperBound == columns(plain).upperBound + 5)
    let (middle, bottom) = (try text { $0.verticalAlignment = .middle }, try text { $0.verticalAlignment = .bottom })
    let (top, low) = (try rows(plain).lowerBound, try rows(bottom).lowerBound)
    #expect(try abs(2 * rows(middle).lowerBound - top - low) <= 1 && low > top + 20)
    let twoLines = try text { ($0.string, $0.lineSpacing) = ("H\nH", 1) }
    let wide = try text { ($0.string, $0.lineSpacing) = ("H\nH", 1.25) }
    #expect(try rows(wide).count > rows(twoLines).count + 3)
  }
}
