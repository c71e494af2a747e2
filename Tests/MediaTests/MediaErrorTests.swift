import Media
import Testing

@Suite struct MediaErrorTests {
  @Test(
    "is told in everyday words, without names of functions",
    arguments: [
      // FFmpeg's AVERROR_INVALIDDATA and AVERROR_EOF.
      (-1_094_995_529, "is damaged, or is not what its format says"),
      (-541_478_725, "ends before it should: it is cut off or damaged"),
      (-2, "No such file or directory"), (-22, "says of itself what cannot be: it is damaged"),
    ])
  func words(_ code: Int32, _ words: String) {
    #expect(MediaError(code, from: "avformat_open_input", at: "a.mp4").description == "a.mp4: \(words)")
  }

  @Test("a failure that is our own bug names its function")
  func bug() {
    let error = MediaError(-22, from: "avcodec_send_frame", at: "a.mp4", while: .writing)
    #expect(error.description == "a.mp4: Invalid argument (avcodec_send_frame)")
  }
}
