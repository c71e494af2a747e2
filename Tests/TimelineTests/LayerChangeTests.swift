import EditTesting
import Document
import Formats
import MediaTime
import Scenes
import Testing
import Timeline

/// The evaluation of layers whose size, anchor point, depth, or text changes, and of those that are hidden for a while.
@Suite struct `Layers that change` {
  private static func document(_ layers: String) -> [UInt8] {
    Array(
      """
      {"spool": 1, "assets": {"logo": {"path": "logo.png"}, "a": {"path": "a.mp4"}},
       "composition": {"tracks": [{"id": "A", "media": "video", "segments": [
         {"asset": "a", "source": {"start": "0", "duration": "10"}}]}]},
       "videoComposition": {"renderSize": [640, 360], "frameDuration": "1/10", "color": "bt709", "instructions": [
         {"timeRange": {"start": "0", "duration": "10"}}]}, "layers": [\(layers)]}
      """.utf8)
  }

  private func edit(_ layers: String) throws -> ResolvedTimeline {
    try Timeline.parse(Self.document(layers)).resolved(
      with: [AssetID("logo"): try Assets.logo(), AssetID("a"): try Assets.movie()])
  }

  private struct Seen: Equatable {
    let still: Scene.Still
    let placement: Scene.Placement
    /// The map from the layer's coordinates to render pixels.
    var map: AffineTransform { still.map.then(placement.transform) }
    var size: Point { still.drawing.size }
  }

  private func stills(_ edit: ResolvedTimeline, at index: Int) throws -> [Seen] {
    try edit.scene(at: index).nodes.compactMap { node in
      if case .still(let still, let placement) = node { Seen(still: still, placement: placement) } else { nil }
    }
  }

  private func stills(_ layers: String, at index: Int) throws -> [Seen] { try stills(edit(layers), at: index) }

  private func expect(_ map: AffineTransform, takes point: Point, to other: Point) {
    let found = map.apply(point.x, point.y)
    #expect(abs(found.x - other.x) < 1e-9 && abs(found.y - other.y) < 1e-9, "\(found), not \(other)")
  }

  private static let box = #""backgroundColor": [1, 0, 0]"#
  private static let growth = #"[{"at": "0", "value": [100, 50]}, {"at": "4", "value": [300, 10]}]"#

  // MARK: - Sizes

