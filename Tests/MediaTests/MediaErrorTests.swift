import Media
import Testing

@Suite struct MediaErrorTests {
  @Test(arguments: [
    // These codes are FFmpeg's AVERROR_INVALIDDATA and AVERROR_EOF.
    (-1_094_995_529, "is damaged, or is not what its format says"),
    (-541_478_725, "ends before it should: it is cut off or damaged"),
    (-2, "No such file or directory"), (-22, "says of itself what cannot be: it is damaged"),
  ])
  func `is told in everyday words, without names of functions`(_ code: Int32, _ words: String) {
    #expect(MediaError(code, from: "avformat_open_input", at: "a.mp4").description == "a.mp4: \(words)")
  }

  @Test func `a failure that is our own bug says which part failed`() {
    let error = MediaError(-22, from: "avcodec_send_frame", at: "a.mp4", while: .writing)
    #expect(error.description == "a.mp4: the encoder does not take what it is given, which is a bug of spool")
  }

  @Test(arguments: ["avcodec_receive_frame", "av_read_frame"])
  func `a decoder's -1 means damaged data, and no missing permission`(_ call: String) {
    let error = MediaError(-1, from: call, at: "a.ts track 1")
    #expect(error.kind == .corrupt)
    #expect(error.description == "a.ts track 1: is damaged, or is not what its format says")
    #expect(MediaError(-1, from: "avformat_open_input", at: "a.ts").description == "a.ts: Operation not permitted")
  }

  /// The codes are all error numbers of the system, and all of FFmpeg's own tags (libavutil/error.h).
  @Test(arguments: [MediaError.Activity.reading, .writing])
  func `no code is told in the library's words`(_ activity: MediaError.Activity) {
    let tags = [
      "BSF", "BUG", "BUFS", "DEC", "DEM", "ENC", "EOF", "EXIT", "EXT", "FIL", "INDA", "MUX", "OPT", "PAWE", "PROT", "STR", "BUG ",
      "UNKN",
    ].flatMap { [$0, "\u{f8}" + $0] }.map { tag in
      -Int32(truncatingIfNeeded: tag.unicodeScalars.enumerated().reduce(0) { $0 + Int($1.element.value) << (8 * $1.offset) })
    }
    for code in (-133 ... -1).map(Int32.init) + tags + [-0x2bb2_afa8, -0x636e_6701] {
      for call in ["avcodec_send_frame", "av_read_frame", "open"] {
        let words = MediaError(code, from: call, at: "a.mp4", while: activity).words
        #expect(
          !words.contains(
            /_|Invalid (?:data|arg)|Unknown error occ|Error number|Generic|should not|Resource temp|Bad (?:addr|file)|levels of symbolic/
          ),
          "\(code): \(words)")
      }
    }
  }
}
