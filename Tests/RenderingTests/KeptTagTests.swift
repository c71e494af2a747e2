import Document
import FarmTesting
import Formats
import FoundationEssentials
import Messages
import Rendering
import Scenes
import Testing
import Timeline

/// Movies with descriptions under keys of the user's own, and with those of their sources, as ffprobe reads them.
@Suite struct `Descriptions of a source and of the user's own` {
  private let workshop = Workshop()

  private init() throws {
    try SyntheticSource(width: 96, height: 64, frameRate: "25", frameCount: 10).write(
      to: workshop.file("a.mov"),
      [
        "-c:v", "libx264", "-movflags", "use_metadata_tags", "-metadata", "creation_time=2024-05-01T10:30:00Z", "-metadata",
        "com.apple.quicktime.make=Maker", "-metadata", "com.apple.quicktime.model=One 2", "-metadata",
        "com.apple.quicktime.location.ISO6709=+35.6586+139.7454+044.1/", "-metadata", "artist=Somebody",
      ])
  }

  private func edit(_ metadata: String, type: String = "mov") throws -> ResolvedTimeline {
    let video = type == "webm" ? #", "video": {"codec": "vp9"}"# : ""
    return try workshop.edit(
      """
      {"spool": 1, "assets": {"a": {"path": "a.mov"}, "b": {"path": "a.mov"}},
       "composition": {"tracks": [{"id": "A", "media": "video", "segments": [{"asset": "a"}]}]},
       "export": {"fileType": "\(type)"\(video), "metadata": {\(metadata)}}}
      """)
  }

  private func fault(_ metadata: String, type: String = "mov") -> String {
    do {
      _ = try edit(metadata, type: type)
      return "none"
    } catch { return "\(error)" }
  }

  /// The tags of a movie's file by their names in lower case.
  private func tags(_ movie: String, _ entries: String = "format_tags") throws -> [String: String] {
    let text = try MediaTools.ffprobe(["-show_entries", entries, "-of", "default=nk=0:nw=1", movie])
    let pairs = text.split(separator: "\n").compactMap { line -> (String, String)? in
      let parts = line.split(separator: "=", maxSplits: 1)
      return parts.count == 2 ? (parts[0].lowercased().replacing("tag:", with: ""), String(parts[1])) : nil
    }
    return Dictionary(pairs) { first, _ in first }
  }

  @Test(arguments: ["mp4", "mov", "mkv", "webm"])
  func `are kept where they are named, and only then`(type: String) throws {
    let none = try edit(#""title": "T""#, type: type)
    #expect(none.facts.values.allSatisfy { $0.words == nil })
    let plain = try tags(workshop.movie(of: none, borders: [0], output: "none.\(type)"))
    #expect(plain["title"] == "T")
    for word in ["Maker", "One 2", "+35", "Somebody", "2024"] { #expect(!plain.values.contains { $0.contains(word) }, "\(word)") }

    let some = try edit(#""title": "T", "from": "a", "keep": ["date", "camera"]"#, type: type)
    #expect(try Timeline.parse(some.timeline.canonicalJSON()) == some.timeline)
    #expect(some.warnings.filter { $0.path.contains("metadata") }.isEmpty)
    let kept = try tags(workshop.movie(of: some, borders: [0], output: "some.\(type)"))
    #expect(kept["make"] == "Maker" && kept["model"] == "One 2" && kept["date"] == "2024-05-01T10:30:00Z", "\(kept)")
    for word in ["+35", "Somebody"] { #expect(!kept.values.contains { $0.contains(word) }, "\(word)") }
    #expect(some.facts.values.allSatisfy { $0.words?.place == nil && $0.words?[.artist] == nil })

    let place = try edit(#""from": "a", "keep": ["location"], "make": "Mine""#, type: type)
    let found = try tags(workshop.movie(of: place, borders: [0], output: "place.\(type)"))
    #expect(found["location"] == "+35.6586+139.7454/" && found["make"] == "Mine" && found["model"] == nil, "\(found)")
  }

  @Test(arguments: ["mp4", "mov", "mkv", "webm"])
  func `stand under keys of the user's own, with a language of the picture`(type: String) throws {
    let edit = try edit(
      #""title": "T 歌", "language": "ja", "custom": {"com.example.take": "7 = é", "com.example.Scene": "12"}"#, type: type)
    #expect(try Timeline.parse(edit.timeline.canonicalJSON()) == edit.timeline)
    let movie = try workshop.movie(of: edit, borders: [0], output: "m.\(type)")
    let found = try tags(movie)
    #expect(found["com.example.take"] == "7 = é" && found["com.example.scene"] == "12", "\(found)")
    #expect((found["title"] ?? found["com.apple.quicktime.title"]) == "T 歌", "\(found)")
    #expect(try tags(movie, "stream_tags")["language"] == "jpn")
  }

  @Test func `that the source does not have are told`() throws {
    let edit = try edit(#""from": "a", "keep": ["copyright", "date"]"#)
    #expect(
      edit.warnings.map(\.description).contains { $0.contains("export.metadata.keep: 'a' has no copyright that could be kept") },
      "\(edit.warnings)")
  }

  @Test func `are refused by their paths where they cannot be held`() {
    let long = String(repeating: "x", count: 5000)
    for (metadata, type, reason) in [
      (#""custom": {"take-1": "x"}"#, "mov", "export.metadata.custom.take-1: a key begins with a letter"),
      (#""custom": {"Title": "x"}"#, "mkv", "export.metadata.custom.Title: is a key that files have already"),
      (#""custom": {"a.b": "x", "A.b": "y"}"#, "mkv", "export.metadata.custom[\"A.b\"]: is another key but for its case"),
      (#""custom": {"a.b": "\#(long)"}"#, "mkv", "export.metadata.custom[\"a.b\"]: longer than 4096 bytes"),
      (#""custom": {"a.b": "x"}"#, "mpegts", "export.metadata.custom: mpegts holds no keys of your own: use mp4, mov, mkv,"),
      (#""make": "x""#, "mpegts", "export.metadata.make: mpegts holds no make"),
      (#""language": "ja""#, "mpegts", "export.metadata.language: mpegts does not say which language a picture is in"),
      (#""keep": ["date"]"#, "mov", "export.metadata.keep: name the asset"),
      (#""from": "a""#, "mov", "export.metadata.from: name what is kept"),
      (#""from": "a", "keep": ["gps"]"#, "mov", "export.metadata.keep[0]: 'gps' is not one of title,"),
      (#""from": "a", "keep": ["composer"]"#, "mov", "export.metadata.keep[0]: mov holds no composer"),
      (#""from": "b", "keep": ["date"]"#, "mov", "export.metadata.from: nothing of 'b' is played or shown"),
    ] { #expect(fault(metadata, type: type).contains(reason), "\(fault(metadata, type: type))") }
  }
}
