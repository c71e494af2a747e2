import FarmTesting
import Formats
import Media
import MediaTime
import Testing

@Suite(.serialized) struct `Time code` {
  private let directory = TemporaryDirectory()

  @Test(arguments: [
    (FileType.mov, "1001/30000", "01:00:00;00"), (.mp4, "1001/30000", "09:59:59:29"), (.mov, "1/25", "10:00:00:00"),
    (.mp4, "1001/60000", "00:01:00;04"), (.mov, "1001/24000", "23:59:59:23"), (.mp4, "1/50", "01:00:00:49"),
  ])
  func `is a track that ffprobe and MediaInfo read, beside the same frames`(type: FileType, frame: String, label: String) throws {
    let synthetic = SyntheticSegments(settings: .h264(speed: .ultrafast), frameDuration: try MediaTime(parsing: frame))
    let segments = try synthetic.write([4, 3], in: directory)
    let sound = try writeSound(.aac(), count: 9_600, to: directory.file("sound.nut"))
    let (plain, labelled) = (directory.file("plain.\(type)"), directory.file("labelled.\(type)"))
    try synthetic.mux(segments, sound: sound, to: plain, type)
    try synthetic.mux(segments, sound: sound, to: labelled, type, timecode: label)
    #expect(try MediaTools.probe(labelled, "d", "stream=codec_tag_string") == ["tmcd"])
    #expect(try MediaTools.probe(labelled, "d", "stream_tags=timecode") == [label])
    #expect(try MediaTools.probe(labelled, "v", "stream_tags=timecode") == [label])
    #expect(try MediaTools.mediainfo(["--Inform=Other;%TimeCode_FirstFrame%", labelled]).hasPrefix(label))
    #expect(try MediaTools.frames(labelled) == MediaTools.frames(plain))
    #expect(try MediaTools.samples(labelled, in: directory) == MediaTools.samples(plain, in: directory))
    #expect(try MediaTools.probe(plain, "d", "stream=codec_tag_string") == [])
  }

  @Test func `begins an MXF`() throws {
    var synthetic = SyntheticSegments(
      settings: VideoCodecSettings(.mpeg2(MPEG2(chroma: .yuv422))), size: PixelSize(64, 64),
      frameDuration: try MediaTime(1001, 30_000))
    synthetic.layout = .yuv422
    let movie = directory.file("movie.mxf")
    try synthetic.mux(synthetic.write([5], in: directory), to: movie, .mxf, timecode: "01:00:00;02")
    #expect(try MediaTools.probe(movie, "v", "format_tags=timecode") == ["01:00:00;02"])
    #expect(try MediaTools.frames(movie).count == 5)
  }
}
