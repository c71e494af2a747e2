import AVFoundation
import FarmTesting
import SpoolCalls

/// Small movies for these tests, made once, and the program that reads them.
enum TestMedia {
  static let directory = TemporaryDirectory()

  /// One second of 64 × 48 at 10 frames a second, with sound of 0.8 s.
  static let clip = Result { try make("clip.mov", turned: false) }
  /// The same, to be turned by a quarter clockwise.
  static let upright = Result { try make("upright.mov", turned: true) }

  private static func make(_ name: String, turned: Bool) throws -> URL {
    // A test of exports may have said where its farm is, and runs beside whatever asks for this movie first.
    SpoolCall.surround(alsoWith: ["SPOOL_PROGRAM": SpoolProgram.executable])
    let plain = directory.file("plain-\(name)")
    try SyntheticSource(width: 64, height: 48, frameRate: "10", frameCount: 10).write(
      to: plain, ["-map", "0:v", "-map", "1:a", "-c:v", "libx264", "-qp", "4", "-c:a", "pcm_s16le"],
      inputs: ["-f", "lavfi", "-t", "0.8", "-i", "sine=440:sample_rate=48000"])
    // FFmpeg writes a turn only where it does not encode. It counts against the clock.
    try MediaTools.ffmpeg(
      ["-i", plain, "-map", "0", "-c", "copy"] + (turned ? ["-metadata:s:v", "rotate=270"] : []) + [directory.file(name)])
    return URL(fileURLWithPath: directory.file(name))
  }

  static func asset(turned: Bool = false) throws -> AVURLAsset { AVURLAsset(url: try (turned ? upright : clip).get()) }

  /// A range in tenths of seconds.
  static func range(_ start: Int64, _ end: Int64) -> CMTimeRange { CMTimeRange(start: tenths(start), end: tenths(end)) }
  static func tenths(_ value: Int64) -> CMTime { CMTime(value: value, timescale: 10) }
}
