internal import Formats
package import MediaTime
package import Timeline

extension Scene {
  /// A text whose letters move, at one moment.
  ///
  /// How many letters and lines a text has, and where they are, is known only to whoever lays it out with its fonts. So the scene
  /// has the motion and the moment, and settling it asks for the states of the text's parts.
  package struct MovingText: Hashable, Sendable, Encodable {
    package enum Moment: Hashable, Sendable, Encodable {
      /// The time, and the range in which the text is shown.
      case time(MediaTime, in: MediaTimeRange)
      /// The states of the text's parts at that time.
      case states([TextState])
    }

    /// The text at rest.
    package let still: Still
    @Shared package var motion: TextMotion
    package let moment: Moment

    package init(_ still: Still, _ motion: TextMotion, at moment: Moment) {
      self.init(still, Shared(wrappedValue: motion), at: moment)
    }

    init(_ still: Still, _ motion: Shared<TextMotion>, at moment: Moment) {
      _motion = motion
      (self.still, self.moment) = (still, moment)
    }

    func settled(as states: [TextState]) -> MovingText { MovingText(still, _motion, at: .states(states)) }

    /// The parts of a moving text that it has at all moments.
    struct Rest {
      /// The drawing of the text at rest.
      let drawing: Shared<Drawing>
      let motion: Shared<TextMotion>
      /// A number that its letters do not exceed.
      let most: Int
    }
  }
}

extension LayerMaker {
  /// The node of a text whose letters move. Where they surely rest, it is that of a text that does not move.
  func node(of text: TextContent, _ motion: TextMotion, _ layer: Layer, _ own: Ground) throws(TimeError) -> Scene.Node {
    let rest = try keeping(in: \.text, own.size) { maker throws(TimeError) in
      var rested = try text.settled(at: maker.time)
      rested.motion = nil
      let drawing = Scene.Drawing(.text(rested, inLowerThird: layer.geometry.frame == nil), size: own.size)
      return Scene.MovingText.Rest(
        drawing: Shared(wrappedValue: drawing), motion: Shared(wrappedValue: motion), most: text.string.unicodeScalars.count)
    }
    // Windows onto letters are rectangles. So a text that is turned is drawn upright, and turned with its letters.
    var place = own
    let isUpright = own.map.b == 0 && own.map.c == 0
    (place.isSteady, place.isDrawnInPlace) = (own.isSteady && isUpright, own.isDrawnInPlace && isUpright)
    let drawn = still(of: rest.drawing, place)
    let whole =
      if let range = layer.timeRange { range } else {
        try MediaTimeRange(start: .zero, end: edit.timeline.composition.duration)
      }
    if try motion.rests(at: drivingTime, in: whole, most: rest.most) {
      return .still(drawn.still, drawn.placement)
    }
    return .movingText(Scene.MovingText(drawn.still, rest.motion, at: .time(drivingTime, in: whole)), drawn.placement)
  }
}

extension Layer {
  /// The motion of the layer's own text; nil where it has none, or the text stands still.
  var textMotion: TextMotion? { if case .text(let text)? = content { text.motion } else { nil } }
}
