package import Formats

extension TextContent {
  /// The places at which a line may be broken: between words, and within one only where it is wider than the frame; after any
  /// character; or only where the text says so.
  package enum Wrapping: String, Hashable, Sendable, Encodable, CaseIterable { case word, character, none }

  package enum Truncation: String, Hashable, Sendable, Encodable, CaseIterable { case end, middle, start }

  /// A line around the letters.
  package struct Outline: Hashable, Sendable, Encodable {
    package enum Position: String, Hashable, Sendable, Encodable, CaseIterable { case outside, center, inside }

    package var color: RGBAColor
    /// The width of the line, in pixels.
    package var width: Double
    /// The side of the letters' edge on which the line lies. The letters lie over a line outside; the other ones lie over them.
    package var position: Position
    package var join: ShapeContent.LineJoin

    package init(color: RGBAColor, width: Double, position: Position = .outside, join: ShapeContent.LineJoin = .round) {
      (self.color, self.width, self.position, self.join) = (color, width, position, join)
    }
  }

  /// A light around the letters: their blurred picture in one colour, behind them.
  package struct Glow: Hashable, Sendable, Encodable {
    package var color: RGBAColor
    /// The standard deviation of the blur, in pixels.
    package var radius: Double
    /// The number of times that the light is laid, 1...8.
    package var strength: Int

    package init(color: RGBAColor = .white, radius: Double, strength: Int = 2) {
      (self.color, self.radius, self.strength) = (color, radius, strength)
    }
  }

  /// A filled rectangle behind the whole text, or behind each line.
  package struct Box: Hashable, Sendable, Encodable {
    package enum Extent: String, Hashable, Sendable, Encodable, CaseIterable { case text, lines }

    package var color: RGBAColor
    /// The pixels that are added at the left and right, and at the top and bottom.
    package var padding: Point
    package var cornerRadius: Double
    package var extent: Extent

    package init(color: RGBAColor, padding: Point = Point(0, 0), cornerRadius: Double = 0, extent: Extent = .text) {
      (self.color, self.padding, self.cornerRadius, self.extent) = (color, padding, cornerRadius, extent)
    }
  }
}
