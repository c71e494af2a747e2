import Document
import Formats
import FoundationEssentials
import MediaTime
import Testing
import Timeline

/// Tests that hold docs/export.md against the codecs, the file types and the presets.
@Suite struct `The page of exports` {
  private let lines: Set<String>

  init() throws {
    let package = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    let page = String(decoding: try Data(contentsOf: package.appending(path: "docs/export.md")), as: UTF8.self)
    lines = Set(page.split(separator: "\n").map(String.init))
  }

  private func row(_ cells: [String]) -> String {
    "| " + cells.map { $0.isEmpty ? "|" : "\($0) |" }.joined(separator: " ")
  }

  @Test func `has every codec of pictures, with the file types that hold it`() {
    for codec in VideoCodec.allCases {
      let cells = FileType.allCases.filter(\.holdsPicture).map { codec.fileTypes.contains($0) ? "yes" : "" }
      #expect(lines.contains(row(["`\(codec.rawValue)`"] + cells)), "\(codec)")
    }
  }

  @Test func `has every codec of sound, with the file types that hold it`() {
    for codec in AudioCodec.allCases {
      let cells = FileType.allCases.filter(\.holdsSound).map { codec.fileTypes.contains($0) ? "yes" : "" }
      #expect(lines.contains(row(["`\(codec.rawValue)`"] + cells)), "\(codec)")
    }
  }

