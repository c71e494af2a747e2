import Document
import FarmTesting
import Formats
import Media
import Messages
import Rendering
import Scenes
import Testing
import Timeline

/// The bound of the bit rate, counted from the sizes of the packets that ffprobe finds.
@Suite struct `A bound of the bit rate` {
  private let workshop = Workshop()

  private init() throws {
    // Noise for the first and the last second, and a flat picture between them.
    try noise("noise.mkv", "96x64", "if(between(N,25,49),90,16+219*random(1))", frameCount: 75)
  }

  private func noise(_ name: String, _ size: String, _ luma: String, frameCount: Int) throws {
    try MediaTools.ffmpeg([
      "-f", "lavfi", "-i", "nullsrc=s=\(size):r=25", "-vf", "geq=lum='\(luma)':cb=128:cr=128,format=yuv420p",
      "-frames:v", "\(frameCount)", "-c:v", "ffv1", workshop.file(name),
    ])
  }

  private func edit(_ video: String, of clip: String = "noise.mkv") throws -> ResolvedTimeline {
    try workshop.edit(
      """
      {"spool": 1, "assets": {"a": {"path": "\(clip)"}},
       "composition": {"tracks": [{"id": "V", "media": "video", "segments": [{"asset": "a"}]}]},
       "export": {"fileType": "mov", "video": {\(video)}}}
      """)
  }

  /// The bits of the packets in decode order.
  private func bits(_ movie: String) throws -> [Double] {
    try MediaTools.ffprobe(["-select_streams", "v", "-show_entries", "packet=size", "-of", "csv=p=0", movie])
      .split(whereSeparator: \.isNewline).map { try 8 * #require(Double($0.prefix { $0 != "," })) }
  }

  /// The least that a buffer holds after a packet was taken out. It is half full at first.
  private func least(_ bits: [Double], rate: Double, buffer: Double) -> Double {
    var (fullness, least) = (buffer / 2, buffer)
    for bits in bits {
      fullness -= bits
      least = min(least, fullness)
      fullness = min(buffer, fullness + rate / 25)
    }
    return least
  }

  @Test(arguments: [
    (#""codec": "h264", "crf": 12, "speed": "veryfast""#, 200_000),
    (#""codec": "hevc", "crf": 12, "speed": "ultrafast""#, 200_000),
    (#""codec": "mpeg2", "quantizer": 2"#, 600_000),
  ])
  func `holds in every chunk and across every joint, and only where it is asked for`(video: String, rate: Double) throws {
    let buffer = rate
    let free = try workshop.movie(of: edit(video), borders: [0], output: "free.mov")
    #expect(least(try bits(free), rate: rate, buffer: buffer) < 0)
    let edit = try edit(video + #", "maxBitRate": \#(Int(rate)), "bufferSize": \#(Int(buffer))"#)
    for borders in [[0], [0, 20, 45], [0, 12, 25, 50, 62]] {
      let movie = try workshop.movie(of: edit, borders: borders, output: "movie.mov")
      let bits = try bits(movie)
      #expect(bits.count == 75)
      #expect(least(bits, rate: rate, buffer: buffer) >= 0)
      // The bound is used: noise takes what it gets.
      #expect(bits.reduce(0, +) > rate / 2)
      #expect(try MovieVerification(of: movie, against: edit, policy: workshop.policy, floor: 0) { _ in }.faults == [])
    }
  }

  @Test func `that no picture keeps fails with the frames and what to change`() throws {
    try noise("large.mkv", "1280x720", "16+219*random(1)", frameCount: 5)
    let edit = try edit(#""codec": "mpeg2", "maxBitRate": 65536, "bufferSize": 65536"#, of: "large.mkv")
    let failure = #expect(throws: Failure.self) {
      try workshop.run(.picture(FrameRange(first: 3, count: 2)), task: 1, of: edit, output: "movie.mov")
    }
    #expect(failure?.class == .content)
    #expect(failure?.place == "frames 3..<5")
    #expect(failure?.reason.contains("export.video.maxBitRate") == true)
  }

  @Test(arguments: [
    (#""bufferSize": 100000"#, "export.video.bufferSize: is the buffer of maxBitRate, which is missing"),
    (#""crf": 0, "maxBitRate": 100000"#, "export.video.maxBitRate: crf 0 is lossless, at any bit rate"),
    (
      #""maxBitRate": 1000000, "bufferSize": 100000"#,
      "export.video.bufferSize: holds less than a quarter of a second of maxBitRate"
    ),
    (#""codec": "vp9", "maxBitRate": 100000"#, "export.video.maxBitRate: vp9 has no maxBitRate"),
    (#""codec": "mpeg2", "bufferSize": 100000"#, "export.video.bufferSize: is the buffer of maxBitRate, which is missing"),
    (
      #""codec": "mpeg2", "maxBitRate": 15000001"#,
      "export.video.maxBitRate: mpeg2 of this size has at most 15000000 bits a second"
    ),
    (
      #""codec": "mpeg2", "maxBitRate": 1000000, "bufferSize": 2000000"#,
      "export.video.bufferSize: mpeg2 of this size has a buffer of at most 1835008 bits"
    ),
  ])
  func `is refused where it means nothing`(settings: String, fault: String) throws {
    let error = #expect(throws: (any Error).self) { try edit(settings) }
    #expect("\(error.map { "\($0)" } ?? "")".contains(fault))
  }

  @Test func `stays in the canonical form`() throws {
    let timeline = try edit(#""maxBitRate": 5000000, "bufferSize": 7500000"#).timeline
    #expect(try Timeline.parse(timeline.canonicalJSON()) == timeline)
    #expect(timeline.export.video.coding.coder.rateCap == RateCap(maxBitRate: 5_000_000, bufferSize: 7_500_000))
    let mpeg2 = try edit(#""codec": "mpeg2", "chroma": "4:2:2", "quantizer": 6, "maxBitRate": 5000000"#).timeline
    #expect(try Timeline.parse(mpeg2.canonicalJSON()) == mpeg2)
  }
}
