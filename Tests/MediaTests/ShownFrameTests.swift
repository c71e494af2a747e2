import FarmTesting
import Formats
import Media
import MediaTime
import Testing

/// The times by which readers identify pictures.
@Suite struct `The frame that is shown` {
  struct Footage: Sendable, CustomTestStringConvertible {
    let name: String
    let file: String
    let arguments: String
    var treatment = AssetTreatment()
    var testDescription: String { name }
  }

  private static let fields = "-c:v mpeg2video -q:v 2 -flags +ilme+ildct -top 1"
  static let footage = [
    Footage(name: "B-frames", file: "a.mp4", arguments: "-c:v libx264 -qp 8 -bf 3 -g 12"),
    Footage(name: "times that are guessed", file: "a.avi", arguments: "-c:v mpeg4 -q:v 2 -bf 2 -g 12"),
    Footage(name: "a late start", file: "a.mkv", arguments: "-vf setpts=PTS+3/TB -fps_mode passthrough -c:v ffv1"),
    Footage(name: "fields", file: "a.ts", arguments: "-vf tinterlace=interleave_top \(fields)"),
    Footage(
      name: "film", file: "a.ts", arguments: "-vf telecine=first_field=top:pattern=23 -field_order tt \(fields)",
      treatment: AssetTreatment(interlace: .inverseTelecine)),
    Footage(
      name: "two frames of the first time, and two later on", file: "b.mkv",
      arguments: "-vf settb=1/24000,setpts='(N-gte(N,1)-gte(N,9))*1001' -fps_mode passthrough -enc_time_base 1:24000 -c:v ffv1"),
  ]

  private let directory = TemporaryDirectory()
  private var policy: SourcePolicy { SourcePolicy(roots: [directory.path]) }

  @Test(arguments: footage)
  func `tells pictures apart: two are the same just when they are told by one time, whatever is asked in which order`(
    _ footage: Footage
  ) throws {
    let path = directory.file(footage.file)
    try SyntheticSource(width: 160, height: 128, frameRate: "24000/1001", frameCount: 40).write(
      to: path, footage.arguments.split(separator: " ").map(String.init))
    let track = try #require(AssetProbe.facts(of: path, policy: policy).playableTracks(.video).first)
    func reader() throws -> VideoReader {
      try VideoReader(path: path, track: track, policy: policy, treatment: footage.treatment)
    }
    var pictures: [ShownFrame: String] = [:]
    func note(_ reader: VideoReader, _ index: Int, isBefore: Bool) throws -> ShownFrame {
      let time = try Rational(track.timeRange.start) + Rational(Int128(index) * 1001, over: 72_000)
      let picture = try isBefore ? reader.frame(before: time) : reader.frame(at: time)
      let (shown, digest) = try (reader.shownFrame(), picture.md5())
      #expect(pictures[shown] ?? digest == digest, "\(index), \(isBefore): two pictures are told by \(shown.time)")
      pictures[shown] = digest
      return shown
    }
    let ahead = try reader()
    // The times begin before the first frame and are a third of a frame apart.
    let forwards = try (-3..<90).map { try note(ahead, $0, isBefore: false) }
    #expect(zip(forwards, forwards.dropFirst()).allSatisfy { $0.time <= $1.time })
    let back = try reader()
    for index in (-3..<90).reversed() { _ = try note(back, index, isBefore: true) }
    var random = SeededRandom(seed: 5)
    let anywhere = try reader()
    for _ in 0..<60 {
      let index = Int.random(in: -3..<90, using: &random)
      #expect(try note(anywhere, index, isBefore: false) == forwards[index + 3])
    }
    #expect(Set(pictures.values).count == pictures.count)
    #expect(pictures.count >= 14)
  }
}
