import EditTesting
import Document
import FarmTesting
import Formats
import MediaTime
import Scenes
import Testing
import Timeline

@Suite struct `Scenes as bytes` {
  // MARK: - Samples

  /// Scenes that together have everything that a scene may have.
  private static func samples() throws -> [Scene] {
    var scenes = try handmade()
    for (name, text) in try Examples.documents() {
      let edit = try Examples.edit(text)
      let count = try edit.frameCount
      // A document of a thousand clips shows the same kinds as a short one.
      for index in Set([0, 1, count / 3, count / 2, count - 1]) where count > 0 && name != "thousand.json" {
        scenes.append(try edit.scene(at: index))
      }
    }
    return try scenes + random()
  }

  private static func random() throws -> [Scene] {
    let tracks = try (0..<8).map { index in
      let picture = Assets.video(size: PixelSize(640, 360), rate: MediaTime(seconds: 25), color: .bt709)
      let sound = AudioFacts(sampleRate: 48_000, channelCount: 2, channelLayout: "stereo")
      return try Assets.track(index, index < 4 ? .video(picture) : .audio(sound), 500)
    }
    // Layers show it as a still picture, and tracks play it.
    let facts = AssetFacts(container: AssetFacts.animatedWebP, duration: try MediaTime(500), byteCount: 1, tracks: tracks)
    let assets = [AssetID("a"): facts, AssetID("b \"é\n"): facts, AssetID("c"): facts]
    return try (0..<200 as Range<UInt64>).flatMap { seed -> [Scene] in
      var random = RandomEdit(seed: seed)
      let timeline = try Timeline.parse(random.timeline().canonicalJSON())
      // Most random edits contradict their media. They are passed over.
      guard let edit = try? timeline.resolved(with: assets), let count = try? edit.frameCount, count > 0 else { return [] }
      return try Set([0, count / 3, count / 2, count - 1]).map { try edit.scene(at: $0) }
    }
  }

  /// A scene with the facts and the values that edits seldom have.
  private static func handmade() throws -> [Scene] {
    var video = Assets.video(
      size: PixelSize(720, 576), rate: MediaTime(seconds: 25), base: MediaTime(seconds: 50), color: .bt2020PQ, alpha: .straight)
    (video.cleanAperture, video.dynamicHDR) = (Rect(1, 2, 700, 570), [.hdr10Plus, .dolbyVision])
    (video.fieldOrder, video.repeatedFields) = (.topFirst, RepeatedFields(count: 2, pictures: 5))
    video.hdrMetadata = HDRMetadata(
      masteringDisplay: MasteringDisplay(
        red: SIMD2(0.7, 0.3), green: SIMD2(0.2, 0.8), blue: SIMD2(0.1, 0.1), white: SIMD2(0.3, 0.3), luminance: 0.1...1000),
      contentLight: ContentLight(maximum: 1000, frameAverage: 400))
    let clip = Scene.Clip(
      AssetID("a"), trackPosition: 1, video: video, treatment: AssetTreatment(damage: .conceal, interlace: .inverseTelecine))
    let picture = Scene.Picture(.clip(clip), path: [TrackID("A")], time: try Rational(1, over: 3), isReversed: true)
    var state = TextState()
    (state.map, state.window, state.blur) = (.scale(2, 3), Rect(0, 0, 1, 1), 0.5)
    state.coats = [TextState.Coat(tints: [TextTint(.white, share: 0.5)], window: Rect(1, 2, 3, 4))]
    let text = Scene.Still(
      Scene.Drawing(.text(TextContent(string: "x", fonts: ["A"], size: 9), inLowerThird: true), size: Point(9, 9)))
    let ellipse = Scene.Still(
      Scene.Drawing(.shape(ShapeContent(outline: .ellipse, fillColor: .white), stroked: .whole), size: Point(9, 9)))
    var pose = TextPose()
    pose.tint = TextTint(.black)
    var looping = TextAnimation(duration: .oneSecond, steps: [.init(0, pose)])
    looping.count = 3
    let motion = TextMotion(
      loop: looping,
      mark: TextMotion.Mark(
        CaptionTrack.Highlight(.white, .fill, animation: looping),
        [TextMotion.Mark.Word(0..<3, try MediaTimeRange(start: .zero, duration: .oneSecond))]))
    var stamped = TextContent(string: "{time}", fonts: ["A"], size: 9)
    stamped.timestamp = Timestamp(date: CalendarDate("2026-11-24T14:03:00"), track: TrackID("A"))
    (stamped.truncation, stamped.maxLines, stamped.runs[0].style.orientation) = (.middle, 2, .upright)
    stamped.runs[0].style.emphasis = TextEmphasis(.character("x"), color: .white)
    (stamped.minimumSize, stamped.lineHeight, stamped.motion) = (4, 12, motion)
    return [
      Scene(
        canvas: Scene.Canvas(
          renderSize: PixelSize(720, 576), outputSize: PixelSize(360, 288), bitDepth: 10, chroma: .yuv444, hasAlpha: true,
          color: .bt2020PQ, toneMap: .hable, blending: .linear), background: RGBAColor(0.1, 0.2, 0.3, alpha: 0.4),
        nodes: [
          .picture(picture, Scene.Placement(crop: Rect(1, 2, 3, 4), projection: Projection(.identity, p: 0.1, q: 0.2, r: 0.3))),
          .movingText(Scene.MovingText(text, motion, at: .states([state, .hidden])), Scene.Placement()),
          .transition(.zoom(.through), from: [.still(ellipse, Scene.Placement())], to: [], progress: 0.5),
          .transition(
            .dip(RGBAColor(0.2, 0.4, 0.6, alpha: 1)), from: [], to: [.still(ellipse, Scene.Placement())], progress: 0.25),
          .still(Scene.Still(Scene.Drawing(.text(stamped, inLowerThird: false), size: Point(9, 9))), Scene.Placement()),
        ]),
      fields(of: .still(ellipse, Scene.Placement())),
    ]
  }

