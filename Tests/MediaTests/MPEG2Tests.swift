import FarmTesting
import Formats
import Media
import MediaTime
import Testing

@Suite struct `MPEG-2 of several chunks` {
  private let directory = TemporaryDirectory()

  private func segments(_ frameDuration: MediaTime, _ coder: MPEG2 = MPEG2()) -> SyntheticSegments {
    SyntheticSegments(
      settings: VideoCodecSettings(.mpeg2(coder)), layout: .init(coder.chroma), frameDuration: frameDuration)
  }

  @Test(arguments: [ChromaSampling.yuv420, .yuv422])
  func `decodes as each chunk does alone, in closed groups that begin on their grid`(chroma: ChromaSampling) throws {
    let synthetic = segments(try MediaTime(1001, 30_000), MPEG2(chroma: chroma))
    let segments = try synthetic.write([1, 2, 40, 3, 1, 9], in: directory)
    let alone = try segments.flatMap { try MediaTools.frames($0.path).map(\.md5) }
    #expect(alone.count == 56)
    #expect(Set(segments.map(\.facts.parameterSetDigest)).count == 1)
    for fileType in MPEG2().fileTypes {
      let movie = directory.file("movie.\(fileType.endings[0])")
      try synthetic.mux(segments, to: movie, fileType)
      #expect(try MediaTools.frames(movie).map(\.md5) == alone, "\(fileType)")
      let keys = try MediaTools.probe(movie, "v", "packet=flags").enumerated().filter { $1.hasPrefix("K") }.map(\.offset)
      #expect(keys == [0, 1, 3, 18, 33, 43, 46, 47], "\(fileType)")
    }
    let facts = try MediaTools.probe(directory.file("movie.mov"), "v", "stream=profile,pix_fmt,level,sample_aspect_ratio")
    #expect(facts == [chroma == .yuv420 ? "Main,1:1,yuv420p,8" : "4:2:2,1:1,yuv422p,5"])
  }

  @Test(
    arguments: [
      (1001, 24_000), (1, 24), (1, 25), (1001, 30_000), (1, 30), (1, 50), (1001, 60_000), (1, 60),
    ] as [(Int64, Int32)])
  func `has exact times at each rate that it has`(value: Int64, timescale: Int32) throws {
    let synthetic = segments(try MediaTime(value, timescale))
    let movie = directory.file("movie.mov")
    try synthetic.mux(synthetic.write([1, 3, 30, 2, 1, 20], in: directory), to: movie, .mov)
    let timeBase = try #require(MediaTools.probe(movie, "v", "stream=time_base").first)
    let ticks = try #require(Int(timeBase.dropFirst(2))) * Int(value) / Int(timescale)
    let packets = try MediaTools.probe(movie, "v", "packet=pts,dts,duration").map { $0.split(separator: ",").map { Int($0) } }
    #expect(packets.compactMap { $0[0] }.sorted() == (0..<57).map { $0 * ticks })
    #expect(packets.compactMap { $0[1] } == (0..<57).map { ($0 - 1) * ticks })
    #expect(packets.allSatisfy { $0[2] == ticks })
    #expect(try MediaTools.probe(movie, "v", "stream=r_frame_rate,nb_read_frames") == ["\(timescale)/\(value),57"])
  }

  @Test func `counts its groups' time codes through the movie`() throws {
    let synthetic = segments(try MediaTime(1, 25))
    let movie = directory.file("movie.mkv")
    try synthetic.mux(synthetic.write([20, 7, 14], in: directory), to: movie, .mkv)
    #expect(try groupCodes(movie) == ["00:00:00:00", "00:00:00:12", "00:00:00:20", "00:00:01:02", "00:00:01:14"])
  }

