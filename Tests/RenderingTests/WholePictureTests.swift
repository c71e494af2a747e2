import FarmTesting
import FoundationEssentials
import Media
import MediaTime
import Rendering
import Scenes
import Testing
import Timeline

/// Animated PNG and WebP.
@Suite struct `Animations of whole pictures` {
  private let workshop = Workshop()

  private init() throws {
    try MediaTools.ffmpeg([
      "-f", "lavfi", "-i", "testsrc2=s=96x64:r=25", "-f", "lavfi", "-i", "sine", "-t", "0.48", "-c:v", "ffv1", "-pix_fmt",
      "yuv444p", "-c:a", "flac", workshop.file("v.mkv"),
    ])
  }

  private func edit(
    _ export: String, frameDuration: String = "1001/30000", layers: String = "",
    instruction: String = #""layerInstructions": ["V"]"#,
    renderSize: String = "[96, 64]"
  ) throws -> ResolvedTimeline {
    try workshop.edit(
      """
      {"spool": 1, "assets": {"v": {"path": "v.mkv"}},
       "composition": {"tracks": [
         {"id": "V", "media": "video", "segments": [{"asset": "v"}]}, {"id": "S", "media": "audio", "segments": [{"asset": "v"}]}]},
       "videoComposition": {"renderSize": \(renderSize), "frameDuration": "\(frameDuration)", "color": "bt709",
         "instructions": [{\(instruction)}]},
       "layers": [\(layers)], "export": {\(export)}}
      """)
  }

  private func pixels(_ movie: String) throws -> [UInt8] {
    let raw = workshop.file("raw")
    try MediaTools.ffmpeg(["-i", movie, "-fps_mode", "passthrough", "-pix_fmt", "rgba", "-f", "rawvideo", raw])
    return try [UInt8](contentsOf: raw)
  }

