import FarmTesting
import Glibc
import Media
import MediaTime
import Testing
import Timeline

@Suite struct AssetProbeTests {
  private let directory = TemporaryDirectory()
  private var policy: SourcePolicy { SourcePolicy(roots: [directory.path]) }

  @Test("facts of a clip with picture and sound")
  func facts() throws {
    let path = directory.file("a.mp4")
    try SyntheticSource(frameRate: "30000/1001", frameCount: 60).write(
      to: path,
      [
        "-map", "0", "-map", "1", "-c:v", "libx264", "-preset", "ultrafast", "-bf", "2", "-c:a", "aac", "-colorspace", "bt709",
        "-color_primaries", "bt709", "-color_trc", "bt709", "-color_range", "tv", "-t", "2",
      ],
      inputs: ["-f", "lavfi", "-i", "sine=r=44100:d=2"])
    let facts = try AssetProbe.facts(of: path, policy: policy)
    #expect(facts.tracks.count == 2)
    let track = try facts.first(.video)
    guard case .video(let video) = track.detail else { return }
    #expect(video.naturalSize == PixelSize(64, 48) && video.displaySize == PixelSize(64, 48))
    #expect(video.color == .bt709 && video.pixelFormat == "yuv420p" && video.bitDepth == 8)
    #expect(try video.nominalFrameRate == MediaTime(30000, 1001))
    #expect(try track.timeRange == MediaTimeRange(start: .zero, duration: MediaTime(60 * 1001, 30000)))
    guard case .audio(let audio) = try facts.first(.audio).detail else { return }
    #expect(audio == AudioFacts(sampleRate: 44_100, channelCount: 1, channelLayout: "mono"))
  }

  /// The display matrices that ffmpeg writes and those it cannot, by the rows (a b) (c d).
  @Test(
    "all eight orientations are read from the display matrix",
    arguments: [
      (Orientation.up, [1, 0, 0, 1]), (.mirrored, [-1, 0, 0, 1]), (.rotated180, [-1, 0, 0, -1]), (.flipped, [1, 0, 0, -1]),
      (.transposed, [0, 1, 1, 0]), (.rotated90, [0, 1, -1, 0]), (.transversed, [0, -1, -1, 0]), (.rotated270, [0, -1, 1, 0]),
    ])
  func orientation(_ orientation: Orientation, _ matrix: [Int]) throws {
    let path = directory.file("a.mp4")
    try SyntheticSource(frameCount: 2).write(to: path, ["-c:v", "libx264", "-preset", "ultrafast"])
    var bytes = try read(path)
    // The track header: size, "tkhd", version 0 and flags, then the matrix after 36 more bytes (ISO/IEC 14496-12, 8.3.2).
    let header = try #require((4..<bytes.count - 4).first { bytes[$0..<$0 + 4].elementsEqual("tkhd".utf8) })
    for (term, slot) in zip(matrix, [0, 1, 3, 4]) {
      let fixed = UInt32(bitPattern: Int32(term * 65_536))
      for byte in 0..<4 { bytes[header + 4 + 4 + 36 + slot * 4 + byte - 0] = UInt8(truncatingIfNeeded: fixed >> (24 - 8 * byte)) }
    }
    try write(bytes, to: path)
    guard case .video(let video) = try AssetProbe.facts(of: path, policy: policy).first(.video).detail else { return }
    #expect(video.orientation == orientation)
    #expect(video.displaySize == (orientation.swapsAxes ? PixelSize(48, 64) : PixelSize(64, 48)))
  }

  @Test("pixels that are not square widen the display size")
  func pixelAspect() throws {
    let path = directory.file("a.mp4")
    try SyntheticSource(frameCount: 2).write(to: path, ["-vf", "setsar=4/3", "-c:v", "libx264", "-preset", "ultrafast"])
    guard case .video(let video) = try AssetProbe.facts(of: path, policy: policy).first(.video).detail else { return }
    #expect(video.pixelAspect == PixelSize(4, 3) && video.displaySize == PixelSize(85, 48))
  }

  @Test("zero is the earliest start where all of picture and sound starts later")
  func origin() throws {
    let path = directory.file("a.ts")
    try SyntheticSource(frameCount: 10).write(to: path, ["-c:v", "mpeg2video"])
    let facts = try AssetProbe.facts(of: path, policy: policy)
    #expect(try MediaTools.ffprobe(["-show_entries", "format=start_time", "-of", "csv=p=0", path]).hasPrefix("1."))
    #expect(try facts.first(.video).timeRange.start == .zero)
  }

  @Test("what cannot be a source is refused with the reason")
  func refusals() throws {
    func kind(_ path: String, _ policy: SourcePolicy) -> MediaError.Kind? {
      do throws(MediaError) {
        _ = try AssetProbe.facts(of: path, policy: policy)
        return nil
      } catch {
        return error.kind
      }
    }
    let movie = directory.file("a.mp4")
    try SyntheticSource(frameCount: 25).write(to: movie, ["-c:v", "libx264", "-preset", "ultrafast"])
    #expect(kind(movie, policy) == nil)
    #expect(kind(directory.file("missing.mp4"), policy) == .unreadable)
    #expect(kind(directory.path, policy) == .unreadable)
    try write([], to: directory.file("empty.mp4"))
    #expect(kind(directory.file("empty.mp4"), policy) == .unreadable)
    try write(Array("a text, renamed\n".utf8), to: directory.file("text.mp4"))
    #expect(kind(directory.file("text.mp4"), policy) == .unsupported)
    // The index of this mp4 stands at its end.
    let bytes = try read(movie)
    let index = try #require((4..<bytes.count - 4).first { bytes[$0..<$0 + 4].elementsEqual("moov".utf8) })
    try write(bytes[..<index], to: directory.file("cut.mp4"))
    #expect(kind(directory.file("cut.mp4"), policy) == .corrupt)
    // A playlist that names another file below the root.
    try write(Array("#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\na.mp4\n#EXT-X-ENDLIST\n".utf8), to: directory.file("list.mp4"))
    #expect(kind(directory.file("list.mp4"), policy) == .unsupported)
    try write(Array("ffconcat version 1.0\nfile a.mp4\n".utf8), to: directory.file("concat.mp4"))
    #expect(kind(directory.file("concat.mp4"), policy) == .unsupported)
  }

  @Test("a link that leads out of the roots is outside them")
  func links() throws {
    let outside = TemporaryDirectory()
    try write([1], to: outside.file("secret"))
    _ = unsafe symlink(outside.file("secret"), directory.file("link"))
    #expect { try policy.resolve(directory.file("link")) } throws: { "\($0)".contains("outside the media roots") }
    #expect { try policy.resolve(directory.file("../../etc/passwd")) } throws: { "\($0)".contains("outside the media roots") }
    // A root that is itself a link holds what lies behind it, and a name that begins like the root does not.
    _ = unsafe symlink(outside.path, directory.file("root"))
    #expect(try SourcePolicy(roots: [directory.file("root")]).resolve(outside.file("secret")) == outside.file("secret"))
    #expect(throws: MediaError.self) {
      try SourcePolicy(roots: [String(outside.path.dropLast())]).resolve(outside.file("secret"))
    }
  }
}
