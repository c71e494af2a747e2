import FarmTesting
import Formats
import FoundationEssentials
import Media
import MediaTime
import Rendering
import Scenes
import SpoolCompositing
import Testing

/// A kind of clip with alpha, and the way in which ffmpeg makes its pictures comparable.
struct AlphaClip: Sendable, CustomTestStringConvertible {
  let file: String
  let format: String
  let arguments: String
  var decoder: [String] = []
  /// The filter from the clip's pictures to those of the movie, with alpha, in 4:4:4 of 16 bits.
  var filter = "null"
  /// Whether pictures have the movie's own chroma.
  var isHalved: Bool { format == "yuva420p" }
  var isRGB: Bool { !format.hasPrefix("yuva") }
  var isStill: Bool { file.hasSuffix("png") || file.hasSuffix("webp") }
  var testDescription: String { "\(file) \(format) \(arguments)" }

  private static let toYUV = "zscale=m=709:r=tv:rin=pc:filter=bicubic:param_a=0:param_b=0.5:dither=none,format=yuva444p16le"

  static let vp9 = AlphaClip(
    file: "a.webm", format: "yuva420p", arguments: "-c:v libvpx-vp9 -lossless 1", decoder: ["-c:v", "libvpx-vp9"])

  /// A GIF's pixels are seen or not, and nothing between.
  static let gif = AlphaClip(
    file: "a.gif", format: "pal8", arguments: "", filter: "format=gbrap16le,\(toYUV)")

  static let all = [
    vp9,
    AlphaClip(
      file: "a.webm", format: "yuva420p", arguments: "-c:v libvpx -auto-alt-ref 0 -crf 4 -b:v 4M", decoder: ["-c:v", "libvpx"]),
    AlphaClip(file: "a.mkv", format: "yuva420p", arguments: "-c:v ffv1"),
    AlphaClip(
      file: "a.mov", format: "yuva444p10le", arguments: "-c:v prores_ks -profile:v 4444",
      filter: "zscale=dither=none,format=yuva444p16le"),
    AlphaClip(file: "a.mov", format: "argb", arguments: "-c:v qtrle", filter: "format=gbrap16le,\(toYUV)"),
    AlphaClip(file: "a.png", format: "rgba", arguments: "", filter: "format=gbrap16le,\(toYUV)"),
    AlphaClip(file: "a.webp", format: "bgra", arguments: "-c:v libwebp -lossless 1", filter: "format=gbrap16le,\(toYUV)"),
  ]
}

@Suite struct `Clips with alpha` {
  private let workshop = Workshop()
  private static let srgb = #"{"primaries": "bt709", "transfer": "iec61966-2-1", "matrix": "bt709", "range": "tv"}"#

  private func tags(_ isRGB: Bool) -> [String] {
    [
      "-colorspace", "bt709", "-color_primaries", "bt709", "-color_trc", isRGB ? "iec61966-2-1" : "bt709", "-color_range", "tv",
    ]
  }

  /// Writes a clip of 96 x 64 pixels. `alpha` is an expression of `geq` for alpha of 10 bits.
  private func write(_ clip: AlphaClip, alpha: String, frames: Int = 8) throws {
    // ProRes states the tags of its frames, not those of the encoder.
    let filter =
      "format=yuva444p10le,geq=lum='lum(X,Y)':cb='cb(X,Y)':cr='cr(X,Y)':a='\(alpha)'"
      + (clip.file == AlphaClip.gif.file
        ? ",trim=end_frame=\(frames),format=rgba,split[a][b];[a]palettegen=reserve_transparent=1[p];[b][p]paletteuse=dither=none"
        : "")
      + (clip.isRGB ? "" : ",setparams=color_primaries=bt709:color_trc=bt709:colorspace=bt709:range=tv")
    try MediaTools.ffmpeg(
      ["-f", "lavfi", "-i", "testsrc2=s=96x64:r=25", "-vf", filter, "-pix_fmt", clip.format]
        + ["-frames:v", clip.isStill ? "1" : "\(frames)"]
        + (clip.isRGB ? [] : tags(false)) + clip.arguments.split(separator: " ").map(String.init) + [workshop.file(clip.file)])
  }

  private func writeBase(isRGB: Bool) throws {
    try MediaTools.ffmpeg(
      ["-f", "lavfi", "-i", "mandelbrot=s=96x64:r=25", "-vf", "format=yuv420p", "-frames:v", "8", "-c:v", "ffv1"] + tags(isRGB)
        + [workshop.file("base.mkv")])
  }

