import FarmTesting
import Glibc
import Subprocess
import Testing

/// Media that `spool render` refuses before it renders. Each refusal is one line that names the asset or the segment.
@Suite struct `Refused media` {
  struct Refusal: CustomTestStringConvertible {
    let name: String
    let code: Int32
    /// The expected complaint. FOLDER stands for the folder's path.
    let complaint: String
    let make: @Sendable (_ path: String) throws -> Void

    init(_ name: String, _ code: Int32, _ complaint: String, _ make: @escaping @Sendable (String) throws -> Void = { _ in }) {
      (self.name, self.code, self.complaint, self.make) = (name, code, complaint, make)
    }

    var testDescription: String { name }
  }

  /// Writes two seconds of H.264 and AAC. `flags` decide where the index is.
  private static func write(_ path: String, keeping share: Double = 1, _ flags: String...) throws {
    try MediaTools.ffmpeg(
      [
        "-f", "lavfi", "-i", "testsrc2=s=64x48:r=25:d=2", "-f", "lavfi", "-i", "sine=r=48000:d=2", "-c:v", "libx264", "-c:a",
        "aac",
      ]
        + flags + [path])
    let bytes = try [UInt8](contentsOf: path)
    try Array(bytes.prefix(Int(Double(bytes.count) * share))).write(toFile: path)
  }

  @Test(arguments: [
    Refusal("missing.mp4", 66, "assets.clip: FOLDER/missing.mp4: No such file or directory"),
    Refusal("directory.mp4", 66, "assets.clip: FOLDER/directory.mp4: is a directory") { try run("/bin/mkdir", $0) },
    Refusal("pipe.mp4", 66, "assets.clip: FOLDER/pipe.mp4: is not a regular file") { try run("/usr/bin/mkfifo", $0) },
    Refusal("empty.mp4", 66, "assets.clip: FOLDER/empty.mp4: is empty") { try "".write(toFile: $0) },
    Refusal("text.mp4", 65, "assets.clip: FOLDER/text.mp4: is no media file, or too damaged to be known as one") {
      try "no movie".write(toFile: $0)
    },
    Refusal(
      "indexless.mp4", 65,
      "assets.clip: FOLDER/indexless.mp4: is cut off or damaged: it begins as mp4 or mov, but cannot be read as such"
    ) { try write($0, keeping: 0.5) },
    Refusal(
      "half.mp4", 65,
      "edit.json: composition.tracks[0].segments[0].source: ends at 1, but the file of asset 'clip' is cut off at "
    ) { try write($0, keeping: 0.4, "-movflags", "+faststart") },
    Refusal("zero.mp4", 65, "assets.clip: FOLDER/zero.mp4: has no tracks") { try write($0, "-t", "0") },
    Refusal(
      "short.mp4", 65, "edit.json: composition.tracks[0].segments[0].source: ends at 1, but asset 'clip' lasts 0.96"
    ) { try write($0, "-t", "0.96") },
    Refusal(
      "encrypted.mp4", 65,
      "edit.json: composition.tracks[0].segments[0].asset: asset 'clip' has no video track that can be played (stream 0 (h264): is encrypted)"
    ) {
      try write(
        $0, "-encryption_scheme", "cenc-aes-ctr", "-encryption_key", "76a6c65c5ea762046bd749a2e632ccbb", "-encryption_kid",
        "a7e61c373e219033c21091fa607bf3b8")
    },
    Refusal("sound.wav", 65, "edit.json: composition.tracks[0].segments[0].asset: asset 'clip' has no video track") {
      try MediaTools.ffmpeg(["-f", "lavfi", "-i", "sine=d=1", $0])
    },
    Refusal("list.m3u8", 65, "assets.clip: FOLDER/list.m3u8: looks like hls, which is not accepted as a source") {
      try "#EXTM3U\n#EXT-X-TARGETDURATION:2\n#EXTINF:2,\n/etc/passwd\n#EXT-X-ENDLIST\n".write(toFile: $0)
    },
    Refusal("list.ffconcat", 65, "assets.clip: FOLDER/list.ffconcat: looks like concat, which is not accepted as a source") {
      try "ffconcat version 1.0\nfile /etc/passwd\n".write(toFile: $0)
    },
    Refusal("concat:a.mp4", 66, "assets.clip: FOLDER/concat:a.mp4: No such file or directory"),
  ])
  func `a file that cannot be played is named with its asset`(refusal: Refusal) throws {
    try TemporaryDirectory.with { folder in
      try refusal.make(folder + "/" + refusal.name)
      try EditFixture.write("edit.json", replacing: "clip.mkv", with: refusal.name, in: folder)
      try expect("error: " + refusal.complaint.replacing("FOLDER", with: folder), refusal.code, in: folder)
    }
  }

