import EditTesting
import Document
import Formats
import MediaTime
import Scenes
import Testing
import Timeline

/// Layers that are turned in space, copied, filtered, or count from another corner: how they are read, and where they are at a moment.
@Suite struct `Layers in space and in copies` {
  private func timeline(_ layers: String) throws(DocumentFaults) -> Timeline {
    try Timeline.parse(
      Array(
        """
        {"spool": 1, "assets": {"a": {"path": "a.mp4"}, "logo": {"path": "logo.png"}},
         "composition": {"tracks": [{"id": "V", "media": "video", "segments": [
           {"asset": "a", "source": {"start": "0", "duration": "10"}}]}]},
         "videoComposition": {"renderSize": [640, 360], "frameDuration": "1/10", "color": "bt709", "instructions": [
           {"timeRange": {"start": "0", "duration": "10"}}]}, "layers": [\(layers)]}
        """.utf8))
  }

  private func nodes(_ layers: String, at index: Int = 0) throws -> [Scene.Node] {
    let facts = [AssetID("logo"): try Assets.logo(), AssetID("a"): try Assets.movie()]
    return try timeline(layers).resolved(with: facts).scene(at: index).nodes
  }

  private func faults(_ layers: String) -> [String] {
    do {
      _ = try timeline(layers)
      return []
    } catch { return error.faults.map(\.description) }
  }

  private static let box = #""backgroundColor": [1, 0, 0]"#

  // MARK: - Reading

