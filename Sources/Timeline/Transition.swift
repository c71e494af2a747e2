/// A passage from one track's picture to another's over the instruction's whole range;
/// progress = (t - start) / duration, in [0, 1), by way of an easing.
///
/// At progress 0 the frame is the outgoing picture, exactly; as progress nears 1 it becomes the incoming one.
package struct Transition: Hashable, Sendable {
  package var effect: Effect
  package var from: LayerInstruction
  package var to: LayerInstruction
  package var easing: Easing

  package init(_ effect: Effect, from: LayerInstruction, to: LayerInstruction, easing: Easing = .linear) {
    (self.effect, self.from, self.to, self.easing) = (effect, from, to, easing)
  }

  /// How far the passage is when `time` of it is over, both 0...1; where the easing overshoots, it stays at the end.
  package func progress(at time: Double) -> Double { min(max(easing.progress(at: time), 0), 1) }

  package enum Effect: Hashable, Sendable {
    /// Mixes the two.
    case dissolve
    /// Dissolves to a colour, and in the second half from it.
    case dip(RGBAColor)
    case motion(Motion, Side)
    case zoom(Zoom)
    /// A dissolve under a blur that is widest halfway. `radius`: what the blur then reaches, as a share of the frame's height.
    case blurDissolve(radius: Double)
    /// An edge passes over the frame.
    case wipe(Wipe, WipeEdge)

    /// Whether samples of both sides are mixed, rather than shown side by side.
    package var mixes: Bool {
      switch self {
      case .motion: false
      case .dissolve, .dip, .zoom, .blurDissolve, .wipe: true
      }
    }
  }

  /// What moves across the frame.
  package enum Motion: String, Hashable, Sendable, CaseIterable {
    /// Both: the incoming picture pushes the outgoing one out.
    case push
    /// The incoming picture, over the outgoing one.
    case slide
    /// The outgoing picture, off the incoming one.
    case swipe
  }

  /// The edge of the frame that the motion comes from.
  package enum Side: String, Hashable, Sendable, CaseIterable { case fromLeft, fromTop, fromRight, fromBottom }

  package enum Zoom: String, Hashable, Sendable, CaseIterable {
    /// The incoming picture grows out of the centre.
    case `in`
    /// The outgoing picture shrinks into the centre.
    case out
    /// The outgoing picture comes nearer, while the incoming one shows through and settles.
    case through
  }

  package enum Wipe: Hashable, Sendable {
    case smpte(SMPTEWipe)
    /// By the brightness of a still picture that is stretched over the frame: the darkest part passes over first.
    case image(AssetID)
  }

  /// What a wipe's edge looks like. Widths are shares of the way that the edge goes, so that they do not depend on the
  /// render size.
  package struct WipeEdge: Hashable, Sendable {
    /// The width over which the pictures are mixed: 0 is a hard edge.
    package var softness: Double
    /// The width of the band of `borderColor` between the pictures.
    package var borderWidth: Double
    package var borderColor: RGBAColor
    /// Whether the parts that would be passed over last come first: an iris closes.
    package var isReversed: Bool

    package init(softness: Double = 0, borderWidth: Double = 0, borderColor: RGBAColor = .white, isReversed: Bool = false) {
      (self.softness, self.borderWidth, self.borderColor) = (softness, borderWidth, borderColor)
      self.isReversed = isReversed
    }
  }
}

extension Transition {
  /// The usual width of a blur, as a share of the frame's height.
  package static let usualBlurRadius = 0.05

  /// The names of effects in documents. Wipes have those of SMIL's types.
  package enum Kind: String, Hashable, Sendable, CaseIterable {
    case dissolve, dipToColor, push, slide, swipe, zoom, blurDissolve, lumaWipe
    case barWipe, boxWipe, fourBoxWipe, barnDoorWipe, diagonalWipe, bowTieWipe, miscDiagonalWipe
    case veeWipe, barnVeeWipe, zigZagWipe, barnZigZagWipe
    case irisWipe, triangleWipe, arrowHeadWipe, pentagonWipe, hexagonWipe, ellipseWipe, eyeWipe, roundRectWipe, starWipe
    case miscShapeWipe
    case clockWipe, pinWheelWipe, singleSweepWipe, fanWipe, doubleFanWipe, doubleSweepWipe, saloonDoorWipe, windshieldWipe
    case snakeWipe, spiralWipe, parallelSnakesWipe, boxSnakesWipe, waterfallWipe

    /// The first is the usual one; empty when there is but one form.
    package var subtypes: [String] {
      switch self {
      case .dissolve, .dipToColor, .blurDissolve, .lumaWipe: []
      case .push, .slide, .swipe: Side.allCases.map(\.rawValue)
      case .zoom: Zoom.allCases.map(\.rawValue)
      default: SMPTEWipe.allCases.filter { $0.type == rawValue }.map(\.subtype)
      }
    }

    /// The keys of a document's transition that say something of this kind, besides `kind`, `from` and `to`.
    package var keys: [String] {
      switch self {
      case .dissolve: []
      case .dipToColor: ["color"]
      case .push, .slide, .swipe, .zoom: ["subtype"]
      case .blurDissolve: ["radius"]
      case .lumaWipe: ["map", "softness", "border", "reverse"]
      default: ["subtype", "softness", "border", "reverse"]
      }
    }
  }
}