  @Test(
    arguments: [
      (
        #""duration": "1""#, #""duration": "5""#, 65,
        "edit.json: composition.tracks[0].segments[0].source: ends at 5, but asset 'clip' lasts 1"
      ),
      (
        #""media": "video""#, #""media": "audio""#, 65,
        "edit.json: composition.tracks[0].segments[0].asset: asset 'clip' has no audio track"
      ),
      (
        #""asset": "clip","#, #""asset": "clip", "sourceTrack": 3,"#, 65,
        "edit.json: composition.tracks[0].segments[0].sourceTrack: asset 'clip' has 1 video track; positions count from 0, so there is no 3"
      ),
      (
        #""export""#, #""layers": [{"image": "clip"}], "export""#, 65,
        "edit.json: layers[0].image: asset 'clip' is no still picture, but matroska,webm"
      ),
      (
        #""export""#, #""layers": [{"text": "hi", "font": "No Such Font", "size": 9}], "export""#, 66,
        "edit.json: layers[0]: font 'No Such Font' is not installed ('fc-list : family' lists those that are)"
      ),
      (
        #""asset": "clip", "source": {"start": "0", "duration": "1"}}]}]},"#,
        #"""
        "composition": "inner", "source": {"start": "0", "duration": "1"}}]}]},
        "compositions": {"inner": {"tracks": [{"id": "p", "media": "video", "segments": [
          {"asset": "clip", "source": {"start": "0", "duration": "1"}}]}],
          "layers": [{"text": "hi", "font": "No Such Font", "size": 9}]}},
        """#, 66,
        "edit.json: compositions.inner.layers[0]: font 'No Such Font' is not installed ('fc-list : family' lists those that are)"
      ),
      (
        #""export""#, #""layers": [{"text": "\udbfc\udd23", "font": "DejaVu Sans", "size": 9}], "export""#, 65,
        "edit.json: layers[0]: font 'DejaVu Sans' lacks '\u{10f123}' (U+10F123): no installed font has that"
      ),
      (
        #""export""#, #""layers": [{"text": "a歌", "font": "DejaVu Sans", "language": "ja", "size": 9}], "export""#, 65,
        "edit.json: layers[0]: font 'DejaVu Sans' lacks '歌' (U+6B4C): put one that has it into the list of fonts, such as FAMILIES"
      ),
      (
        #""export""#, #""layers": [{"text": "a", "font": ["IPAPGothic", "DejaVu Snas"], "size": 9}], "export""#, 66,
        "edit.json: layers[0]: font 'DejaVu Snas' is not installed (did you mean 'DejaVu Sans'?) ('fc-list : family' lists those that are)"
      ),
    ] as [(String, String, Int32, String)])
  func `an edit that asks of its media what they lack is refused`(old: String, new: String, code: Int32, complaint: String) throws
  {
    try EditFixture.with { folder in
      try EditFixture.write("edit.json", replacing: old, with: new, in: folder)
      // Which fonts have the character depends on the machine.
      let families = try MediaTools.fontFamilies(having: "歌").prefix(3).map { "'\($0)'" }.joined(separator: ", ")
      try expect("error: " + complaint.replacing("FAMILIES", with: families) + "\n", code, in: folder)
    }
  }

  @Test func `a picture has no sound`() throws {
    try TemporaryDirectory.with { folder in
      try MediaTools.ffmpeg(["-f", "lavfi", "-i", "testsrc2=s=64x48", "-frames:v", "1", folder + "/still.png"])
      let document = EditFixture.document.replacing("clip.mkv", with: "still.png").replacing(
        #""video", "seg"#, with: #""audio", "seg"#)
      try document.write(toFile: folder + "/edit.json")
      try expect("error: edit.json: composition.tracks[0].segments[0].asset: asset 'clip' has no audio track\n", 65, in: folder)
    }
  }

  @Test func `media roots hold, whatever links say, and must be there`() throws {
    try EditFixture.with { folder in
      try run("/bin/mkdir", folder + "/roots")
      try run("/bin/ln", "-s", "../clip.mkv", folder + "/roots/link.mkv")
      try EditFixture.write("edit.json", replacing: "clip.mkv", with: "roots/link.mkv", in: folder)
      try expect(
        "error: assets.clip: \(folder)/roots/link.mkv: lies outside the media roots\n", 66, in: folder, ["--media-root", "roots"])
      try expect("error: nowhere: No such file or directory\n", 66, in: folder, ["--media-root", "nowhere"])
    }
  }

  @Test(.enabled("needs root") { geteuid() == 0 })
  func `root's render follows no link out of the folders of its document and media, unless it is told where media lie`() throws {
    try EditFixture.with { folder in
      try TemporaryDirectory.with { elsewhere in
        try run("/bin/cp", folder + "/clip.mkv", elsewhere)
        try run("/bin/ln", "-s", elsewhere + "/clip.mkv", folder + "/link.mkv")
        try EditFixture.write("edit.json", replacing: "clip.mkv", with: "link.mkv", in: folder)
        try expect("error: assets.clip: \(folder)/link.mkv: lies outside the media roots\n", 66, in: folder)
        let told = ["render", "edit.json", "-o", "movie.mkv", "--data", "data", "--media-root", "/"]
        #expect(try SpoolProgram.run(told, folder: folder).code == 0)
      }
    }
  }

  /// Renders `edit.json` and expects the exit code, one line that begins with the complaint, and nothing new in the folder.
  private func expect(_ complaint: String, _ code: Int32, in folder: String, _ options: [String] = []) throws {
    let before = try names(in: folder)
    let run = try SpoolProgram.run(
      ["render", "edit.json", "-o", "movie.mkv", "--data", "data"] + options, folder: folder)
    #expect(run.code == code && run.output.isEmpty)
    #expect(run.errorOutput.hasPrefix(complaint) && run.errorOutput.count(where: \.isNewline) == 1, "\(run.errorOutput)")
    #expect(try names(in: folder) == before)
  }
}

private func run(_ words: String...) throws {
  let done = try #require(try Command(words[0], Array(words.dropFirst())).run(timeoutMilliseconds: 10_000))
  try #require(done.status == .exited(0), "\(done.errorOutput)")
}

/// The sorted names of a folder's content, with hidden files.
func names(in folder: String) throws -> [String] {
  let listing = try #require(try Command("/bin/ls", ["-A", folder]).run(timeoutMilliseconds: 10_000))
  return listing.output.split(separator: "\n").map(String.init)
}