  /// The clip over the base.
  private func edit(_ clip: AlphaClip, _ more: String = "", segment: String = "") throws -> ResolvedTimeline {
    let source = clip.isStill ? #", "source": {"start": "0", "duration": "0.32"}"# : ""
    return try workshop.edit(
      """
      {"spool": 1, "assets": {"base": {"path": "base.mkv"}, "a": {"path": "\(clip.file)"}},
       "composition": {"tracks": [
         {"id": "B", "media": "video", "segments": [{"asset": "base"}]},
         {"id": "A", "media": "video", "segments": [{"asset": "a"\(source)\(segment)}]}]},
       "videoComposition": {"renderSize": [96, 64], "frameDuration": "1/25", "color": \(clip.isRGB ? Self.srgb : #""bt709""#)\(more),
         "instructions": [{"layerInstructions": [{"track": "A"}, {"track": "B"}]}]},
       "export": {"fileType": "mkv", "video": {"codec": "ffv1"}}}
      """)
  }

  /// The frames that ffmpeg's filters make, packed one after the other.
  private func frames(_ inputs: [String], _ graph: String, _ format: String) throws -> [UInt8] {
    let raw = workshop.file("raw")
    try MediaTools.ffmpeg(
      inputs + ["-filter_complex", graph, "-frames:v", "8", "-f", "rawvideo", "-pix_fmt", format, raw])
    return try [UInt8](contentsOf: raw)
  }

  @Test(arguments: AlphaClip.all.filter(\.isHalved))
  func `lie over others as ffmpeg's overlay lays them, to within a code value`(_ clip: AlphaClip) throws {
    // A cell of chroma has one alpha, so it does not matter how alpha is filtered for it.
    try write(clip, alpha: "1023*mod(floor(Y/2)+3*N,32)/31")
    try writeBase(isRGB: false)
    let renderer = PictureRenderer(edit: try edit(clip), policy: workshop.policy)
    let inputs = ["-i", workshop.file("base.mkv")] + clip.decoder + ["-i", workshop.file(clip.file)]
    let expected = try frames(inputs, "[0][1]overlay=format=yuv420", "yuv420p")
    let size = 96 * 64 * 3 / 2
    #expect(expected.count == 8 * size)
    for index in 0..<8 {
      let frame = try renderer.frame(index).packed()
      let most = zip(frame, expected[index * size..<(index + 1) * size]).map { abs(Int($0) - Int($1)) }.max() ?? 255
      #expect(most <= 1, "frame \(index)")
    }
  }

  @Test(arguments: AlphaClip.all.filter { !$0.isHalved } + [AlphaClip.gif])
  func `lie over others by the arithmetic of alpha, to within a code value`(_ clip: AlphaClip) throws {
    try write(clip, alpha: "1023*mod(X+5*Y+3*N,96)/95")
    try writeBase(isRGB: clip.isRGB)
    let renderer = PictureRenderer(edit: try edit(clip), policy: workshop.policy)
    let loop = clip.isStill ? ",loop=8:1:0,setpts=N/25/TB" : ""
    let (count, input) = (96 * 64, ["-i", workshop.file(clip.file)])
    let base = try frames(["-i", workshop.file("base.mkv")], "null", "yuv420p")
    let picture = try frames(input, "\(clip.filter)\(loop)", "yuva444p16le")
    for index in 0..<8 {
      let frame = try renderer.frame(index).packed()
      func word(_ plane: Int, _ sample: Int) -> Double {
        let start = 2 * ((4 * index + plane) * count + sample)
        return Double(Int(picture[start]) | Int(picture[start + 1]) << 8)
      }
      for sample in 0..<count {
        // libswscale puts zeros below an alpha of 8 bits.
        let share = clip.isRGB ? (word(3, sample) / 256).rounded(.down) / 255 : word(3, sample) / 65535
        // The layer is rounded to the movie's 8 bits before it is mixed, as for ffmpeg's overlay.
        let (ground, layer) = (Double(base[index * count * 3 / 2 + sample]), (word(0, sample) / 256).rounded())
        let code = (ground * (1 - share) + layer * share).rounded()
        if abs(Double(frame[sample]) - code) > 1 {
          return #expect(Double(frame[sample]) == code, "frame \(index), sample \(sample)")
        }
      }
    }
  }

  @Test(arguments: AlphaClip.all)
  func `mix chroma, too, by an alpha that all of a picture has`(_ clip: AlphaClip) throws {
    try write(clip, alpha: "1023*(N+3)/12")
    try writeBase(isRGB: clip.isRGB)
    let edit = try edit(clip)
    let (mixed, opaque) = (PictureRenderer(edit: edit, policy: workshop.policy), try withoutAlpha(edit))
    let below = AlphaClip(file: "base.mkv", format: clip.isRGB ? "bgra" : "yuva420p", arguments: "")
    let base = PictureRenderer(edit: try self.edit(below), policy: workshop.policy)
    for index in [0, 3, 7] {
      let share = ((clip.isStill ? 3 : Double(index) + 3) * 1023 / 12).rounded(.down) / 1023
      let frames = try [mixed.frame(index).packed(), opaque.frame(index).packed(), base.frame(index).packed()]
      for sample in frames[0].indices {
        let exact = Double(frames[1][sample]) * share + Double(frames[2][sample]) * (1 - share)
        // The alpha of the file is rounded to 8 bits, and VP8's is only near it.
        let tolerance = clip.arguments.contains("crf") ? 3.0 : 1.5
        if abs(Double(frames[0][sample]) - exact) > tolerance {
          return #expect(Double(frames[0][sample]) == exact, "frame \(index), sample \(sample)")
        }
      }
    }
  }

