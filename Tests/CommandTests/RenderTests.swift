import FarmTesting
import FoundationEssentials
import Glibc
import Subprocess
import Testing

@Suite struct `Render` {
  /// The files in the folder. The folder is also the programs' home, so an ordinary user's cache of media in it is left out.
  private static func files(in folder: String) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0 != ".cache" }.sorted()
  }

  @Test func `a movie is made, reported line by line, and nothing else is left`() throws {
    try EditFixture.with { folder in
      let run = try SpoolProgram.run(
        "render", "edit.json", "-o", "movie.mkv", "--json", "--workers", "2", "--chunk-frames", "10", "--data", "data",
        folder: folder)
      #expect(run.code == 0, "\(run.errorOutput)")
      #expect(run.lines.first?.contains(#""chunkCount":3,"event":"submitted","frameCount":25"#) == true)
      #expect(run.lines.last?.contains(#""event":"done","frameCount":25"#) == true)
      let (made, source) = try (
        EditFixture.frameDigests(of: folder + "/movie.mkv"), EditFixture.frameDigests(of: folder + "/clip.mkv")
      )
      #expect(made == source)
      #expect(try Self.files(in: folder) == ["clip.mkv", "data", "edit.json", "movie.mkv"])
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder + "/data/segments") == ["_cache"])
    }
  }

  @Test func `what an earlier render made is taken as it is, unless it changed or that is not wanted`() throws {
    try EditFixture.with { folder in
      func render(_ options: String...) throws -> (last: String, frames: [Substring]) {
        let run = try SpoolProgram.run(
          ["render", "edit.json", "-o", "movie.mkv", "--json", "--chunk-frames", "10", "--data", "data"] + options, folder: folder
        )
        #expect(run.code == 0, "\(run.errorOutput)")
        return (String(run.lines.last ?? ""), try EditFixture.frameDigests(of: folder + "/movie.mkv"))
      }
      let first = try render()
      #expect(!first.last.contains("reuse"))
      let second = try render()
      #expect(second.last.contains(#""reuse":{"chunkCount":3,"frameCount":25}"#), "\(second.last)")
      #expect(second.frames == first.frames)
      #expect(try !render("--no-reuse").last.contains("reuse"))
      // A layer over the last five frames changes one chunk of the three.
      let edit = URL(filePath: folder + "/edit.json")
      let text = String(decoding: try Data(contentsOf: edit), as: UTF8.self)
      let layer = ##"{"shape": "rectangle", "frame": [0, 0, 8, 8], "fillColor": "#ff0000", "from": "0.8"}"##
      let changed = text.replacing(#"{"spool": 1,"#, with: #"{"spool": 1, "layers": [\#(layer)],"#)
      try Data(changed.utf8).write(to: edit)
      let third = try render()
      #expect(third.last.contains(#""reuse":{"chunkCount":2,"frameCount":20}"#), "\(third.last)")
      #expect(third.frames.prefix(20) == first.frames.prefix(20))
      #expect(third.frames != first.frames)
      let table = try SpoolProgram.run(
        "render", "edit.json", "-o", "other.mkv", "--chunk-frames", "10", "--data", "data", folder: folder)
      #expect(table.lines.contains { $0.hasSuffix("other.mkv: 3 of 3 chunks were rendered before") }, "\(table.lines)")
    }
  }

  @Test func `what an earlier render made is found without a process for each chunk`() throws {
    try EditFixture.with { folder in
      /// The movie's frames, and the number of chunks for which the worker started a process.
      func render(_ movie: String) throws -> (last: String, frames: [Substring], processes: Int) {
        let log = folder + "/data/log/local-1.log"
        let before = (try? String(contentsOfFile: log, encoding: .utf8).count) ?? 0  // The first render has none.
        let run = try SpoolProgram.run(
          "render", "edit.json", "-o", movie, "--json", "--workers", "1", "--chunk-frames", "1", "--data", "data", folder: folder)
        #expect(run.code == 0, "\(run.errorOutput)")
        let text = try String(contentsOfFile: log, encoding: .utf8)
        let new = text.dropFirst(text.count > before ? before : 0).split(separator: "\n")
        return (
          String(run.lines.last ?? ""), try EditFixture.frameDigests(of: "\(folder)/\(movie)"),
          new.count { $0.contains("event=started") && $0.contains("kind=picture") }
        )
      }
      let first = try render("movie.mkv")
      #expect(first.processes == 25)
      let second = try render("other.mkv")
      #expect(second.last.contains(#""reuse":{"chunkCount":25,"frameCount":25}"#), "\(second.last)")
      #expect(second.frames == first.frames)
      // The first chunk is found by a process of its own, and then the others are looked for together.
      #expect(second.processes < 10)
    }
  }

  @Test(arguments: [SIGINT, SIGTERM]) func `an interrupted render leaves nothing behind`(signal: Int32) throws {
    try EditFixture.with { folder in
      try Self.writeLongEdit(in: folder)
      var run = try RunningProgram(["render", "long.json", "-o", "movie.mp4", "--json", "--data", "data"], folder: folder)
      try run.read(until: { $0.contains(#""state":"running""#) })
      run.child.signal(signal)
      try run.readToEnd()
      #expect(run.child.status == .exited(130), "\(run.errors.text)")
      #expect(try Self.files(in: folder) == ["clip.mkv", "data", "edit.json", "long.json"])
      // Finished chunks are kept for the next render of the edit, and nothing else.
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder + "/data/segments").allSatisfy { $0 == "_cache" })
    }
  }

  @Test func `an interrupted render says what becomes of it`() throws {
    try EditFixture.with { folder in
      try Self.writeLongEdit(in: folder)
      let render = ["render", "long.json", "-o", "movie.mp4", "--data", "data", "--chunk-frames", "24"]
      var run = try RunningProgram(render, folder: folder)
      // Progress is told every few seconds.
      try run.read(errors: true, until: { $0.contains("chunks") })
      run.child.signal(SIGINT)
      try run.readToEnd()
      #expect(run.child.status == .exited(130))
      let last = run.errors.text.split(separator: "\n").last
      #expect(last == "interrupted: the render is given up, and no movie is written; ^C again ends at once", "\(run.errors.text)")
    }
  }

  @Test func `the finished chunks of an interrupted render are found by the next one`() throws {
    try EditFixture.with { folder in
      try Self.writeLongEdit(in: folder)
      let render = ["render", "long.json", "-o", "movie.mp4", "--json", "--data", "data", "--chunk-frames", "24"]
      var run = try RunningProgram(render, folder: folder)
      try run.read(until: { $0.contains(#""chunksDone":4"#) || $0.contains(#""chunksDone":5"#) })
      run.child.signal(SIGINT)
      try run.readToEnd()
      #expect(run.child.status == .exited(130), "\(run.errors.text)")
      let next = try SpoolProgram.run(render + ["--range", "0s..0.2s"], folder: folder)
      let isFound = next.lines.last?.contains(#""reuse":{"chunkCount":2,"frameCount":48}"#) == true
      #expect(isFound, "\(next.output) \(next.errorOutput)")
    }
  }

  @Test func `a watched edit is rendered again when it changes, and told what is wrong with it`() throws {
    try EditFixture.with { folder in
      var run = try RunningProgram(
        ["render", "edit.json", "-o", "movie.mkv", "--json", "--data", "data", "--chunk-frames", "10", "--watch"], folder: folder)
      try run.read(until: { $0.contains(#""event":"done""#) })
      let before = try EditFixture.frameDigests(of: folder + "/movie.mkv")
      try EditFixture.write("edit.json", replacing: #"{"spool": 1,"#, with: #"{"spool": 2,"#, in: folder)
      try run.read(until: { $0.contains(#""event":"changed","paths":["#) && $0.contains(#""event":"failed""#) })
      let layer = ##"{"shape": "rectangle", "frame": [0, 0, 8, 8], "fillColor": "#ff0000", "from": "0.8"}"##
      try EditFixture.write("edit.json", replacing: #"{"spool": 1,"#, with: #"{"spool": 1, "layers": [\#(layer)],"#, in: folder)
      try run.read(until: { $0.contains(#""reuse":{"chunkCount":2,"frameCount":20}"#) })
      let after = try EditFixture.frameDigests(of: folder + "/movie.mkv")
      #expect(after.count == 25 && after.prefix(20) == before.prefix(20) && after != before)
      run.child.signal(SIGINT)
      try run.readToEnd()
      #expect(run.child.status == .exited(130), "\(run.errors.text)")
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder + "/data/segments") == ["_cache"])
    }
  }

  /// Writes an edit of 23,760 frames, which takes longer than any test waits.
  private static func writeLongEdit(in folder: String) throws {
    try Data(
      """
      {"spool": 1, "assets": {"clip": {"path": "clip.mkv"}},
       "composition": {"tracks": [{"id": "picture", "media": "video", "segments": [
         {"asset": "clip", "source": {"start": "0", "duration": "1"}, "duration": "99"}]}]},
       "videoComposition": {"renderSize": [640, 360], "frameDuration": "1/240", "instructions": [
         {"timeRange": {"start": "0", "duration": "99"}, "layerInstructions": [{"track": "picture", "gravity": "resize"}]}]}}
      """.utf8
    ).write(to: URL(filePath: folder + "/long.json"))
  }
}

/// A program that runs, and what it has written so far.
private struct RunningProgram {
  let child: ChildProcess
  private var output: TailReader
  private(set) var errors: TailReader

  init(_ words: [String], folder: String) throws {
    var command = SpoolProgram.command(words, folder: folder)
    (command.output, command.errorOutput) = (.pipe, .pipe)
    child = try ChildProcess(command)
    output = try #require(child.output.map { TailReader($0, limit: 1 << 16) })
    errors = try #require(child.errorOutput.map { TailReader($0, limit: 1 << 16) })
  }

  /// Reads until the last 64 KiB of the output, or of the errors, are as wanted, for a minute at most.
  mutating func read(errors isAboutErrors: Bool = false, until isReady: (String) -> Bool) throws {
    let deadline = ContinuousClock.now + .seconds(60)
    while try child.poll() == nil, ContinuousClock.now < deadline {
      try output.read()
      try errors.read()
      if isReady(isAboutErrors ? errors.text : output.text) { return }
      var entry = pollfd(fd: child.exitDescriptor, events: Int16(POLLIN), revents: 0)
      _ = unsafe poll(&entry, 1, 20)
    }
    Issue.record("the program did not write what was awaited: \(output.text) \(errors.text)")
  }

  mutating func readToEnd() throws {
    let deadline = ContinuousClock.now + .seconds(60)
    while try child.poll() == nil, ContinuousClock.now < deadline {
      try output.read()
      try errors.read()
      var entry = pollfd(fd: child.exitDescriptor, events: Int16(POLLIN), revents: 0)
      _ = unsafe poll(&entry, 1, 20)
    }
    // What was written last, before the end was noticed.
    try output.read()
    try errors.read()
  }
}

@Suite struct `Farm verbs` {
  @Test(
    arguments: [
      ("/nowhere", "/", 73, "/nowhere: No such file or directory"), ("/dev/null", "/", 73, "/dev/null: is not a directory"),
      ("/dev/shm", "/nowhere", 66, "/nowhere: No such file or directory"),
    ] as [(String, String, Int32, String)])
  func `a worker without its store or its media does not start`(store: String, root: String, code: Int32, complaint: String)
    throws
  {
    let run = try SpoolProgram.run("worker", "--connect", "ipc:///nowhere/farm", "--store", store, "--media-root", root)
    #expect(run.code == code && run.errorOutput == "error: \(complaint)\n")
  }

  @Test(arguments: [["status"], ["status", "b7kq2mzr9x4t"], ["cancel", "b7kq2mzr9x4t"], ["verify", "b7kq2mzr9x4t"]])
  func `without a database they say which one is away`(verb: [String]) throws {
    let run = try SpoolProgram.run(verb, environment: ["SPOOL_DATABASE": "host=/nonexistent dbname=farm"])
    #expect(run.code == 69 && run.output.isEmpty)
    #expect(run.errorOutput.hasPrefix("error: database: "), "\(run.errorOutput)")
  }

  @Test func `without a farm to ask they say what is missing`() throws {
    try TemporaryDirectory.with { folder in
      let run = try SpoolProgram.run("status", environment: ["SPOOL_DATA": folder])
      #expect(run.code == 64 && run.errorOutput.hasPrefix("error: --database: required"), "\(run.errorOutput)")
    }
  }

  @Test func `CURVE keys come in pairs`() throws {
    let run = try SpoolProgram.run(
      "worker", "--connect", "tcp://farm:1", "--store", "/s", "--media-root", "/m", "--curve-server-key", "k")
    #expect(run.code == 64 && run.errorOutput.hasPrefix("error: --curve-secret-key: required with"), "\(run.errorOutput)")
  }
}

@Suite struct `Pipes` {
  @Test func `a reader that leaves ends the program without a word`() throws {
    try EditFixture.with { folder in
      let script = #""$0" frames edit.json | head -n 1 > first; echo "${PIPESTATUS[0]}""#
      let command = Command(
        "/bin/bash", ["-c", script, SpoolProgram.executable], environment: ["PATH": "/usr/bin:/bin"], workingDirectory: folder)
      let done = try #require(try command.run(timeoutMilliseconds: 60_000))
      #expect(done.errorOutput.isEmpty, "\(done.errorOutput)")
      // It depends on timing whether head leaves before the last line is written.
      #expect(["0\n", "141\n"].contains(done.output))
    }
  }
}
