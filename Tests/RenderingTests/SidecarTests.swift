import Document
import FarmTesting
import FoundationEssentials
import Glibc
import Messages
import Rendering
import Scenes
import Subprocess
import Testing
import Timeline

/// Files of captions beside movies, from documents to published files.
@Suite struct `Captions in a file beside a movie` {
  private let workshop = Workshop()

  private init() throws { try workshop.clip("a.mp4", frameCount: 25) }

  private func document(_ captions: String, export: String = #""preset": "lossless""#) -> String {
    """
    {"spool": 1, "assets": {"a": {"path": "a.mp4"}},
     "composition": {"tracks": [{"id": "A", "media": "video", "segments": [{"asset": "a", "source": {"duration": "1"}}]}]},
     "captions": [\(captions)], "export": {\(export)}}
    """
  }

  private func edit(_ captions: String, export: String = #""preset": "lossless""#) throws -> ResolvedTimeline {
    try workshop.edit(document(captions, export: export))
  }

  private func faults(_ captions: String) -> String {
    do {
      _ = try edit(captions)
      return "none"
    } catch { return "\(error)" }
  }

  private let german = #""style": {"font": "DejaVu Sans", "size": 8, "language": "de"}"#
  private let cues =
    #""cues": [{"from": "0.2", "to": "0.6", "text": "Eins & zwei"}, {"from": "0.5", "to": "9", "text": "drei", "place": "top"}]"#
  private let wanted = """
    WEBVTT

    00:00:00.200 --> 00:00:00.600
    Eins &amp; zwei

    00:00:00.500 --> 00:00:01.000 line:0
    drei

    """

  private func text(_ name: String) throws -> String {
    String(decoding: try [UInt8](contentsOf: workshop.file(name)), as: UTF8.self)
  }

