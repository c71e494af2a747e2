import FarmTesting
import FoundationEssentials
import Subprocess
import Testing

@Suite struct `The verbs read and write` {
  private func withClip(_ body: (String) throws -> Void) throws {
    try TemporaryDirectory.with { folder in
      try SyntheticSource(width: 32, height: 16, frameRate: "25", frameCount: 3).write(
        to: folder + "/clip.mkv", ["-c:v", "ffv1"])
      let document = #"""
        {"spool": 1, "assets": {"a": {"path": "clip.mkv"}}, "composition": {"tracks": [{"id": "V", "media": "video", "segments": [
          {"asset": "a"}]}]}, "export": {"fileType": "mkv", "video": {"codec": "ffv1"}}}
        """#
      try Data(document.utf8).write(to: URL(filePath: folder + "/edit.json"))
      try body(folder)
    }
  }

  /// Runs a line of the shell, in which $SPOOL is the program.
  private func shell(_ line: String, _ folder: String) throws -> Completed {
    try SpoolProgram.run(
      ["-c", line], folder: folder, environment: ["SPOOL": SpoolProgram.executable], executable: "/bin/sh")
  }

  @Test func `give the frames of an edit as they are before encoding`() throws {
    try withClip { folder in
      let run = try shell("\"$SPOOL\" read edit.json > frames", folder)
      #expect(run.code == 0 && run.errorOutput == "", "\(run.errorOutput)")
      let bytes = try [UInt8](Data(contentsOf: URL(filePath: folder + "/frames")))
      #expect(bytes.prefix(8) == Array("SPOOLS1\n".utf8)[...])
      let length = try #require(Int(String(decoding: bytes[8..<16], as: UTF8.self), radix: 16))
      #expect(String(decoding: bytes[16..<16 + length], as: UTF8.self).contains("\"width\":32"))
      let size = 32 * 16 * 3 / 2
      // Three records, and the end.
      try #require(bytes.count == 16 + length + 3 * (32 + size) + 32)
      try MediaTools.ffmpeg(["-i", folder + "/clip.mkv", "-f", "rawvideo", "-pix_fmt", "yuv420p", folder + "/raw"])
      let raw = try [UInt8](Data(contentsOf: URL(filePath: folder + "/raw")))
      for frame in 0..<3 {
        let place = 16 + length + frame * (32 + size)
        #expect(bytes[place] == 1 && bytes[place + 4] == (frame == 0 ? 1 : 25) && bytes[place + 8] == UInt8(frame))
        #expect(bytes[(place + 32)..<(place + 32 + size)] == raw[(frame * size)..<((frame + 1) * size)])
      }
    }
  }

  @Test func `say what is wrong, and leave no part of a movie`() throws {
    try withClip { folder in
      let beyond = try shell("\"$SPOOL\" read edit.json --range 0..4", folder)
      #expect(beyond.code == 64 && beyond.errorOutput == "error: --range: 0..4 is beyond the edit's 3 frames\n", "\(beyond)")
      let silent = try shell("\"$SPOOL\" read edit.json --what sound", folder)
      #expect(silent.code == 65 && silent.errorOutput.contains("the edit has no sound"), "\(silent)")
      let closed = try shell("\"$SPOOL\" read edit.json | true; echo done", folder)
      #expect(closed.output == "done\n")
      let none = try SpoolProgram.run("write", input: "no stream at all", folder: folder)
      #expect(none.code == 64 && none.errorOutput == "error: samples: is no stream of samples of this version\n", "\(none)")
      let track = #"{"sound":{"_0":{"codec":"pcm","isDefault":true}}}"#
      let order =
        #"{"disabled":[],"fileType":"mov","givesPieces":false,"optimizeForNetworkUse":false,"output":"m.mov","tags":{},"#
        + #""tracks":[\#(track)],"words":{}}"#
      let digits = String(order.utf8.count, radix: 16)
      let begun = "SPOOLS1\n" + String(repeating: "0", count: 8 - digits.count) + digits + order
      let broken = try SpoolProgram.run("write", input: begun, folder: folder)
      #expect(broken.code == 69 && broken.errorOutput.contains("ended before the movie was to be finished"), "\(broken)")
      let left = try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.contains("m.mov") }
      #expect(left == [])
    }
  }
}
