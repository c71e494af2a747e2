import FarmTesting
import FoundationEssentials
import Subprocess
import Testing

/// Tests of `spool render -o -`, which writes a movie to standard output.
@Suite struct `A movie on standard output` {
  private func run(_ command: String, in folder: String) throws -> Completed {
    try SpoolProgram.run(
      ["-c", command, SpoolProgram.executable], folder: folder, environment: ["TMPDIR": folder + "/tmp"], executable: "/bin/sh")
  }

  private func with(_ body: (_ folder: String) throws -> Void) throws {
    try EditFixture.with { folder in
      try FileManager.default.createDirectory(atPath: folder + "/tmp", withIntermediateDirectories: false)
      try body(folder)
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder + "/tmp") == [])
    }
  }

  @Test func `is the one that a file gets, and all else goes to standard error`() throws {
    try with { folder in
      let file = try run("\"$0\" render edit.json -o movie.mkv --data data --chunk-frames 10", in: folder)
      #expect(file.code == 0, "\(file.errorOutput)")
      let piped = try run("\"$0\" render edit.json -o - --data data --chunk-frames 10 --json > piped.mkv", in: folder)
      #expect(piped.code == 0, "\(piped.errorOutput)")
      #expect(piped.errorOutput.contains(#""event":"submitted""#) && piped.errorOutput.contains(#""output":"-""#))
      let movies = try ["movie.mkv", "piped.mkv"].map { try Data(contentsOf: URL(filePath: "\(folder)/\($0)")) }
      #expect(movies[0] == movies[1] && !movies[0].isEmpty)
    }
  }

  @Test(arguments: [
    (
      "mov",
      "-o: mov is read from its end: set export.fragmentInterval or optimizeForNetworkUse, use mkv or mpegts, or name a file"
    ),
    ("pngSequence", "-o: pngSequence is a folder of pictures, and no stream"),
  ])
  func `is refused where it cannot be read from front to back`(type: String, reason: String) throws {
    try with { folder in
      let codec = type == "mov" ? "prores" : "png"
      try EditFixture.write(
        "edit.json", replacing: #""fileType": "mkv", "video": {"codec": "ffv1"}"#,
        with: #""fileType": "\#(type)", "video": {"codec": "\#(codec)"}"#, in: folder)
      let refused = try run("\"$0\" render edit.json -o - --data data > out", in: folder)
      #expect(refused.code == 64)
      #expect(refused.errorOutput == "error: \(reason)\n")
      #expect(try Data(contentsOf: URL(filePath: folder + "/out")).isEmpty)
    }
  }

  @Test func `that finds no room is a failure`() throws {
    try with { folder in
      let run = try run("\"$0\" render edit.json -o - --data data > /dev/full", in: folder)
      #expect(run.code == 73 && run.errorOutput.contains("error: standard output: "), "\(run.errorOutput)")
    }
  }

  @Test func `that could not be made is nothing`() throws {
    try with { folder in
      try EditFixture.write("edit.json", replacing: "clip.mkv", with: "missing.mkv", in: folder)
      let run = try run("\"$0\" render edit.json -o - --data data > out", in: folder)
      #expect(run.code != 0 && run.errorOutput.contains("missing.mkv"))
      #expect(try Data(contentsOf: URL(filePath: folder + "/out")).isEmpty)
    }
  }
}
