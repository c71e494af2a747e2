import FarmTesting
import FoundationEssentials
import Glibc
import Subprocess
import Testing

/// Movies that lie at their place, as their edits make them.
@Suite struct `A movie that lies there already` {
  private struct Rendered {
    let code: Int32?
    let lines: [Substring]
    let errors: String
    /// The number of the movie's file, and the time of its last write.
    let inode: UInt64
    let written: Int

    /// Whether no job was submitted.
    var isStanding: Bool { lines.count == 1 && !lines[0].contains(#""job":"#) && lines[0].contains(#""event":"done""#) }
  }

  private func render(in folder: String, edit: String = "edit.json", _ options: [String] = []) throws -> Rendered {
    let run = try SpoolProgram.run(
      ["render", edit, "-o", "movie.mkv", "--json", "--chunk-frames", "10", "--data", "data"] + options, folder: folder)
    var facts = stat()
    try #require(unsafe lstat(folder + "/movie.mkv", &facts) == 0, "\(run.errorOutput)")
    return Rendered(
      code: run.code, lines: run.lines.map { Substring($0) }, errors: run.errorOutput, inode: UInt64(facts.st_ino),
      written: facts.st_mtim.tv_sec * 1_000_000_000 + facts.st_mtim.tv_nsec)
  }

  @Test func `is told of, left alone, and asks for no farm`() throws {
    try EditFixture.with { folder in
      let first = try render(in: folder)
      #expect(first.code == 0 && !first.isStanding, "\(first.errors)")
      let frames = try EditFixture.frameDigests(of: folder + "/movie.mkv")
      let log = try [UInt8](contentsOf: folder + "/data/log/local-1.log")
      let second = try render(in: folder)
      #expect(second.code == 0 && second.isStanding, "\(second.lines) \(second.errors)")
      #expect(second.lines[0].contains(#""reuse":{"chunkCount":3,"frameCount":25}"#), "\(second.lines)")
      #expect(second.inode == first.inode && second.written == first.written)
      #expect(try EditFixture.frameDigests(of: folder + "/movie.mkv") == frames)
      let words = try SpoolProgram.run(
        "render", "edit.json", "-o", "movie.mkv", "--chunk-frames", "10", "--data", "data", folder: folder)
      #expect(words.lines.count == 1 && words.lines[0].hasSuffix(", lies there already, as this edit makes it"), "\(words.lines)")
      #expect(try [UInt8](contentsOf: folder + "/data/log/local-1.log") == log)
    }
  }

  @Test func `is made anew where it was damaged, and where that is asked for`() throws {
    try EditFixture.with { folder in
      let first = try render(in: folder)
      let whole = try [UInt8](contentsOf: folder + "/movie.mkv")
      var bytes = whole
      bytes[bytes.count / 2] ^= 1
      try bytes.write(toFile: folder + "/movie.mkv")
      #expect(try !render(in: folder).isStanding)
      #expect(try [UInt8](contentsOf: folder + "/movie.mkv") == whole)
      #expect(try render(in: folder).isStanding)
      let asked = try render(in: folder, ["--no-reuse"])
      #expect(!asked.isStanding && asked.inode != first.inode)
      #expect(try [UInt8](contentsOf: folder + "/movie.mkv") == whole)
    }
  }

  @Test func `is made anew where a setting, the sound of the edit or a medium changed`() throws {
    try EditFixture.with { folder in
      _ = try render(in: folder)
      #expect(try render(in: folder).isStanding)
      // One pixel of one frame is another one.
      try MediaTools.ffmpeg([
        "-y", "-i", folder + "/clip.mkv", "-vf", "drawbox=x=1:y=1:w=1:h=1:color=red:t=fill:enable='eq(n,12)'", "-c:v", "ffv1",
        folder + "/other.mkv",
      ])
      try #require(unsafe rename(folder + "/other.mkv", folder + "/clip.mkv") == 0)
      let changed = try render(in: folder)
      #expect(!changed.isStanding, "\(changed.lines)")
      #expect(try EditFixture.frameDigests(of: folder + "/movie.mkv") == EditFixture.frameDigests(of: folder + "/clip.mkv"))
      #expect(try render(in: folder).isStanding)
      try EditFixture.write(
        "titled.json", replacing: #"{"spool": 1,"#,
        with: ##"{"spool": 1, "layers": [{"shape": "rectangle", "frame": [0, 0, 8, 8], "fillColor": "#ff0000"}],"##,
        in: folder)
      #expect(try !render(in: folder, edit: "titled.json").isStanding)
      #expect(try render(in: folder, edit: "titled.json").isStanding)
      // The movie is that of the other edit now.
      #expect(try !render(in: folder).isStanding)
    }
  }

  @Test func `is looked at by a job where that writes more than the movie`() throws {
    try EditFixture.with { folder in
      for options in [["-o", "second.mkv"], ["--keep"]] {
        _ = try render(in: folder, options)
        let again = try render(in: folder, options)
        #expect(again.code == 0 && !again.isStanding, "\(options): \(again.lines) \(again.errors)")
      }
    }
  }
}
