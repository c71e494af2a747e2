import Document
import FarmTesting
import Formats
import FoundationEssentials
import Glibc
import Messages
import Rendering
import Scenes
import Subprocess
import Testing
import Timeline

/// Posters and thumbnails, from documents to published files. FFmpeg reads the pictures, and the frames in them show their numbers.
@Suite struct `Still pictures of a movie` {
  private let workshop = Workshop()

  private init() throws { try workshop.clip("a.mp4", frameCount: 100) }

  private func edit(_ export: String, duration: String = "4") throws -> ResolvedTimeline {
    try workshop.edit(
      """
      {"spool": 1, "assets": {"a": {"path": "a.mp4"}},
       "composition": {"tracks": [
         {"id": "A", "media": "video", "segments": [{"asset": "a", "source": {"start": "0", "duration": "\(duration)"}}]}]},
       "videoComposition": {"renderSize": [96, 64], "frameDuration": "1/25"}, "export": {\(export)}}
      """)
  }

  private func faults(_ export: String, duration: String = "4") -> String {
    do {
      _ = try edit(export, duration: duration)
      return "none"
    } catch { return "\(error)" }
  }

  private func text(_ name: String) throws -> String {
    String(decoding: try [UInt8](contentsOf: workshop.file(name)), as: UTF8.self)
  }

  private func bytes(_ name: String) throws -> [UInt8] { try [UInt8](contentsOf: workshop.file(name)) }

