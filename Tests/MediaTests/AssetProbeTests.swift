import FarmTesting
import Formats
import Glibc
import Media
import MediaTime
import Subprocess
import Testing

@Suite struct AssetProbeTests {
  private let directory = TemporaryDirectory()
  private var policy: SourcePolicy { SourcePolicy(roots: [directory.path]) }

  @Test func `facts of a clip with picture and sound`() throws {
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

  /// Each case has the rows (a b) (c d) of a display matrix. ffmpeg can write only some of them.
  @Test(arguments: [
    (Orientation.up, [1, 0, 0, 1]), (.mirrored, [-1, 0, 0, 1]), (.rotated180, [-1, 0, 0, -1]), (.flipped, [1, 0, 0, -1]),
    (.transposed, [0, 1, 1, 0]), (.rotated90, [0, 1, -1, 0]), (.transversed, [0, -1, -1, 0]), (.rotated270, [0, -1, 1, 0]),
  ])
  func `all eight orientations are read from the display matrix`(_ orientation: Orientation, _ matrix: [Int]) throws {
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

  @Test(arguments: [("25", "10:00:00:12"), ("30000/1001", "01:02:03;04"), ("25", nil as String?)])
  func `the label of the first frame is the file's`(rate: String, label: String?) throws {
    let path = directory.file("a.mov")
    try SyntheticSource(frameRate: rate, frameCount: 2).write(
      to: path, ["-c:v", "libx264", "-preset", "ultrafast"] + (label.map { ["-timecode", $0] } ?? []))
    #expect(try AssetProbe.facts(of: path, policy: policy).timecode?.label == label)
  }

  @Test func `pixels that are not square widen the display size`() throws {
    let path = directory.file("a.mp4")
    try SyntheticSource(frameCount: 2).write(to: path, ["-vf", "setsar=4/3", "-c:v", "libx264", "-preset", "ultrafast"])
    guard case .video(let video) = try AssetProbe.facts(of: path, policy: policy).first(.video).detail else { return }
    #expect(video.pixelAspect == PixelSize(4, 3) && video.displaySize == PixelSize(85, 48))
  }

  /// The facts of a movie with a 'clap' box at the end of its sample entry. `terms` are its sizes and offsets as fractions.
  private func cleanAperture(_ terms: [Int32]) throws -> VideoFacts {
    let path = directory.file("a.mov")
    try SyntheticSource(frameCount: 2).write(to: path, ["-vf", "setsar=4/3", "-c:v", "libx264", "-preset", "ultrafast"])
    var bytes = try read(path)
    let box =
      [UInt8]([0, 0, 0, 40] + Array("clap".utf8))
      + terms.flatMap { term in
        (0..<4).map { UInt8(truncatingIfNeeded: term >> (24 - 8 * $0)) }
      }
    // The media data come first in this file, so no chunk moves. The boxes around the entry grow by the new box.
    var end = 0
    for type in ["moov", "trak", "mdia", "minf", "stbl", "stsd", "avc1"] {
      let at = try #require((4..<bytes.count - 4).last { bytes[$0..<$0 + 4].elementsEqual(type.utf8) }) - 4
      let length = bytes[at..<at + 4].reduce(0) { $0 << 8 | Int($1) }
      end = at + length
      for byte in 0..<4 { bytes[at + byte] = UInt8(truncatingIfNeeded: (length + 40) >> (24 - 8 * byte)) }
    }
    bytes.insert(contentsOf: box, at: end)
    try write(bytes, to: path)
    guard case .video(let video) = try AssetProbe.facts(of: path, policy: policy).first(.video).detail else {
      throw MediaTools.Failure(description: "no picture")
    }
    return video
  }

  @Test func `a clean aperture is what is seen of the picture`() throws {
    let centred = try cleanAperture([54, 1, 40, 1, 0, 1, 0, 1])
    #expect(centred.cleanAperture == Rect(5, 4, 54, 40) && centred.naturalSize == PixelSize(64, 48))
    #expect(centred.displaySize == PixelSize(72, 40))
    let aside = try cleanAperture([105, 2, 40, 1, -23, 4, 3, 1])
    #expect(aside.cleanAperture == Rect(0, 7, 52.5, 40) && aside.displaySize == PixelSize(70, 40))
  }

  @Test(
    arguments: [
      [64, 1, 48, 1, 0, 1, 0, 1], [66, 1, 40, 1, 0, 1, 0, 1], [54, 1, 40, 1, 6, 1, 0, 1], [54, 0, 40, 1, 0, 1, 0, 1],
      [-54, -1, 40, 1, 0, 1, 0, 1], [0, 1, 40, 1, 0, 1, 0, 1], [54, 1, 40, -1, 0, 1, 0, 1],
    ] as [[Int32]])
  func `a clean aperture that no picture has counts as none`(_ terms: [Int32]) throws {
    let video = try cleanAperture(terms)
    #expect(video.cleanAperture == nil && video.displaySize == PixelSize(85, 48))
  }

  @Test func `a codec that nobody here knows is named as the file names it`() throws {
    let path = directory.file("a.mp4")
    try SyntheticSource(frameCount: 2).write(to: path, ["-c:v", "libx264", "-preset", "ultrafast"])
    var bytes = try read(path)
    let entry = try #require((4..<bytes.count - 4).last { bytes[$0..<$0 + 4].elementsEqual("avc1".utf8) })
    bytes.replaceSubrange(entry..<entry + 4, with: "vvc1".utf8)
    try write(bytes, to: path)
    let track = try #require(AssetProbe.facts(of: path, policy: policy).tracks.first)
    #expect(track.codec == "vvc1" && track.rejection == "no decoder for vvc1")
  }

  @Test func `zero is the earliest start where all of picture and sound starts later`() throws {
    let path = directory.file("a.ts")
    try SyntheticSource(frameCount: 10).write(to: path, ["-c:v", "mpeg2video"])
    let facts = try AssetProbe.facts(of: path, policy: policy)
    #expect(try MediaTools.ffprobe(["-show_entries", "format=start_time", "-of", "csv=p=0", path]).hasPrefix("1."))
    #expect(try facts.first(.video).timeRange.start == .zero)
  }

  @Test func `what cannot be a source is refused with the reason`() throws {
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
    // The index of this mp4 is at its end.
    let bytes = try read(movie)
    let index = try #require((4..<bytes.count - 4).first { bytes[$0..<$0 + 4].elementsEqual("moov".utf8) })
    try write(bytes[..<index], to: directory.file("cut.mp4"))
    #expect(kind(directory.file("cut.mp4"), policy) == .corrupt)
    // This playlist names another file below the root.
    try write(Array("#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\na.mp4\n#EXT-X-ENDLIST\n".utf8), to: directory.file("list.mp4"))
    #expect(kind(directory.file("list.mp4"), policy) == .unsupported)
    try write(Array("ffconcat version 1.0\nfile a.mp4\n".utf8), to: directory.file("concat.mp4"))
    #expect(kind(directory.file("concat.mp4"), policy) == .unsupported)
  }

  @Test func `a kind of a known format that FFmpeg does not read is told from damage`() throws {
    // RIFX is RIFF with big-endian numbers. This file has a WAVEFORMATEX.
    let head = "RIFX\0\0\0\u{40}WAVEfmt \0\0\0\u{12}\0\u{1}\0\u{1}\0\0\u{1f}\u{40}\0\0\0\u{1}\0\u{3}\0\u{18}\0\0"
    try write(Array("\(head)data\0\0\0\u{8}12345678".utf8), to: directory.file("big.wav"))
    #expect {
      try AssetProbe.facts(of: directory.file("big.wav"), policy: policy)
    } throws: { error in
      (error as? MediaError)?.reason == "is of a kind of wav that FFmpeg does not read"
    }
  }

  @Test(arguments: [
    ("hls.mp4", "#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\nfile:///etc/passwd\n#EXT-X-ENDLIST\n", "looks like hls"),
    ("concat.mp4", "ffconcat version 1.0\nfile 'subfile,,start,0,end,9,,:/etc/passwd'\n", "looks like concat"),
    (
      "svg.png", "<svg xmlns='http://www.w3.org/2000/svg'><image href='file:///etc/passwd'/></svg>\n",
      "refers to 'file:///etc/passwd'"
    ),
    (
      "entity.png",
      "<?xml version='1.0'?><!DOCTYPE svg [<!ENTITY x SYSTEM 'file:///etc/passwd'>]><svg xmlns='http://www.w3.org/2000/svg'><text>&x;</text></svg>\n",
      "declares entities"
    ),
    (
      "use.png",
      "<svg xmlns='http://www.w3.org/2000/svg' xmlns:xlink='http://www.w3.org/1999/xlink'><use xlink:href='http://127.0.0.1/x.svg#a'/></svg>\n",
      "refers to 'http://127.0.0.1/x.svg#a'"
    ),
    (
      "font.png",
      "<svg xmlns='http://www.w3.org/2000/svg'><style>@font-face{font-family:x;src:url(file:///etc/passwd)}</style><text font-family='x'>a</text></svg>\n",
      "refers to 'file:///etc/passwd'"
    ),
    ("dash.mp4", "<?xml version='1.0'?>\n<MPD><Period><AdaptationSet/></Period></MPD>\n", "is no media file"),
    ("sdp.mp4", "v=0\no=- 0 0 IN IP4 127.0.0.1\nc=IN IP4 127.0.0.1\nm=video 9 RTP/AVP 96\n", "looks like sdp"),
    ("imf.mp4", "<CompositionPlaylist xmlns='http://www.smpte-ra.org/schemas/2067-3'/>\n", "is not"),
  ])
  func `what names other files by its content is refused by its format, by what it names, or for having no format`(
    name: String, content: String, reason: String
  ) throws {
    try write(Array(content.utf8), to: directory.file(name))
    #expect { try AssetProbe.facts(of: directory.file(name), policy: policy) } throws: {
      ($0 as? MediaError)?.kind == .unsupported && ("\($0)".contains(reason) || "\($0)".contains("is no media file"))
    }
  }

