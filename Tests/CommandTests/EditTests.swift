import FarmTesting
import FoundationEssentials
import Subprocess
import Testing

@Suite struct `Validate` {
  @Test func `a good edit is ok, with what the movie will be`() throws {
    try EditFixture.with { folder in
      let run = try SpoolProgram.run("validate", "edit.json", folder: folder)
      #expect(run.code == 0 && run.output == "ok: 1 s, 64x48, 25 frames of 0.04 s\n", "\(run.errorOutput)")
      let piped = try SpoolProgram.run("validate", "-", input: EditFixture.document, folder: folder)
      #expect(piped.code == 0 && piped.output == run.output)
    }
  }

  @Test func `every fault of a document is a line with its path`() throws {
    try EditFixture.with { folder in
      try EditFixture.write("bad.json", replacing: #""media": "video""#, with: #""media": "smell", "extra": 1"#, in: folder)
      let run = try SpoolProgram.run("validate", "bad.json", folder: folder)
      let lines = run.errorOutput.split(separator: "\n")
      #expect(run.code == 65 && run.output.isEmpty)
      #expect(lines.contains { $0.hasPrefix("error: bad.json: composition.tracks[0].media: ") })
      #expect(lines.contains { $0.hasPrefix("error: bad.json: composition.tracks[0].extra: ") })
      let json = try SpoolProgram.run("validate", "--json", "bad.json", folder: folder)
      #expect(json.code == 65 && json.errorOutput.isEmpty && json.output.contains(#""ok":false"#))
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
        let run = try SpoolProgram.run("validate", document, folder: folder)
        #expect(run.code == code, "\(document): \(run.errorOutput)")
        #expect(run.errorOutput.hasPrefix("error: " + place), "\(run.errorOutput)")
      }
    }
  }
}

@Suite struct `Frame` {
  /// The RGB samples of a PNG, read by ffmpeg.
  private func pixels(_ file: String, _ filter: String = "null") throws -> [UInt8] {
    try MediaTools.ffmpeg(["-i", file, "-vf", filter, "-frames:v", "1", "-f", "rawvideo", "-pix_fmt", "rgb24", file + ".rgb"])
    return [UInt8](try Data(contentsOf: URL(filePath: file + ".rgb")))
  }

  @Test func `the picture is the movie's frame, converted as zimg does`() throws {
    try EditFixture.with { folder in
      let run = try SpoolProgram.run("frame", "edit.json", "--at", "0.5", "-o", "frame.png", folder: folder)
      #expect(run.code == 0 && run.errorOutput.isEmpty, "\(run.errorOutput)")
      // The clip is shown unchanged. By its size it counts as BT.601.
      let filter =
        "select=eq(n\\,12),zscale=min=470bg:m=gbr:rin=limited:r=full:f=bicubic:param_a=0:param_b=0.5:cin=left,format=gbrp"
      let (ours, theirs) = try (pixels("\(folder)/frame.png"), pixels("\(folder)/clip.mkv", filter))
      #expect(ours.count == 64 * 48 * 3 && ours.count == theirs.count)
      #expect(zip(ours, theirs).allSatisfy { abs(Int($0) - Int($1)) <= 1 })
    }
  }

  @Test func `a time, a timecode and an index name the same frame`() throws {
    try EditFixture.with { folder in
      var pictures: Set<[UInt8]> = []
      for arguments in [["--at", "0.559"], ["--at", "13/25"], ["--at", "00:00:00:13"], ["--index", "13"]] {
        let run = try SpoolProgram.run(["frame", "edit.json", "-o", "f.png", "--overwrite"] + arguments, folder: folder)
        #expect(run.code == 0, "\(arguments): \(run.errorOutput)")
        pictures.insert(try pixels("\(folder)/f.png"))
      }
      #expect(pictures.count == 1)
    }
  }

