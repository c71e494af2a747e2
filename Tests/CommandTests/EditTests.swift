import FarmTesting
import FoundationEssentials
import Testing

@Suite struct `Validate` {
  @Test func `a good edit is ok, with what the movie will be`() throws {
    try EditFixture.with { folder in
      let run = try Spool.run("validate", "edit.json", folder: folder)
      #expect(run.code == 0 && run.output == "ok: 1 s, 64x48, 25 frames of 0.04 s\n", "\(run.errors)")
      let piped = try Spool.run("validate", "-", input: EditFixture.document, folder: folder)
      #expect(piped.code == 0 && piped.output == run.output)
    }
  }

  @Test func `every fault of a document is a line with its path`() throws {
    try EditFixture.with { folder in
      try EditFixture.write("bad.json", replacing: #""media": "video""#, with: #""media": "smell", "extra": 1"#, in: folder)
      let run = try Spool.run("validate", "bad.json", folder: folder)
      let lines = run.errors.split(separator: "\n")
      #expect(run.code == 65 && run.output.isEmpty)
      #expect(lines.contains { $0.hasPrefix("error: bad.json: composition.tracks[0].media: ") })
      #expect(lines.contains { $0.hasPrefix("error: bad.json: composition.tracks[0].extra: ") })
      let json = try Spool.run("validate", "--json", "bad.json", folder: folder)
      #expect(json.code == 65 && json.errors.isEmpty && json.output.contains(#""ok":false"#))
    }
  }

  @Test func `missing media, a missing document and no document are told apart`() throws {
    try EditFixture.with { folder in
      try EditFixture.write("gone.json", replacing: "clip.mkv", with: "gone.mkv", in: folder)
      try EditFixture.write("self.json", replacing: "clip.mkv", with: "edit.json", in: folder)
      for (document, code, place) in [
        ("gone.json", 66, "assets.clip: "), ("none.json", 66, "none.json: "), (".", 66, ".: "),
        ("self.json", 65, "assets.clip: "),
        ("clip.mkv", 65, "clip.mkv: "),
      ] as [(String, Int32, String)] {
        let run = try Spool.run("validate", document, folder: folder)
        #expect(run.code == code, "\(document): \(run.errors)")
        #expect(run.errors.hasPrefix("error: " + place), "\(run.errors)")
      }
    }
  }
}

@Suite struct `Frames` {
  @Test func `each line has index, time and ffmpeg's own digest of the frame`() throws {
    try EditFixture.with { folder in
      let run = try Spool.run("frames", "edit.json", folder: folder)
      let fields = run.lines.map { $0.split(separator: ", ") }
      #expect(run.code == 0 && fields.map(\.[0]) == (0..<25).map { Substring("\($0)") }, "\(run.errors)")
      #expect(fields[1][1] == "0.04" && fields[24][1] == "0.96")
      let digests = try EditFixture.frameDigests(of: folder + "/clip.mkv")
      #expect(fields.map(\.[2]) == digests)
    }
  }

  @Test func `a range is those lines and no others`() throws {
    try EditFixture.with { folder in
      let all = try Spool.run("frames", "edit.json", folder: folder)
      let some = try Spool.run("frames", "edit.json", "--range", "10..13", folder: folder)
      #expect(some.code == 0 && some.lines == Array(all.lines[10..<13]))
      for range in ["10..99", "13..10", "x..3", "1..2..3"] {
        let run = try Spool.run("frames", "edit.json", "--range", range, folder: folder)
        #expect(run.code == 64 && run.output.isEmpty, "\(range)")
        #expect(run.errors.hasPrefix("error: --range: "), "\(run.errors)")
      }
    }
  }
}

@Suite struct `Verify` {
  @Test func `an equal movie passes, and one with another frame does not`() throws {
    try EditFixture.with { folder in
      let true_ = try Spool.run("verify", "edit.json", "clip.mkv", folder: folder)
      #expect(true_.code == 0 && true_.output.hasPrefix("clip.mkv: equal to the edit: 25 frames"), "\(true_.errors)")
      try MediaTools.ffmpeg([
        "-i", folder + "/clip.mkv", "-vf", "drawbox=enable='eq(n,7)':w=2:h=2:color=white:t=fill", "-c:v", "ffv1",
        folder + "/other.mkv",
      ])
      let other = try Spool.run("verify", "edit.json", "other.mkv", folder: folder)
      #expect(other.code == 1 && other.errors == "error: other.mkv: frame 7 differs from the edit's\n", "\(other.errors)")
    }
  }
}
