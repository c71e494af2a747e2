import FarmTesting
import Formats
import Media
import MediaTime
import Testing

@Suite(.serialized) struct `An AVI` {
  private let directory = TemporaryDirectory()

  @Test(arguments: ["1/25", "1001/30000", "1001/24000", "1/12"])
  func `has every frame at its time beside exactly the samples that were given`(frame: String) throws {
    var synthetic = SyntheticSegments(settings: .usual(.mjpeg), frameDuration: try MediaTime(parsing: frame))
    synthetic.layout = .init(synthetic.settings.chroma)
    synthetic.color = synthetic.settings.coding.coder.color(.bt709)
    let segments = try synthetic.write([5, 1, 9], in: directory)
    let sound = try writeSound(.usual(.pcm), count: 30_001, to: directory.file("sound.nut"))
    let (avi, mov) = (directory.file("movie.avi"), directory.file("movie.mov"))
    try synthetic.mux(segments, sound: sound, to: avi, .avi, tags: MovieTags([.title: "A title", .copyright: "Nobody"]))
    try synthetic.mux(segments, sound: sound, to: mov, .mov)
    #expect(try MediaTools.frames(avi).map(\.md5) == MediaTools.frames(mov).map(\.md5))
    #expect(try MediaTools.frames(avi).map(\.time) == Array(0..<15))
    #expect(try MediaTools.samples(avi, in: directory) == MediaTools.samples(mov, in: directory))
    #expect(try MediaTools.probe(avi, "a", "stream=time_base") == ["1/48000"])
    #expect(try MediaTools.probe(avi, "v", "stream=codec_name,r_frame_rate").first?.hasPrefix("mjpeg,") == true)
    let tags = try MediaTools.probe(avi, "v", "format_tags=title,copyright").flatMap { $0.split(separator: ",") }
    #expect(Set(tags) == ["A title", "Nobody"])
    let again = directory.file("again.avi")
    try synthetic.mux(segments, sound: sound, to: again, .avi, tags: MovieTags([.title: "A title", .copyright: "Nobody"]))
    #expect(try FileDigest(of: again) == FileDigest(of: avi))
  }
}
