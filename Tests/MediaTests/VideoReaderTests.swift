import FarmTesting
import Formats
import Media
import MediaTime
import Testing

/// A kind of source in which frames are hard to choose. ffmpeg makes the file.
struct Kind: Sendable, CustomTestStringConvertible {
  let name: String
  let file: String
  let arguments: [String]
  var testDescription: String { name }

  init(_ name: String, _ file: String, _ arguments: String) {
    (self.name, self.file) = (name, file)
    self.arguments = arguments.split(separator: " ").map(String.init)
  }

  static let x264 = "-c:v libx264 -preset ultrafast -bf 3 -x264-params b-adapt=0:scenecut=0:keyint=24"
  static let all = [
    Kind("constant rate", "a.mp4", "-c:v libx264 -preset ultrafast -g 24"),
    Kind("B-frames", "a.mp4", x264),
    Kind("B-frames, Matroska", "a.mkv", x264),
    Kind(
      "variable rate", "a.mp4",
      "-vf settb=1/10000,setpts='(N+floor(N/7)*3+mod(N*N,5)/4)/25/TB' -fps_mode passthrough -enc_time_base 1:10000 \(x264)"),
    Kind(
      "variable rate, Matroska", "a.mkv",
      "-vf settb=1/10000,setpts='(N+floor(N/7)*3+mod(N*N,5)/4)/25/TB' -fps_mode passthrough -enc_time_base 1:10000 \(x264)"),
    Kind("29.97", "a.mov", "-r 30000/1001 \(x264)"),
    Kind("open GOP, transport stream", "a.ts", "\(x264):open-gop=1"),
    Kind("open GOP, mp4", "a.mp4", "\(x264):open-gop=1"),
    Kind("open GOP, Matroska", "a.mkv", "\(x264):open-gop=1"),
    Kind("gradual refresh", "a.ts", "-c:v libx264 -preset ultrafast -x264-params intra-refresh=1:keyint=24"),
    Kind("gradual refresh, mp4", "a.mp4", "-c:v libx264 -preset ultrafast -x264-params intra-refresh=1:keyint=24"),
    Kind("MPEG-2, transport stream", "a.ts", "-c:v mpeg2video -bf 2 -g 12"),
    Kind("MPEG-2, program stream", "a.mpg", "-c:v mpeg2video -bf 2 -g 12"),
    Kind("MPEG-4 with B-frames, AVI", "a.avi", "-c:v mpeg4 -bf 2 -g 12"),
    Kind("MPEG-4, AVI", "a.avi", "-c:v mpeg4 -g 12"),
    Kind("H.264 with B-frames, AVI", "a.avi", x264),
    Kind("intra-only, AVI", "a.avi", "-c:v mjpeg"),
    Kind("HEVC", "a.mp4", "-c:v libx265 -preset ultrafast -x265-params log-level=none:keyint=24:bframes=3"),
    Kind("VP9", "a.webm", "-c:v libvpx-vp9 -deadline realtime -cpu-used 8 -g 24"),
    Kind("VP8", "a.webm", "-c:v libvpx -deadline realtime -cpu-used 8 -g 24 -auto-alt-ref 1 -lag-in-frames 12"),
    Kind("Flash", "a.flv", x264),
    Kind("Theora", "a.ogv", "-c:v libtheora -g 24"),
    Kind("WMV", "a.wmv", "-c:v wmv2 -g 24"),
    Kind("late first frame", "a.mkv", "-vf setpts=PTS+3/TB -fps_mode passthrough \(x264)"),
    Kind("fragmented", "a.mp4", "-movflags +frag_keyframe+empty_moov \(x264)"),
    Kind("rotated", "a.mp4", "-metadata:s:v rotate=90 \(x264)"),
    Kind("less than a frame a second", "a.mp4", "-vf setpts=N*4/TB -fps_mode passthrough -c:v libx264 -preset ultrafast -g 24"),
  ]
}

@Suite struct VideoReaderTests {
  private let directory = TemporaryDirectory()
  private var policy: SourcePolicy { SourcePolicy(roots: [directory.path]) }

  @Test(arguments: Kind.all)
  func `the frame at any time, in any order, is the one ffmpeg shows then`(_ kind: Kind) throws {
    let path = directory.file(kind.file)
    try SyntheticSource(frameCount: 96).write(to: path, kind.arguments)
    try expectOracle(path, seed: 1, requests: 40)
  }

