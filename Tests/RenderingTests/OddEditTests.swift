import FarmTesting
import Media
import Rendering
import Testing

/// Tests of edits that are valid, but that nobody is likely to mean.
@Suite struct `Odd edits` {
  private let workshop = Workshop()

  init() throws { try workshop.clip("a.mp4", frameCount: 25) }

  /// The digests of the frames of an edit of 0.8 s at 25 frames a second.
  private func frames(
    _ layers: String, instructions: String? = nil, stills: String = "", size: String = "[96, 64]"
  ) throws -> [ContentDigest] {
    let whole =
      #"{"timeRange": {"start": "0", "duration": "0.8"}, "background": [0.5, 0.25, 0.125], "layerInstructions": [\#(layers)]}"#
    let renderer = PictureRenderer(
      edit: try workshop.edit(
        """
        {"spool": 1, "assets": {"a": {"path": "a.mp4"}, "dot": {"path": "dot.png"}},
         "composition": {"tracks": [{"id": "V", "media": "video", "segments": [
           {"asset": "a", "source": {"start": "0", "duration": "0.8"}}]}]},
         "videoComposition": {"renderSize": \(size), "frameDuration": "1/25", "instructions": [\(instructions ?? whole)]},
         "layers": [\(stills)], "export": {"fileType": "mkv", "video": {"codec": "ffv1"}}}
        """), policy: workshop.policy)
    return try (0..<20).map { try renderer.frame($0).contentDigest() }
  }

  private func dot() throws {
    try MediaTools.ffmpeg(["-f", "lavfi", "-i", "color=white:s=2x2", "-frames:v", "1", workshop.file("dot.png")])
  }

