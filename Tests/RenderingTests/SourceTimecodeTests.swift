import FarmTesting
import Formats
import Media
import MediaTime
import Scenes
import Testing
import Timeline

/// Movies that take over the time code of a source, as FFmpeg and MediaInfo read it.
@Suite struct `A time code of a source` {
  private let workshop = Workshop()

  /// Writes a clip of 100 frames of 29.97 a second, whose first one has a label a second before a minute begins, drop-frame.
  private func clip(_ name: String, _ coding: [String]) throws -> String {
    let path = workshop.file(name)
    try MediaTools.ffmpeg(
      ["-f", "lavfi", "-i", "testsrc=s=96x64:r=30000/1001", "-frames:v", "100", "-timecode", "01:00:59;00"] + coding + [path])
    return path
  }

  private func edit(_ source: String, from frame: Int, export: String) throws -> ResolvedTimeline {
    try workshop.edit(
      """
      {"spool": 1, "assets": {"cam": {"path": "\(source)"}},
       "composition": {"tracks": [{"id": "V", "media": "video", "segments": [
         {"asset": "cam", "source": {"start": "\(frame * 1001)/30000", "duration": "20020/30000"}}]}]},
       "export": {\(export)}}
      """)
  }

  @Test(arguments: [
    ("cam.mov", ["-c:v", "libx264", "-g", "10"]), ("cam.mp4", ["-c:v", "libx264"]), ("cam.mxf", ["-c:v", "mpeg2video"]),
    ("cam.mkv", ["-c:v", "ffv1"]),
  ])
  func `is in the movie for the frame that is seen first`(name: String, coding: [String]) throws {
    let source = try clip(name, coding)
    #expect(try AssetProbe.facts(of: source, policy: workshop.policy).timecode?.label == "01:00:59;00")
    // Frame 29 has 01:00:59;29, and the next one 01:01:00;02: two labels are dropped.
    for (frame, label, type) in [(0, "01:00:59;00", "mov"), (29, "01:00:59;29", "mp4"), (70, "01:01:01;12", "mov")] {
      let movie = try workshop.movie(
        of: edit(source, from: frame, export: #""fileType": "\#(type)", "timecode": "source""#), borders: [0, 8],
        output: "m.\(type)")
      let tags = try MediaTools.ffprobe(["-show_entries", "stream_tags=timecode", "-of", "csv=p=0", movie])
      #expect(tags.split(whereSeparator: \.isNewline).filter { !$0.isEmpty } == [Substring(label), Substring(label)])
      #expect(try MediaTools.mediainfo(["--Inform=Other;%TimeCode_FirstFrame%", movie]).hasPrefix(label))
    }
  }

  @Test func `begins an MXF, too`() throws {
    let source = try clip("cam.mxf", ["-c:v", "mpeg2video"])
    let export = #""fileType": "mxf", "video": {"codec": "mpeg2"}, "timecode": {"asset": "cam"}"#
    let movie = try workshop.movie(of: edit(source, from: 30, export: export), borders: [0], output: "m.mxf")
    let tags = try MediaTools.ffprobe(["-show_entries", "format_tags=timecode", "-of", "csv=p=0", movie])
    #expect(tags.split(whereSeparator: \.isNewline) == ["01:01:00;02"])
    #expect(try MediaTools.mediainfo(["--Inform=Other;%TimeCode_FirstFrame%|", movie]).contains("01:01:00;02"))
  }

  @Test func `follows the edit list of its track`() throws {
    let source = try clip("cam.mov", ["-c:v", "libx264"])
    var bytes = try [UInt8](contentsOf: source)
    // The track of the time code is the last one. Its edit list begins at tick 0 of 30,000 a second.
    let name = Array("elst".utf8)
    let place = try #require(bytes.indices.dropLast(20).last { Array(bytes[$0..<$0 + 4]) == name })
    #expect(Array(bytes[(place + 16)..<(place + 20)]) == [0, 0, 0, 0])
    let start = UInt32(15 * 1001)
    for index in 0..<4 { bytes[place + 16 + index] = UInt8(truncatingIfNeeded: start >> (24 - 8 * index)) }
    try bytes.write(toFile: source)
    #expect(try AssetProbe.facts(of: source, policy: workshop.policy).timecode?.label == "01:00:59;15")
  }

  @Test func `is none in a file that states none`() throws {
    try workshop.clip("plain.mov", frameCount: 10)
    #expect(try AssetProbe.facts(of: workshop.file("plain.mov"), policy: workshop.policy).timecode == nil)
  }
}
