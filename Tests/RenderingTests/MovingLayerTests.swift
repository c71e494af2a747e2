import FarmTesting
import Formats
import FoundationEssentials
import Media
import Rendering
import Scenes
import Testing
import Timeline

/// Layers that show tracks, the video, or a part of an image, against frames that say the same in another way.
@Suite struct `Layers with moving pictures` {
  private static let (width, height, count) = (96, 64, 10)
  private let workshop = Workshop()

  private init() throws {
    try workshop.clip("a.mp4", frameCount: Self.count)
    try MediaTools.ffmpeg([
      "-f", "lavfi", "-i", "mandelbrot=s=96x64:r=25", "-vf", "format=yuv420p", "-frames:v", "\(Self.count)", "-c:v", "ffv1",
      "-colorspace", "bt709", "-color_primaries", "bt709", "-color_trc", "bt709", "-color_range", "tv", workshop.file("b.mkv"),
    ])
    try SyntheticSource(width: 64, height: 64, frameCount: 1).write(to: workshop.file("still.png"), [])
  }

  /// An edit with the tracks A and B.
  ///
  /// - Parameter picture: what the instruction shows.
  private func edit(_ picture: String, layers: String = "", blending: String = "encoded") throws -> ResolvedTimeline {
    try workshop.edit(
      """
      {"spool": 1, "assets": {"a": {"path": "a.mp4"}, "b": {"path": "b.mkv"}, "still": {"path": "still.png"}},
       "compositions": {"whole": {"tracks": [
         {"id": "A", "media": "video", "segments": [{"asset": "a"}]}, {"id": "B", "media": "video", "segments": [{"asset": "b"}]}],
         "videoComposition": {"renderSize": [96, 64], "frameDuration": "1/25", "color": "bt709", "instructions": [{\(picture)}]}}},
       "composition": {"tracks": [
         {"id": "A", "media": "video", "segments": [{"asset": "a"}]}, {"id": "B", "media": "video", "segments": [{"asset": "b"}]},
         {"id": "N", "media": "video", "segments": [{"composition": "whole"}]}]},
       "videoComposition": {"renderSize": [96, 64], "frameDuration": "1/25", "color": "bt709", "blending": "\(blending)",
         "instructions": [{\(picture)}]},
       "layers": [\(layers)], "export": {"preset": "lossless"}}
      """)
  }

  private func frames(_ edit: ResolvedTimeline) throws -> [[UInt8]] {
    let renderer = PictureRenderer(edit: edit, policy: workshop.policy)
    return try [0, 3, Self.count - 1].map { try renderer.frame($0).packed() }
  }

  private func frames(_ picture: String, layers: String = "", blending: String = "encoded") throws -> [[UInt8]] {
    try frames(edit(picture, layers: layers, blending: blending))
  }

  private static let ground = #""layerInstructions": ["B"]"#

