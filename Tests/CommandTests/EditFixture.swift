import FarmTesting
import FoundationEssentials

/// A folder with a clip of one second and the document of an edit that plays it.
enum EditFixture {
  /// An edit of 25 frames of 64x48 at 25 fps, which is exported without loss.
  static let document = """
    {"spool": 1, "assets": {"clip": {"path": "clip.mkv"}},
     "composition": {"tracks": [{"id": "picture", "media": "video", "segments": [
       {"asset": "clip", "source": {"start": "0", "duration": "1"}}]}]},
     "export": {"fileType": "mkv", "video": {"codec": "ffv1"}}}
    """

  static func with(_ body: (_ folder: String) throws -> Void) throws {
    try TemporaryDirectory.with { folder in
      try writeClip(in: folder)
      try Data(document.utf8).write(to: URL(filePath: folder + "/edit.json"))
      try body(folder)
    }
  }

  static func writeClip(in folder: String) throws {
    try MediaTools.ffmpeg([
      "-f", "lavfi", "-i", "testsrc2=s=64x48:r=25:d=1", "-c:v", "ffv1", "-pix_fmt", "yuv420p", folder + "/clip.mkv",
    ])
  }

  /// Writes a document in which `old` is replaced by `new`.
  static func write(_ name: String, replacing old: String, with new: String, in folder: String) throws {
    try Data(document.replacing(old, with: new).utf8).write(to: URL(filePath: "\(folder)/\(name)"))
  }

  /// The MD5 of each frame of a movie, from ffmpeg.
  static func frameDigests(of movie: String) throws -> [Substring] {
    try MediaTools.ffmpeg(["-i", movie, "-map", "0:v", "-f", "framemd5", "-"]).split(separator: "\n")
      .filter { !$0.hasPrefix("#") }.compactMap { $0.split(separator: " ").last }
  }
}
