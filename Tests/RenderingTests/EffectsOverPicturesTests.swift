import FarmTesting
import Formats
import FoundationEssentials
import Media
import Rendering
import Scenes
import Testing
import Timeline

/// Effects of layers with moving pictures, in frames: planes in space, masks that move, filters, animations.
@Suite struct `Effects over moving pictures` {
  private static let (width, height) = (96, 64)
  private let workshop = Workshop()

  private init() throws {
    try MediaTools.ffmpeg([
      "-f", "lavfi", "-i", "mandelbrot=s=96x64:r=25", "-vf", "format=yuv444p", "-frames:v", "4", "-c:v", "ffv1",
      "-colorspace", "bt709", "-color_primaries", "bt709", "-color_trc", "bt709", "-color_range", "tv", workshop.file("b.mkv"),
    ])
    // Red, green and blue, 0.2 s, 0.4 s and 0.2 s long.
    try MediaTools.ffmpeg([
      "-f", "lavfi", "-i",
      "color=red:s=32x32:d=0.2:r=5[a];color=lime:s=32x32:d=0.4:r=5[b];color=blue:s=32x32:d=0.2:r=5[c];[a][b][c]concat=n=3,split[d][e];[d]palettegen[p];[e][p]paletteuse",
      workshop.file("wheel.gif"),
    ])
    try SyntheticSource(width: 64, height: 64, frameCount: 1).write(to: workshop.file("still.png"), [])
  }

  private func frame(
    _ layers: String, at index: Int = 1, tracks: String = #"["B"]"#, background: String = "[0, 0, 0]"
  ) throws -> [UInt8] {
    let edit = try workshop.edit(
      """
      {"spool": 1, "assets": {"b": {"path": "b.mkv"}, "wheel": {"path": "wheel.gif"}, "still": {"path": "still.png"}},
       "composition": {"tracks": [{"id": "B", "media": "video", "segments": [{"asset": "b"}, {"asset": "still", "duration": "2"}]}]},
       "videoComposition": {"renderSize": [96, 64], "frameDuration": "1/25", "color": "bt709",
         "instructions": [{"background": \(background), "layerInstructions": \(tracks)}]},
       "layers": [\(layers)], "export": {"preset": "lossless"}}
      """)
    return try PictureRenderer(edit: edit, policy: workshop.policy).frame(index).packed()
  }

  private func luma(_ frame: [UInt8], _ x: Int, _ y: Int) -> Int { Int(frame[y * Self.width + x]) }

