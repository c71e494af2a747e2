import FarmTesting
import Media
import MediaTime
import Messages
import Rendering
import Scenes
import SpoolCompositing
import Testing

/// Compares frames that are found to be the same as the one before with frames that were each rendered alone.
@Suite struct `Scenes that are rendered` {
  private let workshop = Workshop()

  private init() throws {
    try workshop.clip("a.mp4", frameRate: "10", frameCount: 30)
    try SyntheticSource(width: 96, height: 64, frameRate: "30000/1001", frameCount: 40).write(
      to: workshop.file("fields.ts"),
      ["-vf", "tinterlace=interleave_top", "-c:v", "mpeg2video", "-q:v", "2", "-flags", "+ilme+ildct", "-top", "1"])
    try SyntheticSource(width: 160, height: 128, frameRate: "24000/1001", frameCount: 48).write(
      to: workshop.file("film.ts"),
      [
        "-vf", "telecine=first_field=top:pattern=23", "-field_order", "tt", "-c:v", "mpeg2video", "-q:v", "2", "-flags",
        "+ilme+ildct", "-top", "1",
      ])
    try SyntheticSource(width: 64, height: 64, frameCount: 1).write(to: workshop.file("still.png"), [])
  }

  private static let assets = """
    "a": {"path": "a.mp4"}, "fields": {"path": "fields.ts"}, "film": {"path": "film.ts", "interlace": "inverseTelecine"},
    "still": {"path": "still.png"}
    """