  @Test func `a time outside the movie, none and two are refused`() throws {
    try EditFixture.with { folder in
      for arguments in [
        ["--at", "1"], ["--at", "-1"], ["--index", "25"], [], ["--at", "0", "--index", "0"], ["--at", "noon"],
      ] {
        let run = try SpoolProgram.run(["frame", "edit.json", "-o", "f.png"] + arguments, folder: folder)
        #expect(run.code == 64, "\(arguments): \(run.errorOutput)")
      }
    }
  }

  @Test func `a file that stands there is kept`() throws {
    try EditFixture.with { folder in
      for arguments in [[], ["--overwrite"]] {
        let run = try SpoolProgram.run(["frame", "edit.json", "--index", "0", "-o", "edit.json"] + arguments, folder: folder)
        #expect(run.code == 73, "\(run.errorOutput)")
      }
    }
  }
}

@Suite struct `Frames` {
  @Test func `each line has index, time and ffmpeg's own digest of the frame`() throws {
    try EditFixture.with { folder in
      let run = try SpoolProgram.run("frames", "edit.json", folder: folder)
      let fields = run.lines.map { $0.split(separator: ", ") }
      #expect(run.code == 0 && fields.map(\.[0]) == (0..<25).map { Substring("\($0)") }, "\(run.errorOutput)")
      #expect(fields[1][1] == "0.04" && fields[24][1] == "0.96")
      let digests = try EditFixture.frameDigests(of: folder + "/clip.mkv")
      #expect(fields.map(\.[2]) == digests)
    }
  }

  @Test func `a range is those lines and no others`() throws {
    try EditFixture.with { folder in
      let all = try SpoolProgram.run("frames", "edit.json", folder: folder)
      let some = try SpoolProgram.run("frames", "edit.json", "--range", "10..13", folder: folder)
      #expect(some.code == 0 && some.lines == Array(all.lines[10..<13]))
      for range in ["10..99", "13..10", "x..3", "1..2..3"] {
        let run = try SpoolProgram.run("frames", "edit.json", "--range", range, folder: folder)
        #expect(run.code == 64 && run.output.isEmpty, "\(range)")
        #expect(run.errorOutput.hasPrefix("error: --range: "), "\(run.errorOutput)")
      }
    }
  }
}

@Suite struct `Verify` {
  @Test func `an equal movie passes, and one with another frame does not`() throws {
    try EditFixture.with { folder in
      let true_ = try SpoolProgram.run("verify", "edit.json", "clip.mkv", folder: folder)
      #expect(true_.code == 0 && true_.output.hasPrefix("clip.mkv: equal to the edit: 25 frames"), "\(true_.errorOutput)")
      try MediaTools.ffmpeg([
        "-i", folder + "/clip.mkv", "-vf", "drawbox=enable='eq(n,7)':w=2:h=2:color=white:t=fill", "-c:v", "ffv1",
        folder + "/other.mkv",
      ])
      let other = try SpoolProgram.run("verify", "edit.json", "other.mkv", folder: folder)
      #expect(
        other.code == 1 && other.errorOutput == "error: other.mkv: frame 7 differs from the edit's\n", "\(other.errorOutput)")
    }
  }

  @Test func `pictures that are equal, that differ and that were not compared are told apart`() throws {
    try EditFixture.with { folder in
      let movies = [
        ("equal", "null", #""pictures":"equal""#), ("other", "drawbox=w=2:h=2:color=white:t=fill", #""pictures":"differ""#),
        ("small", "scale=32:24", #""pictures":"uncompared""#),
      ]
      for (name, filter, words) in movies {
        try MediaTools.ffmpeg(["-i", "\(folder)/clip.mkv", "-vf", filter, "-c:v", "ffv1", "\(folder)/\(name).mkv"])
        let run = try SpoolProgram.run("verify", "--json", "edit.json", "\(name).mkv", folder: folder)
        #expect(run.output.contains(words), "\(name): \(run.output) \(run.errorOutput)")
        #expect(run.output.contains(#""psnr":"#) == (name == "other"), "\(run.output)")
      }
    }
  }
}