  @Test(arguments: [FileType.mov, .mxf])
  func `counts them from the movie's own time code, and leaves out what it leaves out`(type: FileType) throws {
    let dropping = segments(try MediaTime(1001, 30_000))
    let movie = directory.file("movie.\(type)")
    try dropping.mux(dropping.write([40, 50], in: directory), to: movie, type, timecode: "00:00:58;00")
    let labels = "00:00:58;00 00:00:58;15 00:00:59;00 00:00:59;10 00:00:59;25 00:01:00;12 00:01:00;27"
    #expect(try groupCodes(movie).joined(separator: " ") == labels)
    let whole = segments(try MediaTime(1, 25))
    try whole.mux(whole.write([20], in: directory), to: movie, type, timecode: "23:59:59:20")
    #expect(try groupCodes(movie) == ["23:59:59:20", "00:00:00:07"])
  }

  /// The time codes of the groups in a movie.
  private func groupCodes(_ movie: String) throws -> [String] {
    let shown = ["-select_streams", "v", "-show_entries", "frame_side_data=timecode", "-of", "csv=p=0", movie]
    let codes = try MediaTools.ffprobe(shown)
    return codes.split(whereSeparator: \.isNewline).map(String.init).filter { $0.contains(":") }
  }

  @Test(arguments: [
    (MPEG2(), "15000000,1835008"), (MPEG2(chroma: .yuv422), "50000000,9437184"),
    (MPEG2.bounded(2_000_000, nil), "2000000,1835008"), (MPEG2.bounded(2_000_000, 819_200), "2000000,819200"),
  ])
  func `states the bound within which it keeps, in every group`(coder: MPEG2, bound: String) throws {
    let synthetic = segments(try MediaTime(1, 25), coder)
    let movie = directory.file("movie.mkv")
    try synthetic.mux(synthetic.write([20, 7], in: directory), to: movie, .mkv)
    // FFmpeg's decoder keeps what the last header stated.
    let read = try MediaTools.ffprobe(["-show_entries", "stream_side_data=max_bitrate,buffer_size", "-of", "csv=p=0", movie])
    #expect(read.contains(bound), "\(read)")
  }

  @Test func `has the colours that were given`() throws {
    for color in ColorTags.named.map(\.tags) {
      var synthetic = segments(try MediaTime(1, 25))
      synthetic.color = MPEG2().color(color)
      let movie = directory.file("movie.mkv")
      try synthetic.mux(synthetic.write([2], in: directory), to: movie, .mkv)
      let tags = try MediaTools.probe(movie, "v", "stream=color_range,color_space,color_transfer,color_primaries")
      #expect(tags == ["tv,\(color.matrix.rawValue),\(color.transfer.rawValue),\(color.primaries.rawValue)"])
    }
  }

  @Test(arguments: [
    (PixelSize(64, 36), MediaTime.oneSecond, "mpeg2 has 23.976, 24, 25,"),
    (PixelSize(2048, 858), .frame25, "made up to 1920x1152"),
    (PixelSize(1920, 1080), .frame50, "1920x1080 up to 30 times a second"),
  ])
  func `refuses what the standard does not have`(size: PixelSize, frameDuration: MediaTime, words: String) throws {
    var synthetic = segments(frameDuration)
    synthetic.size = size
    let error = #expect(throws: MediaError.self) { try synthetic.encoder() }
    #expect(error?.description.contains(words) == true, "\(error.map(String.init(describing:)) ?? "")")
  }
}

extension MPEG2 {
  fileprivate static func bounded(_ maxBitRate: Double, _ bufferSize: Double?) -> MPEG2 {
    var coder = MPEG2()
    (coder.maxBitRate, coder.bufferSize) = (maxBitRate, bufferSize)
    return coder
  }
}

extension MediaTime {
  fileprivate static let frame25 = rate(25)
  fileprivate static let frame50 = rate(50)

  private static func rate(_ count: Int32) -> MediaTime {
    do { return try MediaTime(1, count) } catch { preconditionFailure("\(count) is a plain number") }
  }
}
