import EditTesting
import Document
import Formats
import MediaTime
import Scenes
import Testing
import Timeline

/// The evaluation of layers that stand on each other and move.
@Suite struct `Layers at a moment` {
  /// The nodes of the layers at a frame of 10 a second, in a picture of 640x360.
  private func nodes(_ layers: String, at index: Int = 0) throws -> [Scene.Node] {
    let document = """
      {"spool": 1, "assets": {"logo": {"path": "logo.png"}, "a": {"path": "a.mp4"}},
       "composition": {"tracks": [{"id": "A", "media": "video", "segments": [
         {"asset": "a", "source": {"start": "0", "duration": "10"}}]}]},
       "videoComposition": {"renderSize": [640, 360], "frameDuration": "1/10", "color": "bt709", "instructions": [
         {"timeRange": {"start": "0", "duration": "10"}}]}, "layers": [\(layers)]}
      """
    let facts = [AssetID("logo"): try Assets.logo(), AssetID("a"): try Assets.movie()]
    return try Timeline.parse(Array(document.utf8)).resolved(with: facts).scene(at: index).nodes
  }

  private struct Seen: Equatable {
    let still: Scene.Still
    let placement: Scene.Placement
    /// The map from the layer's coordinates to render pixels.
    var map: AffineTransform { still.map.then(placement.transform) }
  }

  private func stills(_ layers: String, at index: Int = 0) throws -> [Seen] {
    try nodes(layers, at: index).compactMap { node in
      if case .still(let still, let placement) = node { Seen(still: still, placement: placement) } else { nil }
    }
  }

  private static let box = #""backgroundColor": [1, 0, 0]"#

  private func expect(_ map: AffineTransform, takes point: Point, to other: Point) {
    let found = map.apply(point.x, point.y)
    #expect(abs(found.x - other.x) < 1e-9 && abs(found.y - other.y) < 1e-9, "\(found)")
  }

