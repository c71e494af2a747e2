package import Formats

/// A transition from one track's picture to another's, over the instruction's whole range. Its progress is (t - start) /
/// duration, in [0, 1), to which an easing is applied.
///
/// At progress 0 the frame is exactly the outgoing picture. As progress nears 1 it becomes the incoming one.
package struct Transition: Hashable, Sendable {
  package var effect: Effect
  package var from: LayerInstruction
  package var to: LayerInstruction
  package var easing: Easing

  package init(_ effect: Effect, from: LayerInstruction, to: LayerInstruction, easing: Easing = .linear) {
    (self.effect, self.from, self.to, self.easing) = (effect, from, to, easing)
  }

  /// The progress of the transition when the share `time` of its duration is over. Both are 0...1; where the easing overshoots,
  /// the progress stays at 0 or 1.
  package func progress(at time: Double) -> Double { min(max(easing.progress(at: time), 0), 1) }

  package enum Effect: Hashable, Sendable, Encodable {
    /// A mixture of the two pictures.
    case dissolve
    /// A dissolve to a colour in the first half, and from that colour in the second half.
    case dip(RGBAColor)
    case motion(Motion, Side)
    case zoom(Zoom)
    /// A dissolve under a blur that is widest halfway. `radius` is the blur's reach at that moment, as a share of the frame's
    /// height.
    case blurDissolve(radius: Double)
    /// An edge that passes over the frame.
    case wipe(Wipe, WipeEdge)

    /// Whether samples of both sides are mixed, and not only shown side by side.
    package var mixes: Bool {
      switch self {
      case .motion: false
      case .dissolve, .dip, .zoom, .blurDissolve, .wipe: true
      }
    }
  }

  /// The pictures that move across the frame.
  package enum Motion: String, Hashable, Sendable, Encodable, CaseIterable {
    /// Both pictures move: the incoming one pushes the outgoing one out.
    case push
    /// The incoming picture moves over the outgoing one.
    case slide
    /// The outgoing picture moves away from over the incoming one.
    case swipe
  }

  /// The edge of the frame that the motion comes from.
  package enum Side: String, Hashable, Sendable, Encodable, CaseIterable { case fromLeft, fromTop, fromRight, fromBottom }

  package enum Zoom: String, Hashable, Sendable, Encodable, CaseIterable {
    /// The incoming picture grows out of the centre.
    case `in`
    /// The outgoing picture shrinks into the centre.
    case out
    /// The outgoing picture grows, while the incoming one appears over it and shrinks to its own size.
    case through
  }

  package enum Wipe: Hashable, Sendable, Encodable {
    case smpte(SMPTEWipe)
    /// A wipe by the brightness of a still picture that is stretched over the frame. The edge passes over the darkest parts
    /// first.
    case image(AssetID)
  }

  /// The look of a wipe's edge. Widths are shares of the edge's whole way, so that they do not depend on the render size.
  package struct WipeEdge: Hashable, Sendable, Encodable {
    /// The width over which the pictures are mixed; 0 is a hard edge.
    package var softness: Double
    /// The width of the band of `borderColor` between the pictures.
    package var borderWidth: Double
    package var borderColor: RGBAColor
    /// Whether the order is reversed: the parts that the edge would pass over last come first, so that an iris closes.
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

  /// The names of effects in documents. The names of wipes are SMIL's types.
  package enum Kind: String, Hashable, Sendable, CaseIterable {
    case dissolve, dipToColor, push, slide, swipe, zoom, blurDissolve, lumaWipe
    case barWipe, boxWipe, fourBoxWipe, barnDoorWipe, diagonalWipe, bowTieWipe, miscDiagonalWipe
    case veeWipe, barnVeeWipe, zigZagWipe, barnZigZagWipe
    case irisWipe, triangleWipe, arrowHeadWipe, pentagonWipe, hexagonWipe, ellipseWipe, eyeWipe, roundRectWipe, starWipe
    case miscShapeWipe
    case clockWipe, pinWheelWipe, singleSweepWipe, fanWipe, doubleFanWipe, doubleSweepWipe, saloonDoorWipe, windshieldWipe
    case snakeWipe, spiralWipe, parallelSnakesWipe, boxSnakesWipe, waterfallWipe

    /// The subtypes of this kind, the usual one first; empty when there is only one form.
    package var subtypes: [String] {
      switch self {
      case .dissolve, .dipToColor, .blurDissolve, .lumaWipe: []
      case .push, .slide, .swipe: Side.allCases.map(\.rawValue)
      case .zoom: Zoom.allCases.map(\.rawValue)
      default: SMPTEWipe.allCases.filter { $0.type == rawValue }.map(\.subtype)
      }
    }

    /// The keys of a document's transition that this kind uses, besides `kind`, `from`, `to` and `easing`.
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
