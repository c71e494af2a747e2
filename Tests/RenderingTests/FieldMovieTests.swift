import FarmTesting
import Formats
import Media
import MediaTime
import Messages
import Rendering
import Scenes
import Testing

/// Compares movies of fields with what ffmpeg's filters make of whole frames at twice the rate.
@Suite struct `Movies of fields` {
  private let workshop = Workshop()

  /// An edit of a clip of 50 frames a second that moves, with a text over it that slides.
  private func edit(_ video: String, type: String = "mkv", rate: Int = 25, seconds: String = "0.8") throws -> ResolvedTimeline {
    try workshop.edit(
      """
      {"spool": 1, "assets": {"c": {"path": "c.mkv"}}, "composition": {"tracks": [
        {"id": "V", "media": "video", "segments": [{"asset": "c", "source": {"start": "0", "duration": "\(seconds)"}}]}]},
       "videoComposition": {"renderSize": [160, 96], "frameDuration": "1/\(rate)"},
       "layers": [{"shape": "rectangle", "fillColor": "#ff8800", "frame": [0, 40, 60, 9],
         "position": [{"at": "0", "value": [10, 40]}, {"at": "0.8", "value": [150, 61]}]}],
       "export": {"fileType": "\(type)", "video": {\(video)}}}
      """)
  }

  private func source() throws {
    try MediaTools.ffmpeg([
      "-f", "lavfi", "-i", "testsrc2=s=160x96:r=50:d=1", "-pix_fmt", "yuv420p", "-c:v", "ffv1", workshop.file("c.mkv"),
    ])
  }

  /// The words of ffprobe about the picture, a line for each stream or frame.
  private func said(_ movie: String, _ entries: String) throws -> Set<String> {
    let selection = ["-count_frames", "-select_streams", "v:0", "-show_entries", entries, "-of", "csv=p=0", movie]
    return Set(try MediaTools.ffprobe(selection).split(whereSeparator: \.isNewline).map(String.init))
  }

  private func md5s(_ movie: String, filter: String, format: String = "yuv420p") throws -> [String] {
    try MediaTools.ffmpeg(["-i", movie, "-vf", filter, "-pix_fmt", format, "-f", "framemd5", "-"])
      .split(separator: "\n").filter { !$0.hasPrefix("#") }.compactMap { $0.split(separator: ",").last.map(String.init) }
  }

