import Document
import Formats
import MediaTime
import Scenes
import Testing
import Timeline

@Suite struct `Renditions in a document` {
  private func document(_ export: String) -> String {
    let old = "\"export\": {\"preset\": \"highest\", \"fileType\": \"mp4\", \"optimizeForNetworkUse\": true}"
    return Documents.opening.replacing(old, with: "\"export\": {\(export)}")
  }

  private func renditions(_ export: String) throws -> [Rendition] { try Document(Array(document(export).utf8)).export.renditions }

  @Test(arguments: [
    (
      #""fileType": "mp4", "renditions": [{"size": [640, 360]}]"#,
      "export.renditions: mp4 holds no renditions: use cmaf, or one document for each size"
    ),
    (#""fileType": "cmaf", "renditions": [{"crf": 23}]"#, "export.renditions[0]: needs a size, or a maximumSize to fit into"),
    (
      #""fileType": "cmaf", "renditions": [{"size": [640, 360], "maximumSize": [640, 360]}]"#,
      "export.renditions[0].maximumSize: contradicts size: leave one of them out"
    ),
    (
      #""fileType": "cmaf", "renditions": [{"size": [641, 360]}]"#,
      "export.renditions[0].size[0]: 641 is odd: 4:2:0 video has even sides"
    ),
    (#""fileType": "cmaf", "renditions": [{"size": [8, 8]}]"#, "export.renditions[0].size[0]: 8 is not in 16...8192"),
    (
      #""fileType": "cmaf", "video": {"codec": "av1"}, "renditions": [{"size": [640, 360], "maxBitRate": 1000000}]"#,
      "export.renditions[0].maxBitRate: av1 has no maxBitRate"
    ),
    (
      #""fileType": "cmaf", "renditions": [{"size": [640, 360], "bufferSize": 1000000}]"#,
      "export.renditions[0].bufferSize: is the buffer of maxBitRate, which is missing"
    ),
    (
      #""fileType": "cmaf", "video": {"codec": "h264", "bitRate": 2000000}, "renditions": [{"size": [640, 360]}]"#,
      "export.video.bitRate: a movie with renditions has no bitRate: use crf, with maxBitRate where bits are to be bounded"
    ),
    (
      #""fileType": "cmaf", "video": {"codec": "h264", "copy": "auto"}, "renditions": [{"size": [640, 360]}]"#,
      "export.video.copy: packets of a source have one size: leave renditions out"
    ),
    (#""fileType": "cmaf", "renditions": [{"size": [640, 360], "crf": 60}]"#, "export.renditions[0].crf: 60 is not in 0...51"),
  ])
  func `are refused where they cannot be`(export: String, fault: String) {
    let faults = Documents.faults(document(export))
    #expect(faults.contains(fault), "\(faults)")
  }

  @Test func `are eight at most`() {
    let nine = Array(repeating: #"{"size": [640, 360]}"#, count: 9).joined(separator: ", ")
    #expect(
      Documents.faults(document(#""fileType": "cmaf", "renditions": [\#(nine)]"#)).contains {
        $0.hasPrefix("export.renditions: ")
      })
  }

  @Test func `have the picture's settings, but for those of their rate`() throws {
    let export =
      #""fileType": "cmaf", "video": {"codec": "hevc", "crf": 25, "speed": "slow", "maxBitRate": 4000000, "bufferSize": 5000000}, "#
      + #""renditions": [{"size": [640, 360]}, {"maximumSize": [320, 240], "crf": 28, "maxBitRate": 500000}, "#
      + #"{"size": [320, 180], "speed": "fast", "maxBitRate": 400000, "bufferSize": 600000}]"#
    let found = try renditions(export)
    #expect(found.map(\.size) == [.exact(PixelSize(640, 360)), .within(PixelSize(320, 240)), .exact(PixelSize(320, 180))])
    func values(_ key: String) -> [CodecKey.Value?] { found.map { $0.video.coding.value(of: key) } }
    #expect(found.allSatisfy { $0.video.codec == .hevc })
    #expect(values("crf") == [.number(25), .number(28), .number(25)])
    #expect(values("speed") == [.word("slow"), .word("slow"), .word("fast")])
    #expect(values("maxBitRate") == [.number(4_000_000), .number(500_000), .number(400_000)])
    #expect(values("bufferSize") == [.number(5_000_000), nil, .number(600_000)])
    let canonical = try Documents.canonical(document(export))
    #expect(try Document(Array(canonical.utf8)).export.renditions == found)
    #expect(try Documents.canonical(canonical) == canonical)
  }

  @Test func `come with the preset of a ladder, beside what the document states`() throws {
    let usual = try renditions(#""preset": "hls""#)
    #expect(usual.map(\.size) == [PixelSize(1280, 720), PixelSize(854, 480), PixelSize(640, 360)].map(Rendition.Size.within))
    let slower = try renditions(#""preset": "hls", "video": {"codec": "h264", "speed": "slow"}"#)
    #expect(slower.map { $0.video.coding.value(of: "speed") } == Array(repeating: .word("slow"), count: 3))
    #expect(slower.map { $0.video.coding.value(of: "maxBitRate") } == usual.map { $0.video.coding.value(of: "maxBitRate") })
    let other = try renditions(#""preset": "hls", "video": {"codec": "av1"}"#)
    #expect(other.count == 3 && other.allSatisfy { $0.video == .usual(.av1) })
    #expect(try renditions(#""preset": "hls", "fileType": "mp4""#).isEmpty)
    #expect(try renditions(#""preset": "hls", "renditions": []"#).isEmpty)
  }

  @Test(arguments: [
    (PixelSize(1920, 1080), [PixelSize(1280, 720), PixelSize(854, 480), PixelSize(640, 360)]),
    (PixelSize(1080, 1920), [PixelSize(720, 1280), PixelSize(480, 854), PixelSize(360, 640)]),
    (PixelSize(1280, 720), [PixelSize(854, 480), PixelSize(640, 360)]), (PixelSize(640, 360), []), (PixelSize(176, 144), []),
  ])
  func `that fit into a size are left out where the frame does as it is`(frame: PixelSize, sizes: [PixelSize]) throws {
    let export = try Document(Array(document(#""preset": "hls""#).utf8)).export
    let composition = VideoComposition(renderSize: frame, frameDuration: try MediaTime(1, 25), instructions: [])
    #expect(export.renditions(of: composition).map(\.size) == sizes)
  }
}