  private func edit(_ rest: String) throws -> ResolvedTimeline {
    try workshop.edit(#"{"spool": 1, "assets": {\#(Self.assets)}, \#(rest), "export": {"preset": "lossless"}}"#)
  }

  private func renderer(_ edit: ResolvedTimeline) -> PictureRenderer {
    PictureRenderer(
      edit: edit, policy: workshop.policy,
      compositing: CustomCompositing(registry: CompositorRegistry(of: [Tally.self]), cancellation: Cancellation()))
  }

  /// An edit of a second and a half with all kinds of content. The seed decides speeds and places.
  private func randomEdit(_ random: inout SeededRandom) throws -> ResolvedTimeline {
    func pick(_ choices: [String]) -> String { choices[Int.random(in: choices.indices, using: &random)] }
    func segment() -> String {
      let (asset, start, length) = (
        pick(["a", "a", "fields", "film"]), pick(["0", "0.1", "0.36"]), pick(["0.25", "0.4", "0.5", "0"])
      )
      let way = length == "0" ? "" : pick(["", #", "reversed": true"#])
      return #"{"asset": "\#(asset)", "source": {"start": "\#(start)", "duration": "\#(length)"}, "duration": "0.5"\#(way)}"#
    }
    func track(_ id: String, _ segments: [String]) -> String {
      #"{"id": "\#(id)", "media": "video", "segments": [\#(segments.joined(separator: ", "))]}"#
    }
    func layer(_ track: String) -> String {
      let more = pick([
        "", #", "opacity": 0.5"#, #", "opacity": [{"at": "0.6", "value": 0.5}, {"at": "0.7", "value": 1}]"#,
        #", "gravity": "resize""#,
        #", "transform": [0.5, 0.25, -0.25, 0.5, 20, 4]"#, #", "crop": [8, 8, 40, 40]"#,
      ])
      return #"{"track": "\#(track)"\#(more)}"#
    }
    func instruction(_ start: String) -> String {
      let (a, b, kind, tweening) = (layer("A"), layer("B"), pick(["dissolve", "push", "irisWipe"]), pick(["true", "false"]))
      let tally = #""name": "tally", "requiredTracks": ["A", "B"], "parameters": {"counter": "scenes"}"#
      let content = pick([
        #""layerInstructions": [\#(a), \#(b)]"#, #""layerInstructions": [\#(a)]"#,
        #""transition": {"kind": "\#(kind)", "from": "A", "to": \#(b)}"#,
        #""transition": {"kind": "lumaWipe", "map": "still", "from": "A", "to": \#(b)}"#,
        #""compositor": {\#(tally), "containsTweening": \#(tweening)}"#,
      ])
      return #"{"timeRange": {"start": "\#(start)", "duration": "0.5"}, "background": [0.1, 0.2, 0.3], \#(content)}"#
    }
    let instructions = ["0", "0.5", "1"].map(instruction).joined(separator: ", ")
    func picture(_ rate: String) -> String {
      let (scale, blending) = (pick(["1", "0.5"]), pick(["encoded", "linear"]))
      return """
        "videoComposition": {"renderSize": [96, 64], "renderScale": \(scale), "frameDuration": "1/\(rate)", "color": "bt709",
          "blending": "\(blending)", "instructions": [\(instructions)]}
        """
    }
    let moment = pick([#""opacity": [{"at": "0.2", "value": 0.5}, {"at": "0.4", "value": 1}]"#, #""from": "0.5""#])
    let place = pick([
      #""frame": [30, 20, 40, 30]"#,
      #""frame": [30, 20, 40, 30], "rotation": [{"at": "0", "value": 0}, {"at": "1", "value": 50}]"#,
    ])
    let moving = pick([
      "", #", {"track": "B", \#(place), "opacity": 0.5}"#,
      #", {"video": true, \#(place), "masksToBounds": true, "cornerRadius": 9}"#,
      #", {"track": "A", \#(place), "blendMode": "screen"}"#,
      #", {"image": "still", \#(place), "contentsRect": [{"at": "0", "value": [0, 0, 0.5, 0.5]}, {"at": "1", "value": [0.5, 0, 0.5, 1]}]}"#,
    ])
    let layers = """
      "layers": [{"image": "still", "frame": [4, 4, 20, 20], "opacity": 0.75},
        {"text": "x", "font": "DejaVu Sans", "size": 24, \(moment)}\(moving)]
      """
    func segments() -> [String] { (0..<3).map { _ in segment() } }
    let inner = [track("A", segments()), track("B", segments())]
    let nested = #"{"composition": "n", "source": {"start": "0", "duration": "0.75"}, "duration": "1.5"}"#
    let outer = [track("A", segments()), track("B", [pick([nested, segment()])])]
    return try edit(
      """
      "compositions": {"n": {"tracks": [\(inner.joined(separator: ", "))], \(picture("12")), \(layers)}},
      "composition": {"tracks": [\(outer.joined(separator: ", "))]}, \(picture("25")), \(layers)
      """)
  }

  @Test(arguments: 0..<12 as Range<UInt64>)
  func `of random edits, frames are those that each would be alone, whatever came before them`(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    let edit = try randomEdit(&random)
    let count = try edit.frameCount
    let alone = try (0..<count).map { try renderer(edit).frame($0).md5() }
    let ahead = renderer(edit)
    let inOrder = try (0..<count).map { try ahead.frame($0).md5() }
    #expect((0..<count).filter { inOrder[$0] != alone[$0] } == [], "seed \(seed), in order")
    let anyhow = renderer(edit)
    for index in (0..<count).shuffled(using: &random) {
      #expect(try anyhow.frame(index).md5() == alone[index], "seed \(seed), frame \(index)")
    }
  }

  @Test(arguments: 0..<3 as Range<UInt64>)
  func `of random edits, movies do not depend on the number of chunks`(seed: UInt64) throws {
    var random = SeededRandom(seed: 100 + seed)
    let edit = try randomEdit(&random)
    let count = try edit.frameCount
    let ahead = renderer(edit)
    let frames = try (0..<count).map { try ahead.frame($0).md5() }
    for chunks in [1, 3, 7] {
      var parts: [String] = []
      for chunk in 0..<chunks {
        let part = renderer(edit)
        parts += try (chunk * count / chunks..<(chunk + 1) * count / chunks).map { try part.frame($0).md5() }
      }
      #expect(parts == frames, "seed \(seed), \(chunks) chunks")
    }
  }

  @Test func `a frame that shows what the one before showed is the same buffer, within nested edits, too`() throws {
    let inner =
      #""tracks": [{"id": "N", "media": "video", "segments": [{"asset": "a", "source": {"start": "0", "duration": "1"}}]}]"#
    let text = #""layers": [{"text": "x", "font": "DejaVu Sans", "size": 24}]"#
    let edit = try edit(
      """
      "compositions": {"n": {\(inner), "videoComposition": {"renderSize": [96, 64], "frameDuration": "1/40", "color": "bt709"}, \(text)}},
      "composition": {"tracks": [{"id": "V", "media": "video", "segments": [{"composition": "n", "source": {"start": "0", "duration": "1"}}]}]},
      "videoComposition": {"renderSize": [96, 64], "frameDuration": "1/20", "color": "bt709"}, \(text)
      """)
    let renderer = renderer(edit)
    let frames = try (0..<20).map { try renderer.frame($0) }
    // The clip has 10 frames a second.
    for index in 1..<20 { #expect((frames[index] === frames[index - 1]) == !index.isMultiple(of: 2), "frame \(index)") }
  }

  @Test func `a compositor's frame fills the frame, whatever it is scaled to`() throws {
    func frame(_ scale: String, _ content: String) throws -> ContentDigest {
      let edit = try edit(
        """
        "composition": {"tracks": [{"id": "A", "media": "video", "segments": [{"asset": "a", "source": {"start": "0", "duration": "1"}}]}]},
        "videoComposition": {"renderSize": [96, 64], "renderScale": \(scale), "frameDuration": "1/10", "color": "bt709", "instructions": [
          {"timeRange": {"start": "0", "duration": "1"}, \(content)}]}
        """)
      let renderer = PictureRenderer(
        edit: edit, policy: workshop.policy,
        compositing: CustomCompositing(registry: CompositorRegistry(of: [Giver.self]), cancellation: Cancellation()))
      return try renderer.frame(3).contentDigest()
    }
    let given = #""compositor": {"name": "give", "requiredTracks": ["A"]}"#
    for scale in ["1", "0.5"] {
      #expect(try frame(scale, given) == frame(scale, #""layerInstructions": ["A"]"#), "scale \(scale)")
    }
  }
}
