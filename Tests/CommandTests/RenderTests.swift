import FarmTesting
import FoundationEssentials
import Glibc
import Subprocess
import Testing

@Suite struct `Render` {
  @Test func `what cannot be written is refused before any work`() throws {
    try EditFixture.with { folder in
      for (output, reason) in [
        ("nowhere/movie.mkv", "nowhere/: No such file or directory"), ("./", "./: is a directory"),
        ("edit.json", "edit.json: is one of the edit's own files"), ("clip.mkv", "clip.mkv: is one of the edit's own files"),
      ] {
        let run = try Spool.run("render", "edit.json", "-o", output, "--data", "data", folder: folder)
        #expect(run.code == 73 && run.output.isEmpty, "\(output)")
        #expect(run.errors.hasSuffix(reason + "\n"), "\(run.errors)")
      }
      #expect(!FileManager.default.fileExists(atPath: folder + "/data"))
    }
  }

  @Test func `an existing movie stays when it may not be replaced`() throws {
    try EditFixture.with { folder in
      try Data("precious".utf8).write(to: URL(filePath: folder + "/movie.mkv"))
      let run = try Spool.run("render", "edit.json", "-o", "movie.mkv", "--no-overwrite", "--data", "data", folder: folder)
      #expect(run.code == 73 && run.errors == "error: movie.mkv: exists already\n")
      #expect(FileManager.default.contents(atPath: folder + "/movie.mkv") == Data("precious".utf8))
    }
  }

  @Test func `a movie is made, reported line by line, and nothing else is left`() throws {
    try EditFixture.with { folder in
      let run = try Spool.run(
        "render", "edit.json", "-o", "movie.mkv", "--json", "--workers", "2", "--chunk-frames", "10", "--data", "data",
        folder: folder)
      #expect(run.code == 0, "\(run.errors)")
      #expect(run.lines.first?.contains(#""chunkCount":3,"event":"submitted","frameCount":25"#) == true)
      #expect(run.lines.last?.contains(#""event":"done","frameCount":25"#) == true)
      let (made, source) = try (
        EditFixture.frameDigests(of: folder + "/movie.mkv"), EditFixture.frameDigests(of: folder + "/clip.mkv")
      )
      #expect(made == source)
      #expect(
        try FileManager.default.contentsOfDirectory(atPath: folder).sorted() == ["clip.mkv", "data", "edit.json", "movie.mkv"])
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder + "/data/segments") == [])
    }
  }

  @Test func `an interrupted render leaves nothing behind`() throws {
    try EditFixture.with { folder in
      // 23,760 frames: never done before the interruption.
      try Data(
        """
        {"spool": 1, "assets": {"clip": {"path": "clip.mkv"}},
         "composition": {"tracks": [{"id": "picture", "media": "video", "segments": [
           {"asset": "clip", "source": {"start": "0", "duration": "1"}, "duration": "99"}]}]},
         "videoComposition": {"renderSize": [640, 360], "frameDuration": "1/240", "instructions": [
           {"timeRange": {"start": "0", "duration": "99"}, "layers": [{"track": "picture", "gravity": "resize"}]}]}}
        """.utf8
      ).write(to: URL(filePath: folder + "/long.json"))
      let child = try ChildProcess(
        Command(
          Spool.executable, ["render", "long.json", "-o", "movie.mkv", "--json", "--data", "data"],
          environment: ["PATH": "/usr/bin:/bin"], workingDirectory: folder, output: .pipe, errorOutput: .pipe))
      var (output, errors) = (
        try #require(child.output.map { TailReader($0, limit: 1 << 16) }),
        try #require(child.errorOutput.map { TailReader($0, limit: 1 << 16) })
      )
      var isInterrupted = false
      let deadline = ContinuousClock.now + .seconds(60)
      while try child.poll() == nil, ContinuousClock.now < deadline {
        try output.read()
        try errors.read()
        if !isInterrupted, output.text.contains(#""state":"running""#) {
          child.signal(SIGINT)
          isInterrupted = true
        }
        var entry = pollfd(fd: child.exitDescriptor, events: Int16(POLLIN), revents: 0)
        _ = unsafe poll(&entry, 1, 20)
      }
      #expect(isInterrupted && child.status == .exited(130), "\(output.text) \(errors.text)")
      #expect(
        try FileManager.default.contentsOfDirectory(atPath: folder).sorted() == ["clip.mkv", "data", "edit.json", "long.json"])
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder + "/data/segments") == [])
    }
  }
}

@Suite struct `Farm verbs` {
  @Test(arguments: [["status"], ["status", "b7kq2mzr9x4t"], ["cancel", "b7kq2mzr9x4t"], ["verify", "b7kq2mzr9x4t"]])
  func `without a database they say which one is away`(verb: [String]) throws {
    let run = try Spool.run(verb, environment: ["SPOOL_DATABASE": "host=/nonexistent dbname=farm"])
    #expect(run.code == 69 && run.output.isEmpty)
    #expect(run.errors.hasPrefix("error: database: "), "\(run.errors)")
  }

  @Test func `without a farm to ask they say what is missing`() throws {
    try TemporaryDirectory.with { folder in
      let run = try Spool.run("status", environment: ["SPOOL_DATA": folder])
      #expect(run.code == 64 && run.errors.hasPrefix("error: --database: required"), "\(run.errors)")
    }
  }

  @Test func `CURVE keys come in pairs`() throws {
    let run = try Spool.run(
      "worker", "--connect", "tcp://farm:1", "--store", "/s", "--media-root", "/m", "--curve-server-key", "k")
    #expect(run.code == 64 && run.errors.hasPrefix("error: --curve-secret-key: required with"), "\(run.errors)")
  }
}

@Suite struct `Pipes` {
  @Test func `a reader that leaves ends the program without a word`() throws {
    try EditFixture.with { folder in
      let script = #""$0" frames edit.json | head -n 1 > first; echo "${PIPESTATUS[0]}""#
      let command = Command(
        "/bin/bash", ["-c", script, Spool.executable], environment: ["PATH": "/usr/bin:/bin"], workingDirectory: folder)
      let done = try #require(try command.run(timeoutMilliseconds: 60_000))
      #expect(done.errorOutput.isEmpty, "\(done.errorOutput)")
      // Whether head leaves before the last line is written is a matter of timing.
      #expect(["0\n", "141\n"].contains(done.output))
    }
  }
}
