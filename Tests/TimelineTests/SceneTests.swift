import EditTesting
import Document
import FarmTesting
import Formats
import MediaTime
import Scenes
import Testing
import Timeline

@Suite struct `What a frame shows` {
  private func opening(_ old: String = "", _ new: String = "") throws -> ResolvedTimeline {
    let document = old.isEmpty ? Documents.opening : Documents.opening.replacing(old, with: new)
    return try Timeline.parse(Array(document.utf8)).resolved(with: Assets.opening())
  }

  private typealias Layer = (picture: Scene.Picture, placement: Scene.Placement)

  private func layers(_ scene: Scene) -> [Layer] {
    scene.nodes.compactMap { if case .picture(let picture, let placement) = $0 { (picture, placement) } else { nil } }
  }

  private typealias Passage = (from: [Scene.Node], to: [Scene.Node], progress: Double)

  private func transition(_ scene: Scene) throws -> Passage {
    guard case .transition(_, let from, let to, let progress)? = scene.nodes.first else { throw NoTransition() }
    return (from, to, progress)
  }

  private struct NoTransition: Error {}

  @Test func `frame i stands at i frame durations`() throws {
    let edit = try opening()
    for index in [0, 1, 149, 299] { #expect(try edit.time(ofFrame: index) == MediaTime(1001, 30_000) * Int64(index)) }
  }

  @Test func `the source time counts from the segment's source`() throws {
    let (picture, placement) = try #require(layers(opening().scene(at: 30)).first)
    #expect(try picture.time == Rational(MediaTime(2)) + Rational(MediaTime(1001, 1000)))
    #expect(picture.source == SegmentSource(asset: AssetID("bikes")))
    #expect(placement.crop == Rect(0, 0, 640, 360))
  }

  @Test func `a crop stays where it was, what is cut out is laid into the frame`() throws {
    // The picture is as large as the frame, and this is its lower right quarter.
    let quarter = #"[640, 360, 640, 360]"#
    func transform(_ layer: String) throws -> (Rect?, AffineTransform) {
      let edit = try opening(#"{"track": "A", "crop": [0, 0, 640, 360]}"#, #"{"track": "A", \#(layer)}"#)
      let placement = try #require(layers(edit.scene(at: 30)).first).placement
      return (placement.crop, placement.transform)
    }
    let part = Rect(640, 360, 640, 360)
    #expect(try transform(#""crop": \#(quarter), "gravity": "resizeAspectFill""#) == (part, .identity))
    #expect(try transform(#""cropTo": \#(quarter)"#) == (part, AffineTransform(1, 0, 0, 1, -640, -360)))
    #expect(
      try transform(#""cropTo": \#(quarter), "gravity": "resizeAspectFill""#) == (part, AffineTransform(2, 0, 0, 2, -1280, -720)))
    let moved = #", "transform": [0.5, 0, 0, 0.5, 10, 20]"#
    #expect(
      try transform(#""cropTo": \#(quarter), "gravity": "resize"\#(moved)"#) == (part, AffineTransform(1, 0, 0, 1, -630, -340)))
  }

  @Test func `what is cut out may move: before its first keyframe it is the whole picture`() throws {
    let keys =
      #""cropTo": [{"at": "2", "value": [0, 0, 1280, 720]}, {"at": "4", "value": [640, 360, 640, 360]}], "gravity": "resize""#
    let edit = try opening(#"{"track": "A", "crop": [0, 0, 640, 360]}"#, #"{"track": "A", \#(keys)}"#)
      .timeline
    var slow = edit
    slow.videoComposition?.frameDuration = try MediaTime(1)
    let resolved = try slow.resolved(with: Assets.opening())
    let seen = try (0...4).map { try #require(layers(resolved.scene(at: $0)).first).placement }
    #expect(seen[1].crop == nil && seen[1].transform == .identity)
    #expect(seen[3].crop == Rect(320, 180, 960, 540))
    // The corners of the part are at the corners of the frame.
    let (left, top) = seen[3].transform.apply(320, 180)
    let (right, bottom) = seen[3].transform.apply(1280, 720)
    #expect(abs(left) + abs(top) + abs(right - 1280) + abs(bottom - 720) < 1e-9)
  }

  @Test func `instructions change at their border: frame 149 is before 5 s, frame 150 after`() throws {
    let edit = try opening()
    #expect(throws: NoTransition.self) { try transition(edit.scene(at: 149)) }
    let scene = try edit.scene(at: 150)
    #expect(scene.pictures.map(\.source.description) == ["bikes", "bunny"])
    let (from, to, progress) = try transition(scene)
    #expect((from.count, to.count) == (1, 1))
    #expect(abs(progress - 0.005) < 1e-12)
  }

  @Test func `a frame at a border belongs to what begins there`() throws {
    let edit = try opening("\"1001/30000\"", "\"1/25\"")
    #expect(try transition(edit.scene(at: 125)).progress == 0)
    #expect(try layers(edit.scene(at: 150)).map(\.picture.source.description) == ["bunny"])
  }

  @Test func `a transition's progress goes by its easing, and stays at the end where that overshoots`() throws {
    func progress(_ easing: String, at index: Int) throws -> Double {
      let edit = try opening("\"kind\": \"dissolve\"", "\"kind\": \"dissolve\", \"easing\": \(easing)")
      return try transition(edit.scene(at: index)).progress
    }
    #expect(try abs(progress("\"easeInOut\"", at: 150) - 0.00006) < 0.00002)
    #expect(try progress("\"easeIn\"", at: 165) < 0.4 && progress("\"easeOut\"", at: 165) > 0.6)
    #expect(try progress("[0.2, -3, 0.8, 4]", at: 155) == 0)
    #expect(try progress("[0.2, -3, 0.8, 4]", at: 175) == 1)
  }

  @Test func `a ramp is taken at the frame's time`() throws {
    let edit = try opening("\"1001/30000\"", "\"1/25\"")
    #expect(try layers(edit.scene(at: 225)).map(\.placement.opacity) == [1])
    #expect(try layers(edit.scene(at: 240)).map(\.placement.opacity) == [0.4])
  }

  @Test func `layers are seen from their start until before their end`() throws {
    let edit = try opening("\"1001/30000\"", "\"1/25\"")
    let image = Scene.Drawing(.image(ImageContent(asset: AssetID("logo"))), size: Point(96, 96))
    let logo = Scene.Node.still(
      Scene.Still(image, map: .translation(24, 24), opacity: 0.9), Scene.Placement())
    let text = TextContent(string: "歌詞", fonts: ["Noto Sans CJK JP"], language: "ja", size: 48)
    let lyrics = Scene.Drawing(.text(text, inLowerThird: true), size: Point(1280, 720))
    let both = [logo, .still(Scene.Still(lyrics), Scene.Placement())]
    let stills = try [24, 25, 99, 100].map { try Array(edit.scene(at: $0).nodes.dropFirst()) }
    #expect(stills == [[logo], both, both, [logo]])
  }

  @Test func `the first layer instruction is topmost, invisible ones and gaps are left out`() throws {
    let edit = try opening(
      "[{\"track\": \"A\", \"crop\": [0, 0, 640, 360]}]",
      "[{\"track\": \"A\"}, \"B\", {\"track\": \"A\", \"opacity\": 0}, {\"track\": \"A\", \"opacity\": 0.5}]")
    #expect(try layers(edit.scene(at: 0)).map(\.placement.opacity) == [0.5, 1])
  }

  @Test func `an exported part starts on its own grid`() throws {
    let edit = try opening("\"mp4\"", "\"mp4\", \"timeRange\": {\"start\": \"2.01\", \"duration\": \"1\"}")
    #expect(try edit.frameCount == 30)
    #expect(try edit.time(ofFrame: 1) == MediaTime(201, 100) + MediaTime(1001, 30_000))
    #expect(try layers(edit.scene(at: 1)).map(\.picture.time) == [Rational(edit.time(ofFrame: 1)) + Rational(2)])
  }

  @Test(arguments: [11, 12] as [UInt64])
  func `a scene depends on its index alone`(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    let edit = try opening()
    let inOrder = try (0..<300).map { try edit.scene(at: $0) }
    for index in (0..<300).shuffled(using: &random) { #expect(try edit.scene(at: index) == inOrder[index]) }
    let again = try Timeline.parse(edit.timeline.canonicalJSON()).resolved(with: Assets.opening())
    #expect(try (0..<300).map { try again.scene(at: $0) } == inOrder)
  }

  @Test func `in an edit of ten thousand clips each frame is found at its own clip`() throws {
    var track = CompositionTrack(id: TrackID("V"), media: .video)
    var instructions: [Instruction] = []
    for clip in 0..<10_000 as Range<Int64> {
      let source = try MediaTimeRange(start: MediaTime(clip % 50), duration: MediaTime(1))
      try track.append(source, of: SegmentSource(asset: AssetID("v")))
      instructions.append(
        Instruction(
          timeRange: try MediaTimeRange(start: MediaTime(clip), duration: MediaTime(1)),
          content: .layerInstructions([LayerInstruction(track: track.id)])))
    }
    let timeline = Timeline(
      assets: [AssetID("v"): Asset(path: "v.mp4")], composition: Composition(tracks: [track]),
      videoComposition: VideoComposition(
        renderSize: PixelSize(64, 64), frameDuration: try MediaTime(1, 2), instructions: instructions))
    let edit = try timeline.resolved(with: [AssetID("v"): Assets.movie()])
    for index in stride(from: 0, to: 20_000, by: 13) {
      let expected = try Rational(MediaTime(Int64(index / 2 % 50))) + Rational(MediaTime(Int64(index % 2), 2))
      #expect(try layers(edit.scene(at: index)).map(\.picture.time) == [expected])
    }
  }

  @Test(
    arguments: [
      (Gravity.none, [0, 0, 1, 1]), (.resize, [0, 0, 0.5, 2]), (.resizeAspect, [0, 270, 0.5, 0.5]),
      (.resizeAspectFill, [-1440, 0, 2, 2]),
    ] as [(Gravity, [Double])])
  func `gravity lays a picture into the frame`(gravity: Gravity, expected: [Double]) {
    let placement = gravity.placement(of: PixelSize(1920, 360), in: Rect(PixelSize(960, 720)))
    #expect([placement.tx, placement.ty, placement.a, placement.d] == expected)
  }

  @Test func `gravity comes before the transform`() throws {
    let edit = try opening("\"crop\": [0, 0, 640, 360]", "\"gravity\": \"resize\", \"transform\": [0.5, 0, 0, 0.5, 100, 50]")
    let placement = try #require(layers(edit.scene(at: 0)).first).placement
    #expect(placement.transform == AffineTransform(0.5, 0, 0, 0.5, 100, 50))
    let point = placement.transform.apply(200, 100)
    #expect((point.x, point.y) == (200, 100))
  }
}
