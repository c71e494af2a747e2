import Compositing
import Media
import MediaTime
import Timeline

/// Scenes as tests write them: layers of pictures that are made on the spot.
struct Layer {
  var samples: Samples
  var color = ColorTags.bt709
  var crop: Rect?
  var transform = AffineTransform.identity
  var opacity = 1.0
  var orientation = Orientation.up
  /// Nil: the natural size, turned upright.
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

  func placed(_ name: String) throws -> PlacedPicture {
    PlacedPicture(
      track: TrackID(name), source: SegmentSource(asset: AssetID(name)), sourceTime: Rational(0), crop: crop,
      transform: transform, opacity: opacity)
  }
}

extension Compositor {
  /// Layers bottommost first.
  func frame(
    _ layers: [Layer], background: RGBAColor = .black, overlays: [OverlayPicture] = []
  ) throws -> Samples {
    let placed = try layers.indices.map { try layers[$0].placed("\($0)") }
    var sources: [PlacedPicture: SourcePicture] = [:]
    for (picture, layer) in zip(placed, layers) {
      sources[picture] = SourcePicture(buffer: try layer.samples.buffer(layer.color), facts: layer.facts)
    }
    let scene = Scene(
      time: .zero, background: background, picture: .layers(placed), overlays: Array(overlays.indices))
    return Samples(try composite(scene, sources: sources, overlays: overlays))
  }

  func dissolve(_ from: Layer?, _ to: Layer?, progress: Double, background: RGBAColor = .black) throws -> Samples {
    try transition(.dissolve, from, to, progress: progress, background: background)
  }

  func transition(
    _ effect: Transition.Effect, _ from: Layer?, _ to: Layer?, progress: Double, background: RGBAColor = .black,
    map: StillImage? = nil
  ) throws -> Samples {
    var sources: [PlacedPicture: SourcePicture] = [:]
    let sides = try [from, to].enumerated().map { index, layer -> PlacedPicture? in
      guard let layer else { return nil }
      let placed = try layer.placed("\(index)")
      sources[placed] = SourcePicture(buffer: try layer.samples.buffer(layer.color), facts: layer.facts)
      return placed
    }
    let scene = Scene(
      time: .zero, background: background, picture: .transition(effect, from: sides[0], to: sides[1], progress: progress),
      overlays: [])
    return Samples(try composite(scene, sources: sources, overlays: [], wipeMap: map))
  }

  /// A compositor of BT.709 frames, as most tests need it.
  convenience init(_ width: Int, _ height: Int, _ format: PixelFormat = .yuv420, _ color: ColorTags = .bt709) {
    self.init(renderSize: PixelSize(width, height), format: format, color: color)
  }
}