  @Test func `a crop outside the picture shows nothing of it, one that reaches over its edge what is there`() throws {
    try dot()
    let ground = try frames("")
    #expect(try frames(#"{"track": "V", "crop": [200, 0, 50, 50]}"#) == ground)
    #expect(try frames(#"{"track": "V", "crop": [-60, -60, 60, 60]}"#) == ground)
    #expect(
      try frames(#"{"track": "V", "crop": [-20, 40, 60, 1000]}"#) == frames(#"{"track": "V", "crop": [0, 40, 40, 24]}"#))
  }

  @Test func `a ramp that turns the picture over shows nothing of it where it is a line`() throws {
    try dot()
    let turning = try frames(
      #"{"track": "V", "transform": [{"at": "0", "value": [1, 0, 0, 1, 0, 0]}, {"at": "0.8", "value": [-1, 0, 0, 1, 96, 0]}]}"#)
    let (ground, upright) = (try frames(""), try frames(#""V""#))
    #expect(turning[0] == upright[0])
    #expect(turning[10] == ground[10])
    #expect(turning[9] != ground[9] && turning[11] != ground[11])
  }

  /// A composition is nested in a smaller frame. It is rendered first and then scaled.
  @Test(arguments: [(0.5, "48, 32"), (0.4, "38, 26"), (0.01, "16, 16")])
  func `a render scale gives the same pictures, smaller`(scale: Double, size: String) throws {
    try dot()
    let picture = #"{"track": "V", "crop": [8, 8, 60, 40], "transform": [0.8, 0.3, -0.3, 0.8, 20, 2]}"#
    let composition = #"""
      "renderSize": [96, 64], "frameDuration": "1/25", "instructions": [
        {"timeRange": {"start": "0", "duration": "0.8"}, "background": [0.5, 0.25, 0.125], "layerInstructions": [\#(picture)]}]
      """#
    let tracks = #"""
      "tracks": [{"id": "V", "media": "video", "segments": [{"asset": "a", "source": {"start": "0", "duration": "0.8"}}]}]
      """#
    let layers = #""layers": [{"image": "dot", "frame": [4, 4, 30, 20]}]"#
    func frames(_ document: String) throws -> [ContentDigest] {
      let start = #"{"spool": 1, "assets": {"a": {"path": "a.mp4"}, "dot": {"path": "dot.png"}}, "#
      let renderer = PictureRenderer(
        edit: try workshop.edit(start + document + #", "export": {"fileType": "mkv", "video": {"codec": "ffv1"}}}"#),
        policy: workshop.policy)
      return try (0..<20).map { try renderer.frame($0).contentDigest() }
    }
    let scaled = try frames(
      #""composition": {\#(tracks)}, "videoComposition": {"renderScale": \#(scale), \#(composition)}, \#(layers)"#)
    let nested = try frames(
      #"""
      "compositions": {"n": {\#(tracks), "videoComposition": {"color": "bt601-525", \#(composition)}, \#(layers)}},
      "composition": {"tracks": [{"id": "N", "media": "video", "segments": [
        {"composition": "n", "source": {"start": "0", "duration": "0.8"}}]}]},
      "videoComposition": {"renderSize": [\#(size)], "frameDuration": "1/25", "instructions": [
        {"timeRange": {"start": "0", "duration": "0.8"}, "layerInstructions": [{"track": "N", "gravity": "resize"}]}]}
      """#)
    #expect(scaled == nested)
  }

  @Test func `a picture smaller than anything is not seen`() throws {
    try dot()
    #expect(try frames(#"{"track": "V", "transform": [1e-150, 0, 0, 1e-150, 0, 0]}"#) == frames(""))
    #expect(try frames(#"{"track": "V", "transform": [1e-9, 1e-9, -1e-9, 1e-9, 40, 40]}"#) == frames(""))
  }

  @Test func `two keyframes at one time are a jump`() throws {
    try dot()
    let jumping = try frames(
      """
      {"track": "V", "opacity": [{"at": "0", "value": 1}, {"at": "0.4", "value": 1}, {"at": "0.4", "value": 0.25},
        {"at": "0.8", "value": 0.25}]}
      """)
    let (before, after) = (try frames(#""V""#), try frames(#"{"track": "V", "opacity": 0.25}"#))
    #expect(jumping == Array(before[..<10] + after[10...]))
  }

  @Test func `an instruction of one tick between two frames is not seen, at a frame it is`() throws {
    try dot()
    func split(_ start: String, _ end: String, _ tick: String, _ rest: String) throws -> [ContentDigest] {
      try frames(
        "",
        instructions: """
          {"timeRange": {"start": "0", "duration": "\(start)"}, "layerInstructions": ["V"]},
          {"timeRange": {"start": "\(start)", "duration": "\(tick)"}, "background": [0.5, 0.25, 0.125]},
          {"timeRange": {"start": "\(end)", "duration": "\(rest)"}, "layerInstructions": ["V"]}
          """)
    }
    let (shown, ground) = (try frames(#""V""#), try frames(""))
    #expect(try split("12001/30000", "12002/30000", "1/30000", "11998/30000") == shown)
    #expect(
      try split("12000/30000", "12001/30000", "1/30000", "11999/30000") == Array(shown[..<10] + [ground[10]] + shown[11...]))
  }

  @Test func `a layer fades as its keyframes say, and is not drawn where it is clear`() throws {
    try dot()
    func layer(_ opacity: String) -> String {
      #"{"image": "dot", "frame": [8, 8, 60, 40], "gravity": "resize", "opacity": \#(opacity)}"#
    }
    let (bare, whole) = (try frames(#""V""#), try frames(#""V""#, stills: layer("1")))
    let jump = try frames(#""V""#, stills: layer(#"[{"at": "0", "value": 0, "hold": true}, {"at": "0.4", "value": 1}]"#))
    #expect(jump == Array(bare[..<10] + whole[10...]))
    let ramp = try frames(
      #""V""#, stills: layer(#"[{"at": "0.2", "value": 0}, {"at": "0.6", "value": 1, "easing": "easeIn"}]"#))
    #expect(Array(ramp[...5]) == Array(bare[...5]), "before its first keyframe, and there")
    #expect(Array(ramp[15...]) == Array(whole[15...]))
    #expect((6..<15).allSatisfy { ramp[$0] != bare[$0] && ramp[$0] != whole[$0] })
    // Over one still frame, each step of the ramp is a different picture.
    let black = #"{"timeRange": {"start": "0", "duration": "0.8"}}"#
    let still = try frames(
      "", instructions: black, stills: layer(#"[{"at": "0", "value": 0}, {"at": "0.8", "value": 1}]"#))
    #expect(Set(still).count == 20)
  }

  @Test func `ten thousand layers at once are all drawn, and as many one after the other each in its time`() throws {
    try dot()
    let grid = (0..<10_000).map { #"{"image": "dot", "frame": [\#($0 % 100 * 2), \#($0 / 100 * 2), 2, 2]}"# }
    let black = #"{"timeRange": {"start": "0", "duration": "0.8"}}"#
    let filled = try frames("", instructions: black, stills: grid.joined(separator: ","), size: "[200, 200]")
    let white = #"{"image": "dot", "frame": [0, 0, 200, 200], "gravity": "resize"}"#
    #expect(try filled == frames("", instructions: black, stills: white, size: "[200, 200]"))

    // There is a layer for each 1/12500 s. Frame i shows layer 500 i.
    let passing = (0..<10_000).map {
      #"{"image": "dot", "frame": [\#($0 / 500 * 4), 0, 4, 4], "from": "\#($0)/12500", "to": "\#($0 + 1)/12500"}"#
    }
    let places = (0..<20).map { #"{"image": "dot", "frame": [\#($0 * 4), 0, 4, 4], "from": "\#($0)/25", "to": "\#($0 + 1)/25"}"# }
    #expect(try frames("", stills: passing.joined(separator: ",")) == frames("", stills: places.joined(separator: ",")))
  }
}
