import Document
import Formats
import Scenes
import Testing
import Timeline

@Suite struct `Copying in a document` {
  private func document(_ export: String) -> String {
    let old = "\"export\": {\"preset\": \"highest\", \"fileType\": \"mp4\", \"optimizeForNetworkUse\": true}"
    return Documents.opening.replacing(old, with: "\"export\": {\(export)}")
  }

  @Test(arguments: [
    (
      #""video": {"codec": "av1", "copy": "auto"}"#,
      "export.video.copy: packets of av1 are not copied: use h264, hevc, vp9, prores, dnxhr or mjpeg"
    ),
    (
      #""fileType": "mpegts", "video": {"copy": "require"}"#,
      "export.video.copy: packets are not copied into mpegts: use mp4, mov or mkv"
    ),
    (
      #""fileType": "mov", "video": {"codec": "prores", "profile": "4444", "alpha": true, "copy": "auto"}"#,
      "export.video.copy: packets are not copied into a movie with alpha"
    ),
    (#""video": {"maxBitRate": 1000000, "copy": "auto"}"#, "export.video.copy: packets of sources keep to no maxBitRate"),
    (#""video": {"copy": "always"}"#, "export.video.copy: 'always' is not one of never, auto, require"),
    (#""copies": {"frames": [[5, 5], [9, 2]]}"#, "export.copies.frames[1]: begins before the range before it ends"),
    (#""copies": {"frames": [[5, 0]]}"#, "export.copies.frames[0][1]: 0 is not in 1...360000000"),
  ])
  func `is refused where it cannot be`(export: String, fault: String) {
    #expect(Documents.faults(document(export)).contains(fault))
  }

  @Test func `comes with a preset, unless the file type or the codec does not allow it`() throws {
    #expect(try Document(Array(document(#""preset": "Passthrough""#).utf8)).export.video.copy == .auto)
    for export in [
      #""preset": "Passthrough", "fileType": "mpegts""#, #""preset": "Passthrough", "video": {"codec": "av1"}"#,
      #""preset": "Passthrough", "video": {"maxBitRate": 2000000}"#,
    ] {
      #expect(Documents.faults(document(export)) == [])
      #expect(try Document(Array(document(export).utf8)).export.video.copy == .never)
    }
  }

  @Test func `is kept in the canonical form, with the frames that a submission found`() throws {
    let text = document(
      #""video": {"copy": "require"}, "copies": {"frames": [[0, 12], [40, 3]], "reorderDepth": 2, "parameterSets": 1}"#)
    let canonical = try Documents.canonical(text)
    #expect(try Documents.canonical(canonical) == canonical)
    let export = try Document(Array(canonical.utf8)).export
    #expect(export.copies == CopyPlan(frames: [0..<12, 40..<43], reorderDepth: 2, parameterSetID: 1))
    #expect(export.video.copy == .require)
  }

  @Test func `holds the ranges that lie within one of its own`() {
    let plan = CopyPlan(frames: [10..<20, 20..<30, 40..<50])
    #expect(plan.holds(10..<20) && plan.holds(12..<15) && plan.holds(20..<30) && plan.holds(49..<50))
    #expect(!plan.holds(9..<12) && !plan.holds(15..<25) && !plan.holds(30..<31) && !plan.holds(45..<51))
  }
}
