import EditFiles
import FarmTesting
import Formats
import Media
import MediaTime
import Messages
import Rendering
import Scenes
import Testing

/// A still picture, and how it is damaged.
struct DamagedStill: Sendable, CustomTestStringConvertible {
  enum Harm: Sendable {
    /// The last bytes are cut off.
    case cut(Int)
    /// A block in the middle is damaged.
    case zeros(Int)
    case flippedBit
  }

  let file: String
  let arguments: String
  let harm: Harm
  /// Whether something of the picture can be shown.
  let isShown: Bool
  var testDescription: String { "\(file) \(arguments) \(harm)" }

  static let all = [
    DamagedStill(file: "a.png", arguments: "", harm: .flippedBit, isShown: false),
    DamagedStill(file: "a.png", arguments: "", harm: .cut(12), isShown: true),
    DamagedStill(file: "a.jpg", arguments: "", harm: .cut(3000), isShown: true),
    DamagedStill(file: "b.jpg", arguments: "-huffman default", harm: .zeros(900), isShown: true),
    DamagedStill(file: "c.jpg", arguments: "-huffman optimal", harm: .zeros(900), isShown: true),
    DamagedStill(file: "a.webp", arguments: "-lossless 1", harm: .zeros(900), isShown: true),
    DamagedStill(file: "a.webp", arguments: "-lossless 1", harm: .cut(2000), isShown: false),
    DamagedStill(file: "b.webp", arguments: "-q:v 80", harm: .cut(500), isShown: false),
    DamagedStill(file: "b.webp", arguments: "-q:v 80", harm: .zeros(400), isShown: true),
    DamagedStill(file: "b.webp", arguments: "-q:v 20", harm: .zeros(100), isShown: true),
    DamagedStill(file: "a.bmp", arguments: "", harm: .cut(5000), isShown: false),
    DamagedStill(file: "a.tiff", arguments: "-compression_algo lzw -pix_fmt rgb24", harm: .zeros(4000), isShown: true),
  ]

  func apply(to bytes: inout [UInt8]) {
    let middle = bytes.count * 2 / 5
    switch harm {
    case .cut(let count): bytes.removeLast(count)
    case .zeros(let count): bytes.replaceSubrange(middle..<middle + count, with: [UInt8](repeating: 0, count: count))
    case .flippedBit: bytes[middle] ^= 4
    }
  }
}

@Suite struct `Still pictures that are damaged` {
  private let workshop = Workshop()

  private func write(_ still: DamagedStill) throws {
    try MediaTools.ffmpeg(
      ["-f", "lavfi", "-i", "testsrc2=s=320x240,noise=alls=12:all_seed=5", "-frames:v", "1"]
        + still.arguments.split(separator: " ").map(String.init) + [workshop.file(still.file)])
  }

  private func edit(_ still: DamagedStill, conceals: Bool, asLayer: Bool) throws -> ResolvedTimeline {
    let asset = #"{"path": "\#(still.file)"\#(conceals ? #", "damage": "conceal""# : "")}"#
    let layers = #", "layers": [{"image": "a", "from": "0", "to": "0.2"}]"#
    try workshop.clip("base.mp4", frameCount: 10)
    return try workshop.edit(
      """
      {"spool": 1, "assets": {"a": \(asset), "base": {"path": "base.mp4"}},
       "composition": {"tracks": [{"id": "V", "media": "video", "segments": [
         {"asset": "\(asLayer ? "base" : "a")", "source": {"start": "0", "duration": "0.4"}}]}]},
       "videoComposition": {"renderSize": [160, 120], "frameDuration": "1/25", "color": "bt709", "instructions": [
         {"timeRange": {"start": "0", "duration": "0.4"}, "layerInstructions": [{"track": "V", "gravity": "resize"}]}]}\(asLayer ? layers : ""),
       "export": {"fileType": "mkv", "video": {"codec": "ffv1"}}}
      """)
  }

  @Test(
    arguments: DamagedStill.all,
    [false, true])
  func `are refused by name, or shown as far as they go and told, as clips and as layers`(_ still: DamagedStill, asLayer: Bool)
    throws
  {
    try write(still)
    let whole = try edit(still, conceals: false, asLayer: asLayer)
    var bytes = try [UInt8](contentsOf: workshop.file(still.file))
    still.apply(to: &bytes)
    try bytes.write(toFile: workshop.file(still.file))

    #expect("validation") { try edit(still, conceals: false, asLayer: asLayer) } throws: { error in
      error is EditFileError && "\(error)".contains("damaged")
    }
    // The picture was whole when it was examined, and is damaged when it is drawn.
    #expect("drawing") { try PictureRenderer(edit: whole, policy: workshop.policy).frame(0) } throws: { error in
      (error as? MediaError)?.kind == .corrupt && "\(error)".contains("asset 'a'")
    }
    guard still.isShown else {
      #expect(throws: EditFileError.self) { try edit(still, conceals: true, asLayer: asLayer) }
      return
    }
    let concealed = try edit(still, conceals: true, asLayer: asLayer)
    let movie = try workshop.movie(of: concealed, borders: [0, 3, 7], output: "a.mkv")
    let result = try MovieVerification(of: movie, against: concealed, policy: workshop.policy) { _ in }
    #expect(result.faults == [])
    let frames = asLayer ? 5 : 10
    #expect(result.concealed == [Concealment(asset: "a", frames: frames, frameSpan: 0..<Int64(frames))])
    #expect(try AssetProbe.facts(of: movie, policy: workshop.policy).comment == result.concealed.sentence)
  }
}