  @Test(arguments: ["topFirst", "bottomFirst"], ["4:2:0", "4:2:2"])
  func `have the lines of whole frames of twice the rate`(order: String, chroma: String) throws {
    try source()
    let whole = try workshop.movie(
      of: edit(#""codec": "ffv1", "chroma": "\#(chroma)""#, rate: 50), borders: [0], output: "whole.mkv")
    let settings = #""codec": "ffv1", "chroma": "\#(chroma)", "fields": "\#(order)""#
    let format = chroma == "4:2:0" ? "yuv420p" : "yuv422p"
    let scan = order == "topFirst" ? "tff" : "bff"
    let plain = try edit(settings + #", "fieldFilter": "none""#)
    let movie = try workshop.movie(of: plain, borders: [0, 7], output: "plain.mkv")
    #expect(try plain.frameCount == 20)
    let woven = try md5s(whole, filter: "interlace=scan=\(scan):lowpass=off", format: format)
    #expect(try md5s(movie, filter: "null", format: format) == woven && Set(woven).count == 20)
    // The fields by themselves, in the order in which they are shown, are every second line of the frames.
    let lines = "select='mod(n,2)',field=\(order == "topFirst" ? "bottom" : "top")"
    let first = "select='not(mod(n,2))',field=\(order == "topFirst" ? "top" : "bottom")"
    let fields = try md5s(movie, filter: "separatefields", format: format)
    let expected = try zip(md5s(whole, filter: first, format: format), md5s(whole, filter: lines, format: format))
    #expect(fields == expected.flatMap { [$0, $1] })
    // With the filter, but for the lines at the edges, of which ffmpeg's filter takes more than there are.
    let filtered = try workshop.movie(of: edit(settings), borders: [0], output: "filtered.mkv")
    let inner = "crop=iw:ih-8:0:4"
    let known = try md5s(whole, filter: "interlace=scan=\(scan):lowpass=linear,\(inner)", format: format)
    #expect(try md5s(filtered, filter: inner, format: format) == known)
    #expect(try md5s(movie, filter: inner, format: format) != known)
  }

  @Test func `are the same in one chunk, in three and in seven, and end with the edit`() throws {
    try source()
    let edit = try edit(#""codec": "ffv1", "fields": "topFirst""#, seconds: "0.83")
    #expect(try edit.frameCount == 21)
    let movies = try [[0], [0, 5, 13], [0, 2, 3, 8, 11, 15, 19]].enumerated().map {
      try [UInt8](contentsOf: workshop.movie(of: edit, borders: $1, output: "\($0).mkv"))
    }
    #expect(movies[0] == movies[1] && movies[0] == movies[2])
    #expect(try MovieVerification(of: workshop.file("2.mkv"), against: edit, policy: workshop.policy) { _ in }.faults == [])
    // The last frame begins 30 ms before the end, and its second field 10 ms before it. With 15 ms left, both fields have its own moment.
    let short = try self.edit(#""codec": "ffv1", "fields": "topFirst", "fieldFilter": "none""#, seconds: "0.815")
    #expect(try short.frameCount == 21)
    let fields = try md5s(workshop.movie(of: short, borders: [0], output: "s.mkv"), filter: "separatefields")
    let whole = try workshop.movie(of: self.edit(#""codec": "ffv1""#, rate: 50, seconds: "0.82"), borders: [0], output: "w.mkv")
    let (top, bottom) = try (md5s(whole, filter: "field=top"), md5s(whole, filter: "field=bottom"))
    #expect(whole.isEmpty == false && top.count == 41 && Array(fields.suffix(2)) == [top[40], bottom[40]])
  }

  static let told: [(codec: String, type: String)] = [
    (#""codec": "mpeg2", "quantizer": 2"#, "mov"), (#""codec": "mpeg2", "quantizer": 2"#, "mkv"),
    (#""codec": "mpeg2", "chroma": "4:2:2", "quantizer": 2"#, "mxf"), (#""codec": "mpeg2", "quantizer": 2"#, "mpegts"),
    (#""codec": "h264", "crf": 10, "speed": "fast""#, "mp4"), (#""codec": "h264", "crf": 10, "speed": "fast""#, "mov"),
    (#""codec": "h264", "crf": 10, "speed": "fast""#, "mkv"), (#""codec": "h264", "crf": 10, "speed": "fast""#, "mpegts"),
    (#""codec": "h264", "bitRate": 900000, "speed": "veryfast""#, "mp4"),
    (#""codec": "prores", "profile": "hq""#, "mov"), (#""codec": "prores", "profile": "4444""#, "mkv"),
    (#""codec": "ffv1""#, "mov"), (#""codec": "ffv1""#, "mkv"), (#""codec": "v210""#, "mov"),
  ]

  @Test(arguments: told.indices, ["topFirst", "bottomFirst"])
  func `are told as such, and read right by others`(_ index: Int, order: String) throws {
    try source()
    let (codec, type) = Self.told[index]
    let edit = try edit(codec + #", "fields": "\#(order)""#, type: type)
    let movie = try workshop.movie(of: edit, borders: codec.contains("bitRate") ? [0] : [0, 12], output: "m.\(type)")
    let verified = try MovieVerification(of: movie, against: edit, policy: workshop.policy, floor: 30) { _ in }
    #expect(verified.faults == [] && verified.frames == 20)
    let isTop = order == "topFirst"
    let orders = Set(try said(movie, "stream=field_order").map { $0.prefix(2) })
    #expect(orders.isSubset(of: isTop ? ["tt", "tb"] : ["bb", "bt"]) && !orders.isEmpty, "\(orders)")
    // Decoders of v210 say nothing of single frames.
    if !codec.contains("v210") {
      let frames = Set(
        try said(movie, "frame=interlaced_frame,top_field_first").map { $0.prefix(3) }.filter { $0.first?.isNumber == true })
      #expect(frames == [isTop ? "1,1" : "1,0"])
    }
    let facts = try AssetProbe.facts(of: movie, policy: workshop.policy).playableTracks(.video).first?.detail
    guard case .video(let video)? = facts else { throw MediaTools.Failure(description: "no picture") }
    #expect(video.fieldOrder == (isTop ? .topFirst : .bottomFirst))
    // What moves betrays the order of the fields.
    let log = try MediaTools.ffmpeg(["-i", movie, "-vf", "idet,metadata=print:file=-", "-f", "null", "-"])
    func count(_ kind: String) -> Double {
      let key = "lavfi.idet.multiple.\(kind)="
      return log.split(separator: "\n").last { $0.hasPrefix(key) }.flatMap { Double($0.dropFirst(key.count)) } ?? -1
    }
    let (right, wrong) = isTop ? (count("tff"), count("bff")) : (count("bff"), count("tff"))
    #expect(right >= 15 && wrong == 0, "\(right) \(wrong)")
    if ["mov"].contains(type), !codec.contains("h264") {
      let bytes = try [UInt8](contentsOf: movie)
      let atom = Array("fiel".utf8) + [2, isTop ? 9 : 14]
      #expect(bytes.indices.contains { bytes[$0...].starts(with: atom) })
    }
  }

  @Test func `are found wanting where the movie says nothing of them`() throws {
    try source()
    let edit = try edit(#""codec": "ffv1", "fields": "topFirst""#)
    let movie = try workshop.movie(of: edit, borders: [0], output: "m.mkv")
    for (filter, words) in [("setfield=prog", "whole frames"), ("setfield=bff", "fields, bottom-first")] {
      let changed = workshop.file("changed.mkv")
      try MediaTools.ffmpeg(["-y", "-i", movie, "-vf", filter, "-c:v", "ffv1", "-level", "3", changed])
      let faults = try MovieVerification(of: changed, against: edit, policy: workshop.policy) { _ in }.faults
      #expect(faults.contains("it tells of \(words) instead of fields, top-first"), "\(faults)")
    }
  }

  @Test func `pass an interlaced clip through untouched, where nothing is done to it`() throws {
    try MediaTools.ffmpeg([
      "-f", "lavfi", "-i", "testsrc2=s=160x96:r=50:d=1", "-vf", "interlace=scan=tff", "-pix_fmt", "yuv420p", "-c:v", "ffv1",
      "-level", "3", workshop.file("c.mkv"),
    ])
    let edit = try workshop.edit(
      """
      {"spool": 1, "assets": {"c": {"path": "c.mkv", "interlace": "never"}}, "composition": {"tracks": [
        {"id": "V", "media": "video", "segments": [{"asset": "c"}]}]},
       "export": {"fileType": "mkv", "video": {"codec": "ffv1", "fields": "topFirst", "fieldFilter": "none"}}}
      """)
    let movie = try workshop.movie(of: edit, borders: [0, 11], output: "m.mkv")
    #expect(try md5s(movie, filter: "null") == md5s(workshop.file("c.mkv"), filter: "null"))
    #expect(try edit.frameCount == 25)
  }
}
