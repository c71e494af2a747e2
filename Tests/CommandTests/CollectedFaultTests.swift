import FarmTesting
import FoundationEssentials
import Subprocess
import Testing

/// An edit with faults of every kind. All faults are reported at once, to people and to programs.
@Suite struct `Collected faults` {
  /// An edit with a missing medium, an unknown preset, a misspelt key, a range beyond a clip, and a missing font and compositor.
  private static let document = #"""
    {"spool": 1, "assets": {"clip": {"path": "clip.mkv"}, "gone": {"path": "gone.mkv"}},
     "composition": {"tracks": [
       {"id": "A", "media": "video", "segments": [{"asset": "clip", "source": {"start": "0", "duration": "2"}}]},
       {"id": "B", "media": "video", "segments": [{"asset": "gone"}, {"asset": "clip", "sourcetrack": 0}]}]},
     "videoComposition": {"renderSize": [64, 48], "frameDuration": "1/25", "instructions": [
       {"timeRange": {"start": "0", "duration": "2"}, "compositor": {"name": "curl", "requiredTracks": ["A"]}}]},
     "layers": [{"text": "hi", "font": "No Such Font", "size": 9}],
     "export": {"preset": "best"}}
    """#

  private static let lines = [
    "edit.json: composition.tracks[0].segments[0].source: ends at 2, but asset 'clip' lasts 1",
    "edit.json: composition.tracks[1].segments[1].sourcetrack: unknown key (did you mean 'sourceTrack'?)",
    "edit.json: export.preset: 'best' is not one of low, medium, high, highest, lossless, LowQuality, MediumQuality, HighestQuality, 640x480, 960x540, 1280x720, 1920x1080, 3840x2160, HEVCHighestQuality, HEVC1920x1080, HEVC3840x2160, Passthrough, AppleM4A, AppleProRes422LPCM, AppleProRes4444LPCM, web, hls, youtube, vimeo, x, instagram, tiktok, archive, broadcast",
    "assets.gone: FOLDER/gone.mkv: No such file or directory",
    "edit.json: layers[0]: font 'No Such Font' is not installed ('fc-list : family' lists those that are)",
    "edit.json: videoComposition.instructions[0].compositor.name: this program has no compositor 'curl': it has none",
  ]

  private static func with(_ body: (_ folder: String) throws -> Void) throws {
    try EditFixture.with { folder in
      try document.write(toFile: folder + "/edit.json")
      try body(folder)
    }
  }

  private struct Report: Decodable {
    struct Fault: Decodable {
      let path: String
      let kind: String
      let text: String
      let suggestion: String?
    }

    let ok: Bool?
    let event: String?
    let `class`: String?
    let exitCode: Int?
    let asset: String?
    let time: String?
    let faults: [Fault]
  }

  private static func report(_ line: some StringProtocol) throws -> Report {
    try JSONDecoder().decode(Report.self, from: Data(line.utf8))
  }

  @Test(arguments: [
    ["validate"], ["frames"], ["frame", "--index", "0", "-o", "f.png"], ["render", "-o", "m.mp4", "--data", "data"],
  ])
  func `all are told in one go`(words: [String]) throws {
    try Self.with { folder in
      let run = try SpoolProgram.run([words[0], "edit.json"] + words.dropFirst(), folder: folder)
      #expect(run.code == 66 && run.output.isEmpty)
      let told = run.errorOutput.split(separator: "\n").map(String.init)
      #expect(told.count == Self.lines.count, "\(run.errorOutput)")
      for (line, expected) in zip(told, Self.lines) {
        #expect(line.hasPrefix("error: " + expected.replacing("FOLDER", with: folder)))
      }
    }
  }

  @Test func `in JSON each is an object with place, sort, text and what was meant`() throws {
    try Self.with { folder in
      let run = try SpoolProgram.run("validate", "--json", "edit.json", folder: folder)
      #expect(run.code == 66 && run.errorOutput.isEmpty)
      let report = try Self.report(run.output)
      #expect(report.ok == false)
      #expect(report.faults.map(\.kind) == ["media", "unknownKey", "unknownName", "unreadable", "font", "compositor"])
      #expect(
        report.faults.map(\.path).prefix(2) == [
          "composition.tracks[0].segments[0].source", "composition.tracks[1].segments[1].sourcetrack",
        ])
      #expect(
        report.faults[1].text == "unknown key (did you mean 'sourceTrack'?)" && report.faults[1].suggestion == "sourceTrack")
      #expect(report.faults[3].path == "assets.gone" && report.faults[3].suggestion == nil)
    }
  }

  @Test(arguments: [
    ["frames"], ["frame", "--index", "0", "-o", "f.png"], ["render", "-o", "m.mp4", "--data", "data"],
    ["submit", "-o", "m.mp4", "--database", "postgresql:///nowhere"],
  ])
  func `in JSON a failure is an object of its own, and a line for people still`(words: [String]) throws {
    try Self.with { folder in
      let run = try SpoolProgram.run([words[0], "edit.json", "--json"] + words.dropFirst(), folder: folder)
      let report = try Self.report(run.output)
      #expect(report.event == "failed" && report.class == "missing" && report.exitCode == 66 && run.code == 66)
      #expect(report.asset == "gone" && report.time == nil)
      #expect(report.faults.map(\.kind).prefix(4) == ["media", "unknownKey", "unknownName", "unreadable"])
      #expect(run.errorOutput.split(separator: "\n").count == report.faults.count)
    }
  }

  @Test func `probe says in JSON what a file is not, render that an output is taken`() throws {
    try EditFixture.with { folder in
      let probe = try SpoolProgram.run("probe", "--json", "gone.mkv", folder: folder)
      #expect(probe.code == 66)
      let gone = try Self.report(probe.output)
      #expect(gone.faults.map(\.path) == ["gone.mkv"] && gone.faults.map(\.kind) == ["unreadable"])
      let render = try SpoolProgram.run(
        "render", "edit.json", "-o", "clip.mkv", "--json", "--no-overwrite", "--data", "data", folder: folder)
      let taken = try Self.report(render.output)
      #expect(render.code == 73 && taken.class == "output" && taken.faults.map(\.text) == ["exists already"])
    }
  }

  @Test func `a job that fails tells its class, its asset and the time in it`() throws {
    try TemporaryDirectory.with { folder in
      // Matroska has no index that would tell how much of the file is there.
      try MediaTools.ffmpeg([
        "-f", "lavfi", "-i", "testsrc2=s=64x48:r=25:d=8", "-c:v", "libx264", "-g", "10", folder + "/clip.mkv",
      ])
      let bytes = try [UInt8](contentsOf: folder + "/clip.mkv")
      try Array(bytes.prefix(bytes.count / 2)).write(toFile: folder + "/clip.mkv")
      try EditFixture.write("edit.json", replacing: #""duration": "1""#, with: #""duration": "8""#, in: folder)
      let run = try SpoolProgram.run(
        "render", "edit.json", "-o", "movie.mkv", "--json", "--workers", "1", "--data", "data", folder: folder)
      let report = try Self.report(try #require(run.lines.last))
      #expect(run.code == 65 && report.event == "failed" && report.class == "content", "\(run.errorOutput)")
      #expect(report.asset == "clip" && report.time.flatMap(Double.init).map { 1..<8 ~= $0 } == true, "\(run.output)")
    }
  }

  // MARK: - Warnings

  @Test func `what is said to no effect is a warning, and no reason to refuse`() throws {
    try EditFixture.with { folder in
      let old = #""export""#
      let layer = #""layers": [{"text": "late", "font": "DejaVu Sans", "size": 9, "from": "1", "to": "2"}], "export""#
      try EditFixture.write("edit.json", replacing: old, with: layer, in: folder)
      let told = "warning: edit.json: layers[0]: is never seen: it begins at 1, and the edit ends at 1\n"
      let run = try SpoolProgram.run("validate", "edit.json", folder: folder)
      #expect(run.code == 0 && run.output.hasPrefix("ok: ") && run.errorOutput == told)
      let json = try SpoolProgram.run("validate", "--json", "edit.json", folder: folder)
      #expect(json.errorOutput.isEmpty)
      #expect(
        json.output.contains(
          #""warnings":[{"kind":"neverSeen","path":"layers[0]","text":"is never seen: it begins at 1, and the edit ends at 1"}]"#)
      )
      let render = try SpoolProgram.run("render", "edit.json", "-o", "movie.mkv", "--data", "data", folder: folder)
      #expect(render.code == 0 && render.errorOutput.hasPrefix(told))
      // A movie that lies there already has no job, and its only line tells the same.
      for (movie, event) in [("movie.mkv", "done"), ("other.mkv", "submitted")] {
        let events = try SpoolProgram.run("render", "edit.json", "-o", movie, "--json", "--data", "data", folder: folder)
        #expect(events.code == 0 && events.errorOutput.isEmpty)
        let first = events.lines.first ?? ""
        #expect(first.contains(#""event":"\#(event)""#) && first.contains("neverSeen"), "\(first)")
      }
    }
  }

  @Test func `a whole clip is rendered as it is, by workers who were told its length`() throws {
    try EditFixture.with { folder in
      try EditFixture.write("edit.json", replacing: #", "source": {"start": "0", "duration": "1"}"#, with: "", in: folder)
      let run = try SpoolProgram.run("render", "edit.json", "-o", "movie.mkv", "--data", "data", folder: folder)
      #expect(run.code == 0, "\(run.errorOutput)")
      #expect(try EditFixture.frameDigests(of: folder + "/movie.mkv") == EditFixture.frameDigests(of: folder + "/clip.mkv"))
    }
  }
}
