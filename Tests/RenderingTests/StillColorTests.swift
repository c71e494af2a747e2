import FarmTesting
import Formats
import Glibc
import Media
import Rendering
import Scenes
import SpoolCompositing
import Testing
import Timeline

/// A kind of file in which nothing states the primaries or the transfer function of pictures.
struct UntaggedKind: Sendable, CustomTestStringConvertible {
  let file: String
  let arguments: String
  var testDescription: String { "\(file) \(arguments)" }
  /// Whether the file stores R'G'B'. The other kinds round their colours to YUV of 8 bits themselves.
  var isRGB: Bool { !["a.jpg", "b.jpg", "b.webp"].contains(file) }

  static let all = [
    UntaggedKind(file: "a.png", arguments: "-pix_fmt rgb24"), UntaggedKind(file: "b.png", arguments: "-pix_fmt gray"),
    UntaggedKind(file: "a.jpg", arguments: "-pix_fmt yuvj444p -qmin 1 -q:v 1"),
    UntaggedKind(file: "b.jpg", arguments: "-pix_fmt yuvj420p -qmin 1 -q:v 1"), UntaggedKind(file: "a.gif", arguments: ""),
    UntaggedKind(file: "a.webp", arguments: "-c:v libwebp -lossless 1"),
    UntaggedKind(file: "b.webp", arguments: "-c:v libwebp -q:v 100"), UntaggedKind(file: "a.bmp", arguments: ""),
    UntaggedKind(file: "a.tiff", arguments: "-pix_fmt rgb24"), UntaggedKind(file: "a.mov", arguments: "-c:v qtrle"),
    UntaggedKind(file: "b.mov", arguments: "-c:v png -pix_fmt rgb24"),
    UntaggedKind(file: "a.mkv", arguments: "-c:v ffv1 -pix_fmt gbrp"),
  ]
}

@Suite struct `Pictures that are sRGB without saying so` {
  private let workshop = Workshop()

  private struct Color: Equatable, CustomStringConvertible {
    let components: [Double]
    var description: String { "\(components.map { ($0 * 10).rounded() / 10 })" }
    func distance(to other: Color) -> Double { zip(components, other.components).map { abs($0 - $1) }.max() ?? 255 }
  }

  /// Writes a picture with a red, a green, a blue and a grey quarter.
  private func write(_ kind: UntaggedKind, side: Int) throws -> String {
    let path = workshop.file(kind.file)
    let filter =
      "format=gbrp,geq=r='if(lt(Y,H/2),255*lt(X,W/2),128*gte(X,W/2))':g='if(lt(Y,H/2),255*gte(X,W/2),128*gte(X,W/2))'"
      + ":b='if(lt(Y,H/2),0,if(lt(X,W/2),255,128))'"
      + (kind.file.hasSuffix("gif") ? ",split[a][b];[a]palettegen=reserve_transparent=0[p];[b][p]paletteuse=dither=none" : "")
    try MediaTools.ffmpeg(
      ["-f", "lavfi", "-i", "color=s=\(side)x\(side):r=25:d=0.04", "-vf", filter, "-frames:v", "1"]
        + kind.arguments.split(separator: " ").map(String.init) + [path])
    return path
  }

  private func edit(_ file: String, side: Int, _ more: String = "", instruction: String = "") throws -> ResolvedTimeline {
    let content = instruction.isEmpty ? #""layerInstructions": [{"track": "V", "gravity": "resize"}]"# : instruction
    return try workshop.edit(
      """
      {"spool": 1, "assets": {"a": {"path": "\(file)"}},
       "composition": {"tracks": [{"id": "V", "media": "video", "segments": [
         {"asset": "a", "source": {"start": "0", "duration": "0.04"}}]}]},
       "videoComposition": {"renderSize": [\(side), \(side)], "frameDuration": "1/25", "color": "bt709"\(more), "instructions": [
         {"timeRange": {"start": "0", "duration": "0.04"}, \(content)}]},
       "export": {"preset": "lossless"}}
      """)
  }

