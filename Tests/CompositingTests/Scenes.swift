import Compositing
import Drawing
import Formats
import Media
import Scenes
import Timeline

/// A picture in a collage of a test. It is made on the spot.
struct Layer {
  var samples: Samples
  /// The alpha of each pixel, 0...65535; nil for an opaque picture.
  var alpha: Samples?
  var color = ColorTags.bt709
  var crop: Rect?
  var transform = AffineTransform.identity
  var opacity = 1.0
  var orientation = Orientation.up
  /// The display size; nil for the natural size, turned upright.
  var displaySize: PixelSize?
  var cleanAperture: Rect?

  var facts: VideoFacts {
    let natural = PixelSize(samples.width, samples.height)
    let upright = orientation.swapsAxes ? PixelSize(natural.height, natural.width) : natural
    return VideoFacts(
      naturalSize: natural, cleanAperture: cleanAperture, displaySize: displaySize ?? upright, orientation: orientation,
      pixelAspect: PixelSize(1, 1),
      nominalFrameRate: nil, pixelFormat: "", bitDepth: samples.format.bitDepth, color: color)
  }

  var placement: Scene.Placement { Scene.Placement(crop: crop, transform: transform, opacity: opacity) }

  func piece() throws -> Collage.Piece {
    .picture(SourcePicture(buffer: try buffer(), facts: facts), placement)
  }

  func buffer() throws -> PixelBuffer {
    let buffer = try samples.buffer(color)
    return try alpha.map { buffer.with(try PixelBuffer.Alpha(full: $0.buffer(), for: samples.format)) } ?? buffer
  }
}

extension Compositor {
  /// The frame that shows `layers`, the bottommost first, and `graphics` over them.
  func frame(
    _ layers: [Layer], background: RGBAColor = .black, graphics: [PlacedPicture?] = [], fade: Double = 1
  ) throws -> Samples {
    let pieces = try layers.map { try $0.piece() } + graphics.compactMap { $0?.piece(fade: fade) }
    return Samples(try composite(Collage(background: background, pieces: pieces)))
  }

  func dissolve(_ from: Layer?, _ to: Layer?, progress: Double, background: RGBAColor = .black) throws -> Samples {
    try transition(.dissolve, from, to, progress: progress, background: background)
  }

  func transition(
    _ effect: Transition.Effect, _ from: Layer?, _ to: Layer?, progress: Double, background: RGBAColor = .black,
    map: StillImage? = nil
  ) throws -> Samples {
    let sides = try [from, to].map { try $0.map { [try $0.piece()] } ?? [] }
    let transition = Collage.Piece.transition(effect, from: sides[0], to: sides[1], progress: progress)
    return Samples(
      try composite(Collage(background: background, pieces: [transition])) { asset throws(MediaError) in
        guard let map else { throw MediaError(.missing, at: asset.rawValue, "is not there") }
        return map
      })
  }

  /// A compositor of BT.709 frames, as most tests need it.
  convenience init(_ width: Int, _ height: Int, _ format: PixelFormat = .yuv420, _ color: ColorTags = .bt709) {
    self.init(renderSize: PixelSize(width, height), format: format, color: color)
  }
}