  @Test(arguments: [
    // A layer, and the layer instruction that shows the same.
    (#""frame": [8, 4, 48, 32]"#, #""transform": [0.5, 0, 0, 0.5, 8, 4]"#),
    (
      #""frame": [0, 0, 96, 64], "rotation": 30"#,
      #""transform": [0.8660254037844387, 0.5, -0.5, 0.8660254037844387, 22.430780618346944, -19.712812921102037]"#
    ),
    (
      #""frame": [0, 0, 96, 64], "opacity": [{"at": "0", "value": 0.2}, {"at": "0.4", "value": 1}]"#,
      #""opacity": [{"at": "0", "value": 0.2}, {"at": "0.4", "value": 1}]"#
    ),
    (
      #""frame": [20, 10, 48, 64], "gravity": "resizeAspectFill""#, #""crop": [24, 0, 48, 64], "transform": [1, 0, 0, 1, -4, 10]"#
    ),
    (#""frame": [20, 10, 48, 20], "gravity": "bottomRight""#, #""crop": [48, 44, 48, 20], "transform": [1, 0, 0, 1, -28, -34]"#),
  ])
  func `a track in a layer is laid as a layer instruction lays it`(_ layer: String, _ instruction: String) throws {
    for blending in ["encoded", "linear"] {
      let expected = try frames(#""layerInstructions": [{"track": "A", \#(instruction)}, "B"]"#, blending: blending)
      let found = try frames(Self.ground, layers: #"{"track": "A", \#(layer)}"#, blending: blending)
      for (found, expected) in zip(found, expected) {
        // The angle's sine and cosine were written with as many digits as a document's number has.
        #expect(zip(found, expected).allSatisfy { abs(Int($0) - Int($1)) <= (layer.contains("rotation") ? 1 : 0) })
      }
      #expect(found != (try frames(Self.ground, blending: blending)))
    }
  }

  @Test(arguments: [
    #""layerInstructions": [{"track": "A", "opacity": 0.5}, "B"]"#, #""transition": {"kind": "push", "from": "A", "to": "B"}"#,
  ])
  func `the video in a layer is what a nested composition would show, and stands there only`(_ picture: String) throws {
    let nested = try edit(picture, layers: #"{"backgroundColor": [0, 0, 0]}, {"track": "N", "frame": [8, 4, 48, 32]}"#)
    let video = try edit(picture, layers: #"{"backgroundColor": [0, 0, 0]}, {"video": true, "frame": [8, 4, 48, 32]}"#)
    #expect(try frames(video) == frames(nested))
    // Without anything below, the background of the instruction is seen beside the layer.
    let alone = try frames(edit(#""background": [1, 1, 1], \#(picture)"#, layers: #"{"video": true, "frame": [8, 4, 48, 32]}"#))
    #expect(alone.allSatisfy { $0[0] == 235 && $0[63 * 96 + 95] == 235 })
  }

  @Test func `a layer that is cut off or masked is seen where its mask is, and as far as it is opaque`() throws {
    let (below, above) = (try frames(Self.ground), try frames(#""layerInstructions": ["A"]"#))
    let masked = try frames(
      Self.ground,
      layers: """
        {"track": "A", "frame": [0, 0, 96, 64], "opacity": 0.5,
         "mask": {"backgroundColor": [0, 1, 0, 0.501960784313725], "frame": [16, 0, 40, 64], "layers": [{"backgroundColor": [1, 0, 0], "frame": [0, 0, 20, 64]}]}}
        """)
    for index in below.indices {
      for sample in 0..<96 * 64 {
        let x = sample % 96
        let share = 16..<36 ~= x ? 0.5 : 36..<56 ~= x ? 0.5 * 128 / 255 : 0
        let expected = Double(below[index][sample]) * (1 - share) + Double(above[index][sample]) * share
        if abs(Double(masked[index][sample]) - expected) > 1.1 {
          return #expect(Double(masked[index][sample]) == expected, "frame \(index) at \(x), \(sample / 96)")
        }
      }
    }
  }

  @Test func `corners cut off what stands on a layer, and a turned layer is cut off along its own sides`() throws {
    let layer =
      #"{"frame": [16, 0, 64, 64], "masksToBounds": true, "cornerRadius": 32, "layers": [{"track": "A", "frame": [-16, 0, 96, 64]}]}"#
    let (below, above, found) = (
      try frames(Self.ground), try frames(#""layerInstructions": ["A"]"#), try frames(Self.ground, layers: layer)
    )
    func expectCircle(_ found: [[UInt8]], _ name: String) {
      for index in below.indices {
        for sample in 0..<96 * 64 {
          let (x, y) = (Double(sample % 96) + 0.5 - 48, Double(sample / 96) + 0.5 - 32)
          let radius = (x * x + y * y).squareRoot()
          if radius > 33.5, found[index][sample] != below[index][sample] {
            return #expect(Bool(false), "\(name) outside: \(x), \(y)")
          }
          if radius < 30.5, abs(Int(found[index][sample]) - Int(above[index][sample])) > 1 {
            return #expect(Bool(false), "\(name) inside: \(x), \(y)")
          }
        }
      }
    }
    expectCircle(found, "upright")
    // The circle turns about its middle, and the track in it turns back.
    let turned =
      #"{"frame": [16, 0, 64, 64], "rotation": 90, "masksToBounds": true, "cornerRadius": 32, "layers": [{"track": "A", "frame": [-16, 0, 96, 64], "rotation": -90}]}"#
    expectCircle(try frames(Self.ground, layers: turned), "turned")
  }

  @Test func `what is covered does not show through when a layer with moving pictures fades`() throws {
    let layers = #""frame": [0, 0, 96, 64], "layers": [{"backgroundColor": [1, 0, 0]}, {"track": "A", "frame": [0, 0, 96, 64]}]"#
    let faded = try frames(Self.ground, layers: #"{\#(layers), "opacity": 0.25}"#)
    #expect(faded == (try frames(#""layerInstructions": [{"track": "A", "opacity": 0.25}, "B"]"#)))
  }

  @Test func `a shadow is that of the layer's rectangle, and is not seen through it`() throws {
    let shadow = #""shadow": {"color": [0, 0, 0], "offset": [4, 4], "radius": 0}"#
    let found = try frames(
      #""background": [1, 1, 1], "layerInstructions": []"#,
      layers: #"{"track": "A", "frame": [16, 8, 48, 32], "opacity": 0.5, \#(shadow)}"#)
    let plain = try frames(
      #""background": [1, 1, 1], "layerInstructions": []"#, layers: #"{"track": "A", "frame": [16, 8, 48, 32], "opacity": 0.5}"#)
    for (found, plain) in zip(found, plain) {
      func at(_ x: Int, _ y: Int) -> (UInt8, UInt8) { (found[y * 96 + x], plain[y * 96 + x]) }
      #expect(at(30, 20).0 == at(30, 20).1)
      #expect(at(66, 30) == (126, 235) && at(40, 42) == (126, 235))
      #expect(at(10, 4) == (235, 235) && at(70, 30) == (235, 235))
    }
  }
}
