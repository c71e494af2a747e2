import Examination
import FarmTesting
import FoundationEssentials
import Operations
import SpoolCompositing

/// A folder with a clip of one second, and the document of an edit that plays it: 25 frames of 64x48, exported without loss.
final class EditBench {
  static let document = """
    {"spool": 1, "assets": {"clip": {"path": "clip.mkv"}},
     "composition": {"tracks": [{"id": "picture", "media": "video", "segments": [
       {"asset": "clip", "source": {"start": "0", "duration": "1"}}]}]},
     "export": {"fileType": "mkv", "video": {"codec": "ffv1"}}}
    """

  private let folder = TemporaryDirectory()
  let document: String
  let movie: String

  init() throws {
    (document, movie) = (folder.file("edit.json"), folder.file("movie.mkv"))
    try SyntheticSource(frameCount: 25).write(to: folder.file("clip.mkv"), ["-c:v", "ffv1"])
    try write(Self.document)
  }

  /// The media as the built program reads them.
  var media: MediaAccess {
    MediaAccess(compositors: CompositorRegistry()) { _ in
      var setting = ExaminationSetting(roots: ["/"], library: nil)
      setting.executable = SpoolProgram.executable
      return setting
    }
  }

  func path(_ name: String) -> String { folder.file(name) }

  func write(_ text: String, as name: String = "edit.json") throws {
    try Data(text.utf8).write(to: URL(filePath: folder.file(name)))
  }
}
