import Compositing
import Document
import FarmTesting
import Formats
import FoundationEssentials
import Media
import MediaTime
import Rendering
import Scenes
import Testing
import Timeline

/// A codec with alpha in a file type, and the way in which ffmpeg reads its alpha.
struct AlphaCell: Sendable, CustomTestStringConvertible {
  let video: String
  let type: String
  var decoder: [String] = []
  /// The largest code of alpha, as ffmpeg decodes it, and its format.
  let top: Double
  let gray: String
  /// The most codes of alpha, of 255, by which a lossy codec may miss.
  var tolerance = 0.0
  var testDescription: String { "\(video) in \(type)" }

  static let all = [
    AlphaCell(video: #""codec": "prores", "profile": "4444""#, type: "mov", top: 4095, gray: "gray12le"),
    AlphaCell(video: #""codec": "prores", "profile": "4444xq""#, type: "mkv", top: 1023, gray: "gray10le"),
    AlphaCell(video: #""codec": "ffv1""#, type: "mkv", top: 255, gray: "gray"),
    AlphaCell(video: #""codec": "ffv1", "chroma": "4:4:4", "bitDepth": 10"#, type: "mov", top: 1023, gray: "gray10le"),
    AlphaCell(
      video: #""codec": "vp9", "crf": 4"#, type: "webm", decoder: ["-c:v", "libvpx-vp9"], top: 255, gray: "gray", tolerance: 6),
    AlphaCell(
      video: #""codec": "vp9", "crf": 4"#, type: "mkv", decoder: ["-c:v", "libvpx-vp9"], top: 255, gray: "gray", tolerance: 6),
  ]
}

/// Movies with alpha, against the arithmetic of alpha, as ffmpeg reads them.
@Suite struct `Movies with alpha` {
  private let workshop = Workshop()
  private let width = 96
  private let height = 64

  private init() throws {
    for (name, source) in [("a", "testsrc2=s=96x64:r=25"), ("b", "mandelbrot=s=96x64:r=25")] {
      try MediaTools.ffmpeg([
        "-f", "lavfi", "-i", source, "-vf", "format=gbrp,zscale=m=709:r=tv,format=yuv444p", "-frames:v", "8", "-c:v", "ffv1",
        "-colorspace", "bt709", "-color_primaries", "bt709", "-color_trc", "bt709", "-color_range", "tv",
        workshop.file("\(name).mkv"),
      ])
    }
  }

  /// An edit of 8 frames: the clip `a` on the left half fades out, and a green layer lies over its middle with an alpha of 128/255.
  private func edit(
    _ video: String = #""codec": "ffv1", "chroma": "4:4:4", "bitDepth": 10"#, type: String = "mkv", alpha: Bool = true,
    instruction: String = faded, layers: String = green, more: String = ""
  ) throws -> ResolvedTimeline {
    try workshop.edit(
      """
      {"spool": 1, "assets": {"a": {"path": "a.mkv"}, "b": {"path": "b.mkv"}},
       "compositions": {
         "clear": {"tracks": [{"id": "V", "media": "video", "segments": [{"asset": "b"}]}],
           "videoComposition": {"instructions": [{"layerInstructions": [{"track": "V", "crop": [0, 0, 48, 64]}]}]}},
         "white": {"tracks": [{"id": "V", "media": "video", "segments": [{"asset": "b"}]}],
           "videoComposition": {"instructions": [{"background": "#FFFFFF40", "layerInstructions": [{"track": "V", "crop": [0, 0, 48, 64]}]}]}}},
       "composition": {"tracks": [
         {"id": "A", "media": "video", "segments": [{"asset": "a"}]}, {"id": "B", "media": "video", "segments": [{"asset": "b"}]},
         {"id": "C", "media": "video", "segments": [{"composition": "clear"}]},
         {"id": "W", "media": "video", "segments": [{"composition": "white"}]}]},
       "videoComposition": {"renderSize": [96, 64], "frameDuration": "1/25", "color": "bt709"\(more), "instructions": [{\(instruction)}]},
       "layers": [\(layers)], "export": {"fileType": "\(type)", "video": {\(video), "alpha": \(alpha)}}}
      """)
  }

  private static let faded = #"""
    "layerInstructions": [{"track": "A", "crop": [0, 0, 48, 64],
      "opacity": [{"at": "0", "value": 1}, {"at": "0.32", "value": 0}]}]
    """#
  private static let green = ##"{"frame": [24, 16, 48, 32], "backgroundColor": "#00FF0080"}"##

  /// The alpha of a pixel of that edit.
  private func alpha(_ x: Int, _ y: Int, frame: Int) -> Double {
    let clip = x < 48 ? 1 - Double(frame) / 8 : 0
    let layer = (24..<72).contains(x) && (16..<48).contains(y) ? 128.0 / 255 : 0
    return 1 - (1 - clip) * (1 - layer)
  }

  /// The alpha of each pixel of each frame of a movie, 0...1, as ffmpeg extracts it.
  private func extracted(_ movie: String, _ cell: AlphaCell) throws -> [Double] {
    let raw = workshop.file("raw")
    try MediaTools.ffmpeg(
      cell.decoder + ["-i", movie, "-vf", "alphaextract", "-pix_fmt", cell.gray, "-f", "rawvideo", raw])
    let bytes = try [UInt8](contentsOf: raw)
    guard cell.gray != "gray" else { return bytes.map { Double($0) / cell.top } }
    return stride(from: 0, to: bytes.count, by: 2).map { Double(Int(bytes[$0]) | Int(bytes[$0 + 1]) << 8) / cell.top }
  }

  @Test(arguments: AlphaCell.all)
  func `have the alpha of what was laid into the frame, in any number of chunks`(_ cell: AlphaCell) throws {
    let edit = try edit(cell.video, type: cell.type)
    var digests: Set<String> = []
    for borders in [[0], [0, 3, 4]] {
      let movie = try workshop.movie(of: edit, borders: borders, output: "movie.\(cell.type)")
      let count = try MediaTools.ffprobe(
        ["-count_frames", "-select_streams", "v", "-show_entries", "stream=nb_read_frames", "-of", "csv=p=0", movie])
      #expect(count.hasPrefix("8"))
      let found = try extracted(movie, cell)
      #expect(found.count == 8 * width * height)
      // Alpha is rounded to the bits of the movie's components.
      let depth = edit.timeline.export.video.bitDepth == 8 ? 255.0 : 1023
      var worst = 0.0
      for index in found.indices {
        let (x, y, frame) = (index % width, index / width % height, index / width / height)
        worst = max(worst, abs(found[index] - alpha(x, y, frame: frame)))
      }
      #expect(worst <= 0.51 / depth + 1 / 4095 + cell.tolerance / 255)
      let verified = try MovieVerification(of: movie, against: edit, policy: workshop.policy) { _ in }
      #expect(verified.faults == [])
      #expect(verified.isLossless == (verified.pictures == .equal))
      digests.insert(try MediaTools.ffmpeg(cell.decoder + ["-i", movie, "-f", "framemd5", "-"]))
    }
    #expect(cell.tolerance > 0 || digests.count == 1)
  }

  @Test func `have straight colours, and none where they are clear`() throws {
    let (renderer, opaque) = try (
      PictureRenderer(edit: edit(), policy: workshop.policy),
      PictureRenderer(edit: edit(alpha: false, instruction: #""layerInstructions": ["A"]"#, layers: ""), policy: workshop.policy)
    )
    let (frame, source) = try (renderer.frame(2), opaque.frame(2))
    let share = 128.0 / 255
    for plane in 0..<3 {
      let (found, given) = (frame.codes(plane), source.codes(plane))
      // The codes of #00FF00 in BT.709 with limited range and 10 bits.
      let green = [690.5, 166.7, 105][plane]
      for y in [4, 30, 60] {
        for x in [3, 20, 30, 46, 60, 71, 90] {
          let (clip, layer) = (x < 48 ? 0.75 : 0, (24..<72).contains(x) && (16..<48).contains(y) ? share : 0)
          let whole = 1 - (1 - clip) * (1 - layer)
          let exact =
            whole == 0
            ? [64.0, 512, 512][plane] : (Double(given[y * width + x]) * clip * (1 - layer) + green * layer) / whole
          #expect(abs(Double(found[y * width + x]) - exact) <= 1, "plane \(plane) at \(x), \(y)")
        }
      }
    }
  }

  // Halfway, at frame 4. `a` covers the left half and `b` the right one, so a push from the right moves both out of the frame's view.
  @Test(arguments: [
    (#""kind": "dissolve""#, 0.5), (##""kind": "dipToColor", "color": "#000000""##, 1),
    (#""kind": "push", "subtype": "fromRight""#, 0), (#""kind": "push", "subtype": "fromLeft""#, 1),
  ])
  func `keep alpha through transitions`(_ transition: String, _ expected: Double) throws {
    let instruction = """
      "transition": {\(transition), "from": {"track": "A", "crop": [0, 0, 48, 64]}, "to": {"track": "B", "crop": [48, 0, 48, 64]}}
      """
    let frame = try PictureRenderer(edit: edit(instruction: instruction, layers: ""), policy: workshop.policy).frame(4)
    let codes = frame.alphaCodes(ofRow: 32, bitDepth: 10)
    for x in 0..<width { #expect(abs(Double(codes[x]) - expected * 1023) <= 1, "at \(x)") }
  }

  @Test func `are clear where a nested composition shows nothing, and have its background where it states one`() throws {
    func codes(_ track: String) throws -> [UInt16] {
      let edit = try edit(instruction: #""layerInstructions": ["\#(track)"]"#, layers: "")
      return try PictureRenderer(edit: edit, policy: workshop.policy).frame(1).alphaCodes(ofRow: 9, bitDepth: 10)
    }
    #expect(try codes("C") == Array(repeating: 1023, count: 48) + Array(repeating: 0, count: 48))
    #expect(try codes("W") == Array(repeating: 1023, count: 48) + Array(repeating: 257, count: 48))
  }

  @Test func `have the background that is stated, with its own alpha`() throws {
    let edit = try edit(instruction: ##""background": "#FF000080", "layerInstructions": []"##, layers: "")
    let frame = try PictureRenderer(edit: edit, policy: workshop.policy).frame(0)
    #expect(frame.alphaCodes(ofRow: 0, bitDepth: 8).allSatisfy { $0 == 128 })
    #expect(abs(frame.codes(0)[0] - 250) <= 1)
  }

  @Test func `are scaled with their alpha, as ffmpeg's raw frames tell`() throws {
    let edit = try edit(more: #", "renderScale": 0.5"#)
    let movie = try workshop.movie(of: edit, borders: [0], output: "movie.mkv")
    let listed = try MediaTools.ffmpeg(["-i", movie, "-f", "framemd5", "-"]).split(separator: "\n")
      .filter { !$0.hasPrefix("#") }.compactMap { $0.split(separator: " ").last.map(String.init) }
    let renderer = PictureRenderer(edit: edit, policy: workshop.policy)
    #expect(try listed == (0..<8).map { try renderer.frame($0).md5(withAlpha: true) })
    #expect(try renderer.frame(4).width == 48)
  }

  // The frame is laid over a colour here as a viewer lays it, and compared with the movie without alpha that has this background.
  @Test func `show layers in space with filters and masks as over the background of a movie without alpha`() throws {
    let layers = ##"""
      {"track": "B", "frame": [8, 8, 72, 48], "rotationY": 40, "perspective": 200, "opacity": 0.75,
       "filters": [{"blur": 3}], "maskMode": "luminance",
       "mask": {"gradient": {"colors": ["#FFFFFF", "#202020"]}, "frame": [0, 0, 72, 48]}}
      """##
    let instruction = #""layerInstructions": []"#
    let (clear, opaque) = try (
      PictureRenderer(edit: edit(instruction: instruction, layers: layers), policy: workshop.policy),
      PictureRenderer(
        edit: edit(alpha: false, instruction: ##""background": "#000000", "## + instruction, layers: layers),
        policy: workshop.policy)
    )
    let (frame, expected) = try (clear.frame(3), (0..<3).map(opaque.frame(3).codes))
    let found = (0..<3).map(frame.codes)
    var (seen, worst) = (0, 0.0)
    for y in 0..<height {
      let shares = frame.alphaCodes(ofRow: y, bitDepth: 10)
      for x in 0..<width {
        let share = Double(shares[x]) / 1023
        if share > 0.1, share < 0.9 { seen += 1 }
        for plane in 0..<3 {
          let (code, black) = (Double(found[plane][y * width + x]), [64.0, 512, 512][plane])
          worst = max(worst, abs(black + (code - black) * share - Double(expected[plane][y * width + x])))
        }
      }
    }
    #expect(seen > 1000)
    #expect(worst <= 2.5)
  }

  @Test func `become pictures with alpha`() throws {
    let frame = try PictureRenderer(edit: edit(#""codec": "ffv1""#), policy: workshop.policy).frame(2).rgb(.bt709)
    let path = workshop.file("frame.png")
    try PNGImage(frame).write(to: path)
    let raw = workshop.file("raw")
    try MediaTools.ffmpeg(["-i", path, "-pix_fmt", "rgba", "-f", "rawvideo", raw])
    let bytes = try [UInt8](contentsOf: raw)
    #expect(bytes.count == 4 * width * height)
    for (x, y) in [(3, 3), (30, 30), (60, 30), (90, 60)] {
      let pixel = Array(bytes[4 * (y * width + x)..<4 * (y * width + x) + 4])
      #expect(abs(Double(pixel[3]) / 255 - alpha(x, y, frame: 2)) <= 0.51 / 255)
      if x == 60 { #expect(pixel[0] <= 1 && pixel[1] >= 254 && pixel[2] <= 1) }
    }
  }

  @Test(arguments: [
    (
      #""codec": "h264""#, "mp4",
      "export.video.alpha: h264 has no alpha: use ffv1, vp9, png, webp, tiff, or prores of the profile 4444 or 4444xq"
    ),
    (
      #""codec": "prores", "profile": "hq""#, "mov",
      "export.video.alpha: prores hq has no alpha: use ffv1, vp9, png, webp, tiff, or prores of the profile 4444 or 4444xq"
    ),
    (#""codec": "vp9", "bitDepth": 10"#, "webm", "export.video.alpha: vp9 has alpha with 8 bits, not with 10"),
    (#""codec": "vp9""#, "mp4", "export.fileType: mp4 cannot hold the alpha of vp9: use webm or mkv"),
  ])
  func `are refused where the codec or the file has none`(_ video: String, _ type: String, _ fault: String) throws {
    let error = #expect(throws: (any Error).self) { try edit(video, type: type) }
    #expect("\(error.map { "\($0)" } ?? "")".contains(fault))
  }

  @Test func `are refused where they would depend on what lies behind them`() throws {
    let error = #expect(throws: (any Error).self) {
      try edit(
        layers: ##"""
          {"frame": [0, 0, 9, 9], "backgroundColor": "#FFFFFF", "blendMode": "multiply"},
          {"frame": [0, 0, 9, 9], "backdropFilters": [{"blur": 2}]}
          """##,
        more: #", "blending": "linear""#)
    }
    let words = error.map { "\($0)" } ?? ""
    #expect(words.contains("videoComposition.blending: a movie with alpha is mixed in codes"))
    #expect(words.contains("layers[0].blendMode: a movie with alpha has no multiply"))
    #expect(words.contains("layers[1].backdropFilters: a movie with alpha has none of these"))
  }

  @Test func `keep what the document says, in its canonical form`() throws {
    for background in ["", ##""background": "#000000", "##, ##""background": "#FF000080", "##] {
      let edit = try edit(instruction: background + #""layerInstructions": ["A"]"#, layers: "").timeline
      let again = try Timeline.parse(edit.canonicalJSON())
      #expect(again == edit)
      #expect(again.export.video.hasAlpha)
    }
  }
}

extension PixelBuffer {
  /// The codes of a plane of more than 8 bits.
  fileprivate func codes(_ index: Int) -> [Int] {
    let bytes = packed()
    let start = (0..<index).reduce(0) { $0 + sampleCount(ofPlane: $1) }
    return (start..<start + sampleCount(ofPlane: index)).map { Int(bytes[2 * $0]) | Int(bytes[2 * $0 + 1]) << 8 }
  }

  private func sampleCount(ofPlane index: Int) -> Int {
    let shift = format.shift(ofPlane: index)
    return (width >> shift.x) * (height >> shift.y)
  }
}
