import Document
import Formats
import MediaTime
import Testing
import Timeline

@Suite struct `A quality in a document` {
  private func document(_ export: String) -> String {
    let old = "\"export\": {\"preset\": \"highest\", \"fileType\": \"mp4\", \"optimizeForNetworkUse\": true}"
    return Documents.opening.replacing(old, with: "\"export\": {\(export)}")
  }

  private static let read = [
    (#"{"ssim": 0.98, "comment": "as the station asks"}"#, QualityTarget(.ssim, 0.98)),
    (#"{"xpsnr": 42}"#, QualityTarget(.xpsnr, 42)),
  ]

  @Test(arguments: read, ["h264", "hevc", "av1", "vp9"])
  func `is read, and written as it was`(quality: (text: String, target: QualityTarget), codec: String) throws {
    let text = document(#""fileType": "mp4", "video": {"codec": "\#(codec)", "quality": \#(quality.text)}"#)
    let edit = try Timeline.parse(Array(text.utf8))
    let coder = edit.export.video.coding.coder
    #expect(coder.qualityTarget == quality.target)
    #expect(coder.hasTarget && coder.rateTarget == nil && coder["crf"] == nil)
    #expect(try Timeline.parse(edit.canonicalJSON()) == edit)
  }

  @Test func `takes the place of a preset's rate factor, and a rate factor that of a quality`() throws {
    let edit = try Timeline.parse(Array(document(#""preset": "highest", "video": {"quality": {"ssim": 0.97}}"#).utf8))
    #expect(edit.export.video.coding.coder.qualityTarget == QualityTarget(.ssim, 0.97))
    var coding = edit.export.video.coding
    coding.set("crf", to: .number(24))
    #expect(coding.coder.qualityTarget == nil && coding == .h264(H264(crf: 24)))
    coding.set(QualityTarget.key, to: .quality(QualityTarget(.xpsnr, 40)))
    coding.set("bitRate", to: .number(1_000_000))
    #expect(coding.coder.qualityTarget == nil && coding.coder.rateTarget == .bitRate(1_000_000))
  }

  @Test(arguments: [
    (#""video": {"quality": 80}"#, #"export.video.quality: expected an object such as {"ssim": 0.98}, found a number"#),
    (#""video": {"quality": {}}"#, "export.video.quality: states no measure: give ssim or xpsnr"),
    (#""video": {"quality": {"ssim": 98}}"#, "export.video.quality.ssim: 98 is not in 0.5...0.9999"),
    (#""video": {"quality": {"ssim": 1}}"#, "export.video.quality.ssim: 1 is not in 0.5...0.9999"),
    (#""video": {"quality": {"ssim": "high"}}"#, "export.video.quality.ssim: expected a number, found a string"),
    (#""video": {"quality": {"xpsnr": 10}}"#, "export.video.quality.xpsnr: 10 is not in 20...70"),
    (
      #""video": {"quality": {"ssim": 0.98, "xpsnr": 42}}"#,
      "export.video.quality.xpsnr: contradicts ssim: leave one of them out"
    ),
    (
      #""video": {"quality": {"vmaf": 95}}"#,
      "export.video.quality.vmaf: VMAF is not measured, because Debian 12 has no libvmaf to build with: use xpsnr, which follows what "
        + "people see about as well, or ssim"
    ),
    (#""video": {"crf": 20, "quality": {"ssim": 0.98}}"#, "export.video.quality: contradicts crf: leave one of them out"),
    (
      #""video": {"quality": {"ssim": 0.98}, "bitRate": 1000000}"#,
      "export.video.bitRate: contradicts quality: leave one of them out"
    ),
    (
      #""fileType": "mov", "video": {"codec": "prores", "quality": {"ssim": 0.98}}"#,
      "export.video.quality: prores has no quality that is searched for: use profile, or h264, hevc, av1 or vp9"
    ),
    (
      #""fileType": "mkv", "video": {"codec": "mpeg2", "quality": {"ssim": 0.98}}, "audio": {"codec": "pcm"}"#,
      "export.video.quality: mpeg2 has no quality that is searched for: use quantizer, or h264, hevc, av1 or vp9"
    ),
    (
      #""fileType": "mkv", "video": {"codec": "ffv1", "quality": {"ssim": 0.98}}"#,
      "export.video.quality: ffv1 is lossless and has no quality"
    ),
    (
      #""fileType": "webm", "video": {"codec": "vp9", "quality": {"ssim": 0.98}, "alpha": true}, "audio": {"codec": "opus"}"#,
      "export.video.quality: is not measured beside alpha: use crf"
    ),
    (
      #""fileType": "cmaf", "video": {"quality": {"ssim": 0.98}}, "renditions": [{"size": [640, 360]}]"#,
      "export.video.quality: a movie with renditions has no quality, which is searched for in one picture: use crf for each"
    ),
  ])
  func `is refused where it cannot be`(export: String, fault: String) {
    let faults = Documents.faults(document(export))
    #expect(faults == [fault])
  }

  @Test func `has a key that is spelt as it is`() {
    let faults = Documents.faults(document(#""video": {"quality": {"SSIM": 0.98}}"#))
    #expect(faults.count == 1 && faults[0].hasPrefix("export.video.quality.SSIM: unknown key ("), "\(faults)")
    #expect(faults.allSatisfy { $0.contains("ssim") })
  }

  @Test func `of WebP stays a number`() throws {
    let quality = try Timeline.parse(
      Array(document(#""fileType": "webp", "video": {"codec": "webp", "quality": 70}"#).utf8)
    ).export.video.coding.value(of: "quality")
    #expect(quality == .number(70))
  }

  @Test func `is wished for in place of what the document says`() throws {
    var wish = ExportWish()
    wish.quality = QualityTarget(.ssim, 0.96)
    for stated in [#""video": {"crf": 30, "speed": "slow"}"#, #""video": {"bitRate": 1000000, "speed": "slow"}"#] {
      let wished = try Document(Array(document(stated).utf8)).wishing(wish, fileType: nil)
      for document in [wished, try Document(wished.text)] {
        #expect(document.faults == nil)
        let video = document.export.video.coding
        #expect(video.coder.qualityTarget == wish.quality && video.value(of: "speed") == .word("slow"))
      }
    }
    let bare = try Document(Array(document(#""preset": "web""#).utf8)).wishing(wish, fileType: nil)
    #expect(bare.export.video.coding.coder.qualityTarget == wish.quality)
    // A codec without such a quality refuses it.
    let film = try Document(Array(document(#""fileType": "mov", "video": {"codec": "prores"}"#).utf8))
    #expect(film.wishing(wish, fileType: nil).faults != nil)
  }

  @Test(arguments: [(15, 15), (4096, 14)]) func `is not measured in pictures of less than 16 pixels a side`(size: (Int, Int)) {
    for codec in [VideoCodec.h264, .hevc, .av1, .vp9] {
      var coding = codec.usual
      coding.set(QualityTarget.key, to: .quality(QualityTarget(.ssim, 0.98)))
      #expect(coding.coder.objection(to: PixelSize(size.0, size.1), lasting: .oneSecond) != nil)
      #expect(coding.coder.objection(to: PixelSize(16, 16), lasting: .oneSecond) == nil)
      #expect(codec.usual.coder.objection(to: PixelSize(size.0, size.1), lasting: .oneSecond) == nil)
    }
  }
}
