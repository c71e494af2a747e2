import EditTesting
import Document
import FarmTesting
import Formats
import MediaTime
import Scenes
import Testing
import Timeline

@Suite struct `Scenes that are settled` {
  /// A witness of a track of 10 fps. It shows the last frame whose time is not after the one asked for.
  private static var tenFrames: SceneWitness {
    SceneWitness(shownFrame: { _, picture in
      let frames = try picture.time * Rational(10)
      let index = picture.isReversed ? frames.ceiling - 1 : frames.floor
      return ShownFrame(time: try Rational(max(index, 0), over: 10))
    })
  }

  private func edit(_ segment: String, compositions: String = "", frameDuration: String = "1/20", more: String = "") throws
    -> ResolvedTimeline
  {
    let document = """
      {"spool": 1, "assets": {"a": {"path": "a.mp4"}}, \(compositions)
       "composition": {"tracks": [
         {"id": "A", "media": "video", "segments": [{\(segment)}]},
         {"id": "B", "media": "video", "segments": [{"asset": "a", "source": {"start": "0", "duration": "3"}}]}]},
       "videoComposition": {"renderSize": [64, 64], "frameDuration": "\(frameDuration)", "color": "bt709" \(more)}}
      """
    return try Timeline.parse(Array(document.utf8)).resolved(with: [AssetID("a"): Assets.movie()])
  }

  private static func instruction(_ content: String) -> String {
    #", "instructions": [{"timeRange": {"start": "0", "duration": "3"}, \#(content)}]"#
  }

