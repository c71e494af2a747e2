import FarmTesting
import Formats
import FoundationEssentials
import Glibc
import Media
import MediaTime
import Testing

@Suite struct `a video encoder` {
  private let directory = TemporaryDirectory()

  @Test(arguments: [VideoCodecSettings.h264(speed: .medium), .h264(speed: .ultrafast), .ffv1])
  func `makes the same bytes of the same frames`(settings: VideoCodecSettings) throws {
    let synthetic = SyntheticSegments(settings: settings, frameDuration: try MediaTime(1, 25))
    let once = try synthetic.write(7..<40, to: directory.file("a.nut"))
    let again = try synthetic.write(7..<40, to: directory.file("b.nut"))
    #expect(once.facts == again.facts)
    #expect(once.facts.length == 33)
  }

  @Test(arguments: [VideoCodecSettings.h264(speed: .veryfast), VideoCodecSettings(.hevc(HEVC(speed: .ultrafast)))])
  func `says nothing of itself and of its settings`(settings: VideoCodecSettings) throws {
    let synthetic = SyntheticSegments(settings: settings, frameDuration: try MediaTime(1, 25))
    let segment = try synthetic.write(0..<3, to: directory.file("a.nut"))
    let text = String(decoding: try read(segment.path), as: UTF8.self)
    #expect(!text.contains("x264") && !text.contains("x265") && !text.contains("options:"))
    #expect(try MediaTools.frames(segment.path).count == 3)
  }

  @Test func `keeps no packet that was taken, and counts the bytes of all`() throws {
    let synthetic = SyntheticSegments(settings: .h264(speed: .ultrafast), frameDuration: try MediaTime(1, 25))
    let encoder = try synthetic.encoder()
    var taken: [(frame: Int, byteCount: Int)] = []
    for index in 0..<30 {
      try encoder.encode(try synthetic.frame(index), to: nil)
      taken += encoder.takePackets()
      #expect(encoder.packets.isEmpty)
    }
    try encoder.finish(to: nil)
    taken += encoder.takePackets()
    #expect(encoder.packets.isEmpty && taken.map(\.frame).sorted() == Array(0..<30))
    #expect(encoder.byteCount == taken.reduce(0) { $0 + $1.byteCount } && encoder.byteCount > 0)
  }

  @Test(arguments: [PixelSize(96, 54), PixelSize(128, 72), PixelSize(320, 180)])
  func `makes the same bytes whatever lay in memory before`(size: PixelSize) throws {
    let synthetic = SyntheticSegments(settings: .h264(speed: .veryfast), size: size, frameDuration: try MediaTime(1, 25))
    let facts = try (0..<6).map { round in
      fillFreeMemory(with: UInt8(round * 43 + 1))
      return try synthetic.write(0..<20, to: directory.file("a.nut")).facts
    }
    #expect(Set(facts).count == 1)
  }

  @Test(arguments: H264.Speed.allCases)
  func `has the same parameter sets for a frame and for many, at each preset`(speed: H264.Speed) throws {
    let synthetic = SyntheticSegments(settings: .h264(speed: speed), frameDuration: try MediaTime(1, 25))
    let segments = try synthetic.write([1, 20], in: directory)
    #expect(segments[0].facts.parameterSetDigest == segments[1].facts.parameterSetDigest)
    #expect(segments.map(\.facts.length) == [1, 20])
    #expect(try MediaTools.frames(segments[0].path).count == 1)
  }

  @Test(arguments: [8, 10], [PixelFormat.Layout.yuv420, .yuv422, .yuv444])
  func `is lossless at rate factor 0`(bitDepth: Int, layout: PixelFormat.Layout) throws {
    let settings = VideoCodecSettings.h264(crf: 0, speed: .veryfast, bitDepth: bitDepth)
    let synthetic = SyntheticSegments(settings: settings, layout: layout, frameDuration: try MediaTime(1, 25))
    let segment = try synthetic.write(0..<6, to: directory.file("a.nut"))
    #expect(try MediaTools.frames(segment.path).map(\.md5) == (0..<6).map { try synthetic.frame($0).md5() })
  }

  @Test func `writes the colour tags, the range and the rate into the stream itself`() throws {
    let color = ColorTags(.bt2020, .hlg, .bt2020nc, .full)
    let synthetic = SyntheticSegments(
      settings: .h264(speed: .fast, bitDepth: 10), frameDuration: try MediaTime(1001, 24000),
      color: color)
    let segment = try synthetic.write(0..<12, to: directory.file("a.nut"))
    // A transport stream has no colour tags of its own, so those of the video stream are seen.
    let raw = directory.file("a.ts")
    try MediaTools.ffmpeg(["-i", segment.path, "-c", "copy", raw])
    let entries = "stream=pix_fmt,color_range,color_space,color_transfer,color_primaries,sample_aspect_ratio,r_frame_rate"
    // ffprobe lists the stream a second time, as part of its programme.
    let stream = try MediaTools.probe(raw, "v", entries).first
    #expect(stream == "1:1,yuv420p10le,pc,bt2020nc,arib-std-b67,bt2020,24000/1001")
  }