  private func names(in folder: String = "") -> [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: workshop.file(folder))) ?? []).sorted()
  }

  private var hidden: [String] { names().filter { $0.hasPrefix(".") } }

  /// A thumbnail as a WebVTT file tells it, read by the format's own grammar and not by Spool.
  private struct Cue: Equatable {
    let (start, end): (String, String)
    let file: String
    let (x, y, width, height): (Int, Int, Int, Int)

    static func == (a: Cue, b: Cue) -> Bool {
      (a.start, a.end, a.file) == (b.start, b.end, b.file) && (a.x, a.y, a.width, a.height) == (b.x, b.y, b.width, b.height)
    }
  }

  private func cues(_ name: String) throws -> [Cue] {
    let blocks = try text(name).split(separator: "\n\n")
    try #require(blocks.first == "WEBVTT")
    return try blocks.dropFirst().map { block in
      let lines = block.split(separator: "\n")
      let times = try #require(lines[0].wholeMatch(of: /([0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3}) --> ([0-9:.]{12})/))
      let place = try #require(lines[1].wholeMatch(of: /(.+)#xywh=([0-9]+),([0-9]+),([0-9]+),([0-9]+)/))
      func number(_ text: Substring) -> Int { Int(text) ?? -1 }
      return Cue(
        start: String(times.1), end: String(times.2), file: String(place.1).replacing("%20", with: " "),
        x: number(place.2), y: number(place.3), width: number(place.4), height: number(place.5))
    }
  }

  /// The number that a part of a picture shows: 8 x 4 blocks, of which white ones are the bits that are 1 (`SyntheticSource`).
  private func number(in picture: String, x: Int = 0, y: Int = 0, width: Int, height: Int) throws -> Int {
    try MediaTools.ffmpeg([
      "-i", workshop.file(picture), "-vf", "crop=\(width):\(height):\(x):\(y):exact=1", "-pix_fmt", "gray", "-f", "rawvideo",
      workshop.file("tile.raw"),
    ])
    let samples = try bytes("tile.raw")
    try #require(samples.count == width * height)
    return (0..<32).reduce(0) { number, bit in
      let (column, row) = ((bit % 8 * 2 + 1) * width / 16, (bit / 8 * 2 + 1) * height / 8)
      return samples[row * width + column] > 128 ? number | 1 << bit : number
    }
  }

  private func size(_ name: String) throws -> String {
    try MediaTools.ffprobe(["-show_entries", "stream=codec_name,width,height", "-of", "csv=p=0", workshop.file(name)])
  }

  private static let stills = #""poster": {"at": "1.5"}, "thumbnails": {"interval": "0.7", "width": 48, "columns": 2}"#

  @Test func `show the frames of their times, on sheets that WebVTT tells`() throws {
    let edit = try edit(#""preset": "lossless", "checksum": "sha256", \#(Self.stills)"#)
    #expect(try Timeline.parse(edit.timeline.canonicalJSON()) == edit.timeline)
    _ = try workshop.movie(of: edit, borders: [0, 13, 50], output: "a movie.mkv")
    #expect(try size("a movie.poster.jpg") == "mjpeg,96,64\n")
    #expect(try number(in: "a movie.poster.jpg", width: 96, height: 64) == 37)
    let cues = try cues("a movie.thumbnails.vtt")
    #expect(cues.map(\.start) == ["00.000", "00.700", "01.400", "02.100", "02.800", "03.500"].map { "00:00:" + $0 })
    #expect(cues.map(\.end) == ["00.700", "01.400", "02.100", "02.800", "03.500", "04.000"].map { "00:00:" + $0 })
    let sheets = cues.map(\.file)
    #expect(sheets == (0..<6).map { "a movie.thumbnails-\($0 / 4 + 1).jpg" })
    for sheet in Set(sheets) { #expect(try size(sheet) == "mjpeg,96,64\n") }
    for (index, cue) in cues.enumerated() {
      let shown = try number(in: cue.file, x: cue.x, y: cue.y, width: cue.width, height: cue.height)
      // The frame that is shown at a time is the last one whose time is not after it.
      #expect(shown == index * 7 * 25 / 10)
    }
    let sums = Command("/usr/bin/sha256sum", ["--check", "a movie.mkv.sha256"], workingDirectory: workshop.file(""))
    let run = try #require(try sums.run(timeoutMilliseconds: 60_000))
    #expect(run.code == 0)
    #expect(
      run.output.split(separator: "\n").map { $0.hasSuffix(": OK") } == Array(repeating: true, count: 5), "\(run.output)")
    #expect(hidden.isEmpty)
  }

  @Test func `are the same bytes however the movie was divided, and are taken from the cache with their chunks`() throws {
    workshop.cache = SegmentCache(of: workshop.store, .own)
    let export = #""fileType": "mp4", "video": {"codec": "h264", "crf": 30}, \#(Self.stills)"#
    let edit = try edit(export)
    let files = ["poster.jpg", "thumbnails-1.jpg", "thumbnails-2.jpg", "thumbnails.vtt"]
    _ = try workshop.movie(of: edit, borders: [0], output: "x.mp4")
    let whole = try files.map { try bytes("x.\($0)") }
    _ = try workshop.movie(of: edit, borders: [0, 7, 8, 50, 99], output: "x.mp4")
    #expect(try files.map { try bytes("x.\($0)") } == whole)
    let chunk = FrameRange(first: 50, count: 49)
    let again = try workshop.run(.picture(chunk), task: 9, of: edit, output: "y.mp4")
    #expect(again.proof.isFound)
    // Stills of other frames are in no segment that was kept.
    let other = try self.edit(export.replacing("0.7", with: "0.9"))
    #expect(try !workshop.run(.picture(chunk), task: 10, of: other, output: "y.mp4").proof.isFound)
  }

  @Test func `come of copied packets, too`() throws {
    try SyntheticSource(width: 96, height: 64, frameRate: "25", frameCount: 100).write(
      to: workshop.file("a.mp4"), ["-c:v", "libx264", "-crf", "18", "-g", "25", "-bf", "2", "-x264-params", "scenecut=0"])
    let plain = try edit(#""fileType": "mp4", "video": {"copy": "auto"}, \#(Self.stills)"#)
    var timeline = plain.timeline
    timeline.export.copies = try CopySearch(of: plain, policy: workshop.policy).plan
    let edit = try timeline.resolved(with: plain.facts)
    #expect(edit.timeline.export.copies?.frames == [0..<100])
    _ = try workshop.movie(of: edit, borders: [0], output: "m.mp4")
    #expect(try number(in: "m.poster.jpg", width: 96, height: 64) == 37)
    for (index, cue) in try cues("m.thumbnails.vtt").enumerated() {
      #expect(
        try number(in: cue.file, x: cue.x, y: cue.y, width: cue.width, height: cue.height) == index * 7 * 25 / 10)
    }
    let frames = try MediaTools.ffprobe([
      "-count_frames", "-show_entries", "stream=nb_read_frames", "-of", "csv=p=0", workshop.file("m.mp4"),
    ])
    #expect(frames == "100\n")
  }

  @Test func `lie in a folder of pieces, named by its playlists`() throws {
    let edit = try edit(#""fileType": "cmaf", "fragmentInterval": "1", "checksum": "md5", \#(Self.stills)"#)
    _ = try workshop.movie(of: edit, borders: [0, 50], output: "show")
    let stills = ["poster.jpg", "thumbnails-1.jpg", "thumbnails-2.jpg", "thumbnails.m3u8", "thumbnails.vtt"]
    #expect(Set(stills).isSubset(of: names(in: "show")))
    #expect(names().filter { $0.contains("thumbnails") || $0.contains("poster") }.isEmpty)
    for (index, cue) in try cues("show/thumbnails.vtt").enumerated() {
      #expect(try number(in: "show/\(cue.file)", x: cue.x, y: cue.y, width: 48, height: 32) == index * 7 * 25 / 10)
    }
    let master = try text("show/master.m3u8")
    #expect(master.contains(/#EXT-X-IMAGE-STREAM-INF:BANDWIDTH=[0-9]+,RESOLUTION=48x32,CODECS="jpeg",URI="thumbnails.m3u8"\n/))
    let list = try text("show/thumbnails.m3u8")
    #expect(list.contains("#EXTINF:2.800000,\n#EXT-X-TILES:RESOLUTION=48x32,LAYOUT=2x2,DURATION=0.700000\nthumbnails-1.jpg\n"))
    #expect(list.contains("#EXTINF:1.200000,\n#EXT-X-TILES:RESOLUTION=48x32,LAYOUT=2x2,DURATION=0.700000\nthumbnails-2.jpg\n"))
    let manifest = try text("show/manifest.mpd")
    #expect(manifest.contains(#"media="thumbnails-$Number$.jpg" timescale="10" duration="28" startNumber="1"/>"#))
    #expect(manifest.contains(#"schemeIdUri="http://dashif.org/guidelines/thumbnail_tile" value="2x2"/>"#))
    // Readers of pictures and sound pass over them.
    for file in ["show/master.m3u8", "show/manifest.mpd"] {
      let digests = try MediaTools.ffmpeg(["-i", workshop.file(file), "-map", "0:v:0", "-f", "framemd5", "-"])
      #expect(digests.split(separator: "\n").filter { !$0.hasPrefix("#") }.count == 100)
    }
    #expect(hidden.isEmpty)
  }

  @Test func `are there again after a crash that came before them, and replace none that must be kept`() throws {
    let edit = try edit(#""preset": "lossless", \#(Self.stills)"#)
    let picture = try workshop.run(.picture(FrameRange(first: 0, count: 100)), task: 1, of: edit, output: "m.mkv")
    let muxed = try workshop.run(.mux(of: [picture]), task: 2, of: edit, output: "m.mkv")
    try "precious".write(toFile: workshop.file("m.poster.jpg"))
    let error = #expect(throws: Failure.self) {
      try workshop.run(.publish(of: muxed), task: 3, of: edit, output: "m.mkv", overwrites: false)
    }
    #expect(error?.place.hasSuffix("m.poster.jpg") == true, "\(String(describing: error))")
    #expect(unsafe access(workshop.file("m.mkv"), F_OK) == -1)
    try workshop.run(.publish(of: muxed), task: 3, attempt: 2, of: edit, output: "m.mkv", overwrites: true)
    let poster = try bytes("m.poster.jpg")
    // Done again, it finds what was done.
    try workshop.run(.publish(of: muxed), task: 3, attempt: 3, of: edit, output: "m.mkv", overwrites: true)
    #expect(try bytes("m.poster.jpg") == poster)
    #expect(hidden.isEmpty)
    try "other".write(toFile: workshop.file("m.poster.jpg"))
    let changed = #expect(throws: Failure.self) {
      try workshop.run(.publish(of: muxed), task: 3, attempt: 4, of: edit, output: "m.mkv", overwrites: true)
    }
    #expect(changed?.reason.contains("still pictures") == true)
  }

  @Test(arguments: [
    (#""fileType": "gif", "poster": {}"#, "export.poster: gif has no poster beside it: use mp4,"),
    (#""thumbnails": {"interval": "0.01"}"#, "export.thumbnails.interval: 0.01 is not in 0.1...3600 seconds"),
    (#""thumbnails": {"width": 33}"#, "export.thumbnails.width: 33 is odd: use 34"),
    (#""thumbnails": {"every": "2"}"#, "export.thumbnails.every: unknown key"),
    (#""poster": {"at": "4"}"#, "export.poster.at: the edit ends at 4"),
    (
      #""poster": {"at": "0.5"}, "timeRange": {"start": "1", "duration": "1"}"#,
      "export.poster.at: 0.5 is not in the part that is exported, from 1 to 2"
    ),
    (
      #""fileType": "webm", "video": {"codec": "vp9", "alpha": true}, "poster": {}"#,
      "export.poster: is a JPEG, which has no alpha"
    ),
  ])
  func `are refused where there can be none`(export: String, fault: String) {
    #expect(faults(export).contains(fault), "\(faults(export))")
  }
}
