import Drawing
import Formats
import Media
import Scenes
import Testing
import Timeline

/// Effects with which layers are drawn: corners, gradients around a point, filters, masks by luminance, planes in space.
@Suite struct `A layer's effects`: DrawsLayers {
  @Test func `corners have radii of their own, which are made smaller together where two do not fit`() throws {
    let drawing = try drawn(box(40, 30) { $0.cornerRadius = Corners(0, 10, 15, 4) })
    #expect(abs(area(drawing) - (1200 - (1 - Double.pi / 4) * (100 + 225 + 16))) < 1)
    #expect(
      alpha(drawing, 0, 0) == 255 && alpha(drawing, 39, 0) == 0 && alpha(drawing, 39, 29) == 0 && alpha(drawing, 0, 29) == 0)
    #expect(Corners(60, 20, 0, 0).fitted(in: Point(40, 90)) == Corners(30, 10, 0, 0))
    #expect(Corners(-1, 20, 0, 0).fitted(in: Point(40, 90)) == Corners(0, 20, 0, 0))
  }

  @Test func `a gradient goes around its start, clockwise from the direction of its end`() throws {
    let stops = [GradientContent.Stop(0, .black), .init(1, .white)]
    let conic = GradientContent(.conic, stops: stops, start: Point(0.5, 0.5), end: Point(1, 0.5))
    let drawing = try drawn(Scene.Drawing(.gradient(conic), size: Point(64, 32)))
    for (x, y) in [(60, 16), (32, 28), (4, 16), (32, 4), (48, 31), (50, 3)] {
      let angle = Trigonometry.degrees(y: Double(y) + 0.5 - 16, x: Double(x) + 0.5 - 32)
      let expected = (angle < 0 ? angle + 360 : angle) / 360 * 255
      #expect(abs(Double(drawing.pixel(x, y).red) - expected) <= 0.6, "\(x), \(y)")
    }
    let turned = try drawn(
      Scene.Drawing(.gradient(conic), size: Point(40, 40)), AffineTransform.rotation(degrees: 90).then(.translation(50, 4)))
    #expect(turned.pixel(29, 38).red < 8, "it begins below")
  }

  @Test func `a mask by luminance leaves as much as the mask is bright and opaque`() throws {
    let parts = [RGBAColor.white, Self.red, RGBAColor(0, 0, 1, alpha: 0.5)].enumerated().map { index, color in
      Scene.Drawing.Part(box(8, 8, color), map: .translation(Double(index) * 8, 0))
    }
    let mask = Scene.Drawing(nil, size: Point(24, 8), parts: parts)
    var look = Scene.Drawing.Look()
    look.filters = [.lumaAsAlpha]
    let luminance = Scene.Drawing(nil, size: Point(24, 8), look: look, parts: [.init(mask, map: .identity)])
    var white = Scene.Drawing.Look()
    white.background = .white
    let drawing = try drawn(Scene.Drawing(nil, size: Point(24, 8), look: white, mask: .init(luminance, map: .identity)))
    for (x, share) in [(4, 1.0), (12, 0.2125), (20, 0.0721 * 0.5)] {
      #expect(abs(Double(alpha(drawing, x, 4)) - share * 255) <= 1, "\(x)")
    }
  }

  // MARK: - Filters

  @Test func `controls of colour have their closed forms, and leave alpha`() throws {
    let matrix = LayerFilter.ColorMatrix(brightness: 0.1, contrast: 1.5, saturation: 0.5)
    let color = RGBAColor(0.8, 0.4, 0.2, alpha: 0.6)
    let drawing = try drawn(box(8, 8, color) { $0.filters = [.color(matrix)] })
    let luma = 0.213 * 0.8 + 0.715 * 0.4 + 0.072 * 0.2
    let pixel = drawing.pixel(4, 4)
    for (found, component) in zip([pixel.red, pixel.green, pixel.blue], [0.8, 0.4, 0.2]) {
      let expected = min(max((luma + (component - luma) * 0.5 - 0.5) * 1.5 + 0.5 + 0.1, 0), 1)
      #expect(abs(Double(found) - expected * 255) < 3)
    }
    #expect(pixel.alpha == 153)
  }

  @Test func `a blur spreads a layer's colour and alpha, and keeps their sum`() throws {
    let sharp = try drawn(box(16, 16, Self.blue), .translation(24, 16))
    let soft = try drawn(box(16, 16, Self.blue) { $0.filters = [.blur(2)] }, .translation(24, 16))
    #expect(abs(area(soft) - area(sharp)) < 3)
    // The integral of a Gaussian: half at the edge, and 0.8413 one deviation inside.
    #expect(abs(Double(alpha(soft, 23, 24) + alpha(soft, 24, 24)) / 2 - 127.5) < 3)
    #expect(abs(Double(alpha(soft, 25, 24) + alpha(soft, 26, 24)) / 2 - 0.8413 * 255) < 8)
    for x in 20..<44 where alpha(soft, x, 24) > 9 {
      let pixel = soft.pixel(x, 24)
      #expect(pixel.blue > 247 && pixel.red < 8, "the colour is straight: \(pixel)")
    }
  }

  @Test func `a shadow is that of its path, where it has one`() throws {
    let path = try VectorPath(svg: "M 0 0 H 10 V 10 H 0 Z", atMost: 9)
    let drawing = try drawn(
      box(20, 20) {
        $0.shadow = LayerStyle.Shadow(color: Self.blue, offset: Point(30, 5), radius: 0)
        $0.shadowPath = path
      })
    for (x, y, expected) in [(31, 6, 255), (39, 14, 255), (41, 6, 0), (31, 16, 0), (10, 10, 255)] {
      #expect(alpha(drawing, x, y) == expected, "\(x), \(y)")
    }
  }

  // MARK: - Space

  private func turned(_ degrees: Double, distance: Double, _ drawing: Scene.Drawing) throws -> Pixels? {
    let map = Transform3D(.translation(-drawing.size.x / 2, -drawing.size.y / 2)).then(.rotationY(degrees: degrees))
      .then(.perspective(distance: distance)).projection.then(.translation(32, 24))
    let still = Scene.Still(drawing, projection: map)
    return try PlacedPicture(still: still, in: Self.frame, fonts: FontBook()) { asset throws(MediaError) in
      throw MediaError(.internal, at: "\(asset)", "no image was expected")
    }.map(Pixels.init)
  }

  @Test func `a plane in space covers what its corners span, to a part of a pixel`() throws {
    let drawing = try #require(try turned(50, distance: 60, box(40, 20)))
    // The corners of the trapezium, from the closed form.
    let (sine, cosine) = Trigonometry.sineAndCosine(degrees: 50)
    let (near, far) = (1 - 20 * sine / 60, 1 + 20 * sine / 60)
    let (left, right) = (20 * cosine / near, 20 * cosine / far)
    let expected = (left + right) * (10 / near + 10 / far)
    #expect(abs(area(drawing) - expected) < 0.02 * expected)
    #expect(abs(alpha(drawing, 32 - Int(left) + 1, 24) - 255) <= 1 && alpha(drawing, 32 - Int(left) - 2, 24) == 0)
    #expect(alpha(drawing, 33 + Int(right), 24) < 255 && alpha(drawing, 35 + Int(right), 24) == 0)
  }

  @Test func `places of a plane in space lie where the eye sees them`() throws {
    let stops = [GradientContent.Stop(0, .black), .init(1, .white)]
    let ramp = GradientContent(.linear, stops: stops, start: Point(0, 0.5), end: Point(1, 0.5))
    let drawing = try #require(try turned(40, distance: 100, Scene.Drawing(.gradient(ramp), size: Point(40, 20))))
    let (sine, cosine) = Trigonometry.sineAndCosine(degrees: 40)
    for column in 20..<44 where alpha(drawing, column, 24) == 255 {
      // X = x cos / (1 + x sin / d), solved for x.
      let seen = Double(column) + 0.5 - 32
      let x = seen / (cosine - seen * sine / 100)
      #expect(abs(Double(drawing.pixel(column, 24).red) - (x + 20) / 40 * 255) < 2.5, "\(column)")
    }
  }

  @Test func `a plane that is seen from its edge is not seen, and one that reaches behind the eye is cut off there`() throws {
    #expect(try turned(90, distance: 60, box(40, 20)) == nil)
    let cut = try #require(try turned(80, distance: 20, box(60, 20)))
    #expect(cut.width <= 64 && cut.height <= 48 && area(cut) > 100)
  }

  @Test func `nine parts keep the corners, and stretch the rest`() throws {
    // 6x6 pixels: corners of 2x2 in red, sides in green, the middle in blue.
    var rgba: [UInt8] = []
    for y in 0..<6 {
      for x in 0..<6 {
        let (side, end) = (2..<4 ~= x, 2..<4 ~= y)
        rgba += side && end ? [0, 0, 255, 255] : side || end ? [0, 255, 0, 255] : [255, 0, 0, 255]
      }
    }
    let image = StillImage(width: 6, height: 6, rgba: rgba)
    let third = 1.0 / 3
    let content = ImageContent(asset: AssetID("a"), gravity: .resize, contentsCenter: Rect(third, third, third, third))
    func drawn(_ width: Double, _ height: Double) throws -> Pixels {
      let still = Scene.Still(Scene.Drawing(.image(content), size: Point(width, height)))
      return try #require(
        try PlacedPicture(still: still, in: Self.frame, fonts: FontBook()) { _ throws(MediaError) in image }.map(Pixels.init))
    }
    let large = try drawn(40, 20)
    for y in 0..<20 {
      for x in 0..<40 {
        let (side, end) = (2..<38 ~= x, 2..<18 ~= y)
        let expected: [UInt8] = side && end ? [0, 0, 255] : side || end ? [0, 255, 0] : [255, 0, 0]
        let pixel = large.pixel(x, y)
        #expect([pixel.red, pixel.green, pixel.blue] == expected, "\(x), \(y)")
      }
    }
    // Where there is no room, the corners share it.
    let small = try drawn(2, 2)
    #expect(small.pixel(0, 0).red == 255 && small.pixel(1, 1).red == 255)
  }
}
