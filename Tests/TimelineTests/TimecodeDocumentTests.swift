import Document
import Formats
import Scenes
import Testing
import Timeline

@Suite struct `A time code in a document` {
  private func document(_ export: String, frameDuration: String = "1001/30000") -> String {
    let old = "\"export\": {\"preset\": \"highest\", \"fileType\": \"mp4\", \"optimizeForNetworkUse\": true}"
    return Documents.opening.replacing(old, with: "\"export\": {\(export)}")
  }

  @Test(arguments: [
    (
      #""timecode": "1:00:00:00""#,
      "export.timecode: '1:00:00:00' is no time code: write 01:00:00:00, or 01:00:00;00 for drop-frame"
    ),
    (
      #""timecode": "24:00:00:00""#,
      "export.timecode: '24:00:00:00' is no time code: write 01:00:00:00, or 01:00:00;00 for drop-frame"
    ),
    (#""timecode": 5"#, "export.timecode: expected a string, found a number"),
    (#""fileType": "mkv", "timecode": "01:00:00:00""#, "export.timecode: mkv holds no time code: use mp4, mov or mxf"),
    (
      #""fragmentInterval": "2", "timecode": "01:00:00:00""#,
      "export.timecode: a movie in fragments holds no time code: leave fragmentInterval out"
    ),
  ])
  func `is refused where it cannot be`(export: String, fault: String) {
    #expect(Documents.faults(document(export)).contains(fault))
  }

  @Test func `is kept in the canonical form`() throws {
    let canonical = try Documents.canonical(document(#""timecode": "10:00:00;00""#))
    #expect(try Documents.canonical(canonical) == canonical)
    #expect(try Document(Array(canonical.utf8)).export.timecode == "10:00:00;00")
  }
}
