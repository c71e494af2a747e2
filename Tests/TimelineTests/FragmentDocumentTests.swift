import Document
import Formats
import MediaTime
import Scenes
import Testing
import Timeline

@Suite struct `Fragments in a document` {
  private func document(_ export: String) -> String {
    let old = "\"export\": {\"preset\": \"highest\", \"fileType\": \"mp4\", \"optimizeForNetworkUse\": true}"
    return Documents.opening.replacing(old, with: "\"export\": {\(export)}")
  }

  @Test(arguments: [
    (
      #""fileType": "mkv", "fragmentInterval": "2""#,
      "export.fragmentInterval: mkv is not written in fragments: use mp4, mov, cmaf or m4a"
    ),
    (#""fragmentInterval": "0""#, "export.fragmentInterval: must be positive"),
    (#""fragmentInterval": "1/20""#, "export.fragmentInterval: a fragment lasts from 0.1 to 60 s"),
    (#""fragmentInterval": 61"#, "export.fragmentInterval: a fragment lasts from 0.1 to 60 s"),
    (
      #""fileType": "mov", "fragmentInterval": "2", "audio": {"codec": "pcm"}"#,
      "export.fragmentInterval: pcm audio does not stand in fragments of mov: use aac or alac"
    ),
    (
      #""fragmentInterval": "2", "audio": {"codec": "opus"}"#,
      "export.fragmentInterval: opus audio does not stand in fragments of mp4: use aac or alac"
    ),
    (
      #""fileType": "mov", "fragmentInterval": "2", "video": {"codec": "dnxhr"}"#,
      "export.fragmentInterval: dnxhr video does not stand in fragments of mov: use h264, hevc or prores"
    ),
    (
      #""fragmentInterval": "2", "chapters": [{"at": "0", "title": "One"}]"#,
      "export.chapters: a movie in fragments holds no chapters: leave fragmentInterval out"
    ),
  ])
  func `are refused where they cannot be`(export: String, fault: String) {
    #expect(Documents.faults(document(export)).contains(fault))
  }

  @Test func `are kept in the canonical form, and counted in whole frames`() throws {
    let canonical = try Documents.canonical(document(#""fragmentInterval": "2.0""#))
    #expect(try Documents.canonical(canonical) == canonical)
    let export = try Document(Array(canonical.utf8)).export
    #expect(export.fragmentInterval == (try MediaTime(2)))
    #expect(export.forcedKeyInterval(try MediaTime(1001, 30_000)) == 60)
    #expect(export.forcedKeyInterval(try MediaTime(1, 25)) == 50)
    #expect(export.forcedKeyInterval(try MediaTime(5)) == 1)
  }

  @Test(arguments: [
    ("mkv", nil), ("mpegts", nil), ("wav", nil), ("mp4", "mp4 is read from its end: "), ("mxf", "mxf is read from its end: "),
    ("pngSequence", "pngSequence is a folder of pictures, "), ("cmaf", "cmaf is a folder of pieces, "),
  ])
  func `or a file type from front to back, go to a pipe`(type: String, reason: String?) throws {
    let export = try Document(Array(document("\"fileType\": \"\(type)\"").utf8)).export
    #expect(reason.map { export.objectionToPipe?.hasPrefix($0) == true } ?? (export.objectionToPipe == nil))
    let early = try Document(Array(document(#""fragmentInterval": "2""#).utf8)).export
    #expect(early.objectionToPipe == nil)
  }
}
