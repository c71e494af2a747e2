import FarmTesting
import FoundationEssentials
import Subprocess
import Testing

/// A quality as a user asks for it.
@Suite(.serialized) struct `A quality on a farm` {
  private static let export = #"{"fileType": "mp4", "video": {"codec": "h264", "crf": 10, "speed": "ultrafast"}}"#

  @Test func `gives the same movie with any number of workers, and is told`() throws {
    let studio = try Studio()
    let document = try studio.document(EditDocument.everything(export: Self.export))
    var movies: [[UInt8]] = []
    for workers in ["1", "3"] {
      let run = try SpoolProgram.run([
        "render", document, "-o", studio.file("movie-\(workers).mp4"), "--data", studio.dataDirectory, "--chunk-frames", "30",
        "--workers", workers, "--no-reuse", "--quality", "ssim=0.97", "--json",
      ])
      #expect(run.status == .exited(0), "\(run.errorOutput)")
      let done = try #require(run.output.split(separator: "\n").last { $0.contains(#""event":"done""#) })
      #expect(done.contains(#""quantity":"ssim""#) && done.contains(#""asked":0.97"#), "\(done)")
      movies.append(try [UInt8](contentsOf: studio.file("movie-\(workers).mp4")))
    }
    #expect(movies[0] == movies[1])
  }

  @Test(arguments: ["ssim", "ssim=98", "vmaf=95", "xpsnr=", "ssim=0.9=1"])
  func `is refused where it is none`(quality: String) throws {
    let studio = try Studio()
    let document = try studio.document(EditDocument.everything(export: Self.export))
    let run = try SpoolProgram.run([
      "render", document, "-o", studio.file("movie.mp4"), "--data", studio.dataDirectory, "--quality", quality,
    ])
    #expect(run.status == .exited(64), "\(run.errorOutput)")
    #expect(run.errorOutput.contains("ssim=N with N from 0.5 to 0.9999"), "\(run.errorOutput)")
  }
}
