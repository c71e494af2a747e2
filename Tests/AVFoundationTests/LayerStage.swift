import AVFoundation
import Document
import FarmTesting
import Foundation
import Testing
import Timeline

/// A movie of 64 × 48 and one second, at ten frames a second, of which only the layers on a black ground are seen.
struct LayerStage {
  let composition = AVMutableComposition()
  let video = AVMutableVideoComposition()
  let root = CALayer()

  init() throws {
    let track = try #require(composition.addMutableTrack(withMediaType: .video, preferredTrackID: 0))
    try track.insertTimeRange(TestMedia.range(0, 10), of: #require(TestMedia.asset().tracks.first), at: .zero)
    (video.renderSize, video.frameDuration) = (CGSize(width: 64, height: 48), CMTime(value: 1, timescale: 10))
    let instruction = AVMutableVideoCompositionInstruction()
    instruction.timeRange = TestMedia.range(0, 10)
    instruction.layerInstructions = [AVMutableVideoCompositionLayerInstruction(assetTrack: track)]
    video.instructions = [instruction]
    let videoLayer = CALayer()
    for layer in [root, videoLayer] { layer.frame = CGRect(x: 0, y: 0, width: 64, height: 48) }
    (videoLayer.opacity, root.backgroundColor) = (0, .black)
    root.addSublayer(videoLayer)
    video.animationTool = AVVideoCompositionCoreAnimationTool(postProcessingAsVideoLayer: videoLayer, in: root)
  }

  /// A layer of a colour, which stands on the root or on another layer.
  func box(_ frame: CGRect, _ color: CGColor = Self.red, on parent: CALayer? = nil) -> CALayer {
    let layer = CALayer()
    (layer.frame, layer.backgroundColor) = (frame, color)
    (parent ?? root).addSublayer(layer)
    return layer
  }

  static let red = CGColor(red: 1, green: 0, blue: 0, alpha: 1)
  static let green = CGColor(red: 0, green: 1, blue: 0, alpha: 1)
  static let blue = CGColor(red: 0, green: 0, blue: 1, alpha: 1)

  func timeline() throws -> Timeline {
    try Timeline.parse(Array(composition.spoolDocument(videoComposition: video, pictures: "/pictures").utf8))
  }

  /// The reason for which the tree is refused.
  func fault() -> String? {
    #expect(throws: AVError.self) { try composition.spoolDocument(videoComposition: video) }?.reason
  }

  /// The frame at so many tenths of a second, as the farm's renderer makes it.
  func frame(_ tenth: Int64) async throws -> Frame {
    let generator = AVAssetImageGenerator(asset: composition)
    generator.videoComposition = video
    return try Frame(try await generator.image(at: TestMedia.tenths(tenth)).image)
  }

  /// A frame's pixels. Its y counts from the bottom, as that of layers does.
  struct Frame {
    let width: Int
    let height: Int
    private let bytes: Data
    private let stride: Int

    init(_ image: CGImage) throws {
      (width, height, stride) = (image.width, image.height, image.bytesPerRow)
      bytes = try #require(image.dataProvider).bytes
      #expect(image.bitsPerPixel == 32 && image.byteOrderInfo == .order32Little)
    }

    /// The red, green and blue of a pixel.
    func pixel(_ x: Int, _ y: Int) -> [Int] {
      let place = (height - 1 - y) * stride + x * 4
      return [2, 1, 0].map { Int(bytes[place + $0]) }
    }

    /// Whether a pixel has nearly a colour.
    func has(_ color: [Int], _ x: Int, _ y: Int, within slack: Int = 16) -> Bool {
      zip(pixel(x, y), color).allSatisfy { abs($0 - $1) <= slack }
    }

    /// The middle of all that is brighter than half in one part of the colour, in pixels from the bottom left.
    func middle(of part: Int = 0) -> CGPoint? {
      var (count, x, y) = (0, 0.0, 0.0)
      for row in 0..<height {
        for column in 0..<width where pixel(column, row)[part] > 128 {
          (count, x, y) = (count + 1, x + Double(column) + 0.5, y + Double(row) + 0.5)
        }
      }
      return count > 0 ? CGPoint(x: x / Double(count), y: y / Double(count)) : nil
    }

    /// The sides of the rectangle around all that is brighter than half in one part of the colour.
    func reach(of part: Int = 0) -> CGRect {
      var found = CGRect.null
      for row in 0..<height {
        for column in 0..<width where pixel(column, row)[part] > 128 {
          found = found.union(CGRect(x: column, y: row, width: 1, height: 1))
        }
      }
      return found
    }
  }
}

extension CAAnimation {
  /// The animation from some tenths of a second on, for some tenths.
  func at(_ begin: Double, for length: Double) -> Self {
    (beginTime, duration) = (begin == 0 ? AVCoreAnimationBeginTimeAtZero : begin / 10, length / 10)
    return self
  }
}

let black = [0, 0, 0]
let red = [255, 0, 0]
let green = [0, 255, 0]
let blue = [0, 0, 255]

/// The movie that a stage's export becomes.
struct ExportedMovie {
  private let directory = TemporaryDirectory()

  init(_ stage: LayerStage) async throws {
    #expect(unsafe chmod(directory.path, 0o755) == 0)
    let session = try #require(
      AVAssetExportSession(asset: stage.composition, presetName: AVAssetExportPresetHighestQuality))
    session.videoComposition = stage.video
    try await session.export(to: URL(fileURLWithPath: directory.file("movie.mov")), as: .mov)
  }

  func frame(_ index: Int64) throws -> LayerStage.Frame { try Self.frame(index, of: directory.file("movie.mov")) }

  /// A movie's frame as FFmpeg decodes it.
  static func frame(_ index: Int64, of movie: String) throws -> LayerStage.Frame {
    let png = movie + ".frame\(index).png"
    try MediaTools.ffmpeg(["-i", movie, "-vf", "select=eq(n\\,\(index))", "-frames:v", "1", png])
    let source = try #require(CGDataProvider(data: try Data(contentsOf: URL(fileURLWithPath: png))))
    let image = unsafe CGImage(pngDataProviderSource: source, decode: nil, shouldInterpolate: true, intent: .defaultIntent)
    return try LayerStage.Frame(try #require(image))
  }
}
