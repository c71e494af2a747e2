import FarmTesting
import Formats
import Media
import MediaTime
import Testing

/// Transport streams as FFmpeg reads their times back. The matrix of exports tries the codecs of pictures alone.
@Suite struct `A transport stream that is written` {
  private let directory = TemporaryDirectory()

  static let sounds = AudioCodec.allCases.filter { $0.fileTypes.contains(.mpegts) }

  /// The first time of a stream, in ticks of 1/90000 s.
  private func start(_ movie: String, _ stream: String) throws -> Int {
    try #require(MediaTools.probe(movie, stream, "stream=start_pts").first.flatMap { Int($0) })
  }

  @Test(arguments: sounds, [32_000, 44_100, 48_000] as [Int32])
  func `gives every sample at its time beside the picture, and its priming before it`(codec: AudioCodec, rate: Int32) throws {
    let synthetic = SyntheticSegments(frameDuration: try MediaTime(1001, 30_000))
    let (count, click) = (50_001, 30_011)
    let settings = AudioCodecSettings(codec.usual, sampleRate: rate, channelLayout: .mono)
    let sound = try writeSound(settings, count: count, to: directory.file("sound.nut")) { $1 == click ? 0.9 : 0 }
    let movie = directory.file("movie.ts")
    try synthetic.mux(synthetic.write([20, 13], in: directory), sound: sound, to: movie, .mpegts)
    let (picture, first) = try (start(movie, "v"), start(movie, "a"))
    #expect(picture == 216_000)
    let lead = Double(picture - first) * Double(rate) / 90_000
    #expect(lead > 0 && lead / Double(rate) < 0.08)
    let samples = try MediaTools.samples(movie, in: directory)
    #expect(samples.count == count + Int(lead.rounded()))
    let loudest = try #require(samples.indices.max { samples[$0].magnitude < samples[$1].magnitude })
    #expect(abs(Double(loudest - click) - lead) <= Double(rate) / 90_000)
    // Each frame of sound stands where the ones before it end. FFmpeg adds up the rounded durations of those that share a packet.
    let frames = try MediaTools.probe(movie, "a", "frame=pts,nb_samples").map { $0.split(separator: ",").compactMap { Int($0) } }
    var position = 0
    for frame in frames {
      #expect(abs(frame[0] - first - Int((Double(position) * 90_000 / Double(rate)).rounded())) <= 2)
      position += frame[1]
    }
  }

  @Test(arguments: [VideoCodec.h264, .hevc, .mpeg2], [(1001, 24_000), (1, 25), (1001, 60_000)] as [(Int64, Int32)])
  func `shows each frame at its time, with sound or without`(codec: VideoCodec, rate: (value: Int64, timescale: Int32)) throws {
    var settings = VideoCodecSettings.usual(codec)
    settings.coding.set("speed", to: .word("ultrafast"))
    var synthetic = SyntheticSegments(settings: settings, frameDuration: try MediaTime(rate.value, rate.timescale))
    synthetic.size = PixelSize(64, 64)
    let segments = try synthetic.write([9, 1, 16], in: directory)
    let alone = try segments.flatMap { try MediaTools.frames($0.path).map(\.md5) }
    let sound = try writeSound(.usual(.aac), count: 20_000, to: directory.file("sound.nut"))
    for sound in [sound, nil] {
      let movie = directory.file("movie.ts")
      try synthetic.mux(segments, sound: sound, to: movie, .mpegts)
      #expect(try MediaTools.frames(movie).map(\.md5) == alone)
      let start = try start(movie, "v")
      let times = try MediaTools.probe(movie, "v", "packet=pts").compactMap { Int($0) }.sorted()
      #expect(
        times
          == (0..<26).map { index in
            start + Int((Double(index) * 90_000 * Double(rate.value) / Double(rate.timescale)).rounded(.toNearestOrAwayFromZero))
          })
      let decoded = try MediaTools.probe(movie, "v", "packet=dts").compactMap { Int($0) }
      #expect(decoded.count == 26 && zip(decoded, decoded.dropFirst()).allSatisfy { $0 < $1 })
    }
  }

  @Test func `can be joined in the middle: parameter sets stand in front of each group`() throws {
    var synthetic = SyntheticSegments(settings: .h264(speed: .ultrafast), frameDuration: try MediaTime(1, 25))
    synthetic.size = PixelSize(160, 90)
    let movie = directory.file("movie.ts")
    try synthetic.mux(synthetic.write([30, 30], in: directory), to: movie, .mpegts)
    let bytes = try [UInt8](contentsOf: movie)
    #expect(bytes.count % 188 == 0 && stride(from: 0, to: bytes.count, by: 188).allSatisfy { bytes[$0] == 0x47 })
    // Without the first third of its packets, the second group is still whole.
    let rest = directory.file("rest.ts")
    try write(bytes[(bytes.count / 188 / 3 * 188)...], to: rest)
    let frames = try MediaTools.ffmpeg(["-i", rest, "-f", "framemd5", "-"]).split(whereSeparator: \.isNewline)
    let whole = try MediaTools.frames(movie).map(\.md5)
    #expect(whole.suffix(30).allSatisfy { md5 in frames.contains { $0.contains(md5) } })
  }
}