  @Test func `a size changes about the anchor point, which stays where the frame has it`() throws {
    let middle = try stills(#"{\#(Self.box), "frame": [10, 20, 100, 50], "bounds": \#(Self.growth)}"#, at: 20)[0]
    // Halfway it is 200 by 30 about (60, 45), drawn in its place.
    #expect(middle.size == Point(200, 30) && middle.still.map == .translation(-40, 30) && middle.still.extent == .frame)
    let corner = try stills(
      #"{\#(Self.box), "frame": [10, 20, 100, 50], "anchorPoint": [1, 0], "bounds": \#(Self.growth), "rotation": 90}"#, at: 20)[0]
    expect(corner.map, takes: Point(200, 0), to: Point(110, 20))
    expect(corner.map, takes: Point(0, 0), to: Point(110, -180))
    let placed = try stills(
      #"{\#(Self.box), "frame": [0, 0, 100, 50], "position": [300, 200], "bounds": \#(Self.growth)}"#, at: 40)[0]
    expect(placed.map, takes: Point(150, 5), to: Point(300, 200))
  }

  @Test func `corners, what fills the layer, and copies follow its size`() throws {
    let round = #""cornerRadius": 40, "borderWidth": 2"#
    let start = try stills(#"{\#(Self.box), \#(round), "frame": [0, 0, 100, 50], "bounds": \#(Self.growth)}"#, at: 0)[0]
    let end = try stills(#"{\#(Self.box), \#(round), "frame": [0, 0, 100, 50], "bounds": \#(Self.growth)}"#, at: 40)[0]
    // The corners fit into half of the shorter side.
    #expect(start.still.drawing.look.cornerRadius == 25 && end.still.drawing.look.cornerRadius == 5)
    let whole = #"{"frame": [0, 0, 100, 50], "anchorPoint": [0, 0], "bounds": \#(Self.growth), "layers": [{\#(Self.box)}]}"#
    #expect(try stills(whole, at: 20).map(\.size) == [Point(200, 30)])
    let copied = #""replicator": {"count": 2, "rotation": 180}, "layers": [{\#(Self.box), "frame": [0, 0, 10, 10]}]"#
    let copies = #"{"frame": [0, 0, 100, 50], "bounds": \#(Self.growth), \#(copied)}"#
    let turned = try stills(copies, at: 20)
    // The layer's corner is at (-50, 10), and the second copy is turned about its middle.
    expect(turned[0].map, takes: .zero, to: Point(-50, 10))
    expect(turned[1].map, takes: .zero, to: Point(150, 40))
  }

  @Test func `what stands on the layer keeps its size and its distance from the corner, and is drawn once`() throws {
    let tree =
      #"{"frame": [10, 20, 100, 50], "bounds": \#(Self.growth), "layers": [{\#(Self.box), "frame": [5, 6, 40, 30]}]}"#
    let edit = try edit(tree)
    let (first, second) = (try stills(edit, at: 20)[0], try stills(edit, at: 30)[0])
    expect(first.map, takes: .zero, to: Point(-35, 36))
    expect(second.map, takes: .zero, to: Point(-60, 41))
    #expect(first.still == second.still && first.still.extent == .whole)
    let still = tree.replacing(#""bounds""#, with: #""anchorPoint": [0, 0], "bounds""#)
    // A corner that stays moves nothing.
    #expect(try stills(still, at: 20) == stills(still, at: 30))
  }

  @Test func `a layer without area shows what stands on it alone`() throws {
    let shrinking =
      #""frame": [0, 0, 100, 50], "bounds": [{"at": "0", "value": [100, 50]}, {"at": "4", "value": [0, 50]}]"#
    let tree = #"{\#(Self.box), \#(shrinking), "layers": [{"backgroundColor": [0, 1, 0], "frame": [5, 6, 40, 30]}]}"#
    #expect(try stills(tree, at: 39).count == 2)
    #expect(try stills(tree, at: 40).map(\.size) == [Point(40, 30)])
    #expect(try stills(tree.replacing(#""layers""#, with: #""masksToBounds": true, "layers""#), at: 40).isEmpty)
    // A way back that overshoots does not turn the layer over.
    let back = tree.replacing(#"[100, 50]}, {"#, with: #"[100, 50], "easing": [0.5, 0, 0.5, 3]}, {"#)
    #expect(try (20..<40).allSatisfy { try stills(back, at: $0).allSatisfy { $0.size.x >= 0 } })
  }

  // MARK: - Anchor points, depths and hidden layers

  @Test func `a layer moves with its anchor point, and is drawn once`() throws {
    let anchors = #"[{"at": "0", "value": [0.5, 0.5]}, {"at": "4", "value": [1.5, 0]}]"#
    let layer = #"{\#(Self.box), "frame": [100, 100, 40, 20], "anchorPoint": \#(anchors)}"#
    let edit = try edit(layer)
    let (first, middle) = (try stills(edit, at: 0)[0], try stills(edit, at: 20)[0])
    // The frame says the place for the first anchor point, (120, 110); halfway (1, 0.25) of the layer lies there.
    expect(first.map, takes: .zero, to: Point(100, 100))
    expect(middle.map, takes: Point(40, 5), to: Point(120, 110))
    #expect(first.still == middle.still)
  }

  @Test func `the order of layers beside each other changes with their depth, each on its own clock`() throws {
    func box(_ width: Int, _ more: String = "") -> String {
      #"{"backgroundColor": [1, 0, 0], "frame": [0, 0, \#(width), 10]\#(more)}"#
    }
    let rising = #""zPosition": [{"at": "0", "value": -1}, {"at": "4", "value": 1}]"#
    let late = box(3, #", \#(rising), "clock": {"begin": "4"}"#)
    let edit = try edit([box(1), box(2, ", \(rising)"), late].joined(separator: ", "))
    func order(_ index: Int) throws -> [Double] { try stills(edit, at: index).map(\.size.x) }
    #expect(try order(0) == [2, 3, 1] && order(19) == [3, 2, 1])
    // Equal depths lie in the order of the list.
    #expect(try order(20) == [3, 1, 2] && order(60) == [1, 3, 2] && order(80) == [1, 2, 3])
    let inside = #"{"frame": [0, 0, 50, 50], "masksToBounds": true, "layers": [\#(box(1, ", \(rising)")), \#(box(2))]}"#
    #expect(try stills(inside, at: 0)[0].still.drawing.parts.map(\.drawing.size.x) == [1, 2])
    #expect(try stills(inside, at: 40)[0].still.drawing.parts.map(\.drawing.size.x) == [2, 1])
  }

  @Test func `a layer is hidden and seen by steps, with all that stands on it`() throws {
    let steps = #"[{"at": "1", "value": true}, {"at": "2", "value": false}, {"at": "5", "value": true}]"#
    let inner = #"{\#(Self.box), "frame": [0, 0, 3, 3]}"#
    let edit = try edit(#"{\#(Self.box), "frame": [0, 0, 9, 9], "hidden": \#(steps), "layers": [\#(inner)]}"#)
    #expect(try [0, 10, 19, 20, 49, 50, 99].map { try stills(edit, at: $0).count } == [0, 0, 0, 2, 2, 0, 0])
  }

  // MARK: - Texts

  @Test func `the size and the colour of a text move between their keyframes`() throws {
    let sizes = #"[{"at": "0", "value": 20}, {"at": "4", "value": 40}]"#
    let colors = #"[{"at": "0", "value": [1, 0, 0]}, {"at": "4", "value": [0, 0, 1]}]"#
    let text = #"{"text": "ab", "font": "Sans", "frame": [0, 0, 200, 50], "size": \#(sizes), "color": \#(colors)}"#
    guard case .text(let seen, _)? = try stills(text, at: 10)[0].still.drawing.content else { return #expect(Bool(false)) }
    #expect(seen.size == 25 && seen.color == RGBAColor(0.75, 0, 0.25) && seen.course == TextContent.Course())
    // Within their bounds also where an easing goes beyond them.
    let over = text.replacing(#""value": 20}"#, with: #""value": 20, "easing": [0.1, -9, 0.2, -9]}"#)
    guard case .text(let small, _)? = try stills(over, at: 10)[0].still.drawing.content else { return #expect(Bool(false)) }
    #expect(small.size == DocumentLimits.fontSize.lowerBound)
  }

  @Test func `the extremes of sizes are those on the way, too`() throws {
    let second = try MediaTime(1)
    var geometry = LayerGeometry(frame: Rect(0, 0, 9, 9))
    geometry.bounds = Envelope([
      .init(.zero, Point(10, 20), easing: .bezier(x1: 0.3, y1: 0, x2: 0.3, y2: 2)), .init(second, Point(20, 10)),
    ])
    let (least, largest) = try #require(geometry.extremes)
    #expect(least.x == 10 && largest.x > 21 && least.y < 9 && largest.y == 20)
    #expect(LayerGeometry(frame: Rect(1, 2, 3, 4)).extremes?.least == Point(3, 4) && LayerGeometry().extremes == nil)
  }

  // MARK: - Equal frames

  @Test func `frames between which nothing changes are equal, and those in a change are not`() throws {
    let held = #"{"at": "1", "value": VALUE}, {"at": "2", "value": OTHER}"#
    func changing(_ value: String, _ other: String) -> String {
      "[" + held.replacing("VALUE", with: value).replacing("OTHER", with: other) + "]"
    }
    let layers = """
      {\(Self.box), "frame": [9, 9, 50, 50], "bounds": \(changing("[50, 50]", "[90, 70]")),
       "anchorPoint": \(changing("[0, 0]", "[1, 1]")), "hidden": [{"at": "0", "value": false}, {"at": "3", "value": true}],
       "layers": [{"text": "ab", "font": "Sans", "frame": [0, 0, 40, 40], "size": \(changing("20", "30")),
         "color": \(changing("[1, 1, 1]", "[0, 0, 0]")), "zPosition": \(changing("0", "1"))}]}
      """
    let edit = try edit(layers)
    func scene(_ index: Int) throws -> [Scene.Node] {
      try edit.scene(at: index).nodes.filter { if case .still = $0 { true } else { false } }
    }
    for index in 1...10 { #expect(try scene(index) == scene(0)) }
    for index in 11...20 { #expect(try scene(index) != scene(index - 1)) }
    for index in 21..<30 { #expect(try scene(index) == scene(20)) }
    for index in 31..<40 { #expect(try scene(index) == scene(30) && scene(index).isEmpty) }
  }

  // MARK: - Faults

  private static let taller = #""bounds": [{"at": "0", "value": [9, 9]}, {"at": "4", "value": [9, 17]}]"#

  @Test(arguments: [
    (#""bounds": [30, 20]"#, "layers[0].bounds: is the size of a layer that has a \"frame\""),
    (#""frame": [0, 0, 9, 9], "bounds": [{"at": "0", "value": [-1, 2]}]"#, "layers[0].bounds[0].value"),
    (#""hidden": [{"at": "0", "value": true, "easing": "easeIn"}]"#, "layers[0].hidden[0]: being hidden or not does not move"),
    (#""hidden": []"#, "layers[0].hidden: needs a keyframe"), (#""hidden": 1"#, "layers[0].hidden"),
    (
      #""origin": "bottomLeft", "frame": [0, 0, 9, 9], \#(taller), "layers": [{"borderWidth": 1, "frame": [0, 0, 2, 2], "clock": {"speed": 2}}]"#,
      "layers[0].layers[0]: counts from the bottom left of a layer whose height changes"
    ),
    (
      #""origin": "bottomLeft", "frame": [0, 0, 9, 9], \#(taller), "layers": [{"borderWidth": 1, "motionPath": {"path": "M0,0 L9,9", "progress": 0.5}}]"#,
      "layers[0].layers[0]: counts from the bottom left of a layer whose height changes"
    ),
    (
      #""origin": "bottomLeft", "frame": [0, 0, 9, 9], \#(taller), "layers": [{"shape": {"path": "M0,0 L9,9"}, "fillColor": [1, 1, 1]}]"#,
      "layers[0].layers[0]: has a path that counts from the bottom left, and its height changes"
    ),
  ])
  func `what cannot change is refused`(keys: String, fault: String) throws {
    let faults = try #require(throws: DocumentFaults.self) {
      try Timeline.parse(Self.document("{\(Self.box), \(keys)}"))
    }
    #expect("\(faults)".contains(fault), "\(faults)")
  }

  @Test func `places from the bottom left turn with the anchor point, and a width may change there`() throws {
    let anchors = #""anchorPoint": [{"at": "0", "value": [0, 0]}, {"at": "4", "value": [0, 1]}]"#
    let wider = #""bounds": [{"at": "0", "value": [40, 20]}, {"at": "4", "value": [80, 20]}]"#
    let inner = #""layers": [{\#(Self.box), "frame": [0, 0, 4, 4]}]"#
    let layer = #"{\#(Self.box), "origin": "bottomLeft", "frame": [0, 0, 40, 20], \#(anchors), \#(wider), \#(inner)}"#
    // At last the top lies at the bottom of the picture.
    expect(try stills(layer, at: 40)[0].map, takes: .zero, to: Point(0, 360))
    expect(try stills(layer, at: 0)[1].map, takes: .zero, to: Point(0, 356))
  }

  @Test func `what counts from the bottom left keeps its distance from a bottom that moves`() throws {
    let taller = #""bounds": [{"at": "0", "value": [40, 20]}, {"at": "4", "value": [40, 60]}]"#
    func layer(_ inner: String, _ size: String) -> String {
      #"{\#(Self.box), "origin": "bottomLeft", "frame": [0, 0, 40, 20], "anchorPoint": [0, 0], \#(size), "layers": [{\#(Self.box), \#(inner)}]}"#
    }
    // The layer's own bottom stays at the picture's, 360, and its top rises.
    let framed = layer(#""frame": [0, 3, 4, 4]"#, taller)
    for (index, corner) in [(0, 353.0), (20, 353), (40, 353)] {
      expect(try stills(framed, at: index)[1].map, takes: .zero, to: Point(0, corner))
    }
    let rising = #""frame": [0, 0, 4, 4], "position": [{"at": "0", "value": [2, 5]}, {"at": "4", "value": [2, 25]}]"#
    for (index, corner) in [(0, 353.0), (20, 343), (40, 333)] {
      expect(try stills(layer(rising, taller), at: index)[1].map, takes: .zero, to: Point(0, corner))
    }
    // Without a frame it fills the layer at every moment.
    for index in [0, 20, 40] {
      expect(try stills(layer(#""opacity": 0.5"#, taller), at: index)[1].map, takes: .zero, to: Point(0, 340 - Double(index)))
    }
    let constant = layer(#""frame": [0, 3, 4, 4]"#, #""bounds": [40, 60]"#)
    expect(try stills(constant, at: 20)[1].map, takes: .zero, to: Point(0, 353))
  }
}
