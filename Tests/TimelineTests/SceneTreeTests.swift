import EditTesting
import Document
import Formats
import MediaTime
import Scenes
import Testing
import Timeline

/// Tests of scenes as whole values: every node, with the values of the moment.
@Suite struct `The tree of a scene` {
  private static let assets = #""a": {"path": "a.mp4"}, "b": {"path": "b.mp4"}, "logo": {"path": "logo.png"}"#
  private static let size = PixelSize(640, 360)

  private static func edit(_ rest: String) throws -> ResolvedTimeline {
    let facts = try [
      AssetID("a"): Assets.movie(size: size), AssetID("b"): Assets.movie(size: size, rate: MediaTime(seconds: 50)),
      AssetID("logo"): Assets.logo(),
    ]
    return try Timeline.parse(Array(#"{"spool": 1, "assets": {\#(assets)}, \#(rest)}"#.utf8)).resolved(with: facts)
  }

  /// Tracks that show both clips for four seconds, each from its 3 s on.
  private static let tracks = """
    "tracks": [
      {"id": "A", "media": "video", "segments": [{"asset": "a", "source": {"start": "3", "duration": "4"}}]},
      {"id": "B", "media": "video", "segments": [{"asset": "b", "source": {"start": "3", "duration": "2"}, "duration": "4"}]}]
    """

  private static func video(_ content: String, more: String = "") -> String {
    """
    "videoComposition": {"renderSize": [640, 360], "frameDuration": "1/10", "color": "bt709", \(more) "instructions": [
      {"timeRange": {"start": "0", "duration": "4"}, "background": "#ff0000", \(content)}]}
    """
  }

  private static func canvas(_ output: PixelSize = size, depth: Int = 8, blending: Blending = .encoded) -> Scene.Canvas {
    Scene.Canvas(
      renderSize: size, outputSize: output, bitDepth: depth, color: .bt709, toneMap: .bt2390, blending: blending)
  }

  private static func clip(
    _ asset: String, path: [String], at time: Rational, rate: Int64 = 25, reversed: Bool = false
  ) throws -> Scene.Picture {
    let video = Assets.video(size: size, rate: MediaTime(seconds: rate), color: .bt709)
    return Scene.Picture(
      .clip(Scene.Clip(AssetID(asset), video: video)), path: path.map { TrackID($0) }, time: time, isReversed: reversed)
  }

  private static let red = RGBAColor(1, 0, 0)

  @Test func `layers stand bottommost first, each with what it has at the frame's time`() throws {
    let edit = try Self.edit(
      """
      "composition": {\(Self.tracks)}, \(Self.video(
        #""layerInstructions": [{"track": "B", "opacity": [{"at": "0", "value": 0}, {"at": "4", "value": 1}], "cropTo": [0, 0, 320, 180],"#
          + #""gravity": "resize"}, {"track": "A", "transform": [{"at": "0", "value": [1, 0, 0, 1, 0, 0]}, {"at": "4", "value": [3, 0, 0, 1, 0, 8]}]}]"#,
        more: #""renderScale": 0.5, "blending": "linear","#))
      """)
    let expected = try Scene(
      canvas: Self.canvas(PixelSize(320, 180), blending: .linear), background: Self.red,
      nodes: [
        .picture(
          Self.clip("a", path: ["A"], at: Rational(4)), Scene.Placement(transform: AffineTransform(1.5, 0, 0, 1, 0, 2))),
        .picture(
          Self.clip("b", path: ["B"], at: Rational(7, over: 2), rate: 50),
          Scene.Placement(crop: Rect(0, 0, 320, 180), transform: AffineTransform(2, 0, 0, 2, 0, 0), opacity: 0.25)),
      ])
    #expect(try edit.scene(at: 10) == expected)
    // At the first frame nothing of B is visible.
    #expect(try edit.scene(at: 0).nodes == [.picture(Self.clip("a", path: ["A"], at: Rational(3)), Scene.Placement())])
  }

  @Test func `a transition has its sides, and a side that cannot be seen has no node`() throws {
    let edit = try Self.edit(
      """
      "composition": {\(Self.tracks)}, \(Self.video(
        #""transition": {"kind": "lumaWipe", "map": "logo", "easing": "linear", "from": {"track": "A", "opacity": 0}, "to": "B"}"#))
      """)
    let expected = try Scene(
      canvas: Self.canvas(), background: Self.red,
      nodes: [
        .transition(
          .wipe(.image(AssetID("logo")), Transition.WipeEdge()), from: [],
          to: [.picture(Self.clip("b", path: ["B"], at: Rational(9, over: 2), rate: 50), Scene.Placement())], progress: 0.75)
      ])
    #expect(try edit.scene(at: 30) == expected)
    #expect(try edit.scene(at: 30).assets == [AssetID("b"), AssetID("logo")])
  }

  @Test func `stills have the opacity that they keep, and the fade of the moment`() throws {
    let edit = try Self.edit(
      """
      "composition": {\(Self.tracks)}, \(Self.video(#""layerInstructions": []"#)), "layers": [
        {"image": "logo", "opacity": 0.9}, {"text": "x", "font": "DejaVu Sans", "size": 20,
         "opacity": [{"at": "0", "value": 0}, {"at": "2", "value": 1}]},
        {"text": "y", "font": "DejaVu Sans", "size": 20, "from": "0", "to": "1"}]
      """)
    let image = Scene.Drawing(.image(ImageContent(asset: AssetID("logo"))), size: Point(96, 96))
    let logo = Scene.Node.still(Scene.Still(image, opacity: 0.9), Scene.Placement())
    func text(_ string: String, fade: Double) -> Scene.Node {
      let content = TextContent(string: string, fonts: ["DejaVu Sans"], size: 20)
      let drawing = Scene.Drawing(.text(content, inLowerThird: true), size: Point(640, 360))
      return .still(Scene.Still(drawing), Scene.Placement(opacity: fade))
    }
    #expect(try edit.scene(at: 0).nodes == [logo, text("y", fade: 1)])
    #expect(try edit.scene(at: 5).nodes == [logo, text("x", fade: 0.25), text("y", fade: 1)])
    #expect(try edit.scene(at: 30).nodes == [logo, text("x", fade: 1)])
  }

  @Test func `a nested composition is its own scene, and paths lead through it`() throws {
    let edit = try Self.edit(
      """
      "compositions": {"n": {\(Self.tracks), \(Self.video(#""layerInstructions": ["A"]"#, more: #""renderScale": 0.25,"#))}},
      "composition": {"tracks": [{"id": "V", "media": "video", "segments": [
        {"composition": "n", "source": {"start": "1", "duration": "2"}, "duration": "1", "reversed": true}]}]},
      "videoComposition": {"renderSize": [640, 360], "frameDuration": "1/10", "color": "bt709"},
      "export": {"video": {"codec": "h264", "bitDepth": 10}}
      """)
    // The nested composition plays backwards from its 3 s, at twice the speed. At 0.3 s the frame just before its 2.4 s is shown.
    let inner = try Scene(
      canvas: Self.canvas(PixelSize(160, 90), depth: 10), background: Self.red,
      nodes: [.picture(Self.clip("a", path: ["V", "A"], at: Rational(53, over: 10)), Scene.Placement())])
    let nested = Scene.Picture(
      .nested(CompositionID("n"), inner), path: [TrackID("V")], time: try Rational(12, over: 5), isReversed: true)
    let scale = AffineTransform(4, 0, 0, 4, 0, 0)
    let expected = Scene(
      canvas: Self.canvas(depth: 10), background: .black, nodes: [.picture(nested, Scene.Placement(transform: scale))])
    #expect(try edit.scene(at: 3) == expected)
    #expect(try edit.scene(at: 3).assets == [AssetID("a")])
    #expect(try edit.scene(at: 3).pictures.map(\.source) == [.composition(CompositionID("n"))])
  }

  @Test func `what a compositor answers for has its statement and sources, or what passes through`() throws {
    let statement = #""name": "curl", "requiredTracks": ["B", "A"], "parameters": {"radius": 0.1}"#
    let text = #""layers": [{"text": "x", "font": "DejaVu Sans", "size": 20}]"#
    let asked = try Self.edit(#""composition": {\#(Self.tracks)}, \#(Self.video(#""compositor": {\#(statement)}"#)), \#(text)"#)
    let scene = try asked.scene(at: 10)
    guard case .composed(let composed)? = scene.nodes.first, scene.nodes.count == 1 else {
      Issue.record("\(scene.nodes)")
      return
    }
    #expect(composed.statement == asked.compositorUses.first?.statement)
    #expect((composed.statement.name, composed.statement.requiredTracks) == ("curl", [TrackID("B"), TrackID("A")]))
    #expect(composed.statement.traits == CompositorTraits(containsTweening: true, enablePostProcessing: true))
    #expect(String(decoding: composed.statement.parametersJSON, as: UTF8.self) == #"{"radius":0.1}"#)
    #expect(try (composed.time, composed.frameDuration) == (MediaTime(1), MediaTime(1, 10)))
    guard case .request(let sources, let progress) = composed.content else {
      Issue.record("\(composed.content)")
      return
    }
    #expect(sources.map(\.track) == [TrackID("B"), TrackID("A")] && progress == 0.25)
    let pictures = try [
      Self.clip("b", path: ["B"], at: Rational(7, over: 2), rate: 50), Self.clip("a", path: ["A"], at: Rational(4)),
    ]
    #expect(sources.map(\.picture) == pictures && scene.pictures == pictures)
    #expect(composed.stills.count == 1 && scene.asksCompositor && scene.asksCompositorWithin)
    #expect(try !Self.edit(#""composition": {\#(Self.tracks)}"#).scene(at: 0).asksCompositorWithin)
  }

  @Test func `a passthrough picture has its placement, and no node where it cannot be seen`() throws {
    func content(_ layer: String) throws -> Scene.Composed.Content? {
      let compositor = #""compositor": {"name": "curl", "requiredTracks": ["A"], "passthrough": {"track": "A", \#(layer)}}"#
      let scene = try Self.edit(#""composition": {\#(Self.tracks)}, \#(Self.video(compositor))"#).scene(at: 0)
      guard case .composed(let composed)? = scene.nodes.first else { return nil }
      return composed.content
    }
    let clip = try Self.clip("a", path: ["A"], at: Rational(3))
    #expect(try content(#""opacity": 0.5"#) == .passthrough([.picture(clip, Scene.Placement(opacity: 0.5))]))
    #expect(try content(#""opacity": 0"#) == .passthrough([]))
  }
}
