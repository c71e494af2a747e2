import FarmTesting
import Subprocess
import Testing

/// Documents that `spool render` refuses, whatever their media are. Each refusal is one line that names the place.
@Suite struct `Refused documents` {
  struct Refusal: CustomTestStringConvertible {
    let old: String
    let new: String
    /// The text after "error: edit.json: ".
    let complaint: String

    init(_ old: String, _ new: String, _ complaint: String) { (self.old, self.new, self.complaint) = (old, new, complaint) }

    var testDescription: String { complaint }
  }

  private static func instructions(_ ranges: String..., layer: String = #"{"track": "picture"}"#) -> String {
    let list = ranges.map { #"{"timeRange": {\#($0)}, "layerInstructions": [\#(layer)]}"# }.joined(separator: ",")
    return #""videoComposition": {"renderSize": [64, 48], "frameDuration": "1/25", "instructions": [\#(list)]}, "export""#
  }

  private static let segment = "composition.tracks[0].segments[0]"

  @Test(arguments: [
    Refusal(#""spool": 1"#, #""spool": 2"#, "spool: expected 1, the only version of documents that there is"),
    Refusal(#""spool": 1"#, #""spool": 1, "colour": 2"#, "colour: unknown key"),
    Refusal(#""spool": 1"#, #""spool": 1, "spool": 1"#, "spool: line 1, column 14: the key occurs twice"),
    Refusal(
      #""asset": "clip""#, #""asset": "clop""#, segment + ".asset: no asset 'clop' (did you mean 'clip'?)"),
    Refusal(#""duration": "1""#, #""duration": "0""#, segment + ".source.duration: must be positive"),
    Refusal(#""duration": "1""#, #""duration": "-1""#, segment + ".source.duration: must be positive"),
    Refusal(#""duration": "1""#, #""duration": NaN"#, segment + ".source.duration: line 3, column 59: 'NaN' is not a JSON value"),
    Refusal(
      #""duration": "1""#, #""duration": -Infinity"#,
      segment + ".source.duration: line 3, column 59: '-Infinity' is not a JSON number"),
    Refusal(
      #""duration": "1""#, #""duration": 1e999"#,
      segment + #".source.duration: 1e999 is not a whole number of seconds: write an exact time as a string, such as "12.5""#),
    Refusal(
      #""duration": "1""#, #""duration": "99999999999999999999999""#,
      segment + ".source.duration: time out of range: 99999999999999999999999/1 s"),
    Refusal(
      #""export""#, instructions(#""start": "0", "duration": "0.6""#, #""start": "0.5", "duration": "0.5""#),
      "videoComposition.instructions[1].timeRange.start: 0.5 overlaps the previous instruction, which ends at 0.6"),
    Refusal(
      #""export""#, instructions(#""start": "0", "duration": "0.5""#, #""start": "30001/60000", "duration": "29999/60000""#),
      "videoComposition.instructions[1].timeRange.start: 30001/60000 leaves a gap: the instructions before it end at 0.5"),
    Refusal(
      #""export""#, instructions(#""start": "0", "duration": "59999/60000""#),
      "videoComposition.instructions: the last one ends at 59999/60000, but the edit ends at 1"),
    Refusal(
      #""export""#, instructions(#""start": "0", "duration": "1""#, layer: #"{"track": "sound"}"#),
      "videoComposition.instructions[0].layerInstructions[0].track: no track 'sound'"),
    Refusal(
      #""fileType": "mkv", "video": {"codec": "ffv1"}"#, #""fileType": "mp4", "audio": {"codec": "mp3"}"#,
      "export.fileType: mp4 cannot hold mp3 audio: use mov, mpegts or mp3"),
    Refusal(
      #""fileType": "mkv""#, #""fileType": "flv""#,
      "export.fileType: 'flv' is not one of mp4, mov, mkv, webm, mxf, mpegts, avi, cmaf, gif, apng, webp, pngSequence, jpegSequence, tiffSequence, m4a, mp3, wav, aiff, flac, ogg"
    ),
    Refusal(#""clip.mkv""#, #""""#, "assets.clip.path: must not be empty"),
    Refusal(EditFixture.document, "", "line 1, column 1: expected a value, found the end"),
    Refusal(EditFixture.document, "[]", "expected an object, found an array"),
    Refusal(
      EditFixture.document, #"{"spool": 1, "assets": {"#,
      "assets: line 1, column 25: expected a key in double quotes, found the end"),
    Refusal(EditFixture.document, "\u{feff}{}", "line 1, column 1: a byte order mark is not JSON"),
  ])
  func `a fault is named with its place`(refusal: Refusal) throws {
    try expect("edit.json", refusal.complaint, 65) { folder in
      try EditFixture.document.replacing(refusal.old, with: refusal.new).write(toFile: folder + "/edit.json")
    }
  }

  @Test func `nesting is bounded`() throws {
    let run = try expectRefusal(65) { folder in
      let brackets = String(repeating: "[", count: 1_000_000)
      try EditFixture.document.replacing("1,", with: brackets + ",").write(toFile: folder + "/edit.json")
    }
    #expect(run.errorOutput.hasSuffix(": nested deeper than 80 levels\n") && run.errorOutput.utf8.count < 400)
  }

  @Test func `a document of 100 MB is refused unread`() throws {
    try expect("edit.json", "is larger than 16 MiB", 65) { folder in
      try [UInt8](repeating: UInt8(ascii: " "), count: 100 << 20).write(toFile: folder + "/edit.json")
    }
  }

  @Test func `what is not UTF-8 is named with its place`() throws {
    try expect("edit.json", "composition.tracks[0].id: line 2, column 36: the string is not UTF-8", 65) { folder in
      let bytes = Array(EditFixture.document.utf8)
      let name = try #require(bytes.firstRange(of: Array("picture".utf8)))
      try (bytes[..<name.lowerBound] + [0xe9] + bytes[name.upperBound...]).write(toFile: folder + "/edit.json")
    }
    try expect("edit.json", "line 1, column 1: expected a value, found byte 255", 65) { folder in
      let units = EditFixture.document.utf16.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8(truncatingIfNeeded: $0 >> 8)] }
      try ([0xff, 0xfe] + units).write(toFile: folder + "/edit.json")
    }
  }

  @Test func `a missing document and a directory are input that is missing`() throws {
    try expect("edit.json", "No such file or directory", 66) { _ in }
    try expect("edit.json", "Is a directory", 66) { folder in
      _ = try Command("/bin/mkdir", [folder + "/edit.json"]).run(timeoutMilliseconds: 10_000)
    }
  }

  private func expect(_ document: String, _ complaint: String, _ code: Int32, _ make: (String) throws -> Void) throws {
    let run = try expectRefusal(code, make)
    #expect(run.errorOutput == "error: \(document): \(complaint)\n")
  }

  /// Makes `edit.json` in a folder and renders it. Expects the exit code, no output, and nothing new in the folder.
  private func expectRefusal(_ code: Int32, _ make: (String) throws -> Void) throws -> Completed {
    try TemporaryDirectory.with { folder in
      try EditFixture.writeClip(in: folder)
      try make(folder)
      let before = try names(in: folder)
      let run = try SpoolProgram.run("render", "edit.json", "-o", "movie.mkv", "--data", "data", folder: folder)
      #expect(run.code == code && run.output.isEmpty, "\(run.errorOutput.prefix(500))")
      #expect(try names(in: folder) == before)
      return run
    }
  }
}