  @Test(arguments: [
    (#""fileType": "apng""#, "movie.apng"), (#""fileType": "apng", "video": {"bitDepth": 10, "alpha": true}"#, "movie.png"),
    (#""fileType": "webp""#, "movie.webp"), (#""fileType": "webp", "video": {"mode": "lossless", "alpha": true}"#, "movie.webp"),
  ])
  func `are the same bytes in any number of chunks, with every frame at its time`(export: String, name: String) throws {
    let edit = try edit(export, layers: ##"{"frame": [0, 0, 48, 64], "backgroundColor": "#FF000060"}"##)
    var files: Set<[UInt8]> = []
    for borders in [[0], [0, 4, 5], [0, 1, 2, 3, 7, 9, 12]] {
      let movie = try workshop.movie(of: edit, borders: borders, output: name)
      files.insert(try [UInt8](contentsOf: movie))
      let verified = try MovieVerification(of: movie, against: edit, policy: workshop.policy) { _ in }
      #expect(verified.faults == [])
      #expect(verified.frames == 15)
      #expect((verified.pictures == .equal) == verified.isLossless)
    }
    #expect(files.count == 1)
  }

  @Test func `state times as the exact fraction in PNG, and as rounded milliseconds in WebP`() throws {
    let png = try [UInt8](contentsOf: workshop.movie(of: edit(#""fileType": "apng""#), borders: [0, 7], output: "m.apng"))
    let controls = png.indices.dropLast(30).filter { png[$0..<$0 + 4].elementsEqual("fcTL".utf8) }
    #expect(controls.count == 15)
    for start in controls { #expect(Array(png[start + 24..<start + 28]) == [1001 >> 8, 1001 & 255, 30_000 >> 8, 30_000 & 255]) }
    let webp = try [UInt8](contentsOf: workshop.movie(of: edit(#""fileType": "webp""#), borders: [0, 7], output: "m.webp"))
    let frames = webp.indices.dropLast(24).filter { webp[$0..<$0 + 4].elementsEqual("ANMF".utf8) }
    var time = 0
    for (index, start) in frames.enumerated() {
      #expect(time == Int((Double(index) * 1001 / 30).rounded()))
      time += Int(webp[start + 20]) | Int(webp[start + 21]) << 8
    }
    #expect(frames.count == 15)
  }

  @Test func `keep the colours of graphics exactly in PNG, and the frames that ffmpeg sees are those that were composited`()
    throws
  {
    let flat =
      ##"{"frame": [0, 0, 48, 64], "backgroundColor": "#FF0123"}, {"frame": [48, 0, 48, 64], "backgroundColor": "#20C041"}"##
    let movie = try workshop.movie(of: edit(#""fileType": "apng""#, layers: flat), borders: [0, 5], output: "movie.apng")
    let pixels = try pixels(movie)
    #expect(pixels.count == 15 * 96 * 64 * 4)
    for (x, color) in [(5, [255, 1, 35, 255] as [UInt8]), (80, [32, 192, 65, 255])] {
      for frame in [0, 5, 14] {
        let start = 4 * (frame * 96 * 64 + 30 * 96 + x)
        #expect(Array(pixels[start..<start + 4]) == color)
      }
    }
  }

  @Test func `keep alpha`() throws {
    let layers =
      ##"{"frame": [0, 0, 32, 64], "backgroundColor": "#FF000060"}, {"frame": [32, 0, 32, 64], "backgroundColor": "#00FF00"}"##
    let edit = try edit(
      #""fileType": "apng", "video": {"alpha": true}"#, layers: layers, instruction: #""layerInstructions": []"#)
    let pixels = try pixels(try workshop.movie(of: edit, borders: [0, 3], output: "movie.apng"))
    for (x, color) in [(8, [255, 0, 0, 0x60] as [UInt8]), (40, [0, 255, 0, 255]), (80, [0, 0, 0, 0])] {
      let start = 4 * (2 * 96 * 64 + 10 * 96 + x)
      #expect(Array(pixels[start..<start + 4]) == color, "\(x)")
    }
  }

  @Test(arguments: ["apng", "webp", "gif"])
  func `say how many times they are played`(type: String) throws {
    func plays(_ export: String) throws -> UInt8? {
      let bytes = try [UInt8](
        contentsOf: workshop.movie(
          of: edit(#""fileType": "\#(type)"\#(export)"#, frameDuration: "1/10"), borders: [0], output: "m.\(type)"))
      let (word, distance) = ["apng": ("acTL", 11), "webp": ("ANIM", 12), "gif": ("NETSCAPE2.0", 13)][type]!
      let found = bytes.indices.dropLast(20).first { bytes[$0..<$0 + word.utf8.count].elementsEqual(word.utf8) }
      return found.map { bytes[$0 + distance] }
    }
    #expect(try plays("") == 0)
    #expect(try plays(#", "playCount": 3"#) == (type == "gif" ? 2 : 3))
    #expect(try plays(#", "playCount": 1"#) == (type == "gif" ? nil : 1))
  }

  @Test(arguments: [
    (
      #""fileType": "apng""#, "70001/2100000",
      "videoComposition.frameDuration: apng states times as fractions of numbers up to 65535"
    ),
    (#""fileType": "apng""#, "1/100", "videoComposition.frameDuration: apng shows at most 90 frames a second"),
    (#""fileType": "webp""#, "1/100", "videoComposition.frameDuration: webp shows at most 90 frames a second"),
    (#""fileType": "mp4", "playCount": 2"#, "1/25", "export.playCount: mp4 is no animation: use gif, apng or webp"),
    (#""fileType": "webp", "playCount": 0"#, "1/25", "export.playCount: "),
    (
      #""fileType": "webp", "video": {"bitDepth": 10}"#, "1/25",
      "export.video.bitDepth: webp with these settings has 8 bits, not 10"
    ),
    (
      #""fileType": "mp4", "video": {"codec": "png"}"#, "1/25",
      "export.fileType: mp4 cannot hold png video: use apng or pngSequence"
    ),
    (#""fileType": "apng", "chapters": [{"at": "0", "title": "A"}]"#, "1/25", "export.chapters: apng holds no chapters"),
    (
      #""fileType": "webp", "audio": {"codec": "aac"}"#, "1/25",
      "export.audio: webp holds a picture alone: leave the settings of the sound out"
    ),
  ])
  func `are refused with what they cannot hold`(export: String, frameDuration: String, fault: String) throws {
    let error = #expect(throws: (any Error).self) { try edit(export, frameDuration: frameDuration) }
    #expect("\(error.map { "\($0)" } ?? "")".contains(fault))
  }

  @Test func `that are damaged are told by their verification`() throws {
    let edit = try edit(#""fileType": "apng""#)
    let movie = try workshop.movie(of: edit, borders: [0], output: "movie.apng")
    var bytes = try [UInt8](contentsOf: movie)
    bytes.removeLast(400)
    try bytes.write(toFile: movie)
    #expect(throws: (any Error).self) { try MovieVerification(of: movie, against: edit, policy: workshop.policy) { _ in } }
  }
}
