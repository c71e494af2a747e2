import FarmTesting
import Formats
import Media
import MediaTime
import Testing

@Suite struct `Frames whose times a container rounds` {
  /// A container, the frame rate, and what FFmpeg is told besides.
  typealias Kind = (name: String, rate: String, options: [String])

  @Test(
    arguments: [
      ("a.mkv", "24", ["-c:v", "ffv1"]), ("a.mkv", "30", ["-c:v", "ffv1"]),
      ("a.mkv", "24000/1001", ["-c:v", "libx264", "-bf", "2"]),
      ("a.webm", "60000/1001", ["-c:v", "libvpx-vp9", "-deadline", "realtime"]),
      ("a.ts", "24000/1001", ["-c:v", "libx264", "-bf", "2"]),
      ("a.mov", "30000/1001", ["-c:v", "libx264", "-video_track_timescale", "600"]), ("a.flv", "30", ["-c:v", "flv"]),
      ("a.mkv", "25", ["-c:v", "ffv1"]), ("a.mp4", "30000/1001", ["-c:v", "libx264"]), ("a.avi", "24000/1001", ["-c:v", "ffv1"]),
    ] as [Kind])
  func `are shown one by one at their own rate, forwards and backwards`(kind: Kind) throws {
    let directory = TemporaryDirectory()
    let path = directory.file(kind.name)
    try SyntheticSource(width: 96, height: 64, frameRate: kind.rate, frameCount: 120).write(to: path, kind.options)
    let policy = SourcePolicy(roots: [directory.path])
    let track = try #require(AssetProbe.facts(of: path, policy: policy).playableTracks(.video).first)
    let stated = try PacketTimes(path: path, track: track, policy: policy).presentation
    #expect(stated.count == 120)
    let numbers = kind.rate.split(separator: "/").compactMap { Int128($0) }
    func time(_ frame: Int) throws -> Rational {
      try Rational(Int128(frame) * (numbers.count > 1 ? numbers[1] : 1), over: numbers[0])
    }
    let reader = try VideoReader(path: path, track: track, policy: policy)
    for index in stated.indices {
      _ = try reader.frame(at: time(index))
      #expect(try reader.shownFrame().time == stated[index], "frame \(index)")
    }
    for index in stated.indices.reversed() {
      _ = try reader.frame(before: time(index + 1))
      #expect(try reader.shownFrame().time == stated[index], "frame \(index), backwards")
    }
  }

  @Test func `are those of exact times where a frame lasts whole ticks`() throws {
    let directory = TemporaryDirectory()
    let path = directory.file("a.avi")
    try SyntheticSource(width: 96, height: 64, frameRate: "25", frameCount: 50).write(to: path, ["-c:v", "ffv1"])
    let policy = SourcePolicy(roots: [directory.path])
    let track = try #require(AssetProbe.facts(of: path, policy: policy).playableTracks(.video).first)
    let reader = try VideoReader(path: path, track: track, policy: policy)
    // An AVI's tick is a frame. Just before the next one the frame is still shown.
    for (milliseconds, shown) in [(0, 0), (20, 0), (39, 0), (40, 1), (79, 1), (80, 2)] as [(Int64, Int64)] {
      _ = try reader.frame(at: Rational(Int128(milliseconds), over: 1000))
      #expect(try reader.shownFrame().time == Rational(Int128(shown), over: 25))
    }
  }
}