  private var hidden: [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: workshop.file(""))) ?? []).filter { $0.hasPrefix(".") }
  }

  @Test func `are named for the movie and their language, or as they say, and are read by ffmpeg`() throws {
    let long = (1...60).map { "word\($0)" }.joined(separator: " ")
    let edit = try edit(
      """
      {\(cues), \(german), "as": "sidecar"},
      {"cues": [{"from": "0", "to": "1", "text": "\(long)"}], "style": {"font": "DejaVu Sans", "size": 8}, "maxLines": 1,
       "sidecar": "own name.vtt"}
      """, export: #""preset": "lossless", "checksum": "sha256""#)
    // What is drawn is measured in pages, and what is written is not.
    #expect(edit.timeline.captions.map(\.cues.count).first == 2 && edit.timeline.captions[1].cues.count > 2)
    #expect(edit.timeline.captions.map(\.showing) == [.sidecar, .picture, .sidecar])
    #expect(try Timeline.parse(edit.timeline.canonicalJSON()) == edit.timeline)
    _ = try workshop.movie(of: edit, borders: [0, 13], output: "m.v2.mkv")
    #expect(try text("m.v2.de.vtt") == wanted)
    #expect(try text("own name.vtt").hasSuffix("--> 00:00:01.000\n\(long)\n"))
    let sums = Command("/usr/bin/sha256sum", ["--check", "--strict", "m.v2.mkv.sha256"], workingDirectory: workshop.file(""))
    let run = try #require(try sums.run(timeoutMilliseconds: 60_000))
    #expect(run.code == 0 && run.output == "m.v2.mkv: OK\nm.v2.de.vtt: OK\nown name.vtt: OK\n")
    try MediaTools.ffmpeg(["-i", workshop.file("m.v2.de.vtt"), workshop.file("read.srt")])
    let read = try text("read.srt").replacing("\r\n", with: "\n")
    #expect(read.contains("00:00:00,200 --> 00:00:00,600\nEins & zwei\n"))
    #expect(read.contains("00:00:00,500 --> 00:00:01,000\ndrei\n"))
    let streams = try MediaTools.ffprobe(["-show_entries", "stream=codec_type", "-of", "csv=p=0", workshop.file("m.v2.mkv")])
    #expect(streams == "video\n")
    #expect(hidden.isEmpty)
  }

  @Test func `count their times from the beginning of the part that is exported`() throws {
    let edit = try edit(
      "{\(cues), \(german), \"as\": \"both\", \"sidecar\": true}",
      export: #""fileType": "mkv", "video": {"codec": "ffv1"}, "timeRange": {"start": "0.4", "duration": "0.4"}"#)
    _ = try workshop.movie(of: edit, borders: [0], output: "m.mkv")
    #expect(
      try text("m.de.vtt")
        == "WEBVTT\n\n00:00:00.000 --> 00:00:00.200\nEins &amp; zwei\n\n00:00:00.100 --> 00:00:00.400 line:0\ndrei\n")
    let streams = try MediaTools.ffprobe(["-show_entries", "stream=codec_type", "-of", "csv=p=0", workshop.file("m.mkv")])
    #expect(streams == "video\nsubtitle\n")
  }

  @Test(arguments: [#""preset": "lossless""#, #""fileType": "pngSequence""#])
  func `are there again after a crash that came before them`(export: String) throws {
    let edit = try edit("{\(cues), \(german), \"as\": \"sidecar\"}", export: export + #", "checksum": "md5""#)
    let picture = try workshop.run(.picture(FrameRange(first: 0, count: 25)), task: 1, of: edit, output: "m")
    let muxed = try workshop.run(.mux(of: [picture]), task: 2, of: edit, output: "m")
    for attempt in 1...2 {
      try workshop.run(.publish(of: muxed), task: 3, attempt: attempt, of: edit, output: "m", overwrites: attempt == 1)
      #expect(try text("m.de.vtt") == wanted)
      #expect(try text("m.md5").hasSuffix("  m.de.vtt\n"))
      #expect(unsafe unlink(workshop.file("m.de.vtt")) == 0 && unlink(workshop.file("m.md5")) == 0)
    }
    #expect(hidden.isEmpty)
  }

  @Test func `that would replace another file keep the movie from being published`() throws {
    let edit = try edit("{\(cues), \(german), \"as\": \"sidecar\"}")
    let picture = try workshop.run(.picture(FrameRange(first: 0, count: 25)), task: 1, of: edit, output: "m.mkv")
    let muxed = try workshop.run(.mux(of: [picture]), task: 2, of: edit, output: "m.mkv")
    try "precious".write(toFile: workshop.file("m.de.vtt"))
    let error = #expect(throws: Failure.self) {
      try workshop.run(.publish(of: muxed), task: 3, of: edit, output: "m.mkv", overwrites: false)
    }
    #expect(error?.place.hasSuffix("m.de.vtt") == true, "\(String(describing: error))")
    #expect(try text("m.de.vtt") == "precious")
    #expect(unsafe access(workshop.file("m.mkv"), F_OK) == -1)
    try workshop.run(.publish(of: muxed), task: 3, attempt: 2, of: edit, output: "m.mkv", overwrites: true)
    #expect(try text("m.de.vtt") == wanted)
  }

  @Test func `of a SubStation script have its texts`() throws {
    let event = "Dialogue: 0:00:00.10,0:00:00.50,{\\\\b1}One{\\\\b0} two\\n"
    let script = "[Script Info]\\n[Events]\\nFormat: Start, End, Text\\n\(event)"
    let edit = try edit("{\"script\": \"\(script)\", \"as\": \"sidecar\", \"sidecar\": \"s.vtt\"}")
    _ = try workshop.movie(of: edit, borders: [0], output: "m.mkv")
    #expect(try text("s.vtt") == "WEBVTT\n\n00:00:00.100 --> 00:00:00.500\n<b>One</b> two\n")
  }

  @Test func `are refused where two are one, and by names that are none`() {
    let two = "{\(cues), \(german), \"as\": \"sidecar\"}, {\(cues), \(german), \"sidecar\": true}"
    #expect(faults(two).contains("captions[1].sidecar: is the same file as that of captions[0]"))
    for (name, reason) in [
      ("sub/a.vtt", "without a folder"), ("a.srt", "ends in .vtt"), (".a.vtt", "hidden files"), ("", "must not be empty"),
    ] {
      #expect(faults("{\(cues), \(german), \"sidecar\": \"\(name)\"}").contains(reason), "\(name)")
    }
    #expect(faults("{\(cues), \(german), \"as\": \"sidecar\", \"sidecar\": false}").contains("leave this out"))
    #expect(faults("{\(cues), \(german), \"sidecar\": 3}").contains("true or the name of a file"))
  }
}
