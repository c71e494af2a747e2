import EditTesting
import Document
import Formats
import MediaTime
import Scenes
import Testing
import Timeline

/// Sound that is as long as its file type counts, sound that is longer, and its chapters.
@Suite struct `Sound that a file cannot count` {
  @Test(arguments: [
    // (2^32 - 2^16) / (48,000 * 2 * 3) = 14,912.8 s.
    ("aiff", "", 14_912, 14_913, "aiff holds at most 715816960 samples of 6 bytes, not 715824000: use wav"),
    ("aiff", #""sampleFormat": "int16", "channelLayout": "mono""#, 44_738, 44_739, "samples of 2 bytes"),
    ("mov", #""codec": "pcm", "sampleRate": 192000"#, 22_369, 22_370, "mov holds at most 4294967295 samples of pcm"),
  ])
  func `is refused before anything is rendered, and what would do is named`(
    fileType: String, audio: String, fitting: Int64, excessive: Int64, words: String
  ) {
    #expect(faults(fileType, audio, fitting) == "")
    let found = faults(fileType, audio, excessive)
    #expect(found.contains("export.fileType: ") && found.contains(words), "\(found)")
  }

  @Test(arguments: [("wav", ""), ("mkv", #""codec": "pcm""#), ("mov", #""codec": "alac""#), ("flac", "")])
  func `is none where a file counts further`(fileType: String, audio: String) {
    #expect(faults(fileType, audio, 90_000) == "")
  }

  @Test(arguments: [("mp3", 255, false), ("mp3", 256, true), ("m4a", 1000, false)])
  func `has no more chapters than its table counts`(fileType: String, count: Int, isRefused: Bool) {
    let chapters = (0..<count).map { #"{"at": "\#($0)", "title": "T"}"# }.joined(separator: ", ")
    let found = faults(fileType, "", 1_000, #", "chapters": [\#(chapters)]"#)
    #expect(found.contains("export.chapters: mp3 holds at most 255 chapters, not \(count): use m4a") == isRefused, "\(found)")
    #expect(found.isEmpty != isRefused)
  }

  /// The faults of an edit that plays a sound of so many seconds.
  private func faults(_ fileType: String, _ audio: String, _ seconds: Int64, _ more: String = "") -> String {
    let text = """
      {"spool": 1, "assets": {"a": {"path": "a.m4a"}},
       "composition": {"tracks": [{"id": "t", "media": "audio", "segments": [{"asset": "a"}]}]},
       "export": {"fileType": "\(fileType)", "audio": {\(audio)}\(more)}}
      """
    do {
      let facts = [AssetID("a"): try Assets.song(seconds: seconds)]
      _ = try Document(Array(text.utf8)).reading(with: facts).edit().resolved(with: facts)
      return ""
    } catch {
      return "\(error)"
    }
  }
}
