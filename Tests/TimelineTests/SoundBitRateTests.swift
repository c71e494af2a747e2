import EditTesting
import Document
import Formats
import Scenes
import Testing
import Timeline

/// The bit rates of sound that a document may ask for: those that the encoder makes of its channels at its sample rate.
@Suite struct `The bit rate of sound` {
  private func timeline(_ fileType: String, _ audio: String) throws -> Timeline {
    let text = """
      {"spool": 1, "assets": {"a": {"path": "a.m4a"}}, "composition": {"tracks": [
        {"id": "t", "media": "audio", "segments": [{"asset": "a", "source": {"start": "0", "duration": "9"}}]}]},
       "export": {"fileType": "\(fileType)", "audio": {\(audio)}}}
      """
    return try Timeline.parse(Array(text.utf8))
  }

  private func export(_ fileType: String, _ audio: String) throws -> AudioCodecSettings {
    try timeline(fileType, audio).export.audio
  }

  @Test(arguments: [
    ("mp4", #""codec": "ac3", "channelLayout": "5.1", "bitRate": 32000"#, "96000...640000"),
    ("mp4", #""codec": "ac3", "bitRate": 32000"#, "48000...640000"),
    ("mp4", #""codec": "eac3", "channelLayout": "5.1", "bitRate": 64000"#, "96000...640000"),
    ("ogg", #""codec": "opus", "channelLayout": "mono", "bitRate": 300000"#, "6000...256000"),
    ("ogg", #""codec": "opus", "bitRate": 600000"#, "6000...510000"),
    ("ogg", #""codec": "opus", "channelLayout": "5.1", "bitRate": 32000"#, "36000...1536000"),
  ])
  func `is refused where the encoder fails, with the bounds`(fileType: String, audio: String, bounds: String) {
    #expect {
      try export(fileType, audio)
    } throws: { error in
      "\(error)".contains("export.audio.bitRate") && "\(error)".contains("is not in \(bounds), the bit rates of")
    }
  }

  @Test(arguments: [
    ("mp4", #""codec": "ac3", "channelLayout": "5.1", "bitRate": 96000"#, 96_000),
    ("mp4", #""codec": "ac3", "channelLayout": "mono", "bitRate": 32000"#, 32_000),
    ("ogg", #""codec": "opus", "channelLayout": "mono", "bitRate": 256000"#, 256_000),
    ("m4a", #""codec": "aac", "channelLayout": "7.1", "bitRate": 1536000"#, 1_536_000),
    // Nobody chose these: they are the usual one, as far as the layout and the sample rate have it.
    ("mp3", #""codec": "mp3", "sampleRate": 8000"#, 64_000), ("m4a", #""sampleRate": 8000, "channelLayout": "mono""#, 48_000),
    ("ogg", #""codec": "opus", "channelLayout": "mono""#, 192_000), ("ogg", #""codec": "opus", "channelLayout": "7.1""#, 192_000),
    ("ogg", #""codec": "opus", "channelLayout": "7.1", "bitRate": 1536000"#, 1_536_000),
  ])
  func `is what the document asks for, or the nearest that there is where it asks for none`(
    fileType: String, audio: String, bitRate: Int
  ) throws {
    #expect(try export(fileType, audio).coding.bitRate == bitRate)
  }

  @Test(arguments: [
    ("ogg", #""codec": "opus", "channelLayout": "7.1.4""#, "opus has at most 8 channels"),
    ("m4a", #""codec": "ac3", "channelLayout": "7.1""#, "ac3 has at most 6 channels"),
    ("m4a", #""codec": "alac", "channelLayout": "7.1""#, "alac has at most 6 channels"),
  ])
  func `is of no more channels than the codec has`(fileType: String, audio: String, words: String) {
    #expect {
      try export(fileType, audio)
    } throws: { "\($0)".contains("export.audio.channelLayout: \(words)") }
  }

  @Test(arguments: [
    ("mp3", #""codec": "mp3", "sampleRate": 22050, "bitRate": 320000"#, "of mp3 in stereo at 22050 Hz: 160000 is made"),
    ("mp3", #""codec": "mp3", "sampleRate": 8000, "bitRate": 96000"#, "of mp3 in stereo at 8000 Hz: 64000 is made"),
    ("mp3", #""codec": "mp3", "bitRate": 24000"#, "of mp3 in stereo at 48000 Hz: 32000 is made"),
    ("m4a", #""codec": "aac", "channelLayout": "mono", "bitRate": 320000"#, "of aac in mono at 48000 Hz: 288000 is made"),
    ("mp3", #""codec": "mp3", "sampleRate": 8000"#, ""), ("m4a", #""bitRate": 320000"#, ""),
  ])
  func `is told where the encoder makes the nearest one`(fileType: String, audio: String, words: String) throws {
    let edit = try timeline(fileType, audio).resolved(with: [AssetID("a"): Assets.song()])
    let told = edit.warnings.filter { $0.kind == .otherBitRate }
    #expect(told.count == (words.isEmpty ? 0 : 1))
    #expect(told.allSatisfy { $0.path == "export.audio.bitRate" && $0.message.hasSuffix(words) }, "\(told)")
  }
}
