package import MediaTime

/// How the tracks' pictures become one (AVVideoComposition).
package struct VideoComposition: Hashable, Sendable {
  /// Pixels; both even, since the output is 4:2:0.
  package var renderSize: PixelSize
  /// The movie's size over the render size, above 0: frames are rendered, then scaled.
  package var renderScale: Double
  /// Frame i is shown at i * frameDuration; positive.
  package var frameDuration: MediaTime
  /// The output's colour; nil propagates the first video clip's.
  package var color: ColorTags?
  /// For clips of high dynamic range in an output of standard range.
  package var toneMap: ToneMap
  package var blending: Blending
  /// Contiguous from zero over the whole composition.
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
  /// The movie's size, in pixels: the render size scaled, to the nearest even sides.
  package var outputSize: PixelSize {
    func side(_ length: Int) -> Int {
      max(2 * Int((Double(length) * renderScale / 2).rounded()), DocumentLimits.renderSide.lowerBound)
    }
    return renderScale == 1 ? renderSize : PixelSize(side(renderSize.width), side(renderSize.height))
  }
}

/// What is composited during a range of time (AVVideoCompositionInstruction).
package struct Instruction: Hashable, Sendable {
  package enum Content: Hashable, Sendable {
    /// First is topmost.
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
/// The source frame is upright and square-pixelled (display size); then cropped, then placed by `gravity`, then
/// transformed, all with the origin top-left.
package struct LayerInstruction: Hashable, Sendable {
  package var track: TrackID
  package var gravity: Gravity
  /// 0...1.
  package var opacity: Envelope<Double>
  package var transform: Envelope<AffineTransform>
  /// In the display size's pixels.
  package var crop: Envelope<Rect>
  /// Whether gravity lays what the crop leaves, as if that were the whole picture; else it lays the whole picture, of which the crop is
  /// seen where it was.
  package var laysCropAlone: Bool

  package init(
    track: TrackID, gravity: Gravity = .none, opacity: Envelope<Double> = Envelope(),
    transform: Envelope<AffineTransform> = Envelope(), crop: Envelope<Rect> = Envelope(), laysCropAlone: Bool = false
  ) {
    (self.track, self.gravity, self.opacity) = (track, gravity, opacity)
    (self.transform, self.crop, self.laysCropAlone) = (transform, crop, laysCropAlone)
  }
}

/// How a picture is laid into a frame of another size (AVLayerVideoGravity), and `none`: pixel for pixel from the
/// top-left corner, as AVFoundation's layer instructions do.
package enum Gravity: String, Hashable, Sendable, CaseIterable {
  case none, resize, resizeAspect, resizeAspectFill

  /// The map from a picture of `size` into `frame`.
  package func placement(of size: PixelSize, in frame: PixelSize) -> AffineTransform {
    placement(of: size, in: Rect(frame))
  }

  package func placement(of size: PixelSize, in frame: Rect) -> AffineTransform { placement(of: Rect(size), in: frame) }

  /// The map that lays a part of a picture, in the picture's pixels, into `frame`.
  ///
  /// - Precondition: the part has some area.
  package func placement(of part: Rect, in frame: Rect) -> AffineTransform {
    let (sx, sy) = (frame.width / part.width, frame.height / part.height)
    let scale: (x: Double, y: Double)
    switch self {
    case .none: return AffineTransform(1, 0, 0, 1, frame.x - part.x, frame.y - part.y)
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
