import FarmTesting
import Formats
import Scenes
import Testing

/// Refusals of what MPEG-2, MXF and transport streams cannot hold, before any work, with what would do.
@Suite struct `A format for delivery` {
  private let workshop = Workshop()

  private init() throws {
    try SyntheticSource(frameCount: 5).write(to: workshop.file("clip.mkv"), ["-c:v", "ffv1"])
    try MediaTools.ffmpeg(["-f", "lavfi", "-i", "sine=r=48000:d=0.2", workshop.file("tone.wav")])
  }

  private func fault(_ export: String, _ composition: String = "", asset: String = "clip.mkv", media: String = "video") -> String
  {
    let document = """
      {"spool": 1, "assets": {"a": {"path": "\(asset)"}}, \(composition)
       "composition": {"tracks": [{"id": "T", "media": "\(media)", "segments": [{"asset": "a"}]}]}, "export": {\(export)}}
      """
    do {
      _ = try workshop.edit(document)
      return ""
    } catch {
      return "\(error)"
    }
  }

  @Test(arguments: [
    (#""fileType": "mxf""#, ""), (#""fileType": "mpegts""#, ""),
    (#""fileType": "mxf", "audio": {"sampleRate": 44100}"#, "export.fileType: mxf holds sound of 48000 Hz, not of 44100"),
    (#""fileType": "mxf", "audio": {"sampleFormat": "float32"}"#, "mxf holds no pcm of float32: use int16 or int24"),
    (#""fileType": "mxf", "audio": {"codec": "aac"}"#, "mxf cannot hold aac audio: use mp4, mov, mpegts, cmaf or m4a"),
    (#""fileType": "mxf", "video": {"codec": "h264"}"#, "mxf cannot hold h264 video: use mp4, mov, mkv, mpegts or cmaf"),
    (#""fileType": "avi", "video": {"codec": "h264"}"#, "use mp4, mov, mkv, mpegts or cmaf; it keeps no times"),
    (#""fileType": "avi", "audio": {"codec": "mp3"}"#, "; it does not say how much of the sound is priming"),
    (#""fileType": "mpegts", "audio": {"codec": "opus"}"#, "mpegts cannot hold opus audio: use webm, mkv, mp4 or ogg"),
    (#""fileType": "mxf", "metadata": {"title": "T"}"#, "export.metadata.title: mxf holds no title"),
    (#""fileType": "mpegts", "chapters": [{"at": "0", "title": "T"}]"#, "export.chapters: mpegts holds no chapters"),
    (#""fileType": "mov", "video": {"codec": "mpeg2", "chroma": "4:4:4"}"#, "export.video.chroma: '4:4:4'"),
    (#""fileType": "mov", "video": {"codec": "mpeg2", "bitDepth": 10}"#, "mpeg2 with these settings has 8 bits, not 10"),
  ])
  func `takes what it holds, and names what would do instead`(export: String, words: String) {
    let found = fault(export)
    #expect(words.isEmpty ? found.isEmpty : found.contains(words), "\(found)")
  }

  @Test(arguments: [
    (
      "mpeg2", "mov", "1/15",
      "videoComposition.frameDuration: mpeg2 has 23.976, 24, 25, 29.97, 30, 50, 59.94 or 60 frames a second"
    ),
    ("dnxhr", "mxf", "1/15", "videoComposition.frameDuration: mxf has 24, 30, 48"),
  ])
  func `names the frame rates that it has`(codec: String, type: String, duration: String, words: String) {
    let composition = #""videoComposition": {"renderSize": [256, 128], "frameDuration": "\#(duration)"},"#
    let found = fault(#""fileType": "\#(type)", "video": {"codec": "\#(codec)"}"#, composition)
    #expect(found.contains(words), "\(found)")
  }

  @Test(arguments: [
    ("1/25", "01:00:00:24", ""), ("1001/30000", "01:00:00;02", ""), ("1001/60000", "10:00:00:59", ""),
    ("1/25", "01:00:00:25", "export.timecode: "), ("1/25", "01:00:00;00", "export.timecode: "),
    ("1001/30000", "01:01:00;00", "export.timecode: "), ("2/25", "01:00:00:00", "export.timecode: "),
  ])
  func `begins with a time code that its rate has`(duration: String, label: String, words: String) {
    let composition = #""videoComposition": {"renderSize": [64, 48], "frameDuration": "\#(duration)"},"#
    let found = fault(#""fileType": "mov", "timecode": "\#(label)""#, composition)
    #expect(words.isEmpty ? found.isEmpty : found.contains(words), "\(found)")
  }

  @Test func `that says nothing of colour has the usual one`() {
    let composition = #""videoComposition": {"renderSize": [64, 48], "frameDuration": "1/25", "color": "bt2020"},"#
    let found = fault(#""fileType": "avi""#, composition)
    #expect(found.contains("export.fileType: avi does not say which colours it has"), "\(found)")
    #expect(fault(#""fileType": "avi""#, composition.replacing("bt2020", with: "bt709")).isEmpty)
  }

  @Test func `of pictures is refused for sound alone`() {
    let found = fault(#""fileType": "mxf""#, asset: "tone.wav", media: "audio")
    #expect(found.contains("export.fileType: mxf is a file of pictures, and the edit has none"), "\(found)")
  }
}
