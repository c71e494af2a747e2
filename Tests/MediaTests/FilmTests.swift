import FarmTesting
import Formats
import Media
import MediaTime
import Testing

@Suite struct `Film that was spread over fields` {
  private let directory = TemporaryDirectory()
  private var policy: SourcePolicy { SourcePolicy(roots: [directory.path]) }

  /// The kinds of coded frames that 120 frames of film are spread over. These frames show their numbers.
  static let hard = [
    Kind("MPEG-2", "a.ts", "-c:v mpeg2video -q:v 2 -bf 2 -g 12 -flags +ilme+ildct -top 1"),
    Kind("H.264, bottom first", "a.mp4", "-c:v libx264 -qp 8 -bf 2 -g 24 -flags +ilme+ildct -x264-params bff=1"),
    Kind("H.264 that calls itself whole", "a.mkv", "-c:v libx264 -qp 8 -bf 2 -g 30"),
    Kind("10 bits", "a.mov", "-c:v ffv1 -pix_fmt yuv422p10"),
  ]

  private static let filmFrames = 120

  private func write(_ kind: Kind, frames: Int = filmFrames, filter: String? = nil) throws -> (path: String, track: TrackFacts) {
    let path = directory.file(kind.file)
    let first = kind.name.contains("bottom") ? "bottom" : "top"
    try SyntheticSource(width: 160, height: 128, frameRate: "24000/1001", frameCount: frames).write(
      to: path,
      [
        "-vf", filter ?? "\(kind.name == "10 bits" ? "format=yuv422p10," : "")telecine=first_field=\(first):pattern=23",
        "-field_order", first == "top" ? "tt" : "bb",
      ] + kind.arguments
    )
    return (path, try AssetProbe.facts(of: path, policy: policy).first(.video))
  }

  /// Writes the film itself, without loss.
  private func film() throws -> String {
    let path = directory.file("film.mov")
    try SyntheticSource(width: 160, height: 128, frameRate: "24000/1001", frameCount: Self.filmFrames).write(
      to: path, ["-c:v", "ffv1", "-pix_fmt", "yuv422p10"])
    return path
  }

  private func reader(_ path: String, _ track: TrackFacts) throws -> VideoReader {
    try VideoReader(path: path, track: track, policy: policy, treatment: AssetTreatment(interlace: .inverseTelecine))
  }

  /// The time at which a frame of film is shown.
  private func time(_ frame: Int) throws -> Rational { try Rational(Int128(frame) * 1001, over: 24_000) }

  /// Requests for all frames, forwards and backwards, and for some in random order. Every second one is for the frame before a time.
  private func orders(_ count: Int) -> [(index: Int, isBefore: Bool)] {
    var random = SeededRandom(seed: 7)
    let anyhow = (0..<count / 3).map { _ in Int.random(in: 0..<count, using: &random) }
    return (0..<count).map { ($0, false) } + ((0..<count).reversed() + anyhow).map { ($0, Bool.random(using: &random)) }
  }