  private static func fields(of node: Scene.Node) -> Scene {
    let canvas = Scene.Canvas(
      renderSize: PixelSize(720, 576), outputSize: PixelSize(720, 576), bitDepth: 8, color: .bt709, toneMap: .hable,
      blending: .encoded)
    let (first, second) = (
      Scene(canvas: canvas, background: .black, nodes: [node]), Scene(canvas: canvas, background: .white, nodes: [])
    )
    let woven = Scene.Woven(first, second, FieldWeave(.bottomFirst, filter: .none))
    return Scene(canvas: canvas, background: .black, nodes: [.woven(woven)])
  }

  // MARK: - Tests

  @Test func `say every stored property of everything in them but the tracks that lead to pictures`() throws {
    var mirror = ValueMirror()
    var count = 0
    for scene in try Self.samples() {
      guard let bytes = try scene.rendition() else { continue }
      #expect(try WrittenValue.all(in: bytes) == [mirror.image(of: scene)])
      count += 1
    }
    #expect(count > 100)
    // An asset that is a font is no clip. What is seen at a moment is not repeated, and nothing is added to it.
    #expect(mirror.neverMet.filter { !$0.hasPrefix("Envelope<") } == ["AssetTreatment.font"])
    #expect(Self.cases.subtracting(mirror.met) == [])
  }

  /// The cases of which the samples need one each.
  private static let cases: Set = [
    "Node.picture", "Node.transition", "Node.still", "Node.movingText", "Node.video", "Node.group", "Node.backdrop",
    "Node.woven",
    "Content.clip", "Content.nested", "Content.image", "Content.text", "Content.shape", "Content.gradient", "Moment.time",
    "Moment.states", "Value.blur", "Value.color", "Value.lumaAsAlpha", "Effect.dissolve", "Effect.dip", "Effect.motion",
    "Effect.zoom", "Effect.blurDissolve", "Effect.wipe", "Wipe.smpte", "Wipe.image", "Outline.rectangle", "Outline.ellipse",
    "Outline.path", "Element.move", "Element.line", "Element.curve", "Element.close", "Extent.frame", "Extent.whole",
  ]

  @Test func `are none where a compositor of the user's own has a part in them`() throws {
    let clip = Scene.Picture(
      .clip(Scene.Clip(AssetID("a"), video: Assets.video(size: PixelSize(2, 2), rate: nil, color: .bt709))), path: [],
      time: Rational(0))
    let document = """
      {"spool": 1, "assets": {"a": {"path": "a.mp4"}},
       "composition": {"tracks": [{"id": "A", "media": "video", "segments": [{"asset": "a", "source": {"start": "0", "duration": "3"}}]}]},
       "videoComposition": {"renderSize": [64, 64], "frameDuration": "1/20", "color": "bt709", "instructions": [
         {"timeRange": {"start": "0", "duration": "3"}, "compositor": {"name": "c", "requiredTracks": ["A"]}}]}}
      """
    let composed = try Timeline.parse(Array(document.utf8)).resolved(with: [AssetID("a"): Assets.movie()]).scene(at: 3)
    func with(_ nodes: [Scene.Node]) -> Scene { Scene(canvas: composed.canvas, background: .black, nodes: nodes) }
    let nested = Scene.Picture(.nested(CompositionID("n"), composed), path: [], time: Rational(0))
    let scenes = [
      composed, with([.picture(nested, Scene.Placement())]), with([.video(composed, Scene.Placement())]),
      with([.group(Scene.Group([.picture(clip, Scene.Placement())], mask: Scene.Mask(composed.nodes, .alpha)))]),
      with([.transition(.dissolve, from: [.picture(nested, Scene.Placement())], to: [], progress: 0)]),
    ]
    for scene in scenes {
      #expect(try scene.rendition() == nil && scene.rendition(sharing: WrittenShares()) == nil)
      #expect(throws: UnwritableValue.self) { try ValueWriter.bytes(of: scene) }
    }
    #expect(try with([.picture(clip, Scene.Placement())]).rendition() != nil)
  }
}
