import Compositing
import FarmTesting
import Formats
import FoundationEssentials
import Media
import Rendering
import Scenes
import Testing
import Timeline

/// Layers that are mixed with the video by a mode, and parts of images, against ffmpeg's filters.
@Suite struct `Layers mixed with the video` {
  private let workshop = Workshop()

  private init() throws {
    for (name, source) in [("a", "testsrc2=s=96x64:r=25"), ("b", "mandelbrot=s=96x64:r=25")] {
      try MediaTools.ffmpeg([
        "-f", "lavfi", "-i", source, "-vf", "format=gbrp,zscale=m=709:r=tv,format=yuv444p", "-frames:v", "3", "-c:v", "ffv1",
        "-colorspace", "bt709", "-color_primaries", "bt709", "-color_trc", "bt709", "-color_range", "tv",
        workshop.file("\(name).mkv"),
      ])
    }
    try SyntheticSource(width: 64, height: 64, frameCount: 1).write(to: workshop.file("still.png"), [])
  }

  private func edit(_ layers: String, tracks: String = #"["B"]"#) throws -> ResolvedTimeline {
    try workshop.edit(
      """
      {"spool": 1, "assets": {"a": {"path": "a.mkv"}, "b": {"path": "b.mkv"}, "still": {"path": "still.png"}},
       "composition": {"tracks": [
         {"id": "A", "media": "video", "segments": [{"asset": "a"}]}, {"id": "B", "media": "video", "segments": [{"asset": "b"}]}]},
       "videoComposition": {"renderSize": [96, 64], "frameDuration": "1/25", "color": "bt709",
         "instructions": [{"layerInstructions": \(tracks)}]},
       "layers": [\(layers)], "export": {"preset": "lossless"}}
      """)
  }

  private func frame(_ layers: String, tracks: String = #"["B"]"#, at index: Int = 1) throws -> [UInt8] {
    try PictureRenderer(edit: edit(layers, tracks: tracks), policy: workshop.policy).frame(index).packed()
  }

  /// The mean difference of luma.
  private func distance(_ a: some Collection<UInt8>, _ b: some Collection<UInt8>) -> Double {
    zip(a, b).reduce(0) { $0 + abs(Double($1.0) - Double($1.1)) } / Double(a.count)
  }

