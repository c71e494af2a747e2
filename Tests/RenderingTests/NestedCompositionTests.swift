import FarmTesting
import Media
import MediaTime
import Rendering
import Scenes
import Testing

/// Compares edits within edits with the same edits rendered without loss and used as assets.
@Suite struct `Nested compositions` {
  private static let inner = """
    "tracks": [
      {"id": "A", "media": "video", "segments": [{"asset": "a", "source": {"start": "0.4", "duration": "1.2"}}]},
      {"id": "B", "media": "video", "segments": [{"asset": "b", "source": {"start": "0", "duration": "1"}, "at": "1"}]},
      {"id": "S", "media": "audio", "segments": [{"asset": "s", "source": {"start": "0.5", "duration": "2"}}]}]
    """
  private static let picture = picture(#""kind": "dissolve""#)

  private static func picture(_ transition: String, blending: String = "encoded") -> String {
    """
    "videoComposition": {"renderSize": [96, 64], "frameDuration": "1/25", "color": "bt709", "blending": "\(blending)", "instructions": [
       {"timeRange": {"start": "0", "duration": "1"}, "layerInstructions": [{"track": "A"}]},
       {"timeRange": {"start": "1", "duration": "0.2"}, "transition": {\(transition), "from": {"track": "A"}, "to": {"track": "B"}}},
       {"timeRange": {"start": "1.2", "duration": "0.8"}, "layerInstructions": [{"track": "B", "gravity": "resizeAspectFill"}]}]},
    "audioMix": [{"track": "S", "volume": [{"at": "0", "value": 0}, {"at": "1.5", "value": 0.75, "easing": "easeIn"}, {"at": "2", "value": 0.25}]}]
    """
  }

  private static let assets =
    #""a": {"path": "a.mp4"}, "b": {"path": "b.mp4"}, "s": {"path": "s.wav"}, "rendered": {"path": "inner.mkv"}"#

  /// The outer edit. It plays the source at another speed, backwards, held and cut.
  private static func outer(_ source: String) -> String {
    """
    "composition": {"tracks": [
      {"id": "V", "media": "video", "segments": [
        {\(source), "source": {"start": "0.3", "duration": "1.5"}, "duration": "0.9"},
        {\(source), "source": {"start": "0.25", "duration": "1.75"}, "reversed": true},
        {\(source), "source": {"start": "1.1", "duration": "0"}, "duration": "0.2"}]},
      {"id": "T", "media": "audio", "segments": [
        {\(source), "source": {"start": "0.25", "duration": "1.5"}},
        {\(source), "source": {"start": "0.25", "duration": "1.5"}, "reversed": true}]}]},
    "videoComposition": {"renderSize": [128, 72], "frameDuration": "1001/30000", "color": "bt709", "instructions": [
      {"timeRange": {"start": "0", "duration": "3"}, "layerInstructions": [{"track": "V", "gravity": "resizeAspect"}]}]},
    "export": {"fileType": "mkv", "video": {"codec": "ffv1"}, "audio": {"codec": "pcm"}}
    """
  }

  private let workshop = Workshop()

  private init() throws {
    try workshop.clip("a.mp4", frameCount: 50)
    try workshop.clip("b.mp4", frameRate: "30", frameCount: 40, width: 64, height: 64)
    try MediaTools.ffmpeg([
      "-f", "lavfi", "-i", "aevalsrc='0.4*sin(2*PI*(200+90*t)*t)|0.4*sin(2*PI*(300+50*t)*t)':s=48000:d=3", workshop.file("s.wav"),
    ])
  }

  private func samples(of edit: ResolvedTimeline) throws -> [Float] {
    let mix = try SoundMix(edit: edit, policy: workshop.policy)
    var samples: [Float] = []
    while let block = try mix.next() { unsafe samples += block.samples[0] }
    return samples
  }

  @Test(arguments: [
    picture(#""kind": "dissolve""#), picture(#""kind": "dissolve", "easing": "easeIn""#, blending: "linear"),
    picture(#""kind": "clockWipe", "softness": 0.2, "border": {"width": 0.1}"#),
    picture(#""kind": "push""#, blending: "linear"),
    picture(#""kind": "zoom", "subtype": "through""#), picture(#""kind": "blurDissolve", "easing": "easeOut""#),
  ])
  func `a nested composition is what its rendered movie would be`(picture: String) throws {
    // The inner edit is rendered to a movie. Then the same edit is nested.
    let inner = try workshop.edit(
      """
      {"spool": 1, "assets": {"a": {"path": "a.mp4"}, "b": {"path": "b.mp4"}, "s": {"path": "s.wav"}},
       "composition": {\(Self.inner)}, \(picture), "export": {"fileType": "mkv", "video": {"codec": "ffv1"}, "audio": {"codec": "pcm"}}}
      """)
    _ = try workshop.movie(of: inner, borders: [0, 20], output: "inner.mkv")
    let nested = try workshop.edit(
      """
      {"spool": 1, "assets": {\(Self.assets)}, "compositions": {"n": {\(Self.inner), \(picture)}}, \(Self.outer(#""composition": "n""#))}
      """)
    let rendered = try workshop.edit(#"{"spool": 1, "assets": {\#(Self.assets)}, \#(Self.outer(#""asset": "rendered""#))}"#)

    let count = try nested.frameCount
    #expect(try count == rendered.frameCount)
    let (left, right) = (
      PictureRenderer(edit: nested, policy: workshop.policy), PictureRenderer(edit: rendered, policy: workshop.policy)
    )
    for index in 0..<count { #expect(try left.frame(index).md5() == right.frame(index).md5(), "frame \(index)") }

    // The sound of the movie went through PCM of 16 or more bits.
    let (mixed, expected) = try (samples(of: nested), samples(of: rendered))
    #expect(mixed.count == expected.count)
    #expect(zip(mixed, expected).allSatisfy { abs($0 - $1) < 1e-4 })
  }

  @Test func `nested pictures do not depend on which frames were asked for before`() throws {
    let edit = try workshop.edit(
      """
      {"spool": 1, "assets": {"a": {"path": "a.mp4"}, "b": {"path": "b.mp4"}, "s": {"path": "s.wav"}},
       "compositions": {"n": {\(Self.inner), \(Self.picture)}}, \(Self.outer(#""composition": "n""#))}
      """)
    let renderer = PictureRenderer(edit: edit, policy: workshop.policy)
    let inOrder = try (0..<edit.frameCount).map { try renderer.frame($0).md5() }
    var random = SeededRandom(seed: 1)
    for index in (0..<inOrder.count).shuffled(using: &random) {
      #expect(try renderer.frame(index).md5() == inOrder[index], "frame \(index)")
    }
  }
}
