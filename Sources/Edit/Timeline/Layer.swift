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
  /// The range in which the layer is seen; nil is always. It counts on the clock of what the layer stands on.
  package var timeRange: MediaTimeRange?
  /// Whether the layer stays to the end of the edit, whatever its clock says then. The range's end is that of the edit, for what happens before a
  /// layer goes.
  package var staysToEnd = false
  /// The clock on which the layer's keyframes and all times of the layers on it count; nil is the clock of what it stands on.
  package var clock: LayerClock?
  /// The place in depth among the layers in the same list; 0 without keyframes. A higher one lies over a lower one; equal ones lie as
  /// the list has them.
  package var zPosition: Envelope<Double>
  /// Whether the layer is not seen, with all that stands on it; it is seen without keyframes. Each keyframe's value stays until the
  /// next one.
  package var hidden: Envelope<Bool>
  /// The layers on this one, bottommost first.
  package var sublayers: [Layer]
  /// The copies of all that stands on this layer; nil for one.
  package var replicator: Replicator?
  /// The part of the mask that decides how much is seen.
  package var maskMode = MaskMode.alpha
  /// The mask, or nothing: a value cannot hold another one of its own type otherwise.
  private var masks: [Layer]

  package init(
    content: Content?, geometry: LayerGeometry = LayerGeometry(), style: LayerStyle = LayerStyle(),
    opacity: Envelope<Double> = Envelope(), timeRange: MediaTimeRange? = nil, clock: LayerClock? = nil,
    zPosition: Envelope<Double> = Envelope(),
    hidden: Envelope<Bool> = Envelope(), sublayers: [Layer] = [], mask: Layer? = nil
  ) {
    (self.content, self.timeRange, self.clock) = (content, timeRange, clock)
    (self.zPosition, self.hidden) = (zPosition.held(neutral: 0), hidden.held(neutral: false))
    (self.geometry, self.style, self.sublayers) = (geometry, style, sublayers)
    masks = mask.map { [$0] } ?? []
    self.opacity = opacity.held(neutral: 1)
  }

  /// The layer that decides how much is seen of each place. It stands in this layer's coordinates.
  package var mask: Layer? {
    get { masks.first }
    set { masks = newValue.map { [$0] } ?? [] }
  }

  /// The opacity at `time`, 0...1 even where an easing overshoots.
  package func opacity(at time: @autoclosure () -> MediaTime) throws(TimeError) -> Double {
    try min(max(opacity.heldValue(at: time(), neutral: 1), 0), 1)
  }

  /// Whether the layer is hidden at `time`.
  package func isHidden(at time: @autoclosure () -> MediaTime) throws(TimeError) -> Bool {
    guard let first = hidden.keyframes.first else { return false }
    return try hidden.span(at: time())?.from ?? first.value
  }

  /// This layer, the layers on it and their masks, each with the way to it.
  package var all: [(layer: Layer, way: [Step])] { allWithClocks.map { ($0.layer, $0.way) } }

  /// The same, and whether a clock of a layer below drives it.
  package var allWithClocks: [(layer: Layer, way: [Step], isDriven: Bool)] {
    var found: [(Layer, [Step], Bool)] = []
    func visit(_ layer: Layer, _ way: [Step], isDriven: Bool) {
      found.append((layer, way, isDriven))
      let drives = isDriven || layer.clock != nil
      for (index, sublayer) in layer.sublayers.enumerated() { visit(sublayer, way + [.sublayer(index)], isDriven: drives) }
      if let mask = layer.mask { visit(mask, way + [.mask], isDriven: drives) }
    }
    visit(self, [], isDriven: false)
    return found
  }

  /// The number of this layer, the layers on it and their masks, each counted as often as it is copied. It does not grow beyond
  /// twice the limit.
  package var copiedCount: Int {
    let held = sublayers.reduce(0) { $0 + $1.copiedCount }
    let copies = min(held, DocumentLimits.layers) * (replicator?.count ?? 1)
    return min(1 + copies + (mask?.copiedCount ?? 0), 2 * DocumentLimits.layers)
  }

  /// Whether the layer cannot be drawn once, as one picture with all that stands on it: this layer, its mask, or one on it shows a
  /// moving picture, a text whose letters move, or a part of an image that is cut out for each frame; or one on it is turned out of
  /// the plane, or filters what lies below.
  package var holdsMoving: Bool {
    switch content {
    case .moving: return true
    case .text(let text) where text.motion != nil: return true
    case .image(let image) where !image.contentsRect.keyframes.isEmpty: return true
    default: break
    }
    if !style.backdropFilters.isEmpty || mask.map({ $0.holdsMoving || $0.geometry.isSpatial }) ?? false { return true }
    return sublayers.contains { $0.holdsMoving || $0.geometry.isSpatial }
  }

  /// A step from a layer to one that it holds.
  package enum Step: Hashable, Sendable {
    case sublayer(Int)
    case mask
  }
}

