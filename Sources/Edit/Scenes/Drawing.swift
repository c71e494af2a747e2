package import Formats
package import Timeline

extension Scene {
  /// A layer at one moment, as it is drawn in its own coordinates: the rectangle from (0, 0) to its size.
  ///
  /// These are drawn, bottommost first: its shadow, its background, its content, the parts that stand on it, and its border.
  package struct Drawing: Hashable, Sendable, Encodable {
    package enum Content: Hashable, Sendable, Encodable {
      case image(ImageContent)
      /// A text. It is laid out in the layer's rectangle, or where it has no place of its own in the rectangle's lower third.
      case text(TextContent, inLowerThird: Bool)
      /// A shape, without keyframes, and the parts of its outline's length between which it is stroked.
      case shape(ShapeContent, stroked: Span)
      case gradient(GradientContent)
      /// A script of captions, over the whole frame.
      case script(Script)
    }

    /// A part of a length, as shares of it. Nothing is left where the start is not before the end.
    package struct Span: Hashable, Sendable, Encodable {
      package let start: Double
      package let end: Double

      package init(_ start: Double, _ end: Double) { (self.start, self.end) = (start, end) }

      package static let whole = Span(0, 1)
    }

    /// A drawing that stands on another one.
    package struct Part: Hashable, Sendable, Encodable {
      package let drawing: Drawing
      /// The map from the part's coordinates to those of the drawing that it stands on.
      package let map: AffineTransform
      /// The opacity, above 0 and at most 1.
      package let opacity: Double
      package let blendMode: BlendMode

      package init(_ drawing: Drawing, map: AffineTransform, opacity: Double = 1, blendMode: BlendMode = .normal) {
        (self.drawing, self.map, self.opacity, self.blendMode) = (drawing, map, opacity, blendMode)
      }
    }

    /// The look of the drawing's rectangle.
    package struct Look: Hashable, Sendable, Encodable {
      package var background: RGBAColor?
      package var cornerRadius: Corners = 0
      package var borderWidth = 0.0
      package var borderColor = RGBAColor.black
      package var shadow: LayerStyle.Shadow?
      /// The outline that casts the shadow; nil where all that is seen does.
      package var shadowPath: VectorPath?
      /// The filters of all that is drawn, before the mask and the shadow. Lengths are in the drawing's pixels.
      package var filters: [LayerFilter.Value] = []
      /// Whether the content and the parts are seen only inside the rectangle, with its corners.
      package var clips = false
      /// Whether only the shadow is drawn, and not what casts it.
      package var isShadowAlone = false

      package init() {}
    }

    package let content: Content?
    /// The width and height, in pixels of its own coordinates.
    package let size: Point
    package let look: Look
    /// The drawings that stand on this one, bottommost first.
    package let parts: [Part]
    /// The mask, or nothing: a value cannot hold another one of its own type otherwise.
    private let masks: [Part]

    package init(_ content: Content?, size: Point, look: Look = Look(), parts: [Part] = [], mask: Part? = nil) {
      (self.content, self.size, self.look, self.parts) = (content, size, look, parts)
      masks = mask.map { [$0] } ?? []
    }

    /// The drawing whose alpha decides how much is seen of each place.
    package var mask: Part? { masks.first }

    /// The content, where the drawing is nothing else.
    package var contentAlone: Content? { look == Look() && parts.isEmpty && masks.isEmpty ? content : nil }

    /// The drawing with filters of all that it shows.
    func filtered(by filters: [LayerFilter.Value]) -> Drawing {
      guard !filters.isEmpty else { return self }
      var look = Look()
      look.filters = filters
      return Drawing(nil, size: size, look: look, parts: [Part(self, map: .identity)])
    }

    /// The pictures that are drawn.
    package var assets: [AssetID] {
      let own: [AssetID] = if case .image(let image)? = content { [image.asset] } else { [] }
      return own + (parts + masks).flatMap(\.drawing.assets)
    }
  }

  /// A drawing that is made once for all frames that show it.
  package struct Still: Hashable, Sendable, Encodable {
    /// The part of a drawing that is made.
    package enum Extent: Hashable, Sendable, Encodable {
      /// The part that is seen in the render frame. The drawing stays in its place.
      case frame
      /// All of it, because it moves.
      case whole
    }

    @Shared package var drawing: Drawing
    /// The map from the drawing's coordinates to those of the picture that is made of it: render pixels, where it stays in its
    /// place.
    package let map: AffineTransform
    package let extent: Extent
    /// The view of the drawing's plane, after the map, for a drawing that stays in its place; nil where it stays in the plane.
    package let projection: Projection?
    /// The layer's opacity, 0...1, where it never changes. Where it changes this is 1, and the node's placement has the opacity.
    package let opacity: Double

    package init(
      _ drawing: Drawing, map: AffineTransform = .identity, extent: Extent = .frame, projection: Projection? = nil,
      opacity: Double = 1
    ) {
      self.init(Shared(wrappedValue: drawing), map: map, extent: extent, projection: projection, opacity: opacity)
    }

    init(
      _ drawing: Shared<Drawing>, map: AffineTransform = .identity, extent: Extent = .frame, projection: Projection? = nil,
      opacity: Double = 1
    ) {
      _drawing = drawing
      (self.map, self.extent, self.projection, self.opacity) = (map, extent, projection, opacity)
    }

    /// Whether the drawing is the same object as another still's, so that it is made and written once for both.
    package func shares(_ other: Still) -> Bool { _drawing.isSame(as: other._drawing) }

    /// Whether both are surely equal, without a look at what is drawn: they have one object for it.
    package func isCopy(of other: Still) -> Bool {
      shares(other) && map == other.map && extent == other.extent && projection == other.projection && opacity == other.opacity
    }

    /// The same still of another drawing, with `opacity` times its own.
    func with(_ drawing: Drawing, opacity: Double) -> Still {
      Still(drawing, map: map, extent: extent, projection: projection, opacity: self.opacity * opacity)
    }
  }
}