  @Test(arguments: VideoCodec.allCases)
  func `names the encoder, the bits and the settings of each codec of pictures`(codec: VideoCodec) throws {
    let coder = codec.usual.coder
    let line = try #require(lines.first { $0.hasPrefix("| `\(codec.rawValue)` | \(coder.encoderName) |") })
    for key in coder.keys { #expect(line.contains("`\(key.name)`")) }
    for depth in coder.bitDepths { #expect(line.contains("\(depth)")) }
  }

  @Test(arguments: ExportPreset.allCases)
  func `has a row with the numbers of each preset`(preset: ExportPreset) {
    let settings = preset.settings
    let size = settings.maximumSize.map { "\($0.width)x\($0.height)" } ?? ""
    let picture = settings.fileType.holdsPicture ? words(settings.video) : ""
    let cells = [
      "`\(preset.rawValue)`", "`\(settings.fileType)`", picture, words(settings.audio), size,
      settings.optimizeForNetworkUse ? "yes" : "",
    ]
    #expect(lines.contains(row(cells)), "\(row(cells))")
  }

  @Test(arguments: ExportPreset.allCases)
  func `has presets that documents may name, and whose codecs go into their files`(preset: ExportPreset) throws {
    let settings = preset.settings
    #expect(!settings.fileType.holdsPicture || settings.video.codec.fileTypes.contains(settings.fileType))
    #expect(settings.audio.codec.fileTypes.contains(settings.fileType))
    #expect(settings.video.coding.coder.bitDepths.contains(settings.video.bitDepth))
    let text = Documents.opening.replacing(
      "\"preset\": \"highest\", \"fileType\": \"mp4\", \"optimizeForNetworkUse\": true",
      with: "\"preset\": \"\(preset.rawValue)\"")
    #expect(text != Documents.opening)
    #expect(Documents.faults(text) == [])
    #expect(try Documents.canonical(Documents.canonical(text)) == Documents.canonical(text))
  }

  private func words(_ video: VideoCodecSettings) -> String {
    switch video.coding {
    case .h264(let coder): "H.264, crf \(Int(coder.crf)), \(coder.speed)"
    case .hevc(let coder): "HEVC, crf \(Int(coder.crf)), \(coder.speed)"
    case .prores(let coder): "ProRes \(coder.profile.rawValue)"
    case .ffv1(let coder): coder.chroma == .yuv420 ? "FFV1" : "FFV1, \(coder.chroma.rawValue), \(video.bitDepth) bits"
    case .av1, .vp9, .dnxhr, .mpeg2, .v210, .mjpeg, .gif, .png, .webp, .tiff: "\(video.codec)"
    }
  }

  private func words(_ audio: AudioCodecSettings) -> String {
    switch audio.coding {
    case .aac(let coder): "AAC, \(coder.bitRate / 1000) kbit/s"
    case .pcm: "PCM, 24 bits"
    default: "\(audio.codec)".uppercased()
    }
  }
}

@Suite struct `A wish for an export` {
  private func export(_ members: String) throws -> Document {
    let export = "\"export\": {\(members)}"
    let old = "\"export\": {\"preset\": \"highest\", \"fileType\": \"mp4\", \"optimizeForNetworkUse\": true}"
    let text = Documents.opening.replacing(old, with: export)
    #expect(text != Documents.opening)
    return try Document(Array(text.utf8))
  }

  @Test func `chooses the file type that the document leaves open`() throws {
    #expect(try export("").wishing(fileType: .mov).export.fileType == .mov)
    let web = try export("").wishing(fileType: .webm).export
    #expect((web.fileType, web.video.codec, web.audio.codec) == (.webm, .vp9, .opus))
    #expect(try export("").wishing(fileType: .wav).export.audio.codec == .pcm)
    let broadcast = try export("").wishing(fileType: .mxf).export
    #expect((broadcast.video.codec, broadcast.video.chroma, broadcast.audio.codec) == (.mpeg2, .yuv422, .pcm))
    let stream = try export("").wishing(fileType: .mpegts).export
    #expect((stream.video.codec, stream.audio.codec) == (.h264, .aac))
  }

  @Test func `leaves a file type alone that the document states, or that its codecs need`() throws {
    #expect(try export("\"fileType\": \"mkv\"").wishing(fileType: .mov).export.fileType == .mkv)
    #expect(try export("\"preset\": \"lossless\"").wishing(fileType: .mp4).export.fileType == .mkv)
  }

  @Test func `replaces the preset, and keeps the settings that the document states`() throws {
    var wish = ExportWish()
    wish.preset = .hevcFits1920x1080
    let settings = try export("\"preset\": \"low\", \"audio\": {\"bitRate\": 64000}").wishing(wish, fileType: nil).export
    #expect(settings.video == ExportPreset.hevcFits1920x1080.settings.video)
    #expect(settings.maximumSize == PixelSize(1920, 1080))
    #expect(settings.audio.coding.bitRate == 64_000)
  }

  @Test func `replaces the range, the size and the scale that the document states, and the text has them`() throws {
    var wish = ExportWish()
    wish.timeRange = try MediaTimeRange(start: MediaTime(1, 3), end: MediaTime(3, 2))
    (wish.maximumSize, wish.renderScale) = (PixelSize(320, 240), 0.5)
    let stated = ##""timeRange": {"start": "0", "duration": "1"}, "maximumSize": [64, 64], "renderScale": 0.25"##
    let wished = try export(stated).wishing(wish, fileType: nil)
    for document in [wished, try Document(wished.text)] {
      #expect(document.faults == nil)
      #expect(document.export.timeRange == wish.timeRange && document.export.maximumSize == PixelSize(320, 240))
      #expect(document.export.renderScale == 0.5)
    }
    #expect(try export(stated).wishing(fileType: nil).export.renderScale == 0.25)
  }

  @Test func `of a size scales a larger picture down, turned where it is upright, and leaves a smaller one alone`() throws {
    func size(_ width: Int, _ height: Int) throws -> PixelSize {
      let composition = VideoComposition(renderSize: PixelSize(width, height), frameDuration: .oneSecond, instructions: [])
      return composition.fitting(PixelSize(1280, 720)).outputSize
    }
    #expect(try size(1920, 1080) == PixelSize(1280, 720))
    #expect(try size(1080, 1920) == PixelSize(720, 1280))
    #expect(try size(1000, 1000) == PixelSize(720, 720))
    #expect(try size(640, 360) == PixelSize(640, 360))
  }
}
