import Captions
import Document
import EditFiles
import FarmTesting
import Formats
import FoundationEssentials
import MediaTime
import Scenes
import Testing
import Timeline

/// Captions from files on disk to measured pages and frames.
@Suite struct `Captions of an edit` {
  private let workshop = Workshop()

  private func edit(_ captions: String, seconds: Int = 2) throws -> EditFile {
    if !FileManager.default.fileExists(atPath: workshop.file("a.mp4")) { try workshop.clip("a.mp4", frameCount: 10) }
    try """
    {"spool": 1, "assets": {"a": {"path": "a.mp4"}},
     "composition": {"tracks": [{"id": "v", "media": "video", "segments": [
       {"asset": "a", "source": {"duration": "0.4"}, "duration": "\(seconds)"}]}]},
     "videoComposition": {"renderSize": [160, 90], "frameDuration": "1/5", "color": "bt709",
       "instructions": [{"layerInstructions": []}]},
     "captions": [\(captions)]}
    """.write(toFile: workshop.file("edit.json"))
    return try workshop.editFile()
  }

  private let style = #""style": {"font": "DejaVu Sans", "size": 10}"#

  private func faults(_ captions: String) -> String {
    do {
      _ = try edit(captions)
      return "none"
    } catch EditFileError.captions(_, let faults) {
      return faults.map { ($0.isMissing ? "missing: " : "") + $0.description }.joined()
    } catch { return "\(error)" }
  }

  @Test func `a file's cues travel with the edit, in pages that are not measured again`() throws {
    try "1\n00:00:00,200 --> 00:00:01,800\nOne two three four five six seven eight nine ten eleven twelve\n\nstray\n"
      .write(toFile: workshop.file("a.srt"))
    let file = try edit(#"{"file": "a.srt", "maxLines": 1, \#(style)}"#)
    let cues = try #require(file.edit.timeline.captions.first?.cues)
    #expect(cues.count > 2 && cues.allSatisfy { $0.frame != nil && !$0.text.contains("\n") })
    #expect(cues.map(\.text).joined(separator: " ") == "One two three four five six seven eight nine ten eleven twelve")
    #expect(try cues[0].range.start == MediaTime(1, 5) && cues.last?.range.end == MediaTime(9, 5))
    #expect(zip(cues, cues.dropFirst()).allSatisfy { $0.range.end == $1.range.start })
    #expect(
      file.warnings.filter { $0.kind == .captions }.map(\.description) == [
        "captions[0].file: line 5: belongs to no cue, and is left out: 'stray'"
      ])
    #expect(file.fonts.map(\.family) == ["DejaVu Sans"])
    try file.edit.timeline.canonicalJSON().write(toFile: workshop.file("again.json"))
    #expect(try workshop.editFile(workshop.file("again.json")).edit.timeline == file.edit.timeline)
  }

  @Test func `files are read below the media roots, in the encoding that is declared`() throws {
    try [UInt8]([0x5b, 0x30, 0x30, 0x3a, 0x30, 0x30, 0x5d, 0x63, 0x61, 0x66, 0xe9]).write(toFile: workshop.file("a.lrc"))
    #expect(faults(#"{"file": "a.lrc", \#(style)}"#).contains("declare its encoding"))
    let read = try edit(#"{"file": "a.lrc", "encoding": "windows-1252", \#(style)}"#)
    #expect(read.edit.timeline.captions[0].cues.map(\.text) == ["café"])
    let cyrillic = try edit(#"{"file": "a.lrc", "encoding": "windows-1251", \#(style)}"#)
    #expect(cyrillic.edit.timeline.captions[0].cues.map(\.text) == ["cafй"])
    #expect(faults(#"{"file": "a.lrc", "encoding": "shift_jis", \#(style)}"#).contains("is not in shift_jis"))
    #expect(faults(#"{"file": "/etc/passwd.srt", \#(style)}"#).contains("missing: "))
    #expect(faults(#"{"file": "none.srt", \#(style)}"#).contains("missing: "))
    #expect(faults(#"{"file": "a.mp4", \#(style)}"#).contains("ends with .srt"))
    try [UInt8](repeating: 0x0a, count: CaptionLimits.byteCount + 1).write(toFile: workshop.file("large.srt"))
    #expect(faults(#"{"file": "large.srt", \#(style)}"#).contains("is larger than 8 MiB"))
  }

  @Test func `cues that are shown together do not lie on each other, and words have places`() throws {
    let file = try edit(
      """
      {"place": "bottom", \(style), "highlight": {"color": "#ffff00"}, "cues": [
        {"from": "0", "to": "2", "text": "lower"},
        {"from": "1", "to": "2", "text": "upper one", "words": [{"at": "1", "text": "upper"}, {"at": "1.5", "text": "one"}]}]}
      """)
    let cues = file.edit.timeline.captions[0].cues
    let (lower, upper) = (try #require(cues[0].frame), try #require(cues[1].frame))
    #expect(upper.maxY <= lower.y && lower.maxY <= 90 * 0.95 + 1)
    let words = cues[1].words.compactMap(\.frame)
    #expect(words.count == 2 && words[0].maxX <= words[1].x && words[1].maxX <= upper.maxX + 1 && words[0].x >= upper.x - 1)
    #expect(try file.edit.scene(at: 5) == file.edit.scene(at: 6))
    #expect(try file.edit.scene(at: 7).nodes != file.edit.scene(at: 8).nodes)
  }

  @Test func `a cue stands above all pages that it is shown with`() throws {
    let long = "One two three four five six seven eight nine ten eleven twelve thirteen fourteen"
    let file = try edit(
      #"{"place": "bottom", "maxLines": 1, \#(style), "cues": [{"from": "0", "to": "2", "text": "\#(long)"}, {"from": "0.1", "to": "2", "text": "x"}]}"#
    )
    let cues = file.edit.timeline.captions[0].cues
    let last = try #require(cues.first { $0.text == "x" }?.frame)
    let pages = cues.filter { $0.text != "x" }.compactMap(\.frame)
    #expect(pages.count > 1 && pages.allSatisfy { last.maxY <= $0.y })
  }

  @Test func `a missing character is a fault`() {
    #expect(faults(#"{"cues": [{"from": "0", "to": "1", "text": "歌"}], \#(style)}"#).contains("cue 1, at 0 s"))
  }

  @Test func `five thousand cues are measured once, and found quickly`() throws {
    let cues = (0..<5000).map { #"{"from": "\#($0)/2500", "to": "\#($0 + 1)/2500", "text": "Cue number \#($0)"}"# }
    let clock = ContinuousClock()
    var file: EditFile?
    let measuring = try clock.measure { file = try self.edit(#"{"cues": [\#(cues.joined(separator: ","))], \#(style)}"#) }
    let edit = try #require(file).edit
    let finding = try clock.measure { for _ in 0..<100 { for frame in 0..<10 { _ = try edit.scene(at: frame) } } }
    #expect(try edit.scene(at: 5).nodes.count == 1)
    print("5,000 cues: \(measuring) to read and measure, \(finding / 1000) for a scene")
  }
}
