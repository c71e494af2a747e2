package import Formats
package import MediaTime

/// A layer over the video (CALayer): a picture, a text, a shape, a gradient or a clip with its style, and the layers on it.
///
/// A layer has a rectangle of its own, whose top left corner is (0, 0) and whose size is that of its frame. The layers on it
/// stand in that rectangle's coordinates. Its geometry lays the rectangle into the coordinates of the layer that it stands on,
/// the outermost ones into render pixels.
package struct Layer: Hashable, Sendable {
  package enum Content: Hashable, Sendable {
    case image(ImageContent)
    case text(TextContent)
    case shape(ShapeContent)
    case gradient(GradientContent)
    case waveform(WaveformContent)
    case moving(MovingContent)
  }

  /// The content, between the background and the layers on it; nil for a layer that has none of its own.
  package var content: Content?
  package var geometry: LayerGeometry
  package var style: LayerStyle
  /// The opacity, 0...1, on the composition's clock; 1 without keyframes. It is that of the whole layer, with what stands on it.
  package var opacity: Envelope<Double>
  /// The range in which the layer is seen; nil is always.
  package var timeRange: MediaTimeRange?
  /// The clock on which the layer's keyframes and all times of the layers on it count; nil is the clock of what it stands on.
  package var clock: LayerClock?
  /// The place in depth among the layers in the same list. A higher one lies over a lower one; equal ones lie as the list has them.
  package var zPosition: Double
  package var isHidden: Bool
  /// The layers on this one, bottommost first.
  package var sublayers: [Layer]
  /// The mask, or nothing: a value cannot hold another one of its own type otherwise.
  private var masks: [Layer]

  package init(
    content: Content?, geometry: LayerGeometry = LayerGeometry(), style: LayerStyle = LayerStyle(),
    opacity: Envelope<Double> = Envelope(), timeRange: MediaTimeRange? = nil, clock: LayerClock? = nil, zPosition: Double = 0,
    isHidden: Bool = false, sublayers: [Layer] = [], mask: Layer? = nil
  ) {
    (self.content, self.timeRange, self.clock) = (content, timeRange, clock)
    (self.zPosition, self.isHidden) = (zPosition, isHidden)
    (self.geometry, self.style, self.sublayers) = (geometry, style, sublayers)
    masks = mask.map { [$0] } ?? []
    self.opacity = opacity.held(neutral: 1)
  }

  /// The layer whose alpha decides how much is seen of each place. It stands in this layer's coordinates.
  package var mask: Layer? {
    get { masks.first }
    set { masks = newValue.map { [$0] } ?? [] }
  }

  /// The opacity at `time`, 0...1 even where an easing overshoots.
  package func opacity(at time: MediaTime) throws(TimeError) -> Double {
    try min(max(opacity.heldValue(at: time, neutral: 1), 0), 1)
  }

  /// This layer, the layers on it and their masks, each with the way to it.
  package var all: [(layer: Layer, way: [Step])] {
    var found: [(Layer, [Step])] = []
    func visit(_ layer: Layer, _ way: [Step]) {
      found.append((layer, way))
      for (index, sublayer) in layer.sublayers.enumerated() { visit(sublayer, way + [.sublayer(index)]) }
      if let mask = layer.mask { visit(mask, way + [.mask]) }
    }
    visit(self, [])
    return found
  }

  /// Whether this layer, or one on it, shows a moving picture, a text whose letters move, or a part of an image that is cut out for
  /// each frame.
  package var holdsMoving: Bool {
    switch content {
    case .moving: return true
    case .text(let text) where text.motion != nil: return true
    case .image(let image) where !image.contentsRect.keyframes.isEmpty: return true
    default: return sublayers.contains { $0.holdsMoving }
    }
  }

  /// A step from a layer to one that it holds.
  package enum Step: Hashable, Sendable {
    case sublayer(Int)
    case mask
  }
}

package struct ImageContent: Hashable, Sendable {
  package var asset: AssetID
  package var gravity: Gravity
  /// The part of the image that is laid into the layer, as shares of its width and height; all of it without keyframes.
  package var contentsRect: Envelope<Rect>

  package init(asset: AssetID, gravity: Gravity = .resizeAspect, contentsRect: Envelope<Rect> = Envelope()) {
    (self.asset, self.gravity) = (asset, gravity)
    self.contentsRect = contentsRect.held(neutral: Self.whole)
  }

  package static let whole = Rect(0, 0, 1, 1)
}

extension [Layer] {
  /// The layers in the order in which they lie, bottommost first.
  package var inDepthOrder: [Layer] {
    if allSatisfy({ $0.zPosition == 0 }) { return self }
    return enumerated().sorted { ($0.element.zPosition, $0.offset) < ($1.element.zPosition, $1.offset) }.map(\.element)
  }
}

extension Envelope where Value: Interpolable {
  /// The value at `time`. The first keyframe's value also holds before it, and the last one's after it. So a layer that fades in
  /// is not seen before it fades in.
  package func heldValue(at time: MediaTime, neutral: Value) throws(TimeError) -> Value {
    try value(at: time, neutral: keyframes.first?.value ?? neutral)
  }
}

extension Envelope {
  /// The envelope of a property of layers, whose first keyframe's value also holds before it: that of a single keyframe holds
  /// throughout. An envelope that is `neutral` throughout gets no keyframes.
  func held(neutral: Value? = nil) -> Envelope {
    guard keyframes.count == 1, let only = keyframes.first else { return self }
    return only.value == neutral ? Envelope() : Envelope(constant: only.value)
  }

  /// Whether the value is the same throughout.
  package var isSteady: Bool { keyframes.isEmpty || constant != nil }
}