  /// Renders an edit by facts that say nothing of alpha, as stored facts did before it was read.
  private func withoutAlpha(_ edit: ResolvedTimeline) throws -> PictureRenderer {
    let facts = try edit.facts.mapValues { facts in
      let text = String(decoding: try JSONEncoder().encode(facts), as: UTF8.self)
      return try JSONDecoder().decode(
        AssetFacts.self, from: Data(text.replacing(#""alpha":"straight""#, with: #""unknown":0"#).utf8))
    }
    return PictureRenderer(edit: try edit.timeline.resolved(with: facts), policy: workshop.policy)
  }

  @Test func `are opaque by facts that were stored before alpha was read`() throws {
    try write(AlphaClip.vp9, alpha: "1023*gte(X,48)")
    try writeBase(isRGB: false)
    let edit = try edit(AlphaClip.vp9)
    let frame = try withoutAlpha(edit).frame(0)
    #expect(try frame.md5() != PictureRenderer(edit: edit, policy: workshop.policy).frame(0).md5())
    let raw = workshop.file("raw")
    try MediaTools.ffmpeg(["-i", workshop.file("a.webm"), "-frames:v", "1", "-pix_fmt", "yuv420p", "-f", "rawvideo", raw])
    #expect(try frame.packed() == [UInt8](contentsOf: raw))
  }

  @Test(arguments: [false, true])
  func `show the same frames in any number of chunks, backwards, and when the movie is verified`(reversed: Bool) throws {
    try write(AlphaClip.vp9, alpha: "1023*mod(X+Y+9*N,96)/95", frames: 24)
    try writeBase(isRGB: false)
    let edit = try edit(AlphaClip.vp9, segment: reversed ? #", "reversed": true"# : "")
    let count = try edit.frameCount
    var digests: Set<String> = []
    for chunks in [1, 3, 5] {
      let movie = try workshop.movie(of: edit, borders: (0..<chunks).map { $0 * count / chunks }, output: "\(chunks).mkv")
      digests.insert(try MediaTools.ffmpeg(["-i", movie, "-f", "framemd5", "-"]))
      #expect(try MovieVerification(of: movie, against: edit, policy: workshop.policy) { _ in }.faults == [])
    }
    #expect(digests.count == 1)
  }

  @Test func `show the background where nothing lies below, also from within a composition and to a compositor`() throws {
    try write(AlphaClip.vp9, alpha: "1023*gte(X,48)")
    func frame(_ composition: String, _ instruction: String) throws -> [UInt8] {
      let edit = try workshop.edit(
        """
        {"spool": 1, "assets": {"a": {"path": "a.webm"}},
         "compositions": {"inner": {"tracks": [{"id": "V", "media": "video", "segments": [{"asset": "a"}]}],
           "videoComposition": {"instructions": [{"background": "#0000FF", "layerInstructions": [{"track": "V"}]}]}}},
         "composition": {"tracks": [{"id": "V", "media": "video", "segments": [{\(composition)}]}]},
         "videoComposition": {"renderSize": [96, 64], "frameDuration": "1/25", "color": "bt709", "instructions": [
           {"background": "#FFFFFF", \(instruction)}]},
         "export": {"fileType": "mkv", "video": {"codec": "ffv1"}}}
        """)
      let compositing = CustomCompositing(registry: CompositorRegistry(of: [Giver.self]))
      return try PictureRenderer(edit: edit, policy: workshop.policy, compositing: compositing).frame(0).packed()
    }
    let shown = #""layerInstructions": [{"track": "V"}]"#
    let given = #""compositor": {"name": "give", "requiredTracks": ["V"]}"#
    let plain = try frame(#""asset": "a""#, shown)
    #expect(plain[10] == 235 && plain[96 * 30 + 20] == 235)
    #expect(try frame(#""asset": "a""#, given) == plain)
    // A nested composition is opaque: its own background is shown.
    let nested = try frame(#""composition": "inner""#, shown)
    #expect(abs(Int(nested[10]) - 32) <= 1)
    #expect(Array(nested[60..<96]) == Array(plain[60..<96]))
  }
}