  private func expect(
    _ expected: [String], of path: String, _ track: TrackFacts, numbered: Bool = true, _ comment: String
  ) throws {
    let reader = try reader(path, track)
    for (request, order) in orders(expected.count).enumerated() {
      let frame =
        try order.isBefore ? reader.frame(before: time(order.index + 1)) : reader.frame(at: time(order.index))
      #expect(try frame.md5() == expected[order.index], "\(comment): request \(request), frame \(order.index)")
      if numbered { #expect(SyntheticSource.number(in: frame) == order.index, "\(comment): request \(request)") }
    }
  }

  @Test(arguments: hard)
  func `of hard telecine gets its frames back as ffmpeg gives them from the start, in any order`(_ kind: Kind) throws {
    let (path, track) = try write(kind)
    let order = kind.name.contains("bottom") ? "bff" : "tff"
    let isDeep = kind.name == "10 bits"
    // fieldmatch reads eight bits. So for deeper pictures the film itself is the oracle, because its coding is lossless.
    let filter = "fieldmatch=order=\(order):mode=pc_n:combmatch=full,decimate"
    let oracle = try isDeep ? FrameOracle(film(), pixelFormat: "yuv422p10") : FrameOracle(path, filter: filter)
    #expect(oracle.frames.count == Self.filmFrames)
    try expect(oracle.frames.map(\.md5), of: path, track, kind.name)
  }

  /// Films for which FFmpeg estimates different rates from the first timestamps, from 24.25 to 36 frames a second.
  static let soft =
    (0..<4).flatMap { phase in [0, 1, 2].map { SoftTelecine(between: $0, phase: phase, frameCount: filmFrames) } }
    + (0..<4).map { SoftTelecine(.h264, phase: $0, frameCount: filmFrames) }

  @Test(arguments: soft)
  func `of soft telecine is shown at its own times, and told by probing`(_ film: SoftTelecine) throws {
    let others = film.codec == .h264 ? ["mkv"] : ["mkv", "mpg", "vob"]
    let containers = ["ts", others[(film.phase + film.between) % others.count]]
    try film.write(to: containers.map { directory.file("a.\($0)") }, elementary: directory.file("a.raw"))
    for container in containers {
      let path = directory.file("a.\(container)")
      let track = try AssetProbe.facts(of: path, policy: policy).first(.video)
      guard case .video(let video) = track.detail else { return }
      // Every second picture repeats a field. The first hundred in the order of the file are not quite the first hundred shown.
      let repeated = try #require(video.repeatedFields, "\(container)")
      #expect(repeated.pictures == 100 && (49...51).contains(repeated.count), "\(container)")
      #expect(try video.nominalFrameRate == MediaTime(30_000, 1001), "\(container)")
      let stored = try FrameOracle(path)
      #expect(stored.frames.count == Self.filmFrames)
      try expect(stored.frames.map(\.md5), of: path, track, container)
    }
  }

  @Test(arguments: ["ts", "mkv", "mpg", "vob"])
  func `that goes over into video is a function of file and time, and keeps its own part`(_ container: String) throws {
    var film = SoftTelecine(between: 2, frameCount: Self.filmFrames)
    film.videoFrom = 60
    let path = directory.file("a.\(container)")
    try film.write(to: [path], elementary: directory.file("a.m2v"))
    let track = try AssetProbe.facts(of: path, policy: policy).first(.video)
    // The track has fifteen groups of film and twelve of video. Each group of video loses one of its five frames.
    let straight = try reader(path, track)
    let frames = try (0..<27 * 4).map { try straight.frame(at: time($0)) }
    #expect(frames.prefix(60).map { SyntheticSource.number(in: $0) } == Array(0..<60))
    #expect(Set(frames.map { SyntheticSource.number(in: $0) }).count == frames.count)
    try expect(frames.map { try $0.md5() }, of: path, track, numbered: false, container)
  }

  @Test func `that is carried as it is stays so, and repeats no field`() throws {
    let (path, track) = try write(Kind("film", "a.mp4", "-c:v libx264 -bf 2 -g 24"), filter: "null")
    guard case .video(let video) = track.detail else { return }
    #expect(video.repeatedFields == nil)
    try expect(FrameOracle(path).frames.map(\.md5), of: path, track, "film")
  }

  @Test func `whose cadence is broken by cuts is a function of file and time`() throws {
    let cut = "telecine=pattern=23,select='not(between(n,32,33)+between(n,61,61)+between(n,98,100))',setpts=N*1001/30000/TB"
    let (path, track) = try write(Self.hard[0], filter: cut)
    // The cuts leave 28 whole groups of 144 frames.
    let count = 28 * 4
    let straight = try reader(path, track)
    let expected = try (0..<count).map { try straight.frame(at: time($0)).md5() }
    // The pictures are ffmpeg's, except what a group without a repetition loses.
    let oracle = try FrameOracle(path, filter: "fieldmatch=order=tff:mode=pc_n:combmatch=full,decimate")
    #expect(zip(expected, oracle.frames.map(\.md5)).filter { $0 != $1 }.count <= 4)
    try expect(expected, of: path, track, numbered: false, "cut")
  }

  @Test func `ends with all the frames of a group that the end of the file cuts, when they were coded`() throws {
    let cut = "telecine=pattern=23,select='lt(n,123)'"
    let (path, track) = try write(Self.hard[0], filter: cut)
    let matched = try FrameOracle(path, filter: "fieldmatch=order=tff:mode=pc_n:combmatch=full")
    #expect(matched.frames.count == 123)
    let reader = try reader(path, track)
    for index in [122, 120, 121] {
      let time = try Rational(Int128(index) * 1001, over: 30_000)
      #expect(try reader.frame(at: time).md5() == matched.frames[index].md5, "coded frame \(index)")
      #expect(try reader.frame(before: time).md5() != matched.frames[index].md5, "before coded frame \(index)")
    }
    #expect(try reader.frame(at: Rational(1000)).md5() == matched.frames[122].md5)
    #expect(SyntheticSource.number(in: try reader.frame(at: Rational(-1))) == 0)
  }

  @Test func `at 25 frames a second with its fields shifted is put together, and loses none`() throws {
    let path = directory.file("a.mkv")
    try SyntheticSource(width: 160, height: 128, frameCount: 60).write(
      to: path, ["-vf", "phase=t", "-c:v", "libx264", "-qp", "8", "-flags", "+ilme+ildct"])
    let track = try AssetProbe.facts(of: path, policy: policy).first(.video)
    let oracle = try FrameOracle(path, filter: "fieldmatch=order=bff:mode=pc_n:combmatch=full")
    let stored = try FrameOracle(path)
    let reader = try reader(path, track)
    for index in [0, 59, 30, 29, 31, 5, 58] {
      #expect(try reader.frame(at: stored.frames[index].time).md5() == oracle.frames[index].md5, "frame \(index)")
    }
    #expect(oracle.frames[30].md5 != stored.frames[30].md5)
  }

  @Test func `is refused by name where there is none`() throws {
    let path = directory.file("a.mp4")
    try SyntheticSource(frameRate: "50", frameCount: 10).write(to: path, ["-c:v", "libx264"])
    let track = try AssetProbe.facts(of: path, policy: policy).first(.video)
    let error = #expect(throws: MediaError.self) { try reader(path, track) }
    #expect(error?.reason.contains("carries no film") == true)
  }
}