  @Test func `a layer stands in its frame, and turns about its anchor point`() throws {
    let plain = try stills(#"{\#(Self.box), "frame": [10, 20, 100, 50]}"#)[0]
    #expect(plain.still.map == .translation(10, 20) && plain.still.extent == .frame)
    #expect(plain.still.drawing.size == Point(100, 50))
    let turned = try stills(#"{\#(Self.box), "frame": [10, 20, 100, 50], "rotation": 90}"#)[0]
    expect(turned.map, takes: Point(50, 25), to: Point(60, 45))
    expect(turned.map, takes: Point(100, 25), to: Point(60, 95))
    let corner = try stills(#"{\#(Self.box), "frame": [10, 20, 100, 50], "anchorPoint": [0, 1], "scale": [2, -1]}"#)[0]
    expect(corner.map, takes: Point(0, 50), to: Point(10, 70))
    expect(corner.map, takes: Point(10, 40), to: Point(30, 80))
    let moved = try stills(
      #"{\#(Self.box), "frame": [0, 0, 100, 50], "position": [300, 200], "scale": 0.5, "transform": [1, 0, 1, 1, 0, 7]}"#)[0]
    // The scale comes first, then the transform: about the anchor, (20, 10) becomes (10, 5), then (15, 12).
    expect(moved.map, takes: Point(70, 35), to: Point(315, 212))
    #expect(moved.still.extent == .frame && moved.placement == Scene.Placement())
  }

  @Test func `layers on another one follow it`() throws {
    let layers = #"{"frame": [100, 50, 200, 100], "rotation": 90, "layers": [{\#(Self.box), "frame": [0, 0, 20, 10]}]}"#
    let seen = try stills(layers)
    #expect(seen.count == 1, "nothing is drawn of a layer that has only others on it")
    // The corner of the outer layer, turned about its middle (200, 100), is at (250, 0).
    expect(seen[0].map, takes: Point(0, 0), to: Point(250, 0))
    expect(seen[0].map, takes: Point(20, 0), to: Point(250, 20))
    #expect(seen[0].still.drawing.size == Point(20, 10))
  }

  @Test func `a layer without a frame has the size of what it stands on, an image its own`() throws {
    #expect(try stills("{\(Self.box)}")[0].still.drawing.size == Point(640, 360))
    #expect(try stills(#"{"image": "logo", "rotation": 180}"#)[0].still.drawing.size == Point(96, 96))
    let text = #"{"text": "x", "font": "DejaVu Sans", "size": 20}"#
    let inner = try stills(#"{"frame": [1, 2, 300, 90], "layers": [\#(text)]}"#)[0]
    #expect(inner.still.drawing.size == Point(300, 90))
    guard case .text(_, let inLowerThird)? = inner.still.drawing.content else {
      Issue.record("no text")
      return
    }
    #expect(inLowerThird)
  }

  @Test func `a layer that moves is one still, drawn as large as it is ever seen`() throws {
    let layers = #"""
      {"frame": [0, 0, 100, 50], "position": [{"at": "0", "value": [50, 25]}, {"at": "2", "value": [250, 25]}],
       "scale": [{"at": "1", "value": 0.5}, {"at": "3", "value": 2.5}], \#(Self.box)}
      """#
    let seen = try [0, 10, 20, 40].map { try stills(layers, at: $0)[0] }
    #expect(Set(seen.map(\.still)).count == 1)
    #expect(seen[0].still.extent == .whole && seen[0].still.map == .scale(2.5, 2.5))
    // The first keyframe's value holds before it too.
    expect(seen[0].map, takes: Point(0, 0), to: Point(25, 12.5))
    expect(seen[1].map, takes: Point(50, 25), to: Point(150, 25))
    expect(seen[2].map, takes: Point(0, 25), to: Point(250 - 75, 25))
    expect(seen[3].map, takes: Point(100, 50), to: Point(250 + 125, 25 + 62.5))
  }

  @Test func `a layer that grows beyond the largest picture is drawn as large as that is`() throws {
    func scale(_ size: String, _ factor: Int) throws -> Double {
      let scale = #"[{"at": "0", "value": 1}, {"at": "1", "value": \#(factor)}]"#
      return try stills(#"{\#(Self.box), "frame": [0, 0, \#(size)], "scale": \#(scale)}"#)[0].still.map.a
    }
    #expect(try scale("100, 100", 100) == 8, "no layer is drawn more than eight times as large")
    #expect(try scale("4096, 100", 8) == 2)
    #expect(try scale("8192, 8192", 8) == 0.5.squareRoot())
  }

  @Test func `what stands on a layer that moves moves with it, and is sharp as it grows`() throws {
    let layers = #"""
      {"frame": [0, 0, 100, 100], "scale": [{"at": "0", "value": 1}, {"at": "1", "value": 2}], "layers": [
        {\#(Self.box), "frame": [0, 0, 10, 10], "scale": 1.5}]}
      """#
    let seen = try [0, 10].map { try stills(layers, at: $0)[0] }
    #expect(seen[0].still == seen[1].still && seen[0].still.map == .scale(3, 3))
    expect(seen[0].map, takes: Point(5, 5), to: Point(5, 5))
    expect(seen[1].map, takes: Point(5, 5), to: Point(-40, -40))
    expect(seen[1].map, takes: Point(10, 5), to: Point(-25, -40))
  }

  @Test func `opacity that changes fades the still, and one that stays is drawn into it`() throws {
    let steady = try stills(#"{\#(Self.box), "opacity": 0.5}"#)[0]
    #expect(steady.still.opacity == 0.5 && steady.placement.opacity == 1)
    let fading = try stills(#"{\#(Self.box), "fadeIn": "1"}"#, at: 5)[0]
    #expect(fading.still.opacity == 1 && fading.placement.opacity == 0.5)
    #expect(try stills(#"{\#(Self.box), "fadeIn": "1"}"#, at: 0).isEmpty)
  }

  @Test(arguments: [
    #""opacity": 0.5"#, #""masksToBounds": true"#, #""shadow": {}"#, #""borderWidth": 2"#,
    #""mask": {"shape": "ellipse", "fillColor": [1, 1, 1]}"#, "",
  ])
  func `a layer whose parts belong together is one still`(_ member: String) throws {
    let sublayers = #"[{\#(Self.box), "frame": [0, 0, 9, 9]}, {\#(Self.box), "position": [5, 6], "opacity": 0.25}]"#
    let seen = try stills(#"{"frame": [10, 20, 100, 50], "layers": \#(sublayers)\#(member.isEmpty ? "" : ", " + member)}"#)
    guard !member.isEmpty else {
      #expect(seen.count == 2)
      return
    }
    #expect(seen.count == 1)
    let drawing = seen[0].still.drawing
    #expect(drawing.parts.map(\.map) == [.identity, .translation(-45, -19)])
    #expect(drawing.parts.map(\.opacity) == [1, 0.25])
    #expect(seen[0].map == .translation(10, 20))
  }

  @Test func `layers mixed by a mode are put together on what they stand on`() throws {
    let layers = #"{"layers": [{\#(Self.box)}, {\#(Self.box), "blendMode": "multiply"}]}"#
    let seen = try stills(layers)
    #expect(seen.count == 1 && seen[0].still.drawing.parts.map(\.blendMode) == [.normal, .multiply])
  }

  @Test func `changes inside one still are drawn into it at each moment`() throws {
    let layers = #"""
      {"shadow": {}, "layers": [
        {\#(Self.box), "frame": [0, 0, 10, 10], "position": [{"at": "0", "value": [5, 5]}, {"at": "1", "value": [15, 5]}]},
        {\#(Self.box), "from": "1", "opacity": [{"at": "1", "value": 0}, {"at": "2", "value": 1}]}]}
      """#
    let drawings = try [0, 5, 15].map { try stills(layers, at: $0)[0].still.drawing }
    #expect(drawings.map { $0.parts.map(\.map.tx) } == [[0], [5], [10, 0]])
    #expect(drawings[2].parts.map(\.opacity) == [1, 0.5])
  }

  @Test func `styles and strokes have their values at the moment`() throws {
    let layers = #"""
      {"shape": "ellipse", "frame": [0, 0, 40, 20], "strokeColor": [1, 1, 1],
       "strokeEnd": [{"at": "0", "value": 0}, {"at": "1", "value": 1}],
       "backgroundColor": [{"at": "0", "value": [0, 0, 0]}, {"at": "1", "value": [1, 1, 1]}],
       "cornerRadius": [{"at": "0", "value": 0}, {"at": "1", "value": 99}], "borderWidth": 3, "borderColor": [0, 1, 0]}
      """#
    let drawing = try stills(layers, at: 5)[0].still.drawing
    guard case .shape(let shape, let stroked)? = drawing.content else {
      Issue.record("no shape")
      return
    }
    #expect(stroked == Scene.Drawing.Span(0, 0.5) && shape.strokeEnd == Envelope())
    #expect(drawing.look.background == RGBAColor(0.5, 0.5, 0.5))
    #expect(drawing.look.cornerRadius == 10, "at most half the height")
    #expect(drawing.look.borderWidth == 3 && drawing.look.borderColor == RGBAColor(0, 1, 0))
  }

  @Test func `a border's colour and a gradient's places pass from keyframe to keyframe`() throws {
    let layers = #"""
      {"frame": [0, 0, 40, 20], "borderWidth": 3, "borderColor": [{"at": "0", "value": [0, 0, 0]}, {"at": "1", "value": [1, 0, 0]}],
       "gradient": {"colors": ["#000000", "#ffffff"], "locations": [{"at": "0", "value": [-1, 0]}, {"at": "1", "value": [1, 2]}],
                    "end": [{"at": "0", "value": [0.5, 0]}, {"at": "1", "value": [0.5, 1]}]}}
      """#
    func gradient(_ frame: Int) throws -> GradientContent? {
      let drawing = try stills(layers, at: frame)[0].still.drawing
      #expect(drawing.look.borderColor == RGBAColor(Double(frame) / 10, 0, 0))
      guard case .gradient(let gradient)? = drawing.content else { return nil }
      return gradient
    }
    // At first the end is where the start is: all lies beyond it.
    #expect(try gradient(0)?.stops.map(\.color) == [.white, .white])
    let middle = try gradient(5)
    #expect(middle?.end == Point(0.5, 0.5) && middle?.stops.map(\.location) == [0, 1])
    // The part between start and end of colours from -0.5 to 0.5 and further is seen.
    let early = try #require(try gradient(4))
    #expect(early.stops.count == 3 && early.stops[0].location == 0 && early.stops[2].location == 1)
    #expect(abs(early.stops[1].location - 0.8) < 1e-9 && abs(early.stops[0].color.red - 0.2) < 1e-9)
    #expect(early.stops[2].color == .white)
  }

  @Test func `a mask that is not there at the moment hides all`() throws {
    let layers = #"{\#(Self.box), "mask": {"from": "5", \#(Self.box)}}"#
    #expect(try stills(layers)[0].still.drawing.mask?.drawing.look.background == nil)
    #expect(try stills(layers, at: 60)[0].still.drawing.mask?.drawing.look.background != nil)
  }

  @Test func `the pictures of all layers belong to the scene`() throws {
    let layers = #"{"layers": [{"layers": [{"image": "logo"}]}]}, {\#(Self.box), "mask": {"image": "logo"}}"#
    let nodes = try nodes(layers)
    #expect(nodes.count == 2)
    for node in nodes {
      #expect(Scene(canvas: SceneTreeCanvas.any, background: .black, nodes: [node]).stillAssets == [AssetID("logo")])
    }
  }
}

private enum SceneTreeCanvas {
  static let any = Scene.Canvas(
    renderSize: PixelSize(2, 2), outputSize: PixelSize(2, 2), bitDepth: 8, color: .bt709, toneMap: .bt2390, blending: .encoded)
}