  @Test(arguments: [
    (BlendMode.multiply, "multiply"), (.screen, "screen"), (.darken, "darken"), (.lighten, "lighten"),
    (.difference, "difference"), (.plusLighter, "addition"),
    // In these two ffmpeg takes its first input for the lower one.
    (.exclusion, "exclusion"), (.overlay, "hardlight"), (.hardLight, "overlay"),
  ])
  func `a mode mixes R'G'B' as ffmpeg's blend does`(_ mode: BlendMode, _ name: String) throws {
    let found = try frame(#"{"track": "A", "frame": [0, 0, 96, 64], "blendMode": "\#(mode.rawValue)"}"#)
    let raw = workshop.file("raw")
    let toRGB = "zscale=m=gbr:r=pc:min=709:rin=tv:dither=none,format=gbrp"
    try MediaTools.ffmpeg([
      "-i", workshop.file("a.mkv"), "-i", workshop.file("b.mkv"), "-filter_complex",
      "[0]\(toRGB)[a];[1]\(toRGB)[b];[a][b]blend=all_mode=\(name),zscale=m=709:r=tv:dither=none,format=yuv420p", "-frames:v", "3",
      "-f", "rawvideo", raw,
    ])
    let size = 96 * 64 * 3 / 2
    let expected = try [UInt8](contentsOf: raw)[size..<size + 96 * 64]
    // Ours has chroma of half the size on both sides before it mixes; ffmpeg's only after it.
    #expect(distance(found[..<(96 * 64)], expected) < 2)
    #expect(distance(found[..<(96 * 64)], try frame("")[..<(96 * 64)]) > 4)
  }

  @Test func `light is added as far as it is seen, before the sum is cut off at white`() throws {
    func luma(_ layers: String) throws -> [Double] {
      try frame(layers, tracks: "[]")[..<(96 * 64)].map { (Double($0) - 16) / 219 }
    }
    let ground = #"{"frame": [0, 0, 96, 64], "backgroundColor": [0.8, 0.8, 0.8]}"#
    let light = #""blendMode": "plusLighter", "frame": [0, 0, 48, 64], "backgroundColor": [0.6, 0.6, 0.6]"#
    let filtered = #""filters": [{"saturation": 0}]"#
    let moving =
      #""track": "A", "frame": [0, 0, 48, 64], "blendMode": "plusLighter", "layers": [{"frame": [0, 0, 48, 64], "backgroundColor": [0.6, 0.6, 0.6]}]"#
    // The sum of 0.8 and half of 0.6 is cut off. A mode whose result is laid with half of its opacity would give 0.9.
    let forms = [
      #"{\#(light), "opacity": 0.5}"#, #"{\#(light), "opacity": 0.5, \#(filtered)}"#,
      #"{\#(light), "mask": {"frame": [0, 0, 48, 64], "backgroundColor": [1, 1, 1, 0.5]}}"#,
      // A layer with a track is put together by the compositor, with the mask and the opacity of the whole.
      #"{\#(moving), "opacity": 0.5}"#, #"{\#(moving), "opacity": 0.5, \#(filtered)}"#,
    ]
    for form in forms {
      let found = try luma("\(ground), \(form)")
      #expect((0..<64).allSatisfy { abs(found[$0 * 96 + 10] - 1) < 0.012 && abs(found[$0 * 96 + 80] - 0.8) < 0.006 }, "\(form)")
    }
    let dim = try luma(#"\#(ground), {\#(light), "opacity": 0.25}"#)
    #expect(abs(dim[32 * 96 + 10] - 0.95) < 0.006)
  }

  @Test(arguments: BlendMode.allCases)
  func `a clear layer changes nothing in any mode, and half of a mode is half the way`(_ mode: BlendMode) throws {
    let ground = try frame("")
    let layer =
      #""frame": [0, 0, 96, 64], "backgroundColor": [0.752941176470588, 0.376470588235294, 0.188235294117647], "blendMode": "\#(mode.rawValue)""#
    let (whole, half) = (try frame("{\(layer)}"), try frame(#"{\#(layer), "opacity": 0.5}"#))
    let none = try frame(
      #"{"frame": [0, 0, 96, 64], "backgroundColor": [0.752941176470588, 0.376470588235294, 0.188235294117647, 0], "blendMode": "\#(mode.rawValue)", "layers": [{"backgroundColor": [1, 1, 1], "frame": [0, 0, 4, 4], "opacity": 0}]}"#
    )
    #expect(none == ground)
    // A layer over a part of the frame leaves the rest as it is, to the last bit.
    let part = try frame("{\(layer.replacing("96, 64]", with: "48, 64]"))}")
    #expect((0..<64).allSatisfy { part[$0 * 96 + 50..<$0 * 96 + 96] == ground[$0 * 96 + 50..<$0 * 96 + 96] })
    // Sums are cut off at white.
    guard mode != .plusLighter else { return }
    let most = (0..<96 * 64).map { abs(Double(half[$0]) - (Double(ground[$0]) + Double(whole[$0])) / 2) }.max() ?? 255
    #expect(most <= 2.5)
  }

  @Test func `modes have their closed forms for the grey and the corners of colour`() {
    let (below, source) = (SIMD3<Float>(0.25, 0.5, 0.75), SIMD3<Float>(0.5, 0.25, 1))
    func near(_ mode: BlendMode, _ r: Float, _ g: Float, _ b: Float) -> Bool {
      let found = mode.mixed(below, source) - SIMD3(r, g, b)
      return max(abs(found.x), abs(found.y), abs(found.z)) < 1e-6
    }
    #expect(near(.multiply, 0.125, 0.125, 0.75) && near(.screen, 0.625, 0.625, 1))
    #expect(near(.colorDodge, 0.5, 2 / 3, 1) && near(.colorBurn, 0, 0, 0.75))
    #expect(near(.softLight, 0.25, 0.375, 0.8660254) && near(.overlay, 0.25, 0.25, 1))
    #expect(near(.difference, 0.25, 0.25, 0.25) && near(.exclusion, 0.5, 0.5, 0.25))
    // Luminosity 0.3 r + 0.59 g + 0.11 b: 0.4525 below, 0.4075 in the source.
    #expect(near(.luminosity, 0.205, 0.455, 0.705) && near(.color, 0.545, 0.295, 1.045 - 0) == false)
    for mode in [BlendMode.hue, .saturation, .color] {
      let mixed = mode.mixed(below, source)
      #expect(abs(0.3 * mixed.x + 0.59 * mixed.y + 0.11 * mixed.z - 0.4525) < 1e-6)
    }
  }

  @Test func `a part of an image is cut out exactly, and moves between two rectangles`() throws {
    let whole = try frame(#"{"image": "still", "frame": [0, 0, 64, 64]}"#, tracks: "[]")
    let part = try frame(
      #"{"image": "still", "frame": [32, 16, 32, 32], "contentsRect": [0.25, 0.5, 0.5, 0.5]}"#, tracks: "[]")
    for y in 0..<32 {
      let (found, expected) = (part[(y + 16) * 96 + 32..<(y + 16) * 96 + 64], whole[(y + 32) * 96 + 16..<(y + 32) * 96 + 48])
      #expect(found.elementsEqual(expected), "row \(y)")
    }
    #expect(part[0] == 16 && part[16 * 96 + 31] == 16 && part[16 * 96 + 64] == 16)
    let moving =
      #"{"image": "still", "frame": [0, 0, 96, 64], "gravity": "resize", "contentsRect": [{"at": "0", "value": [0, 0, 0.5, 0.5]}, {"at": "0.08", "value": [0.5, 0.5, 0.5, 0.5]}]}"#
    let middle = #"{"image": "still", "frame": [0, 0, 96, 64], "gravity": "resize", "contentsRect": [0.25, 0.25, 0.5, 0.5]}"#
    #expect(try frame(moving, tracks: "[]", at: 1) == frame(middle, tracks: "[]", at: 1))
    #expect(try frame(moving, tracks: "[]", at: 0) != frame(middle, tracks: "[]", at: 0))
  }
}