  /// The colours in the middles of the quarters, converted to sRGB: by the matrix and range of BT.709, the light of BT.1886, and
  /// the curve of IEC 61966-2-1.
  private func quarters(of frame: PixelBuffer) -> [Color] {
    return [(1, 1), (3, 1), (1, 3), (3, 3)].map { (x, y) in
      let codes = (0..<3).map { index in
        let plane = unsafe frame.plane(index)
        return unsafe Double(plane.base[plane.height * y / 4 * plane.stride + plane.width * x / 4])
      }
      let (luma, blue, red) = ((codes[0] - 16) / 219, (codes[1] - 128) / 224, (codes[2] - 128) / 224)
      let (r, b) = (luma + 1.5748 * red, luma + 1.8556 * blue)
      let g = (luma - 0.2126 * r - 0.0722 * b) / 0.7152
      return Color(
        components: [r, g, b].map { value in
          let light = pow(min(max(value, 0), 1), 2.4)
          return 255 * (light <= 0.0031308 ? 12.92 * light : 1.055 * pow(light, 1 / 2.4) - 0.055)
        })
    }
  }

  /// The colours at the same places as ffmpeg decodes them. It does not convert primaries or transfer functions.
  private func expected(_ path: String, side: Int) throws -> [Color] {
    let raw = workshop.file("rgb")
    try MediaTools.ffmpeg([
      "-i", path, "-frames:v", "1", "-sws_flags", "accurate_rnd+full_chroma_int", "-pix_fmt", "rgb24", "-f", "rawvideo", raw,
    ])
    let bytes = try [UInt8](contentsOf: raw)
    return [(1, 1), (3, 1), (1, 3), (3, 3)].map { (x, y) in
      let start = 3 * (side * y / 4 * side + side * x / 4)
      return Color(components: bytes[start..<start + 3].map(Double.init))
    }
  }

  @Test(arguments: UntaggedKind.all, [100, 576, 1080])
  func `keep their colours in a movie in BT.709, whatever their size`(_ kind: UntaggedKind, side: Int) throws {
    let wanted = try expected(write(kind, side: side), side: side)
    let renderer = PictureRenderer(edit: try edit(kind.file, side: side), policy: workshop.policy)
    let found = quarters(of: try renderer.frame(0))
    for (found, wanted) in zip(found, wanted) {
      #expect(found.distance(to: wanted) <= (kind.isRGB ? 1 : 1.25), "\(found) is not \(wanted)")
    }
    if kind.arguments != "-pix_fmt gray" {
      #expect(found[0].distance(to: Color(components: [255, 0, 0])) <= (kind.isRGB ? 1 : 2.25))
    }
  }

