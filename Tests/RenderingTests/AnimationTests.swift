import FarmTesting
import FoundationEssentials
import Media
import Rendering
import Scenes
import Testing
import Timeline

/// Animated GIFs, as ffmpeg reads them.
@Suite struct `Animated GIFs` {
  private let workshop = Workshop()

  private func edit(
    _ export: String = #""fileType": "gif""#, frameDuration: String = "1/25", layers: String = "",
    instruction: String = #""layerInstructions": ["V"]"#
  ) throws -> ResolvedTimeline {
    try workshop.edit(
      """
      {"spool": 1, "assets": {"v": {"path": "v.mkv"}},
       "composition": {"tracks": [
         {"id": "V", "media": "video", "segments": [{"asset": "v"}]}, {"id": "S", "media": "audio", "segments": [{"asset": "v"}]}]},
       "videoComposition": {"renderSize": [96, 64], "frameDuration": "\(frameDuration)", "color": "bt709", "instructions": [{\(instruction)}]},
       "layers": [\(layers)], "export": {\(export)}}
      """)
  }

  private init() throws {
    try MediaTools.ffmpeg([
      "-f", "lavfi", "-i", "testsrc2=s=96x64:r=25", "-f", "lavfi", "-i", "sine", "-t", "0.48", "-c:v", "ffv1", "-pix_fmt",
      "yuv444p",
      "-c:a", "flac", workshop.file("v.mkv"),
    ])
  }

  private func pixels(_ movie: String) throws -> [UInt8] {
    let raw = workshop.file("raw")
    try MediaTools.ffmpeg(["-i", movie, "-fps_mode", "passthrough", "-pix_fmt", "rgba", "-f", "rawvideo", raw])
    return try [UInt8](contentsOf: raw)
  }

  @Test func `are the same bytes in any number of chunks, without the sound, with every frame at its time`() throws {
    let edit = try edit(frameDuration: "1/30")
    var files: Set<[UInt8]> = []
    for borders in [[0], [0, 4, 5], [0, 1, 2, 3, 7, 9, 12]] {
      let movie = try workshop.movie(of: edit, borders: borders, output: "movie.gif")
      files.insert(try [UInt8](contentsOf: movie))
      let verified = try MovieVerification(of: movie, against: edit, policy: workshop.policy, floor: 20) { _ in }
      #expect(verified.faults == [])
    }
    #expect(files.count == 1)
    // The time of frame i is i/30 s, to the nearest hundredth.
    let times = try MediaTools.ffprobe([
      "-show_entries", "packet=pts_time", "-of", "csv=p=0", workshop.file("movie.gif"),
    ]).split(whereSeparator: \.isNewline).compactMap { Double($0.prefix { $0 != "," }) }
    let exact = (0..<15).map { (index: Int) -> Double in (Double(index) * 100 / 30).rounded() / 100 }
    #expect(times == exact)
    let streams = try MediaTools.ffprobe(["-show_entries", "stream=codec_name", "-of", "csv=p=0", workshop.file("movie.gif")])
    #expect(streams == "gif\n")
  }

  @Test func `keep the colours of a picture of few colours exactly`() throws {
    let flat =
      ##"{"frame": [0, 0, 48, 64], "backgroundColor": "#FF0000"}, {"frame": [48, 0, 48, 64], "backgroundColor": "#20C040"}"##
    let movie = try workshop.movie(of: edit(layers: flat), borders: [0, 5], output: "movie.gif")
    let pixels = try pixels(movie)
    #expect(pixels.count == 12 * 96 * 64 * 4)
    for (x, color) in [(5, [255, 0, 0]), (80, [32, 192, 64])] {
      for frame in [0, 5, 11] {
        let start = 4 * (frame * 96 * 64 + 30 * 96 + x)
        // Y'CbCr of 8 bits lies between.
        for (component, code) in color.enumerated() {
          #expect(abs(Int(pixels[start + component]) - code) <= 2, "\(x), frame \(frame)")
        }
      }
    }
  }

  @Test func `are clear where less than half of a pixel is covered, and show nothing of the picture before`() throws {
    let layers = ##"""
      {"frame": [0, 0, 32, 64], "backgroundColor": "#FF000060"}, {"frame": [32, 0, 32, 64], "backgroundColor": "#FF0000A0"},
      {"frame": [64, 0, 32, 64], "backgroundColor": "#00FF00", "to": "0.2"}
      """##
    let edit = try edit(
      #""fileType": "gif", "video": {"alpha": true}"#, layers: layers, instruction: #""layerInstructions": []"#)
    let movie = try workshop.movie(of: edit, borders: [0, 3], output: "movie.gif")
    #expect(try MovieVerification(of: movie, against: edit, policy: workshop.policy) { _ in }.faults == [])
    let pixels = try pixels(movie)
    func alpha(_ x: Int, _ frame: Int) -> UInt8 { pixels[4 * (frame * 96 * 64 + 10 * 96 + x) + 3] }
    for frame in [0, 4, 5, 11] {
      #expect([alpha(8, frame), alpha(40, frame), alpha(70, frame)] == [0, 255, frame < 5 ? 255 : 0], "frame \(frame)")
    }
  }

  @Test(arguments: [
    (
      #""fileType": "gif", "audio": {"codec": "aac"}"#, "1/25",
      "export.audio: gif holds a picture alone: leave the settings of the sound out"
    ),
    (#""fileType": "gif""#, "1/60", "videoComposition.frameDuration: gif shows at most 50 frames a second"),
    (
      #""fileType": "gif", "metadata": {"location": [1, 2]}"#, "1/25",
      "export.metadata.location: gif holds no location: leave it out"
    ),
    (
      #""fileType": "gif", "video": {"codec": "h264"}"#, "1/25",
      "export.fileType: gif cannot hold h264 video: use mp4, mov, mkv, mpegts or cmaf"
    ),
  ])
  func `are refused with what they cannot hold`(export: String, frameDuration: String, fault: String) throws {
    let error = #expect(throws: (any Error).self) { try edit(export, frameDuration: frameDuration) }
    #expect("\(error.map { "\($0)" } ?? "")".contains(fault))
  }
}
