import Document
import FarmTesting
import Formats
import Media
import Rendering
import Scenes
import Testing
import Timeline

/// Movies whose pixels are wider or narrower than high. ffprobe tells their shape, and ffmpeg makes the reference.
@Suite struct `A movie whose pixels are not square` {
  private let workshop = Workshop()

  private init() throws { try workshop.clip("a.mp4", frameCount: 6, width: 1024, height: 576) }

  private func edit(_ export: String, size: String = "[1024, 576]") throws -> ResolvedTimeline {
    try workshop.edit(
      """
      {"spool": 1, "assets": {"a": {"path": "a.mp4"}},
       "composition": {"tracks": [{"id": "A", "media": "video", "segments": [{"asset": "a"}]}]},
       "videoComposition": {"renderSize": \(size)}, "export": {\(export)}}
      """)
  }

  private func fault(_ export: String, size: String = "[1024, 576]") -> String {
    do {
      _ = try edit(export, size: size)
      return "none"
    } catch { return "\(error)" }
  }

  @Test(arguments: [
    ("mp4", "h264", "mp4"), ("mov", "prores", "mov"), ("mkv", "ffv1", "mkv"),
    ("mp4", "hevc", "mp4"), ("webm", "vp9", "webm"), ("mp4", "av1", "mp4"),
    ("mxf", "mpeg2", "mxf"), ("mpegts", "mpeg2", "ts"), ("mpegts", "h264", "ts"),
    ("mov", "dnxhr", "mov"), ("mov", "v210", "mov"), ("mov", "mjpeg", "mov"),
  ])
  func `says their shape, and has as many as that makes`(type: String, codec: String, ending: String) throws {
    let edit = try edit(#""fileType": "\#(type)", "video": {"codec": "\#(codec)", "pixelAspectRatio": [128, 90]}"#)
    #expect(edit.videoComposition?.outputSize == PixelSize(720, 576))
    let movie = try workshop.movie(of: edit, borders: [0, 3], output: "m.\(ending)")
    let entries = "stream=width,height,sample_aspect_ratio"
    let shape = try MediaTools.ffprobe(["-select_streams", "v:0", "-show_entries", entries, "-of", "csv=p=0", movie])
    #expect(shape.hasPrefix("720,576,64:45"), "\(shape)")
    guard case .video(let video) = try AssetProbe.facts(of: movie, policy: workshop.policy).tracks[0].detail else {
      Issue.record("no picture")
      return
    }
    #expect(video.pixelAspect == PixelSize(64, 45) && video.displaySize == PixelSize(1024, 576))
    #expect(try MovieVerification(of: movie, against: edit, policy: workshop.policy) { _ in }.faults == [])
  }

  @Test func `has the frames that ffmpeg scales to its size`() throws {
    let movie = try workshop.movie(
      of: edit(#""fileType": "mkv", "video": {"codec": "ffv1", "pixelAspectRatio": [64, 45]}"#), borders: [0], output: "m.mkv")
    let graph =
      "[0:v]zscale=720:576:filter=bicubic:param_a=0:param_b=0.5,format=yuv420p[a];[1:v]format=yuv420p[b];[a][b]psnr=stats_file=-"
    let report = try MediaTools.ffmpeg(
      ["-i", workshop.file("a.mp4"), "-i", movie, "-filter_complex", graph, "-f", "null", "-"])
    let found = report.matches(of: /psnr_avg:([0-9.]+|inf)/).map(\.1)
    #expect(found.count == 6 && found.allSatisfy { $0 == "inf" || Double($0)! > 40 }, "\(report)")
  }

  /// Narrow pixels make longer lines: those of NTSC's 4:3.
  @Test func `has longer lines where its pixels are narrow`() throws {
    let narrow = try edit(#""video": {"pixelAspectRatio": [8, 9]}"#, size: "[640, 480]")
    #expect(narrow.videoComposition?.outputSize == PixelSize(720, 480))
    #expect(narrow.videoComposition?.displaySize == PixelSize(640, 480))
    let small = try edit(#""video": {"pixelAspectRatio": [4, 3]}, "maximumSize": [512, 288]"#)
    #expect(small.videoComposition?.outputSize == PixelSize(384, 288))
  }

  @Test func `has a poster and thumbnails in square ones`() throws {
    let edit = try edit(
      #""video": {"pixelAspectRatio": [64, 45]}, "poster": {}, "thumbnails": {"interval": "0.1", "width": 160}"#)
    let stills = try #require(try edit.stills)
    #expect(stills.poster?.size == PixelSize(1024, 576) && stills.thumbnails?.size == PixelSize(160, 90))
  }

  @Test func `is looked at frame by frame in square ones`() throws {
    let edit = try edit(#""video": {"pixelAspectRatio": [64, 45]}"#)
    #expect(edit.inSquarePixels.videoComposition?.outputSize == PixelSize(1024, 576))
  }

  @Test func `is written down as it was read`() throws {
    let edit = try edit(#""video": {"pixelAspectRatio": [128, 90]}"#)
    let text = String(decoding: edit.timeline.canonicalJSON(), as: UTF8.self)
    #expect(text.contains(#""pixelAspectRatio":[64,45]"#))
    #expect(try Timeline.parse(Array(text.utf8)) == edit.timeline)
  }

  @Test(arguments: [
    (#""video": {"pixelAspectRatio": [0, 1]}"#, "pixelAspectRatio[0]: 0 is not in 1"),
    (#""video": {"pixelAspectRatio": [1.5, 1]}"#, "pixelAspectRatio: has two whole numbers, such as [64, 45]"),
    (#""video": {"pixelAspectRatio": [5, 1]}"#, "pixelAspectRatio: a pixel is at most four times as wide as high"),
    (#""video": {"pixelAspectRatio": 2}"#, "pixelAspectRatio: expected [horizontal, vertical]"),
    (
      #""fileType": "avi", "video": {"codec": "mjpeg", "pixelAspectRatio": [4, 3]}"#,
      "avi does not say which shape its pixels have"
    ),
    (#""fileType": "cmaf", "video": {"pixelAspectRatio": [4, 3]}"#, "players of HLS and DASH expect square pixels: use mp4, mov"),
    (
      #""fileType": "mxf", "video": {"codec": "dnxhr", "pixelAspectRatio": [4, 3]}"#,
      "FFmpeg does not read it of dnxhr in mxf: use mov"
    ),
    (#""video": {"copy": "auto", "pixelAspectRatio": [4, 3]}"#, "not copied into a movie whose pixels are not square"),
    (
      #""fileType": "mxf", "video": {"codec": "mpeg2", "pixelAspectRatio": [5, 4]}"#,
      "mpeg2 says of a frame that it is shown as 4:3, 16:9 or 2.21:1, which 820x576 of such pixels is not"
    ),
    (#""video": {"sar": [4, 3]}"#, "pixelAspectRatio"),
  ])
  func `is refused where that cannot be said`(export: String, words: String) {
    let found = fault(export)
    #expect(found.contains(words), "\(found)")
  }
}