  @Test(arguments: [
    "concat:/etc/passwd|/etc/group", "subfile,,start,0,end,9,,:/etc/passwd", "file:/etc/passwd", "data:text/plain,x",
    "http://127.0.0.1/a.mp4", "pipe:0", "frame%03d.png", "crypto:/etc/passwd", "fd:0", "a\0.mp4",
  ])
  func `what FFmpeg would take for a protocol or a pattern is the name of a file that is not there`(name: String) throws {
    try SyntheticSource(frameCount: 1).write(to: directory.file("frame001.png"), [])
    for path in [name, directory.file(name)] {
      #expect { try AssetProbe.facts(of: path, policy: policy) } throws: { ($0 as? MediaError)?.kind == .unreadable }
    }
  }

  @Test func `a folder that becomes a link while a file in it is opened leads nowhere else`() throws {
    let (inside, outside) = (directory.file("inside"), TemporaryDirectory())
    try #require(unsafe mkdir(inside, 0o700) == 0)
    for (path, count) in [(inside + "/a.mp4", 3), (outside.file("a.mp4"), 7)] {
      try SyntheticSource(frameCount: count).write(to: path, ["-c:v", "libx264", "-preset", "ultrafast"])
    }
    let swapping = try ChildProcess(
      Command(
        "/bin/sh",
        ["-c", #"while :; do mv "$1" "$1.away"; ln -s "$2" "$1"; rm "$1"; mv "$1.away" "$1"; done"#, "sh", inside, outside.path],
        environment: ["PATH": "/usr/bin:/bin"]
      ).endingWithTests())
    var found: [Int64] = []
    for _ in 0..<500 {
      do throws(MediaError) {
        found.append(try AssetProbe.facts(of: inside + "/a.mp4", policy: policy).duration.value)
      } catch { #expect(error.kind == .unreadable, "\(error)") }
    }
    swapping.signal(SIGKILL)
    _ = try swapping.wait()
    #expect(Set(found).isSubset(of: [3]), "frames of 1/25 s")
  }

  @Test func `a link that leads out of the roots is outside them`() throws {
    let outside = TemporaryDirectory()
    try write([1], to: outside.file("secret"))
    _ = unsafe symlink(outside.file("secret"), directory.file("link"))
    #expect { try policy.resolve(directory.file("link")) } throws: { "\($0)".contains("outside the media roots") }
    #expect { try policy.resolve(directory.file("../../etc/passwd")) } throws: { "\($0)".contains("outside the media roots") }
    // A root that is itself a link encloses the files behind it. A folder whose name only begins like the root's is outside.
    _ = unsafe symlink(outside.path, directory.file("root"))
    #expect(try SourcePolicy(roots: [directory.file("root")]).resolve(outside.file("secret")) == outside.file("secret"))
    #expect(throws: MediaError.self) {
      try SourcePolicy(roots: [String(outside.path.dropLast())]).resolve(outside.file("secret"))
    }
  }
}
