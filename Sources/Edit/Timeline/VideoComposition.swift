package import Formats
package import MediaTime

/// How the tracks' pictures become one picture (AVVideoComposition).
package struct VideoComposition: Hashable, Sendable {
  /// The size in pixels. Both sides are even, since most codecs hold 4:2:0.
  package var renderSize: PixelSize
  /// The movie's size over the render size, above 0. Frames are rendered at the render size and then scaled.
  package var renderScale: Double
  /// The shape of the movie's pixels. Frames are composed of square ones; the movie has as many in a line as are seen as wide.
  package var pixelAspect = PixelSize(1, 1)
  /// The duration of a frame, positive. Frame i is shown at i * frameDuration.
  package var frameDuration: MediaTime
  /// The output's colour; nil is the first video clip's.
  package var color: ColorTags?
  /// The tone map for clips of high dynamic range in an output of standard range.
  package var toneMap: ToneMap
  package var blending: Blending
  /// The instructions. They follow each other without gaps from zero, over the whole composition.
  package var instructions: [Instruction]

  package init(
    renderSize: PixelSize, renderScale: Double = 1, frameDuration: MediaTime, color: ColorTags? = nil, toneMap: ToneMap = .bt2390,
    blending: Blending = .encoded, instructions: [Instruction]
  ) {
    (self.renderSize, self.renderScale, self.frameDuration) = (renderSize, renderScale, frameDuration)
    (self.color, self.toneMap, self.blending, self.instructions) = (color, toneMap, blending, instructions)
  }
}

extension VideoComposition {
  /// The composition as a movie that does not exceed `size`, which is turned by a quarter for a picture that is higher than wide.
  package func fitting(_ size: PixelSize) -> VideoComposition {
    let isUpright = (renderSize.height > renderSize.width) == (size.height > size.width)
    let bounds = isUpright ? size : PixelSize(size.height, size.width)
    let scales = [
      Double(bounds.width) / Double(renderSize.width), Double(bounds.height) / Double(renderSize.height), renderScale,
    ]
    var fitting = self
    fitting.renderScale = scales.reduce(.infinity, min)
    return fitting
  }

  /// The movie's size in its pixels: the render size scaled, to the nearest even sides, 16 at least.
  package var outputSize: PixelSize {
    let shown = displaySize
    guard pixelAspect != PixelSize(1, 1) else { return shown }
    let width = Double(renderSize.width) * renderScale * Double(pixelAspect.height) / Double(pixelAspect.width)
    return PixelSize(Self.side(width), shown.height)
  }

  /// The size at which the movie is shown, in square pixels.
  package var displaySize: PixelSize {
    guard renderScale != 1 else { return renderSize }
    return PixelSize(Self.side(Double(renderSize.width) * renderScale), Self.side(Double(renderSize.height) * renderScale))
  }

  private static func side(_ length: Double) -> Int { max(2 * Int((length / 2).rounded()), DocumentLimits.renderSide.lowerBound) }
}

/// The way in which pictures are composited during a range of time (AVVideoCompositionInstruction).
package struct Instruction: Hashable, Sendable {
  package enum Content: Hashable, Sendable {
    /// Pictures over each other, topmost first.
    case layerInstructions([LayerInstruction])
    case transition(Transition)
    case compositor(CompositorInstruction)
  }

  package var timeRange: MediaTimeRange
  package var backgroundColor: RGBAColor
  package var content: Content

  package init(timeRange: MediaTimeRange, backgroundColor: RGBAColor = .black, content: Content) {
    (self.timeRange, self.backgroundColor, self.content) = (timeRange, backgroundColor, content)
  }
}

/// One track's picture in an instruction (AVVideoCompositionLayerInstruction).
///
/// The source frame is upright and has square pixels (its display size). It is cropped, then placed by `gravity`, then
/// transformed. The origin is at the top left throughout.
package struct LayerInstruction: Hashable, Sendable {
  package var track: TrackID
  package var gravity: Gravity
  /// The opacity, 0...1.
  package var opacity: Envelope<Double>
  package var transform: Envelope<AffineTransform>
  /// The part that is seen, in pixels of the display size.
  package var crop: Envelope<Rect>
  /// Whether gravity places the cropped part as if that were the whole picture. Otherwise gravity places the whole picture, and
  /// the cropped part is seen where it lies in that.
  package var laysCropAlone: Bool

  package init(
    track: TrackID, gravity: Gravity = .none, opacity: Envelope<Double> = Envelope(),
    transform: Envelope<AffineTransform> = Envelope(), crop: Envelope<Rect> = Envelope(), laysCropAlone: Bool = false
  ) {
    (self.track, self.gravity, self.opacity) = (track, gravity, opacity)
    (self.transform, self.crop, self.laysCropAlone) = (transform, crop, laysCropAlone)
  }
}

/// How a picture is laid into a frame of another size (AVLayerVideoGravity). `none` lays it pixel for pixel from the top left
/// corner, as AVFoundation's layer instructions do.
package enum Gravity: String, Hashable, Sendable, Encodable, CaseIterable {
  case none, resize, resizeAspect, resizeAspectFill
  case center, top, bottom, left, right, topRight, bottomLeft, bottomRight

  /// The map that lays a picture of `size` into `frame`.
  package func placement(of size: PixelSize, in frame: Rect) -> AffineTransform { placement(of: Rect(size), in: frame) }

  /// The share of the room beside and above a picture that is not scaled: 0 at the left and at the top, 1 at the other side.
  private var share: Point {
    let across =
      [Gravity.left, .none, .bottomLeft].contains(self) ? 0 : [.right, .topRight, .bottomRight].contains(self) ? 1 : 0.5
    let down =
      [Gravity.top, .none, .topRight].contains(self) ? 0 : [.bottom, .bottomLeft, .bottomRight].contains(self) ? 1 : 0.5
    return Point(across, down)
  }

  /// The map that lays a part of a picture, in the picture's pixels, into `frame`.
  ///
  /// - Precondition: the part has a positive width and height.
  package func placement(of part: Rect, in frame: Rect) -> AffineTransform {
    let (sx, sy) = (frame.width / part.width, frame.height / part.height)
    let scale: (x: Double, y: Double)
    switch self {
    case .none, .center, .top, .bottom, .left, .right, .topRight, .bottomLeft, .bottomRight:
      return AffineTransform(
        1, 0, 0, 1, frame.x - part.x + (frame.width - part.width) * share.x,
        frame.y - part.y + (frame.height - part.height) * share.y)
    case .resize: scale = (sx, sy)
    case .resizeAspect: scale = (min(sx, sy), min(sx, sy))
    case .resizeAspectFill: scale = (max(sx, sy), max(sx, sy))
    }
    return AffineTransform(
      scale.x, 0, 0, scale.y,
      frame.x + (frame.width - part.width * scale.x) / 2 - part.x * scale.x,
      frame.y + (frame.height - part.height * scale.y) / 2 - part.y * scale.y)
  }
}

extension Instruction {
  /// The tracks that the instruction names.
  package var tracks: [TrackID] {
    switch content {
    case .layerInstructions(let layers): layers.map(\.track)
    case .transition(let transition): [transition.from.track, transition.to.track]
    case .compositor(let compositor): compositor.requiredTracks
    }
  }
}
