import FarmTesting
import Formats
import Glibc
import Media
import MediaTime
import Subprocess
import Testing

@Suite struct `Tracks in pieces` {
  private let directory = TemporaryDirectory()

  /// The bytes that `write` puts into an empty file.
  private func bytes(_ write: (Int32) throws -> Void) throws -> [UInt8] {
    let file = try Descriptor.unnamed(in: directory.path)
    try write(file.number)
    return try file.contents(limit: Int(file.byteCount))
  }

  private func opening(_ synthetic: SyntheticSegments, _ segment: SegmentInput) throws -> [UInt8] {
    try bytes { file in
      try TrackOpening.write(
        of: segment, video: synthetic.settings, frameDuration: synthetic.frameDuration, color: synthetic.color,
        hdrMetadata: nil, to: file, progress: {})
    }
  }

  private func fragment(_ synthetic: SyntheticSegments, _ segments: [SegmentInput], first: Int, number: Int) throws -> [UInt8] {
    try bytes { file in
      let sizes = try TrackFragments(segments, first: Int64(first), frameDuration: synthetic.frameDuration)
        .write(splitAt: [], number: number, to: file, progress: {})
      #expect(sizes == [Int64(lseek(file, 0, Int32(SEEK_END)))])
    }
  }

  @Test(arguments: [
    VideoCodecSettings.h264(speed: .medium), .h264(speed: .ultrafast), VideoCodecSettings(.hevc(HEVC())),
    VideoCodecSettings(.h264(H264()), bitDepth: 10), VideoCodecSettings(.av1(AV1())),
  ])
  func `of a picture decode to the movie's frames at the movie's times, with one opening`(settings: VideoCodecSettings) throws {
    let synthetic = SyntheticSegments(settings: settings, size: PixelSize(64, 64), frameDuration: try MediaTime(1001, 30000))
    let segments = try synthetic.write([7, 30, 1, 20], in: directory)
    let movie = directory.file("movie.mp4")
    try synthetic.mux(segments, to: movie, .mp4)
    // The second piece is a chunk that was divided while it ran.
    var pieces = try opening(synthetic, segments[2])
    pieces += try fragment(synthetic, [segments[0]], first: 0, number: 1)
    pieces += try fragment(synthetic, Array(segments[1...2]), first: 7, number: 2)
    pieces += try fragment(synthetic, [segments[3]], first: 38, number: 3)
    let whole = directory.file("pieces.mp4")
    try pieces.write(toFile: whole)
    #expect(try MediaTools.frames(whole).map(\.md5) == MediaTools.frames(movie).map(\.md5))
    let scale = "stream=time_base"
    #expect(try MediaTools.probe(whole, "v", scale) == MediaTools.probe(movie, "v", scale))
    let (played, muxed) = try (MediaTools.probe(whole, "v", "packet=pts"), MediaTools.probe(movie, "v", "packet=pts"))
    #expect(played == muxed)
  }

  @Test func `of a picture begin where they belong, whichever is fetched first`() throws {
    let synthetic = SyntheticSegments(settings: .h264(speed: .fast), frameDuration: try MediaTime(1, 25))
    let segments = try synthetic.write([10, 30], in: directory)
    let second = directory.file("second.mp4")
    try (opening(synthetic, segments[0]) + fragment(synthetic, [segments[1]], first: 10, number: 2)).write(toFile: second)
    let alone = try MediaTools.frames(segments[1].path)
    let frames = try MediaTools.frames(second)
    #expect(frames.map(\.md5) == alone.map(\.md5))
    let ticks = 12_800 / 25
    #expect(try MediaTools.probe(second, "v", "packet=pts").compactMap { Int($0) }.min() == 10 * ticks)
  }

  @Test(arguments: [AudioCodecSettings.aac(), AudioCodecSettings.usual(.opus), .aac(sampleRate: 44_100, channelLayout: .mono)])
  func `of a sound are heard as the movie's, after the priming`(settings: AudioCodecSettings) throws {
    let count = 50_011
    let sound = try writeSound(settings, count: count, to: directory.file("sound.nut"))
    let movie = directory.file("movie.mp4")
    try SyntheticSegments(frameDuration: MediaTime(1, 25)).mux([], sound: sound, to: movie, .mp4)
    let opening = try bytes { file in
      try TrackOpening.write(
        of: sound, video: nil, frameDuration: nil, color: .bt709, hdrMetadata: nil, to: file, progress: {})
    }
    var sizes: [Int64] = []
    let fragments = try bytes { file in
      sizes = try TrackFragments([sound], first: 0, frameDuration: nil)
        .write(splitAt: [10_000, 30_000], number: 1, to: file, progress: {})
    }
    #expect(sizes.count == 3 && sizes.reduce(0, +) == Int64(fragments.count))
    let whole = directory.file("pieces.mp4")
    try (opening + fragments).write(toFile: whole)
    let (heard, expected) = try (MediaTools.samples(whole, in: directory), MediaTools.samples(movie, in: directory))
    // FFmpeg 5.1 does not leave out the priming of a movie in fragments.
    #expect(heard.count >= expected.count && heard.suffix(expected.count) == expected[...])
    // The edit list has it begin as much before zero.
    let begins = try MediaTools.probe(whole, "a", "packet=pts").compactMap { Int($0) }
    let muxed = try MediaTools.probe(movie, "a", "packet=pts").compactMap { Int($0) }
    #expect(begins == muxed)
  }

  @Test func `of a file that is damaged, or another one's, are refused, and nothing is written`() throws {
    let synthetic = SyntheticSegments(settings: .h264(speed: .fast), frameDuration: try MediaTime(1, 25))
    let segments = try synthetic.write([10, 30], in: directory)
    var bytes = try [UInt8](contentsOf: segments[1].path)
    bytes[bytes.count / 2] ^= 1
    try bytes.write(toFile: segments[1].path)
    let file = try Descriptor.unnamed(in: directory.path)
    let fragments = try TrackFragments(segments, first: 0, frameDuration: synthetic.frameDuration)
    #expect {
      try fragments.write(splitAt: [], number: 1, to: file.number, progress: {})
    } throws: { ($0 as? MediaError)?.place == segments[1].path }
    #expect(try file.byteCount == 0)
    #expect(throws: MediaError.self) {
      try TrackFragments([segments[0]], first: 0, frameDuration: nil).write(splitAt: [], number: 1, to: file.number, progress: {})
    }
    #expect(throws: MediaError.self) { try opening(synthetic, segments[1]) }
  }
}
