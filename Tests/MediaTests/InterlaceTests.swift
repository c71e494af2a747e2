import FarmTesting
import Formats
import Media
import MediaTime
import Testing

@Suite struct `Pictures of fields` {
  private let directory = TemporaryDirectory()
  private var policy: SourcePolicy { SourcePolicy(roots: [directory.path]) }

  static let kinds = [
    Kind("H.264, top first", "a.mp4", "-c:v libx264 -preset veryfast -bf 2 -g 24 -flags +ilme+ildct -x264-params tff=1"),
    Kind("H.264, bottom first", "a.mkv", "-c:v libx264 -preset veryfast -bf 2 -g 24 -flags +ilme+ildct -x264-params bff=1"),
    Kind("MPEG-2", "a.ts", "-c:v mpeg2video -bf 2 -g 12 -flags +ilme+ildct -top 1"),
    Kind("rawvideo", "a.mov", "-c:v rawvideo -pix_fmt uyvy422 -field_order tt -top 1"),
  ]

  private func write(_ kind: Kind) throws -> (path: String, track: TrackFacts) {
    let path = directory.file(kind.file)
    let order = kind.name.contains("bottom") ? "interleave_bottom" : "interleave_top"
    try MediaTools.ffmpeg(
      [
        "-f", "lavfi", "-i", "testsrc2=s=160x120:r=50", "-vf",
        "tinterlace=\(order),setfield=\(order.hasSuffix("top") ? "tff" : "bff")", "-frames:v", "60",
      ]
        + kind.arguments + [path])
    return (path, try AssetProbe.facts(of: path, policy: policy).first(.video))
  }

  private func order(_ track: TrackFacts) -> FieldOrder? {
    if case .video(let video) = track.detail { video.fieldOrder } else { nil }
  }

  @Test(arguments: kinds)
  func `are told by probing, and made whole as bwdif does it, in any order`(_ kind: Kind) throws {
    let (path, track) = try write(kind)
    #expect(order(track) == (kind.name.contains("bottom") ? .bottomFirst : .topFirst))
    let format = kind.name == "rawvideo" ? "yuv422p" : nil
    let filter = (format.map { "format=\($0)," } ?? "") + "bwdif=mode=send_frame:parity=auto:deint=all"
    let oracle = try FrameOracle(path, pixelFormat: format, filter: filter)
    let stored = try FrameOracle(path, pixelFormat: format)
    #expect(oracle.frames.count == 60 && oracle.frames[20].md5 != stored.frames[20].md5)
    var random = SeededRandom(seed: 9)
    let indices = Array(0..<60) + Array((0..<60).reversed()) + (0..<60).map { _ in Int.random(in: 0..<60, using: &random) }
    let reader = try VideoReader(path: path, track: track, policy: policy)
    for (request, index) in indices.enumerated() {
      #expect(
        try reader.frame(at: stored.frames[index].time).md5() == oracle.frames[index].md5, "request \(request), frame \(index)")
    }
    let never = try VideoReader(path: path, track: track, policy: policy, treatment: AssetTreatment(interlace: .never))
    for index in [0, 30, 59] {
      #expect(try never.frame(at: stored.frames[index].time).md5() == stored.frames[index].md5)
    }
  }

  @Test func `are not supposed where pictures are whole`() throws {
    let path = directory.file("a.mp4")
    try SyntheticSource(frameCount: 10).write(to: path, ["-c:v", "libx264"])
    #expect(order(try AssetProbe.facts(of: path, policy: policy).first(.video)) == nil)
  }
}
