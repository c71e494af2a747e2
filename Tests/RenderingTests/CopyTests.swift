import EditFiles
import FarmTesting
import Formats
import Media
import Messages
import Rendering
import Scenes
import Scheduling
import Testing
import Timeline

@Suite struct `Packets that are copied` {
  /// Groups of 25 frames with two B-frames between others; closed unless options say otherwise.
  private static let closed = ["-c:v", "libx264", "-crf", "18", "-g", "25", "-bf", "2", "-x264-params", "scenecut=0"]

  private func clip(
    _ name: String, in workshop: Workshop, frameCount: Int = 100, width: Int = 96, height: Int = 64,
    _ options: [String] = closed
  ) throws {
    try SyntheticSource(width: width, height: height, frameRate: "25", frameCount: frameCount).write(
      to: workshop.file(name), options)
  }

  private static func document(
    _ segments: String, copy: String = "auto", assets: String = #""a": {"path": "a.mp4"}"#, video: String = #""crf": 20"#,
    type: String = "mp4", more: String = "", size: String = "[96, 64]"
  ) -> String {
    """
    {"spool": 1, "assets": {\(assets)},
     "composition": {"tracks": [{"id": "A", "media": "video", "segments": [\(segments)]}]},
     "videoComposition": {"renderSize": \(size), "frameDuration": "1/25"},\(more)
     "export": {"fileType": "\(type)", "video": {\(video), "copy": "\(copy)"}}}
    """
  }

  private static func segment(_ start: String, _ duration: String, of asset: String = "a", at: String = "0") -> String {
    #"{"asset": "\#(asset)", "source": {"start": "\#(start)", "duration": "\#(duration)"}, "at": "\#(at)"}"#
  }

  /// The edit with its plan, as a submission makes it.
  private func planned(_ document: String, in workshop: Workshop) throws -> (edit: ResolvedTimeline, search: CopySearch) {
    let edit = try workshop.edit(document)
    let search = try CopySearch(of: edit, policy: workshop.policy)
    var timeline = edit.timeline
    timeline.export.copies = search.plan
    return (try timeline.resolved(with: edit.facts), search)
  }

  private func frames(of path: String, _ range: Range<Int>? = nil) throws -> [Substring] {
    let lines = try MediaTools.ffmpeg(["-i", path, "-map", "0:v", "-f", "framemd5", "-"], isStrict: true)
    let digests = lines.split(separator: "\n").filter { !$0.hasPrefix("#") }.compactMap { $0.split(separator: " ").last }
    return range.map { Array(digests[$0]) } ?? digests
  }

  @Test(arguments: ["mp4", "mov", "mkv"])
  func `are whole groups of pictures, between others that are encoded`(type: String) throws {
    let workshop = Workshop()
    try clip("a.mp4", in: workshop)
    let (edit, search) = try planned(Self.document(Self.segment("0.4", "3.2"), type: type), in: workshop)
    #expect(search.plan?.frames == [15..<65])
    #expect(search.encoded.map(\.frames) == [0..<15, 65..<80])
    let plan = try ChunkPlan.make(timeline: edit, .init(parallelism: 2))
    #expect(plan.chunks.map(\.frames) == [0..<15, 15..<65, 65..<80].map { FrameRange(first: $0.lowerBound, count: $0.count) })

    let movie = try workshop.movie(of: edit, borders: [0, 15, 65], output: "m.\(type)")
    let (shown, source) = (try frames(of: movie), try frames(of: workshop.file("a.mp4")))
    #expect(shown.count == 80)
    #expect(Array(shown[15..<65]) == Array(source[25..<75]))
    #expect(shown[14] != source[24] && shown[65] != source[75])
    let times = try MediaTools.ffprobe([
      "-select_streams", "v", "-show_entries", "packet=pts_time,dts_time", "-of", "csv=p=0", movie,
    ])
    .split(separator: "\n").map { $0.split(separator: ",").compactMap { Double($0) } }
    // Matroska keeps no decode times.
    if type != "mkv" {
      #expect(times.allSatisfy { $0.count == 2 && $0[1] <= $0[0] } && zip(times, times.dropFirst()).allSatisfy { $0[1] < $1[1] })
    }
    #expect(times.count == 80)
    #expect(times.map { ($0[0] * 25).rounded() }.sorted() == (0..<80).map(Double.init))
    let verified = try MovieVerification(of: movie, against: edit, policy: workshop.policy) { _ in }
    #expect(verified.faults == [] && verified.copiedFrames == 50)
  }

