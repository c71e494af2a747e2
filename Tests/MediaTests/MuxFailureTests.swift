import FarmTesting
import Formats
import FoundationEssentials
import Media
import MediaTime
import Testing

@Suite struct `a mux that cannot be right` {
  private let directory = TemporaryDirectory()
  private let synthetic: SyntheticSegments

  init() throws {
    synthetic = SyntheticSegments(frameDuration: try MediaTime(1, 25))
  }

  @Test func `names the segment file in which a byte differs from the proof`() throws {
    let segments = try synthetic.write([5, 5, 5], in: directory)
    for position in [0, 40, 300, segments[1].facts.digest.byteCount - 3] {
      let segments = try synthetic.write([5, 5, 5], in: directory)
      try change(segments[1].path) { $0[Int(position)] ^= 1 }
      // FFmpeg's demuxer may read damaged bytes for hours, so it gets none. It would say of byte 0 that this is no segment file.
      expectFailure(.corrupt, at: segments[1].path, segments, reason: "\(segments[1].facts.digest.hash) proved")
    }
  }

  @Test func `names the segment file that was cut off`() throws {
    let segments = try synthetic.write([5, 5], in: directory)
    try change(segments[1].path) { $0.removeLast(10) }
    expectFailure(.corrupt, at: segments[1].path, segments)
  }

  @Test func `names the segment file that is missing`() throws {
    let segments = try synthetic.write([5, 5], in: directory)
    try FileManager.default.removeItem(atPath: segments[1].path)
    expectFailure(.unreadable, at: segments[1].path, segments)
  }

  @Test func `names the segment that was encoded with other settings`() throws {
    var other = synthetic
    other.settings = .h264(speed: .ultrafast)
    let segments = try synthetic.write([5], in: directory) + other.write([5], in: directory, prefix: "other")
    expectFailure(.corrupt, at: segments[1].path, segments)
  }

  @Test func `names the segment that holds more frames than it should`() throws {
    let segments = try synthetic.write([5, 5], in: directory)
    let facts = segments[0].facts
    let short = SegmentFacts(digest: facts.digest, length: 4, parameterSetDigest: facts.parameterSetDigest)
    expectFailure(.corrupt, at: segments[0].path, [SegmentInput(path: segments[0].path, facts: short), segments[1]])
  }

  @Test(arguments: ["9223372036854775807", "3000000000", "-1", "many"])
  func `names the segment whose priming is none`(priming: String) throws {
    let settings = AudioCodecSettings.aac(bitRate: 128_000)
    let sound = try writeSound(settings, count: 4000, to: directory.file("s.nut"))
    let path = directory.file("told.nut")
    let metadata = ["-metadata", "SPOOL_PRIMING=\(priming)"]
    _ = try MediaTools.ffmpeg(["-i", sound.path, "-c", "copy"] + metadata + ["-f", "nut", path])
    let facts = SegmentFacts(
      digest: try FileDigest(of: path), length: sound.facts.length, parameterSetDigest: sound.facts.parameterSetDigest)
    let told = SegmentInput(path: path, facts: facts)
    expectFailure(.corrupt, at: told.path, [], told)
  }

  @Test func `tells a codec that the container does not hold`() throws {
    let sound = try writeSound(
      .usual(.pcm), count: 100,
      to: directory.file("s.nut"))
    expectFailure(.unsupported, at: directory.file("movie"), [], sound)
  }

  @Test func `is refused where the container cannot tell the range of the colours`() throws {
    var full = synthetic
    (full.settings, full.color.range) = (.ffv1, .full)
    let segments = try full.write([2], in: directory)
    let error = #expect(throws: MediaError.self) { try full.mux(segments, to: directory.file("movie"), .mov) }
    #expect(error?.kind == .unsupported)
    try full.mux(segments, to: directory.file("movie"), .mkv)
    #expect(try MediaTools.probe(directory.file("movie"), "v", "stream=color_range") == ["pc"])
  }

  @Test func `tells that the disk is full`() throws {
    let segments = try synthetic.write([5], in: directory)
    let error = #expect(throws: MediaError.self) { try synthetic.mux(segments, to: "/dev/full", .mp4) }
    #expect(error?.kind == .noSpace)
    #expect(FileManager.default.fileExists(atPath: "/dev/full"))
  }

  @Test func `tells a folder that is not there`() throws {
    let segments = try synthetic.write([5], in: directory)
    let error = #expect(throws: MediaError.self) { try synthetic.mux(segments, to: directory.file("no/movie"), .mp4) }
    #expect(error?.kind == .cannotWrite)
    #expect(error?.place == directory.file("no/movie"))
  }

  @Test(arguments: [0.3, 1.0])
  func `stops when its progress throws, and leaves nothing`(part: Double) throws {
    struct Cancelled: Error {}
    let segments = try synthetic.write([30, 30], in: directory)
    #expect(throws: Cancelled.self) {
      var form = MovieForm(.mp4, frameDuration: synthetic.frameDuration, color: .bt709)
      form.optimizeForNetworkUse = true
      try MovieMux.write(MovieSegments(pictures: segments), as: form, to: directory.file("movie")) { done, total in
        if Double(done) >= part * Double(total) { throw Cancelled() }
      }
    }
    #expect(try entries(of: directory) == ["0.nut", "1.nut"])
  }

  private func expectFailure(
    _ kind: MediaError.Kind, at place: String, _ segments: [SegmentInput], _ sound: SegmentInput? = nil,
    reason: String = "", sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let movie = directory.file("movie")
    let error = #expect(throws: MediaError.self, sourceLocation: sourceLocation) {
      try synthetic.mux(segments, sound: sound, to: movie, .mp4)
    }
    #expect(error?.kind == kind, sourceLocation: sourceLocation)
    #expect(error?.place == place, sourceLocation: sourceLocation)
    #expect(error?.reason.hasSuffix(reason) == true, sourceLocation: sourceLocation)
    #expect(!FileManager.default.fileExists(atPath: movie), sourceLocation: sourceLocation)
  }

  private func change(_ path: String, _ body: (inout [UInt8]) -> Void) throws {
    var bytes = try Array(Data(contentsOf: URL(filePath: path)))
    body(&bytes)
    try Data(bytes).write(to: URL(filePath: path))
  }
}
