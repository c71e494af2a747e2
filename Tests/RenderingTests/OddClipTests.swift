import EditFiles
import FarmTesting
import Media
import MediaTime
import Rendering
import Scenes
import Testing

@Suite struct `Odd clips` {
  private let workshop = Workshop()

  private func edit(of asset: String, _ duration: String) throws -> ResolvedTimeline {
    try workshop.edit(
      """
      {"spool": 1, "assets": {"a": {"path": "\(asset)"}},
       "composition": {"tracks": [{"id": "V", "media": "video", "segments": [
         {"asset": "a", "source": {"start": "0", "duration": "\(duration)"}}]}]},
       "videoComposition": {"renderSize": [96, 64], "frameDuration": "1/25", "instructions": [
         {"timeRange": {"start": "0", "duration": "\(duration)"}, "layerInstructions": [{"track": "V", "gravity": "resize"}]}]},
       "export": {"fileType": "mkv", "video": {"codec": "ffv1"}}}
      """)
  }

  private func numbers(_ edit: ResolvedTimeline) throws -> [Int] {
    let renderer = PictureRenderer(edit: edit, policy: workshop.policy)
    return try (0..<edit.frameCount).map { SyntheticSource.number(in: try renderer.frame($0)) }
  }

  @Test func `a source that changes size in the middle fills the same place throughout`() throws {
    var stream: [UInt8] = []
    for (name, width, height) in [("small.h264", 96, 64), ("large.h264", 192, 128)] {
      try SyntheticSource(width: width, height: height, frameCount: 10).write(
        to: workshop.file(name), ["-c:v", "libx264", "-qp", "0", "-bf", "0"])
      stream += try [UInt8](contentsOf: workshop.file(name))
    }
    try stream.write(toFile: workshop.file("both.h264"))
    try MediaTools.ffmpeg([
      "-f", "h264", "-r", "25", "-i", workshop.file("both.h264"), "-c", "copy", workshop.file("both.ts"),
    ])
    #expect(try numbers(edit(of: "both.ts", "0.8")) == Array(0..<10) + Array(0..<10))
  }

  @Test func `a clip of one frame shows it, and no more than its time`() throws {
    try workshop.clip("one.mp4", frameCount: 1)
    #expect(try numbers(edit(of: "one.mp4", "0.04")) == [0])
    #expect(throws: EditFileError.self) { try edit(of: "one.mp4", "0.08") }
  }

  @Test func `a clip without frames is refused`() throws {
    try MediaTools.ffmpeg([
      "-f", "lavfi", "-i", "testsrc2=s=96x64:r=25:d=1", "-frames:v", "0", "-c:v", "libx264", workshop.file("none.mp4"),
    ])
    #expect(throws: EditFileError.self) { try edit(of: "none.mp4", "0.04") }
  }
}
