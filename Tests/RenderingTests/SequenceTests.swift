import FarmTesting
import Formats
import FoundationEssentials
import Glibc
import Media
import MediaTime
import Messages
import Rendering
import Scenes
import Testing
import Timeline

/// Folders of numbered pictures.
@Suite struct `Sequences of pictures` {
  private let workshop = Workshop()

  private init() throws {
    try MediaTools.ffmpeg([
      "-f", "lavfi", "-i", "testsrc2=s=96x64:r=25", "-t", "0.48", "-c:v", "ffv1", "-pix_fmt", "yuv444p", workshop.file("v.mkv"),
    ])
  }

  private func edit(_ export: String, layers: String = "", instruction: String = #""layerInstructions": ["V"]"#) throws
    -> ResolvedTimeline
  {
    try workshop.edit(
      """
      {"spool": 1, "assets": {"v": {"path": "v.mkv"}},
       "composition": {"tracks": [{"id": "V", "media": "video", "segments": [{"asset": "v"}]}]},
       "videoComposition": {"renderSize": [96, 64], "frameDuration": "1/25", "color": "bt709", "instructions": [{\(instruction)}]},
       "layers": [\(layers)], "export": {\(export)}}
      """)
  }

  private func names(_ folder: String) -> [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: workshop.file(folder))) ?? []).sorted()
  }

  private func verified(_ edit: ResolvedTimeline, _ folder: String) throws -> MovieVerification {
    let (roll, names) = (workshop.file("roll"), try #require(edit.timeline.export.pictureNames))
    try PictureRoll.pack(OutputFolder(workshop.file(folder), for: folder), names, most: 100, to: roll) { _ in }
    return try MovieVerification(of: roll, against: edit, policy: workshop.policy) { _ in }
  }

  @Test(arguments: [
    (#""fileType": "pngSequence""#, "000000.png", "000011.png", "rgb24"),
    (
      #""fileType": "pngSequence", "video": {"bitDepth": 10, "alpha": true}, "sequence": {"names": "a-%d.png", "first": 95}"#,
      "a-100.png", "a-99.png", "rgba64be"
    ),
    (
      #""fileType": "tiffSequence", "video": {"alpha": true}, "sequence": {"names": "%03d.tiff"}"#, "000.tiff", "011.tiff", "rgba"
    ),
    (
      #""fileType": "jpegSequence", "video": {"quantizer": 2, "chroma": "4:4:4"}, "sequence": {"names": "%01d.jpg", "first": 1}"#,
      "1.jpg", "9.jpg", "yuvj444p"
    ),
  ])
  func `are the same files in any number of chunks, with each frame's picture`(
    export: String, first: String, last: String, format: String
  ) throws {
    let edit = try edit(export, layers: ##"{"frame": [0, 0, 48, 64], "backgroundColor": "#FF000060"}"##)
    var contents: Set<[[UInt8]]> = []
    for borders in [[0], [0, 4, 5], [0, 1, 2, 3, 7, 9, 11]] {
      _ = try workshop.movie(of: edit, borders: borders, output: "frames")
      let names = names("frames")
      #expect(names.count == 12)
      #expect((names.first, names.last) == (first, last))
      contents.insert(try names.map { try [UInt8](contentsOf: workshop.file("frames/\($0)")) })
      let verified = try verified(edit, "frames")
      #expect(verified.faults == [])
      #expect((verified.pictures == .equal) == verified.isLossless)
    }
    #expect(contents.count == 1)
    let found = try MediaTools.ffprobe([
      "-show_entries", "stream=width,height,pix_fmt", "-of", "csv=p=0", workshop.file("frames/\(first)"),
    ])
    #expect(found == "96,64,\(format)\n")
    #expect(hidden.isEmpty)
  }

  /// The hidden files beside the folder.
  private var hidden: [String] { names("").filter { $0.hasPrefix(".frames") } }

  @Test func `show what ffmpeg shows of the same edit in FFV1`() throws {
    let flat = ##"{"frame": [0, 0, 48, 64], "backgroundColor": "#FF0123"}"##
    _ = try workshop.movie(of: edit(#""fileType": "pngSequence""#, layers: flat), borders: [0, 5], output: "frames")
    let raw = workshop.file("raw")
    try MediaTools.ffmpeg(["-i", workshop.file("frames/%06d.png"), "-pix_fmt", "rgb24", "-f", "rawvideo", raw])
    let pixels = try [UInt8](contentsOf: raw)
    #expect(pixels.count == 12 * 96 * 64 * 3)
    for frame in 0..<12 {
      let start = 3 * (frame * 96 * 64 + 965)
      let pixel: [UInt8] = Array(pixels[start..<start + 3])
      #expect(pixel == [255, 1, 35])
    }
  }

  @Test func `take an empty folder, replace one of such pictures, and leave any other as it is`() throws {
    let edit = try edit(#""fileType": "pngSequence""#)
    func publish(overwrites: Bool) throws {
      let frames = FrameRange(first: 0, count: 12)
      let picture = try workshop.run(.picture(frames), task: 1, of: edit, output: "frames")
      let muxed = try workshop.run(.mux(of: [picture]), task: 2, of: edit, output: "frames")
      try workshop.run(.publish(of: muxed), task: 3, of: edit, output: "frames", overwrites: overwrites)
    }
    let folder = workshop.file("frames")
    #expect(unsafe mkdir(folder, 0o755) == 0)
    try publish(overwrites: false)
    #expect(names("frames").count == 12)
    #expect(throws: (any Error).self) { try publish(overwrites: false) }
    try "old".write(toFile: folder + "/000099.png")
    try publish(overwrites: true)
    #expect(names("frames").count == 12)
    try "precious".write(toFile: folder + "/notes.txt")
    let error = #expect(throws: Failure.self) { try publish(overwrites: true) }
    #expect(error?.reason.contains("cannot take this name") == true)
    #expect(names("frames").contains("notes.txt"))
  }

  @Test func `are published again after a crash, and damage in a picture is told`() throws {
    let edit = try edit(#""fileType": "pngSequence""#)
    let picture = try workshop.run(.picture(FrameRange(first: 0, count: 12)), task: 1, of: edit, output: "frames")
    let muxed = try workshop.run(.mux(of: [picture]), task: 2, of: edit, output: "frames")
    try workshop.run(.publish(of: muxed), task: 3, of: edit, output: "frames")
    try workshop.run(.publish(of: muxed), task: 3, attempt: 2, of: edit, output: "frames")
    let second = try [UInt8](contentsOf: workshop.file("frames/000001.png"))
    try second.write(toFile: workshop.file("frames/000000.png"))
    #expect(try verified(edit, "frames").faults == ["frame 0 differs from the edit's"])
    #expect(throws: Failure.self) { try workshop.run(.publish(of: muxed), task: 3, attempt: 3, of: edit, output: "frames") }
    #expect(unsafe unlink(workshop.file("frames/000011.png")) == 0)
    #expect(try verified(edit, "frames").faults.contains("it has 11 frames instead of 12"))
  }

  @Test(arguments: [
    (
      #""fileType": "mp4", "sequence": {}"#,
      "export.sequence: mp4 is no sequence of pictures: use pngSequence, jpegSequence or tiffSequence"
    ),
    (
      #""fileType": "pngSequence", "sequence": {"names": "a.png"}"#,
      "export.sequence.names: 'a.png' is no name with one place for a number"
    ),
    (#""fileType": "pngSequence", "sequence": {"names": "%d%d.png"}"#, "export.sequence.names: '%d%d.png' is no name"),
    (#""fileType": "pngSequence", "sequence": {"names": "a/%d.png"}"#, "export.sequence.names: 'a/%d.png' is no name"),
    (
      #""fileType": "pngSequence", "sequence": {"names": "%d.jpg"}"#,
      "export.sequence.names: pictures of pngSequence have names that end in .png"
    ),
    (#""fileType": "pngSequence", "sequence": {"first": -1}"#, "export.sequence.first: "),
    (
      #""fileType": "tiffSequence", "video": {"codec": "png"}"#,
      "export.fileType: tiffSequence cannot hold png video: use apng or pngSequence"
    ),
    (#""fileType": "jpegSequence", "video": {"alpha": true}"#, "export.video.alpha: mjpeg has no alpha"),
  ])
  func `are refused with what they cannot be`(export: String, fault: String) throws {
    let error = #expect(throws: (any Error).self) { try edit(export) }
    #expect("\(error.map { "\($0)" } ?? "")".contains(fault))
  }

  @Test func `have names by their pattern`() throws {
    let names = try #require(PictureNames("shot_%04d_v2.png", first: 9999))
    #expect([names.name(0), names.name(1)] == ["shot_9999_v2.png", "shot_10000_v2.png"])
    #expect(["shot_0001_v2.png", "shot_10000_v2.png"].allSatisfy(names.matches))
    #expect(!["shot_001_v2.png", "shot_000a_v2.png", "shot_0001_v2.jpg", "notes"].contains(where: names.matches))
    #expect(PictureNames("%d") != nil)
    for pattern in [".%d.png", "%5d.png", "%00d.png", "%x.png", "%d.png\0"] {
      #expect(PictureNames(pattern) == nil, "\(pattern)")
    }
  }
}