  @Test(arguments: [100, 1080])
  func `have them when light is mixed, when turned, and where a compositor shows them`(side: Int) throws {
    let path = try write(UntaggedKind.all[2], side: side)
    let plain = try PictureRenderer(edit: edit("a.jpg", side: side), policy: workshop.policy).frame(0)
    let linear = try edit("a.jpg", side: side, #", "blending": "linear""#)
    #expect(try PictureRenderer(edit: linear, policy: workshop.policy).frame(0).md5() == plain.md5())
    let composed = try edit("a.jpg", side: side, instruction: #""compositor": {"name": "give", "requiredTracks": ["V"]}"#)
    let compositing = CustomCompositing(registry: CompositorRegistry(of: [Giver.self]))
    let given = try PictureRenderer(edit: composed, policy: workshop.policy, compositing: compositing).frame(0)
    // A compositor is given the stored picture as video in 8 bits, which is rounded twice.
    for (a, b) in zip(quarters(of: given), quarters(of: plain)) { #expect(a.distance(to: b) <= 1.5) }

    // The segment is an APP1: "Exif", a big-endian TIFF header, and one directory with one entry, orientation 3 (upside down).
    let bytes = try [UInt8](contentsOf: path)
    let tiff: [UInt8] = [0x4d, 0x4d, 0, 42, 0, 0, 0, 8, 0, 1, 1, 0x12, 0, 3, 0, 0, 0, 1, 0, 3, 0, 0, 0, 0, 0, 0]
    let segment = Array("Exif".utf8) + [0, 0] + tiff
    try (bytes.prefix(2) + [0xff, 0xe1, 0, UInt8(segment.count + 2)] + segment + bytes.dropFirst(2))
      .write(toFile: workshop.file("turned.jpg"))
    let turned = try PictureRenderer(edit: edit("turned.jpg", side: side), policy: workshop.policy).frame(0)
    for (a, b) in zip(quarters(of: turned), quarters(of: plain).reversed()) { #expect(a.distance(to: b) <= 1) }
  }

  @Test(arguments: [100, 1080])
  func `but for what their tags say otherwise`(side: Int) throws {
    try MediaTools.ffmpeg([
      "-f", "lavfi", "-i", "color=red:s=\(side)x\(side)", "-frames:v", "1", "-c:v", "ffv1", "-pix_fmt", "gbrp",
      "-color_primaries", "smpte170m", "-color_trc", "bt709", workshop.file("tagged.mkv"),
    ])
    let facts = try AssetProbe.facts(of: workshop.file("tagged.mkv"), policy: workshop.policy)
    guard case .video(let video) = facts.tracks[0].detail else { throw MediaTools.Failure(description: "no picture") }
    let color = video.color.resolved(height: side)
    #expect(color.primaries == .smpte170m && color.transfer == .bt709 && color.matrix == .rgb)
  }

  @Test(arguments: [100, 1080])
  func `and a movie of motion JPEG has BT.709's primaries and curve`(side: Int) throws {
    try MediaTools.ffmpeg([
      "-f", "lavfi", "-i", "color=red:s=\(side)x\(side):r=25", "-vf", "format=gbrp,scale=out_range=pc", "-frames:v", "2", "-c:v",
      "mjpeg",
      "-pix_fmt", "yuvj444p", "-q:v", "1", "-qmin", "1", workshop.file("a.avi"),
    ])
    let found = quarters(of: try PictureRenderer(edit: edit("a.avi", side: side), policy: workshop.policy).frame(0))
    #expect(found[0].distance(to: Color(components: [255, 0, 0])) <= 2)
    let facts = try AssetProbe.facts(of: workshop.file("a.avi"), policy: workshop.policy)
    guard case .video(let video) = facts.tracks[0].detail else { throw MediaTools.Failure(description: "no picture") }
    #expect(video.color.resolved(height: side).transfer == .bt709)
  }

  @Test func `and a motion JPEG that is exported shows the edit's colours to what reads JPEG`() throws {
    try MediaTools.ffmpeg(["-f", "lavfi", "-i", "color=black:s=64x64:r=25", "-frames:v", "2", workshop.file("black.mkv")])
    let edit = try workshop.edit(
      """
      {"spool": 1, "assets": {"a": {"path": "black.mkv"}},
       "composition": {"tracks": [{"id": "V", "media": "video", "segments": [{"asset": "a"}]}]},
       "videoComposition": {"renderSize": [64, 64], "frameDuration": "1/25", "color": "bt709", "instructions": [{"layerInstructions": ["V"]}]},
       "layers": [{"frame": [0, 0, 64, 64], "backgroundColor": "#20c040"}],
       "export": {"fileType": "mov", "video": {"codec": "mjpeg", "quantizer": 2, "chroma": "4:4:4"}}}
      """)
    let movie = try workshop.movie(of: edit, borders: [0], output: "movie.mov")
    try MediaTools.ffmpeg(["-i", movie, "-frames:v", "1", "-pix_fmt", "rgb24", "-f", "rawvideo", workshop.file("raw")])
    let bytes = try [UInt8](contentsOf: workshop.file("raw"))
    for (found, wanted) in zip(bytes[6300..<6303], [0x20, 0xc0, 0x40]) { #expect(abs(Int(found) - wanted) <= 3) }
  }
}
