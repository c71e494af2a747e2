import FarmTesting
import Formats
import Media
import MediaTime
import Testing

@Suite struct `muxed picture segments` {
  private let directory = TemporaryDirectory()

  @Test(arguments: [(PixelFormat.Layout.yuv420, 8, FileType.mkv), (.yuv422, 10, .mkv), (.yuv444, 8, .mov)])
  func `decode to the frames that were given, however many segments they came in`(
    layout: PixelFormat.Layout, bitDepth: Int, fileType: FileType
  ) throws {
    let settings = VideoCodecSettings(.ffv1(FFV1()), bitDepth: bitDepth)
    let synthetic = SyntheticSegments(settings: settings, layout: layout, frameDuration: try MediaTime(1, 25))
    let expected = try (0..<21).map { try synthetic.frame($0).md5() }
    for lengths in [[21], [10, 4, 7], [3, 3, 3, 3, 3, 3, 3], [Int](repeating: 1, count: 21)] {
      let movie = directory.file("movie")
      try synthetic.mux(synthetic.write(lengths, in: directory), to: movie, fileType)
      #expect(try MediaTools.frames(movie).map(\.md5) == expected, "segments \(lengths)")
    }
  }

  @Test(arguments: [H264.Speed.ultrafast, .superfast, .veryfast, .faster, .fast, .medium])
  func `decode as each segment does alone, whatever the preset`(speed: H264.Speed) throws {
    let synthetic = SyntheticSegments(settings: .h264(speed: speed), frameDuration: try MediaTime(1001, 30000))
    let segments = try synthetic.write([1, 2, 70, 3, 1, 1, 9], in: directory)
    let alone = try segments.flatMap { try MediaTools.frames($0.path).map(\.md5) }
    for fileType in [FileType.mp4, .mov, .mkv] {
      let movie = directory.file("movie")
      try synthetic.mux(segments, to: movie, fileType)
      #expect(try MediaTools.frames(movie).map(\.md5) == alone)
    }
  }

  @Test(arguments: [(1001, 24000), (1, 25), (1001, 30000), (1, 30), (1, 50), (1001, 60000), (3, 1)] as [(Int64, Int32)])
  func `have exact times, decode times that rise, and equal durations at any rate`(value: Int64, timescale: Int32) throws {
    let synthetic = SyntheticSegments(settings: .h264(speed: .fast), frameDuration: try MediaTime(value, timescale))
    let movie = directory.file("movie")
    try synthetic.mux(synthetic.write([1, 3, 30, 2, 1, 20], in: directory), to: movie, .mp4)
    let timeBase = try #require(MediaTools.probe(movie, "v", "stream=time_base").first)
    let ticks = try #require(Int(timeBase.dropFirst(2))) * Int(value) / Int(timescale)
    let packets = try MediaTools.probe(movie, "v", "packet=pts,dts,duration").map { $0.split(separator: ",").map { Int($0) } }
    #expect(packets.compactMap { $0[0] }.sorted() == (0..<57).map { $0 * ticks })
    #expect(packets.compactMap { $0[1] } == (0..<57).map { ($0 - 2) * ticks })
    #expect(packets.allSatisfy { $0[2] == ticks })
    #expect(try MediaTools.probe(movie, "v", "stream=start_pts,duration_ts,nb_read_frames") == ["0,\(57 * ticks),57"])
  }

  @Test(arguments: [FileType.mp4, .mov, .mkv], [VideoCodecSettings.h264(speed: .veryfast), .ffv1])
  func `carry true colour tags`(fileType: FileType, settings: VideoCodecSettings) throws {
    guard settings.codec == .h264 || fileType != .mp4 else { return }
    for color in ColorTags.named.map(\.tags) {
      let synthetic = SyntheticSegments(settings: settings, frameDuration: try MediaTime(1, 25), color: color)
      let movie = directory.file("movie")
      try synthetic.mux(synthetic.write([2], in: directory), to: movie, fileType)
      let tags = try MediaTools.probe(movie, "v", "stream=color_range,color_space,color_transfer,color_primaries")
      // FFV1 in mov has no field for the range. Players take an unknown range for limited.
      let range = settings.codec == .ffv1 && fileType == .mov ? "unknown" : "tv"
      #expect(tags == ["\(range),\(color.matrix.rawValue),\(color.transfer.rawValue),\(color.primaries.rawValue)"])
    }
  }

  @Test func `have square pixels, one segment or many`() throws {
    let synthetic = SyntheticSegments(size: PixelSize(48, 64), frameDuration: try MediaTime(1, 25))
    let movie = directory.file("movie")
    try synthetic.mux(synthetic.write([2, 2], in: directory), to: movie, .mp4)
    #expect(try MediaTools.probe(movie, "v", "stream=width,height,sample_aspect_ratio") == ["48,64,1:1"])
    #expect(try MediaTools.mediainfo(["--Inform=Video;%FrameRate_Mode% %FrameCount%", movie]) == "CFR 4\n")
  }

  @Test(arguments: [FileType.mp4, .mov])
  func `start with their index when it is asked for, and decode to the same`(fileType: FileType) throws {
    let synthetic = SyntheticSegments(frameDuration: try MediaTime(1, 25))
    let segments = try synthetic.write([20, 5], in: directory)
    let (plain, moved) = (directory.file("plain"), directory.file("moved"))
    try synthetic.mux(segments, to: plain, fileType)
    try synthetic.mux(segments, to: moved, fileType, moovFirst: true)
    #expect(try boxes(plain).filter { $0 == "moov" || $0 == "mdat" } == ["mdat", "moov"])
    #expect(try boxes(moved).filter { $0 == "moov" || $0 == "mdat" } == ["moov", "mdat"])
    #expect(try MediaTools.frames(plain) == MediaTools.frames(moved))
  }

  @Test(arguments: [FileType.mp4, .mov, .mkv])
  func `give the same bytes each time`(fileType: FileType) throws {
    let synthetic = SyntheticSegments(frameDuration: try MediaTime(1001, 30000))
    let sound = try writeSound(.aac(), count: 20_000, to: directory.file("sound.nut"))
    let digests = try (0..<2).map { round in
      let segments = try synthetic.write([5, 9], in: directory, prefix: "\(round)")
      try synthetic.mux(segments, sound: sound, to: directory.file("movie"), fileType, moovFirst: true)
      return try FileDigest(of: directory.file("movie"))
    }
    #expect(digests[0] == digests[1])
  }
}