  /// SVT-AV1 takes the highest real-time priority where the user is root. Processes that such a thread starts have it, too.
  @Test func `leaves every thread its ordinary priority`() throws {
    var synthetic = SyntheticSegments(settings: VideoCodecSettings(.av1(AV1())), frameDuration: try MediaTime(1, 25))
    synthetic.size = PixelSize(192, 128)
    _ = try synthetic.write(0..<2, to: directory.file("a.nut"))
    func hasOther() throws -> Bool {
      try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").compactMap { pid_t($0) }
        .contains { sched_getscheduler($0) == SCHED_FIFO }
    }
    // Another test's encoder may be half open.
    for _ in 0..<100 where try hasOther() { usleep(50_000) }
    #expect(try !hasOther())
  }

  @Test func `starts a group of pictures at least each 250 frames, and each 10 seconds`() throws {
    for (rate, interval) in [(Int32(60), 250), (10, 100)] {
      var synthetic = SyntheticSegments(settings: .h264(speed: .ultrafast), frameDuration: try MediaTime(1, rate))
      synthetic.size = PixelSize(16, 16)
      let segment = try synthetic.write(0..<interval + 2, to: directory.file("a.nut"))
      let keys = try MediaTools.probe(segment.path, "v", "packet=flags").enumerated().filter { $1.hasPrefix("K") }.map(\.offset)
      #expect(zip(keys, keys.dropFirst() + [interval + 2]).allSatisfy { $1 - $0 <= interval })
      #expect(keys.count > 1)
    }
  }

  @Test(arguments: [
    VideoCodecSettings.h264(speed: .medium), .h264(speed: .veryfast), VideoCodecSettings(.hevc(HEVC(speed: .veryfast))),
  ])
  func `begins as finely as with a keyframe within`(settings: VideoCodecSettings) throws {
    var synthetic = SyntheticSegments(settings: settings, size: PixelSize(640, 360), frameDuration: try MediaTime(1, 25))
    synthetic.forcedKeyInterval = 40
    let (still, encoder) = (try synthetic.frame(0), try synthetic.encoder())
    for _ in 0..<80 { try encoder.encode(still, to: nil) }
    try encoder.finish(to: nil)
    let sizes = encoder.packets.filter { $0.frame.isMultiple(of: 40) }.map(\.byteCount)
    try #require(sizes.count == 2)
    // Without more bits the first of these keyframes is coarser: 0.87 of the other with x264, 0.97 with x265.
    let fitting = settings.codec == .hevc ? 1...1.1 : 0.94...1.06
    #expect(fitting.contains(Double(sizes[0]) / Double(sizes[1])), "\(sizes)")
  }

  @Test(arguments: [PixelSize(63, 36), PixelSize(64, 35), PixelSize(0, 36)])
  func `refuses sides that its chroma cannot halve`(size: PixelSize) throws {
    let synthetic = SyntheticSegments(size: size, frameDuration: try MediaTime(1, 25))
    let error = #expect(throws: MediaError.self) { try synthetic.encoder() }
    #expect(error?.kind == .unsupported)
  }

  @Test func `of FFV1 takes odd sides`() throws {
    let synthetic = SyntheticSegments(settings: .ffv1, size: PixelSize(63, 35), frameDuration: try MediaTime(1, 25))
    let segment = try synthetic.write(0..<2, to: directory.file("a.nut"))
    #expect(try MediaTools.frames(segment.path).map(\.md5) == (0..<2).map { try synthetic.frame($0).md5() })
  }

  @Test func `refuses a layout that it has no encoding for`() throws {
    let synthetic = SyntheticSegments(layout: .gbr, frameDuration: try MediaTime(1, 25))
    let error = #expect(throws: MediaError.self) { try synthetic.encoder() }
    #expect(error?.kind == .unsupported)
  }
}

/// Fills free memory with `byte`. The next allocations of this thread will get this memory.
private func fillFreeMemory(with byte: UInt8) {
  // The sizes are below and above those that an encoder of small pictures allocates, and small enough for malloc to keep the
  // memory.
  let blocks = (0..<600).map { [UInt8](repeating: byte, count: 1 << (10 + $0 % 8)) }
  withExtendedLifetime(blocks) {}
}
