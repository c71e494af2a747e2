import FarmTesting
import FoundationEssentials
import Glibc
import Subprocess
import Testing

/// Renditions as a user renders, plans and verifies them.
@Suite(.serialized) struct `A ladder on a farm` {
  private static let export = #"""
    {"fileType": "cmaf", "fragmentInterval": "1", "video": {"codec": "h264", "crf": 0, "speed": "ultrafast"},
     "renditions": [{"size": [120, 72]}, {"size": [80, 48]}]}
    """#

  private func frames(_ folder: String, _ studio: Studio) throws -> [[String]] {
    try ["picture", "picture2", "picture3"].map { name in
      try Decoded(studio.file("\(folder)/\(name).m3u8"), hasSound: false).pictures
    }
  }

  @Test func `shows the same frames in each size, from any number of chunks and workers`() throws {
    let studio = try Studio()
    let document = try studio.document(EditDocument.everything(export: Self.export))
    var first: [[String]]?
    for (chunkFrames, workers) in [(90, 1), (90, 3), (30, 1), (30, 3), (13, 1), (13, 3)] {
      let folder = "show-\(chunkFrames)-\(workers)"
      try studio.render(
        document, to: "\(folder)/master.m3u8", ["--chunk-frames", "\(chunkFrames)", "--workers", "\(workers)"])
      let found = try frames(folder, studio)
      #expect(found.map(\.count) == [90, 90, 90])
      first = first ?? found
      #expect(found == first, "\(chunkFrames) frames a chunk, \(workers) workers")
    }
    let verified = try SpoolProgram.run(["verify", document, studio.file("show-13-3/master.m3u8")])
    #expect(verified.status == .exited(0), "\(verified.errorOutput)")
    for size in ["120x72", "80x48"] {
      #expect(verified.output.contains("rendition \(size): 90 frames, all frames equal"), "\(verified.output)")
    }
    let planned = try SpoolProgram.run([
      "plan", document, "-o", studio.file("new/master.m3u8"), "--data", studio.dataDirectory,
    ])
    #expect(
      planned.output.contains("each frame is encoded 3 times: also in 120x72, 80x48"), "\(planned.output)\(planned.errorOutput)")
  }

  @Test(arguments: ["attempt", "worker"])
  func `is the same where a process was killed`(role: String) throws {
    let studio = try Studio()
    let document = try studio.document(EditDocument.everything(export: Self.export))
    try studio.render(document, to: "undisturbed/master.m3u8")
    var command = SpoolProgram.command([
      "render", document, "-o", studio.file("disturbed/master.m3u8"), "--data", studio.dataDirectory, "--chunk-frames", "6",
      "--workers", "2", "--no-reuse",
    ])
    (command.output, command.errorOutput) = (.null, .null)
    let child = try ChildProcess(command)
    var (status, isKilled): (Subprocess.ExitStatus?, Bool) = (nil, false)
    let end = ContinuousClock.now + .seconds(90)
    while status == nil, ContinuousClock.now < end {
      let tree = try ProcessTree()
      let isAtWork = !tree.descendants(of: child.processID, role: "attempt").isEmpty
      if !isKilled, isAtWork, let victim = tree.descendants(of: child.processID, role: role).first {
        isKilled = kill(victim, SIGKILL) == 0
      }
      usleep(2000)
      status = try child.poll()
    }
    #expect(isKilled && status == .exited(0))
    #expect(try frames("disturbed", studio) == frames("undisturbed", studio))
  }
}