  @Test func `are the same wherever a range of them is divided`() throws {
    let workshop = Workshop()
    try clip("a.mp4", in: workshop)
    let (edit, _) = try planned(Self.document(Self.segment("0", "4"), copy: "require"), in: workshop)
    #expect(edit.timeline.export.copies == CopyPlan(frames: [0..<100], reorderDepth: 1))
    let whole = try workshop.movie(of: edit, borders: [0], output: "one.mp4")
    let divided = try workshop.movie(of: edit, borders: [0, 25, 75], output: "three.mp4")
    #expect(try [UInt8](contentsOf: whole) == [UInt8](contentsOf: divided))
    #expect(try frames(of: whole) == frames(of: workshop.file("a.mp4")))
  }

  @Test func `join clips whose parameter sets are the same, and encode a clip whose sets have the numbers of others`() throws {
    let workshop = Workshop()
    try clip("a.mp4", in: workshop)
    try clip("b.mp4", in: workshop, frameCount: 50)
    try clip("c.mp4", in: workshop, frameCount: 50, Self.closed + ["-refs", "1", "-bf", "0"])
    let (edit, search) = try planned(
      Self.document(
        [Self.segment("0", "2"), Self.segment("0", "2", of: "b", at: "2"), Self.segment("0", "2", of: "c", at: "4")].joined(
          separator: ","),
        assets: #""a": {"path": "a.mp4"}, "b": {"path": "b.mp4"}, "c": {"path": "c.mp4"}"#), in: workshop)
    #expect(search.plan?.frames == [0..<50, 50..<100])
    #expect(search.encoded.map(\.frames) == [100..<150])
    #expect(search.encoded.first?.reason == "its parameter sets have the numbers of another source's")
    let movie = try workshop.movie(of: edit, borders: [0, 50, 100], output: "m.mp4")
    let (a, b) = try (frames(of: workshop.file("a.mp4"), 0..<50), frames(of: workshop.file("b.mp4")))
    #expect(try Array(frames(of: movie)[0..<100]) == a + b)
    // A movie whose sets are those of two sources and of the encoder is read from its middle, too.
    let late = try MediaTools.ffmpeg(["-ss", "4.2", "-i", movie, "-frames:v", "1", "-f", "framemd5", "-"], isStrict: true)
    #expect(try late.split(separator: " ").last?.trimmingPrefix(" ").filter { $0 != "\n" } == String(frames(of: movie)[105]))
  }

  @Test(arguments: [
    // The groups after the first are open, so that all frames need the first picture.
    (["-c:v", "libx264", "-g", "25", "-bf", "2", "-x264-params", "scenecut=0:open-gop=1"], "1"),
    // Every tenth frame is missing, and the one before it is seen twice.
    (closed + ["-vf", "select='not(eq(mod(n,10),3))'", "-vsync", "vfr"], "0"),
    (closed + ["-pix_fmt", "yuv444p"], "0"),
    (closed + ["-flags", "+ildct+ilme", "-x264opts", "tff=1"], "0"),
  ])
  func `are none where groups are open, frames are not the movie's one by one, or samples differ`(
    options: [String], start: String
  ) throws {
    let workshop = Workshop()
    try clip("a.mp4", in: workshop, options)
    let (_, search) = try planned(Self.document(Self.segment(start, "3")), in: workshop)
    #expect(search.plan == nil && search.encodedCount == 75)
    #expect(search.encoded.map(\.frames.count).reduce(0, +) == 75)
  }

  @Test func `are all of an open group, where all of it is shown`() throws {
    let workshop = Workshop()
    try clip("a.mp4", in: workshop, ["-c:v", "libx264", "-g", "25", "-bf", "2", "-x264-params", "scenecut=0:open-gop=1"])
    let (edit, _) = try planned(Self.document(Self.segment("0", "4")), in: workshop)
    #expect(edit.timeline.export.copies?.frames == [0..<100])
    let movie = try workshop.movie(of: edit, borders: [0], output: "m.mp4")
    #expect(try frames(of: movie) == frames(of: workshop.file("a.mp4")))
    // What the file calls a keyframe, and is none, is called so no more: a player would begin there. Behind the name of the list are its
    // flags and its length, in four bytes each.
    let bytes = try [UInt8](contentsOf: movie)
    let list = try #require(bytes.indices.dropLast(12).first { bytes[$0..<($0 + 4)].elementsEqual("stss".utf8) })
    #expect(bytes[(list + 8)..<(list + 12)].elementsEqual([0, 0, 0, 1]))
  }

  @Test(arguments: [
    (##""layers": [{"shape": "rectangle", "frame": [4, 4, 9, 9], "fillColor": "#ffffff", "from": "2"}],"##, [0..<50]),
    (
      ##""layers": [{"shape": "rectangle", "frame": [4, 4, 9, 9], "fillColor": "#ffffff", "from": "1.2", "to": "1.4"}],"##,
      [0..<25, 50..<100]
    ),
  ])
  func `are those of frames over which nothing lies`(layers: String, copied: [Range<Int>]) throws {
    let workshop = Workshop()
    try clip("a.mp4", in: workshop)
    let (_, search) = try planned(Self.document(Self.segment("0", "4"), more: layers), in: workshop)
    #expect(search.plan?.frames == copied)
    #expect(search.encoded.contains { $0.reason == "more is shown there than one clip" })
  }

  @Test func `are ProRes of the movie's own profile, from any frame on`() throws {
    let workshop = Workshop()
    try clip("a.mov", in: workshop, ["-c:v", "prores_ks", "-profile:v", "2", "-pix_fmt", "yuv422p10le", "-vendor", "apl0"])
    func search(_ profile: String) throws -> (edit: ResolvedTimeline, search: CopySearch) {
      try planned(
        Self.document(
          Self.segment("0.28", "3"), copy: "auto", assets: #""a": {"path": "a.mov"}"#,
          video: #""codec": "prores", "profile": "\#(profile)""#, type: "mov"), in: workshop)
    }
    #expect(try search("hq").search.plan == nil)
    let (edit, found) = try search("standard")
    #expect(found.plan == CopyPlan(frames: [0..<75]) && found.encoded.isEmpty)
    let movie = try workshop.movie(of: edit, borders: [0, 31], output: "m.mov")
    #expect(try frames(of: movie) == frames(of: workshop.file("a.mov"), 7..<82))
  }

  @Test(arguments: ["mp4", "mkv", "webm"])
  func `are VP9 from keyframe to keyframe, between others that are encoded`(type: String) throws {
    let workshop = Workshop()
    try clip("a.mkv", in: workshop, ["-c:v", "libvpx-vp9", "-g", "25", "-deadline", "realtime", "-cpu-used", "8", "-crf", "20"])
    let (edit, search) = try planned(
      Self.document(
        Self.segment("0.4", "3.2"), assets: #""a": {"path": "a.mkv"}"#, video: #""codec": "vp9", "speed": "veryfast""#, type: type
      ),
      in: workshop)
    #expect(search.plan == CopyPlan(frames: [15..<65]))
    let movie = try workshop.movie(of: edit, borders: [0, 15, 65], output: "m.\(type)")
    #expect(try frames(of: movie).count == 80)
    #expect(try frames(of: movie, 15..<65) == frames(of: workshop.file("a.mkv"), 25..<75))
    let verified = try MovieVerification(of: movie, against: edit, policy: workshop.policy) { _ in }
    #expect(verified.faults == [] && verified.copiedFrames == 50)
  }

  @Test(arguments: ["mov", "mxf"])
  func `are DNxHR of the movie's own profile, from any frame on`(type: String) throws {
    let workshop = Workshop()
    try clip("a.mov", in: workshop, width: 256, height: 128, ["-c:v", "dnxhd", "-profile:v", "dnxhr_hq", "-pix_fmt", "yuv422p"])
    func search(_ profile: String) throws -> (edit: ResolvedTimeline, search: CopySearch) {
      try planned(
        Self.document(
          Self.segment("0.28", "3"), assets: #""a": {"path": "a.mov"}"#, video: #""codec": "dnxhr", "profile": "\#(profile)""#,
          type: type, size: "[256, 128]"), in: workshop)
    }
    #expect(try search("sq").search.plan == nil)
    let (edit, found) = try search("hq")
    #expect(found.plan == CopyPlan(frames: [0..<75]) && found.encoded.isEmpty)
    let movie = try workshop.movie(of: edit, borders: [0, 31], output: "m.\(type)")
    #expect(try frames(of: movie) == frames(of: workshop.file("a.mov"), 7..<82))
  }

  @Test(arguments: ["mov", "mkv", "avi"])
  func `are Motion JPEG whose pictures bring their own tables, between others that are encoded`(type: String) throws {
    let workshop = Workshop()
    let coding = ["-c:v", "mjpeg", "-q:v", "3", "-pix_fmt", "yuvj420p"]
    // The encoder's usual tables are made for each picture, so those of one are not those of another.
    try clip("a.mov", in: workshop, coding + ["-huffman", "optimal"])
    try clip("b.mov", in: workshop, coding + ["-huffman", "default"])
    let (edit, search) = try planned(
      Self.document(
        [Self.segment("0.28", "2"), Self.segment("1", "1", of: "b", at: "2")].joined(separator: ","),
        assets: #""a": {"path": "a.mov"}, "b": {"path": "b.mov"}"#, video: #""codec": "mjpeg""#, type: type,
        more: ##" "layers": [{"shape": "rectangle", "frame": [0, 0, 8, 8], "fillColor": "#ff0000", "from": "1", "to": "1.4"}],"##),
      in: workshop)
    #expect(search.plan == CopyPlan(frames: [0..<25, 50..<75]))
    let movie = try workshop.movie(of: edit, borders: [0, 11, 25, 50], output: "m.\(type)")
    #expect(try frames(of: movie).count == 75)
    #expect(try frames(of: movie, 0..<25) == frames(of: workshop.file("a.mov"), 7..<32))
    #expect(try frames(of: movie, 50..<75) == frames(of: workshop.file("b.mov"), 25..<50))
    let verified = try MovieVerification(of: movie, against: edit, policy: workshop.policy) { _ in }
    #expect(verified.faults == [] && verified.copiedFrames == 50)
  }

  /// FFV1 as the encoder here writes it: version 3, each picture by itself, its slices chosen by the size.
  private static let ffv1 = ["-threads", "1", "-c:v", "ffv1", "-level", "3", "-g", "1", "-slicecrc", "1"]

  @Test(arguments: ["mov", "mkv"], [("yuv420p", "4:2:0", 8), ("yuv422p10le", "4:2:2", 10)])
  func `are FFV1 with the encoder's own header, between others that are encoded`(
    type: String, samples: (format: String, chroma: String, bits: Int)
  ) throws {
    let workshop = Workshop()
    try clip("a.mkv", in: workshop, Self.ffv1 + ["-pix_fmt", samples.format])
    let (edit, search) = try planned(
      Self.document(
        Self.segment("0.28", "3"), assets: #""a": {"path": "a.mkv"}"#,
        video: #""codec": "ffv1", "chroma": "\#(samples.chroma)", "bitDepth": \#(samples.bits)"#, type: type,
        more: ##" "layers": [{"shape": "rectangle", "frame": [0, 0, 8, 8], "fillColor": "#ff0000", "from": "1", "to": "1.4"}],"##),
      in: workshop)
    #expect(search.plan == CopyPlan(frames: [0..<25, 35..<75]))
    let movie = try workshop.movie(of: edit, borders: [0, 11, 25, 35], output: "m.\(type)")
    let (shown, source) = (try frames(of: movie), try frames(of: workshop.file("a.mkv"), 7..<82))
    #expect(shown.count == 75)
    #expect(shown[..<25] == source[..<25] && shown[35...] == source[35...] && shown[30] != source[30])
    let verified = try MovieVerification(of: movie, against: edit, policy: workshop.policy) { _ in }
    #expect(verified.faults == [] && verified.copiedFrames == 65)
  }

  @Test(arguments: [["-slices", "6"], ["-slices", "6", "-g", "10"], ["-coder", "1"], ["-context", "1"]])
  func `are FFV1 with another header only where the movie has no other frames`(options: [String]) throws {
    let workshop = Workshop()
    try clip("a.mkv", in: workshop, Self.ffv1 + ["-pix_fmt", "yuv420p"] + options)
    func search(_ layers: String) throws -> (edit: ResolvedTimeline, search: CopySearch) {
      try planned(
        Self.document(
          Self.segment("0", "4"), assets: #""a": {"path": "a.mkv"}"#, video: #""codec": "ffv1""#, type: "mkv", more: layers),
        in: workshop)
    }
    let mixed = try search(
      ##" "layers": [{"shape": "rectangle", "frame": [0, 0, 8, 8], "fillColor": "#ff0000", "from": "3"}],"##)
    #expect(mixed.search.plan == nil)
    #expect(mixed.search.encoded.first?.reason == "its stream has another header than the rest of the movie")
    let (edit, found) = try search("")
    #expect(found.plan == CopyPlan(frames: [0..<100]) && found.encoded.isEmpty)
    let movie = try workshop.movie(of: edit, borders: [0, 50], output: "m.mkv")
    #expect(try frames(of: movie) == frames(of: workshop.file("a.mkv")))
  }

  @Test func `are no FFV1 of an earlier version`() throws {
    let workshop = Workshop()
    try clip("a.mkv", in: workshop, ["-c:v", "ffv1", "-level", "1", "-pix_fmt", "yuv420p"])
    let (_, search) = try planned(
      Self.document(Self.segment("0", "4"), assets: #""a": {"path": "a.mkv"}"#, video: #""codec": "ffv1""#, type: "mkv"),
      in: workshop)
    #expect(search.plan == nil && search.encoded.first?.reason.hasSuffix("it is no FFV1 of version 3") == true)
  }

  @Test func `are no Motion JPEG that takes its tables from elsewhere`() throws {
    let workshop = Workshop()
    let coding = ["-c:v", "mjpeg", "-q:v", "3", "-pix_fmt", "yuvj420p", "-huffman", "default"]
    try SyntheticSource(width: 96, height: 64, frameRate: "25", frameCount: 50).write(to: workshop.file("a.mjpeg"), coding)
    let whole = try [UInt8](contentsOf: workshop.file("a.mjpeg"))
    func reason(_ bytes: [UInt8]) throws -> String? {
      try bytes.write(toFile: workshop.file("b.mjpeg"))
      try MediaTools.ffmpeg([
        "-y", "-f", "mjpeg", "-framerate", "25", "-i", workshop.file("b.mjpeg"), "-c", "copy", workshop.file("b.mov"),
      ])
      let (_, search) = try planned(
        Self.document(
          Self.segment("0", "2", of: "b"), assets: #""b": {"path": "b.mov"}"#, video: #""codec": "mjpeg""#, type: "mov"),
        in: workshop)
      #expect(search.plan?.frames == (search.encoded.isEmpty ? [0..<50] : nil))
      return search.encoded.first?.reason
    }
    #expect(try reason(whole) == nil)
    #expect(try reason(Self.without(0xc4, whole)) == "a picture does not bring its own tables")
  }

  /// The pictures without their segments of that marker.
  private static func without(_ marker: UInt8, _ bytes: [UInt8]) -> [UInt8] {
    var (left, place) = ([UInt8](), 0)
    while place + 3 < bytes.count {
      guard bytes[place] == 0xff, bytes[place + 1] == marker else {
        left.append(bytes[place])
        place += 1
        continue
      }
      place += 2 + Int(bytes[place + 2]) << 8 + Int(bytes[place + 3])
    }
    return left + bytes[place...]
  }

  @Test func `fail an attempt whose source has changed, or whose frames show more`() throws {
    let workshop = Workshop()
    try clip("a.mp4", in: workshop)
    let (edit, _) = try planned(Self.document(Self.segment("0", "4")), in: workshop)
    try clip("a.mp4", in: workshop, Self.closed + ["-g", "20"])
    #expect(throws: Failure.self) {
      try workshop.run(.picture(FrameRange(first: 25, count: 25)), task: 1, of: edit, output: "m.mp4")
    }
    var timeline = try workshop.edit(
      Self.document(
        Self.segment("0", "4"), more: ##""layers": [{"shape": "rectangle", "frame": [4, 4, 9, 9], "fillColor": "#ffffff"}],"##)
    ).timeline
    timeline.export.copies = CopyPlan(frames: [0..<20])
    let lying = try timeline.resolved(with: edit.facts)
    let error = #expect(throws: Failure.self) {
      try workshop.run(.picture(FrameRange(first: 0, count: 20)), task: 2, of: lying, output: "m.mp4")
    }
    #expect(error?.reason == "more is shown there than one clip")
  }
}
