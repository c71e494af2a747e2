import FarmTesting
import Formats
import Media
import MediaTime
import Testing

/// Tests of movies in fragments against the same movies in one piece, by tools that are not ours.
@Suite(.serialized) struct `Movies in fragments` {
  private let directory = TemporaryDirectory()

  struct Picture: CustomTestStringConvertible {
    let settings: VideoCodecSettings
    let type: FileType
    var testDescription: String { "\(settings.codec) in \(type)" }
  }

  static let pictures = [
    Picture(settings: .h264(speed: .medium), type: .mp4), Picture(settings: .h264(speed: .ultrafast), type: .mov),
    Picture(settings: VideoCodecSettings(.hevc(HEVC(speed: .ultrafast))), type: .mp4),
    Picture(settings: VideoCodecSettings(.av1(AV1())), type: .mp4), Picture(settings: .usual(.vp9), type: .mp4),
    Picture(settings: .usual(.prores), type: .mov),
  ]

  @Test(arguments: pictures)
  func `decode to the frames and samples of the movie in one piece, at its times`(picture: Picture) throws {
    var synthetic = SyntheticSegments(
      settings: picture.settings, size: PixelSize(64, 64), frameDuration: try MediaTime(1001, 30000))
    synthetic.layout = .init(picture.settings.chroma)
    synthetic.forcedKeyInterval = 15
    let segments = try synthetic.write([7, 30, 1, 20], in: directory)
    let sound = try writeSound(.aac(), count: 92_892, to: directory.file("sound.nut"))
    let (whole, pieces) = (directory.file("whole.\(picture.type)"), directory.file("pieces.\(picture.type)"))
    try synthetic.mux(segments, sound: sound, to: whole, picture.type)
    try synthetic.mux(segments, sound: sound, to: pieces, picture.type, fragments: MediaTime(1, 2))
    #expect(try MediaTools.frames(pieces).map(\.md5) == MediaTools.frames(whole).map(\.md5))
    #expect(try MediaTools.probe(pieces, "v", "packet=pts_time") == MediaTools.probe(whole, "v", "packet=pts_time"))
    #expect(try MediaTools.samples(pieces, in: directory) == MediaTools.samples(whole, in: directory))
    #expect(
      try MediaTools.probe(pieces, "v", "stream=time_base,codec_tag_string")
        == MediaTools.probe(whole, "v", "stream=time_base,codec_tag_string"))
    // A second writing gives the same bytes.
    let again = directory.file("again.\(picture.type)")
    try synthetic.mux(segments, sound: sound, to: again, picture.type, fragments: MediaTime(1, 2))
    #expect(try FileDigest(of: again) == FileDigest(of: pieces))
  }

  struct Sound: CustomTestStringConvertible {
    let codec: AudioCodec
    let type: FileType
    var testDescription: String { "\(codec) in \(type)" }
  }

  static let sounds = [FileType.mp4, .mov, .m4a].flatMap { type in
    AudioCodec.allCases.filter { $0.standsInFragments && $0.fileTypes.contains(type) }.map { Sound(codec: $0, type: type) }
  }

  @Test(arguments: sounds, [4800, 50_001, 96_000])
  func `give exactly the samples that went in, where they were`(sound: Sound, count: Int) throws {
    let click = count / 2 + 11
    let segment = try writeSound(.usual(sound.codec), count: count, to: directory.file("sound.nut")) { $1 == click ? 0.9 : 0 }
    let movie = directory.file("sound.\(sound.type)")
    try SyntheticSegments(frameDuration: MediaTime(1, 25)).mux(
      [], sound: segment, to: movie, sound.type, fragments: MediaTime(1, 4))
    let samples = try MediaTools.samples(movie, in: directory)
    #expect(samples.count == count * 2)
    let loudest = try #require(samples.indices.max { samples[$0].magnitude < samples[$1].magnitude })
    #expect(abs(loudest / 2 - click) <= (sound.codec == .opus ? 3 : 0))
    // The program's own reader counts the same.
    let track = try #require(try AssetProbe.facts(of: movie, policy: SourcePolicy(roots: ["/"])).playableTracks(.audio).first)
    #expect(track.timeRange.duration == (try MediaTime(Int64(count), 48_000)))
  }

  @Test(arguments: [[61], [7, 30, 1, 23], [20, 20, 21]])
  func `begin with the forced keyframes, however the movie was divided`(lengths: [Int]) throws {
    var synthetic = SyntheticSegments(settings: .h264(speed: .medium), frameDuration: try MediaTime(1, 25))
    synthetic.forcedKeyInterval = 15
    let movie = directory.file("movie.mp4")
    try synthetic.mux(synthetic.write(lengths, in: directory), to: movie, .mp4, fragments: MediaTime(3, 5))
    let bytes = try [UInt8](contentsOf: movie)
    let boxes = TopBoxes(bytes)
    #expect(boxes.types == ["ftyp", "moov"] + Array(repeating: ["moof", "mdat"], count: 5).flatMap(\.self) + ["mfra"])
    // 25 frames a second of 512 ticks; frames 0, 15, 30, 45 and 60 begin fragments.
    #expect(boxes.decodeTimes == [0, 15, 30, 45, 60].map { $0 * 512 })
    // Each fragment can be decoded on its own behind the opening.
    let second = boxes.places[4].lowerBound..<boxes.places[5].upperBound
    let alone = directory.file("alone.mp4")
    try (Array(bytes[..<boxes.places[1].upperBound]) + bytes[second]).write(toFile: alone)
    #expect(try MediaTools.frames(alone).map(\.md5) == Array(MediaTools.frames(movie).map(\.md5)[15..<30]))
  }

  @Test func `tell their duration in the opening`() throws {
    let synthetic = SyntheticSegments(settings: .h264(speed: .ultrafast), frameDuration: try MediaTime(1, 25))
    let movie = directory.file("movie.mp4")
    try synthetic.mux(synthetic.write([30, 31], in: directory), to: movie, .mp4, fragments: MediaTime(1, 1))
    #expect(try MediaTools.probe(movie, "v", "format=duration").first == "2.440000")
    #expect(try MediaTools.mediainfo(["--Inform=General;%Duration%", movie]).hasPrefix("2440"))
  }

  @Test func `that are pictures at times of their own keep them`() throws {
    let synthetic = SyntheticSegments(settings: .h264(speed: .medium), frameDuration: try MediaTime(1, 25))
    let segments = try synthetic.write([9], in: directory)
    let times = try FrameTimes([0, 1, 2, 5, 6, 9, 12, 20, 21].map { try MediaTime($0, 30) }, end: MediaTime(25, 30))
    let (whole, pieces) = (directory.file("whole.mp4"), directory.file("pieces.mp4"))
    for (path, interval) in [(whole, nil), (pieces, try MediaTime(1, 5))] {
      var form = MovieForm(.mp4, frameDuration: synthetic.frameDuration, color: .bt709)
      (form.video, form.times, form.fragmentInterval) = (synthetic.settings, times, interval)
      try MovieMux.write(MovieSegments(pictures: segments), as: form, to: path, progress: { _, _ in })
    }
    #expect(try MediaTools.probe(pieces, "v", "packet=pts_time") == MediaTools.probe(whole, "v", "packet=pts_time"))
    #expect(try MediaTools.frames(pieces).map(\.md5) == MediaTools.frames(whole).map(\.md5))
  }
}

/// The boxes of a file that are in no other.
struct TopBoxes {
  private(set) var types: [String] = []
  private(set) var places: [Range<Int>] = []
  /// The first decoding time of each fragment.
  private(set) var decodeTimes: [Int] = []

  init(_ bytes: [UInt8]) {
    func number(_ start: Int, _ count: Int) -> Int { bytes[start..<start + count].reduce(0) { $0 << 8 | Int($1) } }
    var start = 0
    while start + 8 <= bytes.count {
      let size = number(start, 4)
      guard size >= 8, start + size <= bytes.count else { return }
      types.append(String(decoding: bytes[start + 4..<start + 8], as: UTF8.self))
      places.append(start..<start + size)
      let mark = Array("tfdt".utf8)
      if types.last == "moof", let place = (start..<start + size - 16).first(where: { Array(bytes[$0..<$0 + 4]) == mark }) {
        decodeTimes.append(number(place + 8, 8))
      }
      start += size
    }
  }
}