  @Test func `a track that is not turned after all has the pixels of a flat one`() throws {
    let flat = try frame(#"{"track": "B", "frame": [8, 4, 60, 40]}"#, tracks: "[]")
    let turned = try frame(#"{"track": "B", "frame": [8, 4, 60, 40], "rotationX": 360, "perspective": 300}"#, tracks: "[]")
    let most = zip(flat, turned).map { abs(Int($0) - Int($1)) }
    // Both lay the picture by filters of their own.
    #expect(Double(most.reduce(0, +)) / Double(most.count) < 1.5)
  }

  @Test func `a track in space lies where the closed form has it`() throws {
    // A white rectangle on black, turned by 60 degrees about its upright middle: the trapezium of its corners.
    let layers =
      #"{"layers": [{"track": "B", "frame": [0, 0, 96, 64]}, {"backgroundColor": [1, 1, 1]}], "frame": [16, 12, 64, 40], "masksToBounds": true, "rotationY": 60, "perspective": 100}"#
    let found = try frame(layers, tracks: "[]")
    let sine = 3.0.squareRoot() / 2
    func edge(_ x: Double, _ y: Double) -> (x: Double, y: Double) {
      let w = 1 + x * sine / 100
      return (48 + x / 2 / w, 32 + y / w)
    }
    for (x, y) in [(-30.0, -18.0), (-30, 18), (30, -18), (30, 18), (0, 0)] {
      let place = edge(x, y)
      #expect(luma(found, Int(place.x), Int(place.y)) > 220, "\(x), \(y)")
    }
    for (x, y) in [(-36.0, 0.0), (38, 0), (-28, -24), (28, 24), (30, -23)] {
      let place = edge(x, y)
      #expect(luma(found, Int(place.x), Int(place.y)) < 30, "\(x), \(y)")
    }
  }

  @Test func `a mask that moves leaves as much as it is opaque, or bright`() throws {
    let (below, above) = (try frame(""), try frame(#"{"backgroundColor": [1, 1, 1]}"#))
    // The mask is half of the frame by the track's own picture.
    let mask = #""mask": {"track": "B", "frame": [0, 0, 96, 64], "masksToBounds": true, "layers": []}"#
    let opaque = try frame(#"{"backgroundColor": [1, 1, 1], \#(mask.replacing("96, 64]", with: "48, 64]"))}"#)
    #expect(luma(opaque, 20, 32) == luma(above, 20, 32) && luma(opaque, 70, 32) == luma(below, 70, 32))
    let bright = try frame(#"{"backgroundColor": [1, 1, 1], "maskMode": "luminance", \#(mask)}"#, tracks: "[]")
    // Over black, white that is seen as far as the picture is bright is the picture without its colours.
    let picture = try frame("")
    for sample in stride(from: 0, to: 96 * 64, by: 7) {
      #expect(abs(Int(bright[sample]) - Int(picture[sample])) <= 3, "\(sample)")
    }
  }

  @Test func `a filter of what lies below changes that alone, and no further than the layer's corners`() throws {
    let picture = try frame("")
    let found = try frame(
      #"{"frame": [16, 8, 64, 48], "cornerRadius": 24, "backdropFilters": [{"saturation": 0}, {"brightness": 0.25}]}"#)
    let chroma = 96 * 64
    #expect(luma(found, 2, 2) == luma(picture, 2, 2) && luma(found, 18, 10) == luma(picture, 18, 10))
    for (x, y) in [(48, 32), (30, 24), (70, 40)] {
      let sample = y / 2 * 48 + x / 2
      #expect(abs(Int(found[chroma + sample]) - 128) <= 1 && abs(Int(found[chroma + 48 * 32 + sample]) - 128) <= 1)
      let expected = min(Double(luma(picture, x, y)) + 0.25 * 219, 235)
      #expect(abs(Double(luma(found, x, y)) - expected) <= 6, "\(x), \(y)")
    }
  }

  @Test func `a blur of what lies below is a Gaussian's`() throws {
    let edge = #"{"backgroundColor": [1, 1, 1], "frame": [48, 0, 48, 64]}"#
    let found = try frame(#"\#(edge), {"backdropFilters": [{"blur": 4}]}"#, tracks: "[]")
    for (x, share) in [(48, 0.5), (52, 0.8413), (44, 0.1587), (56, 0.9772)] {
      let value = Double(luma(found, x - 1, 32) + luma(found, x, 32)) / 2
      #expect(abs(value - (16 + 219 * share)) < 4, "\(x)")
    }
  }

  @Test func `a moving picture is filtered as its codes are`() throws {
    let plain = try frame(#"{"track": "B", "frame": [0, 0, 96, 64]}"#, tracks: "[]")
    let found = try frame(
      #"{"track": "B", "frame": [0, 0, 96, 64], "filters": [{"saturation": 0.25, "contrast": 0.5}]}"#, tracks: "[]")
    for sample in stride(from: 0, to: 96 * 64, by: 5) {
      let expected = (Double(plain[sample]) - 16 - 109.5) * 0.5 + 16 + 109.5
      #expect(abs(Double(found[sample]) - expected) <= 2.5, "\(sample)")
    }
    for sample in stride(from: 96 * 64, to: plain.count, by: 5) {
      #expect(abs(Double(found[sample]) - ((Double(plain[sample]) - 128) * 0.125 + 128)) <= 2.5, "\(sample)")
    }
  }

  @Test func `the shadow of a moving picture is that of what is seen of it`() throws {
    let found = try frame(
      #"{"track": "B", "frame": [16, 8, 32, 32], "gravity": "resizeAspect", "shadow": {"color": [0, 0, 0], "offset": [40, 0], "radius": 0, "ofContent": true}}"#,
      tracks: "[]", background: "[1, 1, 1]")
    // The picture is 32x21 in the layer's middle.
    #expect(luma(found, 72, 24) == 16 && luma(found, 72, 10) == 235 && luma(found, 72, 38) == 235 && luma(found, 90, 24) == 235)
  }

  @Test func `an animation plays by its own times on its layer's clock, and begins anew`() throws {
    func color(_ layer: String, _ index: Int) throws -> String {
      let found = try frame(layer, at: index, tracks: "[]")
      let (blue, red) = (Int(found[96 * 64 + 5 * 48 + 5]), Int(found[96 * 64 + 48 * 32 + 5 * 48 + 5]))
      return red > 200 ? "red" : blue > 200 ? "blue" : blue < 60 ? "green" : "none"
    }
    let wheel = #"{"clip": "wheel", "frame": [0, 0, 32, 32]"#
    let times = [0, 4, 5, 14, 15, 19, 20, 25, 35]
    #expect(
      try times.map { try color("\(wheel)}", $0) } == ["red", "red", "green", "green", "blue", "blue", "red", "green", "blue"])
    #expect(try color(#"\#(wheel), "loop": false}"#, 45) == "blue")
    #expect(try color(#"\#(wheel), "clock": {"begin": "0.4", "speed": 2}}"#, 9) == "red")
    #expect(try color(#"\#(wheel), "clock": {"begin": "0.4", "speed": 2}}"#, 13) == "green")
  }

  @Test func `images that follow each other are each shown in their time`() throws {
    let layer = #"{"image": [{"at": "0", "value": "still"}, {"at": "1", "value": "still"}], "frame": [0, 0, 64, 64]}"#
    #expect(
      try frame(layer, at: 30, tracks: "[]") == frame(#"{"image": "still", "frame": [0, 0, 64, 64]}"#, at: 30, tracks: "[]"))
  }
}