/// The part of a mask that decides how much is seen of a layer.
package enum MaskMode: String, Hashable, Sendable, Encodable, CaseIterable {
  /// Each place is seen as far as the mask is opaque there.
  case alpha
  /// Each place is seen as far as the mask is opaque and bright there: its luma (W3C's "CSS Masking Level 1", 7.10.1).
  case luminance
}

package struct ImageContent: Hashable, Sendable, Encodable {
  /// The image; the first one where several follow each other.
  package var asset: AssetID
  /// The images that follow each other, each until the next one; without keyframes it is one.
  package var sequence: Envelope<AssetID>
  package var gravity: Gravity
  /// The part of the image that is laid into the layer, as shares of its width and height; all of it without keyframes.
  package var contentsRect: Envelope<Rect>
  /// The part that is stretched in both directions, in the image's pixels as shares of its width and height. What lies beside it is
  /// stretched in one direction, and the corners are not. Nil where the whole is stretched.
  package var contentsCenter: Rect?

  package init(
    asset: AssetID, gravity: Gravity = .resizeAspect, contentsRect: Envelope<Rect> = Envelope(), contentsCenter: Rect? = nil,
    sequence: Envelope<AssetID> = Envelope()
  ) {
    (self.asset, self.gravity, self.contentsCenter) = (sequence.keyframes.first?.value ?? asset, gravity, contentsCenter)
    self.contentsRect = contentsRect.held(neutral: Self.whole)
    self.sequence = sequence.keyframes.count > 1 ? sequence : Envelope()
  }

  /// The images that are shown at any time.
  package var assets: Set<AssetID> { Set(sequence.keyframes.map(\.value) + [asset]) }

  /// The image at `time`, alone.
  package func still(at time: @autoclosure () -> MediaTime) throws(TimeError) -> ImageContent {
    guard !sequence.keyframes.isEmpty, let span = try sequence.span(at: time()) else { return ImageContent(self, asset) }
    return ImageContent(self, span.from)
  }

  private init(_ other: ImageContent, _ asset: AssetID) {
    self = other
    (self.asset, sequence) = (asset, Envelope())
  }

  package static let whole = Rect(0, 0, 1, 1)
}

extension [Layer] {
  /// The places of the layers in the list, in the order in which they lie at `time`, bottommost first.
  ///
  /// - Parameter time: counts on the clock of what they stand on. It is asked for only where it decides.
  package func depthOrder(at time: @autoclosure () -> MediaTime) throws(TimeError) -> [Int] {
    if indices.allSatisfy({ self[$0].zPosition.keyframes.isEmpty }) { return indices.map(\.self) }
    var places: [(depth: Double, index: Int)] = []
    for (index, layer) in enumerated() {
      // A layer's own keyframes count on its own clock.
      guard !layer.zPosition.isSteady else {
        places.append((layer.zPosition.keyframes.first?.value ?? 0, index))
        continue
      }
      let own = try layer.clock?.time(at: time()) ?? time()
      places.append((try layer.zPosition.heldValue(at: own, neutral: 0), index))
    }
    return places.sorted { ($0.depth, $0.index) < ($1.depth, $1.index) }.map(\.index)
  }
}

extension Envelope where Value: Interpolable {
  /// The value at `time`. The first keyframe's value also holds before it, and the last one's after it. So a layer that fades in
  /// is not seen before it fades in.
  ///
  /// - Parameter time: asked for only where the value changes.
  package func heldValue(at time: @autoclosure () -> MediaTime, neutral: Value) throws(TimeError) -> Value {
    if isSteady { return keyframes.first?.value ?? neutral }
    return try value(at: time(), neutral: keyframes.first?.value ?? neutral)
  }
}

extension Envelope {
  /// The envelope of a property of layers, whose first keyframe's value also holds before it: that of a single keyframe holds
  /// throughout. An envelope that is `neutral` throughout gets no keyframes.
  package func held(neutral: Value? = nil) -> Envelope {
    guard isHeld, let only = keyframes.first else { return self }
    return only.value == neutral ? Envelope() : Envelope(constant: only.value)
  }

  /// Whether a property of layers has the same value throughout, because there is one keyframe at most.
  package var isHeld: Bool { keyframes.count <= 1 && additions == nil }

  /// Whether the value is the same throughout.
  package var isSteady: Bool { keyframes.isEmpty || constant != nil }
}