  /// The indices of the frames that differ from the one before.
  private func changes(_ edit: ResolvedTimeline, _ witness: SceneWitness = tenFrames, upTo count: Int = 12) throws -> [Int] {
    let settled = try (0..<count).map { try edit.scene(at: $0).settled(by: witness) }
    for (a, b) in zip(settled, settled.dropFirst()) where a == b { #expect(a.hashValue == b.hashValue) }
    return settled.indices.dropFirst().filter { settled[$0] != settled[$0 - 1] }
  }

  @Test func `are equal while their clips show the same frames, and only then`() throws {
    // At 20 fps each frame of 10 fps is shown twice, at half the speed four times, and a frozen one always.
    #expect(try changes(edit(#""asset": "a", "source": {"start": "0", "duration": "3"}"#)) == [2, 4, 6, 8, 10])
    #expect(
      try changes(edit(#""asset": "a", "source": {"start": "0", "duration": "1"}, "duration": "2""#)) == [4, 8])
    #expect(try changes(edit(#""asset": "a", "source": {"start": "1", "duration": "0"}, "duration": "2""#)) == [])
    // The clip plays backwards from 3 s. So the frame just before each time is shown.
    #expect(
      try changes(edit(#""asset": "a", "source": {"start": "0", "duration": "3"}, "reversed": true"#)) == [2, 4, 6, 8, 10])
  }

  @Test func `do not depend on the track that leads to a frame`() throws {
    let same = #""asset": "a", "source": {"start": "0", "duration": "3"}"#
    func scene(_ track: String) throws -> Scene {
      try edit(same, more: Self.instruction(#""layerInstructions": ["\#(track)"]"#)).scene(at: 4)
    }
    let (a, b) = try (scene("A"), scene("B"))
    #expect(a != b)
    #expect(try a.settled(by: Self.tenFrames) == b.settled(by: Self.tenFrames))
  }

  @Test func `differ in what moves over a frozen picture`() throws {
    let frozen = #""asset": "a", "source": {"start": "1", "duration": "0"}, "duration": "3""#
    let moving = #"{"track": "A", "opacity": [{"at": "0.2", "value": 1}, {"at": "0.4", "value": 0.5}]}"#
    #expect(try changes(edit(frozen, more: Self.instruction(#""layerInstructions": [\#(moving)]"#))) == [5, 6, 7, 8])
    let passage = #""transition": {"kind": "dissolve", "from": "A", "to": "A"}"#
    #expect(try changes(edit(frozen, more: Self.instruction(passage))) == Array(1..<12))
  }

  @Test func `go by the frames of nested scenes, not by when they are asked for`() throws {
    let inner =
      #""tracks": [{"id": "N", "media": "video", "segments": [{"asset": "a", "source": {"start": "0", "duration": "3"}}]}]"#
    func nested(_ rate: String) -> String {
      #""compositions": {"n": {\#(inner), "videoComposition": {"renderSize": [64, 64], "frameDuration": "\#(rate)", "color": "bt709"}}},"#
    }
    let segment = #""composition": "n", "source": {"start": "0", "duration": "3"}"#
    #expect(try changes(edit(segment, compositions: nested("1/5"))) == [4, 8])
    #expect(try changes(edit(segment, compositions: nested("1/20"))) == [2, 4, 6, 8, 10])
  }

  @Test func `of a compositor differ by its time only where it tweens, whoever says so`() throws {
    func changes(document: Bool, type: Bool?) throws -> [Int] {
      let compositor = #""compositor": {"name": "c", "requiredTracks": ["B"], "containsTweening": \#(document)}"#
      let edit = try edit(#""asset": "a", "source": {"start": "0", "duration": "3"}"#, more: Self.instruction(compositor))
      guard let type else { return try self.changes(edit) }
      let witness = SceneWitness(
        shownFrame: Self.tenFrames.shownFrame,
        traits: { _, _ in CompositorTraits(containsTweening: type, enablePostProcessing: true) })
      return try self.changes(edit, witness)
    }
    #expect(try changes(document: false, type: nil) == [2, 4, 6, 8, 10])
    #expect(try changes(document: true, type: nil) == Array(1..<12))
    #expect(try changes(document: true, type: false) == [2, 4, 6, 8, 10])
    #expect(try changes(document: false, type: true) == Array(1..<12))
  }

  @Test func `have no stills that a compositor's instruction declines`() throws {
    let compositor = #""compositor": {"name": "c", "requiredTracks": ["B"], "containsTweening": false}"#
    let document = """
      {"spool": 1, "assets": {"a": {"path": "a.mp4"}, "logo": {"path": "logo.png"}},
       "composition": {"tracks": [{"id": "B", "media": "video", "segments": [{"asset": "a", "source": {"start": "0", "duration": "3"}}]}]},
       "videoComposition": {"renderSize": [64, 64], "frameDuration": "1/20", "color": "bt709" \(Self.instruction(compositor))},
       "layers": [{"image": "logo", "opacity": [{"at": "0", "value": 0.5}, {"at": "1", "value": 1}]}]}
      """
    let edit = try Timeline.parse(Array(document.utf8)).resolved(
      with: [AssetID("a"): Assets.movie(), AssetID("logo"): Assets.logo()])
    func witness(_ processes: Bool) -> SceneWitness {
      SceneWitness(
        shownFrame: Self.tenFrames.shownFrame,
        traits: { _, _ in CompositorTraits(containsTweening: false, enablePostProcessing: processes) })
    }
    #expect(try edit.scene(at: 0).settled(by: witness(true)).stillAssets == [AssetID("logo")])
    #expect(try edit.scene(at: 0).settled(by: witness(false)).stillAssets == [])
    #expect(try changes(edit, witness(true)) == Array(1..<12))
    #expect(try changes(edit, witness(false)) == [2, 4, 6, 8, 10])
  }

  @Test func `differ where a time was guessed and where it was not`() throws {
    let scene = try edit(#""asset": "a", "source": {"start": "0", "duration": "3"}"#).scene(at: 0)
    let settled = try [false, true].map { guessed in
      try scene.settled(by: SceneWitness(shownFrame: { _, _ in ShownFrame(time: Rational(0), isGuessed: guessed) }))
    }
    #expect(settled[0] != settled[1])
  }

  @Test func `of random edits are equal when the scenes are, and ask for each clip once, in order`() throws {
    // The asset is of a kind that may be played, and may also stand as a still picture.
    let facts = try AssetFacts(
      container: AssetFacts.animatedWebP, duration: MediaTime(500), byteCount: 1,
      tracks: (0..<8).map { index in
        let size = PixelSize(640, 360)
        let picture = Assets.video(size: size, rate: MediaTime(seconds: 25), color: .bt709)
        let sound = AudioFacts(sampleRate: 48_000, channelCount: 2, channelLayout: "stereo")
        return try Assets.track(index, index < 4 ? .video(picture) : .audio(sound), 500)
      })
    let assets = [AssetID("a"): facts, AssetID("b \"é\n"): facts, AssetID("c"): facts]
    var clips = 0
    for seed in 0..<300 as Range<UInt64> {
      var random = RandomEdit(seed: seed)
      let timeline = try Timeline.parse(random.timeline().canonicalJSON())
      // Most random edits contradict their media. They are passed over.
      guard let edit = try? timeline.resolved(with: assets), let count = try? edit.frameCount, count > 0 else { continue }
      for index in Set([0, count / 3, count / 2, count - 1]) {
        let scene = try edit.scene(at: index)
        var asked: [Scene.Picture] = []
        // The states of texts that move are measured with their fonts, which is not asked here.
        let witness = SceneWitness(
          shownFrame: { _, picture in
            asked.append(picture)
            return ShownFrame(time: picture.time)
          }, textStates: { _ in [] })
        let settled = try scene.settled(by: witness)
        #expect(asked == scene.clips, "seed \(seed), frame \(index)")
        #expect(try edit.scene(at: index).settled(by: witness) == settled, "seed \(seed), frame \(index)")
        clips += scene.clips.count
      }
    }
    #expect(clips > 50)
  }
}

extension Scene {
  fileprivate var clips: [Picture] {
    pictures.flatMap { if case .nested(_, let scene) = $0.content { scene.clips } else { [$0] } }
  }
}
