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
      "export.video.copy: packets of av1 are not copied: use h264, hevc, vp9, prores, dnxhr, ffv1 or mjpeg"
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
    (#""audio": {"codec": "opus", "copy": "auto"}"#, "export.audio.copy: packets of opus are not copied: use aac"),
    (
      #""fileType": "mpegts", "audio": {"copy": "auto"}"#,
      "export.audio.copy: packets of sound are not copied into mpegts: use mp4, mov or m4a"
    ),
    (
      #""loudness": "podcast", "audio": {"copy": "require"}"#,
      "export.audio.copy: sound that is brought to a loudness is encoded: leave loudness out"
    ),
    (
      #""fragmentInterval": "2", "audio": {"copy": "auto"}"#,
      "export.audio.copy: packets of sound are not copied into fragments: leave fragmentInterval out"
    ),
    (
      #""video": {"fileSize": 50000000}, "audio": {"copy": "auto"}"#,
      "export.audio.copy: packets of sources have the bits that they have: leave fileSize out"
    ),
    (#""copies": {"frames": [], "sound": 0}"#, "export.copies.sound: 0 is not in 1...100000000000"),
    (#""copies": {"frames": [[5, 0]]}"#, "export.copies.frames[0][1]: 0 is not in 1...360000000"),
  ])
  func `is refused where it cannot be`(export: String, fault: String) {
    #expect(Documents.faults(document(export)).contains(fault))
  }

  @Test func `comes with a preset, unless the file type or the codec does not allow it`() throws {
    let usual = try Document(Array(document(#""preset": "Passthrough""#).utf8)).export
    #expect(usual.video.copy == .auto && usual.audio.copy == .auto)
    for export in [
      #""preset": "Passthrough", "fileType": "mpegts""#, #""preset": "Passthrough", "video": {"codec": "av1"}"#,
      #""preset": "Passthrough", "video": {"maxBitRate": 2000000}"#,
    ] {
      #expect(Documents.faults(document(export)) == [])
      #expect(try Document(Array(document(export).utf8)).export.video.copy == .never)
    }
    for export in [
      #""preset": "Passthrough", "fileType": "mpegts""#, #""preset": "Passthrough", "audio": {"codec": "alac"}"#,
      #""preset": "Passthrough", "loudness": "podcast""#, #""preset": "Passthrough", "fragmentInterval": "2""#,
    ] {
      #expect(Documents.faults(document(export)) == [])
      #expect(try Document(Array(document(export).utf8)).export.audio.copy == .never)
    }
  }

  @Test func `is kept in the canonical form, with the frames that a submission found`() throws {
    let text = document(
      #""video": {"copy": "require"}, "audio": {"copy": "auto"}, "#
        + #""copies": {"frames": [[0, 12], [40, 3]], "reorderDepth": 2, "parameterSets": 1, "sound": 96000, "priming": 1024}"#)
    let canonical = try Documents.canonical(text)
    #expect(try Documents.canonical(canonical) == canonical)
    let export = try Document(Array(canonical.utf8)).export
    #expect(
      export.copies
        == CopyPlan(
          frames: [0..<12, 40..<43], reorderDepth: 2, parameterSetID: 1, soundSampleCount: 96_000, soundPriming: 1024))
    #expect(export.video.copy == .require && export.audio.copy == .auto)
  }

  @Test func `holds the ranges that lie within one of its own`() {
    let plan = CopyPlan(frames: [10..<20, 20..<30, 40..<50])
    #expect(plan.holds(10..<20) && plan.holds(12..<15) && plan.holds(20..<30) && plan.holds(49..<50))
    #expect(!plan.holds(9..<12) && !plan.holds(15..<25) && !plan.holds(30..<31) && !plan.holds(45..<51))
  }
}
