import FarmTesting
import FoundationEssentials
import Subprocess
import Testing

@Suite struct `Probe` {
  /// Makes a clip with ffmpeg: one second of 160x90 at 25 fps, with a mono tone.
  private func withClip(_ body: (String) throws -> Void) throws {
    try TemporaryDirectory.with { folder in
      let arguments =
        "-f lavfi -i testsrc2=s=160x90:r=25:d=1 -f lavfi -i sine=r=48000:d=1 -c:v ffv1 -pix_fmt yuv420p -c:a flac"
      try MediaTools.ffmpeg(arguments.split(separator: " ").map(String.init) + [folder + "/clip.mkv"])
      try body(folder)
    }
  }

  @Test func `a person gets a table`() throws {
    try withClip { folder in
      let run = try SpoolProgram.run("probe", "clip.mkv", folder: folder)
      #expect(run.code == 0 && run.errorOutput.isEmpty)
      #expect(run.lines.contains { $0.hasPrefix("0      video  ffv1   0      1         160x90, 25 fps, yuv420p, 8 bit") })
      #expect(run.lines.contains { $0.hasPrefix("1      audio  flac   0      1         48000 Hz, mono") })
    }
  }

  @Test func `a still picture is called one, and a drawing that depends on other things is refused`() throws {
    try TemporaryDirectory.with { folder in
      try MediaTools.ffmpeg(["-f", "lavfi", "-i", "testsrc2=s=64x48", "-frames:v", "1", folder + "/still.png"])
      let run = try SpoolProgram.run("probe", "still.png", folder: folder)
      #expect(run.lines.contains("duration   none: a still picture"))
      #expect(run.lines.contains { $0.contains("64x48, still picture, rgb24") })
      func probe(_ inner: String) throws -> Completed {
        try Data("<?xml version='1.0'?>\n<svg xmlns='http://www.w3.org/2000/svg' width='9' height='8'>\(inner)</svg>\n".utf8)
          .write(to: URL(filePath: folder + "/logo.svg"))
        return try SpoolProgram.run("probe", "logo.svg", folder: folder)
      }
      #expect(try probe("").lines.contains { $0.contains("9x8, still picture, rgba") })
      let linked = try probe("<image href='a.png'/>")
      #expect(linked.code == 65)
      #expect(linked.errorOutput == "error: logo.svg: refers to 'a.png', which is not a part of it: put it into the picture\n")
    }
  }

  /// The process that reads media for a root takes another user. A root without CAP_SYS_RESOURCE, as in containers, may not limit
  /// it then.
  @Test func `many at once all read, however late each gets to run`() throws {
    try withClip { folder in
      let script = """
        for number in $(seq 40); do ("$SPOOL" probe clip.mkv >/dev/null || echo failed) & done
        wait
        """
      let command = Command(
        "/bin/sh", ["-c", script], environment: ["PATH": "/usr/bin:/bin", "SPOOL": SpoolProgram.executable],
        workingDirectory: folder)
      let run = try #require(try command.endingWithTests().run(timeoutMilliseconds: 120_000))
      #expect(run.output == "" && run.errorOutput == "")
    }
  }

  @Test func `a script gets one JSON object with exact times`() throws {
    struct Record: Decodable {
      struct Track: Decodable {
        struct Range: Decodable { let start: String, duration: String }
        struct Video: Decodable { let nominalFrameRate: String }
        struct Audio: Decodable { let sampleRate: Int }
        let media: String, codec: String
        let timeRange: Range
        let video: Video?
        let audio: Audio?
      }
      let tracks: [Track]
    }
    try withClip { folder in
      let run = try SpoolProgram.run("probe", "--json", "clip.mkv", folder: folder)
      #expect(run.code == 0 && run.lines.count == 1)
      let record = try JSONDecoder().decode(Record.self, from: Data(run.output.utf8))
      #expect(record.tracks.map(\.media) == ["video", "audio"])
      #expect(record.tracks.map(\.timeRange.duration) == ["1", "1"])
      #expect(record.tracks[0].video?.nominalFrameRate == "25" && record.tracks[1].audio?.sampleRate == 48000)
    }
  }

  @Test func `what is missing, no file or no medium is told apart`() throws {
    try TemporaryDirectory.with { folder in
      try Data("no movie".utf8).write(to: URL(filePath: folder + "/text.mp4"))
      for (file, code) in [("missing.mp4", 66), (".", 66), ("text.mp4", 65)] as [(String, Int32)] {
        let run = try SpoolProgram.run("probe", file, folder: folder)
        #expect(run.code == code && run.output.isEmpty, "\(file): \(run.errorOutput)")
        #expect(run.errorOutput.hasPrefix("error: \(file): ") && run.errorOutput.split(separator: "\n").count == 1)
      }
    }
  }

  @Test func `a file outside the media roots is refused`() throws {
    try withClip { folder in
      try FileManager.default.createDirectory(atPath: folder + "/roots", withIntermediateDirectories: false)
      try FileManager.default.createSymbolicLink(atPath: folder + "/roots/link.mkv", withDestinationPath: "../clip.mkv")
      let run = try SpoolProgram.run("probe", "--media-root", "roots", "roots/link.mkv", folder: folder)
      #expect(run.code == 66, "\(run.errorOutput)")
    }
  }
}