  @Test(arguments: [
    (
      #"{\#(box), "perspective": 500}"#,
      "layers[0].perspective: shows nothing of a flat layer: give it \"rotationX\", \"rotationY\" or \"transform3D\""
    ),
    (#"{\#(box), "rotationY": 10, "perspective": 0}"#, "layers[0].perspective: 0 is not in 1...1000000"),
    (
      #"{\#(box), "transform3D": [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]}"#,
      "layers[0].transform3D: is singular: it maps space onto a plane or less"
    ),
    (
      #"{\#(box), "cornerRadius": [1, 2, 3]}"#,
      "layers[0].cornerRadius: expected [topLeft, topRight, bottomRight, bottomLeft], found an array"
    ),
    (
      #"{\#(box), "filters": [{"blur": 3, "contrast": 2}]}"#,
      "layers[0].filters[0]: blurs, and has controls of colour: give each an object of its own, in their order"
    ),
    (
      #"{\#(box), "filters": [{}]}"#,
      "layers[0].filters[0]: filters nothing: needs \"blur\", \"brightness\", \"contrast\" or \"saturation\""
    ),
    (#"{\#(box), "maskMode": "luminance"}"#, "layers[0].maskMode: says nothing without a \"mask\""),
    (
      #"{\#(box), "position": [1, 2], "motionPath": {"path": "M 0 0 L 9 9", "progress": 0}}"#,
      "layers[0].position: the layer moves along its \"motionPath\": give one of them"
    ),
    (
      #"{\#(box), "motionPath": {"path": "M 0 0 M 9 9", "progress": 0}}"#,
      "layers[0].motionPath.path: has no length: there is no way to go"
    ),
    (
      #"{"image": "logo", "contentsCenter": [0.25, 0.25, 0.5, 0.5]}"#,
      "layers[0].contentsCenter: needs \"gravity\": \"resize\": otherwise the picture keeps its proportions"
    ),
    (
      #"{"image": [{"at": "0", "value": "logo", "easing": "easeIn"}, {"at": "1", "value": "logo"}]}"#,
      "layers[0].image[0]: one image does not move to another: it has no easing"
    ),
    (
      #"{"image": "logo", "origin": "bottomLeft"}"#,
      "layers[0].origin: counts from the bottom left, and nothing says how high it is, or what it stands on: give the layer a frame, or videoComposition a renderSize"
    ),
    (
      #"{"layers": [{"replicator": {"count": 1000}, "layers": [{\#(box)}, {\#(box)}]}], "replicator": {"count": 6}}"#,
      "layers: more than 10000 layers, with those on other layers and their copies"
    ),
    (
      #"{\#(box), "position": {"keyframes": [{"at": "0", "value": [0, 0], "easing": "easeIn"}, {"at": "1", "value": [3, 4]}], "calculation": "paced"}}"#,
      "layers[0].position.keyframes[0]: a paced value moves evenly: it has no \"easing\" or \"hold\""
    ),
    (
      ##"{"gradient": {"colors": [{"at": "0", "value": ["#000000", "#ffffff"]}, {"at": "1", "value": ["#000000", "#ffffff", "#000000"]}]}}"##,
      "layers[0].gradient.colors: the keyframe at 1 has another number of colours"
    ),
  ])
  func `faults are named by their place`(_ layers: String, _ fault: String) {
    #expect(faults(layers) == [fault])
  }

  @Test func `geometry from the bottom left is that from the top left, for all that has a place`() throws {
    let up = #"""
      {"origin": "bottomLeft", "frame": [10, 20, 200, 100], "rotation": 30, "rotationX": 20, "anchorPoint": [0.25, 0],
       "transform": [1, 0.5, 0.25, 1, 3, 4], "shadow": {"offset": [2, 5], "path": "M 0 0 L 10 0 L 0 30 Z"}, \#(Self.box),
       "layers": [
         {"frame": [5, 6, 40, 30], "shape": {"path": "M 0 0 L 40 0 C 40 10 20 20 0 30 Z"}, "fillColor": [1, 1, 1]},
         {"position": [7, 8], "gradient": {"colors": ["#000000", "#ffffff"], "start": [0, 0.25], "end": [1, 1]}},
         {"image": "logo", "frame": [1, 2, 30, 40], "contentsRect": [0, 0, 0.5, 0.25],
          "mask": {\#(Self.box), "frame": [0, 0, 30, 10]}}]}
      """#
    let down = #"""
      {"frame": [10, 240, 200, 100], "rotation": -30, "rotationX": -20, "anchorPoint": [0.25, 1],
       "transform": [1, -0.5, -0.25, 1, 3, -4], "shadow": {"offset": [2, -5], "path": "M 0 100 L 10 100 L 0 70 Z"}, \#(Self.box),
       "layers": [
         {"frame": [5, 64, 40, 30], "shape": {"path": "M 0 30 L 40 30 C 40 20 20 10 0 0 Z"}, "fillColor": [1, 1, 1]},
         {"position": [7, 92], "gradient": {"colors": ["#000000", "#ffffff"], "start": [0, 0.75], "end": [1, 0]}},
         {"image": "logo", "frame": [1, 58, 30, 40], "contentsRect": [0, 0.75, 0.5, 0.25],
          "mask": {\#(Self.box), "frame": [0, 30, 30, 10]}}]}
      """#
    #expect(try timeline(up) == timeline(down))
    #expect(try String(decoding: timeline(up).canonicalJSON(), as: UTF8.self).contains("origin") == false)
  }

  // MARK: - Space

  private func view(_ layer: String, at index: Int = 0) throws -> Projection {
    guard case .still(let still, let placement)? = try nodes(layer, at: index).first else { throw NoNode() }
    let map = Projection(still.map.then(placement.transform))
    return (still.projection ?? placement.projection).map(map.then) ?? map
  }

  private struct NoNode: Error {}

  @Test func `a layer that is turned is seen as an eye at its distance sees it`() throws {
    let turned = try view(#"{\#(Self.box), "frame": [100, 100, 200, 100], "rotationY": 60, "perspective": 400}"#)
    // The right edge is 100 from the axis: half as far to the side, and 100 sin 60 deeper.
    let deep = 1 + 100 * (3.0.squareRoot() / 2) / 400
    let right = turned.apply(200, 0)
    #expect(abs(right.x - (200 + 50 / deep)) < 1e-9 && abs(right.y - (150 - 50 / deep)) < 1e-9)
    let near = 1 - 100 * (3.0.squareRoot() / 2) / 400
    let left = turned.apply(0, 100)
    #expect(abs(left.x - (200 - 50 / near)) < 1e-9 && abs(left.y - (150 + 50 / near)) < 1e-9)
    // Below comes nearer by a turn about the x axis.
    let tipped = try view(#"{\#(Self.box), "frame": [0, 0, 100, 200], "rotationX": 30, "perspective": 500}"#)
    let below = 1 - 100 * 0.5 / 500
    #expect(abs(tipped.apply(100, 200).x - (50 + 50 / below)) < 1e-9)
    #expect(abs(tipped.apply(50, 200).y - (100 + 100 * (3.0.squareRoot() / 2) / below)) < 1e-9)
  }

  @Test func `the terms of a CATransform3D say the same as turns and an eye`() throws {
    let (sine, cosine) = Trigonometry.sineAndCosine(degrees: 40)
    // CATransform3DRotate of a transform with m34 = -1 / 300.
    let terms = [cosine, 0, -sine, sine / 300, 0, 1, 0, 0, sine, 0, cosine, -cosine / 300, 0, 0, 0, 1].map { "\($0)" }
    let said = try view(#"{\#(Self.box), "frame": [0, 0, 80, 60], "transform3D": [\#(terms.joined(separator: ", "))]}"#)
    let turned = try view(#"{\#(Self.box), "frame": [0, 0, 80, 60], "rotationY": 40, "perspective": 300}"#)
    for (x, y) in [(0.0, 0.0), (80, 0), (33, 60)] {
      let (one, other) = (said.apply(x, y), turned.apply(x, y))
      #expect(abs(one.x - other.x) < 1e-9 && abs(one.y - other.y) < 1e-9)
    }
  }

  @Test func `a layer that turns is drawn as large as its nearest corner is seen`() throws {
    func scale(_ words: String) throws -> Double {
      let layer = try timeline(#"{\#(Self.box), "frame": [0, 0, 60, 80], \#(words)}"#).layers.first
      return try #require(layer).geometry.largestScale(of: Point(60, 80))
    }
    let turning = #""rotationY": [{"at": "0", "value": 0}, {"at": "1", "value": 80}]"#
    // The corners lie 50 from the middle.
    #expect(try scale(turning) == 1)
    #expect(try abs(scale(turning + #", "perspective": 250"#) - 1.25) < 1e-12)
    let eye = "[1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, -0.004, 0, 0, 0, 1]"
    #expect(try abs(scale(turning + #", "transform3D": \#(eye)"#) - 1.25) < 1e-12)
    #expect(try scale(turning + #", "perspective": 40"#) == 4)
    #expect(try scale(#""transform3D": \#(eye)"#) == 1)
  }

  @Test func `a layer that shows its back is left out if it is not double sided, and mirrored is no back`() throws {
    let card = #"{\#(Self.box), "frame": [0, 0, 80, 60], "doubleSided": false"#
    #expect(try nodes(#"\#(card), "rotationY": 89}"#).count == 1)
    #expect(try nodes(#"\#(card), "rotationY": 91}"#).isEmpty)
    #expect(try nodes(#"\#(card), "rotationX": 180}"#).isEmpty)
    #expect(try nodes(#"\#(card), "rotationY": 10, "scale": [-1, 1]}"#).count == 1)
    #expect(try nodes(#"\#(card), "rotationX": 180, "rotationY": 180}"#).count == 1)
  }

  @Test func `what stands on a turned layer is turned with it, and one drawn for all frames stays one value`() throws {
    let layers = #"""
      {"frame": [0, 0, 100, 100], "rotationY": [{"at": "0", "value": 0}, {"at": "1", "value": 60}], "perspective": 400,
       "layers": [{\#(Self.box), "frame": [50, 0, 50, 100]}]}
      """#
    let seen = try [0, 10].map { index -> (Scene.Still, Scene.Placement) in
      guard case .still(let still, let placement)? = try nodes(layers, at: index).first else { throw NoNode() }
      return (still, placement)
    }
    #expect(seen[0].0 == seen[1].0 && seen[0].0.extent == .whole)
    let deep = 1 + 50 * (3.0.squareRoot() / 2) / 400
    let corner = Projection(seen[1].1.transform).then(seen[1].1.projection ?? Projection(.identity)).apply(
      50 * seen[1].0.map.a, 0)
    #expect(abs(corner.x - (50 + 25 / deep)) < 1e-9 && abs(corner.y - (50 - 50 / deep)) < 1e-9)
  }

  @Test func `a turned layer on one that is put together makes a group of nodes`() throws {
    let layers = #"""
      {"frame": [0, 0, 100, 100], "masksToBounds": true, "layers": [{\#(Self.box), "rotationY": 20, "perspective": 200}]}
      """#
    guard case .group(let group)? = try nodes(layers).first else { throw NoNode() }
    #expect(group.nodes.count == 1 && group.cover != nil)
  }

  // MARK: - Ways and curves

  @Test func `a layer moves evenly along its way, and turns with it`() throws {
    // Down 30, then to the right 90.
    let way =
      #""motionPath": {"path": "M 100 50 L 100 80 L 190 80", "rotate": true, "progress": [{"at": "0", "value": 0}, {"at": "1", "value": 1}]}"#
    func place(_ index: Int) throws -> (Point, Point) {
      guard
        case .still(let still, let placement)? = try nodes(#"{\#(Self.box), "frame": [0, 0, 20, 10], \#(way)}"#, at: index).first
      else { throw NoNode() }
      // The middle, and a place to its right.
      let scale = still.map.a
      let (middle, right) = (placement.transform.apply(10 * scale, 5 * scale), placement.transform.apply(11 * scale, 5 * scale))
      return (Point(middle.x, middle.y), Point(right.x - middle.x, right.y - middle.y))
    }
    let (early, down) = try place(1)
    #expect(abs(early.x - 100) < 1e-9 && abs(early.y - 62) < 1e-9)
    #expect(abs(down.x) < 1e-9 && abs(down.y - 1) < 1e-9, "it goes down")
    let (late, along) = try place(5)
    #expect(abs(late.x - 130) < 1e-9 && abs(late.y - 80) < 1e-9)
    #expect(abs(along.x - 1) < 1e-9 && abs(along.y) < 1e-9)
    let (end, _) = try place(20)
    #expect(abs(end.x - 190) < 1e-9)
  }

  @Test func `a smooth curve goes through all keyframes, and follows a parabola exactly`() throws {
    let keyframes = try (0...4).map { step in
      let x = Double(step)
      return Envelope<Double>.Keyframe(try MediaTime(Int64(step)), 3 * x * x - 2 * x + 1)
    }
    let curve = Envelope(keyframes, isCubic: true)
    for (time, keyframe) in zip(0..., keyframes) {
      #expect(try abs(curve.value(at: MediaTime(Int64(time)), neutral: 0) - keyframe.value) < 1e-9)
    }
    // Between inner keyframes a Catmull-Rom spline is the parabola itself.
    for tenth in 10...30 {
      let x = Double(tenth) / 10
      #expect(try abs(curve.value(at: MediaTime(Int64(tenth), 10), neutral: 0) - (3 * x * x - 2 * x + 1)) < 1e-9, "\(x)")
    }
  }

  @Test func `a paced value moves as fast everywhere`() throws {
    let position = try timeline(
      #"{\#(Self.box), "position": {"calculation": "paced", "keyframes": [{"at": "1", "value": [0, 0]}, {"at": "3", "value": [30, 40]}, {"at": "4", "value": [30, 140]}]}}"#
    ).layers[0].geometry.position
    // The first part is 50 long, the second 100.
    #expect(
      try position
        == Envelope([.init(MediaTime(1), Point(0, 0)), .init(MediaTime(2), Point(30, 40)), .init(MediaTime(4), Point(30, 140))]))
  }

  // MARK: - Copies

  @Test func `copies stand a step further each, on clocks that are behind, and fade`() throws {
    let layers = #"""
      {"frame": [0, 0, 300, 100], "replicator": {"count": 3, "offset": [100, 0], "delay": "0.5", "opacityStep": -0.25, "color": [1, 1, 1], "colorStep": [-0.5, 0, 0]},
       "layers": [{\#(Self.box), "frame": [0, 0, 50, 50], "opacity": [{"at": "0", "value": 0}, {"at": "2", "value": 1}]}]}
      """#
    let seen = try nodes(layers, at: 10).compactMap { node -> (Scene.Still, Scene.Placement)? in
      if case .still(let still, let placement) = node { (still, placement) } else { nil }
    }
    #expect(seen.map { $0.0.map.tx } == [0, 100], "the third copy's clock is at zero, where it is clear")
    #expect(seen.map { $0.1.opacity } == [0.5, 0.25] && seen.map { $0.0.opacity } == [1, 0.75])
    guard case .color(let tint)? = seen[1].0.drawing.look.filters.first else { throw NoNode() }
    #expect(tint.apply(SIMD3(1, 0.5, 0.25)) == SIMD3(0.5, 0.5, 0.25))
    #expect(seen[0].0.drawing.look.filters.isEmpty)
    let parts = try nodes(
      layers.replacing(#""frame": [0, 0, 300, 100]"#, with: #""shadow": {}, "frame": [0, 0, 300, 100]"#), at: 30)
    guard case .still(let still, _)? = parts.first else { throw NoNode() }
    #expect(still.drawing.parts.map(\.map.tx) == [0, 100, 200] && still.drawing.parts.map(\.opacity) == [1, 0.75, 0.5])
  }
}