  @Test func `edit lists: the frames before the edit are not shown, whatever is asked first`() throws {
    let whole = directory.file("whole.mp4")
    try SyntheticSource(frameCount: 100).write(to: whole, Kind("", "", Kind.x264).arguments)
    let path = directory.file("a.mp4")
    try MediaTools.ffmpeg(["-ss", "1.3", "-i", whole, "-c", "copy", path])
    #expect(
      try MediaTools.ffprobe(["-show_entries", "packet=flags", "-of", "csv=p=0", path]).contains("D"),
      "has frames before the edit")
    try expectOracle(path, seed: 2, requests: 40)
  }

  @Test func `a file that is cut off fails where frames are missing, and only there`() throws {
    let path = directory.file("a.mp4")
    try SyntheticSource(width: 320, height: 240, frameCount: 200).write(
      to: path, Kind("", "", "\(Kind.x264) -movflags +faststart").arguments)
    let bytes = try read(path)
    try write(bytes.prefix(bytes.count * 3 / 4), to: path)
    let track = try AssetProbe.facts(of: path, policy: policy).first(.video)
    let reader = try VideoReader(path: path, track: track, policy: policy)
    for time in [MediaTime.zero, try MediaTime(2), track.timeRange.end, try MediaTime(1)] {
      if time < track.timeRange.end {
        #expect(try SyntheticSource.number(in: reader.frame(at: Rational(time))) == time.wholeUnits(of: MediaTime(1, 25)))
      } else {
        #expect { try reader.frame(at: Rational(time)) } throws: { error in
          (error as? MediaError)?.kind == .corrupt && "\(error)".contains("\(path) track 0 at 8.0 s")
        }
      }
    }
  }

  @Test func `pictures need not be the first track, and a track that is none is refused`() throws {
    let path = directory.file("a.mp4")
    try SyntheticSource(frameCount: 50).write(
      to: path, ["-map", "1", "-map", "0", "-c:v", "libx264", "-preset", "ultrafast", "-c:a", "aac", "-t", "2"],
      inputs: ["-f", "lavfi", "-i", "sine=d=2"])
    var track = try AssetProbe.facts(of: path, policy: policy).first(.video)
    #expect(track.index == 1)
    let reader = try VideoReader(path: path, track: track, policy: policy)
    #expect(try SyntheticSource.number(in: reader.frame(at: Rational(1))) == 25)
    track.index = 7
    #expect(throws: MediaError.self) { try VideoReader(path: path, track: track, policy: policy) }
  }

  func expectOracle(_ path: String, seed: UInt64, requests: Int, sourceLocation: SourceLocation = #_sourceLocation) throws {
    let oracle = try FrameOracle(path)
    let track = try AssetProbe.facts(of: path, policy: policy).first(.video)
    let end = try oracle.frames.last!.time + Rational(1)
    var random = SeededRandom(seed: seed)
    let reader = try VideoReader(path: path, track: track, policy: policy)
    for request in 0..<requests {
      // Half of the times are exactly those of frames. The others are anywhere.
      let time =
        request % 2 == 0
        ? oracle.frames.randomElement(using: &random)!.time
        : try end * Rational(Int128.random(in: -10...1000, using: &random), over: 1000)
      let found = try reader.frame(at: time).md5()
      #expect(
        found == oracle.shown(at: time).md5, "seed \(seed), request \(request), at \(time.approximation) s",
        sourceLocation: sourceLocation)
    }
    let sequential = try VideoReader(path: path, track: track, policy: policy)
    for frame in oracle.frames {
      #expect(
        try sequential.frame(at: frame.time).md5() == oracle.shown(at: frame.time).md5,
        "in order, at \(frame.time.approximation) s", sourceLocation: sourceLocation)
    }
    let backwards = try VideoReader(path: path, track: track, policy: policy)
    for frame in oracle.frames.reversed() {
      #expect(
        try backwards.frame(at: frame.time).md5() == oracle.shown(at: frame.time).md5,
        "backwards, at \(frame.time.approximation) s", sourceLocation: sourceLocation)
      let earlier = oracle.frames.last { $0.time < frame.time } ?? oracle.frames[0]
      #expect(
        try backwards.frame(before: frame.time).md5() == earlier.md5, "before \(frame.time.approximation) s",
        sourceLocation: sourceLocation)
    }
  }
}
