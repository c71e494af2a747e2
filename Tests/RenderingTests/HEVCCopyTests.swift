import EditFiles
import FarmTesting
import Formats
import Media
import Messages
import Rendering
import Scenes
import Testing
import Timeline

@Suite struct `Packets of HEVC that are copied` {
  private static let closed = encoder("open-gop=0")
  /// The last two pictures before each entry, of which there is one every 24 frames, belong to its group.
  private static let open = encoder("open-gop=1:keyint=24:min-keyint=24")

  /// Groups of 25 frames with two B-frames between others.
  private static func encoder(_ more: String, form: String = "yuv420p") -> [String] {
    [
      "-c:v", "libx265", "-preset", "ultrafast", "-crf", "18", "-pix_fmt", form, "-tag:v", "hvc1", "-x265-params",
      "log-level=none:pools=none:frame-threads=1:keyint=25:min-keyint=25:scenecut=0:bframes=2:b-adapt=0:\(more)",
    ]
  }

  private func clip(_ name: String, in workshop: Workshop, frameCount: Int = 100, _ options: [String] = closed) throws {
    try SyntheticSource(width: 96, height: 64, frameRate: "25", frameCount: frameCount).write(to: workshop.file(name), options)
  }

  private static func segment(_ start: String, _ duration: String, of asset: String = "a", at: String = "0") -> String {
    #"{"asset": "\#(asset)", "source": {"start": "\#(start)", "duration": "\#(duration)"}, "at": "\#(at)"}"#
  }

