import FarmTesting
import Subprocess

/// A folder with synthetic footage, and the program run in it as a user runs it. All renders of a studio share one farm's data
/// directory.
final class Studio {
  private let directory = TemporaryDirectory()

  init() throws {
    // The private database may run as another user, who must be able to reach its files.
    _ = try Command("/bin/chmod", ["755", directory.path]).run(timeoutMilliseconds: 10_000)
    let tone = ["-f", "lavfi", "-i", "sine=frequency=440:sample_rate=44100:duration=4"]
    // This clip has B-frames, and sound of another rate than the movie's.
    try SyntheticSource(width: 160, height: 96, frameRate: "25", frameCount: 100).write(
      to: file("a.mp4"),
      ["-c:v", "libx264", "-g", "12", "-bf", "2", "-qp", "10", "-map", "0:v", "-map", "1:a", "-c:a", "aac"], inputs: tone)
    // This clip has another size and rate, and open GOPs.
    try SyntheticSource(width: 192, height: 128, frameRate: "30000/1001", frameCount: 120).write(
      to: file("b.mp4"), ["-c:v", "libx264", "-x264-params", "open-gop=1:keyint=20:bframes=3", "-qp", "10"])
    // This clip has variable frame durations.
    try SyntheticSource(width: 160, height: 96, frameRate: "25", frameCount: 100).write(
      to: file("v.mkv"), ["-vf", "select='mod(n,7)*mod(n,5)'", "-fps_mode", "vfr", "-c:v", "libx264", "-qp", "10"])
    try MediaTools.ffmpeg([
      "-f", "lavfi", "-i", "aevalsrc='0.4*sin(2*PI*(200+90*t)*t)|0.4*sin(2*PI*(300+50*t)*t)':s=48000:d=6", file("song.wav"),
    ])
  }

  func file(_ name: String) -> String { directory.file(name) }

  var dataDirectory: String { file("data") }

  /// Writes a document and returns its path.
  func document(_ text: String, name: String = "edit.json") throws -> String {
    try text.write(toFile: file(name))
    return file(name)
  }

  /// Renders a document to `name` and returns the movie's path. No chunk of an earlier render is taken, unless the options say so.
  @discardableResult
  func render(_ document: String, to name: String, _ options: [String] = []) throws -> String {
    let done = try SpoolProgram.run(["render", document, "-o", file(name), "--data", dataDirectory, "--no-reuse"] + options)
    guard done.status == .exited(0) else {
      throw MediaTools.Failure(description: "spool render: \(done.status) \(done.errorOutput)")
    }
    return file(name)
  }
}

/// The frames and sound that ffmpeg decodes from a movie.
struct Decoded: Equatable {
  /// The MD5 of each frame.
  let pictures: [String]
  /// The MD5 of the samples, as 32-bit integers; nil without sound.
  let sound: String?

  init(_ movie: String, hasSound: Bool = true) throws {
    pictures = try MediaTools.ffmpeg(["-i", movie, "-map", "0:v", "-f", "framemd5", "-"]).split(separator: "\n")
      .filter { !$0.hasPrefix("#") }.map(String.init)
    sound = hasSound ? try MediaTools.ffmpeg(["-i", movie, "-map", "0:a", "-c:a", "pcm_s32le", "-f", "md5", "-"]) : nil
  }
}