  private func planned(
    _ segments: String, in workshop: Workshop, assets: String = #""a": {"path": "a.mp4"}"#, copy: String = "auto",
    video: String = #""codec": "hevc", "speed": "ultrafast""#, type: String = "mp4"
  ) throws -> (edit: ResolvedTimeline, search: CopySearch) {
    let edit = try workshop.edit(
      """
      {"spool": 1, "assets": {\(assets)},
       "composition": {"tracks": [{"id": "A", "media": "video", "segments": [\(segments)]}]},
       "videoComposition": {"renderSize": [96, 64], "frameDuration": "1/25"},
       "export": {"fileType": "\(type)", "video": {\(video), "copy": "\(copy)"}}}
      """)
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

  @Test(arguments: ["mp4", "mov", "mkv"], [false, true])
  func `are whole groups of pictures, between others whose sets are numbered anew`(type: String, isDeep: Bool) throws {
    let workshop = Workshop()
    try clip("a.mp4", in: workshop, isDeep ? Self.encoder("open-gop=0", form: "yuv420p10le") : Self.closed)
    let (edit, search) = try planned(
      Self.segment("0.4", "3.2"), in: workshop,
      video: #""codec": "hevc", "speed": "ultrafast", "bitDepth": \#(isDeep ? 10 : 8)"#, type: type)
    #expect(search.plan == CopyPlan(frames: [15..<65], reorderDepth: search.plan?.reorderDepth ?? -1, parameterSetID: 17))
    let movie = try workshop.movie(of: edit, borders: [0, 15, 65], output: "m.\(type)")
    let (shown, source) = (try frames(of: movie), try frames(of: workshop.file("a.mp4")))
    #expect(shown.count == 80)
    #expect(Array(shown[15..<65]) == Array(source[25..<75]))
    #expect(shown[14] != source[24] && shown[65] != source[75])
    let times = try MediaTools.ffprobe(["-select_streams", "v", "-show_entries", "packet=pts_time", "-of", "csv=p=0", movie])
      .split(separator: "\n").compactMap { Double($0.filter { $0 != "," }) }
    #expect(times.map { ($0 * 25).rounded() }.sorted() == (0..<80).map(Double.init))
    let verified = try MovieVerification(of: movie, against: edit, policy: workshop.policy) { _ in }
    #expect(verified.faults == [] && verified.copiedFrames == 50)
    // A player that begins in the middle finds its sets.
    let late = try MediaTools.ffmpeg(
      ["-ss", "2.8", "-i", movie, "-frames:v", "1", "-map", "0:v", "-f", "framemd5", "-"], isStrict: true)
    #expect(late.split(separator: " ").last.map { $0.filter { $0 != "\n" } } == String(shown[70]))
  }

  @Test func `are the same wherever a range of them is divided`() throws {
    let workshop = Workshop()
    try clip("a.mp4", in: workshop)
    let (edit, _) = try planned(Self.segment("0", "4"), in: workshop, copy: "require")
    #expect(edit.timeline.export.copies?.frames == [0..<100] && edit.timeline.export.copies?.parameterSetID == nil)
    let whole = try workshop.movie(of: edit, borders: [0], output: "one.mp4")
    let divided = try workshop.movie(of: edit, borders: [0, 25, 75], output: "three.mp4")
    #expect(try [UInt8](contentsOf: whole) == [UInt8](contentsOf: divided))
    #expect(try frames(of: whole) == frames(of: workshop.file("a.mp4")))
  }

  @Test(arguments: ["mp4", "mkv"])
  func `begin at a clean entry, without the pictures before it that need the group before`(type: String) throws {
    let workshop = Workshop()
    try clip("a.mp4", in: workshop, Self.open)
    let (edit, search) = try planned(Self.segment("0.4", "3.2"), in: workshop, type: type)
    let copied = try #require(search.plan?.frames.first)
    // The pictures before the entry at 24 need the group before; those before the entry at 72 belong to its group, which the edit cuts off.
    #expect(search.plan?.frames == [14..<60])
    let movie = try workshop.movie(of: edit, borders: [0, 14, 60], output: "m.\(type)")
    let (shown, source) = (try frames(of: movie), try frames(of: workshop.file("a.mp4")))
    #expect(shown.count == 80)
    #expect(Array(shown[copied]) == Array(source[(copied.lowerBound + 10)..<(copied.upperBound + 10)]))
    let verified = try MovieVerification(of: movie, against: edit, policy: workshop.policy) { _ in }
    #expect(verified.faults == [] && verified.copiedFrames == copied.count)
  }

  @Test func `are all of open groups, where all of them are shown`() throws {
    let workshop = Workshop()
    try clip("a.mp4", in: workshop, Self.open)
    let (edit, _) = try planned(Self.segment("0", "4"), in: workshop, copy: "require")
    #expect(edit.timeline.export.copies?.frames == [0..<100])
    let movie = try workshop.movie(of: edit, borders: [0], output: "m.mp4")
    #expect(try frames(of: movie) == frames(of: workshop.file("a.mp4")))
  }

  @Test func `join clips of the same sets, also at clean entries, and encode one whose sets have the numbers of others`() throws {
    let workshop = Workshop()
    try clip("a.mp4", in: workshop, Self.open)
    try clip("b.mp4", in: workshop, Self.open)
    try clip("c.mp4", in: workshop, frameCount: 50, Self.encoder("open-gop=0:ref=1:bframes=0"))
    let (edit, search) = try planned(
      [
        Self.segment("0", "2.8"), Self.segment("0.96", "3.04", of: "b", at: "2.8"), Self.segment("0", "2", of: "c", at: "5.84"),
      ].joined(separator: ","), in: workshop,
      assets: #""a": {"path": "a.mp4"}, "b": {"path": "b.mp4"}, "c": {"path": "c.mp4"}"#)
    #expect(search.plan?.frames == [0..<70, 70..<146])
    #expect(search.encoded.map(\.frames) == [146..<196])
    #expect(search.encoded.first?.reason == "its parameter sets have the numbers of another source's")
    let movie = try workshop.movie(of: edit, borders: [0, 70, 146], output: "m.mp4")
    let (a, b) = try (frames(of: workshop.file("a.mp4"), 0..<70), frames(of: workshop.file("b.mp4"), 24..<100))
    #expect(try Array(frames(of: movie)[0..<146]) == a + b)
  }

  @Test func `keep the metadata of HDR, and are refused where they are other than the movie's`() throws {
    let workshop = Workshop()
    let display = "master-display=G(13250,34500)B(7500,3000)R(34000,16000)WP(15635,16450)L(10000000,1)"
    try clip(
      "a.mp4", in: workshop,
      Self.encoder(
        "open-gop=0:colorprim=bt2020:transfer=smpte2084:colormatrix=bt2020nc:\(display):max-cll=1000,400", form: "yuv420p10le")
        + ["-color_primaries", "bt2020", "-color_trc", "smpte2084", "-colorspace", "bt2020nc"])
    func search(_ more: String = "") throws -> (edit: ResolvedTimeline, search: CopySearch) {
      try planned(
        Self.segment("0.4", "3.2"), in: workshop, video: #""codec": "hevc", "speed": "ultrafast", "bitDepth": 10\#(more)"#)
    }
    let other = try search(#", "contentLight": {"maximum": 900, "frameAverage": 300}"#).search
    #expect(other.plan == nil && other.encoded.map(\.reason) == ["the clip has other HDR metadata than the movie"])
    let (edit, found) = try search()
    #expect(found.plan?.frames == [15..<65], "\(found.encoded)")
    let movie = try workshop.movie(of: edit, borders: [0, 15, 65], output: "m.mp4")
    #expect(try frames(of: movie, 15..<65) == frames(of: workshop.file("a.mp4"), 25..<75))
    let stream = try MediaTools.ffprobe([
      "-select_streams", "v", "-show_entries", "stream=color_transfer,profile,level:stream_side_data=max_content", "-of",
      "default=nw=1",
      movie,
    ])
    #expect(
      stream.contains("color_transfer=smpte2084") && stream.contains("max_content=1000") && stream.contains("profile=Main 10"))
  }
}
